// Properties of what happens: a model with monitors for the actions that formulas mention as act(...).
//
// A monitor is a variable of one bit after all others of the system; nothing else changes, so every engine, replay
// and reductions work as on any model. Which monitor an atom gets depends on the logic:
//   - LTL: a bit that the actions of the class flip, and others leave alone. See logic/step_atoms.hpp for how formulas
//     read it.
//   - CTL, where a state has many steps to go on and no first one: a bit that every action writes, 1 for those of the
//     class and 0 for others. It says which step led to this state.
// A step that is several actions (System::transient) belongs to every class that one of them belongs to.
// Counts of states are those of the model with its monitors. Runs are shown without them.
#pragma once

#include <optional>
#include <vector>

#include "lang/lang.hpp"
#include "run/property.hpp"
#include "trace/replay.hpp"

namespace tideline {

/// The model with monitors for what the formulas mention, whose atoms are then known. Nothing: they mention no action.
/// Throws Error(input) that points into a formula, and Error(usage) when errors of the model do not end runs.
std::optional<Model> watch_actions(const Model& model, ErrorSemantics errors,
                                   std::vector<Property>& properties);

/// A run of the model with monitors as one of the model itself. A cycle that goes round twice, so that bits are as
/// they were, goes round once.
void forget_monitors(const System& system, Trace& run);

/// A run of the model as one of the model with monitors.
Trace with_monitors(const System& watched, Trace run);

}  // namespace tideline
