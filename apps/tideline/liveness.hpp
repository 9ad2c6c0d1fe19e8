// Properties of infinite runs as the command line gives them: formulas and automata, bound to a model.
#pragma once

#include <string>

#include "lang/lang.hpp"
#include "logic/formula_pool.hpp"
#include "search/liveness.hpp"

namespace tideline::app {

/// An atom of a formula as an expression of the model: one of `known`, or read; errors point to the atom in
/// the formula.
Expr bind_atom(const System& system, const FormulaAtom& atom, const SourceText& formula,
               const std::vector<Proposition>& known);

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
