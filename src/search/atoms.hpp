// Atoms of a formula: the comparisons, location tests and plain variables that it joins with and, or, not
// and implies. An atom that has the same value everywhere is usually a mistake in the formula (a constant
// that no variable reaches, the wrong process), so a complete search tells about it.
#pragma once

#include <vector>

#include "model/expr.hpp"

namespace tideline {

/// The maximal subexpressions that are not Boolean connectives, without literals and repetitions, in the
/// order in which they are written.
std::vector<Expr> atoms_of(const Expr& formula);

}  // namespace tideline
