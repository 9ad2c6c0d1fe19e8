// The plan of a check: from properties and options to searches and their engines.
//
// Everything that can be refused is refused here, before a search begins. An engine that is asked for answers
// what it can; all other properties get the engine that `auto` would choose, and a note says which. One that
// can answer none of them is refused.
#pragma once

#include <vector>

#include "check_options.hpp"
#include "lang/lang.hpp"
#include "search/lassos/liveness.hpp"
#include "search/states/safety.hpp"

namespace tideline::app {

/// How the properties are to be checked: those of states in one search, CTL formulas on one graph, the others
/// each in a search of its own.
struct Plan {
  SafetyOptions safety = {};
  bool symbolic = false;  ///< states and CTL by decision diagrams, in one search
  std::vector<Property> of_states = {};
  std::vector<Property> ctl = {};
  struct Lasso {
    Property property;
    LivenessOptions options;
    bool symbolic = false;  ///< by decision diagrams: the options say nothing

    bool is_swept() const { return !symbolic && options.engine == LassoEngine::sweep; }
  };
  bool infinite = false;  ///< the model is known to have infinitely many states: no search visits all
  std::vector<Lasso> lassos = {};

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
