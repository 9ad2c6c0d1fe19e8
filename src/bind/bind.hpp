// From the text of a formula and a System to a Property: one way for every language and every logic.
//
// A property of infinite runs or of CTL begins as a text (Property::formula), with a name and maybe with
// atoms that are known already. Binding reads it, replaces its atoms by expressions of the model, and makes
// what engines search with: an automaton, or the core form of a CTL formula. Which automaton depends on the
// engine, so that a property may be bound more than once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/lang.hpp"
#include "logic/formula_pool.hpp"
#include "logic/stuttering.hpp"
#include "run/property.hpp"

namespace tideline {

/// How formulas become automata.
struct Translation {
  bool buchi = false;  ///< one acceptance set on states; else generalised, on transitions
  bool spot = false;   ///< by ltl2tgba instead of our own translation
};

/// What was written: the formula, or the pattern that stands for it.
SourceText written_formula(const Property& property);

/// The atoms of a formula of LTL or CTL that is not bound yet; of other properties none. Throws Error(input).
std::vector<FormulaAtom> formula_atoms(const Property& property);

/// The property with what engines need of it: one of states has that already, and one that was bound before
/// is returned as it is. Throws Error(input) that points into the formula, called by the property's origin.
Property bind(const System& system, const Property& property, const Translation& translation = {});

/// A property of states from its text: an invariant, or a state that is to be reached.
Property bind_expression(const System& system, Property property);

/// Whether a bound property of infinite runs sees how often a state is repeated. Not kept: it may take a
/// second, and few need it.
Stuttering stuttering_of(const Property& property);

/// The named property of the model. Throws Error(usage) that says which there are.
Property named_property(const Model& model, const std::string& name);

/// The model's own property process as a property. Nothing: it has none.
std::optional<Property> own_property(const System& system);

}  // namespace tideline
