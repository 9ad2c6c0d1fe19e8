// Breadth-first search whose states move into a tree on the way, against one that keeps them whole.
#include "search/states/change_store.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "search/states/bfs.hpp"
#include "search/states/parallel_bfs.hpp"
#include "search/states/safety.hpp"
#include "store/segmented_table.hpp"
#include "testing/few_states.hpp"
#include "testing/node_monitor.hpp"
#include "testing/random_system.hpp"
#include "testing/skip_case.hpp"

namespace tideline::change_store_test {
namespace {

using test::ExplicitGraph;
using test::NodeMonitor;

using Tree = Solo<TreeTable<>>;
using Bfs = BreadthFirstSearch<ExplicitGraph, SegmentedTable<>>;
using TreeBfs = BreadthFirstSearch<ExplicitGraph, Tree>;
using ParallelBfs = ParallelBreadthFirstSearch<ExplicitGraph>;
using ParallelTreeBfs = ParallelBreadthFirstSearch<ExplicitGraph, TreeTable<>>;

constexpr std::size_t node_bytes = ExplicitGraph::state_bytes;

TreeBfs move_search(Bfs& bfs) {
  const std::uint64_t count = bfs.table().size();
  Tree tree(node_bytes, {.sample = sample_of(bfs.kept_states(), node_bytes)});
  move_into(tree, std::move(bfs.table()).take_states(), bfs.cursor(), [] {});
  RC_ASSERT(tree.size() == count);
  return {bfs, std::move(tree)};
}

void are_the_same(const SearchResult& a, const SearchResult& b) {
  RC_ASSERT(a.end == b.end);
  RC_ASSERT(a.states == b.states);
  RC_ASSERT(a.transitions == b.transitions);
  RC_ASSERT(a.deadlocks == b.deadlocks);
  RC_ASSERT(a.depth == b.depth);
  RC_ASSERT(a.level_sizes == b.level_sizes);
}

void finds_the_same(const ExplicitGraph& graph, const NodeMonitor& monitor, const NodeMonitor& expected,
                    bool by_the_same_runs) {
  for (std::size_t property = 0; property < test::watched; ++property) {
    RC_ASSERT(monitor.finding(property).has_value() == expected.finding(property).has_value());
    if (!monitor.finding(property)) continue;
    const Path path = monitor.finding(property)->path(), same = expected.finding(property)->path();
    RC_ASSERT(graph.is_path(path));
    RC_ASSERT(path.actions.size() == same.actions.size());
    if (!by_the_same_runs) continue;
    RC_ASSERT(path.states == same.states);
    RC_ASSERT(path.actions == same.actions);
  }
}

// After any number of states, at any depth, whatever was found before: the same counts, and the same runs.
RC_GTEST_PROP(ChangeOfStore, MakesNoDifference, ()) {
  const ExplicitGraph graph = test::arbitrary_graph();
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  const bool exhaustive = *rc::gen::arbitrary<bool>();
  const SearchOptions options{true, *rc::gen::inRange<std::uint64_t>(0, 8)};
  NodeMonitor expected = test::watching(graph, target, exhaustive), monitor = expected;
  Budget budget;
  const SearchResult whole = Bfs(graph, SegmentedTable<>(node_bytes), options).run(expected, budget);

  auto bfs = std::make_unique<Bfs>(graph, SegmentedTable<>(node_bytes), options);
  auto left = *rc::gen::inRange<std::uint64_t>(0, graph.edges.size() / 3 + 1);
  const auto pause = [&] { return left-- == 0; };
  SearchResult result = bfs->run(monitor, budget, pause);
  if (bfs->paused() && *rc::gen::arbitrary<bool>()) {
    left = *rc::gen::inRange<std::uint64_t>(0, graph.edges.size() / 3 + 1);
    result = bfs->run(monitor, budget, pause);
  }
  const bool moves = bfs->paused() && result.end != SearchEnd::satisfied;
  if (moves) {
    TreeBfs rest = move_search(*bfs);
    bfs.reset();
    result = rest.run(monitor, budget);
  }
  RC_ASSERT(result.end == whole.end);
  // A pause looks at what was waiting in the batch: then everything may be decided a little earlier.
  if (whole.end != SearchEnd::satisfied) are_the_same(result, whole);
  finds_the_same(graph, monitor, expected, true);
  RC_CLASSIFY(moves, "moved");
}

// Several threads, which have numbered states with gaps between them.
RC_GTEST_PROP(ChangeOfStore, MakesNoDifferenceToThreads, ()) {
  const ExplicitGraph graph = test::arbitrary_graph();
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  const bool exhaustive = *rc::gen::arbitrary<bool>();
  const SearchOptions options{true, *rc::gen::inRange<std::uint64_t>(0, 8)};
  NodeMonitor expected = test::watching(graph, target, exhaustive), monitor = expected;
  Budget budget;
  const SearchResult whole = Bfs(graph, SegmentedTable<>(node_bytes), options).run(expected, budget);

  auto bfs = std::make_unique<ParallelBfs>(graph, *rc::gen::inRange(1u, 5u), options,
                                           *rc::gen::inRange<std::uint64_t>(0, 6));
  std::atomic<std::int64_t> left = *rc::gen::inRange(0, 5);
  const auto pause = [&] { return left-- <= 0; };
  SearchResult result = bfs->run(monitor, budget, pause);
  if (bfs->paused() && *rc::gen::arbitrary<bool>()) {
    left = *rc::gen::inRange(0, 5);
    result = bfs->run(monitor, budget, pause);
  }
  const bool moves = bfs->paused() && result.end != SearchEnd::satisfied;
  if (moves) {
    ParallelTreeBfs rest(*bfs, {.sample = sample_of(bfs->kept_states(), node_bytes)});
    rest.take_over(*bfs, budget);
    RC_ASSERT(budget.reason().empty());
    RC_ASSERT(rest.table().size() == result.states);
    bfs.reset();
    result = rest.run(monitor, budget);
  }
  RC_ASSERT(result.end == whole.end);
  if (whole.end != SearchEnd::satisfied) are_the_same(result, whole);
  finds_the_same(graph, monitor, expected, false);
  RC_CLASSIFY(moves, "moved");
}

RC_GTEST_PROP(ChangeOfStore, APauseCountsNoLevelTwice, ()) {
  const ExplicitGraph graph = test::arbitrary_graph();
  NodeMonitor monitor = test::watching(graph, 0, true);
  Budget budget;
  const SearchResult whole = Bfs(graph, SegmentedTable<>(node_bytes), {}).run(monitor, budget);
  Bfs bfs(graph, SegmentedTable<>(node_bytes), {});
  SearchResult result;
  do result = bfs.run(monitor, budget, [] { return true; });
  while (bfs.paused());
  are_the_same(result, whole);
}

TEST(ChangeOfStore, EndsWhenItsPollSaysSo) {
  constexpr std::uint64_t count = 5000;
  SegmentedTable<> table(sizeof count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto* const state = reinterpret_cast<const std::byte*>(&i);
    table.insert(state, table.hash(state));
  }
  Tree tree(sizeof count, {});
  std::uint64_t polls = 0;
  EXPECT_THROW(move_into(tree, std::move(table).take_states(), 0,
                         [&] {
                           if (++polls == 3) throw LimitReached("limit");
                         }),
               LimitReached);
  EXPECT_EQ(tree.size(), 2 * states_between_polls);
}

std::uint64_t figure(const Outcome& outcome, Stat stat) {
  const Statistics::Value* value = outcome.statistics.find(stat);
  return value ? std::get<std::uint64_t>(*value) : ~std::uint64_t{0};
}

// The whole way, on random systems, as a search for states does it.
RC_GTEST_PROP(ChangeOfStore, GivesTheSameAnswers, ()) {
  const System system = RandomSystem(*rc::gen::arbitrary<unsigned>()).take();
  if (test::skip_case(!test::has_few_states(system, 2000))) RC_SUCCEED("too large");
  SafetyOptions options;
  options.exhaustive = true;
  options.threads = *rc::gen::inRange(1u, 4u);
  const auto search = [&](Budget budget) { return check_safety(system, {}, options, budget); };
  const Outcome whole = search(Budget());
  RC_ASSERT(whole.complete);
  const auto agrees = [&](const Outcome& outcome) {
    RC_ASSERT(outcome.complete);
    RC_ASSERT(outcome.level_sizes == whole.level_sizes);
    for (const Stat stat : {Stat("states"), Stat("transitions"), Stat("deadlocks"), Stat("depth")})
      RC_ASSERT(figure(outcome, stat) == figure(whole, stat));
  };
  std::uint64_t moved = 0;
  options.store_change = {
      .from_bytes = 1,
      .part = std::numeric_limits<double>::infinity(),
      .on_change = [&](std::uint64_t states, std::uint64_t, std::uint64_t) { moved = states; }};
  const Outcome changed = search(Budget());
  agrees(changed);
  RC_ASSERT((moved != 0) == (changed.statistics.find("moved_states") != nullptr));
  RC_CLASSIFY(moved != 0, "moved");
  moved = 0;
  options.store_change.part = 0;  // no tree is as small as that
  agrees(search(Budget()));
  RC_ASSERT(moved == 0u);
}

}  // namespace
}  // namespace tideline::change_store_test
