// Tableau: from a formula to a transition-based generalised Büchi automaton (Couvreur 1999).
//
// A state is a set of formulas that all have to hold from now on. One step of a formula is unfolded into a
// Boolean function over three kinds of variables: atoms (now), "g from the next step on", and "g is promised
// but not given yet", one for each right side of an until:
//
//     a U b  =  b  ||  a && next(a U b) && promised(b)
//
// The ways to make the function true are the edges: their next-variables are the target. A run that promises
// g on all edges from some point on never keeps its promise, so an edge is in the acceptance set of g when it
// does not promise g.
//
// The ways are found in one of two manners. *By valuation*: the minimal ones for each valuation of the atoms;
// edges are then as deterministic as the formula allows, which makes reductions effective. *By cover*: a few
// prime implicants over atoms and obligations together, which copes with many atoms.
//
// Two ideas keep automata small. States with the same function are one state. And directly below G an until
// need not be remembered (G(a U b) requires it again anyway), so that G F a takes one state.
#pragma once

#include <optional>

#include "logic/ltl.hpp"
#include "logic/symbolic_automaton.hpp"

namespace tideline {

enum class TableauManner { by_valuation, by_cover };

struct TableauLimits {
  std::size_t edges;
  std::size_t nodes;  ///< of decision diagrams
};

/// f is in negation normal form. Variable i of the labels is atoms[i], an index into pool.atoms(); all atoms
/// of f are among them. Nothing when the automaton or what leads to it grows past the limits.
std::optional<SymbolicAutomaton> tableau(LtlPool& pool, Ltl f, const std::vector<std::uint32_t>& atoms,
                                         BddManager& bdds, TableauManner manner, const TableauLimits& limits);

}  // namespace tideline
