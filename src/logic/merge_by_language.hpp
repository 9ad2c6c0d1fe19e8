// Merges states that no simulation merges, justified by the language of the whole automaton.
//
// If t simulates s, leading all edges of s to t instead can only add words. Whether it adds any is decided by
// an emptiness check with an automaton for the complement, which is easy to get for formulas. This finds,
// among others, states that may be entered again where the unfolding of the formula made a copy.
#pragma once

#include "logic/symbolic_automaton.hpp"

namespace tideline {

/// Reduces further an automaton that simulation has reduced; large ones are left as they are.
void merge_by_language(SymbolicAutomaton& automaton, const SymbolicAutomaton& complement, BddManager& bdds);

}  // namespace tideline
