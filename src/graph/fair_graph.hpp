// Graphs that know which processes move, and weak fairness as acceptance.
//
// A FairGraph names the participants of its actions. Everything that fairness needs follows from that: a step
// is a step of its participants, and a process is enabled in a state when it takes part in some step of it, a
// failing one included. So a FairGraph must emit a step for every enabled action of a state that lies on a
// cycle; a reduction that leaves steps out is not a FairGraph.
//
// A run is weakly fair when no process is enabled in all states from some point on without ever moving again.
// In other words, for every process infinitely many steps leave a state where it is not enabled, or are its
// own: generalised Büchi acceptance on transitions. WeaklyFair adds these sets, one per process, above the
// marks that the graph already has; its marks accept the runs that are accepted and weakly fair. It has to
// see all steps of a state before it can mark the first, so it keeps a copy of them.
//
// A state inside of a step (run/open_steps.hpp) is none in which anybody waits: only moves count there.
//
// Strong fairness requires more than infinitely many steps; see search/lassos/strong_fairness.hpp.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "graph/regions.hpp"

namespace tideline {

/// A set of processes, one bit each, numbered from 0 by the graph.
using ProcessSet = std::uint64_t;

template <class G>
concept FairGraph = Graph<G> && requires(const G& graph, ActionId action) {
  { graph.all_marks() } -> std::convertible_to<std::uint32_t>;
  { graph.all_processes() } -> std::same_as<ProcessSet>;
  { graph.participants(action) } -> std::same_as<ProcessSet>;  // of no_action: none
};

template <FairGraph G>
class WeaklyFair {
 public:
  static constexpr int most_marks = 32;

  /// Throws Error(input) when the marks of the graph and one for each process do not fit.
  explicit WeaklyFair(G graph)
      : graph_(std::move(graph)),
        first_process_(most_marks - std::countl_zero(std::uint32_t{graph_.all_marks()})),
        processes_(std::popcount(graph_.all_processes())) {
    if (first_process_ + processes_ > most_marks)
      throw Error(ErrorKind::input, "weak fairness for " + std::to_string(processes_) +
                                        " processes and a property with " + std::to_string(first_process_) +
                                        " acceptance sets takes " +
                                        std::to_string(first_process_ + processes_) + " sets; at most " +
                                        std::to_string(most_marks) + " are possible");
  }

  std::size_t state_size() const { return graph_.state_size(); }
  bool is_state(const std::byte* state) const { return is_state_of(graph_, state); }
  std::uint32_t all_marks() const { return graph_.all_marks() | marks(graph_.all_processes()); }

  template <class Sink>
  void initial(Sink&& sink) {
    graph_.initial(sink);
  }

  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    const ProcessSet found = collect(state);
    const ProcessSet enabled = is_inner(state) ? graph_.all_processes() : found;
    const std::byte* next = states_.data();
    for (Step& step : steps_) {
      if (step.state) step.state = std::exchange(next, next + state_size());
      step.marks |= marks(graph_.all_processes() & (~enabled | graph_.participants(step.action)));
      sink(std::as_const(step));
    }
  }

  /// Where no accepting cycle passes, no fair one does.
  Region region(const std::byte* state) const requires requires(const G& graph) { graph.region(state); }
  { return graph_.region(state); }

 private:
  std::uint32_t marks(ProcessSet processes) const {
    return static_cast<std::uint32_t>(processes << first_process_);
  }

  bool is_inner(const std::byte* state) const {
    if constexpr (requires { graph_.is_inner(state); }) return graph_.is_inner(state);
    return false;
  }

  /// Copies all steps; returns which processes take part in any.
  ProcessSet collect(const std::byte* state) {
    ProcessSet enabled = 0;
    steps_.clear();
    states_.clear();
    graph_.successors(state, [&](const Step& step) {
      enabled |= graph_.participants(step.action);
      steps_.push_back(step);
      if (step.state) states_.insert(states_.end(), step.state, step.state + state_size());
    });
    return enabled;
  }

  G graph_;
  int first_process_;  // bit of the first process among the marks
  int processes_;
  std::vector<Step> steps_;
  std::vector<std::byte> states_;  // of the steps that have one, one after the other
};

}  // namespace tideline
