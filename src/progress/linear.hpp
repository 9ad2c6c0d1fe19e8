// Linear measures: a weight for each slot, found from how actions change slots.
//
//   K. Schmidt: Automated Generation of a Progress Measure for the Sweep-Line Method, TACAS 2004.
//
// An action that only adds constants, as the transition of a Petri net does, changes a weighted sum of slots
// by the same amount wherever it is taken: its offset. Linearly independent actions may be given any offsets:
// here 1 each. The offsets of all other actions follow, and those that are negative regress. Actions are
// considered one after another, and each that is independent of those before it is given its offset; so the
// order decides which ones regress.
//
// Slots that some action changes in another way have the weight 0.
#pragma once

#include <optional>
#include <vector>

#include "progress/measure.hpp"
#include "run/budget.hpp"

namespace tideline {

/// The weighted sum, for actions considered in this order; claimed monotone when no action of the system
/// decreases it. Nothing when no action adds constants, when numbers become too large, or after so many steps. Throws
/// LimitReached.
std::optional<MeasureTerm> linear_term(const System& system, const std::vector<ActionId>& order,
                                       std::uint64_t allowed_steps, Budget& budget);

}  // namespace tideline
