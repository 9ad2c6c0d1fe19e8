// What can be certified: the one place that says for which engines, properties and settings a check writes a proof of
// its answer (docs/certificates.md).
#pragma once

#include <string>

#include "checking/plan.hpp"

namespace tideline {

/// Why no certificate can be written of what the plan finds out; empty: it can.
std::string why_not_certified(const System& system, const Plan& plan, const Settings& settings);

}  // namespace tideline
