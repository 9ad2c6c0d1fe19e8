// Formulas about runs, and whether they have a value in every reachable state.
//
// A property that has no value in a reachable state is violated, and the run to that state shows it. Searches
// for states notice such states themselves. Automata and CTL formulas are searched with atoms that count as
// false where they have no value, and the answer is right if there is no such state. So when an atom may lack
// a value somewhere, one more search looks for such a state. A lasso is an answer by itself; it ends at its
// first state without a value, if it has one.
#pragma once

#include <functional>
#include <vector>

#include "checking/combine.hpp"

namespace tideline {

/// The searches that may be needed.
struct ValueSearches {
  std::function<Outcome(const std::vector<Property>&)> invariants;
  /// For a guard of a property process that has no value, see search/states/process_values.hpp.
  std::function<Outcome(const Property&)> process;
};

/// Completes the results of formulas about runs.
void judge_values(const System& system, CombinedOutcome& outcome, const ValueSearches& searches);

}  // namespace tideline
