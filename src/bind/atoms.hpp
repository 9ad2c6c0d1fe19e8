// The atoms of formulas as expressions of a model.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "lang/lang.hpp"
#include "logic/formula_pool.hpp"
#include "logic/state_parts.hpp"
#include "model/value_condition.hpp"

namespace tideline {

/// An atom of a formula as an expression of the model: one of `known`, else its text is read. Throws
/// Error(input) that points to the atom in the formula.
Expr bind_atom(const System& system, const FormulaAtom& atom, const SourceText& formula,
               const std::vector<Proposition>& known);

/// The atoms of a formula as expressions of the model that have a value everywhere, and what it says of
/// single states where that may have none.
struct BoundAtoms {
  std::vector<Expr> atoms;  ///< in the order of the pool
  std::vector<Expr> parts;  ///< see Property::parts
};

template <class Op, class Formula>
BoundAtoms bind_atoms(const System& system, const FormulaPool<Op, Formula>& pool, Formula formula,
                      const SourceText& source, const std::vector<Proposition>& known) {
  BoundAtoms bound;
  for (const FormulaAtom& atom : pool.atoms()) bound.atoms.push_back(bind_atom(system, atom, source, known));
  const auto lacks = [&](const Expr& expr) { return may_lack_value(expr, system); };
  if (std::ranges::none_of(bound.atoms, lacks)) return bound;
  for (Expr& part : StateParts(pool, bound.atoms).of(formula))
    if (lacks(part)) bound.parts.push_back(std::move(part));
  for (Expr& atom : bound.atoms) atom = with_value_everywhere(std::move(atom), system);
  return bound;
}

}  // namespace tideline
