// The run that goes with a verdict on a CTL formula, as far as one run shows it (run/ctl_claims.hpp).
//
// Paths to sets are found as in symbolic/space/runs.hpp. For EG a cycle is needed: in a set in which every
// state has a successor or is a deadlock, a state on a cycle, or a deadlock, that the last state of the run
// can reach. A state t is tried; F are the states that it can reach within the set. If t has a predecessor in
// F it lies on a cycle; if not, another state of F is tried, which reaches less. The path to the cycle is
// then a shortest one to that state, but there may be a nearer cycle.
#pragma once

#include <string>

#include "run/outcome.hpp"
#include "symbolic/ctl/values.hpp"

namespace tideline::symbolic {

struct CtlRun {
  bool found = false;  ///< some run shows a part of it
  Path path;
  std::string remark;  ///< what the run does not show, or nothing
};

/// The run for the formula's value in the initial state, which must be certain. Throws LimitReached. Runs on
/// the stack of the caller.
CtlRun ctl_run(CtlValues& values, bool value);

}  // namespace tideline::symbolic
