// CycleGraph: the paths from a state back to itself, for a state known to lie on an accepting cycle.
//
// States come in two copies, before and after an accepting state was passed, so the cycle closes where the
// state is met again in the second copy. A sweep over this graph finds it and knows the way from its log.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "model/scratch_state.hpp"
#include "search/lassos/lasso_search.hpp"
#include "search/sweep/sweep.hpp"

namespace tideline {

template <class G>
class CycleGraph {
 public:
  /// With `within_layer` the cycle stays where the progress is that of the state.
  CycleGraph(G graph, const std::byte* root, bool within_layer)
      : graph_(std::move(graph)),
        bytes_(graph_.state_size()),
        root_(root, root + bytes_),
        region_(graph_.region(root)),
        scratch_(bytes_ + 1) {
    if (within_layer) layer_ = graph_.progress(root);
  }

  std::size_t state_size() const { return bytes_ + 1; }
  Progress progress(const std::byte* state) { return graph_.progress(state); }

  template <class Sink>
  void initial(Sink&& sink) {
    sink(copy(root_.data(), graph_.accepting(root_.data())));
  }
  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    const bool passed = state[bytes_] != std::byte{0};
    graph_.successors(state, [&](const Step& step) {
      if (!step.state || graph_.region(step.state) != region_) return;
      if (layer_ && graph_.progress(step.state) != *layer_) return;
      Step twin = step;
      twin.state = copy(step.state, passed || graph_.accepting(step.state));
      sink(twin);
    });
  }
  bool closes(const std::byte* state) const {
    return state[bytes_] != std::byte{0} && std::memcmp(state, root_.data(), bytes_) == 0;
  }

 private:
  const std::byte* copy(const std::byte* state, bool passed) {
    std::memcpy(scratch_.data(), state, bytes_);
    scratch_.data()[bytes_] = static_cast<std::byte>(passed);
    return scratch_.data();
  }

  G graph_;
  std::size_t bytes_;
  std::vector<std::byte> root_;
  Region region_;
  std::optional<Progress> layer_;
  ScratchState scratch_;
};

namespace detail {

template <class G>
struct ClosingStep {
  const CycleGraph<G>* graph;
  PathBuilder before = {};
  ActionId action = no_action;
  bool found = false;

  template <class Locate>
  void on_state(const std::byte*, const Locate&) {}
  template <class Locate>
  void on_step(const Step& step, const Locate& locate) {
    if (found || !graph->closes(step.state)) return;
    found = true;
    before = locate();
    action = step.action;
  }
  template <class Locate>
  void on_deadlock(const Locate&) {}
  bool done() const { return found; }
  void adopt(const ClosingStep& other) {
    if (!found) *this = other;
  }
  void absorb(const ClosingStep& other) { adopt(other); }
};

}  // namespace detail

/// Adds a cycle to a run that ends in a state on one; nothing when the budget ended before it was found.
template <class G>
std::optional<Path> close_cycle(const G& graph, Path run, bool within_layer, const SweepOptions& sweep,
                                Budget& budget, std::uint64_t& expansions) {
  const CycleGraph<G> cycles(graph, run.states.back().data(), within_layer);
  detail::ClosingStep<G> closing{&cycles};
  SweepSearch search(cycles, {.log = sweep.log, .threads = sweep.threads, .few = sweep.few});
  const SearchResult result = search.run(closing, budget);
  expansions += search.figures().expansions;
  if (result.end == SearchEnd::exhausted) return std::nullopt;
  if (!closing.found) throw Error(ErrorKind::internal, "a state is not on a cycle, as it should be");
  Path cycle = closing.before(budget);
  run.loop = run.states.size() - 1;
  for (std::size_t i = 1; i < cycle.states.size(); ++i) {
    cycle.states[i].pop_back();
    run.states.push_back(std::move(cycle.states[i]));
  }
  run.actions.insert(run.actions.end(), cycle.actions.begin(), cycle.actions.end());
  run.actions.push_back(closing.action);
  return run;
}

}  // namespace tideline
