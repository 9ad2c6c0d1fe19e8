// For tests: random graphs with Büchi acceptance, whether they have an accepting cycle, and whether a path is
// an accepting lasso, all computed the obvious way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "search/lassos/lasso_search.hpp"
#include "testing/explicit_graph.hpp"

namespace tideline::test {

/// Random graphs around the size where about half of them have an accepting cycle.
inline ExplicitGraph random_graph(std::uint64_t seed, unsigned sets) {
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
inline std::vector<std::vector<bool>> closure(const ExplicitGraph& graph) {
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

inline bool oracle_states(const ExplicitGraph& graph) {
  const auto reaches = closure(graph);
  const auto reachable = graph.distances();
  return std::ranges::any_of(graph.accepting_nodes,
                             [&](std::uint32_t n) { return reachable.contains(n) && reaches[n][n]; });
}

inline bool oracle_marks(const ExplicitGraph& graph) {
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
inline bool is_lasso(const ExplicitGraph& graph, Path path, std::uint32_t& marks, bool& accepting) {
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

/// A graph cut into regions, as a product with an automaton is: edges never lead to a lower one. A region
/// without an accepting node does not count as one. `weak`: in a region all nodes accept.
inline ExplicitGraph random_regions(std::uint64_t seed, bool weak) {
  ExplicitGraph graph = random_graph(seed, 0);
  std::mt19937_64 random(~seed);
  const auto below = [&](std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random);
  };
  const auto nodes = static_cast<std::uint32_t>(graph.edges.size());
  for (std::uint32_t n = 0; n < nodes; ++n) graph.regions.push_back(1 + below(4));
  for (std::uint32_t n = 0; n < nodes; ++n)
    std::erase_if(graph.edges[n],
                  [&](const Edge& edge) { return graph.regions[edge.target] < graph.regions[n]; });
  const std::uint32_t accepting_regions = below(16);
  graph.is_weak = weak;
  if (weak) {
    graph.accepting_nodes.clear();
    for (std::uint32_t n = 0; n < nodes; ++n)
      if (accepting_regions >> (graph.regions[n] - 1) & 1) graph.accepting_nodes.insert(n);
  }
  const std::vector<Region> regions = graph.regions;
  for (Region& region : graph.regions)
    if (std::ranges::none_of(graph.accepting_nodes, [&](std::uint32_t n) { return regions[n] == region; }))
      region = no_region;
  return graph;
}

/// Graphs of all shapes in turn.
inline ExplicitGraph random_shape(std::uint64_t seed) {
  return seed % 3 == 0 ? random_graph(seed, 0) : random_regions(seed, seed % 3 == 1);
}

/// What every search for accepting states must do.
inline void expect_right(const ExplicitGraph& graph, const LassoResult& result) {
  RC_ASSERT(result.end == (oracle_states(graph) ? SearchEnd::satisfied : SearchEnd::complete));
  RC_ASSERT(result.lasso.has_value() == (result.end == SearchEnd::satisfied));
  if (result.end == SearchEnd::complete) RC_ASSERT(result.states == graph.distances().size());
  if (!result.lasso) return;
  std::uint32_t marks = 0;
  bool accepting;
  RC_ASSERT(is_lasso(graph, *result.lasso, marks, accepting) && accepting);
}

}  // namespace tideline::test
