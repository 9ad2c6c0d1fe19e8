// Whether a property automaton accepts a lasso: the last part of the proof of a liveness violation.
//
// The automaton is run over the recorded states alone, by sets of its locations: first along the prefix, then
// once around the cycle from every location, which gives a relation on locations; the lasso is accepted when
// some location that is reached comes back to itself with all acceptance marks collected on the way. It is
// independent of how the lasso was found.
#pragma once

#include "exec/reference.hpp"
#include "trace/replay.hpp"

namespace tideline {

/// The run must have a loop and must have been replayed on the system.
bool accepts(const System& system, const PropertyProcess& property, const Trace& run);

/// Why a guard of the property that is read in the last state of a run without a loop has no value there; of
/// kind `none` when all have one.
ModelError missing_guard_value(const System& system, const PropertyProcess& property, const Trace& run);

}  // namespace tideline
