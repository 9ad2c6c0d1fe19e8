// The plan of a check: from properties and settings to searches and their engines.
//
// Everything that can be refused is refused here, before a search begins. The engine that the user chooses
// answers what it can; all other properties get the engine that `auto` would choose, and a note says which.
// An engine that can answer none of them is refused.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "checking/engines.hpp"
#include "checking/settings.hpp"
#include "lang/lang.hpp"

namespace tideline {

/// One search: which engine, with which settings, for which properties.
struct PlannedSearch {
  const Engine* engine = nullptr;
  Settings settings = {};
  std::vector<Property> properties = {};  ///< bound as the engine needs them
};

/// How the properties are to be checked: those of states in one search, CTL formulas on one graph, the others
/// each in a search of its own.
struct Plan {
  /// Has an engine even without such properties: model errors may have to be looked for afterwards. An engine
  /// that answers both in one search has the CTL formulas here, too.
  PlannedSearch states = {};
  std::vector<PlannedSearch> lassos = {};
  PlannedSearch ctl = {};
  bool infinite = false;  ///< the model is known to have infinitely many states: no search visits all

  /// Of all searches. They can be planned again, for other engines.
  std::vector<Property> properties() const;

  /// All searches, also those without properties.
  std::vector<PlannedSearch*> searches();
};

/// A plan, or why there is none.
struct Planned {
  Plan plan = {};
  std::string refusal = {};

  explicit operator bool() const { return refusal.empty(); }
};

/// Translates formulas. Notes say which engines were chosen and why. For a race (races.hpp) it is the plan of
/// explicit search. Throws Error for formulas that cannot be read.
Planned make_plan(const Model& model, const std::vector<Property>& properties, const Settings& settings);

/// The given options that no search of the plan uses.
std::vector<std::string> idle_options(const std::set<std::string>& given, const Plan& plan,
                                      const Settings& settings);

}  // namespace tideline
