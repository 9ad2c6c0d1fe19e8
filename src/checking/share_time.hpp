// Several searches under one time limit.
//
// In their order alone, a search that takes all the time would keep others from beginning that need an instant.
// So each gets a short turn first; those that have no answer by then begin again, in their order, and take the
// time that is left. The short turns cost a tenth of the time together, and never more than a second each.
// Without a time limit there are none, and what is found depends on no clock.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "checking/combine.hpp"
#include "run/budget.hpp"

namespace tideline {

/// Searches until it is done, or until a limit ends it: at this time, as Budget::seconds() has it, if there is one. May be
/// called twice.
using TimedSearch = std::function<CombinedOutcome(std::optional<double> until)>;

/// The outcome of each. What a short turn has decided stays decided. `seconds`: the time limit of the clock, if it has one.
std::vector<CombinedOutcome> share_time(const std::vector<TimedSearch>& searches, const Budget& clock,
                                        std::optional<double> seconds);

/// The limits for a search that begins now, of those with which the clock began.
Budget::Limits limits_until(std::optional<double> until, Budget::Limits limits, const Budget& clock);

/// The outcome of a search that a limit ended before it had one. The budget knows the limit, and the phase.
Outcome ended_early(std::string_view engine, std::vector<Property> properties, const Budget& budget);

}  // namespace tideline
