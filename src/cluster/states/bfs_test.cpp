// Breadth-first search by 1 to 5 ranks of 1 to 3 threads, with random delays, against that of one process.
#include "cluster/states/bfs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "cluster/states/engines.hpp"
#include "search/states/bfs.hpp"
#include "search/states/safety.hpp"
#include "testing/explicit_graph.hpp"
#include "testing/few_states.hpp"
#include "testing/node_monitor.hpp"
#include "testing/random_system.hpp"
#include "testing/ranks_in_threads.hpp"
#include "testing/skip_case.hpp"

namespace tideline::cluster {
namespace {

using namespace test;

/// What each thread of each rank has in the end.
struct Result {
  SearchResult search;
  std::shared_ptr<NodeMonitor> monitor;
  std::string reason;
};

std::vector<Result> search(const ExplicitGraph& graph, const NodeMonitor& monitor, SearchOptions options,
                           const Budget::Limits& limits = {}) {
  const auto count = *rc::gen::inRange(1u, 6u);
  const auto threads = *rc::gen::inRange(1u, 4u);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  std::vector<Result> results(count * threads);
  run_ranks_with_threads(count, threads, seed, [&](Ranks& ranks) {
    Budget budget(limits);
    Result& result = results[ranks.rank()];
    result.monitor = std::make_shared<NodeMonitor>(monitor);
    cluster::BreadthFirstSearch bfs(graph, ranks, options, *result.monitor, budget);
    result.search = bfs.run();
    result.reason = budget.reason();
  });
  return results;
}

RC_GTEST_PROP(ClusterBfs, CountsLikeOneProcess, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  const SearchOptions options{*rc::gen::arbitrary<bool>(), *rc::gen::inRange<std::uint64_t>(0, 8)};
  const NodeMonitor idle(0, graph.action_count(), true);
  NodeMonitor monitor = idle;
  Budget budget;
  const SearchResult expected =
      tideline::BreadthFirstSearch(graph, SegmentedTable<>(graph.state_size()), options).run(monitor, budget);
  for (const Result& result : search(graph, idle, options)) {
    RC_ASSERT(result.search.end == expected.end);
    RC_ASSERT(result.search.states == expected.states);
    RC_ASSERT(result.search.transitions == expected.transitions);
    RC_ASSERT(result.search.deadlocks == expected.deadlocks);
    RC_ASSERT(result.search.depth == expected.depth);
    RC_ASSERT(result.search.level_sizes == expected.level_sizes);
    for (ActionId a = 0; a < graph.action_count(); ++a)
      RC_ASSERT(result.monitor->was_enabled(a) == monitor.was_enabled(a));
  }
}

RC_GTEST_PROP(ClusterBfs, FindsTheSameWithShortestRuns, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  const NodeMonitor watch = watching(graph, target, *rc::gen::arbitrary<bool>());
  NodeMonitor monitor = watch;
  Budget budget;
  const SearchResult expected =
      tideline::BreadthFirstSearch(graph, SegmentedTable<>(graph.state_size()), {}).run(monitor, budget);
  const std::vector<Result> results = search(graph, watch, {});
  for (const Result& result : results) {
    RC_ASSERT(result.search.end == expected.end);
    for (std::size_t property = 0; property < watched; ++property) {
      const auto& finding = result.monitor->finding(property);
      RC_ASSERT(finding.has_value() == monitor.finding(property).has_value());
      if (!finding) continue;
      const Path path = finding->path();
      const Path shortest = monitor.finding(property)->path();
      RC_ASSERT(graph.is_path(path));
      RC_ASSERT(path.states.size() == shortest.states.size());
      RC_ASSERT((path.failing_action == no_action) == (shortest.failing_action == no_action));
      RC_ASSERT(path.states == results.front().monitor->finding(property)->path().states);
    }
  }
}

// Several findings of a property: all ranks have the same ones, as many as one process finds.
RC_GTEST_PROP(ClusterBfs, FindsSeveralThatDiffer, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  const StateKey key = [](const std::byte* state) { return std::to_string(ExplicitGraph::node(state) % 5); };
  NodeMonitor watch(2, graph.action_count(), *rc::gen::arbitrary<bool>(),
                    *rc::gen::inRange<std::size_t>(1, 4));
  watch.watch(0, {[](std::uint32_t n, ModelErrorKind&) { return n % 3 == 2; }}, true, false, key);
  watch.watch_deadlocks(1, key);
  NodeMonitor monitor = watch;
  Budget budget;
  tideline::BreadthFirstSearch(graph, SegmentedTable<>(graph.state_size()), {}).run(monitor, budget);
  for (const Result& result : search(graph, watch, {}))
    for (std::size_t property = 0; property < 2; ++property) {
      const auto& more = result.monitor->more_findings(property);
      RC_ASSERT(result.monitor->finding(property).has_value() == monitor.finding(property).has_value());
      RC_ASSERT(more.size() == monitor.more_findings(property).size());
      for (std::size_t i = 0; i < more.size(); ++i) {
        RC_ASSERT(graph.is_path(more[i].path()));
        RC_ASSERT(more[i].key != result.monitor->finding(property)->key);
      }
    }
}

// A limit that one rank reaches ends the search of all, and all know the reason.
RC_GTEST_PROP(ClusterBfs, EndsEverywhereWhenOneIsInterrupted, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  std::atomic<bool> interrupted = true;
  const NodeMonitor idle(0, graph.action_count(), true);
  for (const Result& result : search(graph, idle, {}, {.interrupted = &interrupted})) {
    RC_ASSERT(result.search.end == SearchEnd::exhausted);
    RC_ASSERT(result.reason == "interrupted");
  }
}

// Whole checks on random systems: verdicts, counts and warnings are those of one process, on every rank.
RC_GTEST_PROP(ClusterBfs, AnswersLikeOneProcess, ()) {
  System system = RandomSystem(*rc::gen::arbitrary<std::uint32_t>()).take();
  if (test::skip_case(!test::has_few_states(system, 20'000))) RC_SUCCEED("too large");
  std::vector<Property> properties{{.name = "deadlock", .kind = PropertyKind::deadlock, .formula = ""},
                                   {.name = "errors", .kind = PropertyKind::model_error, .formula = ""}};
  const auto slot = *rc::gen::inRange<SlotId>(0, static_cast<SlotId>(system.slots.size()));
  properties.push_back({.name = "reach",
                        .kind = PropertyKind::reach,
                        .formula = "",
                        .expr = Expr::binary(Op::gt, Expr::load(slot), Expr::constant(1))});
  SafetyOptions options{.exhaustive = *rc::gen::arbitrary<bool>(), .depth = 6};
  if (*rc::gen::arbitrary<bool>()) options.reduce = por::Method::stubborn;
  Budget budget;
  const Outcome expected = check_safety(system, properties, options, budget);
  options.threads = *rc::gen::inRange(1u, 4u);
  run_ranks(*rc::gen::inRange(1u, 5u), *rc::gen::arbitrary<std::uint32_t>(), [&](Ranks& ranks) {
    SafetyOptions on_ranks = options;
    on_ranks.engine = [&](StateSearch& search) { cluster::search_bfs(search, ranks); };
    Budget own;
    const Outcome outcome = check_safety(system, properties, on_ranks, own);
    RC_ASSERT(outcome.complete == expected.complete);
    RC_ASSERT(outcome.warnings == expected.warnings);
    RC_ASSERT(outcome.never_enabled == expected.never_enabled);
    for (std::size_t i = 0; i < properties.size(); ++i) {
      RC_ASSERT(outcome.results[i].verdict == expected.results[i].verdict);
      RC_ASSERT(outcome.results[i].reason == expected.results[i].reason);
    }
    if (!expected.complete) return;
    for (const Stat stat : {Stat("states"), Stat("transitions"), Stat("levels")})
      RC_ASSERT(*outcome.statistics.find(stat) == *expected.statistics.find(stat));
    if (options.reduce != por::Method::none)
      RC_ASSERT(*outcome.statistics.find("reduced_states") == *expected.statistics.find("reduced_states"));
  });
}

}  // namespace
}  // namespace tideline::cluster
