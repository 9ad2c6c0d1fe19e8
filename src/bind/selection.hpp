// Which properties a check is about: those that are asked for, else everything that comes with the model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lang/lang.hpp"
#include "run/property.hpp"

namespace tideline {

/// A property as a user writes it.
struct PropertyText {
  PropertyKind kind = PropertyKind::deadlock;
  std::string text = {};    ///< an expression or a formula; of an automaton its file; of deadlock nothing
  std::string name = {};    ///< empty: the kind is its name, with a number from the second one on
  std::string origin = {};  ///< what messages about the text call it; empty: by its name
  bool is_pattern = false;  ///< of ltl: the text is a pattern, see docs/patterns.md
};

struct PropertySelection {
  std::vector<PropertyText> texts = {};
  std::vector<std::string> formula_files = {};  ///< in the XML of the Model Checking Contest
  std::vector<std::string> names = {};          ///< of named properties of the model
  bool all_named = false;                       ///< all named properties, whatever `names` says
  bool assertions = false;                      ///< the assertions of the model

  /// Nothing is asked for.
  bool empty() const {
    return texts.empty() && formula_files.empty() && names.empty() && !all_named && !assertions;
  }
};

/// The texts as properties, not bound to a model yet.
std::vector<Property> unbound_properties(const std::vector<PropertyText>& texts);

/// The texts as properties of the system. Formulas of infinite runs and of CTL are only text yet, see
/// bind/bind.hpp. Throws Error(input).
std::vector<Property> bind_texts(const System& system, const std::vector<PropertyText>& texts);

/// The properties that are asked for, bound like those of bind_texts(). Where nothing is asked for, those are
/// the assertions, named properties and property process of the model; if it has none, freedom from deadlock,
/// and `note` is told so. Throws Error.
std::vector<Property> select_properties(const PropertySelection& selection, const Model& model,
                                        const std::function<void(const std::string&)>& note = {});

}  // namespace tideline
