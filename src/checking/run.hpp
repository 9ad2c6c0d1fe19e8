// The searches of a plan, one after the other.
#pragma once

#include "checking/combine.hpp"
#include "checking/plan.hpp"

namespace tideline {

/// Model errors are looked for in every check, unless they are told to be steps like others.
Property model_errors_property();

/// Model errors that nobody asked for are looked for as well, and reported when there are some.
CombinedOutcome run_plan(const System& system, const Plan& plan, Budget& budget);

}  // namespace tideline
