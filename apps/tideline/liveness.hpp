// Properties of infinite runs as the command line gives them: formulas and automata, bound to a model.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lang/lang.hpp"
#include "logic/formula_pool.hpp"
#include "logic/state_parts.hpp"
#include "model/value_condition.hpp"
#include "search/lassos/liveness.hpp"

namespace tideline::app {

/// An atom of a formula as an expression of the model: one of `known`, or read; errors point to the atom in
/// the formula.
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

/// How formulas become automata.
struct LtlOptions {
  bool buchi = false;  ///< one acceptance set on states; else generalised, on transitions
  bool spot = false;   ///< by ltl2tgba instead of our own translation
};

/// An LTL property: its formula in canonical spelling, and the automaton of the runs that violate it.
/// `origin` names the formula in messages; `known` are atoms that need not be read. Throws Error(input) that
/// points into it.
Property ltl_property(const System& system, std::string name, const std::string& formula,
                      const std::string& origin, const LtlOptions& options,
                      const std::vector<Proposition>& known = {});

/// A property given by an automaton in HOA that accepts the runs that are wrong. `buchi` as above.
Property automaton_property(const System& system, std::string name, const std::string& file, bool buchi);

/// What --product builds the product with: the formula, else the automaton's file, else the property process
/// of the model. Throws Error(usage) when there is none.
std::shared_ptr<const PropertyProcess> watched_property(const System& system, const std::string& model_path,
                                                        const std::optional<std::string>& formula,
                                                        const std::optional<std::string>& automaton_file);

}  // namespace tideline::app
