// Strongly connected components (SCCs) of a graph in memory whose nodes are numbers.
//
//   H. N. Gabow: Path-based depth-first search for strong and biconnected components, 2000. Without
//   recursion.
#pragma once

#include <cstdint>
#include <vector>

namespace tideline {

/// By node: the number of its SCC, from 1 on. The nodes are 0, ..., count - 1, the edges of node n are
/// edges[first[n]] up to edges[first[n + 1]], and those to other nodes do not count. Gives up and returns 0
/// for all nodes when go_on() is false after an edge.
template <class First, class Edges, class GoOn>
std::vector<std::uint32_t> sccs(std::uint32_t count, const First& first, const Edges& edges,
                                const GoOn& go_on) {
  struct Frame {
    std::uint32_t node;
    std::uint64_t next;  // edge
  };
  std::vector<std::uint32_t> order(count), scc(count), live, roots;
  std::vector<Frame> stack;
  std::uint32_t met = 0, closed = 0;
  const auto enter = [&](std::uint32_t n) {
    order[n] = ++met;
    live.push_back(n);
    roots.push_back(n);
    stack.push_back({n, first[n]});
  };
  const auto close = [&](std::uint32_t root) {
    roots.pop_back();
    ++closed;
    for (bool last = false; !last; live.pop_back()) {
      scc[live.back()] = closed;
      last = live.back() == root;
    }
  };
  for (std::uint32_t start = 0; start < count; ++start) {
    if (order[start] != 0) continue;
    enter(start);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == first[node + 1]) {
        if (roots.back() == node) close(node);
        stack.pop_back();
        continue;
      }
      if (!go_on()) return std::vector<std::uint32_t>(count);
      const std::uint32_t to = edges[next++].node;
      if (to >= count) continue;
      if (order[to] == 0)
        enter(to);
      else if (scc[to] == 0)
        while (order[roots.back()] > order[to]) roots.pop_back();
    }
  }
  return scc;
}

}  // namespace tideline
