// The plan of a check: from properties and options to searches and their engines.
//
// Everything that can be refused is refused here, before a search begins.
#pragma once

#include <vector>

#include "check_options.hpp"
#include "lang/lang.hpp"
#include "search/liveness.hpp"
#include "search/safety.hpp"

namespace tideline::app {

/// How the properties are to be checked: those of states in one search, CTL formulas on one graph, the others
/// each in a search of its own.
struct Plan {
  SafetyOptions safety = {};
  bool symbolic =
      false;  ///< all properties by decision diagrams: states and CTL in one search, infinite runs each
  std::vector<Property> of_states = {};
  std::vector<Property> ctl = {};
  struct Lasso {
    Property property;
    LivenessOptions options;
  };
  bool infinite = false;  ///< the model is known to have infinitely many states: no search visits all
  std::vector<Lasso> lassos = {};  ///< with `symbolic`, by decision diagrams: their options say nothing

  /// All of them. They can be planned again, for other engines.
  std::vector<Property> properties() const;
};

/// Formulas are translated here. Says which engines were chosen and why. Throws Error.
Plan make_plan(const CheckOptions& options, const Model& model, const std::vector<Property>& properties);

/// For the searches with the sweep-line: each sweeps a graph of its own. A run that goes on has its measures.
/// What is wrong with the options is said before the first one is looked for.
void choose_measures(const CheckOptions& options, const Model& model, Plan& plan,
                     const Budget::Limits& limits, const Budget& budget);

/// Which options the engines of the plan look at.
std::vector<OptionUse> option_uses(const CheckOptions& options, const Plan& plan);

}  // namespace tideline::app
