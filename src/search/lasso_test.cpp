// The searches for accepting cycles against an oracle that computes reachability between all pairs of nodes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "search/explicit_graph.hpp"
#include "search/ndfs.hpp"
#include "search/scc.hpp"
#include "store/segmented_table.hpp"

namespace tideline {
namespace {

using test::Edge;
using test::ExplicitGraph;

static_assert(BuchiGraph<ExplicitGraph> && MarkedGraph<ExplicitGraph>);

/// Random graphs around the size where about half of them have an accepting cycle.
ExplicitGraph random_graph(std::uint64_t seed, unsigned sets) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random);
  };
  ExplicitGraph graph;
  const std::uint32_t nodes = 1 + below(25);
  graph.edges.resize(nodes);
  graph.initial_nodes = {below(nodes)};
  if (below(3) == 0) graph.initial_nodes.push_back(below(nodes));
  graph.mark_bits = (1u << sets) - 1;
  const std::uint32_t count = below(2 * nodes + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t marks = 0;
    for (unsigned set = 0; set < sets; ++set)
      if (below(5) == 0) marks |= 1u << set;
    graph.edges[below(nodes)].push_back({below(4), below(nodes), below(40) == 0, marks});
  }
  for (std::uint32_t n = 0; n < nodes; ++n)
    if (below(8) == 0) graph.accepting_nodes.insert(n);
  return graph;
}

/// reaches[a][b]: there is a way of at least one step from a to b.
std::vector<std::vector<bool>> closure(const ExplicitGraph& graph) {
  const std::size_t n = graph.edges.size();
  std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n, false));
  for (std::size_t a = 0; a < n; ++a)
    for (const Edge& edge : graph.edges[a])
      if (!edge.fails) reaches[a][edge.target] = true;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        if (reaches[a][k] && reaches[k][b]) reaches[a][b] = true;
  return reaches;
}

bool oracle_states(const ExplicitGraph& graph) {
  const auto reaches = closure(graph);
  const auto reachable = graph.distances();
  return std::ranges::any_of(graph.accepting_nodes,
                             [&](std::uint32_t n) { return reachable.contains(n) && reaches[n][n]; });
}

bool oracle_marks(const ExplicitGraph& graph) {
  const auto reaches = closure(graph);
  for (const auto& [node, distance] : graph.distances()) {
    if (!reaches[node][node]) continue;
    std::uint32_t marks = 0;
    for (std::uint32_t a = 0; a < graph.edges.size(); ++a)
      for (const Edge& edge : graph.edges[a])
        if (!edge.fails && (a == node || reaches[node][a]) && reaches[a][node] &&
            (edge.target == node || reaches[edge.target][node]))
          marks |= edge.marks;
    if (marks == graph.mark_bits) return true;
  }
  return false;
}

/// Whether the path is a lasso of the graph; collects what its cycle visits.
bool is_lasso(const ExplicitGraph& graph, Path path, std::uint32_t& marks, bool& accepting) {
  if (!path.loop || *path.loop >= path.states.size() || path.actions.size() != path.states.size())
    return false;
  const std::size_t loop = *path.loop;
  path.states.push_back(path.states[loop]);
  if (!graph.is_path(path)) return false;
  marks = 0;
  accepting = false;
  for (std::size_t i = loop; i + 1 < path.states.size(); ++i) {
    const std::uint32_t from = ExplicitGraph::node(path.states[i].data());
    accepting |= graph.accepting_nodes.contains(from);
    for (const Edge& edge : graph.edges[from])
      if (!edge.fails && edge.action == path.actions[i] &&
          edge.target == ExplicitGraph::node(path.states[i + 1].data()))
        marks |= edge.marks;
  }
  return true;
}

using Table = SegmentedTable<>;

LassoResult nested(const ExplicitGraph& graph) {
  Budget budget;
  return NestedDepthFirstSearch(graph, Table(graph.state_size())).run(budget);
}

LassoResult components(const ExplicitGraph& graph) {
  Budget budget;
  return SccSearch(graph, Table(graph.state_size())).run(budget);
}

RC_GTEST_PROP(NestedDepthFirstSearch, agrees_with_the_oracle, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const ExplicitGraph graph = random_graph(seed + i, 0);
    const LassoResult result = nested(graph);
    RC_ASSERT((result.end == SearchEnd::satisfied) == oracle_states(graph));
    RC_ASSERT((result.end == SearchEnd::complete) == !result.lasso);
    RC_ASSERT(result.expansions <= 2 * result.states);
    if (!result.lasso) continue;
    std::uint32_t marks;
    bool accepting;
    RC_ASSERT(is_lasso(graph, *result.lasso, marks, accepting) && accepting);
  }
}

RC_GTEST_PROP(SccSearch, agrees_with_the_oracle, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const ExplicitGraph graph = random_graph(seed + i, static_cast<unsigned>((seed + i) % 4));
    const LassoResult result = components(graph);
    RC_ASSERT((result.end == SearchEnd::satisfied) == oracle_marks(graph));
    RC_ASSERT((result.end == SearchEnd::complete) == !result.lasso);
    RC_ASSERT(result.expansions <= result.states);
    if (!result.lasso) continue;
    std::uint32_t marks;
    bool accepting;
    RC_ASSERT(is_lasso(graph, *result.lasso, marks, accepting) && marks == graph.mark_bits);
  }
}

RC_GTEST_PROP(LassoSearches, agree_where_acceptance_is_on_states, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    ExplicitGraph graph = random_graph(seed + i, 0);
    graph.mark_bits = 1;
    for (const std::uint32_t n : graph.accepting_nodes)
      for (Edge& edge : graph.edges[n]) edge.marks = 1;
    RC_ASSERT(nested(graph).end == components(graph).end);
  }
}

TEST(LassoSearches, a_stack_may_be_deep) {
  ExplicitGraph graph = test::chain(300'000);
  graph.mark_bits = 1;
  graph.edges.back().push_back({0, 1, false, 1});
  graph.accepting_nodes = {300'000};
  for (const LassoResult& result : {nested(graph), components(graph)}) {
    ASSERT_TRUE(result.lasso);
    EXPECT_EQ(result.lasso->loop, 1u);
    EXPECT_EQ(result.lasso->states.size(), 300'001u);
  }
}

TEST(LassoSearches, end_with_the_budget) {
  const ExplicitGraph graph = test::chain(100'000);
  std::atomic<bool> interrupted{true};
  const auto limits = [&] {
    return Budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_progress = {}});
  };
  Budget first = limits(), second = limits();
  EXPECT_EQ(NestedDepthFirstSearch(graph, Table(graph.state_size())).run(first).end, SearchEnd::exhausted);
  EXPECT_EQ(SccSearch(graph, Table(graph.state_size())).run(second).end, SearchEnd::exhausted);
  EXPECT_EQ(second.reason(), "interrupted");
}

}  // namespace
}  // namespace tideline
