// Property patterns: the usual requirements by name, after Dwyer, Avrunin and Corbett, "Patterns in property
// specifications for finite-state verification" (ICSE 1999), as LTL formulas.
//
//     response(p, s) after q until r
//
// A scope says which segments of a run a pattern is about: from a state on, up to another one which is not part
// of the segment. The pattern says what is true of each of them. docs/patterns.md has the table of both, and
// where the published formulas say something else than the text of the pattern.
#pragma once

#include <cstdint>

#include "logic/ltl.hpp"

namespace tideline {

/// The largest bound of bounded-existence: the automaton has about twice as many states.
inline constexpr std::uint32_t max_pattern_bound = 20;

/// Reads a pattern with its scope and returns the formula that it stands for. Arguments are formulas without
/// temporal operators. Throws Error(input) that points into the text.
Ltl parse_pattern(LtlPool& pool, const SourceText& source);

}  // namespace tideline
