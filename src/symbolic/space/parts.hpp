// Parts of an action that can be evaluated independently.
//
// An action is enabled when none of its guards is false, and changes slots by its effects. Two slots are
// coupled when one guard reads both, or an effect on one reads the other. The coupled slots, with the guards
// and effects that touch them, are a part: an action is the product of its parts, and each can be evaluated
// without knowing the rest of the state. In a Petri net every place that a transition touches is a part.
//
// A conjunction is taken apart where that changes nothing: `a && b` has no value when a has none, even if b
// is false, so a conjunct that can fail stays together with those after it.
//
// The same holds for a formula over the states: see conjuncts().
#pragma once

#include <vector>

#include "model/system.hpp"

namespace tideline::symbolic {

struct Part {
  std::vector<SlotId> slots;      ///< sorted; empty where guards or effects touch no slot at all
  std::vector<Expr> guards = {};  ///< all must be true
  std::vector<Assignment> effects = {};
};

/// Whether evaluating the expression can fail.
bool can_fail(const Expr& expr);

/// Expressions that are all true exactly when this one is, and fail when it does.
std::vector<Expr> conjuncts(const Expr& expr);

std::vector<Part> parts_of(const System& system, const Action& action);

}  // namespace tideline::symbolic
