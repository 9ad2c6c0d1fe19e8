// Whether a run shows what a verdict on a CTL formula claims, as far as one run can.
//
// The formula is evaluated on the recorded states alone. In each of them a subformula is known to be true,
// known to be false, or not known: what lies on the run is known, and what other runs do is not, except for
// what follows from the state itself (EG f is false where f is; a deadlock has no other runs). From that:
//   - a claim that contradicts what is known is refuted;
//   - a claim that some run exists (EX, EU, EG are true) is shown when this run is one, where the claims
//     about its states that only other runs could show are believed if they are not refuted. The last
//     claim of an E(f U g), about g, is believed only in the last state of the run: that is where it was
//     meant to lead.
// It is independent of how the run was found.
#pragma once

#include <optional>
#include <string>

#include "run/property.hpp"
#include "trace/replay.hpp"

namespace tideline {

/// What is missing for the run to show that the formula has this value in the initial state, as a sentence;
/// nothing when it does show it. The run must have been replayed on the system.
std::optional<std::string> missing_ctl_proof(const System& system, ErrorSemantics errors,
                                             const Property& property, bool value, const Trace& run);

}  // namespace tideline
