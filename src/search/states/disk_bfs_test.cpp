// Breadth-first search with states on disk against the one in memory, with so little memory that most is on disk.
#include "search/states/disk_bfs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "search/states/bfs.hpp"
#include "store/segmented_table.hpp"
#include "testing/node_monitor.hpp"

namespace tideline::disk_bfs_test {
namespace {

using test::ExplicitGraph;
using test::NodeMonitor;

constexpr std::size_t node_bytes = ExplicitGraph::state_bytes;

std::shared_ptr<TraceLog> new_log() {
  return std::make_shared<TraceLog>(std::filesystem::temp_directory_path());
}

/// Blocks and tables that hold a few states; or a table that holds all.
DiskOptions arbitrary_options() {
  return {.folder = std::filesystem::temp_directory_path(),
          .log = *rc::gen::arbitrary<bool>() ? new_log() : nullptr,
          .threads = *rc::gen::inRange(1u, 4u),
          .part_bits = *rc::gen::inRange(0u, 4u),
          .table_bytes = *rc::gen::element<std::uint64_t>(0, 0, 0, 4'000, 8'000, 1'000'000),
          .block_bytes = *rc::gen::element<std::size_t>(1, 30, 300),
          .batch = *rc::gen::inRange<std::size_t>(1, 20),
          .few = *rc::gen::inRange<std::uint64_t>(0, 6)};
}

SearchResult in_memory(const ExplicitGraph& graph, NodeMonitor& monitor, SearchOptions options = {}) {
  Budget budget;
  return BreadthFirstSearch(graph, SegmentedTable<>(node_bytes), options).run(monitor, budget);
}

NodeMonitor idle_monitor(const ExplicitGraph& graph) {
  return {0, graph.action_count(), true};
}

RC_GTEST_PROP(DiskBfs, AgreesWithBfs, ()) {
  const ExplicitGraph graph = test::arbitrary_graph();
  DiskOptions options = arbitrary_options();
  options.depth = *rc::gen::inRange<std::uint64_t>(0, 8);
  NodeMonitor monitor = idle_monitor(graph);
  const SearchResult expected = in_memory(graph, monitor, {false, options.depth});
  Budget budget;
  DiskBreadthFirstSearch search(graph, options);
  const SearchResult result = search.run(monitor, budget);
  RC_ASSERT(result.end == expected.end);
  RC_ASSERT(result.states == expected.states);
  RC_ASSERT(result.transitions == expected.transitions);
  RC_ASSERT(result.deadlocks == expected.deadlocks);
  RC_ASSERT(result.depth == expected.depth);
  RC_ASSERT(result.level_sizes == expected.level_sizes);
  RC_CLASSIFY(search.space().runs() > 0, "on disk");
}

RC_GTEST_PROP(DiskBfs, FindsWhatBfsFindsByRunsAsLong, ()) {
  const ExplicitGraph graph = test::arbitrary_graph();
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  const bool exhaustive = *rc::gen::arbitrary<bool>();
  NodeMonitor expected = test::watching(graph, target, exhaustive);
  NodeMonitor monitor = expected;
  const SearchEnd end = in_memory(graph, expected).end;
  DiskOptions options = arbitrary_options();
  options.log = new_log();
  Budget budget;
  RC_ASSERT(DiskBreadthFirstSearch(graph, options).run(monitor, budget).end == end);
  for (std::size_t property = 0; property < test::watched; ++property) {
    RC_ASSERT(monitor.finding(property).has_value() == expected.finding(property).has_value());
    if (!monitor.finding(property)) continue;
    const Path path = monitor.finding(property)->path();
    RC_ASSERT(graph.is_path(path));
    RC_ASSERT(path.states.size() == expected.finding(property)->path().states.size());
    const std::uint32_t last = ExplicitGraph::node(path.states.back().data());
    const std::array as_wanted{last == target, graph.edges[last].empty(), path.failing_action != no_action,
                               last % 3 == 2};
    RC_ASSERT(as_wanted.at(property));
  }
}

RC_GTEST_PROP(DiskBfs, FindsTheSameRunsWithAnyMemory, ()) {
  const ExplicitGraph graph = test::arbitrary_graph();
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  const unsigned part_bits = *rc::gen::inRange(0u, 4u);
  const auto path_of = [&](NodeMonitor& monitor, std::size_t property) {
    return monitor.finding(property) ? monitor.finding(property)->path() : Path{};
  };
  const auto search = [&] {
    NodeMonitor monitor = test::watching(graph, target, true);
    DiskOptions options = arbitrary_options();
    options.log = new_log();
    options.threads = 1;
    options.part_bits = part_bits;
    Budget budget;
    DiskBreadthFirstSearch(graph, options).run(monitor, budget);
    return monitor;
  };
  NodeMonitor one = search(), other = search();
  for (std::size_t property = 0; property < test::watched; ++property) {
    RC_ASSERT(path_of(one, property).states == path_of(other, property).states);
    RC_ASSERT(path_of(one, property).actions == path_of(other, property).actions);
  }
}

RC_GTEST_PROP(DiskBfs, EndsUnknownWhenTheDiskIsFull, ()) {
  const ExplicitGraph graph = test::arbitrary_graph();
  NodeMonitor monitor = idle_monitor(graph);
  const SearchResult expected = in_memory(graph, monitor);
  DiskOptions options = arbitrary_options();
  const auto most = *rc::gen::inRange<rlim_t>(20, 400);
  Budget budget;
  DiskBreadthFirstSearch search(graph, options);
  rlimit before{};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{most, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const SearchResult result = search.run(monitor, budget);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  if (budget.reason().empty()) {
    RC_ASSERT(result.end == SearchEnd::complete);
    RC_ASSERT(result.level_sizes == expected.level_sizes);
  } else {
    RC_ASSERT(result.end == SearchEnd::exhausted);
    RC_ASSERT(budget.reason().starts_with("states cannot be written to disk: File too large"));
    RC_ASSERT(result.states <= expected.states);
  }
  RC_CLASSIFY(!budget.reason().empty(), "full");
}

/// Numbers without end; the search is interrupted when it has come far.
struct Endless {
  std::atomic<bool>* interrupted;

  static constexpr std::uint64_t far = 20'000;

  std::size_t state_size() const { return sizeof(std::uint64_t); }
  template <class Sink>
  void initial(Sink&& sink) {
    const std::uint64_t first = 1;
    sink(reinterpret_cast<const std::byte*>(&first));
  }
  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    std::uint64_t number = 0;
    std::memcpy(&number, state, sizeof number);
    if (number > far) *interrupted = true;
    for (const std::uint64_t next : {number + 1, number * 2, number / 2})
      sink(Step{0, reinterpret_cast<const std::byte*>(&next)});
  }
};

TEST(DiskBfs, EndsInAnyPhaseWhenItIsInterrupted) {
  for (const unsigned threads : {1u, 3u}) {
    std::atomic<bool> interrupted{false};
    Budget budget({.interrupted = &interrupted});
    NodeMonitor monitor(0, 1, true);
    DiskBreadthFirstSearch search(Endless{&interrupted}, {.folder = std::filesystem::temp_directory_path(),
                                                          .log = new_log(),
                                                          .threads = threads,
                                                          .part_bits = 2,
                                                          .table_bytes = 100'000,
                                                          .block_bytes = 1000});
    const SearchResult result = search.run(monitor, budget);
    EXPECT_EQ(result.end, SearchEnd::exhausted);
    EXPECT_EQ(budget.reason(), "interrupted");
    EXPECT_GT(result.states, 1000u);
    EXPECT_GT(search.space().runs(), 0u);
  }
}

TEST(DiskBfs, EndsInTheMiddleOfAState) {
  std::atomic<bool> interrupted{false};
  Budget budget({.interrupted = &interrupted});
  NodeMonitor monitor(0, 1, true);
  const SearchResult result =
      DiskBreadthFirstSearch(test::ManySteps{&interrupted},
                             {.folder = std::filesystem::temp_directory_path(), .table_bytes = 1'000'000})
          .run(monitor, budget);
  EXPECT_EQ(result.end, SearchEnd::exhausted);
  EXPECT_LT(result.transitions, test::ManySteps::count);
}

}  // namespace
}  // namespace tideline::disk_bfs_test
