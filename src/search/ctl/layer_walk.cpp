#include "search/ctl/layer_walk.hpp"

#include <algorithm>

#include "graph/sccs.hpp"
#include "model/error.hpp"
#include "search/core/observer.hpp"

namespace tideline {

CtlLayerWalk::CtlLayerWalk(WrittenLayers& layers, RecordFile& labels,
                           const std::vector<CtlQuestion>& questions, std::size_t question, CtlPlace start,
                           Budget& budget)
    : layers_(layers), labels_(labels), questions_(questions), question_(question), budget_(budget) {
  layer_.atom_bytes = layers.atom_bytes;
  load(start.record);
  node_ = start.node;
}

void CtlLayerWalk::load(std::uint64_t record) {
  decode(layers_.file->read(record), layer_);
  sets_ = labels_of(record, layer_.size());
  later_.clear();
}

CtlLayerSets CtlLayerWalk::labels_of(std::uint64_t record, std::uint32_t states) const {
  const std::uint64_t place = layers_.file->size() - 1 - record;  // the last layer's were written first
  return read_labels(labels_, place, questions_, question_, states, layers_.errors);
}

/// Whether the subformula is certainly true where the edge leads.
bool CtlLayerWalk::is_true(const CtlLayer::Edge& edge, NodeId node) {
  if (edge.place == CtlLayer::here) return sets_.is(node, edge.index, true);
  auto found = later_.find(edge.place);
  if (found == later_.end()) {
    const std::uint64_t record = layers_.record_of[edge.place];
    CtlLayer layer;
    layer.atom_bytes = layers_.atom_bytes;
    decode(layers_.file->read(record), layer);
    found = later_.emplace(edge.place, labels_of(record, layer.size())).first;
  }
  return found->second.is(node, edge.index, true);
}

bool CtlLayerWalk::go_on() {
  if (++looked_at_ % poll_every == 0 && budget_.exhausted({})) stopped_ = true;
  return !stopped_;
}

void CtlLayerWalk::take(CtlLayer::Edge edge, std::uint32_t step) {
  steps_.push_back(step);
  if (edge.place != CtlLayer::here) load(layers_.record_of[edge.place]);
  node_ = edge.index;
}

void CtlLayerWalk::go_next(NodeId f) {
  if (layer_.is_deadlock(node_)) {
    steps_.push_back(repeat);
    return;
  }
  const auto edges = layer_.edges_of(node_);
  for (std::uint32_t step = 0; step < edges.size(); ++step)
    if (is_true(edges[step], f)) return take(edges[step], step);
  throw Error(ErrorKind::internal, "a state lacks the successor that it should have");
}

/// Appends a shortest way to a node with `ends`, or over an edge of a node with `leaves` to a later layer;
/// between are nodes with `allowed`. Returns whether it ended.
template <class Allowed, class Ends, class Leaves>
bool CtlLayerWalk::go_within_layer(const Allowed& allowed, const Ends& ends, const Leaves& leaves) {
  std::unordered_map<std::uint32_t, Arrival> arrivals{{node_, {node_, 0}}};
  std::vector<std::uint32_t> queue{node_};
  for (std::size_t i = 0; i < queue.size() && !stopped_; ++i) {
    const std::uint32_t node = queue[i];
    if (ends(node)) {
      follow_back(node, arrivals);
      return true;
    }
    const auto edges = layer_.edges_of(node);
    for (std::uint32_t step = 0; step < edges.size() && go_on(); ++step) {
      const CtlLayer::Edge& edge = edges[step];
      if (edge.place != CtlLayer::here) {
        if (!leaves(edge)) continue;
        follow_back(node, arrivals);
        take(edge, step);
        return false;
      }
      if ((allowed(edge.index) || ends(edge.index)) && arrivals.try_emplace(edge.index, node, step).second)
        queue.push_back(edge.index);
    }
  }
  if (!stopped_) throw Error(ErrorKind::internal, "a layer lacks the path that it should have");
  return false;
}

void CtlLayerWalk::follow_back(std::uint32_t node,
                               const std::unordered_map<std::uint32_t, Arrival>& arrivals) {
  const auto end = static_cast<std::ptrdiff_t>(steps_.size());
  for (std::uint32_t n = node; n != node_; n = arrivals.at(n).from) steps_.push_back(arrivals.at(n).step);
  std::reverse(steps_.begin() + end, steps_.end());
  node_ = node;
}

void CtlLayerWalk::go_until(NodeId node) {
  const NodeId g = formula().nodes[node].right;
  bool ended = false;
  while (!ended && !stopped_)
    ended = go_within_layer([&](std::uint32_t n) { return sets_.is(node, n, true); },
                            [&](std::uint32_t n) { return sets_.is(g, n, true); },
                            [&](const CtlLayer::Edge& edge) { return is_true(edge, node); });
}

void CtlLayerWalk::go_on_always(NodeId node) {
  std::vector<std::uint32_t> scc;
  const auto goes_round = [&](std::uint32_t n) {
    const auto edges = layer_.edges_of(n);
    return std::any_of(edges.begin(), edges.end(), [&](const CtlLayer::Edge& edge) {
      return edge.place == CtlLayer::here && scc[edge.index] == scc[n];
    });
  };
  bool ended = false;
  while (!ended && !stopped_) {
    scc = sccs_within(sets_.certain[node]);
    if (stopped_) return;
    ended = go_within_layer(
        [&](std::uint32_t n) { return sets_.is(node, n, true); },
        [&](std::uint32_t n) { return sets_.is(node, n, true) && (layer_.is_deadlock(n) || goes_round(n)); },
        [&](const CtlLayer::Edge& edge) { return is_true(edge, node); });
  }
  if (stopped_) return;
  if (!layer_.is_deadlock(node_)) {
    loop_ = steps_.size();
    go_round(scc);
  } else if (questions_[question_].paths == DeadlockPaths::stutter) {
    loop_ = steps_.size();
    steps_.push_back(repeat);
  }
}

/// Appends a shortest cycle through the last state, within its SCC.
void CtlLayerWalk::go_round(const std::vector<std::uint32_t>& scc) {
  const std::uint32_t anchor = node_;
  const auto step_back = [&](std::uint32_t n) {
    const auto edges = layer_.edges_of(n);
    const auto closing = std::find(edges.begin(), edges.end(), CtlLayer::Edge{CtlLayer::here, anchor});
    return closing == edges.end() ? repeat : static_cast<std::uint32_t>(closing - edges.begin());
  };
  go_within_layer([&](std::uint32_t n) { return scc[n] == scc[anchor]; },
                  [&](std::uint32_t n) { return scc[n] == scc[anchor] && step_back(n) != repeat; },
                  [](const CtlLayer::Edge&) { return false; });
  steps_.push_back(step_back(node_));
  node_ = anchor;
}

/// SCCs of the part of the layer that is `inside`.
std::vector<std::uint32_t> CtlLayerWalk::sccs_within(const BitSet& inside) {
  struct Target {
    std::uint32_t node;
  };
  struct Edges {
    const CtlLayer& layer;
    const BitSet& set;
    Target operator[](std::uint64_t e) const {
      const CtlLayer::Edge& edge = layer.edges[e];
      return {edge.place == CtlLayer::here && set.test(edge.index) ? edge.index : ~std::uint32_t{0}};
    }
  };
  return sccs(layer_.size(), layer_.first, Edges{layer_, inside}, [&] { return go_on(); });
}

}  // namespace tideline
