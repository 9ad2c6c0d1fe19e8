// Stuttering: whether a property sees how often a state is repeated.
//
// Two words are stutter-equivalent when they differ only in how often letters are repeated. A property is
// stutter-invariant when it does not tell such words apart; partial order reduction may then leave out
// interleavings that differ in nothing else. Formulas without X are invariant, but many with X are as well:
// F(a && X(!a && b)) only looks at changes. So the automaton decides.
//
// - A formula is sensitive if a word of f and one of !f become the same when repetitions are removed. Both
//   automata are closed under that removal and intersected (cl(A) x cl(!A) of Michaud and Duret-Lutz,
//   "Practical stutter-invariance checks for omega-regular languages", SPIN 2015).
// - An automaton that comes without a formula would have to be complemented for that. Most invariant ones are
//   recognised by simulation: a repeated letter leads to nothing better or worse than a single one. The
//   others are decided by the finite semigroup of what words do to states: the language is invariant if and
//   only if for each letter l, exchanging l and ll makes no difference in any context, x l y z^w or
//   x (l z)^w (the congruence of Arnold, "A syntactic congruence for rational omega-languages", 1985).
//
// Atoms are taken to be independent. Where the model relates them (`x == 1` and `x == 2` exclude each other)
// a property may be called sensitive although no run of the model shows it.
#pragma once

#include <string_view>

#include "logic/automaton.hpp"
#include "logic/ltl.hpp"
#include "model/system.hpp"

namespace tideline {

enum class Stuttering {
  invariant,
  sensitive,
  unknown_with_variables,  ///< the automaton has variables of its own, which count steps for all we know
  unknown_too_large,       ///< deciding it would take more than about a second
};

/// Why a property is not known to be invariant, as a sentence without its full stop; for `invariant` the
/// opposite.
std::string_view reason(Stuttering stuttering);

Stuttering stuttering_of(LtlPool& pool, Ltl f);
Stuttering stuttering_of(const Automaton& automaton);
/// `complement` has the same atoms and accepts exactly the other words.
Stuttering stuttering_of(const Automaton& automaton, const Automaton& complement);
Stuttering stuttering_of(const PropertyProcess& process);

}  // namespace tideline
