// Minimal weak deterministic automata for obligations.
//
// A language is an obligation when some weak deterministic Büchi automaton accepts it (Boolean combinations
// of safety and guarantee are). Such an automaton has a smallest form, unique up to names (Löding 2001), and
// it can be built without knowing beforehand whether the language is an obligation (Dax, Eisinger, Klaedtke
// 2007): determinise by subsets alone, decide for each SCC whether its words are accepted by trying a single
// cycle, minimise, and compare the result with the language by two emptiness checks.
#pragma once

#include <optional>

#include "logic/symbolic_automaton.hpp"

namespace tideline {

/// A minimal weak deterministic state-based automaton for the language of `automaton`, useless
/// states removed; nothing if there is none or it would have many states. `complement` accepts
/// exactly the other words.
std::optional<SymbolicAutomaton> minimal_weak(const SymbolicAutomaton& automaton,
                                              const SymbolicAutomaton& complement, BddManager& bdds);

/// True: some word is accepted by both.
bool intersect(const SymbolicAutomaton& a, const SymbolicAutomaton& b, BddManager& bdds);

}  // namespace tideline
