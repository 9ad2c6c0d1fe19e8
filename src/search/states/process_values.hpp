// Checks whether a property process reaches a guard of its own that has no value.
//
// Guards of automata made from formulas have a value everywhere. Those of automata in the model need not:
// where one has none, the property has none and is violated, like every other property.
#pragma once

#include "exec/reference.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"

namespace tideline {

/// Whether the ranges of variables allow that a guard has no value.
bool may_lack_value(const PropertyProcess& process, const System& system);

/// Breadth-first search through the product for a state in which a guard of the process has no value:
/// violated, with a shortest run, if there is one.
Outcome check_process_values(const System& system, const Property& property, ErrorSemantics errors,
                             bool traces, Budget& budget);

}  // namespace tideline
