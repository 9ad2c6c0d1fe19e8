// An explained run for display: steps in groups by process, those that matter marked, the others folded.
//
//      0  initial state
//           flag[0] = 0, turn = 0
//         P_0
//   *  1    P_0: NCS -> wait    flag[0]: 0 -> 1
//           ... 2 steps that do not matter (2-3)
#pragma once

#include <string>

#include "trace/explain.hpp"
#include "trace/show.hpp"

namespace tideline {

/// The reason, the variables that matter, and the run. With options.full nothing is folded, and states are whole. Throws
/// LimitReached.
std::string show_explained(const System& system, const Trace& run, const RunExplanation& explanation,
                           const ShowOptions& options = {});

}  // namespace tideline
