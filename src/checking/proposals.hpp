// Proposals of progress measures for a model: found on a sample of the states, tried, and measured if wanted.
#pragma once

#include <cstdint>
#include <vector>

#include "checking/settings.hpp"
#include "lang/lang.hpp"
#include "report/measures.hpp"
#include "run/budget.hpp"

namespace tideline {

struct ProposalOptions {
  std::uint64_t sample_states = SampleOptions{}.limit;  ///< to try measures on
  bool learnt = true, composed = true, linear = true;   ///< where measures may come from
  std::uint64_t measured = 0;                           ///< this many of the best sweep the whole graph
};

/// For the model, or for its product with a property. A measure in the settings is tried instead of others;
/// the model's own is tried with them.
Proposals propose_measures(const Model& model, const PropertyProcess* property, const Settings& settings,
                           const ProposalOptions& options, const Budget::Limits& limits, Budget& budget);

/// What groups of variables and processes, listed like terms of a measure, can do on their own; without
/// groups, every slot. Throws Error: input, usage.
std::vector<LocalMeasure> measure_groups(const System& system, ErrorSemantics errors,
                                         const std::vector<SourceText>& groups);

}  // namespace tideline
