// Shortened lassos against an oracle that goes from every node, step by step, through all sets of marks.
#include "search/lassos/shorten.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <new>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "exec/interpreter.hpp"
#include "graph/property_product.hpp"
#include "store/segmented_table.hpp"
#include "testing/explicit_graph.hpp"
#include "testing/skip_case.hpp"

namespace tideline {
namespace {

using test::Edge;
using test::ExplicitGraph;
using Table = SegmentedTable<>;

static_assert(RegionGraph<ExplicitGraph> && RegionGraph<PropertyProduct<Interpreter>>);

/// Random graphs, most of them with a ring through all nodes so that cycles are long, on which there is every
/// mark. Every edge has an action of its own, so that a path tells which marks it collects.
ExplicitGraph random_graph(std::uint64_t seed, std::uint32_t most_nodes) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random);
  };
  ExplicitGraph graph;
  const std::uint32_t nodes = 1 + below(most_nodes);
  const std::uint32_t sets = below(4);
  const std::uint32_t rarity = 2 + below(nodes);
  graph.edges.resize(nodes);
  graph.mark_bits = (1u << sets) - 1;
  for (std::uint32_t i = 0; i <= below(3); ++i) graph.initial_nodes.push_back(below(nodes));
  std::uint32_t action = 0;
  const auto add = [&](std::uint32_t from, std::uint32_t to) {
    std::uint32_t marks = 0;
    for (std::uint32_t set = 0; set < sets; ++set)
      if (below(rarity) == 0) marks |= 1u << set;
    graph.edges[from].push_back({action++, to, below(40) == 0, marks});
  };
  const bool ring = below(8) != 0;
  for (std::uint32_t n = 0; ring && n < nodes; ++n) {
    add(n, (n + 1) % nodes);
    graph.edges[n][0].fails = below(1000) == 0;
  }
  for (std::uint32_t set = 0; ring && set < sets; ++set) graph.edges[below(nodes)][0].marks |= 1u << set;
  const std::uint32_t count = below((ring ? 1 : 2) * nodes + 1);
  for (std::uint32_t i = 0; i < count; ++i) add(below(nodes), below(nodes));
  for (auto& out : graph.edges) std::shuffle(out.begin(), out.end(), random);
  return graph;
}

/// The number of states of a shortest accepting lasso; 0 when there is none.
std::uint64_t oracle(const ExplicitGraph& graph) {
  const std::size_t sets = graph.mark_bits + 1, pairs = graph.edges.size() * sets;
  std::uint64_t best = 0;
  for (const auto& [start, distance] : graph.distances()) {
    std::vector<bool> now(pairs);  // the pairs of a node and marks after exactly this many steps
    now[start * sets] = true;
    for (std::uint64_t steps = 1; steps <= pairs && (best == 0 || distance + steps < best); ++steps) {
      std::vector<bool> next(pairs);
      for (std::size_t n = 0; n < graph.edges.size(); ++n)
        for (std::uint32_t marks = 0; marks < sets; ++marks)
          for (const Edge& edge : graph.edges[n])
            if (now[n * sets + marks] && !edge.fails) next[edge.target * sets + (marks | edge.marks)] = true;
      now = std::move(next);
      if (now[start * sets + graph.mark_bits]) best = distance + steps;
    }
  }
  return best;
}

bool is_accepting_lasso(const ExplicitGraph& graph, Path path) {
  if (!path.loop || *path.loop >= path.states.size() || path.actions.size() != path.states.size())
    return false;
  path.states.push_back(path.states[*path.loop]);
  if (!graph.is_path(path)) return false;
  std::uint32_t marks = 0;
  for (std::size_t i = *path.loop; i < path.actions.size(); ++i)
    for (const Edge& edge : graph.edges[ExplicitGraph::node(path.states[i].data())])
      if (edge.action == path.actions[i]) marks |= edge.marks;
  return marks == graph.mark_bits;
}

std::optional<Path> any_lasso(const ExplicitGraph& graph) {
  Budget budget;
  return SccSearch(graph, Table(graph.state_size())).run(budget).lasso;
}

/// The same run with the cycle spelled out more often, some of it as a part of the stem.
Path stretched(Path path, std::size_t in_stem, std::size_t in_cycle) {
  const auto loop = static_cast<std::ptrdiff_t>(*path.loop);
  const std::vector states(path.states.begin() + loop, path.states.end());
  const std::vector actions(path.actions.begin() + loop, path.actions.end());
  for (std::size_t i = 0; i < in_stem + in_cycle; ++i) {
    path.states.insert(path.states.end(), states.begin(), states.end());
    path.actions.insert(path.actions.end(), actions.begin(), actions.end());
  }
  *path.loop += in_stem * states.size();
  return path;
}

template <MarkedGraph G>
ShortenedLasso shorten(const G& graph, const Path& lasso) {
  Budget budget;
  return LassoShortening(graph, Table(graph.state_size())).run(lasso, budget);
}

/// The same graph, which knows the SCCs that hold accepting cycles.
ExplicitGraph with_regions(ExplicitGraph graph) {
  const auto nodes = static_cast<std::uint32_t>(graph.edges.size());
  std::vector<std::map<std::uint32_t, std::uint64_t>> reached;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    ExplicitGraph from_here = graph;
    from_here.initial_nodes = {n};
    reached.push_back(from_here.distances());
  }
  const auto together = [&](std::uint32_t a, std::uint32_t b) {
    return reached[a].contains(b) && reached[b].contains(a);
  };
  for (std::uint32_t n = 0; n < nodes; ++n) {
    std::uint32_t marks = 0, first = 0;
    bool cyclic = false;
    for (std::uint32_t a = 0; a < nodes; ++a)
      for (const Edge& edge : graph.edges[a])
        if (!edge.fails && together(n, a) && together(n, edge.target)) {
          marks |= edge.marks;
          cyclic = true;
        }
    while (!together(n, first)) ++first;
    graph.regions.push_back(cyclic && marks == graph.mark_bits ? first + 1 : no_region);
  }
  return graph;
}

/// A graph without regions.
struct PlainGraph : ExplicitGraph {
  Region region(const std::byte*) const = delete;
};
static_assert(MarkedGraph<PlainGraph> && !RegionGraph<PlainGraph>);

RC_GTEST_PROP(LassoShortening, FindsTheLeastLength, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 80; ++i) {
    const ExplicitGraph graph = random_graph(seed + i, i % 3 == 0 ? 40 : 12);
    const std::optional<Path> lasso = any_lasso(graph);
    const std::uint64_t least = oracle(graph);
    RC_ASSERT(lasso.has_value() == (least != 0));
    if (test::skip_case(!lasso)) continue;
    for (std::size_t more = 0; more < 3; ++more) {
      const ShortenedLasso shortened = shorten(graph, stretched(*lasso, 2 * more, more));
      RC_ASSERT(shortened.proven);
      RC_ASSERT(is_accepting_lasso(graph, shortened.lasso));
      RC_ASSERT(shortened.lasso.states.size() == least);
    }
  }
}

RC_GTEST_PROP(LassoShortening, NeedsNoRegionsAndUsesThem, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 30; ++i) {
    const ExplicitGraph graph = random_graph(seed + i, 12);
    const std::optional<Path> lasso = any_lasso(graph);
    if (test::skip_case(!lasso)) continue;
    const std::uint64_t least = oracle(graph);
    const Path longer = stretched(*lasso, 1, 1);
    for (const ShortenedLasso& shortened :
         {shorten(PlainGraph(graph), longer), shorten(with_regions(graph), longer)}) {
      RC_ASSERT(shortened.proven);
      RC_ASSERT(is_accepting_lasso(graph, shortened.lasso));
      RC_ASSERT(shortened.lasso.states.size() == least);
    }
  }
}

/// A torus of rows and columns with two marks far apart; it takes many transitions to search it.
ExplicitGraph torus(std::uint32_t rows, std::uint32_t columns) {
  ExplicitGraph graph;
  graph.edges.resize(rows * columns);
  graph.initial_nodes = {0};
  graph.mark_bits = 3;
  for (std::uint32_t n = 0; n < graph.edges.size(); ++n) {
    const std::uint32_t row = n / columns, column = n % columns;
    const std::uint32_t marks = n == rows / 2 * columns + 3 ? 1 : n == 2 * columns + columns / 2 ? 2 : 0;
    graph.edges[n].push_back({2 * n, row * columns + (column + 1) % columns, false, marks});
    graph.edges[n].push_back({2 * n + 1, (row + 1) % rows * columns + column, false, marks});
  }
  return graph;
}

/// Interrupts the search when it expands a state for the last_time-th time.
struct InterruptingGraph : ExplicitGraph {
  InterruptingGraph(const ExplicitGraph& graph, std::uint64_t last_time, std::atomic<bool>& flag)
      : ExplicitGraph(graph), expansions_left(last_time), interrupted(flag) {}

  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    if (--expansions_left == 0) interrupted = true;
    ExplicitGraph::successors(state, sink);
  }

  std::uint64_t expansions_left;
  std::atomic<bool>& interrupted;
};

TEST(LassoShortening, HasAnAcceptingLassoAtAnyTime) {
  const ExplicitGraph graph = torus(31, 37);
  const Path lasso = stretched(any_lasso(graph).value(), 3, 3);
  const std::size_t least = shorten(graph, lasso).lasso.states.size();
  ASSERT_LT(least, lasso.states.size());
  std::size_t on_the_way = 0;
  for (std::uint64_t expansions = 1; expansions < 3000; expansions += 25) {
    std::atomic<bool> interrupted{false};
    Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
    LassoShortening search(InterruptingGraph(graph, expansions, interrupted), Table(graph.state_size()));
    const ShortenedLasso shortened = search.run(lasso, budget);
    EXPECT_TRUE(is_accepting_lasso(graph, shortened.lasso));
    EXPECT_LE(shortened.lasso.states.size(), lasso.states.size());
    EXPECT_TRUE(!shortened.proven || shortened.lasso.states.size() == least);
    on_the_way += !shortened.proven && shortened.lasso.states.size() < lasso.states.size();
  }
  EXPECT_GT(on_the_way, 0u);
}

TEST(LassoShortening, FindsALassoBeforeItCanProveIt) {
  // Each state of a ring is one step away, while around it the graph has 600 states per level.
  constexpr std::uint32_t ring = 20, levels = 30, width = 600;
  ExplicitGraph graph;
  graph.edges.resize(ring + 1 + levels * width);
  graph.initial_nodes = {ring};
  graph.mark_bits = 1;
  for (std::uint32_t n = 0; n < ring; ++n) {
    graph.edges[n].push_back({0, (n + 1) % ring, false, n == 0});
    graph.edges[ring].push_back({n, n});
  }
  for (std::uint32_t i = 1; i <= levels * width; ++i)
    graph.edges[i <= width ? ring : ring + i - width].push_back({ring + i, ring + i});
  const Path lasso = stretched(any_lasso(graph).value(), 3, 3);

  std::atomic<bool> interrupted{false};
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  LassoShortening search(InterruptingGraph(graph, 5000, interrupted), Table(graph.state_size()));
  const ShortenedLasso shortened = search.run(lasso, budget);
  EXPECT_FALSE(shortened.proven);
  EXPECT_EQ(shortened.lasso.states.size(), ring + 1);
}

TEST(LassoShortening, KeepsTransitionsWithinRegionsOnly) {
  ExplicitGraph graph = test::chain(999);
  graph.mark_bits = 1;
  graph.edges[999].push_back({1, 999, false, 1});
  const Path lasso = stretched(any_lasso(graph).value(), 1, 1);
  EXPECT_GT(shorten(graph, lasso).followed, 1000u);
  for (Region n = 0; n < 1000; ++n) graph.regions.push_back(n % 3 == 0 ? n + 1 : no_region);
  EXPECT_LT(shorten(graph, lasso).followed, 10u);
}

TEST(LassoShortening, WithoutABudgetReturnsTheGivenLasso) {
  const ExplicitGraph graph = torus(5, 5);
  const Path lasso = stretched(any_lasso(graph).value(), 1, 1);
  std::atomic<bool> interrupted{true};
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  const ShortenedLasso shortened = LassoShortening(graph, Table(graph.state_size())).run(lasso, budget);
  EXPECT_FALSE(shortened.proven);
  EXPECT_EQ(shortened.lasso.states, lasso.states);
  EXPECT_EQ(shortened.lasso.actions, lasso.actions);
  EXPECT_EQ(shortened.lasso.loop, lasso.loop);
}

TEST(LassoShortening, ProvesNothingWithAFullTable) {
  const ExplicitGraph graph = torus(5, 5);
  const Path lasso = any_lasso(graph).value();
  Budget budget;
  LassoShortening search(graph, Table(graph.state_size(), {.states = 10}));
  const ShortenedLasso shortened = search.run(lasso, budget);
  EXPECT_FALSE(shortened.proven);
  EXPECT_EQ(shortened.lasso.states, lasso.states);
  EXPECT_EQ(budget.reason(), "");
}

/// Runs out of memory with the tenth state.
struct ScarceTable : Table {
  using Table::Table;
  Insertion insert(const std::byte* state, std::uint64_t hash) {
    if (size() == 10) throw std::bad_alloc();
    return Table::insert(state, hash);
  }
};

TEST(LassoShortening, SurvivesTheEndOfMemory) {
  const ExplicitGraph graph = torus(5, 5);
  const Path lasso = any_lasso(graph).value();
  Budget budget;
  const ShortenedLasso shortened = LassoShortening(graph, ScarceTable(graph.state_size())).run(lasso, budget);
  EXPECT_FALSE(shortened.proven);
  EXPECT_EQ(shortened.lasso.states, lasso.states);
  EXPECT_EQ(budget.reason(), "");
}

TEST(LassoShortening, LooksNoFartherThanItNeeds) {
  ExplicitGraph graph = test::chain(100'000);
  graph.mark_bits = 1;
  graph.edges.back().push_back({1, 1, false, 1});  // the long cycle
  graph.edges[5].push_back({2, 3, false, 1});      // the short one
  const Path lasso = any_lasso(graph).value();
  ASSERT_GT(lasso.states.size(), 100'000u);
  const ShortenedLasso shortened = shorten(graph, lasso);
  EXPECT_TRUE(shortened.proven);
  EXPECT_EQ(shortened.lasso.states.size(), 6u);
  EXPECT_EQ(shortened.lasso.loop, 3u);
  EXPECT_LT(shortened.states, 20u);
}

TEST(LassoShortening, TakesADeadlockThatStutters) {
  ExplicitGraph graph = test::chain(3);
  graph.mark_bits = 1;
  graph.edges[3].push_back({no_action, 3, false, 1});
  const ShortenedLasso shortened = shorten(graph, stretched(any_lasso(graph).value(), 2, 2));
  EXPECT_EQ(shortened.lasso.states.size(), 4u);
  EXPECT_EQ(shortened.lasso.actions, (std::vector<ActionId>{0, 0, 0, no_action}));
  EXPECT_EQ(shortened.lasso.loop, 3u);
}

TEST(LassoShortening, KnowsThatOneStateIsLeast) {
  ExplicitGraph graph = test::chain(0);
  graph.edges[0].push_back({0, 0});
  const ShortenedLasso shortened = shorten(graph, any_lasso(graph).value());
  EXPECT_TRUE(shortened.proven);
  EXPECT_EQ(shortened.lasso.states.size(), 1u);
}

TEST(LassoShortening, MayPassAStateTwice) {
  // From node 0 two ways lead out and back, and each has one of the marks.
  ExplicitGraph graph;
  graph.edges = {{{0, 1, false, 1}, {1, 2, false, 2}}, {{2, 0}}, {{3, 0}}};
  graph.initial_nodes = {0};
  graph.mark_bits = 3;
  const ShortenedLasso shortened = shorten(graph, stretched(any_lasso(graph).value(), 1, 1));
  EXPECT_TRUE(shortened.proven);
  EXPECT_EQ(shortened.lasso.states.size(), 4u);
  EXPECT_TRUE(is_accepting_lasso(graph, shortened.lasso));
}

}  // namespace
}  // namespace tideline
