// A shorter run to a state than one that is known, as far as a budget reaches.
//
// Depth-first search, random walks and sweeps find runs that are far from shortest. This looks for a shorter
// one in two steps: first over the states of the run itself, which takes next to no time and removes detours;
// then by breadth-first search among all states that are nearer than its end.
#pragma once

#include <optional>

#include "exec/reference.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "run/property.hpp"

namespace tideline {

/// A shorter run that shows the same verdict; nothing: none was found. The property is one of states, and `run`
/// has no loop. `same_end`: the run must end in the same state, where it has something to show.
std::optional<Path> shorter_run(const System& system, const Property& property, Verdict verdict,
                                ErrorSemantics errors, const Path& run, bool same_end, Budget& budget);

}  // namespace tideline
