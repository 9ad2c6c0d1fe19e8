// Proposals of progress measures for a model: found on a sample of the states, tried, and measured if wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checking/settings.hpp"
#include "lang/lang.hpp"
#include "progress/projection.hpp"
#include "run/budget.hpp"
#include "search/sweep/sweep.hpp"

namespace tideline {

/// A measure, what was predicted for it, and what came of it.
struct Candidate {
  MeasureTrial trial;
  std::optional<SweepFigures> measured = {};
  double seconds = 0;
};

struct Proposals {
  std::vector<Candidate> candidates = {};  ///< the best one first
  std::uint64_t sample_states = 0, sample_edges = 0;
  bool whole = false;              ///< the sample is the whole graph
  std::string limit_reached = {};  ///< which limit ended it early; empty: none
};

struct ProposalOptions {
  std::uint64_t sample_states = SampleOptions{}.limit;  ///< to try measures on
  bool learnt = true, composed = true, linear = true;   ///< where measures may come from
  std::uint64_t measured = 0;                           ///< with so many of the best the whole graph is swept
};

/// For the model, or for its product with a property. A measure that the settings have is tried instead of
/// others; the model's own beside them.
Proposals propose_measures(const Model& model, const PropertyProcess* property, const Settings& settings,
                           const ProposalOptions& options, const Budget::Limits& limits, Budget& budget);

}  // namespace tideline
