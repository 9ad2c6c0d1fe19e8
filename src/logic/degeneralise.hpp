// Degeneralisation: from several acceptance sets on edges to accepting states.
//
// There are copies of the automaton, one per level: level j has seen sets 0 .. j-1 (in some order) and
// waits for set j; the top level has seen all of them, is accepting, and starts over. What is accepted is
// decided within one SCC, so each SCC is treated by itself (Babiak, Badie, Duret-Lutz, Křetínský, Strejček
// 2013): a rejecting one needs a single level; for an accepting one several orders of the sets are tried
// and the smallest result is taken; and an edge that enters an SCC may start at any level, so only levels
// on cycles are kept.
#pragma once

#include "logic/symbolic_automaton.hpp"

namespace tideline {

/// An equivalent state-based automaton with one acceptance set.
SymbolicAutomaton degeneralise(const SymbolicAutomaton& automaton, BddManager& bdds);

}  // namespace tideline
