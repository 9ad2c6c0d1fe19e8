// The progress measures of a plan: the one that is given, or the best that is found on a sample of the
// states.
#pragma once

#include <optional>
#include <vector>

#include "checking/plan.hpp"
#include "lang/lang.hpp"
#include "progress/draw_sample.hpp"
#include "progress/measure.hpp"

namespace tideline {

/// What trying measures on a sample may take. It comes before a sweep and leaves the sweep its budget: the
/// time limit and interrupts count for both, but memory only bounds the sample, by a share of the limit.
struct SampleBudget {
  /// `gone`: seconds of the run until now.
  SampleBudget(Budget::Limits limits, double gone);
  SampleOptions options(std::uint64_t most_states) const;

  Budget budget;
  std::uint64_t bytes = SampleOptions{}.bytes;
};

/// A measure in the words of the model. Throws Error(input) that points into the text.
Measure read_measure(const System& system, const SourceText& source);

/// The measure of the settings, or the model's own; none: it is for us to find one.
std::optional<Measure> given_measure(const Model& model, const Settings& settings);

/// Throws Error when a measure is given and is no good, alone or beside the order of this automaton.
void require_measure(const Model& model, const PropertyProcess* property, const Settings& settings);

/// The measure for a sweep of the model, or of its product with a property. Without a given one, one is
/// looked for on a sample of the states. Says what was found and how good it is.
Measure choose_measure(const Model& model, const PropertyProcess* property, const Settings& settings,
                       SampleBudget& budget);

/// For the searches of the plan that take a measure: each sweeps a graph of its own. `saved`: they have been
/// chosen before, in their canonical spelling. What is wrong with the settings is said before the first one
/// is looked for. Nothing is done when there are no such searches.
void choose_measures(const Model& model, Plan& plan, const Budget::Limits& limits, const Budget& budget,
                     const std::vector<std::string>* saved = nullptr);

/// The measures of the plan's searches, in the order in which choose_measures() takes them.
std::vector<std::string> measures_of(Plan& plan);

/// Throws Error(io) when there can be no log of runs where it is to lie.
void require_log(const SweepSettings& settings);

}  // namespace tideline
