// Local graphs against runs of the system: whatever it does to the slots of a group is in the graph. Orders
// of local graphs against reachability.
#include "progress/local_graph.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <set>

#include "lang/lang.hpp"
#include "progress/composition.hpp"
#include "progress/local_order.hpp"
#include "testing/random_system.hpp"
#include "testing/skip_case.hpp"

namespace tideline {
namespace {

using State = LocalGraph::State;

Values projected(const Values& state, const std::vector<SlotId>& slots) {
  Values values;
  for (const SlotId slot : slots) values.push_back(state[slot]);
  return values;
}

std::map<Values, State> numbers_of(const LocalGraph& graph) {
  std::map<Values, State> numbers;
  for (State state = 0; state < graph.size(); ++state)
    numbers.emplace(Values(graph.state(state).begin(), graph.state(state).end()), state);
  return numbers;
}

/// Follows the system for some steps; the number of those that changed the group.
std::size_t require_walk(const System& system, const LocalGraph& graph, ErrorSemantics errors,
                         std::mt19937_64& random) {
  const Reference reference(system, errors);
  const auto numbers = numbers_of(graph);
  Values state = system.initial;
  std::size_t changes = 0;
  for (int step = 0; step < 40; ++step) {
    std::vector<std::pair<ActionId, Values>> moves;
    for (const ActionId action : reference.enabled(state)) {
      const auto fired = reference.fire(action, state);
      if (fired.error.kind == ModelErrorKind::none || errors == ErrorSemantics::error_state)
        moves.emplace_back(action, fired.state);
    }
    if (moves.empty()) break;
    const State from = numbers.at(projected(state, graph.slots));
    for (const auto& [action, next] : moves) {
      const auto to = numbers.find(projected(next, graph.slots));
      if (to == numbers.end()) {
        ADD_FAILURE() << "a local state is missing";
        return changes;
      }
      if (to->second == from) continue;
      ++changes;
      const auto edges = graph.edges_of(from);
      EXPECT_TRUE(std::ranges::find(edges, LocalGraph::Edge{to->second, action}) != edges.end());
    }
    state = moves[std::uniform_int_distribution<std::size_t>(0, moves.size() - 1)(random)].second;
  }
  return changes;
}

/// The number of steps that changed a group of slots.
std::size_t require_all_steps(std::uint64_t seed) {
  const System system = RandomSystem(seed).take();
  std::mt19937_64 random(seed);
  std::size_t changes = 0;
  std::vector<SlotId> slots;
  for (SlotId slot = 0; slot < system.slots.size(); ++slot)
    if (system.slots[slot].range.high <= 255 && random() % 4 == 0) slots.push_back(slot);
  if (slots.empty()) slots.push_back(0);
  for (const auto errors : {ErrorSemantics::stop, ErrorSemantics::error_state}) {
    const auto graph = local_graph(system, slots, {.errors = errors, .most_states = 300});
    if (test::skip_case(!graph)) continue;
    for (int walk = 0; walk < 10; ++walk) changes += require_walk(system, *graph, errors, random);
  }
  return changes;
}

TEST(LocalGraphs, HaveAllThatTheSystemDoes) {
  std::size_t changes = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    changes += require_all_steps(seed);
    if (HasFailure()) return;
  }
  EXPECT_GT(changes, 1000u);
}

System dve_system(const std::string& text) {
  return read_model({"test.dve", text}).system;
}

LocalGraph local_graph_of(const System& system, const std::vector<std::string>& names) {
  std::vector<SlotId> slots;
  for (const std::string& name : names) slots.push_back(system.find_slot(name).value());
  return local_graph(system, slots, {}).value();
}

std::set<std::pair<Values, Values>> edges_of(const LocalGraph& graph) {
  std::set<std::pair<Values, Values>> edges;
  const auto values = [&](State state) {
    return Values(graph.state(state).begin(), graph.state(state).end());
  };
  for (State state = 0; state < graph.size(); ++state)
    for (const auto& edge : graph.edges_of(state)) edges.emplace(values(state), values(edge.to));
  return edges;
}

const std::string clock_text = R"(byte x, other;
process P { byte n; state a, b, c; init a;
  trans a -> b { guard n < 2; effect n = n + 1; }, b -> a { guard other == 1; },
        a -> c { guard n == 2 && x == 0; effect x = 3; }; }
process Q { state q; init q; trans q -> q { guard x == 3; effect other = other % 2 + 1; }; }
system async;
)";

TEST(LocalGraphs, OfALocationAreControlGraphs) {
  using Edges = std::set<std::pair<Values, Values>>;
  const System system = dve_system(clock_text);
  EXPECT_EQ(edges_of(local_graph_of(system, {"P"})), (Edges{{{0}, {1}}, {{1}, {0}}, {{0}, {2}}}));
  EXPECT_EQ(edges_of(local_graph_of(system, {"P.n"})), (Edges{{{0}, {1}}, {{1}, {2}}}));
  EXPECT_EQ(edges_of(local_graph_of(system, {"x"})), (Edges{{{0}, {3}}}));
  EXPECT_EQ(edges_of(local_graph_of(system, {"other"})), (Edges{{{0}, {1}}, {{1}, {2}}, {{2}, {1}}}));
  EXPECT_EQ(
      edges_of(local_graph_of(system, {"P", "P.n"})),
      (Edges{{{0, 0}, {1, 1}}, {{1, 1}, {0, 1}}, {{0, 1}, {1, 2}}, {{1, 2}, {0, 2}}, {{0, 2}, {2, 2}}}));
}

TEST(LocalGraphs, HaveLimits) {
  const System system = dve_system(clock_text);
  const SlotId slot = system.find_slot("P").value();
  EXPECT_TRUE(local_graph(system, {slot}, {.most_states = 3}));
  EXPECT_FALSE(local_graph(system, {slot}, {.most_states = 2}));
  EXPECT_FALSE(local_graph(system, {slot}, {.most_edges = 2}));
}

TEST(Composition, OnlyFirstTermsAreClaimed) {
  const System system = dve_system(clock_text);
  const Locals locals = local_measures(system, ErrorSemantics::stop);
  const auto local = [&](const char* name) {
    return *std::ranges::find(locals.measures, *system.find_slot(name), &LocalMeasure::slot);
  };
  const MeasureTerm n = scc_term(system, local("P.n")), x = scc_term(system, local("x"));
  const MeasureTerm other = tree_term(system, local("other"));
  EXPECT_TRUE(n.monotone && x.monotone && !other.monotone);
  EXPECT_EQ(with_claims(system, {system, {n, other, x}}, locals).monotone_terms(), 1U);
  EXPECT_FALSE(with_claims(system, {system, {n, other, x}}, locals).terms()[2].monotone);
  const auto plain = [&](const char* name) { return slot_term(system, *system.find_slot(name)); };
  // What was known of a term after one that claimed nothing is found again.
  EXPECT_EQ(with_claims(system, {system, {plain("x"), n, other}}, locals).monotone_terms(), 2U);
  const Measure claimed = with_claims(system, {system, {plain("x"), plain("P.n"), plain("other")}}, locals);
  EXPECT_EQ(claimed.text(), "monotone x, monotone P.n, other");
  EXPECT_EQ(with_claims(system, {system, {reversed_term(system, *system.find_slot("x"))}}, locals).text(),
            "-x");
  // P goes round, but only while n counts; what a group shows counts like what a slot shows.
  EXPECT_EQ(
      with_claims(system, {system, {plain("P.n"), reversed_term(system, *system.find_slot("P"))}}, locals)
          .text(),
      "monotone P.n, -P");
  const MeasureTerm round = slot_term(system, *system.find_slot("P"), {{1}, {0}, {2}});
  EXPECT_EQ(with_claims(system, {system, {plain("P.n"), round}}, locals).text(),
            "monotone P.n, monotone P {b < a < c}");
  EXPECT_EQ(with_claims(system, {system, {round, plain("P.n")}}, locals).monotone_terms(), 0U);
  // A sum is monotone when all parts are.
  EXPECT_TRUE(with_claims(system, {system, {sum_term(system, {n, x})}}, locals).claimed_monotone());
  EXPECT_FALSE(with_claims(system, {system, {sum_term(system, {n, other})}}, locals).claimed_monotone());
  const Measure composed = composed_measure(system, locals, 56);
  EXPECT_EQ(
      composed.text(),
      "monotone P {a = b < c}, monotone x {0 < 3}, monotone other {0 < 1 = 2}, monotone P.n {0 < 1 < 2}, "
      "P, other {0 < 1 < 2}");
}

TEST(Composition, GroupsOfProcessesWithTheirVariables) {
  const System system = dve_system(clock_text);
  const Locals locals = local_measures(system, ErrorSemantics::stop);
  const std::vector<MeasureTerm> terms = group_terms(system, locals);
  ASSERT_EQ(terms.size(), 1U);  // Q has one location, and n counts whenever P comes round
  EXPECT_EQ(terms[0].text,
            "(P, x, P.n) {(a, 0, 0) < (b, 0, 1) < (a, 0, 1) < (b, 0, 2) < (a, 0, 2) < (c, 3, 2)}");
  EXPECT_TRUE(terms[0].monotone);
  MeasureTerm unclaimed = terms[0];
  unclaimed.monotone = false;
  EXPECT_TRUE(with_claims(system, {system, {unclaimed}}, locals).claimed_monotone());
  std::swap(unclaimed.summands[0].order[1], unclaimed.summands[0].order[2]);
  EXPECT_FALSE(with_claims(system, {system, {unclaimed}}, locals).claimed_monotone());
  const MeasureTerm last = group_term(system, {*system.find_slot("P"), *system.find_slot("P.n")},
                                      {{1, 2}});  // whatever is not named comes last
  EXPECT_FALSE(with_claims(system, {system, {last}}, locals).claimed_monotone());
}

// --- Orders -----------------------------------------------------------------------------------------------

TEST(LocalGraphs, LargeExpressionsCountAsSeveralSteps) {
  const auto steps = [](int conditions) {
    std::string guard = "other > 0";
    for (int i = 0; i < conditions; ++i) guard += " || other == " + std::to_string(i);
    const System system = dve_system("byte x, other;\nprocess P { state a; init a; trans a -> a { guard " +
                                     guard + "; effect x = (x + 1) % 9, other = x; }; }\nsystem async;");
    LocalGraphs graphs(system, {});
    EXPECT_TRUE(graphs.of({system.find_slot("x").value()}));
    return graphs.steps();
  };
  EXPECT_GT(steps(100), 4 * steps(1));
}

/// All of it can be reached from state 0, as in every local graph.
LocalGraph arbitrary_graph() {
  const auto count = *rc::gen::inRange<State>(1, 12);
  std::vector<std::vector<LocalGraph::Edge>> edges(count);
  for (State to = 1; to < count; ++to)
    edges[*rc::gen::resize(1000, rc::gen::inRange<State>(0, to))].push_back({to, to % 3});
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    const auto state = rc::gen::resize(1000, rc::gen::inRange<State>(0, count));
    const State from = *state;
    edges[from].push_back({*state, 3});
  }
  LocalGraph graph{.slots = {0}};
  for (State state = 0; state < count; ++state) {
    graph.values.push_back(static_cast<std::int32_t>(state));
    graph.edges.insert(graph.edges.end(), edges[state].begin(), edges[state].end());
    graph.first_edge.push_back(static_cast<std::uint32_t>(graph.edges.size()));
  }
  return graph;
}

std::vector<std::vector<bool>> reachability(const LocalGraph& graph) {
  std::vector reached(graph.size(), std::vector<bool>(graph.size()));
  for (State from = 0; from < graph.size(); ++from) {
    std::vector<State> open{from};
    reached[from][from] = true;
    while (!open.empty()) {
      const State state = open.back();
      open.pop_back();
      for (const auto& edge : graph.edges_of(state))
        if (!reached[from][edge.to]) {
          reached[from][edge.to] = true;
          open.push_back(edge.to);
        }
    }
  }
  return reached;
}

RC_GTEST_PROP(LocalOrders, SccsAreTheFinestOrderWithoutRegress, ()) {
  const LocalGraph graph = arbitrary_graph();
  const ValueOrder order = scc_order(graph);
  const auto reached = reachability(graph);
  for (State a = 0; a < graph.size(); ++a)
    for (State b = 0; b < graph.size(); ++b) {
      RC_ASSERT((order.place[a] == order.place[b]) == (reached[a][b] && reached[b][a]));
      if (reached[a][b]) RC_ASSERT(order.place[a] <= order.place[b]);
    }
  RC_ASSERT(std::set(order.place.begin(), order.place.end()).size() == order.places);
  RC_ASSERT(regressing_actions(graph, order).empty());
}

RC_GTEST_PROP(LocalOrders, TreesRefineSccs, ()) {
  const LocalGraph graph = arbitrary_graph();
  const ValueOrder sccs = scc_order(graph), tree = tree_order(graph);
  const auto reached = reachability(graph);
  RC_ASSERT(tree.places == graph.size());
  RC_ASSERT(std::set(tree.place.begin(), tree.place.end()).size() == graph.size());
  for (State a = 0; a < graph.size(); ++a)
    for (State b = 0; b < graph.size(); ++b)
      if (sccs.place[a] < sccs.place[b]) RC_ASSERT(tree.place[a] < tree.place[b]);
  // What regresses leads to a state from where its source can be reached over states between them, so that
  // without it the graph has no cycle, and every state can still be reached.
  std::set<ActionId> regressing;
  std::vector<bool> found(graph.size());
  found[0] = true;
  for (std::size_t round = 0; round < graph.size(); ++round)
    for (State state = 0; state < graph.size(); ++state)
      for (const auto& [to, action] : graph.edges_of(state)) {
        if (tree.place[to] < tree.place[state]) {
          RC_ASSERT(reached[to][state]);
          regressing.insert(action);
        } else if (found[state]) {
          found[to] = true;
        }
      }
  RC_ASSERT(std::ranges::all_of(found, [](bool b) { return b; }));
  RC_ASSERT(regressing_actions(graph, tree) == std::vector<ActionId>(regressing.begin(), regressing.end()));
}

TEST(LocalGraphs, EndWithTheBudget) {
  const System system = read_model({"counter.dve",
                                    "byte x;\nprocess P { state s; init s; trans s -> s { guard x < 200; "
                                    "effect x = x + 1; }, s -> s { guard x > 0; effect x = x - 1; }; }\n"
                                    "system async;\n"})
                            .system;
  EXPECT_FALSE(local_measures(system, ErrorSemantics::stop).measures.empty());
  const std::atomic<bool> interrupted = true;
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  EXPECT_THROW(local_measures(system, ErrorSemantics::stop, &budget), LimitReached);
}

}  // namespace
}  // namespace tideline
