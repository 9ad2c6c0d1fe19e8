// Value conditions: when does an expression have a value?
//
// A property that has no value in a reachable state never holds (docs/semantics-ctl-ltl.md). Engines that
// look at states one by one notice it when they evaluate the property. Those that work on sets of states, or
// on automata, need it as a condition: an expression that always has a value itself, and is true exactly
// where the given one has one.
#pragma once

#include "model/system.hpp"

namespace tideline {

/// Not 0 exactly in the states where the expression has a value. The constant 1 when the ranges of the slots
/// show that this is everywhere.
Expr value_condition(const Expr& expr, const System& system);

/// Whether the expression may have no value somewhere: its value_condition() is not the constant 1.
bool may_lack_value(const Expr& expr, const System& system);

/// An expression that always has a value: true exactly where the given one has a value and that is not 0.
Expr with_value_everywhere(Expr expr, const System& system);

}  // namespace tideline
