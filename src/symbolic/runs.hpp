// Runs: from a state to a set of reachable states.
//
// The way is found backwards. X_0 is the target; X_t adds states from which a step leads into X_(t-1): all of
// them at first, so that the run is a shortest one, and when that becomes slow the predecessors by one event
// after the other, each of all that is known so far (the number of steps may then be larger than needed, but
// a chain of independent steps is passed in one go). When the first state is in X_t, the run is walked
// forwards by the interpreter: from a state of X_t some step leads into an earlier set.
#pragma once

#include "run/outcome.hpp"
#include "symbolic/state_space.hpp"

namespace tideline::symbolic {

/// From the initial state. `targets` is a part of the reachable states and not empty. Runs on the stack of
/// the caller.
Path find_run(StateSpace& space, NodeId targets);

/// Makes a path longer, from its last state to the targets, over states of `within`, a part of the reachable
/// states; there must be such a way.
void continue_run(StateSpace& space, Path& path, NodeId within, NodeId targets);

}  // namespace tideline::symbolic
