// Why an action is not enabled: which process is elsewhere, which part of a guard is false, and with which
// values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exec/reference.hpp"

namespace tideline {

/// One sentence for each condition that does not hold: "P_0 is at CS, not at wait", "turn == 0 is false: turn =
/// 1". Empty: the action is enabled.
std::vector<std::string> why_not_enabled(const Reference& reference, const System& system, ActionId action,
                                         const Values& state);

/// Whether every participant is where the action begins: only a guard can keep it.
bool at_its_locations(const System& system, ActionId action, const Values& state);

/// All actions, those of a process side by side.
std::vector<ActionId> actions_by_process(const System& system);

/// The actions of the system whose labels fit this part best (see fit_of), by process.
std::vector<ActionId> actions_like(const System& system, std::string_view part);

/// "turn = 1", "P_0 at wait".
std::string show_slot(const System& system, SlotId slot, std::int32_t value);

}  // namespace tideline
