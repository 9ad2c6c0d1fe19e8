// Properties of what happens, and end states, by all kinds of engines against the meaning on an explicit graph.
#include "checking/watched_actions.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <random>

#include "bind/bind.hpp"
#include "checking/check.hpp"
#include "checking/trace_review.hpp"
#include "graph/sccs.hpp"
#include "logic/step_atoms.hpp"
#include "logic/translate.hpp"
#include "model/labels.hpp"
#include "report/answer.hpp"
#include "testing/ctl.hpp"

namespace tideline {
namespace {

class RandomModel {
 public:
  explicit RandomModel(std::uint64_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_);
  }
  std::string one_of(const std::vector<std::string>& list) {
    return list[below(static_cast<std::uint32_t>(list.size()))];
  }

  /// Two processes that share a variable and a channel. Nothing in it fails.
  std::string text() {
    std::string result = "byte a;\nchannel r;\n";
    for (int p = 0; p < 2; ++p) {
      result += fmt::format("process P{} {{ state s0, s1, s2; init s0;", p);
      if (below(3) == 0) result += fmt::format(" end s{};", below(3));
      result += " trans";
      const std::uint32_t count = 2 + below(4);
      for (std::uint32_t t = 0; t < count; ++t) {
        result += fmt::format("{} s{} -> s{} {{", t == 0 ? "" : ",", below(3), below(3));
        if (below(2) == 0) result += fmt::format(" guard a == {};", below(2));
        if (below(4) == 0) result += fmt::format(" sync r{};", p == 0 ? '!' : '?');
        if (below(2) == 0) result += fmt::format(" effect a = {};", below(2));
        result += " }";
      }
      result += "; }\n";
    }
    return result + "system async;\n";
  }

  std::string actions() {
    return one_of({"P0: *", "P1: s0 -> *", "*s1 -> s2*", "P0: s0 -> s1", "*", "r", "P1*"});
  }

  std::string temporal(int size) {
    if (size <= 0) return one_of({"p", "q"});
    if (below(2) == 0)
      return fmt::format("{}({})", one_of({"!", "F ", "G ", "G F ", "X "}), temporal(size - 1));
    const int left = static_cast<int>(below(static_cast<std::uint32_t>(size)));
    const std::string first = temporal(left);
    return fmt::format("({}) {} ({})", first, one_of({"&&", "||", "->", "U", "R", "W"}),
                       temporal(size - 1 - left));
  }

  std::string branching() {
    return one_of({"EF p", "AF p", "AG (p -> AF q)", "E(p U q)", "AG EF p", "EG !p", "A(!p U q)", "EX p",
                   "AX (p || q)", "AG (p -> EX q)", "AF (p && EX q)"});
  }

 private:
  std::mt19937_64 random_;
};

/// A formula over p and q with other atoms for them.
std::string with_atoms(std::string formula, const std::string& p, const std::string& q) {
  std::string result;
  for (const char c : formula) result += c == 'p' ? p : c == 'q' ? q : std::string(1, c);
  return result;
}

/// States with what led to them: what p and q mean, by definition.
class StepGraph {
 public:
  StepGraph(const System& system, const std::string& p, const std::string& q, bool deadlocks_go_on)
      : reference_(system), deadlocks_go_on_(deadlocks_go_on) {
    for (const std::string& atom : {p, q}) {
      Meaning& meaning = meanings_.emplace_back();
      if (is_step_atom(atom))
        meaning.actions = actions_named(system, step_pattern(atom));
      else
        meaning.state = parse_expression(system, atom, "test");
    }
    number({system.initial, no_action});
    for (std::size_t i = 0; i < nodes_.size(); ++i) expand(static_cast<std::uint32_t>(i));
  }

  testing::Structure structure() const { return {next_, labels_}; }

  /// Whether some run satisfies the formula over p and q: the product with its automaton has an accepting cycle.
  bool has_run(const std::string& formula) const {
    LtlPool pool;
    const Automaton automaton =
        translate(pool, parse_ltl(pool, {"test", formula}), {.kind = AutomatonKind::generalised});
    const auto states = automaton.states;
    struct Target {
      std::uint32_t node;
      std::uint32_t marks;
    };
    std::vector<std::uint64_t> first{0};
    std::vector<Target> edges;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      std::uint64_t letter = 0;
      for (std::size_t i = 0; i < automaton.atoms.size(); ++i)
        if ((labels_[n] >> (automaton.atoms[i] == "p" ? 0 : 1)) & 1) letter |= std::uint64_t{1} << i;
      for (std::uint32_t s = 0; s < states; ++s) {
        for (const AutomatonEdge& edge : automaton.edges)
          if (edge.from == s && edge.label.matches(letter))
            for (const std::uint32_t to : next_[n]) edges.push_back({to * states + edge.to, edge.marks});
        first.push_back(edges.size());
      }
    }
    const auto count = static_cast<std::uint32_t>(nodes_.size()) * states;
    std::vector<bool> reached(count);
    std::vector<std::uint32_t> open{automaton.initial};
    reached[automaton.initial] = true;
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (std::uint64_t e = first[at]; e < first[at + 1]; ++e)
        if (!reached[edges[e].node]) {
          reached[edges[e].node] = true;
          open.push_back(edges[e].node);
        }
    }
    const auto scc = sccs(count, first, edges, [] { return true; });
    std::map<std::uint32_t, std::pair<std::uint32_t, bool>> marks;  // by SCC, and whether it has an edge
    for (std::uint32_t n = 0; n < count; ++n)
      for (std::uint64_t e = first[n]; e < first[n + 1]; ++e)
        if (reached[n] && scc[n] == scc[edges[e].node]) {
          marks[scc[n]].first |= edges[e].marks;
          marks[scc[n]].second = true;
        }
    return std::ranges::any_of(marks, [&](const auto& entry) {
      return entry.second.second && entry.second.first == automaton.all_marks();
    });
  }

 private:
  struct Meaning {
    std::vector<ActionId> actions = {};
    std::optional<Expr> state = {};
  };
  using Node = std::pair<Values, std::uint64_t>;  // the state, and whether p and q are about the step to it

  std::uint32_t number(const std::pair<Values, ActionId>& reached) {
    std::uint64_t label = 0;
    for (std::size_t i = 0; i < meanings_.size(); ++i) {
      const bool truth = meanings_[i].state
                             ? reference_.evaluate(*meanings_[i].state, reached.first).value != 0
                             : std::ranges::binary_search(meanings_[i].actions, reached.second);
      if (truth) label |= std::uint64_t{1} << i;
    }
    const auto [entry, is_new] = numbers_.emplace(Node{reached.first, label}, nodes_.size());
    if (is_new) {
      nodes_.push_back(entry->first);
      labels_.push_back(label);
      next_.emplace_back();
    }
    return entry->second;
  }

  void expand(std::uint32_t n) {
    const Values state = nodes_[n].first;
    const std::vector<ActionId> enabled = reference_.enabled(state);
    std::vector<std::uint32_t> next;
    for (const ActionId action : enabled)
      next.push_back(number({reference_.fire(action, state).state, action}));
    if (enabled.empty() && deadlocks_go_on_) next.push_back(number({state, no_action}));
    next_[n] = std::move(next);
  }

  Reference reference_;
  bool deadlocks_go_on_;
  std::vector<Meaning> meanings_;
  std::map<Node, std::uint32_t> numbers_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> labels_;
  std::vector<std::vector<std::uint32_t>> next_;
};

/// The answer of an engine. A run is shown to replay on the model, and to prove its claim when it is watched again.
Verdict answer_of(const Model& model, Property property, const std::string& engine, por::Method reduction) {
  std::vector<Property> properties{property};
  const std::optional<Model> watched = watch_actions(model, ErrorSemantics::stop, properties);
  const Model& searched = watched ? *watched : model;
  Settings settings;
  settings.engine = find_engine(engine);
  settings.reduction = reduction;
  Check check(searched, properties, settings);
  Budget budget;
  check.run({}, budget);
  Outcome outcome = check.result().outcome;
  std::vector<std::optional<Trace>> traces =
      replay_all(searched.system, ErrorSemantics::stop, outcome.results, budget);
  const PropertyResult& result = outcome.results.front();
  if (traces.front() && watched) {
    Trace run = *traces.front();
    forget_monitors(model.system, run);
    const Trace again = with_monitors(searched.system, run);
    EXPECT_EQ(missing_proof(searched.system, ErrorSemantics::stop, result.property, again, result.verdict),
              std::nullopt);
    const TraceHeader header{.model = "m.dve",
                             .property = property.name,
                             .kind = std::string(to_string(property.kind)),
                             .formula = result.property.formula,
                             .verdict = std::string(to_string(result.verdict))};
    const TraceReview review = review_trace(model, read_itf(to_itf(model.system, run, header), "run.json"));
    EXPECT_TRUE(review.passes()) << review_text(review);
  }
  return result.verdict;
}

TEST(WatchedActions, LtlIsAboutStepsJustTaken) {
  int violated = 0, held = 0;
  for (std::uint64_t seed = 1; seed <= 250 && !HasFailure(); ++seed) {
    RandomModel random(seed);
    const std::string text = random.text();
    const Model model = read_model({"m.dve", text});
    const std::string p = fmt::format("act({})", random.actions());
    const std::string q = random.below(2) == 0 ? "P0.s1" : fmt::format("act({})", random.actions());
    const bool known = !actions_named(model.system, step_pattern(p)).empty() &&
                       (!is_step_atom(q) || !actions_named(model.system, step_pattern(q)).empty());
    if (!known) continue;
    const std::string shape = random.temporal(3);
    const bool expected = !StepGraph(model.system, p, q, true).has_run(fmt::format("!({})", shape));
    const std::string formula = with_atoms(shape, p, q);
    SCOPED_TRACE(fmt::format("{}\n{} with seed {}", text, formula, seed));
    const Property property{.name = "f", .kind = PropertyKind::ltl, .formula = formula, .origin = "test"};
    ++(expected ? held : violated);
    const std::string other = random.one_of({"ndfs", "owcty-map", "sweep", "symbolic", "cndfs"});
    for (const std::string& engine : {std::string("scc"), other})
      EXPECT_EQ(answer_of(model, property, engine, por::Method::none) == Verdict::holds, expected) << engine;
    EXPECT_EQ(answer_of(model, property, "scc", por::Method::stubborn) == Verdict::holds, expected) << "por";
  }
  EXPECT_GT(violated, 50);
  EXPECT_GT(held, 30);
}

TEST(WatchedActions, CtlIsAboutTheStepThatLedHere) {
  int violated = 0, held = 0;
  for (std::uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    RandomModel random(seed);
    const std::string text = random.text();
    const Model model = read_model({"m.dve", text});
    const std::string p = fmt::format("act({})", random.actions()), q = "P0.s1";
    if (actions_named(model.system, step_pattern(p)).empty()) continue;
    const std::string shape = random.branching();
    CtlPool pool;
    const Ctl f = parse_ctl(pool, {"test", shape});
    const testing::Structure structure = StepGraph(model.system, p, q, false).structure();
    const std::vector<std::string> names{"p", "q"};
    const bool expected = testing::CtlMeaning(pool, structure, names, DeadlockPaths::stutter).of(f)[0];
    const std::string formula = with_atoms(shape, p, q);
    SCOPED_TRACE(fmt::format("{}\n{} with seed {}", text, formula, seed));
    const Property property{.name = "f", .kind = PropertyKind::ctl, .formula = formula, .origin = "test"};
    ++(expected ? held : violated);
    for (const char* engine : {"ctl", "symbolic", "sweep"})
      EXPECT_EQ(answer_of(model, property, engine, por::Method::none) == Verdict::holds, expected) << engine;
  }
  EXPECT_GT(violated, 30);
  EXPECT_GT(held, 30);
}

TEST(WatchedActions, ADeadlockTakesNoStep) {
  const Model model =
      read_model({"m.dve", "process P { state s, t; init s; trans s -> t { }; } system async;"});
  const auto holds = [&](PropertyKind kind, const std::string& formula) {
    const Property property{.name = "f", .kind = kind, .formula = formula, .origin = "test"};
    return answer_of(model, property, "auto", por::Method::none) == Verdict::holds;
  };
  EXPECT_TRUE(holds(PropertyKind::ltl, "F act(P: s -> t)"));
  EXPECT_FALSE(holds(PropertyKind::ltl, "act(P: s -> t)"));
  EXPECT_TRUE(holds(PropertyKind::ltl, "X act(P: s -> t)"));
  EXPECT_FALSE(holds(PropertyKind::ltl, "GF act(P: s -> t)"));
  // A state of CTL has been reached by its step, however often a deadlock repeats it.
  EXPECT_TRUE(holds(PropertyKind::ctl, "AX AG act(P: s -> t)"));
}

TEST(WatchedActions, ReductionIsStillPossible) {
  const Model model = read_model({"m.dve", R"(
    process P { byte n; state s; init s; trans s -> s { guard n < 9; effect n = n + 1; }; }
    process Q { byte n; state s; init s; trans s -> s { guard n < 9; effect n = n + 1; }; }
    process R { state s, t; init s; trans s -> t { }; }
    system async;)"});
  std::vector<Property> properties{
      {.name = "f", .kind = PropertyKind::ltl, .formula = "F act(R: s -> t)", .origin = "test"}};
  const auto watched = watch_actions(model, ErrorSemantics::stop, properties);
  const auto states = [&](por::Method method) {
    Settings settings;
    settings.engine = find_engine("scc");
    settings.reduction = method;
    Check check(*watched, properties, settings);
    Budget budget;
    check.run({}, budget);
    EXPECT_EQ(check.result().outcome.results.front().verdict, Verdict::holds);
    for (const auto& [stat, value] : check.result().outcome.statistics.entries())
      if (stat->name == std::string_view("product_states")) return std::get<std::uint64_t>(value);
    return std::uint64_t{0};
  };
  EXPECT_LT(states(por::Method::stubborn) * 2, states(por::Method::none));
}

TEST(WatchedActions, UnknownActionsAreErrorsInTheFormula) {
  const Model model =
      read_model({"m.dve", "process P { state s, t; init s; trans s -> t { }; } system async;"});
  std::vector<Property> properties{
      {.name = "f", .kind = PropertyKind::ltl, .formula = "G !act(P: s -> s)", .origin = "--ltl"}};
  try {
    watch_actions(model, ErrorSemantics::stop, properties);
    FAIL();
  } catch (const Error& error) {
    const Diagnostic& d = error.diagnostics()[0];
    EXPECT_EQ(d.message, "the model has no action 'P: s -> s'; did you mean 'P: s -> t'?");
    EXPECT_EQ(d.where, (SourcePoint{1, 4}));
  }
  properties[0].formula = "F act(*)";
  EXPECT_THROW(watch_actions(model, ErrorSemantics::error_state, properties), Error);
  properties[0].formula = "F P.t";
  EXPECT_FALSE(watch_actions(model, ErrorSemantics::stop, properties));
}

TEST(EndStates, AreNotDeadlocks) {
  int violated = 0, ends = 0;
  for (std::uint64_t seed = 1; seed <= 200 && !HasFailure(); ++seed) {
    RandomModel random(seed);
    const std::string text = random.text();
    SCOPED_TRACE(text);
    const Model model = read_model({"m.dve", text});
    const Reference reference(model.system);
    bool expected = true;
    std::map<Values, bool> seen{{model.system.initial, true}};
    std::vector<Values> open{model.system.initial};
    while (!open.empty()) {
      const Values state = open.back();
      open.pop_back();
      const auto enabled = reference.enabled(state);
      const bool may_end =
          model.system.may_end && reference.evaluate(*model.system.may_end, state).value != 0;
      if (enabled.empty() && !may_end) expected = false;
      if (enabled.empty() && may_end) ++ends;
      for (const ActionId action : enabled) {
        const Values next = reference.fire(action, state).state;
        if (seen.emplace(next, true).second) open.push_back(next);
      }
    }
    violated += expected ? 0 : 1;
    const Property property{.name = "d", .kind = PropertyKind::deadlock, .formula = ""};
    for (const char* engine : {"bfs", "dfs", "symbolic", "sweep"})
      EXPECT_EQ(answer_of(model, property, engine, por::Method::none) == Verdict::holds, expected) << engine;
    EXPECT_EQ(answer_of(model, property, "bfs", por::Method::stubborn) == Verdict::holds, expected) << "por";
  }
  EXPECT_GT(violated, 20);
  EXPECT_GT(ends, 10);
}

}  // namespace
}  // namespace tideline
