// Partial order reduction against the whole state space: deadlocks, goals and model errors are found in one
// exactly when they are in the other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bind/bind.hpp"
#include "exec/interpreter.hpp"
#include "graph/graph.hpp"
#include "lang/lang.hpp"
#include "lang/pnml/bounds.hpp"
#include "reduce/reduced_graph.hpp"
#include "reduce/relations.hpp"
#include "search/states/safety.hpp"
#include "store/segmented_table.hpp"
#include "testing/cases.hpp"
#include "testing/nets.hpp"
#include "testing/random_dve.hpp"
#include "testing/starter.hpp"

namespace tideline {
namespace {

struct Counts {
  std::uint64_t states = 0, deadlocks = 0;
};

Counts counts_of(const System& system, ErrorSemantics errors, por::Method reduce) {
  Budget budget{Budget::Limits{}};
  const Outcome outcome =
      check_safety(system, {}, {.errors = errors, .reduce = reduce, .traces = false}, budget);
  const auto count = [&](Stat stat) { return std::get<std::uint64_t>(*outcome.statistics.find(stat)); };
  return {count("states"), count("deadlocks")};
}

/// Of several models.
struct Totals {
  std::uint64_t whole = 0, reduced = 0, deadlocks = 0;

  /// Fails unless the reduced search finds as many deadlocks.
  void add(const System& system, ErrorSemantics errors, std::uint64_t seed) {
    const Counts all = counts_of(system, errors, por::Method::none);
    const Counts some = counts_of(system, errors, por::Method::stubborn);
    EXPECT_EQ(some.deadlocks, all.deadlocks) << seed;
    EXPECT_LE(some.states, all.states) << seed;
    whole += all.states;
    reduced += some.states;
    deadlocks += all.deadlocks;
  }
};

class EveryDeadlock : public ::testing::TestWithParam<ErrorSemantics> {};

TEST_P(EveryDeadlock, IsFound) {
  Totals totals;
  for (std::uint64_t seed = 1; seed <= test::cases(3000) && !HasFailure(); ++seed) {
    const std::string text = testing::RandomDve(seed).take();
    SCOPED_TRACE(text);
    totals.add(read_model({"random.dve", text}).system, GetParam(), seed);
  }
  EXPECT_GT(totals.deadlocks, test::cases(1000));
  EXPECT_LT(totals.reduced, totals.whole);
}

INSTANTIATE_TEST_SUITE_P(WhereErrors, EveryDeadlock,
                         ::testing::Values(ErrorSemantics::stop, ErrorSemantics::error_state),
                         [](const auto& test) {
                           return test.param == ErrorSemantics::stop ? "EndRuns" : "LeadToAState";
                         });

TEST(Reduction, FindsEveryDeadlockOfNets) {
  Totals totals;
  for (std::uint64_t seed = 1; seed <= test::cases(20000) && !HasFailure(); ++seed) {
    const pnml::Net net = pnml::random_net(seed);
    const auto bounds = pnml::token_bounds(net);
    if (std::ranges::any_of(bounds, [](std::uint32_t bound) { return bound > 10; })) continue;
    totals.add(pnml::to_system(net, bounds), ErrorSemantics::stop, seed);
  }
  EXPECT_GT(totals.deadlocks, test::cases(500));
  EXPECT_LT(totals.reduced, totals.whole);
}

/// Deadlocks, model errors, and formulas about states.
std::vector<Property> questions(testing::RandomDve& random, const System& system) {
  std::vector<Property> properties{{.name = "deadlock", .kind = PropertyKind::deadlock, .formula = ""},
                                   {.name = "errors", .kind = PropertyKind::model_error, .formula = ""}};
  for (int i = 0; i < 2; ++i)
    for (const PropertyKind kind : {PropertyKind::invariant, PropertyKind::reach})
      properties.push_back(bind_expression(system, {.name = numbered(to_string(kind), properties.size()),
                                                    .kind = kind,
                                                    .formula = random.formula(),
                                                    .origin = "test"}));
  return properties;
}

std::vector<Verdict> verdicts(const System& system, const std::vector<Property>& properties,
                              const SafetyOptions& options) {
  Budget budget{Budget::Limits{}};
  std::vector<Verdict> verdicts;
  for (const PropertyResult& result : check_safety(system, properties, options, budget).results)
    verdicts.push_back(result.verdict);
  return verdicts;
}

struct Search {
  const char* name;
  SafetyOptions options;
};

class ReducedSearch : public ::testing::TestWithParam<Search> {};

TEST_P(ReducedSearch, AnswersLikeTheWholeOne) {
  SafetyOptions options = GetParam().options;
  options.exhaustive = true;
  if (options.reduce == por::Method::none) options.reduce = por::Method::stubborn;
  std::map<Verdict, int> seen;
  for (std::uint64_t seed = 1; seed <= test::cases(400); ++seed) {
    testing::RandomDve random(
        seed, seed % 2 == 0 ? testing::RandomDve::Kind::loose : testing::RandomDve::Kind::busy);
    const std::string text = random.take();
    SCOPED_TRACE(text);
    const Model model = read_model({"random.dve", text});
    const std::vector<Property> properties = questions(random, model.system);
    // One after the other: the fewer questions, the more is left out.
    std::vector<std::vector<Property>> sets{properties};
    for (const Property& property : properties) sets.push_back({property});
    for (const std::vector<Property>& set : sets) {
      const auto whole = verdicts(model.system, set, {.exhaustive = true});
      ASSERT_EQ(verdicts(model.system, set, options), whole) << seed << " " << set.front().formula;
      for (const Verdict verdict : whole) ++seen[verdict];
    }
  }
  EXPECT_GT(seen[Verdict::holds], static_cast<int>(test::cases(500)));
  EXPECT_GT(seen[Verdict::violated], static_cast<int>(test::cases(500)));
}

INSTANTIATE_TEST_SUITE_P(By, ReducedSearch,
                         ::testing::Values(Search{"Bfs", {}}, Search{"Dfs", {.engine = search_dfs}},
                                           Search{"Cache", {.engine = search_cache, .cache_states = 100'000}},
                                           Search{"TwoThreads", {.threads = 2}},
                                           Search{"AmpleSets", {.reduce = por::Method::ample}}),
                         [](const auto& test) { return test.param.name; });

/// The whole graph of a small system.
class WholeGraph {
 public:
  WholeGraph(const System& system, ErrorSemantics errors)
      : interpreter_(Program::compile(system, errors)), table_(interpreter_.state_size()) {
    interpreter_.initial([&](const std::byte* state) { add(state); });
    for (StateId id = 0; id < table_.size(); ++id) {
      auto& edges = edges_.emplace_back();
      interpreter_.successors(table_.state(id), [&](const Step& step) {
        edges[step.action] = step.state ? add(step.state) : no_state;
      });
    }
  }

  std::size_t size() const { return edges_.size(); }
  const std::byte* state(StateId id) const { return table_.state(id); }
  /// By action; one that fails leads to no_state.
  const std::map<ActionId, StateId>& edges(StateId id) const { return edges_[id]; }
  /// Where the actions lead one after the other; no_state: one fails; nothing: one is not enabled.
  std::optional<StateId> after(StateId id, std::initializer_list<ActionId> actions) const {
    for (const ActionId action : actions) {
      if (id == no_state) return id;
      const auto edge = edges_[id].find(action);
      if (edge == edges_[id].end()) return std::nullopt;
      id = edge->second;
    }
    return id;
  }

  /// Whether a cycle consists of the edges for which follow(from, action) is true.
  template <class Follow>
  bool has_cycle(const Follow& follow) const {
    std::vector<std::size_t> predecessors(size());
    const auto for_each = [&](StateId from, const auto& visit) {
      for (const auto& [action, to] : edges_[from])
        if (to != no_state && follow(from, action)) visit(to);
    };
    for (StateId id = 0; id < size(); ++id) for_each(id, [&](StateId to) { ++predecessors[to]; });
    std::vector<StateId> open;
    for (StateId id = 0; id < size(); ++id)
      if (predecessors[id] == 0) open.push_back(id);
    std::size_t sorted = 0;
    for (; !open.empty(); ++sorted) {
      const StateId id = open.back();
      open.pop_back();
      for_each(id, [&](StateId to) {
        if (--predecessors[to] == 0) open.push_back(to);
      });
    }
    return sorted < size();
  }

 private:
  StateId add(const std::byte* state) { return table_.insert(state, table_.hash(state)).id; }

  Interpreter interpreter_;
  SegmentedTable<> table_;
  std::vector<std::map<ActionId, StateId>> edges_;
};

/// Fails unless what is taken in the state can be put in front of whatever comes after it: in every state that
/// the other actions lead to, it is still enabled, and commutes with the next of them.
void expect_persistent(const WholeGraph& graph, StateId start, const std::vector<ActionId>& needed) {
  std::set<StateId> seen{start};
  std::vector<StateId> open{start};
  while (!open.empty()) {
    const StateId id = open.back();
    open.pop_back();
    for (const ActionId t : needed) ASSERT_TRUE(graph.edges(id).contains(t)) << "it disables " << t;
    for (const auto& [other, to] : graph.edges(id)) {
      if (std::ranges::find(needed, other) != needed.end()) continue;
      for (const ActionId t : needed)
        ASSERT_EQ(graph.after(id, {t, other}), graph.after(id, {other, t})) << t << " and " << other;
      if (to != no_state && seen.insert(to).second) open.push_back(to);
    }
  }
}

/// What is preserved for a question about infinite runs, or about states, or for deadlocks.
por::Preserved random_question(testing::RandomDve& random, const System& system, std::uint64_t seed) {
  por::Preserved preserved{.errors = seed % 2 == 0};
  for (std::uint64_t i = 0; i < seed % 3; ++i) {
    const Property property = bind_expression(
        system, {.name = "p", .kind = PropertyKind::reach, .formula = random.formula(), .origin = "test"});
    (seed % 4 < 2 ? preserved.observed : preserved.goals).push_back(property.expr);
  }
  return preserved;
}

/// With what the method is used: with_starter: another process starts those of the model.
struct SetsOf {
  por::Method method = por::Method::stubborn;
  bool with_starter = false;
};

class ConditionsOfSets : public ::testing::TestWithParam<SetsOf> {};

// With the whole graph at hand: what is taken is persistent in every state, and every cycle of what is taken
// has a state whose set is complete.
TEST_P(ConditionsOfSets, HoldInEveryState) {
  std::uint64_t smaller = 0, clean = 0, cyclic = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(3000) && !HasFatalFailure(); ++seed) {
    testing::RandomDve random(
        seed, seed % 5 < 3 ? testing::RandomDve::Kind::loose : testing::RandomDve::Kind::busy);
    const std::string text = random.take();
    SCOPED_TRACE(text);
    System system = read_model({"random.dve", text}).system;
    if (GetParam().with_starter) testing::add_starter(system, seed);
    const WholeGraph graph(system, ErrorSemantics::stop);
    por::StubbornSet set(por::StubbornSets::make(system, ErrorSemantics::stop,
                                                 random_question(random, system, seed), GetParam().method));
    std::vector<std::vector<ActionId>> taken(graph.size());
    std::vector<bool> is_complete(graph.size());
    for (StateId id = 0; id < graph.size(); ++id) {
      for (const auto& [action, to] : graph.edges(id)) taken[id].push_back(action);
      if (!set.reduce(graph.state(id), taken[id])) {
        is_complete[id] = true;
        continue;
      }
      ++smaller;
      is_complete[id] = set.is_complete();
      clean += is_complete[id] ? 0 : 1;
      ASSERT_NO_FATAL_FAILURE(expect_persistent(graph, id, taken[id]));
      ASSERT_TRUE(is_complete[id] || !taken[id].empty());
    }
    const auto is_taken = [&](StateId from, ActionId action) {
      return std::ranges::find(taken[from], action) != taken[from].end();
    };
    ASSERT_FALSE(graph.has_cycle(
        [&](StateId from, ActionId action) { return !is_complete[from] && is_taken(from, action); }));
    cyclic += graph.has_cycle(is_taken) ? 1 : 0;
  }
  EXPECT_GT(smaller, test::cases(1000));
  EXPECT_GT(clean, test::cases(500));
  EXPECT_GT(cyclic, test::cases(200));
}

INSTANTIATE_TEST_SUITE_P(Of, ConditionsOfSets,
                         ::testing::Values(SetsOf{}, SetsOf{.method = por::Method::ample},
                                           SetsOf{.with_starter = true}),
                         [](const auto& test) {
                           return test.param.method == por::Method::ample ? "AmpleSets"
                                  : test.param.with_starter               ? "StubbornSetsOfStartedProcesses"
                                                                          : "StubbornSets";
                         });

// What was found for other states is what would be found for this one.
TEST(Reduction, RemembersWhatAFreshSearchFinds) {
  std::uint64_t smaller = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(300); ++seed) {
    testing::RandomDve random(
        seed, seed % 2 == 0 ? testing::RandomDve::Kind::loose : testing::RandomDve::Kind::busy);
    const System system = read_model({"random.dve", random.take()}).system;
    const WholeGraph graph(system, ErrorSemantics::stop);
    const auto sets =
        por::StubbornSets::make(system, ErrorSemantics::stop, random_question(random, system, seed));
    por::StubbornSet remembers(sets);
    for (int round = 0; round < 2; ++round)
      for (StateId id = 0; id < graph.size(); ++id) {
        std::vector<ActionId> enabled;
        for (const auto& [action, to] : graph.edges(id)) enabled.push_back(action);
        std::vector<ActionId> again = enabled;
        por::StubbornSet fresh(sets);
        ASSERT_EQ(remembers.reduce(graph.state(id), enabled), fresh.reduce(graph.state(id), again)) << seed;
        ASSERT_EQ(enabled, again) << seed;
        ASSERT_EQ(remembers.is_complete(), fresh.is_complete()) << seed;
        smaller += enabled.size() < graph.edges(id).size() ? 1 : 0;
      }
  }
  EXPECT_GT(smaller, test::cases(1000));
}

// No cycle consists of actions that lead on.
TEST(ActionsThatLeadOn, LeaveNoCycle) {
  std::uint64_t leading = 0, all = 0;
  const auto expect_none = [&](const System& system) {
    por::Relations relations(system, ErrorSemantics::stop, {});
    const auto leads_on = relations.leading_on(std::vector<std::uint8_t>(system.actions.size(), 0));
    leading += static_cast<std::uint64_t>(std::ranges::count(leads_on, 1));
    for (ActionId a = 0; a < leads_on.size(); ++a) all += relations.never_happens(a) ? 0 : 1;
    const WholeGraph graph(system, ErrorSemantics::stop);
    ASSERT_FALSE(graph.has_cycle([&](StateId, ActionId action) { return leads_on[action] != 0; }));
  };
  for (std::uint64_t seed = 1; seed <= test::cases(1000) && !HasFatalFailure(); ++seed) {
    for (const auto kind : {testing::RandomDve::Kind::loose, testing::RandomDve::Kind::busy}) {
      const std::string text = testing::RandomDve(seed, kind).take();
      SCOPED_TRACE(text);
      expect_none(read_model({"random.dve", text}).system);
    }
    const pnml::Net net = pnml::random_net(seed);
    const auto bounds = pnml::token_bounds(net);
    if (std::ranges::all_of(bounds, [](std::uint32_t bound) { return bound <= 10; }))
      expect_none(pnml::to_system(net, bounds));
  }
  EXPECT_GT(leading, all / 3);
  EXPECT_LT(leading, all);
}

// What successors() leaves out is what rest() has, in every state.
TEST(ReducedGraphs, AreCompletedByTheRest) {
  static_assert(PartialGraph<ReducedGraph<Interpreter>> && !PartialGraph<Interpreter>);
  std::uint64_t left_out = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const Model model = read_model({"random.dve", testing::RandomDve(seed).take()});
    const auto program = Program::compile(model.system, ErrorSemantics::stop);
    Interpreter whole(program);
    const auto sets = por::StubbornSets::make(model.system, ErrorSemantics::stop, {});
    ReducedGraph reduced(Interpreter(program), sets);
    const auto actions = [](const auto& steps) {
      std::set<ActionId> result;
      steps([&](const Step& step) { EXPECT_TRUE(result.insert(step.action).second); });
      return result;
    };
    SegmentedTable<> table(whole.state_size());
    table.insert(program->initial_state(), table.hash(program->initial_state()));
    for (StateId id = 0; id < table.size(); ++id) {
      const std::vector<std::byte> copy(table.state(id), table.state(id) + whole.state_size());
      const std::byte* const state = copy.data();
      auto all = actions([&](auto sink) { whole.successors(state, sink); });
      auto some = actions([&](auto sink) { reduced.successors(state, sink); });
      const auto rest = actions([&](auto sink) { reduced.rest(state, sink); });
      left_out += rest.size();
      ASSERT_EQ(some.size() + rest.size(), all.size());
      some.insert(rest.begin(), rest.end());
      ASSERT_EQ(some, all);
      whole.successors(state, [&](const Step& step) {
        if (step.state) table.insert(step.state, table.hash(step.state));
      });
    }
  }
  EXPECT_GT(left_out, 1000u);
}

// The fewer ways there are to get in each other's way, the less has to be visited.
Counts reduced_counts(const std::string& text) {
  return counts_of(read_model({"test.dve", text}).system, ErrorSemantics::stop, por::Method::stubborn);
}

std::string processes(const std::string& globals, const std::vector<std::string>& transitions) {
  std::string text = globals;
  for (std::size_t i = 0; i < transitions.size(); ++i)
    text +=
        "process P" + std::to_string(i) + " { byte x; state s, t; init s; trans " + transitions[i] + "; }\n";
  return text + "system async;\n";
}

TEST(Reduction, KnowsWhatCommutes) {
  const std::string own = "s -> t { effect x = 1; }";
  EXPECT_EQ(reduced_counts(processes("", {own, own, own})).states, 4u);
  const std::string add = "s -> t { effect n = n + 1; }";
  EXPECT_EQ(reduced_counts(processes("byte n;\n", {add, add, add})).states, 4u);
  const std::string write = "s -> t { effect n = 7; }";
  EXPECT_EQ(reduced_counts(processes("byte n;\n", {write, write, write})).states, 4u);
  const std::string read = "s -> t { effect x = n; }";
  EXPECT_EQ(reduced_counts(processes("byte n;\n", {write, read})).states, 5u);
  // A queue works at both ends at once, the author's own as well as a channel of the language.
  const std::string send = "s -> s { sync c!1; }, t -> t {}", receive = "s -> s { sync c?x; }, t -> t {}";
  EXPECT_LT(reduced_counts(processes("channel {byte} c[3];\n", {send, receive})).states, 8u);
}

TEST(Reduction, KnowsThatACounterStaysInItsRange) {
  // What one process adds, it takes away before it adds again: neither addition fails, so they commute.
  const std::string round = "s -> t { effect n = n + 1; }, t -> s { effect n = n - 1; }";
  const Counts counts = reduced_counts(processes("byte n;\n", {round, round, round, round}));
  EXPECT_LT(counts.states, 16u);
}

// Two additions that fail together commute. But one that is put in front of a run must not make it fail.
TEST(Reduction, PutsNoAdditionInFrontOfARunThatFailsThen) {
  const std::string add = "s -> t { effect n = n + 1; }";
  const System system = read_model({"test.dve", processes("byte n = 254;\n", {add, add})}).system;
  for (const char* goal : {"P0.t", "P1.t"}) {
    const Property reach = bind_expression(
        system, {.name = "p", .kind = PropertyKind::reach, .formula = goal, .origin = "test"});
    EXPECT_EQ(verdicts(system, {reach}, {.reduce = por::Method::stubborn}).front(), Verdict::holds) << goal;
  }
}

// A net that nothing bounds may overflow where it begins with many tokens.
TEST(Reduction, KnowsThatManyTokensOverflow) {
  pnml::Net net;
  const auto proven = [&](std::uint32_t tokens, std::uint32_t weight) {
    net.places = {{.id = "p", .initial = tokens}};
    net.transitions = {{.id = "t", .produces = {{0, weight}}}};
    return pnml::to_system(net).ranges_are_proven;
  };
  EXPECT_TRUE(proven(1, 1));
  EXPECT_FALSE(proven(2'000'000'000, 1));
  EXPECT_FALSE(proven(1, 2'000'000'000));
}

// Where a guard has no value its action counts as enabled, whatever the comparison would say.
TEST(Reduction, GuardsWithoutAValueExcludeNothing) {
  const auto conflicts = [](const std::string& divisor) {
    const System system = read_model({"test.dve", processes("byte n = 4, d = 2;\n",
                                                            {"s -> t { guard n / " + divisor + " == 1; }",
                                                             "s -> t { guard n / " + divisor + " == 2; }",
                                                             "s -> t { effect d = 0; }"})})
                              .system;
    return por::Relations(system, ErrorSemantics::error_state, {}).conflicts(0);
  };
  const auto has_other = [](const std::vector<ActionId>& list) {
    return std::ranges::binary_search(list, 1u);
  };
  EXPECT_TRUE(has_other(conflicts("d")));
  EXPECT_FALSE(has_other(conflicts("2")));
}

// Who starts whom is known behind the opening: here every process has channels of its own, and those that do not have a common
// one do not wait for each other.
TEST(Reduction, KnowsWhatProcessesWereStartedWith) {
  const System ring = read_model({"ring.pml",
                                  "chan q[4] = [2] of { byte };\n"
                                  "proctype P(chan in, out) { byte x; out!1; in?x }\n"
                                  "init { byte i; atomic { do :: i < 4 -> run P(q[i], q[(i + 1) % 4]); i++ "
                                  ":: else -> break od } }\n"})
                          .system;
  const por::Opening opening(ring, ErrorSemantics::stop);
  EXPECT_TRUE(opening.contains(Program::compile(ring, ErrorSemantics::stop)->initial_state()));
  ASSERT_EQ(opening.ends().size(), 1u);
  // Each of four processes has one send and one receive that can happen.
  const por::Relations relations(ring, ErrorSemantics::stop, {});
  std::size_t messages = 0;
  for (ActionId a = 0; a < ring.actions.size(); ++a)
    messages += ring.actions[a].message && !relations.never_happens(a) ? 1 : 0;
  EXPECT_EQ(messages, 8u);
  EXPECT_EQ(counts_of(ring, ErrorSemantics::stop, por::Method::none).states, 70u);
  EXPECT_LE(counts_of(ring, ErrorSemantics::stop, por::Method::stubborn).states, 15u);
}

// What is sent comes behind the oldest message, so that whoever matches on that one need not wait for the sender.
TEST(Reduction, KnowsThatSendersLeaveTheOldestMessage) {
  const System system =
      read_model({"queue.pml",
                  "chan q = [4] of { byte, byte }; chan r = [4] of { byte, byte };\n"
                  "active proctype S() { byte n; do :: n < 3 -> q!1,n; n++ :: else -> break od }\n"
                  "active proctype R() { byte x; end: do :: q?1(x) :: q?2(x) od }\n"})
          .system;
  const por::Relations relations(system, ErrorSemantics::stop, {});
  for (ActionId a = 0; a < system.actions.size(); ++a) {
    if (system.actions[a].message && system.actions[a].message->receiver != no_component) {
      EXPECT_TRUE(relations.conflicts(a).empty() ||
                  std::ranges::all_of(relations.conflicts(a),
                                      [&](ActionId b) {
                                        return system.actions[b].participants.front().component ==
                                               system.actions[a].participants.front().component;
                                      }))
          << system.actions[a].label;
    }
  }
}

// A participant at any location may arrive with values that no move of its component brings there.
TEST(Reduction, KnowsLocationsOnlyByMoves) {
  System system;
  system.components.push_back({.name = "P", .location_slot = 0, .locations = {{"a"}, {"b"}}});
  system.add_variable({.name = "P", .owner = 0, .is_location = true}, {0, 1}, {0});
  system.add_variable({.name = "x", .owner = 0}, {0, 5}, {0});
  system.add_variable({.name = "row", .length = 2, .is_array = true}, {0, 1}, {0, 0});
  const auto is = [](SlotId slot, int value) {
    return Expr::binary(Op::eq, Expr::load(slot), Expr::constant(value));
  };
  const auto move = [](LocationId to) { return Assignment{.slot = 0, .value = Expr::constant(to)}; };
  system.actions.push_back({.label = "set",
                            .participants = {{.component = 0}},
                            .effects = {move(0), {.slot = 1, .value = Expr::constant(5)}}});
  system.actions.push_back(
      {.label = "go", .participants = {{.component = 0, .to = 1, .guard = is(1, 0)}}, .effects = {move(1)}});
  system.actions.push_back(
      {.label = "index",
       .participants = {{.component = 0, .from = 1, .to = 1}},
       .effects = {move(1), {.slot = 2, .length = 2, .index = Expr::load(1), .value = Expr::constant(1)}}});
  complete(system);
  EXPECT_FALSE(por::Relations(system, ErrorSemantics::stop, {}).footprint(2).may_fail);
  system.actions.push_back({.label = "jump",
                            .participants = {{.component = 0, .from = any_location, .to = any_location}},
                            .guard = is(0, 0),
                            .effects = {move(1)}});
  complete(system);
  EXPECT_TRUE(por::Relations(system, ErrorSemantics::stop, {}).footprint(2).may_fail);
}

// Relations of many actions, and samples of states in which many are enabled, take seconds.
TEST(Reduction, EndsWhereALimitDoes) {
  const std::atomic<bool> interrupted = true;
  for (const int processes : {2, 200}) {
    const Model model = read_model(
        {"m.dve",
         fmt::format("byte g;\nprocess P[i < {}] {{ state s, t; init s; trans s -> t {{ effect g = i; }}, "
                     "t -> s {{ guard g == i; }}; }}\nsystem async;\n",
                     processes)});
    Budget budget(Budget::Limits{.interrupted = &interrupted});
    EXPECT_THROW(
        por::StubbornSets::make(model.system, ErrorSemantics::stop, {}, por::Method::stubborn, &budget),
        LimitReached)
        << processes;
    EXPECT_EQ(budget.reason(), "interrupted");
  }
  const Model model = read_model({"m.dve",
                                  "byte g;\nprocess P[i < 200] { state s; init s; trans s -> s { effect "
                                  "g = i; }; }\nsystem async;\n"});
  Budget budget(Budget::Limits{.interrupted = &interrupted});
  EXPECT_THROW(por::Relations(model.system, ErrorSemantics::stop, {}, &budget), LimitReached);
}

}  // namespace
}  // namespace tideline
