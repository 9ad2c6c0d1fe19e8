// The searches on random explicit graphs, against reachability computed the obvious way.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <barrier>
#include <cstring>
#include <set>

#include "search/core/crew.hpp"
#include "search/core/sample_walks.hpp"
#include "search/core/successor_batch.hpp"
#include "search/states/bfs.hpp"
#include "search/states/dfs.hpp"
#include "search/states/monitor.hpp"
#include "search/states/parallel_bfs.hpp"
#include "search/states/walk.hpp"
#include "store/hashed_states.hpp"
#include "store/segmented_table.hpp"
#include "store/solo.hpp"
#include "store/tree_table.hpp"
#include "testing/explicit_graph.hpp"
#include "testing/skip_case.hpp"

namespace tideline {
namespace {

using namespace test;

using NodeMonitor = Monitor<NodePredicate>;
using Bfs = BreadthFirstSearch<ExplicitGraph, SegmentedTable<>>;
using ParallelBfs = ParallelBreadthFirstSearch<ExplicitGraph>;
using Dfs = DepthFirstSearch<ExplicitGraph, ExactMarks<SegmentedTable<>>>;
using Bitstate = DepthFirstSearch<ExplicitGraph, BitMarks>;
using Cached = DepthFirstSearch<ExplicitGraph, CacheMarks>;
using Walk = RandomWalk<ExplicitGraph>;

constexpr std::size_t bytes = ExplicitGraph::state_bytes;

Bfs bfs(const ExplicitGraph& graph, SearchOptions options = {}) {
  return {graph, SegmentedTable<>(bytes), options};
}
Dfs dfs(const ExplicitGraph& graph, SearchOptions options = {}) {
  return {graph, ExactMarks(SegmentedTable<>(bytes)), options};
}

// A monitor with nothing to find: the search visits everything.
NodeMonitor idle(const ExplicitGraph& graph) {
  return {0, graph.action_count(), true};
}

// Property 0 is decided at the node, 1 in a deadlock, 2 by a model error.
NodeMonitor watching(const ExplicitGraph& graph, std::uint32_t target, bool exhaustive = false) {
  NodeMonitor monitor(3, graph.action_count(), exhaustive);
  monitor.watch(0, is_node(target), true);
  monitor.watch_deadlocks(1);
  monitor.watch_errors(2);
  return monitor;
}

struct Counts {
  std::uint64_t states = 0, transitions = 0, deadlocks = 0, depth = 0;
  std::vector<std::uint64_t> levels = {};
};

Counts count(const ExplicitGraph& graph, std::uint64_t bound = ~std::uint64_t{0}) {
  Counts counts;
  for (const auto& [node, distance] : graph.distances()) {
    if (distance > bound) continue;
    ++counts.states;
    counts.depth = std::max(counts.depth, distance);
    counts.levels.resize(std::max<std::size_t>(counts.levels.size(), distance + 1));
    ++counts.levels[distance];
    if (distance == bound) continue;
    counts.transitions += graph.edges[node].size();
    counts.deadlocks += graph.edges[node].empty();
  }
  return counts;
}

/// Takes what it is given, except that every third look at a state says that it would have to wait.
struct BusyTable {
  std::vector<std::uint64_t> taken = {};
  mutable unsigned looks = 0;

  std::uint64_t hash(const std::byte* state) const {
    std::uint64_t number = 0;
    std::memcpy(&number, state, sizeof number);
    return number;
  }
  void prefetch_index(std::uint64_t) const {}
  void prefetch_state(std::uint64_t) const {}
  bool must_wait(std::uint64_t) const { return ++looks % 3 == 0; }
  Insertion insert(const std::byte* state, std::uint64_t hashed) {
    EXPECT_EQ(hash(state), hashed);
    taken.push_back(hashed);
    return {static_cast<StateId>(hashed), true};
  }
};

TEST(SuccessorBatch, LosesNothingThatItComesBackTo) {
  BusyTable table;
  SuccessorBatch<> batch(sizeof(std::uint64_t));
  const auto sink = [](StateId source, const Insertion& insertion, const std::byte*) {
    EXPECT_EQ(insertion.id, source + 1);
    return true;
  };
  constexpr std::uint64_t count = 1000;
  for (std::uint64_t i = 1; i <= count; ++i) {
    if (batch.full()) batch.insert_most_into(table, sink);
    ASSERT_FALSE(batch.full());
    batch.add(table, reinterpret_cast<const std::byte*>(&i), static_cast<StateId>(i - 1));
  }
  EXPECT_FALSE(std::ranges::is_sorted(table.taken));
  batch.insert_into(table, sink);
  std::ranges::sort(table.taken);
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(table.taken.at(i), i + 1);
  EXPECT_EQ(table.taken.size(), count);
}

RC_GTEST_PROP(Bfs, VisitsExactlyWhatIsReachable, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  const Counts expected = count(graph);
  NodeMonitor monitor = idle(graph);
  Budget budget;
  Bfs search = bfs(graph, {*rc::gen::arbitrary<bool>(), 0});
  const SearchResult result = search.run(monitor, budget);
  RC_ASSERT(result.end == SearchEnd::complete);
  RC_ASSERT(result.states == expected.states);
  RC_ASSERT(result.transitions == expected.transitions);
  RC_ASSERT(result.deadlocks == expected.deadlocks);
  RC_ASSERT(result.depth == expected.depth);
  RC_ASSERT(result.level_sizes == expected.levels);
}

RC_GTEST_PROP(Bfs, StopsAtTheDepthBoundAndSaysSo, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  const auto bound = *rc::gen::inRange<std::uint64_t>(1, 8);
  const Counts expected = count(graph, bound);
  NodeMonitor monitor = idle(graph);
  Budget budget;
  const SearchResult result = bfs(graph, {true, bound}).run(monitor, budget);
  RC_ASSERT(result.end == (expected.depth == bound ? SearchEnd::cut_off : SearchEnd::complete));
  RC_ASSERT(result.states == expected.states);
  RC_ASSERT(result.transitions == expected.transitions);
  RC_ASSERT(result.level_sizes == expected.levels);
}

RC_GTEST_PROP(Bfs, NumbersStatesLikeAQueueWould, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  std::vector<std::uint32_t> order;
  std::set<std::uint32_t> seen;
  const auto find = [&](std::uint32_t n) {
    if (seen.insert(n).second) order.push_back(n);
  };
  for (const std::uint32_t n : graph.initial_nodes) find(n);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const Edge& edge : graph.edges[order[i]])
      if (!edge.fails) find(edge.target);

  NodeMonitor monitor = idle(graph);
  Budget budget;
  Bfs search = bfs(graph);
  search.run(monitor, budget);
  for (std::size_t i = 0; i < order.size(); ++i)
    RC_ASSERT(ExplicitGraph::node(search.table().state(static_cast<StateId>(i))) == order[i]);
}

RC_GTEST_PROP(ParallelBfs, VisitsExactlyWhatIsReachable, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  const auto bound = *rc::gen::inRange<std::uint64_t>(0, 8);
  const Counts expected = bound == 0 ? count(graph) : count(graph, bound);
  NodeMonitor monitor = idle(graph);
  Budget budget;
  ParallelBfs search(graph, *rc::gen::inRange(1u, 5u), {*rc::gen::arbitrary<bool>(), bound},
                     *rc::gen::inRange<std::uint64_t>(0, 6));
  const SearchResult result = search.run(monitor, budget);
  RC_ASSERT(result.end == (bound != 0 && expected.depth == bound ? SearchEnd::cut_off : SearchEnd::complete));
  RC_ASSERT(result.states == expected.states);
  RC_ASSERT(result.transitions == expected.transitions);
  RC_ASSERT(result.deadlocks == expected.deadlocks);
  RC_ASSERT(result.depth == expected.depth);
  RC_ASSERT(result.level_sizes == expected.levels);
}

RC_GTEST_PROP(Dfs, AgreesWithBfs, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  const Counts expected = count(graph);
  NodeMonitor monitor = idle(graph);
  Budget budget;
  const SearchResult result = dfs(graph).run(monitor, budget);
  RC_ASSERT(result.end == SearchEnd::complete);
  RC_ASSERT(result.states == expected.states);
  RC_ASSERT(result.transitions == expected.transitions);
  RC_ASSERT(result.deadlocks == expected.deadlocks);
}

// The order in which a recursive depth-first search meets the nodes.
void recurse(const ExplicitGraph& graph, std::uint32_t node, std::vector<std::uint32_t>& order) {
  if (std::ranges::find(order, node) != order.end()) return;
  order.push_back(node);
  for (const Edge& edge : graph.edges[node])
    if (!edge.fails) recurse(graph, edge.target, order);
}

RC_GTEST_PROP(Dfs, MeetsStatesInTheOrderOfRecursion, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  std::vector<std::uint32_t> expected, met;
  for (const std::uint32_t n : graph.initial_nodes) recurse(graph, n, expected);
  NodeMonitor monitor(1, graph.action_count(), true);
  monitor.watch(0, {[&](std::uint32_t n, ModelErrorKind&) {
                  met.push_back(n);
                  return 0;
                }},
                true);
  Budget budget;
  dfs(graph).run(monitor, budget);
  RC_ASSERT(met == expected);
}

// Whatever a search finds is real: the run is a path of the graph and ends where it should.
void findings_are_real(const ExplicitGraph& graph, const NodeMonitor& monitor, std::uint32_t target) {
  const auto last = [](const Path& path) { return ExplicitGraph::node(path.states.back().data()); };
  if (const auto& found = monitor.finding(0)) {
    const Path path = found->path();
    RC_ASSERT(graph.is_path(path));
    RC_ASSERT(last(path) == target);
    RC_ASSERT(path.failing_action == no_action);
  }
  if (const auto& found = monitor.finding(1)) {
    const Path path = found->path();
    RC_ASSERT(graph.is_path(path));
    RC_ASSERT(graph.edges[last(path)].empty());
  }
  if (const auto& found = monitor.finding(2)) {
    const Path path = found->path();
    RC_ASSERT(graph.is_path(path));
    RC_ASSERT(std::ranges::any_of(graph.edges[last(path)], [&](const Edge& edge) {
      return edge.fails && edge.action == path.failing_action;
    }));
  }
}

// Distance of the nearest node of each kind, where there is one: the target, a deadlock, a failing action.
std::array<std::optional<std::uint64_t>, 3> nearest(const ExplicitGraph& graph, std::uint32_t target) {
  std::array<std::optional<std::uint64_t>, 3> best;
  for (const auto& [node, distance] : graph.distances()) {
    const auto& out = graph.edges[node];
    const bool hit[] = {node == target, out.empty(),
                        std::ranges::any_of(out, [](const Edge& edge) { return edge.fails; })};
    for (std::size_t kind = 0; kind < 3; ++kind)
      if (hit[kind]) best[kind] = std::min(best[kind].value_or(distance), distance);
  }
  return best;
}

// Trees or hashes instead of plain tables: the same counts, the same order, and runs that are real and as short.
RC_GTEST_PROP(Stores, MakeNoDifference, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  const Counts expected = count(graph);
  const StateSample sample = sample_walks(graph, *rc::gen::element<std::size_t>(0, 100));
  const auto agrees = [&](auto search, bool shortest) {
    NodeMonitor monitor = watching(graph, target, true);
    Budget budget;
    const SearchResult result = search.run(monitor, budget);
    RC_ASSERT(result.end == SearchEnd::complete);
    RC_ASSERT(result.states == expected.states);
    RC_ASSERT(result.transitions == expected.transitions);
    RC_ASSERT(result.deadlocks == expected.deadlocks);
    findings_are_real(graph, monitor, target);
    if (!shortest) return;
    RC_ASSERT(result.level_sizes == expected.levels);
    const auto distance = nearest(graph, target);
    for (std::size_t i = 0; i < 3; ++i) {
      RC_ASSERT(monitor.finding(i).has_value() == distance[i].has_value());
      if (distance[i]) RC_ASSERT(monitor.finding(i)->path().actions.size() == *distance[i]);
    }
  };
  const auto tree = [&] { return Solo<TreeTable<>>(bytes, {.sample = sample}); };
  agrees(BreadthFirstSearch(graph, tree(), SearchOptions{}), true);
  agrees(DepthFirstSearch(graph, ExactMarks(tree()), SearchOptions{}), false);
  agrees(
      ParallelBreadthFirstSearch<ExplicitGraph, TreeTable<>>(
          graph, *rc::gen::inRange(1u, 9u), {}, *rc::gen::inRange<std::uint64_t>(0, 6), {.sample = sample}),
      true);
  const auto hashes = [&] { return Solo<HashedStates>(bytes, {}); };
  agrees(BreadthFirstSearch(graph, hashes(), SearchOptions{}), true);
  agrees(DepthFirstSearch(graph, ExactMarks(hashes()), SearchOptions{}), false);
  agrees(ParallelBreadthFirstSearch<ExplicitGraph, HashedStates>(graph, *rc::gen::inRange(1u, 9u), {},
                                                                 *rc::gen::inRange<std::uint64_t>(0, 6)),
         true);
}

template <class MakeSearch>
void finds_everything_by_shortest_runs(const MakeSearch& search) {
  const ExplicitGraph graph = arbitrary_graph();
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  const auto expected = nearest(graph, target);
  NodeMonitor monitor = watching(graph, target, *rc::gen::arbitrary<bool>());
  Budget budget;
  const SearchResult result = search(graph).run(monitor, budget);
  for (std::size_t kind = 0; kind < 3; ++kind) {
    RC_ASSERT(monitor.finding(kind).has_value() == expected[kind].has_value());
    if (expected[kind]) RC_ASSERT(monitor.finding(kind)->path().actions.size() == *expected[kind]);
  }
  if (result.end == SearchEnd::satisfied) RC_ASSERT(monitor.done());
  findings_are_real(graph, monitor, target);
}

RC_GTEST_PROP(Bfs, FindsEverythingByShortestRuns, ()) {
  finds_everything_by_shortest_runs([](const ExplicitGraph& graph) { return bfs(graph); });
}

RC_GTEST_PROP(ParallelBfs, FindsEverythingByShortestRuns, ()) {
  const auto few = *rc::gen::inRange<std::uint64_t>(0, 6);
  const auto threads = *rc::gen::inRange(1u, 5u);
  finds_everything_by_shortest_runs(
      [&](const ExplicitGraph& graph) { return ParallelBfs(graph, threads, {}, few); });
}

RC_GTEST_PROP(Dfs, FindsEverythingByRealRuns, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  const auto expected = nearest(graph, target);
  NodeMonitor monitor = watching(graph, target);
  Budget budget;
  dfs(graph).run(monitor, budget);
  for (std::size_t kind = 0; kind < 3; ++kind)
    RC_ASSERT(monitor.finding(kind).has_value() == expected[kind].has_value());
  findings_are_real(graph, monitor, target);
}

RC_GTEST_PROP(Dfs, KeepsTheDepthBound, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  const auto bound = *rc::gen::inRange<std::uint64_t>(1, 8);
  NodeMonitor monitor = idle(graph);
  Budget budget;
  const SearchResult result = dfs(graph, {true, bound}).run(monitor, budget);
  RC_ASSERT(result.depth <= bound);
  RC_ASSERT(result.states <= count(graph, bound).states);
  RC_ASSERT(result.end == (result.depth == bound ? SearchEnd::cut_off : SearchEnd::complete));
  if (result.end == SearchEnd::complete) RC_ASSERT(result.states == count(graph).states);
}

RC_GTEST_PROP(Bitstate, FindsRealThingsOnlyAndNeverClaimsToBeComplete, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  NodeMonitor monitor = watching(graph, target);
  Budget budget;
  const SearchResult result = Bitstate(graph, BitMarks(bytes, 10), {}).run(monitor, budget);
  RC_ASSERT(result.states <= count(graph).states);
  RC_ASSERT(result.end == SearchEnd::sampled || result.end == SearchEnd::satisfied);
  findings_are_real(graph, monitor, target);
}

RC_GTEST_PROP(Walk, FindsRealThingsOnlyAndNeverClaimsToBeComplete, ()) {
  const ExplicitGraph graph = arbitrary_graph();
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  const WalkOptions options{true, 10, 30, *rc::gen::arbitrary<std::uint64_t>()};
  NodeMonitor monitor = watching(graph, target);
  Budget budget;
  Walk walk(graph, options);
  const SearchResult result = walk.run(monitor, budget);
  RC_ASSERT(result.end == SearchEnd::sampled || result.end == SearchEnd::satisfied);
  RC_ASSERT(walk.walks() <= options.walks);
  RC_ASSERT(result.depth <= options.steps);
  findings_are_real(graph, monitor, target);
}

TEST(Walk, TakesAllEnabledActionsEquallyOften) {
  ExplicitGraph graph;  // from the root to one of five leaves
  graph.initial_nodes = {0};
  graph.edges.resize(6);
  for (std::uint32_t leaf = 1; leaf <= 5; ++leaf) graph.edges[0].push_back({leaf, leaf});
  std::map<std::uint32_t, int> visits;
  NodeMonitor monitor(1, graph.action_count(), true);
  monitor.watch(0, {[&](std::uint32_t n, ModelErrorKind&) {
                  ++visits[n];
                  return 0;
                }},
                true);
  Budget budget;
  Walk walk(graph, {true, 5000, 10, 42});
  const SearchResult result = walk.run(monitor, budget);
  for (std::uint32_t leaf = 1; leaf <= 5; ++leaf) EXPECT_NEAR(visits[leaf], 1000, 150) << leaf;
  EXPECT_EQ(result.deadlocks, 5000u);
  EXPECT_EQ(walk.steps(), 5000u);
}

TEST(Walk, IsDecidedByItsSeed) {
  ExplicitGraph ring;  // two ways on from every node, so that two seeds hardly agree on 60 choices
  ring.initial_nodes = {0};
  ring.edges.resize(64);
  for (std::uint32_t n = 0; n < 64; ++n) ring.edges[n] = {{0, (n + 1) % 64}, {1, (n + 3) % 64}};
  const auto run = [&](std::uint64_t seed) {
    NodeMonitor monitor = watching(ring, 63);
    Budget budget;
    Walk(ring, {true, 100, 200, seed}).run(monitor, budget);
    return monitor.finding(0)->path().actions;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(Crew, AllWorkEvenIfTheFirstOneStopsAtOnce) {
  for (int i = 0; i < 300; ++i) {
    Crew crew(8);
    std::barrier meeting(8);
    Budget budget;
    crew.run(
        budget, [] { return RunStatus{}; },
        [&](unsigned) {
          crew.stop();
          meeting.arrive_and_wait();
        });
  }
}

TEST(ParallelBfs, EndsInTheMiddleOfAState) {
  std::atomic<bool> interrupted{false};
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  NodeMonitor monitor(0, 1, true);
  const SearchResult result = ParallelBreadthFirstSearch(ManySteps{&interrupted}, 2, {}).run(monitor, budget);
  EXPECT_EQ(result.end, SearchEnd::exhausted);
  EXPECT_LT(result.transitions, ManySteps::count);
}

TEST(Search, EndsUnknownWhenTheBudgetIsUsedUp) {
  const ExplicitGraph graph = chain(5000);
  std::atomic<bool> interrupted = true;
  Budget::Limits limits;
  limits.interrupted = &interrupted;
  const auto end_of = [&](auto search) {
    NodeMonitor monitor = watching(graph, 4000);
    Budget budget(limits);
    const SearchResult result = search.run(monitor, budget);
    EXPECT_EQ(budget.reason(), "interrupted");
    EXPECT_FALSE(monitor.finding(0).has_value());
    return result.end;
  };
  EXPECT_EQ(end_of(bfs(graph)), SearchEnd::exhausted);
  EXPECT_EQ(end_of(ParallelBfs(graph, 2, {})), SearchEnd::exhausted);
  EXPECT_EQ(end_of(dfs(graph)), SearchEnd::exhausted);
  EXPECT_EQ(end_of(Bitstate(graph, BitMarks(bytes, 20), {})), SearchEnd::exhausted);
  EXPECT_EQ(end_of(Walk(graph, {})), SearchEnd::exhausted);
}

TEST(Search, EndsUnknownWhenTheTableIsFull) {
  const ExplicitGraph graph = chain(100);
  const auto end_of = [&](auto search) {
    NodeMonitor monitor = watching(graph, 80);
    Budget budget;
    const SearchResult result = search.run(monitor, budget);
    EXPECT_EQ(budget.reason(), "the state table is full (50 states)");
    EXPECT_EQ(result.states, 50u);
    return result.end;
  };
  SegmentedTable<>::Limits limits;
  limits.states = 50;
  EXPECT_EQ(end_of(Bfs(graph, SegmentedTable<>(bytes, limits), {})), SearchEnd::exhausted);
  EXPECT_EQ(end_of(Dfs(graph, ExactMarks(SegmentedTable<>(bytes, limits)), {})), SearchEnd::exhausted);
}

TEST(Search, KeepsNoRunsWhenNoneAreWanted) {
  const ExplicitGraph graph = chain(100);
  const auto check = [&](auto search) {
    NodeMonitor monitor = watching(graph, 80);
    Budget budget;
    search.run(monitor, budget);
    ASSERT_TRUE(monitor.finding(0).has_value());
    EXPECT_FALSE(monitor.finding(0)->path);
  };
  check(bfs(graph, {false, 0}));
  check(dfs(graph, {false, 0}));
  check(Walk(graph, {false, 1, 1000, 1}));
}

TEST(Search, ARunOutlivesTheSearchThatFoundIt) {
  PathBuilder path;
  {
    const ExplicitGraph graph = chain(3000);
    NodeMonitor monitor = watching(graph, 2500);
    Budget budget;
    bfs(graph).run(monitor, budget);
    path = monitor.finding(0)->path;
  }
  EXPECT_TRUE(chain(3000).is_path(path()));
  EXPECT_EQ(path().actions.size(), 2500u);
}

TEST(Search, AGraphWithoutInitialStatesIsEmpty) {
  ExplicitGraph graph = chain(3);
  graph.initial_nodes.clear();
  const auto check = [&](auto search, SearchEnd end) {
    NodeMonitor monitor = idle(graph);
    Budget budget;
    const SearchResult result = search.run(monitor, budget);
    EXPECT_EQ(result.end, end);
    EXPECT_EQ(result.states, 0u);
  };
  check(bfs(graph), SearchEnd::complete);
  check(dfs(graph), SearchEnd::complete);
  check(Walk(graph, {true, 10, 10, 1}), SearchEnd::sampled);
}

TEST(Search, BfsAndDfsAreDeterministic) {
  EXPECT_TRUE(rc::check([] {
    const ExplicitGraph graph = arbitrary_graph();
    const auto run = [&](auto search) {
      NodeMonitor monitor = watching(graph, 0, false);
      Budget budget;
      const SearchResult r = search.run(monitor, budget);
      std::vector<std::uint64_t> facts{r.states, r.transitions, r.deadlocks, r.depth};
      for (std::size_t i = 0; i < 3; ++i)
        if (monitor.finding(i))
          for (const ActionId action : monitor.finding(i)->path().actions) facts.push_back(action);
      return facts;
    };
    RC_ASSERT(run(bfs(graph)) == run(bfs(graph)));
    RC_ASSERT(run(dfs(graph)) == run(dfs(graph)));
  }));
}

TEST(Monitor, RemembersWhichActionsWereEnabled) {
  ExplicitGraph graph = chain(3);
  graph.edges[1].push_back({4, 0, true});
  NodeMonitor monitor(0, 6, true);
  Budget budget;
  bfs(graph).run(monitor, budget);
  for (const ActionId action : {0u, 4u}) EXPECT_TRUE(monitor.was_enabled(action));
  for (const ActionId action : {1u, 2u, 3u, 5u}) EXPECT_FALSE(monitor.was_enabled(action));
}

TEST(Monitor, AStateWithoutAValueDecidesWhateverIsLookedFor) {
  const ExplicitGraph graph = chain(20);
  NodeMonitor monitor(4, graph.action_count(), false);
  // True from node 3 on, without a value in node 5.
  const auto predicate = [](std::uint32_t n, ModelErrorKind& error) {
    if (n == 5) error = ModelErrorKind::division_by_zero;
    return n >= 3;
  };
  monitor.watch(0, {predicate}, true);
  monitor.watch(1, {predicate}, true, true);
  monitor.watch(2, {[=](std::uint32_t n, ModelErrorKind& error) { return predicate(n, error) && n > 15; }},
                true);
  monitor.watch(3, {[=](std::uint32_t n, ModelErrorKind& error) { return predicate(n, error) || n < 3; }},
                false);
  Budget budget;
  EXPECT_EQ(bfs(graph).run(monitor, budget).end, SearchEnd::satisfied);
  EXPECT_EQ(monitor.finding(0)->path().actions.size(), 3u);
  EXPECT_EQ(monitor.finding(0)->no_value, ModelErrorKind::none);
  EXPECT_EQ(monitor.witness(1)->path().actions.size(), 3u) << "true there, and the search went on";
  for (const std::size_t property : {1u, 2u, 3u}) {
    EXPECT_EQ(monitor.finding(property)->path().actions.size(), 5u);
    EXPECT_EQ(monitor.finding(property)->no_value, ModelErrorKind::division_by_zero);
  }
}

TEST(Monitor, StopsLookingAtAtomsSeenBothWays) {
  const ExplicitGraph graph = chain(50);
  NodeMonitor monitor(0, graph.action_count(), true);
  int evaluations = 0;
  monitor.watch_atom({[&](std::uint32_t n, ModelErrorKind&) {
    ++evaluations;
    return n >= 10;
  }});
  monitor.watch_atom({[](std::uint32_t n, ModelErrorKind&) { return n < 1000; }});
  monitor.watch_atom({[](std::uint32_t n, ModelErrorKind&) { return n > 1000; }});
  monitor.watch_atom({[](std::uint32_t, ModelErrorKind& error) {
    error = ModelErrorKind::index_out_of_bounds;
    return 0;
  }});
  Budget budget;
  bfs(graph).run(monitor, budget);
  EXPECT_EQ(monitor.atom_truths(0), NodeMonitor::seen_false | NodeMonitor::seen_true);
  EXPECT_EQ(evaluations, 11);
  EXPECT_EQ(monitor.atom_truths(1), NodeMonitor::seen_true);
  EXPECT_EQ(monitor.atom_truths(2), NodeMonitor::seen_false);
  // Without a value it is not the same everywhere.
  EXPECT_EQ(monitor.atom_truths(3), NodeMonitor::seen_false | NodeMonitor::seen_true);
}

// --- state space caching -----------------------------------------------------------------------------------

/// All states that were visited.
struct Visits {
  std::set<std::uint32_t> nodes = {};
  std::uint64_t sum = 0;
  template <class Locate>
  void on_state(const std::byte* state, const Locate&) {
    nodes.insert(ExplicitGraph::node(state));
    ++sum;
  }
  template <class Locate>
  void on_step(const Step&, const Locate&) {}
  template <class Locate>
  void on_deadlock(const Locate&) {}
  bool done() const { return sum == 50'000; }  // forgetting may cost any number of visits
};

/// Rows of nodes, in which few edges lead anywhere but to the next row: paths are short, so that a stack fits
/// into a cache that holds a part of the nodes.
ExplicitGraph arbitrary_rows() {
  constexpr std::uint32_t rows = 8;
  const auto below = [](std::uint32_t n) { return *rc::gen::resize(1000, rc::gen::inRange(0u, n)); };
  const std::uint32_t width = 6 + below(7);
  ExplicitGraph graph;
  graph.edges.resize(rows * width);
  for (std::uint32_t n = 0; n < width; ++n) graph.initial_nodes.push_back(n);
  for (std::uint32_t n = 0; n < rows * width; ++n)
    for (std::uint32_t edges = below(4); edges > 0; --edges) {
      const bool anywhere = n / width == rows - 1 || below(20) == 0;
      const std::uint32_t target = anywhere ? below(rows * width) : (n / width + 1) * width + below(width);
      graph.edges[n].push_back({below(10), target, below(50) == 0});
    }
  return graph;
}

/// A case says something when the search forgets states, and so visits some of them again.
void require_all_visited_with_few_in_memory() {
  const ExplicitGraph graph = arbitrary_rows();
  const auto replacement =
      *rc::gen::element(Replacement::random, Replacement::oldest, Replacement::unmet, Replacement::rare);
  const auto nodes = static_cast<std::uint32_t>(graph.distances().size());
  const auto capacity = *rc::gen::resize(1000, rc::gen::inRange(nodes / 3, nodes));
  Cached search(graph, CacheMarks(StateCache(bytes, capacity, replacement)), {});
  Visits visits;
  Budget budget;
  const SearchResult result = search.run(visits, budget);
  const StateCache& cache = search.marks().cache();
  RC_ASSERT(cache.stored() <= capacity);
  RC_ASSERT(result.states == visits.sum);
  RC_ASSERT(cache.replaced() + cache.stored() == visits.sum);
  test::skip_case(result.end != SearchEnd::complete || cache.replaced() == 0);
  if (result.end == SearchEnd::satisfied) return;
  if (result.end == SearchEnd::exhausted) {  // the stack does not fit
    RC_ASSERT(budget.reason().find("on the stack") != std::string::npos);
    RC_ASSERT(cache.stored() == capacity);
    return;
  }
  RC_ASSERT(result.end == SearchEnd::complete);
  RC_ASSERT(visits.nodes.size() == graph.distances().size());
  if (cache.replaced() == 0) RC_ASSERT(visits.sum == visits.nodes.size());
}

RC_GTEST_PROP(CacheSearch, VisitsAllStatesWithFewInMemory, ()) {
  for (int i = 0; i < 5; ++i) require_all_visited_with_few_in_memory();
}

TEST(CacheSearch, ARunThatIsLongerThanTheCacheIsUnknown) {
  const ExplicitGraph graph = chain(4);
  for (const std::uint32_t capacity : {4u, 5u}) {
    Cached search(graph, CacheMarks(StateCache(bytes, capacity, Replacement::random)), {});
    NodeMonitor monitor = idle(graph);
    Budget budget;
    EXPECT_EQ(search.run(monitor, budget).end == SearchEnd::complete, capacity == 5);
    EXPECT_EQ(budget.reason(), capacity == 5 ? "" : "all 4 states of the cache are on the stack");
  }
}

TEST(Pace, LooksAtOnceAndOftenEnough) {
  Pace pace;
  EXPECT_TRUE(pace.is_due()) << "nobody knows yet how long a transition takes";
  std::uint64_t longest = 0, gap = 0;
  for (int transition = 0; transition < 100'000; ++transition) {
    longest = std::max(longest, ++gap);
    if (pace.is_due()) gap = 0;
  }
  EXPECT_LE(longest, poll_every);
}

}  // namespace
}  // namespace tideline
