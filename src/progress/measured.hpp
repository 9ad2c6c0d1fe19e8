// Measured: a graph together with a measure of its states models ProgressGraph.
//
// The graph's packed states begin with a packed state of the system that the measure was made for: the
// interpreter's do, and those of its products do.
#pragma once

#include <cstddef>
#include <utility>

#include "graph/graph.hpp"
#include "graph/progress.hpp"
#include "progress/measure.hpp"

namespace tideline {

template <Graph G>
class Measured {
 public:
  Measured(G graph, Measure measure) : graph_(std::move(graph)), measure_(std::move(measure)) {}

  const G& graph() const { return graph_; }
  G& graph() { return graph_; }
  const Measure& measure() const { return measure_; }
  void set_measure(Measure measure) { measure_ = std::move(measure); }

  std::size_t state_size() const { return graph_.state_size(); }
  bool is_state(const std::byte* state) const { return is_state_of(graph_, state); }
  template <class Sink>
  void initial(Sink&& sink) {
    graph_.initial(std::forward<Sink>(sink));
  }
  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    graph_.successors(state, std::forward<Sink>(sink));
  }
  Progress progress(const std::byte* state) const { return measure_(state); }

 private:
  G graph_;
  Measure measure_;
};

}  // namespace tideline
