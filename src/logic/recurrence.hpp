// "Again and again": automata of G F a for guarantees a, without a copy for every start that may overlap.
//
// An automaton for F a that has found what it looks for accepts everything from there on. Leading the
// edges to that point back to the initial state, and requiring to take one of them infinitely often, gives
// an automaton for G F a of no more states (Spot does the same). Unfolding the formula instead makes
// states for all sets of searches that may be under way: G F(a <-> X^n a) takes 3^n states by unfolding
// and 2n + 1 like this.
#pragma once

#include <optional>

#include "logic/ltl_facts.hpp"
#include "logic/symbolic_automaton.hpp"

namespace tideline {

/// f = rest && G F a && ... for the a in `recurring`: guarantees with temporal operators.
struct Recurrences {
  Ltl rest;
  std::vector<Ltl> recurring;
};
/// f is in negation normal form.
Recurrences split_recurrences(LtlFacts& facts, Ltl f);

/// The automaton of G F a for the one of F a. Nothing when that has accepting cycles other than a state that
/// accepts everything.
std::optional<SymbolicAutomaton> again_and_again(SymbolicAutomaton eventually);

}  // namespace tideline
