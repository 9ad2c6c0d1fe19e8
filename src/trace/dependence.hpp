// What a step of a run reads and writes: the ground on which runs are explained.
//
// System has read and write sets of actions, which hold in every state: an array that is indexed by a variable counts
// as a whole, and both sides of `and` count. Here a step is seen in the one state in which it was taken, so an array
// access is one element, and what was not evaluated does not count. Two things hold:
//
//   - a state that agrees with the given one on `reads` has the step, too, and it writes the same values there. So
//     neighbours in a run, neither of which writes what the other reads or writes, can be exchanged.
//   - a state that agrees with the given one on deciding_slots(e) gives the same truth value to e, unless e has no
//     value there: where `a and b` is false because a is, b does not count.
#pragma once

#include <vector>

#include "exec/reference.hpp"
#include "run/property.hpp"
#include "trace/replay.hpp"

namespace tideline {

using Slots = std::vector<SlotId>;  ///< sorted, each once

/// A value that a step writes, and what it is computed from: slots of the state before the step.
struct WrittenValue {
  SlotId slot = 0;
  Slots from = {};   ///< what the value is made of
  Slots index = {};  ///< what says which elements of arrays are read and written
};

struct StepUse {
  std::vector<ComponentId> components = {};  ///< that take part, sorted
  Slots places = {};                         ///< their locations, all of which it needs and may change
  Slots tested = {};                         ///< what guards read, without `places`
  std::vector<WrittenValue> writes = {};     ///< by slot
  Slots reads = {};                          ///< everything it reads, `places` and `tested` included

  const WrittenValue* find_write(SlotId slot) const;
};

/// Of a step in the state before it; nothing for the repetition of a deadlock.
StepUse use_of_step(const System& system, ErrorSemantics errors, ActionId action, const Values& before);

/// Of all steps of the run, that of a failing action included.
std::vector<StepUse> uses_of(const System& system, ErrorSemantics errors, const Trace& run);

/// The slots that are enough to know the truth value of an expression; all that it reads where it has no value.
Slots deciding_slots(const System& system, const Expr& expr, const Values& state);

/// Whether the two have no element in common.
bool are_disjoint(const Slots& a, const Slots& b);
/// Neither step writes what the other reads or writes.
bool are_independent(const StepUse& a, const StepUse& b);

/// What a run shows about its property, in slots.
struct Goal {
  Slots at_end = {};      ///< what decides in the last state of a finite run
  Slots everywhere = {};  ///< what the property looks at in every state of a lasso
  /// By step of a lasso: whether something becomes true or false that the property looks at.
  std::vector<bool> visible = {};
};

Goal goal_of(const System& system, ErrorSemantics errors, const Property& property, const Trace& run);

}  // namespace tideline
