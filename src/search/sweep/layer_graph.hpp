// LayerGraph: the states of one layer and the transitions between them, recorded while a sweep expands them.
//
// Nodes are numbered in the order of expansion and come with their edges, so the graph is in memory as
// adjacency lists without any sorting: four bytes per node and edge, for the current layer only. Cycles and
// SCCs of a layer thus need no second expansion of any state.
//
// LayerGraphParts: the same where several threads sweep. Each part records its nodes, and the edges that come
// to them, eight bytes each; whole() sorts them by their sources when somebody wants to look at the graph.
// With one part it is the LayerGraph from the beginning.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/sccs.hpp"
#include "store/memory.hpp"

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

  /// Makes it a graph with these bits by node. fill(add) calls add(from, to) for every edge; it is called twice.
  template <class Fill>
  void assign(std::vector<std::uint8_t> bits, bool turns_back, const Fill& fill) {
    bits_ = std::move(bits);
    turns_back_ = turns_back;
    first_.assign(bits_.size() + 1, 0);
    fill([&](Node from, Node) { ++first_[from + 1]; });
    for (std::size_t node = 1; node < first_.size(); ++node) first_[node] += first_[node - 1];
    edges_.resize(first_.back());
    fill([&](Node from, Node to) { edges_[first_[from]++] = {to}; });
    first_.insert(first_.begin(), 0);  // each is where the next one began
    first_.resize(bits_.size());
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

/// See the top of this file. Nodes are numbered as in watch.hpp.
class LayerGraphParts {
 public:
  using Node = LayerGraph::Node;

  void set_parts(unsigned count) { parts_ = std::vector<Part>(count); }

  void clear() {
    if (parts_.size() == 1) return whole_.clear();
    for (Part& part : parts_)
      if (!part.bits.empty() || !part.edges.empty()) part.clear();
  }
  /// By the thread of the part: its next node, with some bits of the caller's own. Returns its number.
  Node add_node(unsigned part, std::uint8_t bits) {
    if (parts_.size() == 1) {
      whole_.add_node(bits);
      return whole_.size() - 1;
    }
    parts_[part].bits.push_back(bits);
    return static_cast<Node>((parts_[part].bits.size() - 1) * parts_.size() + part);
  }
  /// By the thread of the part that `to` is in. With one part, from the last node.
  void add_edge(unsigned part, Node from, Node to) {
    if (parts_.size() == 1) return whole_.add_edge(to);
    Part& own = parts_[part];
    own.edges.push_back({from, to});
    own.turns_back = own.turns_back || is_expanded(part, to);
  }
  /// With one part: forgets the edges of the last node.
  void drop_edges() { whole_.drop_edges(); }
  /// Whether a node of the part has been added.
  bool is_expanded(unsigned part, Node node) const {
    return parts_.size() == 1 ? node < whole_.size() : node / parts_.size() < parts_[part].bits.size();
  }
  /// How many nodes of the part have been added.
  Node size_of(unsigned part) const {
    return parts_.size() == 1 ? whole_.size() : static_cast<Node>(parts_[part].bits.size());
  }

  /// Everything so far, by one thread. Where some parts have fewer nodes than others, numbers between are
  /// nodes without edges and bits.
  LayerGraph& whole() {
    if (parts_.size() == 1) return whole_;
    std::size_t longest = 0;
    bool turns_back = false;
    for (const Part& part : parts_) {
      longest = std::max(longest, part.bits.size());
      turns_back = turns_back || part.turns_back;
    }
    std::vector<std::uint8_t> bits(longest * parts_.size());
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (std::size_t i = 0; i < parts_[p].bits.size(); ++i) bits[i * parts_.size() + p] = parts_[p].bits[i];
    whole_.assign(std::move(bits), turns_back, [&](const auto& add) {
      for (const Part& part : parts_)
        for (const auto& [from, to] : part.edges) add(from, to);
    });
    return whole_;
  }
  /// Whether whole() may have a cycle.
  bool may_have_cycle() const {
    if (parts_.size() == 1) return whole_.may_have_cycle();
    return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.turns_back; });
  }

 private:
  struct Edge {
    Node from, to;
  };
  struct alignas(cache_line) Part {
    std::vector<std::uint8_t> bits;
    std::vector<Edge> edges;
    bool turns_back = false;  // an edge leads to a node that was expanded before it came there

    void clear() {
      bits.clear();
      edges.clear();
      turns_back = false;
    }
  };

  std::vector<Part> parts_ = std::vector<Part>(1);
  LayerGraph whole_;
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
