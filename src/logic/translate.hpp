// LTL to Büchi automata: the whole way from a formula to the automaton that engines use.
//
// normal form -> simplification -> tableau -> pruning and simulation (a generalised automaton with marks
// on edges) -> degeneralisation -> simulation (a Büchi automaton with accepting states). When the formula is
// an obligation, a minimal weak deterministic automaton is built too, and taken if it is no larger.
#pragma once

#include "logic/automaton.hpp"
#include "logic/ltl.hpp"

namespace tideline {

enum class AutomatonKind {
  generalised,  ///< transition-based, any number of acceptance sets
  buchi,        ///< state-based, one acceptance set
};

struct TranslationOptions {
  AutomatonKind kind = AutomatonKind::buchi;
  /// Off: the plain constructions, for tests and inspection.
  bool simplify_formula = true;
  bool reduce_automaton = true;
  bool minimise_obligations = true;
  /// Unfold by cover at once (see tableau.hpp); otherwise only when there are too many edges.
  bool by_cover = false;
};

/// The words that satisfy f. Atoms are those of f, in the order of the pool, even if the automaton does not
/// use some of them. Throws Error(input) for more than 64 atoms, more than 32 acceptance sets, and when the
/// automaton would be too large.
Automaton translate(LtlPool& pool, Ltl f, const TranslationOptions& options = {});

/// An equivalent automaton with one acceptance set on states; the automaton itself if it already is one.
Automaton to_buchi(const Automaton& automaton);

}  // namespace tideline
