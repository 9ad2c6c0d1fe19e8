// Shorter runs for an answer: what engines found first, made shorter as far as a moment allows.
//
// Runs are replaced after they were replayed, and what replaces them is replayed, too. Verdicts never change.
// The moment is a second, or a tenth of the time that the check took if that is more, for all runs together
// and within the limits of the check.
#pragma once

#include <optional>
#include <vector>

#include "checking/check.hpp"
#include "exec/reference.hpp"
#include "run/budget.hpp"
#include "trace/replay.hpp"

namespace tideline {

/// `result` is of a check with these limits that `budget` has counted; traces[i] is the run of its i-th
/// property. Runs that are known to be shortest, or that prove what several steps of CTL say, are left alone.
/// `wrap_up` is for replaying. Throws Error(internal) when a shorter run does not replay.
void shorten_runs(const System& system, ErrorSemantics errors, const CheckResult& result,
                  const Budget::Limits& limits, const Budget& budget, Budget& wrap_up,
                  std::vector<std::optional<Trace>>& traces);

}  // namespace tideline
