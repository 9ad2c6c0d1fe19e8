// The searches of a plan, one after the other.
#pragma once

#include "checking/combine.hpp"
#include "checking/plan.hpp"

namespace tideline {

/// What every check looks for, unless model errors are steps like others.
Property model_errors_property();

/// Looks for model errors as well, even if that is not asked for, and reports them when there are some.
/// `limits`: of the budget.
CombinedOutcome run_plan(const System& system, const Plan& plan, const Budget::Limits& limits,
                         Budget& budget);

}  // namespace tideline
