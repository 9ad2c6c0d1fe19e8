// A shorter lasso than one that is known, as far as a budget reaches.
//
// Engines return the lasso that they meet first. This looks for a shorter one in two steps: first among the
// states of the lasso itself, which takes next to no time and already removes detours, however large the state
// space is; then among all states, nearest first (shorten.hpp), until the best one is proven to be shortest or
// the budget ends.
#pragma once

#include <optional>

#include "exec/reference.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "run/property.hpp"

namespace tideline {

/// A shorter run of the system that the property's automaton accepts; nothing: none was found. `lasso` is a run
/// of the system with a loop. With strong fairness there is never one: such runs cannot be compared.
std::optional<Path> shorter_lasso(const System& system, const Property& property, ErrorSemantics errors,
                                  const Path& lasso, Budget& budget);

}  // namespace tideline
