// Replay: the step between what an engine found and what the user sees.
//
// An engine hands over a Path: packed states and action numbers. replay() takes every step of it again with
// the reference semantics and yields a Trace; missing_proof() then evaluates the property on that Trace. A
// path that does not replay, or that proves nothing, is our own error and is thrown as ErrorKind::internal:
// no run reaches the user in any other way.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "exec/reference.hpp"
#include "run/outcome.hpp"
#include "run/property.hpp"

namespace tideline {

/// A run that was replayed. Without a loop there is one action less than there are states; with one, the
/// last action leads from the last state back to states[*loop].
struct Trace {
  std::vector<Values> states;
  std::vector<ActionId> actions;
  std::optional<std::size_t> loop = {};
  ActionId failing_action = no_action;  ///< taken in the last state, it ends in `error`
  ModelError error = {};
  ModelError no_value = {};  ///< why the property that the run is about has no value in the last state
  std::optional<std::size_t> length_before = {};  ///< of the run that was found, where this one is shorter

  bool fails() const { return failing_action != no_action; }
  /// Steps as the user counts them, the failing one included.
  std::size_t length() const { return actions.size() + (fails() ? 1 : 0); }
};

/// The name of a step: the label of its action, or `stutter_label` in a deadlock.
std::string_view step_label(const System& system, ActionId action);
inline constexpr std::string_view stutter_label = "(deadlock: the state repeats)";

/// Whether two states agree in all that the system's own steps can change. The variables of a property
/// process are checked with its acceptance.
bool same_system_state(const System& system, Values a, const Values& b);

/// The run as properties see it: without the states that nobody sees (System::transient).
Trace seen_part(const System& system, const Trace& run);

/// The model error of an action that begins a step which never ends: one of kind `none` where the step ends somehow.
ModelError endless_step(const System& system, const Reference& reference, ActionId first, const Values& from);

/// Takes every step of the path again, and those inside of steps that an engine takes for one. Throws Error(internal) where the path is wrong, and LimitReached.
Trace replay(const System& system, ErrorSemantics errors, const Path& path, Budget* budget = nullptr);

/// Why the property has no value in the last state of a run without a loop; of kind `none` when it has one.
ModelError missing_value(const System& system, const Property& property, const Trace& run);

/// What is missing for the run to show the verdict, as a sentence; nothing when it does show it. A run
/// without a loop to a state where the property has no value shows that it is violated. Runs of CTL formulas
/// may go with either verdict, and show it as far as one run can (ctl_proof.hpp).
std::optional<std::string> missing_proof(const System& system, ErrorSemantics errors,
                                         const Property& property, const Trace& run,
                                         Verdict verdict = Verdict::violated);

/// replay() and missing_proof() together: the run, with `no_value`, or Error(internal).
Trace replay_proof(const System& system, ErrorSemantics errors, const Property& property, const Path& path,
                   Verdict verdict = Verdict::violated, Budget* budget = nullptr);

}  // namespace tideline
