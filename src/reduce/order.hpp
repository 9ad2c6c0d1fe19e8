// Order: actions that lead on. Along them something grows, so no cycle of states consists of them alone.
//
// States are ordered like words in a dictionary, with slots for letters: by the first slot in which they
// differ. The slots, their order, and whether a slot grows upwards, downwards or, like the location of a
// process, in an order of its values of its own, are chosen such that few actions lead back. An action leads
// on if in every state where it is enabled it makes the first of the slots that it changes grow.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/reference.hpp"
#include "reduce/footprint.hpp"

namespace tideline::por {

/// For each action whether it leads on: says no too often, never yes where it does not. `is_indifferent`: those
/// for which it does not matter.
std::vector<std::uint8_t> actions_that_lead_on(const System& system, ErrorSemantics errors,
                                               const std::vector<Footprint>& footprints, Intervals& intervals,
                                               const std::vector<std::uint8_t>& is_indifferent);

}  // namespace tideline::por
