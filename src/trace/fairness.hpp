// Whether a lasso treats processes, or the actions that were asked for, fairly: the part of the proof of a liveness violation
// that `--fair` adds.
//
// Only the cycle matters. In each of its states the reference semantics says which actions, and so which
// parties, are enabled. It is independent of how the lasso was found.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "exec/reference.hpp"
#include "run/fairness.hpp"
#include "trace/replay.hpp"

namespace tideline {

/// The number of the first party that the run treats unfairly: it does not move on the cycle, though it is enabled
/// in all states of it (weak) or in some (strong). The run must have a loop and must have been replayed.
std::optional<std::size_t> starved_party(const System& system, ErrorSemantics errors, const Trace& run,
                                         Fairness fairness, const std::vector<FairParty>& parties);

/// Whether the run is infinite and treats every party fairly.
inline bool is_fair(const System& system, ErrorSemantics errors, const Trace& run, Fairness fairness,
                    const std::vector<FairParty>& parties) {
  return run.loop && !starved_party(system, errors, run, fairness, parties);
}

}  // namespace tideline
