// LTL formulas: how they are stored (see formula_pool.hpp), read and printed.
//
// docs/ltl.md describes the language that is read, with its precedences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "logic/formula_pool.hpp"
#include "model/error.hpp"

namespace tideline {

enum class LtlOp : std::uint8_t {
  false_,
  true_,
  atom,
  not_,
  and_,
  or_,
  implies,
  equivalent,
  exclusive_or,
  next,            ///< X f
  eventually,      ///< F f
  always,          ///< G f
  until,           ///< f U g
  release,         ///< f R g, also written V
  weak_until,      ///< f W g = f U g || G f
  strong_release,  ///< f M g = g U (f && g)
};

/// How tightly an operator binds: binary ones from 0 on, in the order of docs/ltl.md, all others
/// tightest. When printed, operands that bind less tightly, and those of another operator of the same
/// level, get parentheses.
inline constexpr int ltl_unary_binding = 5;
int ltl_binding(LtlOp op);

/// A formula of some pool.
struct Ltl {
  std::uint32_t id = 0;
  auto operator<=>(const Ltl&) const = default;
};

using LtlAtom = FormulaAtom;

/// The most atoms that a formula and its automaton may have: a valuation is one machine word.
inline constexpr std::size_t max_ltl_atoms = 64;

using LtlPool = FormulaPool<LtlOp, Ltl>;

/// The deepest nesting that is read; functions that walk a formula may recurse this deep.
inline constexpr std::uint32_t max_ltl_depth = 2000;

/// Reads a formula. Throws Error(input) that points into the text.
Ltl parse_ltl(LtlPool& pool, const SourceText& source);

/// The formula in canonical spelling with few parentheses; parse_ltl gives the same formula back.
std::string to_string(const LtlPool& pool, Ltl f);

/// The name of an atom as written in a formula: in quotes unless `bare`.
std::string spelled_atom(const std::string& name, bool bare);

/// True for a name that can be written in a formula without quotes and is read back as that atom.
bool is_bare_ltl_name(std::string_view name);

/// Calls visit(g) for f and everything below it, each once.
template <class Visit>
void for_each_subformula(const LtlPool& pool, Ltl f, Visit&& visit) {
  std::vector<bool> seen(f.id + 1);
  std::vector<Ltl> open{f};
  while (!open.empty()) {
    const Ltl g = open.back();
    open.pop_back();
    if (seen[g.id]) continue;
    seen[g.id] = true;
    visit(g);
    for (const Ltl operand : pool.operands(g)) open.push_back(operand);
  }
}

/// The atoms that occur in f, as indices into pool.atoms(), in ascending order.
std::vector<std::uint32_t> atoms_of(const LtlPool& pool, Ltl f);

}  // namespace tideline
