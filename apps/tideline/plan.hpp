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
  SafetyOptions safety;
  std::vector<Property> of_states;
  std::vector<Property> ctl;
  struct Lasso {
    Property property;
    LivenessOptions options;
  };
  std::vector<Lasso> lassos;
};

/// Formulas are translated here. Says which engines were chosen and why. Throws Error.
Plan make_plan(const CheckOptions& options, const Model& model, const std::vector<Property>& properties);

/// For the searches with the sweep-line: each sweeps a graph of its own. A run that goes on has its measures.
void choose_measures(const CheckOptions& options, const Model& model, Plan& plan, Budget& budget);

/// Says which of the given options change nothing, as no engine that is used looks at them.
void say_idle_options(const CheckOptions& options, const Plan& plan);

}  // namespace tideline::app
