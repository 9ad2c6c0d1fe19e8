// CTL formulas: how they are stored (see formula_pool.hpp), read and printed.
//
// A temporal operator of CTL is a path quantifier and one operator of LTL: A (on all runs from here) or E (on
// some run) with X F G U R W M. Formulas are kept as written, with all these operators; ctl_simplify.hpp
// turns them into the few that engines evaluate.
//
// docs/ctl.md describes the language that is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "logic/formula_pool.hpp"
#include "model/error.hpp"

namespace tideline {

enum class CtlOp : std::uint8_t {
  false_,
  true_,
  atom,
  not_,
  and_,
  or_,
  implies,
  equivalent,
  exclusive_or,
  ex,
  ef,
  eg,
  eu,
  er,
  ew,
  em,
  ax,
  af,
  ag,
  au,
  ar,
  aw,
  am,
};

/// Whether the operator begins with a path quantifier, and whether that is A.
inline bool is_temporal(CtlOp op) {
  return op >= CtlOp::ex;
}
inline bool is_universal(CtlOp op) {
  return op >= CtlOp::ax;
}
/// EX for AX, AF for EF, and so on; the operator is temporal.
inline CtlOp other_quantifier(CtlOp op) {
  constexpr int distance = static_cast<int>(CtlOp::ax) - static_cast<int>(CtlOp::ex);
  return static_cast<CtlOp>(static_cast<int>(op) + (is_universal(op) ? -distance : distance));
}

/// A formula of some pool.
struct Ctl {
  std::uint32_t id = 0;
  auto operator<=>(const Ctl&) const = default;
};

using CtlAtom = FormulaAtom;
using CtlPool = FormulaPool<CtlOp, Ctl>;

/// The deepest nesting that is read; functions that walk a formula may recurse this deep.
inline constexpr std::uint32_t max_ctl_depth = 1000;

/// Reads a formula. Throws Error(input) that points into the text.
Ctl parse_ctl(CtlPool& pool, const SourceText& source);

/// The formula in canonical spelling with few parentheses; parse_ctl gives the same formula back.
std::string to_string(const CtlPool& pool, Ctl f);

/// True for a name that can be written in a formula without quotes and is read back as that atom.
bool is_bare_ctl_name(std::string_view name);

}  // namespace tideline
