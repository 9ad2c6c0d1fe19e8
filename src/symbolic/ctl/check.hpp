// Symbolic checking: deadlocks, invariants, reachability, assertions, model errors and CTL, on the set of all
// reachable states as a decision diagram.
#pragma once

#include <cstdint>
#include <vector>

#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "symbolic/space/state_space.hpp"

namespace tideline::symbolic {

struct SymbolicOptions {
  OrderName order = OrderName::best;
  bool grouping = true;
  bool traces = true;  ///< find runs; off: results have no path
  bool counts = true;  ///< the number of deadlocks and transitions, and which actions are never enabled
  unsigned threads = 1;
};

/// The reachable states that decide a property of states other than model errors: the witnesses of one of
/// kind reach, the violations of the others. Runs on the stack of the caller.
NodeId deciding_states(StateSpace& space, const Property& property);

/// Checks all properties on the reachable states. Actions that end in a model error are violations without a
/// successor. Properties of infinite runs (see is_liveness) are answered with unknown.
Outcome check_symbolic(const System& system, const std::vector<Property>& properties,
                       const SymbolicOptions& options, Budget& budget);

}  // namespace tideline::symbolic
