// Büchi automata over atoms, as engines and writers use them.
//
// Edges carry a cube: a conjunction of atoms and negated atoms. A label that is not a cube is several edges
// between the same states with the same marks; the translation and the HOA reader make their cubes disjoint
// (unless they are very many), so that a valuation takes at most one of them. A run is accepting if it takes
// infinitely many edges of every acceptance set. In a state-based automaton all edges of a state carry the
// same marks, so that they can be seen as marks of the state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "logic/bdd.hpp"

namespace tideline {

struct SymbolicAutomaton;

struct AutomatonEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Cube label = {};
  std::uint32_t marks = 0;  ///< bit i: the edge is in acceptance set i
  bool operator==(const AutomatonEdge&) const = default;
};

inline constexpr std::uint32_t max_automaton_sets = 32;

struct Automaton {
  std::string name = {};                ///< for display; usually the formula
  std::vector<std::string> atoms = {};  ///< at most 64; bit i of a cube is atoms[i]
  std::uint32_t states = 0;
  std::uint32_t initial = 0;
  std::uint32_t sets = 0;
  bool state_based = false;
  std::vector<AutomatonEdge> edges = {};  ///< ordered by `from`

  std::uint32_t all_marks() const { return sets == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << sets) - 1; }
  /// Of a state-based automaton; a state without edges has none.
  std::uint32_t state_marks(std::uint32_t state) const;
  /// Edges as users count them: cubes that differ in nothing else are one.
  std::size_t edge_count() const;
};

/// The edges of each state: those of `state` are edges[first[state]] .. edges[first[state + 1] - 1].
std::vector<std::uint32_t> first_edges(const Automaton& automaton);

/// All edges of a state carry the same marks, whether the automaton says so or not.
bool has_state_marks(const Automaton& automaton);

/// SCCs, numbered so that no edge leads to a greater number.
struct AutomatonSccs {
  std::vector<std::uint32_t> of = {};  ///< by state
  std::uint32_t count = 0;
  std::vector<bool> accepting = {};  ///< by SCC: some cycle in it is accepting
  std::vector<bool> rejecting = {};  ///< by SCC: some cycle in it is not
};
AutomatonSccs sccs(const Automaton& automaton);

/// No SCC has both accepting and rejecting cycles. (Inherently weak: where the marks are does not matter.)
bool is_weak(const Automaton& automaton);
/// Weak, and accepting SCCs are complete and never left for others: what reaches one is accepted.
bool is_terminal(const Automaton& automaton);
/// For each state and valuation there is at most one edge.
bool is_deterministic(const Automaton& automaton);
/// Every state has an edge for every valuation.
bool is_complete(const Automaton& automaton);
/// Every infinite run is accepting: a finite prefix is enough to reject a word.
bool is_safety(const Automaton& automaton);
/// No run is accepting.
bool is_empty(const Automaton& automaton);

/// The atoms that some edge looks at, as bits.
std::uint64_t used_atoms(const Automaton& automaton);

/// The automaton with its labels as cubes; the caller adds names and atoms. Throws Error(input) for more than
/// max_automaton_sets acceptance sets.
Automaton with_cubes(const SymbolicAutomaton& symbolic, BddManager& bdds);

/// The automaton with its cubes joined into labels: variable i is atoms[i].
SymbolicAutomaton with_labels(const Automaton& automaton, BddManager& bdds);

}  // namespace tideline
