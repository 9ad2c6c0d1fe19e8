// Shorter runs, by leaving out steps.
//
//   A. Zeller, R. Hildebrandt: Simplifying and isolating failure-inducing input, 2002 (delta debugging).
//
// First what comes between two visits of a state is left out, and what is not in the full slice (slice.hpp). Then
// chunks of the run are tried: halves, quarters and so on, down to single steps. A step that is no longer enabled after
// that is left out as well, so that one attempt is a whole round of a process, or all that follows from a message. An
// attempt counts if what remains is a run that proves the same (retake.hpp). It ends when no single step can be left
// out, or when the effort is spent.
#pragma once

#include "trace/retake.hpp"

namespace tideline {

/// The run must prove the claim, and can_be_changed(). Throws LimitReached.
DerivedRun leave_out_steps(const Claim& claim, const Trace& run, Effort& effort);

}  // namespace tideline
