// For tests: a graph given edge by edge, and plain facts about it, computed the obvious way.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "graph/graph.hpp"
#include "graph/regions.hpp"
#include "run/outcome.hpp"

namespace tideline::test {

struct Edge {
  std::uint32_t action = 0;
  std::uint32_t target = 0;
  bool fails = false;  ///< ends in a model error
  std::uint32_t marks = 0;
};

/// Nodes are numbers; a packed state is the number, scrambled over state_bytes bytes.
struct ExplicitGraph {
  static constexpr std::size_t state_bytes = 9;

  std::vector<std::vector<Edge>> edges;
  std::vector<std::uint32_t> initial_nodes;
  std::set<std::uint32_t> accepting_nodes = {};
  std::uint32_t mark_bits = 0;       ///< all acceptance marks
  std::vector<Region> regions = {};  ///< by node; empty: all in one
  bool is_weak = false;

  static std::array<std::byte, state_bytes> pack(std::uint32_t node) {
    std::array<std::byte, state_bytes> state{};
    std::memcpy(state.data() + 2, &node, sizeof node);
    state[0] = static_cast<std::byte>(node * 37);
    return state;
  }
  static std::uint32_t node(const std::byte* state) {
    std::uint32_t number;
    std::memcpy(&number, state + 2, sizeof number);
    return number;
  }

  std::size_t state_size() const { return state_bytes; }

  template <class Sink>
  void initial(Sink&& sink) {
    for (const std::uint32_t n : initial_nodes) sink(pack(n).data());
  }

  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    for (const Edge& edge : edges[node(state)]) {
      const auto target = pack(edge.target);
      sink(Step{edge.action, edge.fails ? nullptr : target.data(),
                edge.fails ? ModelErrorKind::division_by_zero : ModelErrorKind::none, edge.marks});
    }
  }

  bool accepting(const std::byte* state) const { return accepting_nodes.contains(node(state)); }
  std::uint32_t all_marks() const { return mark_bits; }
  Region region(const std::byte* state) const { return regions.empty() ? 1 : regions[node(state)]; }
  bool weak() const { return is_weak; }

  std::size_t action_count() const {
    std::size_t count = 1;
    for (const auto& out : edges)
      for (const Edge& edge : out) count = std::max<std::size_t>(count, edge.action + 1);
    return count;
  }

  /// Distance of every reachable node from the nearest initial one.
  std::map<std::uint32_t, std::uint64_t> distances() const {
    std::map<std::uint32_t, std::uint64_t> distance;
    std::deque<std::uint32_t> queue;
    for (const std::uint32_t n : initial_nodes)
      if (distance.emplace(n, 0).second) queue.push_back(n);
    for (; !queue.empty(); queue.pop_front())
      for (const Edge& edge : edges[queue.front()])
        if (!edge.fails && distance.emplace(edge.target, distance[queue.front()] + 1).second)
          queue.push_back(edge.target);
    return distance;
  }

  /// Whether every step of the path is an edge, from an initial node on.
  bool is_path(const Path& path) const {
    if (path.states.empty() || path.actions.size() + 1 != path.states.size()) return false;
    const auto at = [&](std::size_t i) { return node(path.states[i].data()); };
    if (std::ranges::find(initial_nodes, at(0)) == initial_nodes.end()) return false;
    for (std::size_t i = 0; i < path.actions.size(); ++i)
      if (std::ranges::none_of(edges[at(i)], [&](const Edge& e) {
            return !e.fails && e.action == path.actions[i] && e.target == at(i + 1);
          }))
        return false;
    return true;
  }
};
static_assert(Graph<ExplicitGraph>);

/// A random graph: sparse enough that not everything is reachable, with parallel edges, self loops,
/// deadlocks, failing actions and several initial nodes (which may repeat).
inline ExplicitGraph arbitrary_graph() {
  const auto nodes = *rc::gen::inRange<std::uint32_t>(1, 120);
  const auto node = rc::gen::resize(1000, rc::gen::inRange<std::uint32_t>(0, nodes));
  ExplicitGraph graph;
  graph.edges.resize(nodes);
  const auto count = *rc::gen::inRange<std::size_t>(0, nodes * 3);
  for (std::size_t i = 0; i < count; ++i) {
    const auto action = *rc::gen::inRange<std::uint32_t>(0, 10);
    const bool fails = *rc::gen::inRange(0, 50) == 0;
    graph.edges[*node].push_back({action, *node, fails});
  }
  graph.initial_nodes =
      *rc::gen::nonEmpty(rc::gen::resize(3, rc::gen::container<std::vector<std::uint32_t>>(node)));
  return graph;
}

/// A chain 0 -> 1 -> ... -> length.
inline ExplicitGraph chain(std::uint32_t length) {
  ExplicitGraph graph;
  graph.initial_nodes = {0};
  graph.edges.resize(length + 1);
  for (std::uint32_t n = 0; n < length; ++n) graph.edges[n].push_back({0, n + 1});
  return graph;
}

/// One state with very many transitions to itself; the search is interrupted among them.
struct ManySteps {
  static constexpr std::size_t bytes = 16;
  static constexpr std::uint64_t count = 50'000'000;

  std::atomic<bool>* interrupted;

  std::size_t state_size() const { return bytes; }
  template <class Sink>
  void initial(Sink&& sink) {
    sink(state());
  }
  template <class Sink>
  void successors(const std::byte*, Sink&& sink) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i == 2000) *interrupted = true;
      sink(Step{0, state()});
    }
  }
  bool accepting(const std::byte*) const { return false; }
  Region region(const std::byte*) const { return 1; }
  bool weak() const { return false; }

 private:
  static const std::byte* state() {
    static constexpr std::array<std::byte, bytes> only{};
    return only.data();
  }
};

/// A predicate made of any function of a node.
struct NodePredicate {
  std::function<std::int64_t(std::uint32_t, ModelErrorKind&)> function;

  std::int64_t evaluate(const std::byte* state, ModelErrorKind& error) const {
    return function(ExplicitGraph::node(state), error);
  }
};

inline NodePredicate is_node(std::uint32_t wanted) {
  return {[=](std::uint32_t n, ModelErrorKind&) { return n == wanted; }};
}

}  // namespace tideline::test
