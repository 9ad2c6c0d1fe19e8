// How large a model is, or its product with a property: counted by one engine, or by several in a race.
#pragma once

#include "checking/engines.hpp"
#include "lang/lang.hpp"
#include "run/budget.hpp"

namespace tideline {

/// Visits everything. The outcome answers nothing but whether there are model errors. The engine of the settings
/// can count, and products where a property is given; `limits` are those of the budget.
Outcome count_states(const Model& model, const PropertyProcess* property, Settings settings,
                     const Budget::Limits& limits, Budget& budget);

}  // namespace tideline
