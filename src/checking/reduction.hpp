// Partial order reduction of a plan's searches: where it may be used, and where it pays.
#pragma once

#include "checking/plan.hpp"

namespace tideline {

/// Decides it for every search of the plan for which it is open: the settings have a method afterwards. Notes
/// say where steps are left out that nobody has asked to leave out, and where none are although somebody has.
void choose_reductions(const System& system, Plan& plan);

}  // namespace tideline
