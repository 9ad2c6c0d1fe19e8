// Simulation: merges states that can match each other step by step, and drops edges that this
// makes superfluous.
//
// Direct simulation: t simulates s if every edge of s is matched, valuation by valuation, by edges of t that
// are in at least the same acceptance sets and lead to a state that simulates the target. States that
// simulate each other are merged, and an edge is dropped where a better one from the same state covers it
// (Etessami, Holzmann; Somenzi, Bloem 2000). The reverse simulation does the same with incoming edges.
//
// The relation is computed as a plain greatest fixed point over all pairs: automata of formulas are small.
#pragma once

#include "logic/symbolic_automaton.hpp"

namespace tideline {

enum class SimulationKind { forward, reverse };

/// Reduces by one simulation. Automata past these sizes are left as they are.
void reduce_by_simulation(SymbolicAutomaton& automaton, BddManager& bdds, SimulationKind kind);

inline constexpr std::uint32_t max_simulation_states = 3000;
inline constexpr std::size_t max_simulation_edges = 30000;

/// Result[s][t]: t simulates s (forward).
std::vector<std::vector<bool>> simulation_relation(const SymbolicAutomaton& automaton, BddManager& bdds);

/// Both kinds, with transient edges in all sets and in none, until nothing changes; useless states go.
void reduce_thoroughly(SymbolicAutomaton& automaton, BddManager& bdds);

}  // namespace tideline
