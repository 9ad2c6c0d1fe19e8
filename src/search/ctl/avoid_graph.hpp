// AvoidGraph: a graph in which the cycles that avoid a goal are the accepting ones.
//
// AG AF p fails iff some reachable run avoids p for ever: iff there is a cycle of states without p, where a
// deadlock counts as one. So deadlocks repeat here, by a step without an action, and the states without p are
// a region in which every cycle is accepting: searches for accepting cycles then decide AG AF p.
#pragma once

#include <cstddef>
#include <utility>

#include "graph/progress.hpp"
#include "graph/regions.hpp"

namespace tideline {

/// A predicate p: p.evaluate(state, ModelErrorKind&) is not 0 where it is true.
template <class P>
bool is_true(const P& predicate, const std::byte* state) {
  ModelErrorKind error = ModelErrorKind::none;
  return predicate.evaluate(state, error) != 0;
}

template <ProgressGraph G, class P>
class AvoidGraph {
 public:
  AvoidGraph(G graph, P goal) : graph_(std::move(graph)), goal_(std::move(goal)) {}

  std::size_t state_size() const { return graph_.state_size(); }
  bool is_state(const std::byte* state) const { return is_state_of(graph_, state); }
  Progress progress(const std::byte* state) { return graph_.progress(state); }
  template <class Sink>
  void initial(Sink&& sink) {
    graph_.initial(std::forward<Sink>(sink));
  }
  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    bool deadlock = true;
    graph_.successors(state, [&](const Step& step) {
      deadlock = false;
      sink(step);
    });
    if (deadlock) sink(Step{no_action, state});
  }

  bool accepting(const std::byte*) const { return true; }
  Region region(const std::byte* state) const { return is_true(goal_, state) ? no_region : 1; }
  bool weak() const { return true; }

 private:
  G graph_;
  P goal_;
};

}  // namespace tideline
