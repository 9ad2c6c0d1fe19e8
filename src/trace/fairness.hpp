// Whether a lasso treats its processes fairly: the part of the proof of a liveness violation
// that `--fair` adds.
//
// Only the cycle matters. In each of its states the reference semantics says which actions, and so which
// processes, are enabled. It is independent of how the lasso was found.
#pragma once

#include <optional>

#include "exec/reference.hpp"
#include "run/fairness.hpp"
#include "trace/replay.hpp"

namespace tideline {

/// The first process that the run treats unfairly: it does not move on the cycle, though it is enabled in
/// all states of it (weak) or in some (strong). The run must have a loop and must have been replayed.
std::optional<ComponentId> starved_process(const System& system, ErrorSemantics errors, const Trace& run,
                                           Fairness fairness);

/// Whether the run is infinite and treats every process fairly.
inline bool is_fair(const System& system, ErrorSemantics errors, const Trace& run, Fairness fairness) {
  return run.loop && !starved_process(system, errors, run, fairness);
}

}  // namespace tideline
