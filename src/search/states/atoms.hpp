// Atoms of a formula: the comparisons, location tests and plain variables that it joins with and, or, not and
// implies. An atom that has the same value everywhere is usually a mistake in the formula (a constant that no
// variable reaches, the wrong process), so a complete search warns about it, unless it follows from the
// verdict: `a` and `b` are true everywhere if `a && b` is.
#pragma once

#include <optional>
#include <vector>

#include "model/expr.hpp"

namespace tideline {

/// The maximal subexpressions that are not Boolean connectives, without literals and repetitions,
/// in the order in which they are written. Parts of expanded quantifiers are left out: the user has
/// not written them.
std::vector<Expr> atoms_of(const Expr& formula);

/// The truth that an atom of the formula must have in every state if the formula has this one in all of them;
/// nothing: it may have either.
std::optional<bool> forced_truth(const Expr& formula, bool truth, const Expr& atom);

}  // namespace tideline
