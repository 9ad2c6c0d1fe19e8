#include "progress/learning.hpp"

namespace tideline {

namespace {

/// Of the states visited, in memory at a time; of the visits, regress edges.
constexpr double many_stored = 0.2, many_regress_edges = 0.03;
/// Where no state is visited twice, fewer sweeps are worth the time for a larger sample.
constexpr double many_stored_with_recalls = 0.3;
/// The score of another measure over that of the present one.
constexpr double much_better = 0.6;

}  // namespace

bool goes_well(const SweepExperience& so_far, bool recalls) {
  const auto visits = static_cast<double>(so_far.expansions), stored = static_cast<double>(so_far.stored);
  if (recalls) return stored < many_stored_with_recalls * visits;
  return stored < many_stored * visits &&
         static_cast<double>(so_far.regress_edges) < many_regress_edges * visits;
}

bool worth_a_change(const Projection& projection, const MeasureTrial& present) {
  return !projection.trials.empty() && projection.trials.front().score < much_better * present.score;
}

}  // namespace tideline
