// A run through a system, built one step at a time: forth, back, and forth again.
//
// Steps are taken with the reference semantics, so what is shown is what the words of the manual mean. The run
// is kept as one timeline: the steps up to the current state, and behind it those that were taken back, which
// forward() takes again. A step is stored as the slots it changed, so that a run of a million steps through a
// net of a thousand places fits in memory.
//
// A lasso can be loaded. Its last step is stored as a step to a copy of the loop's first state, and forward() at
// the end of the timeline goes round the loop once more, step by step.
//
// What must stay true: run() replays, whatever was called before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "exec/reference.hpp"
#include "trace/replay.hpp"

namespace tideline {

struct SimulationOptions {
  ErrorSemantics errors = ErrorSemantics::stop;
  std::uint64_t seed = 1;  ///< of random steps: the same seed gives the same run
  bool keep_run = true;    ///< off: only the last state is kept, and a long run takes no memory
};

class Simulation {
 public:
  /// The system must outlive it.
  Simulation(const System& system, const SimulationOptions& options);

  const System& system() const { return system_; }
  const Reference& reference() const { return reference_; }
  ErrorSemantics errors() const { return options_.errors; }

  const Values& state() const { return state_; }
  /// How many steps lead to the current state.
  std::size_t position() const { return position_; }
  /// How many steps there are with those that were taken back.
  std::size_t length() const { return std::max(position_, steps_.size()); }

  /// The enabled actions of the current state, those of a process side by side (see process_of).
  const std::vector<ActionId>& enabled() const;

  /// Takes an enabled action. An error under `stop`: it was not taken, and the run ends in it for as long as
  /// nothing else is done. What was taken back is forgotten, unless forward() would have taken this action.
  ModelError take(ActionId action);
  /// One of the enabled actions, of which there is at least one.
  ActionId random_action();
  void seed(std::uint64_t seed);

  /// One step. False: there is none.
  bool back();
  bool forward();
  /// At most length().
  void go_to(std::size_t position);
  /// Back to the initial state and the first seed.
  void reset();
  /// Replaces the run by one that was replayed, and goes to its end.
  void load(const Trace& run);

  /// From 1 to length(): what the step did. no_action in a deadlock that repeats.
  ActionId action_of(std::size_t step) const { return steps_[step - 1].action; }
  /// The state before or after a step that is kept.
  Values state_at(std::size_t position) const;

  /// How many steps at the end of the timeline are a loop: the last state is the one before them.
  std::optional<std::size_t> loop_length() const { return loop_length_; }
  /// The action that was tried last and fails in the current state.
  ActionId failing_action() const;

  /// The run to the current state; a lasso where that is the end of one.
  Trace run() const;

 private:
  struct Step {
    ActionId action;
    std::size_t first_change;  ///< in changes_
  };
  struct Change {
    SlotId slot;
    std::int32_t from, to;
  };
  struct Failure {
    std::size_t position;
    ActionId action;
    ModelError error;
  };

  ActionId next_action() const;
  void append(ActionId action, const Values& to);
  void cut();
  std::size_t end_of_changes(std::size_t step) const;
  void undo(std::size_t step, Values& state) const;
  void redo(std::size_t step, Values& state) const;

  const System& system_;
  SimulationOptions options_;
  Reference reference_;
  std::mt19937_64 generator_;
  Values state_;
  std::size_t position_ = 0;
  std::vector<Step> steps_;
  std::vector<Change> changes_;
  std::optional<std::size_t> loop_length_;
  std::optional<Failure> failure_;
  mutable std::optional<std::vector<ActionId>> enabled_;  ///< of the current state, once asked for
};

/// The process that an action belongs to: its first participant. no_component: it has none, as in a net.
ComponentId process_of(const Action& action);

}  // namespace tideline
