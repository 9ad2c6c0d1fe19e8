// The sweep-line by 1 to 5 ranks of 1 to 3 threads, with random delays, against that of one process and against what is reachable.
#include "cluster/sweep/sweep.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "cluster/sweep/engine.hpp"
#include "search/states/safety.hpp"
#include "testing/few_states.hpp"
#include "testing/measured_graph.hpp"
#include "testing/node_monitor.hpp"
#include "testing/random_system.hpp"
#include "testing/ranks_in_threads.hpp"
#include "testing/skip_case.hpp"

namespace tideline::cluster {
namespace {

using namespace test;

/// What each thread of each rank has in the end.
struct Swept {
  SearchResult search;
  SweepFigures figures;
  std::shared_ptr<NodeMonitor> monitor;
  std::string reason;
  std::uint64_t ahead = 0;  ///< states that each rank may expand ahead of the line
};

/// `logged`: with runs.
std::vector<Swept> sweep(const MeasuredGraph& graph, const NodeMonitor& monitor, bool logged,
                         unsigned claimed_shift = 64, const Budget::Limits& limits = {}) {
  const auto count = *rc::gen::inRange(1u, 6u);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto ahead = *rc::gen::element<std::uint64_t>(0, 3, 1000);
  const auto threads = *rc::gen::inRange(1u, 4u);
  std::vector<Swept> results(count * threads);
  run_ranks_with_threads(count, threads, seed, [&](Ranks& ranks) {
    Budget budget(limits);
    Swept& result = results[ranks.rank()];
    result.monitor = std::make_shared<NodeMonitor>(monitor);
    const SweepOptions options{.log = logged ? scratch_log() : nullptr,
                               .claimed_shift = claimed_shift,
                               .column_shift = claimed_shift,
                               .ahead = {ahead, ahead == 0 ? 0u : 8u}};
    cluster::SweepSearch search(graph, ranks, options, *result.monitor, budget);
    result.ahead = ahead;
    result.search = search.run();
    result.figures = search.figures();
    result.reason = budget.reason();
  });
  return results;
}

/// What depends on when states are forgotten is the same as long as no rank goes ahead.
void require_same(const Swept& result, const SweepFigures& expected) {
  const SweepFigures& figures = result.figures;
  RC_ASSERT(figures.sweeps == expected.sweeps);
  RC_ASSERT(figures.expansions == expected.expansions);
  RC_ASSERT(figures.persistent == expected.persistent);
  RC_ASSERT(figures.regress_edges == expected.regress_edges);
  RC_ASSERT(figures.layers <= expected.layers);
  RC_ASSERT(figures.stored_peak >= expected.stored_peak);
  if (result.ahead != 0) return;
  RC_ASSERT(figures.layers == expected.layers);
  RC_ASSERT(figures.stored_peak == expected.stored_peak);
}

RC_GTEST_PROP(ClusterSweep, DoesWhatOneProcessDoes, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  const NodeMonitor idle(0, graph.action_count(), true);
  NodeMonitor monitor = idle;
  Budget budget;
  tideline::SweepSearch alone(graph, {});
  const SearchResult expected = alone.run(monitor, budget);
  for (const Swept& result : sweep(graph, idle, *rc::gen::arbitrary<bool>())) {
    RC_ASSERT(result.search.end == SearchEnd::complete);
    RC_ASSERT(result.search.transitions == expected.transitions);
    RC_ASSERT(result.search.deadlocks == expected.deadlocks);
    require_same(result, alone.figures());
    for (ActionId a = 0; a < graph.action_count(); ++a)
      RC_ASSERT(result.monitor->was_enabled(a) == monitor.was_enabled(a));
  }
}

RC_GTEST_PROP(ClusterSweep, ExpandsEveryStateOnceWhenTheMeasureIsMonotone, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(MeasureKind::monotone);
  const NodeMonitor idle(0, graph.action_count(), true);
  for (const Swept& result : sweep(graph, idle, false, 0)) {
    RC_ASSERT(result.search.end == SearchEnd::complete);
    RC_ASSERT(result.search.states == graph.distances().size());
    RC_ASSERT(result.figures.sweeps == 1u);
  }
}

// A layer is forgotten when it is done everywhere, and only then: nodes of a layer are often found again by a
// rank that has nothing left to expand.
RC_GTEST_PROP(ClusterSweep, ExpandsTheStatesOfALayerOnce, ()) {
  MeasuredGraph graph{arbitrary_graph()};
  graph.measure.assign(graph.edges.size(), 7);
  const NodeMonitor idle(0, graph.action_count(), true);
  for (const Swept& result : sweep(graph, idle, false)) {
    RC_ASSERT(result.figures.layers <= 1u);
    RC_ASSERT(result.search.states == graph.distances().size());
  }
}

// A chain of regress edges takes a sweep for each of them. States that do not stay persistent would be roots again
// and again.
TEST(ClusterSweep, SweepsOnceForEveryRegressEdgeOfAChain) {
  constexpr std::uint32_t nodes = 12;
  MeasuredGraph graph;
  graph.edges.resize(nodes);
  graph.initial_nodes = {0};
  for (std::uint32_t n = 0; n < nodes; ++n) {
    graph.edges[n].push_back({0, (n + 1) % nodes});
    graph.measure.push_back(nodes - n);
  }
  for (unsigned count = 1; count <= 4; ++count)
    run_ranks(count, count, [&](Ranks& ranks) {
      Budget budget;
      NodeMonitor idle(0, graph.action_count(), true);
      cluster::SweepSearch search(graph, ranks, {}, idle, budget);
      EXPECT_EQ(search.run().end, SearchEnd::complete);
      EXPECT_EQ(search.figures().persistent, nodes - 1);
      EXPECT_EQ(search.figures().sweeps, nodes);
      EXPECT_EQ(search.figures().expansions, nodes + 1);  // the first one also when the cycle closes
    });
}

RC_GTEST_PROP(ClusterSweep, NoticesABrokenClaim, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  const NodeMonitor idle(0, graph.action_count(), true);
  NodeMonitor monitor = idle;
  Budget budget;
  tideline::SweepSearch alone(graph, {.claimed_shift = 0, .column_shift = 0});
  alone.run(monitor, budget);
  for (const Swept& result : sweep(graph, idle, false, 0)) {
    RC_ASSERT(result.figures.broken_claim.has_value() == alone.figures().broken_claim.has_value());
    if (alone.figures().broken_claim) continue;
    require_same(result, alone.figures());
  }
}

RC_GTEST_PROP(ClusterSweep, FindsTheSameWithRuns, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  const bool exhaustive = *rc::gen::arbitrary<bool>();
  const NodeMonitor watch = watching(graph, target, exhaustive);
  NodeMonitor monitor = watch;
  Budget budget;
  tideline::SweepSearch alone(graph, {});
  const SearchResult expected = alone.run(monitor, budget);
  const std::vector<Swept> results = sweep(graph, watch, true);
  for (const Swept& result : results) {
    RC_ASSERT(result.search.end == expected.end);
    for (std::size_t property = 0; property < watched; ++property) {
      const auto& finding = result.monitor->finding(property);
      RC_ASSERT(finding.has_value() == monitor.finding(property).has_value());
      if (!finding) continue;
      const Path path = finding->path();
      RC_ASSERT(graph.is_path(path));
      const std::uint32_t last = graph.node(path.states.back().data());
      if (property == 0) RC_ASSERT(last == target);
      if (property == 1) RC_ASSERT(graph.edges[last].empty());
      RC_ASSERT((path.failing_action != no_action) == (property == 2));
      if (property == 3) RC_ASSERT(last % 3 == 2u);
      RC_ASSERT(path.states == results.front().monitor->finding(property)->path().states);
    }
  }
}

RC_GTEST_PROP(ClusterSweep, EndsEverywhereWhenOneIsInterrupted, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  std::atomic<bool> interrupted = true;
  const NodeMonitor idle(0, graph.action_count(), true);
  for (const Swept& result : sweep(graph, idle, true, 64, {.interrupted = &interrupted})) {
    RC_ASSERT(result.search.end == SearchEnd::exhausted);
    RC_ASSERT(result.reason == "interrupted");
  }
}

/// By two slots of a random system, in some direction.
Measure random_measure(const System& system) {
  std::vector<MeasureTerm> terms;
  for (int i = 0; i < 2; ++i) {
    const auto slot = *rc::gen::inRange<SlotId>(0, static_cast<SlotId>(system.slots.size()));
    terms.push_back(*rc::gen::arbitrary<bool>() ? slot_term(system, slot) : reversed_term(system, slot));
  }
  return {system, terms};
}

// Whole checks on random systems: verdicts and counts are those of breadth-first search, on every rank.
RC_GTEST_PROP(ClusterSweep, AnswersLikeBreadthFirstSearch, ()) {
  const System system = RandomSystem(*rc::gen::arbitrary<std::uint32_t>()).take();
  // A bad measure visits them many times, and each visit may be delayed.
  if (test::skip_case(!test::has_few_states(system, 10'000))) RC_SUCCEED("too large");
  std::vector<Property> properties{{.name = "deadlock", .kind = PropertyKind::deadlock, .formula = ""},
                                   {.name = "errors", .kind = PropertyKind::model_error, .formula = ""}};
  const auto slot = *rc::gen::inRange<SlotId>(0, static_cast<SlotId>(system.slots.size()));
  properties.push_back({.name = "reach",
                        .kind = PropertyKind::reach,
                        .formula = "",
                        .expr = Expr::binary(Op::gt, Expr::load(slot), Expr::constant(1))});
  SafetyOptions options{.exhaustive = true};
  if (*rc::gen::arbitrary<bool>()) options.reduce = por::Method::stubborn;
  Budget budget;
  const Outcome expected = check_safety(system, properties, options, budget);
  const Measure measure = random_measure(system);
  options.threads = *rc::gen::inRange(1u, 4u);
  run_ranks(*rc::gen::inRange(1u, 5u), *rc::gen::arbitrary<std::uint32_t>(), [&](Ranks& ranks) {
    SafetyOptions on_ranks = options;
    on_ranks.engine = [&](StateSearch& search) { cluster::search_sweep(search, ranks); };
    on_ranks.sweep.measure = measure;
    Budget own;
    const Outcome outcome = check_safety(system, properties, on_ranks, own);
    RC_ASSERT(outcome.complete);
    RC_ASSERT(outcome.warnings == expected.warnings);
    RC_ASSERT(outcome.never_enabled == expected.never_enabled);
    for (std::size_t i = 0; i < properties.size(); ++i)
      RC_ASSERT(outcome.results[i].verdict == expected.results[i].verdict);
    if (const auto* states = outcome.statistics.find("states"))
      RC_ASSERT(*states == *expected.statistics.find("states"));
    else
      RC_ASSERT(std::get<std::uint64_t>(*outcome.statistics.find("sweeps")) > 1u);
  });
}

}  // namespace
}  // namespace tideline::cluster
