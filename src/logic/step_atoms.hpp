// Atoms about steps in LTL: act(a) is true in the states of a run that a step of class a leads to.
//
// A state does not know which step led to it, and a monitor that every step writes would make all steps depend on
// each other. So a monitor of one bit for each class is flipped by the steps of that class alone, and the formula
// is written so that it looks for flips: with b for the bit of a,
//
//     later(p) = X p (as of all formulas without act)      later(act(a)) = (b xor X b)      later(f U g) = later(f) U later(g)   and so on
//
// is true at a position where the formula is true at the next one. At the first position no step led here, and
//
//     now(p) = p      now(act(a)) = false      now(X f) = later(f)      now(f U g) = now(g) || now(f) && later(f U g)
//
// and so on: now(f) is true of the bits where f is true of the steps. In a deadlock, where the state repeats, no bit
// flips, and act(a) is false from the second time on. Steps outside of all classes leave the bits alone, and so are
// invisible; a formula that does not see how many of those there are, say G(act(a) -> F act(b)), is still
// insensitive to stuttering in this form, and partial order reduction is possible.
#pragma once

#include <functional>
#include <string>

#include "logic/ltl.hpp"

namespace tideline {

/// Whether an atom is about steps: "act(deliver)".
bool is_step_atom(std::string_view name);

/// What is between its parentheses.
std::string_view step_pattern(std::string_view name);

/// The formula over bits instead of steps: an atom about steps stands for its bit. One without such atoms is left
/// as it is.
Ltl over_bits(LtlPool& pool, Ltl f);

}  // namespace tideline
