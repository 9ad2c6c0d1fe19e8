// The searches of a plan, one after the other.
#pragma once

#include "check_options.hpp"
#include "combine.hpp"
#include "plan.hpp"

namespace tideline::app {

/// Model errors are looked for in every check, unless they are told to be steps like others.
Property model_errors_property();

/// Model errors that nobody asked for are looked for as well, and reported when there are some.
CombinedOutcome run_searches(const CheckOptions& options, const System& system, const Plan& plan,
                             Budget& budget);

}  // namespace tideline::app
