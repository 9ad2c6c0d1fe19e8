// Runs: from a state to a set of reachable states. See approach.hpp for how; the interpreter takes the steps.
#pragma once

#include "run/outcome.hpp"
#include "symbolic/space/approach.hpp"
#include "symbolic/space/state_space.hpp"

namespace tideline::symbolic {

/// From the initial state. `targets` is a part of the reachable states and not empty. Runs on the stack of
/// the caller.
Path find_run(StateSpace& space, NodeId targets, const Patience& patience = {});

/// Makes a path longer, from its last state to the targets, over states of `within`, a part of the reachable
/// states; there must be such a path.
void continue_run(StateSpace& space, Path& path, NodeId within, NodeId targets,
                  const Patience& patience = {});

}  // namespace tideline::symbolic
