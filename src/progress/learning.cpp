#include "progress/learning.hpp"

namespace tideline {

namespace {

/// Of the states visited, in memory at a time; of the visits, regress edges.
constexpr double many_stored = 0.2, many_regress_edges = 0.03;
/// The score of another measure over that of the present one.
constexpr double much_better = 0.6;

}  // namespace

bool goes_well(const SweepExperience& so_far) {
  const auto visits = static_cast<double>(so_far.expansions);
  return static_cast<double>(so_far.stored) < many_stored * visits &&
         static_cast<double>(so_far.regress_edges) < many_regress_edges * visits;
}

bool worth_a_change(const Projection& projection, const MeasureTrial& present) {
  return !projection.trials.empty() && projection.trials.front().score < much_better * present.score;
}

}  // namespace tideline
