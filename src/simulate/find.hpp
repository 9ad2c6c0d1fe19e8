// The shortest way from a state to one where something is true, by breadth-first search.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exec/reference.hpp"
#include "run/budget.hpp"
#include "run/property.hpp"

namespace tideline {

struct Way {
  bool found = false;
  /// Every state that can be reached was looked at, but for what would follow a model error.
  bool complete = false;
  std::vector<ActionId> actions = {};
  ActionId failing_action = no_action;  ///< the model error that was looked for
  std::uint64_t states = 0;             ///< that were looked at
};

/// The goal: `expr` of kind reach, or a deadlock or a model error that violates a property of these kinds.
Way find_way(const System& system, const Values& from, ErrorSemantics errors, const Property& goal,
             Budget& budget);

}  // namespace tideline
