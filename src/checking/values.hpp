// Formulas about runs, and whether they have a value in every reachable state.
//
// A property that has no value in a reachable state is violated, and the run to that state shows it. Searches
// for states notice such states themselves. Automata and CTL formulas are searched with atoms that count as
// false where they have no value; what comes out is right if there is no such state. So when they may lack a
// value somewhere, one more search looks for one. A lasso is an answer without that, but for states without a
// value on it: there it ends.
#pragma once

#include <functional>
#include <vector>

#include "checking/combine.hpp"

namespace tideline {

/// The searches that this may take.
struct ValueSearches {
  std::function<Outcome(const std::vector<Property>&)> invariants;
  /// For a guard of a property process that has no value, see search/states/process_values.hpp.
  std::function<Outcome(const Property&)> process;
};

/// Completes the results of formulas about runs.
void judge_values(const System& system, CombinedOutcome& outcome, const ValueSearches& searches);

}  // namespace tideline
