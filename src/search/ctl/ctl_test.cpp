// CTL by labelling against plain fixed points on random graphs, and the runs that go with verdicts.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <random>

#include "search/ctl/labelling.hpp"
#include "search/ctl/run.hpp"
#include "testing/ctl_systems.hpp"
#include "testing/explicit_graph.hpp"
#include "trace/replay.hpp"

namespace tideline {
namespace {

using namespace test;
using testing::CtlMeaning;
using testing::random_ctl;

/// Atom i is true in the nodes whose label has bit i.
std::vector<NodePredicate> predicates_for(const CtlFormula& formula,
                                          const std::vector<std::uint64_t>& labels) {
  std::vector<NodePredicate> predicates;
  for (const std::string& name : formula.atom_names) {
    const std::uint64_t bit = name == names[0] ? 0 : 1;
    predicates.push_back({[&labels, bit](std::uint32_t n, ModelErrorKind&) { return labels[n] >> bit & 1; }});
  }
  return predicates;
}

/// A random graph with labels, as engines and as the oracle see it.
struct Case {
  ExplicitGraph graph;
  Structure structure;
};

Case arbitrary_case(bool errors) {
  Case result{arbitrary_graph(), {}};
  for (auto& out : result.graph.edges) {
    if (!errors)
      for (auto& edge : out) edge.fails = false;
    auto& next = result.structure.next.emplace_back();
    for (const auto& edge : out)
      if (!edge.fails) next.push_back(edge.target);
    result.structure.labels.push_back(pick<std::uint64_t>(0, 4));
  }
  return result;
}

/// Formulas that are not simplified, too: the core must work without that.
CtlFormula core_for(CtlPool& pool, Ctl f, DeadlockPaths paths) {
  return ctl_core(pool, pick(0, 2) == 1 ? simplify(pool, f, paths) : f);
}

RC_GTEST_PROP(CtlLabelling, AgreesWithFixedPoints, ()) {
  const Case c = arbitrary_case(false);
  const auto reachable = c.graph.distances();
  for (int i = 0; i < 10; ++i) {
    const DeadlockPaths paths = arbitrary_paths();
    CtlPool pool;
    const Ctl f = random_ctl(pool, pick(1, 7), names);
    const CtlFormula core = core_for(pool, f, paths);
    const auto labelled =
        ctl_labels(c.graph, predicates_for(core, c.structure.labels), core, paths, pick(1u, 5u));
    const auto expected = CtlMeaning(pool, c.structure, names, paths).of(f);
    RC_ASSERT(labelled.graph.size() == reachable.size());
    for (const auto& [node, distance] : reachable)
      RC_ASSERT(labelled.in(ExplicitGraph::pack(node).data()) ==
                (expected[node] ? Verdict::holds : Verdict::violated));
    bool all = true;
    for (const std::uint32_t node : c.graph.initial_nodes) all = all && expected[node];
    RC_ASSERT(labelled.verdict() == (all ? Verdict::holds : Verdict::violated));
  }
}

/// Whatever an action with an error would do, what is reported as certain stays true.
RC_GTEST_PROP(CtlLabelling, WhatFollowsAModelErrorIsLeftOpen, ()) {
  const Case c = arbitrary_case(true);
  const DeadlockPaths paths = arbitrary_paths();
  CtlPool pool;
  const Ctl f = random_ctl(pool, pick(1, 6), names);
  const CtlFormula core = core_for(pool, f, paths);
  const auto labelled =
      ctl_labels(c.graph, predicates_for(core, c.structure.labels), core, paths, pick(1u, 5u));
  for (int i = 0; i < 3; ++i) {
    // Errors lead into a random structure that is put beside the graph.
    Structure completed = c.structure;
    const auto offset = static_cast<std::uint32_t>(completed.next.size());
    const Structure beyond = testing::random_structure(5, names.size());
    for (std::size_t s = 0; s < beyond.next.size(); ++s) {
      auto& next = completed.next.emplace_back();
      for (const std::uint32_t to : beyond.next[s]) next.push_back(offset + to);
      completed.labels.push_back(beyond.labels[s]);
    }
    for (std::size_t n = 0; n < c.graph.edges.size(); ++n)
      for (const auto& edge : c.graph.edges[n])
        if (edge.fails)
          completed.next[n].push_back(offset +
                                      pick<std::uint32_t>(0, static_cast<std::uint32_t>(beyond.next.size())));
    const auto meaning = CtlMeaning(pool, completed, names, paths).of(f);
    for (const auto& [node, distance] : c.graph.distances()) {
      const Verdict verdict = labelled.in(ExplicitGraph::pack(node).data());
      RC_ASSERT(verdict == Verdict::unknown || (verdict == Verdict::holds) == meaning[node]);
    }
  }
}

// A tree with random edges back into it, some deadlocks and some errors: large enough that threads share the
// levels of every operator.
TEST(CtlLabelling, DoesNotDependOnThreads) {
  constexpr std::uint32_t nodes = 40'000;
  std::minstd_rand random(7);
  ExplicitGraph graph;
  graph.initial_nodes = {0};
  graph.edges.resize(nodes);
  std::vector<std::uint64_t> labels(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    for (const std::uint32_t child : {2 * n + 1, 2 * n + 2})
      if (child < nodes) graph.edges[n].push_back({0, child});
    if (random() % 3 == 0) graph.edges[n].push_back({1, static_cast<std::uint32_t>(random() % nodes)});
    if (random() % 500 == 0) graph.edges[n].push_back({2, 0, true});
    labels[n] = (random() % 8 != 0 ? 1u : 0u) | (random() % 50 == 0 ? 2u : 0u);
  }
  for (const std::string text : {"EF q", "E(p U q)", "EG p", "AX p", "AG EF q", "A(p U (q | EG p))"}) {
    CtlPool pool;
    const CtlFormula core = ctl_core(pool, parse_ctl(pool, {"", text}));
    const auto labelled = [&](unsigned threads) {
      return ctl_labels(graph, predicates_for(core, labels), core, DeadlockPaths::stutter, threads);
    };
    const LabelledGraph one = labelled(1);
    ASSERT_EQ(one.graph.size(), nodes);
    for (const unsigned threads : {2u, 8u}) {
      const LabelledGraph many = labelled(threads);
      EXPECT_EQ(many.graph.size(), nodes);
      EXPECT_EQ(many.graph.transitions(), one.graph.transitions());
      EXPECT_EQ(many.graph.deadlocks(), one.graph.deadlocks());
      std::uint32_t different = 0;
      for (std::uint32_t n = 0; n < nodes; ++n) {
        const auto state = ExplicitGraph::pack(n);
        different += many.in(state.data()) != one.in(state.data());
      }
      EXPECT_EQ(different, 0u) << text << " with " << threads << " threads";
    }
  }
}

TEST(CtlLabelling, WhatDoesNotDependOnAnErrorIsDecided) {
  ExplicitGraph graph;  // 0 -> 1 -> 2, and an action of 1 fails; 2 only fails
  graph.initial_nodes = {0};
  graph.edges = {{{0, 1}}, {{0, 2}, {1, 0, true}}, {{0, 0, true}}};
  const std::vector<std::uint64_t> labels{0, 0, 1};
  const auto verdict = [&](const std::string& text) {
    CtlPool pool;
    const CtlFormula core = ctl_core(pool, parse_ctl(pool, {"", text}));
    return ctl_labels(graph, predicates_for(core, labels), core, DeadlockPaths::stutter).verdict();
  };
  EXPECT_EQ(verdict("EF p"), Verdict::holds);
  EXPECT_EQ(verdict("AG !p"), Verdict::violated);
  EXPECT_EQ(verdict("EF q"), Verdict::unknown);
  EXPECT_EQ(verdict("AF p"), Verdict::unknown);
  EXPECT_EQ(verdict("EG !p"), Verdict::unknown);
  EXPECT_EQ(verdict("AX !p"), Verdict::holds);
  EXPECT_EQ(verdict("AX AX p"), Verdict::unknown);
  EXPECT_EQ(verdict("EX EX EX true"), Verdict::unknown);
  EXPECT_EQ(verdict("E(p U q)"), Verdict::violated);
  EXPECT_EQ(verdict("EX E(p U q)"), Verdict::violated);
  EXPECT_EQ(verdict("EF(p && EX q)"), Verdict::unknown);
  EXPECT_EQ(verdict("EX EG p"), Verdict::violated);
}

TEST(CtlLabelling, OnlyNextDistinguishesTheEndOfARunFromItsRepetition) {
  ExplicitGraph graph;  // 0 -> 1, where it ends
  graph.initial_nodes = {1};
  graph.edges = {{{0, 1}}, {}};
  const std::vector<std::uint64_t> labels{0, 1};
  const auto holds = [&](const std::string& text, DeadlockPaths paths) {
    CtlPool pool;
    const CtlFormula core = ctl_core(pool, parse_ctl(pool, {"", text}));
    return ctl_labels(graph, predicates_for(core, labels), core, paths).verdict() == Verdict::holds;
  };
  for (const DeadlockPaths paths : {DeadlockPaths::stutter, DeadlockPaths::maximal}) {
    const bool repeats = paths == DeadlockPaths::stutter;
    EXPECT_EQ(holds("EX p", paths), repeats);
    EXPECT_EQ(holds("AX q", paths), !repeats);
    EXPECT_TRUE(holds("EG p", paths));
    EXPECT_FALSE(holds("AF q", paths));
    EXPECT_FALSE(holds("AG EF q", paths));
  }
}

TEST(CtlLabelling, TheBudgetEndsIt) {
  std::atomic<bool> interrupted = false;
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  test::ManySteps graph{&interrupted};
  StoredGraph stored(graph.state_size());
  EXPECT_FALSE(stored.build(graph, budget));
  EXPECT_EQ(budget.reason(), "interrupted");
}

// --- runs ------------------------------------------------------------------------------------------------

void check_run(const Structure& structure, const System& system) {
  const DeadlockPaths paths = arbitrary_paths();
  CtlPool pool;
  const Ctl f = random_ctl(pool, pick(1, 7), names);
  Budget budget;
  const Outcome outcome = check_ctl(system, {property_of(structure, pool, f, paths)}, {}, budget);
  const PropertyResult& result = outcome.results[0];
  const bool expected = CtlMeaning(pool, structure, names, paths).of(f)[0];
  RC_ASSERT(result.verdict == (expected ? Verdict::holds : Verdict::violated));
  if (!result.path) return;
  const Trace run =
      replay_proof(system, ErrorSemantics::stop, result.property, result.path(), result.verdict);
  // Without a remark nothing is left to believe, so that the run refutes the other verdict.
  if (!result.reason.empty()) return;
  RC_ASSERT(missing_proof(system, ErrorSemantics::stop, result.property, run,
                          expected ? Verdict::violated : Verdict::holds) ==
            result.property.formula + " is not " + (expected ? "false" : "true") + " on it");
}

/// The verdict is right, every run is one of the system and passes the check that is made before it is shown.
RC_GTEST_PROP(CtlRuns, AreProofsAsFarAsARunCanBe, ()) {
  const Structure structure = testing::random_structure(10, names.size());
  const System system = system_of(structure);
  for (int i = 0; i < 50; ++i) check_run(structure, system);
}

/// 0 -> 1 -> 2 -> 1, 0 -> 3 -> 4, 4 ends. p: 0, 1; q: 2, 3
const Structure ladder{.next = {{1, 3}, {2}, {1}, {4}, {}}, .labels = {1, 1, 2, 2, 0}};

struct Found {
  Verdict verdict = Verdict::unknown;
  std::string run;  ///< "0 1 (2 3)": the loop in parentheses; empty: none
  std::string remark;
  auto operator<=>(const Found&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Found& found) {
  return out << to_string(found.verdict) << " [" << found.run << "] " << found.remark;
}

Found found(const std::string& text, DeadlockPaths paths = DeadlockPaths::stutter,
            const Structure& structure = ladder) {
  CtlPool pool;
  const Property property = property_of(structure, pool, parse_ctl(pool, {"", text}), paths);
  const System system = system_of(structure);
  Budget budget;
  const Outcome outcome = check_ctl(system, {property}, {}, budget);
  const PropertyResult& result = outcome.results[0];
  Found answer{result.verdict, "", result.reason};
  if (!result.path) return answer;
  const Trace run = replay_proof(system, ErrorSemantics::stop, property, result.path(), result.verdict);
  for (std::size_t i = 0; i < run.states.size(); ++i) {
    if (i > 0) answer.run += ' ';
    if (run.loop && *run.loop == i) answer.run += '(';
    answer.run += std::to_string(run.states[i][0]);
  }
  if (run.loop) answer.run += ')';
  return answer;
}

constexpr Verdict holds = Verdict::holds, violated = Verdict::violated;

TEST(CtlRuns, LeadToWhatTheyAreToShow) {
  EXPECT_EQ(found("AG p"), (Found{violated, "0 3", ""}));
  EXPECT_EQ(found("AG(p || q)"), (Found{violated, "0 3 4", ""}));
  EXPECT_EQ(found("EF !p"), (Found{holds, "0 3", ""}));
  EXPECT_EQ(found("E(p U q)"), (Found{holds, "0 3", ""}));
  EXPECT_EQ(found("EX q"), (Found{holds, "0 3", ""}));
  EXPECT_EQ(found("AX p"), (Found{violated, "0 3", ""}));
  EXPECT_EQ(found("q"), (Found{violated, "0", ""}));
  EXPECT_EQ(found("E((q || AX q) U (!p && !q))"), (Found{violated, "", ""}));
}

TEST(CtlRuns, TakeNoShortCut) {
  // 0 -> 1 -> 4, 0 -> 2 -> 3 -> 4: the short way leads over a state without p
  const Structure structure{.next = {{1, 2}, {4}, {3}, {4}, {}}, .labels = {1, 0, 1, 1, 2}};
  EXPECT_EQ(found("E(p U q)", DeadlockPaths::stutter, structure), (Found{holds, "0 2 3 4", ""}));
  EXPECT_EQ(found("E(true U q)", DeadlockPaths::stutter, structure), (Found{holds, "0 1 4", ""}));
}

TEST(CtlRuns, GoOnForEver) {
  EXPECT_EQ(found("EG(p || q)"), (Found{holds, "0 (1 2)", "p || q is true all the way"}));
  EXPECT_EQ(found("AF !p"), (Found{holds, "", ""}));
  EXPECT_EQ(found("AF (p && q)"), (Found{violated, "0 (1 2)", "!p || !q is true all the way"}));
  EXPECT_EQ(found("AG AF p"), (Found{violated, "0 3 (4)", "from step 1 on !p is true all the way"}));
  EXPECT_EQ(found("AG AF p", DeadlockPaths::maximal),
            (Found{violated, "0 3 4", "from step 1 on !p is true all the way"}));
}

TEST(CtlRuns, SayWhatTheyDoNotShow) {
  EXPECT_EQ(found("AG EF p"), (Found{violated, "0 3", "from the last state no state with p can be reached"}));
  EXPECT_EQ(found("AG(q -> EF p)"),
            (Found{violated, "0 3", "from the last state no state with p can be reached"}));
  EXPECT_EQ(found("EF AG !p"), (Found{holds, "0 3", "from the last state no state with p can be reached"}));
  EXPECT_EQ(found("EX AX q"), (Found{holds, "0 1", "in the last state AX q is true"}));
  EXPECT_EQ(found("EX(q && EX !q) && EF AX p"),
            (Found{holds, "0 3 4", "in the initial state EF AX p is true"}));
  EXPECT_EQ(found("EF p && EF q"), (Found{holds, "0", "in the last state EF q is true"}));
  EXPECT_EQ(found("AF !p && EF q"), (Found{holds, "0 3", "in the initial state AF !p is true"}));
  EXPECT_EQ(found("EF q && AF !p"), (Found{holds, "0 3", "in the initial state AF !p is true"}));
}

TEST(CtlRuns, ThereIsNoneWhereNoRunShowsAnything) {
  EXPECT_EQ(found("EF(p && q)"), (Found{violated, "", ""}));
  EXPECT_EQ(found("AG !(p && q)"), (Found{holds, "", ""}));
  EXPECT_EQ(found("p"), (Found{holds, "", ""}));
}

TEST(CtlRuns, ADeadlockRepeatsOrEndsTheRun) {
  EXPECT_EQ(found("EX EX EX !p"), (Found{holds, "0 3 4 4", ""}));
  EXPECT_EQ(found("EX(q && EX AX p)"), (Found{violated, "", ""}));
  EXPECT_EQ(found("EX(q && EX AX p)", DeadlockPaths::maximal),
            (Found{holds, "0 3 4", "in the last state AX p is true"}));
}

TEST(CtlLabelling, ATimeLimitMakesItUnknown) {
  CtlPool pool;
  const Property property = property_of(ladder, pool, parse_ctl(pool, {"", "EF q"}), DeadlockPaths::stutter);
  std::atomic<bool> interrupted = true;
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  const Outcome outcome = check_ctl(system_of(ladder), {property}, {}, budget);
  EXPECT_EQ(outcome.results[0].verdict, Verdict::unknown);
  EXPECT_EQ(outcome.results[0].reason, "interrupted");
  EXPECT_FALSE(outcome.complete);
}

TEST(CtlLabelling, AtomsThatAreTheSameEverywhereAreNamed) {
  CtlPool pool;
  const Structure structure{.next = {{1}, {0}}, .labels = {1, 1}};
  const Property property =
      property_of(structure, pool, parse_ctl(pool, {"", "EF(p && q)"}), DeadlockPaths::stutter);
  Budget budget;
  const Outcome outcome = check_ctl(system_of(structure), {property}, {}, budget);
  EXPECT_EQ(outcome.warnings,
            (std::vector<std::string>{"atom `p` of property f is true in every reachable state",
                                      "atom `q` of property f is false in every reachable state"}));
}

}  // namespace
}  // namespace tideline
