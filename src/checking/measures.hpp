// The progress measures of a plan: the one that is given, or the best that is found on a sample of states.
#pragma once

#include <optional>
#include <vector>

#include "checking/plan.hpp"
#include "lang/lang.hpp"
#include "progress/draw_sample.hpp"
#include "progress/measure.hpp"

namespace tideline {

/// The budget for trying measures on a sample, which comes before a sweep: the time limit and interrupts
/// count for both, but the sample takes only a share of the memory limit.
struct SampleBudget {
  /// `gone`: seconds that the run has taken so far.
  SampleBudget(Budget::Limits limits, double gone);
  SampleOptions options(std::uint64_t most_states) const;

  Budget budget;
  std::uint64_t bytes = SampleOptions{}.bytes;
};

/// A measure in the words of the model. Throws Error(input) that points into the text.
Measure read_measure(const System& system, const SourceText& source, ErrorSemantics errors);

/// The measure of the settings, or the model's own; nothing: one has to be found.
std::optional<Measure> given_measure(const Model& model, const Settings& settings);

/// Throws Error when a measure is given and cannot be used, alone or with the order of this automaton.
void require_measure(const Model& model, const PropertyProcess* property, const Settings& settings);

/// The measure for a sweep of the model for these properties, or of its product with a property. Without a
/// given one, one is looked for on a sample of the states. Notes say what was found and how good it is. `recalls`:
/// the sweep has passed states on disk.
Measure choose_measure(const Model& model, const PropertyProcess* property,
                       const std::vector<Property>& properties, const Settings& settings, bool recalls,
                       SampleBudget& budget);

/// How a sweep of the model's states goes on looking for a measure on its way; nothing: the measure was given.
std::optional<LearningOptions> learning_for(const Model& model, const Settings& settings, bool recalls,
                                            const SampleBudget& budget);

/// Chooses a measure for each search of the plan that takes one: each sweeps a graph of its own. A search for states alone
/// may begin before there is a measure, which is looked for meanwhile. `saved`: the measures that were chosen before, in
/// their canonical spelling. Throws Error for wrong settings before the first measure is looked for.
void choose_measures(const Model& model, Plan& plan, const Budget::Limits& limits, Budget& budget,
                     const std::vector<std::string>* saved = nullptr);

/// The measures of the plan's searches, in the order in which choose_measures() takes them.
std::vector<std::string> measures_of(Plan& plan);

/// Throws Error(io) when the log of runs cannot be written where the settings want it.
void require_log(const SweepSettings& settings);

}  // namespace tideline
