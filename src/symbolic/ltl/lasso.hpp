// Lassos through a product: from sets of states to a run that the interpreter can replay.
//
// Sets say where a run can be (symbolic/space/approach.hpp); the run itself is walked by the explicit
// product, step by step. Three walks make a lasso: from the initial state to an accepting state of a cycle;
// one step; and from there back to it. A run that ends in a deadlock of the system goes round by the
// automaton's steps alone, which the explicit product takes, too.
#pragma once

#include <span>

#include "run/outcome.hpp"
#include "symbolic/ltl/space.hpp"

namespace tideline::symbolic {

/// Where a lasso lies. Sets are of the top level.
struct LassoPlace {
  NodeId known = empty;  ///< states with a path from the initial state to the cycle among them
  NodeId scc = empty;    ///< an SCC with an accepting state and a step; or
  NodeId stuck = empty;  ///< deadlocks from which stuttering is accepted
};

/// Runs on the stack of the caller.
Path find_lasso(LtlSpace& space, const LassoPlace& place);

}  // namespace tideline::symbolic
