// Pruning: cheap reductions that look at SCCs only.
#pragma once

#include "logic/symbolic_automaton.hpp"

namespace tideline {

/// Removes states that are not reachable or from which no accepting SCC is reachable. The
/// initial state stays.
void remove_useless_states(SymbolicAutomaton& automaton);

/// Puts every edge into every set that it can join without changing what is accepted: an edge can join set i
/// if each cycle through it already has an edge of set i. Edges between SCCs then carry all marks; with
/// `transient_marks` false they carry none. This makes marks canonical, which helps simulation. A state-based
/// automaton stays one: states join, all edges at once.
void saturate_marks(SymbolicAutomaton& automaton, bool transient_marks);

/// Drops acceptance sets: in an SCC, a set that contains another one requires nothing more, and a set number
/// that one SCC does not need is free for its other sets. Marks outside of accepting SCCs are dropped.
/// Saturates (transient edges carry all marks).
void reduce_sets(SymbolicAutomaton& automaton);

}  // namespace tideline
