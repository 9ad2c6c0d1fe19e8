// LayerGraph: the states of one layer and the transitions between them, recorded while a sweep expands them.
//
// Nodes are numbered in the order of expansion and come with their edges, so the graph is in memory as
// adjacency lists without any sorting: four bytes per node and edge, for the current layer only. Cycles and
// SCCs of a layer thus need no second expansion of any state.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/sccs.hpp"

namespace tideline {

class LayerGraph {
 public:
  using Node = std::uint32_t;

  void clear() {
    first_.clear();
    edges_.clear();
    bits_.clear();
    turns_back_ = false;
  }
  /// The next node, with some bits of the caller's own.
  void add_node(std::uint8_t bits) {
    first_.push_back(edges_.size());
    bits_.push_back(bits);
  }
  /// From the last node. Nodes may be named before they are added.
  void add_edge(Node to) {
    edges_.push_back({to});
    turns_back_ = turns_back_ || to < first_.size();
  }

  /// Forgets the edges of the last node.
  void drop_edges() { edges_.resize(first_.back()); }

  Node size() const { return static_cast<Node>(first_.size()); }
  std::uint8_t bits(Node node) const { return bits_[node]; }
  std::uint8_t& last_bits() { return bits_.back(); }
  /// False: there is no cycle, since every edge leads to a later node.
  bool may_have_cycle() const { return turns_back_; }

  /// By node: its SCC, from 1 on; an SCC comes after all it leads to. Nothing when go_on() returned false.
  template <class GoOn>
  std::optional<std::vector<std::uint32_t>> sccs(const GoOn& go_on) {
    first_.push_back(edges_.size());
    std::vector<std::uint32_t> of = tideline::sccs(size() - 1, first_, edges_, go_on);
    first_.pop_back();
    if (!of.empty() && of.front() == 0) return std::nullopt;
    return of;
  }

  /// Calls visit(from, to) for every edge.
  template <class Visit>
  void for_each_edge(const Visit& visit) const {
    for (Node node = 0; node < size(); ++node) successors(node, [&](Node to) { visit(node, to); });
  }
  /// Calls visit(to) for every edge of the node.
  template <class Visit>
  void successors(Node node, const Visit& visit) const {
    const std::uint64_t end = node + 1 < size() ? first_[node + 1] : edges_.size();
    for (std::uint64_t e = first_[node]; e < end; ++e) visit(edges_[e].node);
  }

 private:
  struct Edge {
    Node node;
  };

  std::vector<std::uint64_t> first_;
  std::vector<Edge> edges_;
  std::vector<std::uint8_t> bits_;
  bool turns_back_ = false;
};

/// A node with one of these bits that lies on a cycle of the nodes so far, if there is any. Stops looking
/// when go_on() is false.
template <class GoOn>
std::optional<LayerGraph::Node> node_on_cycle(LayerGraph& graph, std::uint8_t wanted, const GoOn& go_on) {
  if (!graph.may_have_cycle()) return std::nullopt;
  const auto scc = graph.sccs(go_on);
  if (!scc) return std::nullopt;
  std::optional<LayerGraph::Node> found;
  std::vector<bool> cyclic(graph.size() + 1);
  graph.for_each_edge([&](LayerGraph::Node from, LayerGraph::Node to) {
    if (to < graph.size() && (*scc)[from] == (*scc)[to]) cyclic[(*scc)[from]] = true;
  });
  for (LayerGraph::Node node = 0; node < graph.size() && !found; ++node)
    if (cyclic[(*scc)[node]] && (graph.bits(node) & wanted) != 0) found = node;
  return found;
}

}  // namespace tideline
