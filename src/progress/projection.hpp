// Projection: a progress measure found by trying, after a bounded preliminary exploration.
//
// The idea of taking some slots of the state vector as the measure, chosen after a first look at the state
// space, is from the experiments in
//
//   S. Evangelista, L. M. Kristensen: Hybrid On-the-Fly LTL Model Checking with the Sweep-Line Method, 2012.
//
// What we add: the values of a slot may have an order learnt from the sample (value_order.hpp), and measures
// are judged by simulating the sweep on the sample instead of by rules of thumb. A tuple grows term by term,
// always by the one after which the simulated sweep is best; the next term is learnt from the edges that the
// terms so far leave within a layer, for only those can it order.
//
// What "best" means while a tuple grows decides how it ends. The peak alone is a bad guide: it is a maximum
// that often does not move until several terms work together. The mean of what is stored moves with every
// term; and persistent states are never forgotten, whatever terms are added later, so the first aim is to
// have few of them. No weighting is best on all models, so several are tried, with and without a first part
// of terms that show no regress at all; then terms that turn out not to be needed are taken out again, and
// others moved forward where that helps. The results are compared by stored states times the square of
// visited ones, with a penalty for persistent states when the sample is not the whole: there are more of them
// in the rest.
//
// An order that was learnt from a few thousand states fits these better than others. So measures are compared on a
// fresh sample, too, and for each that has learnt orders there is one with natural orders in their place, where
// that costs little on the first sample.
//
// Weighted sums of slots that most actions increase (linear.hpp) are tried, too. Terms composed of what
// single slots can do (composition.hpp) take part: on their own, without any that were learnt, and as claims,
// for a first term that is known never to decrease makes columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "graph/graph.hpp"
#include "progress/composition.hpp"
#include "progress/draw_sample.hpp"
#include "progress/measure.hpp"
#include "progress/simulate.hpp"
#include "run/budget.hpp"

namespace tideline {

struct RegressingAction {
  ActionId action = no_action;  ///< no_action: the property moved alone
  std::uint64_t edges = 0;
};

/// Where a measure comes from: orders learnt from the sample, what single slots can do (composition.hpp), or
/// how actions change slots (linear.hpp).
enum class MeasureOrigin : std::uint8_t { learnt, composed, linear };

std::string_view to_string(MeasureOrigin origin);

/// A measure and what a sweep with it would cost on the sample.
struct MeasureTrial {
  Measure measure = {};
  SimulatedSweep sweep = {};
  std::uint32_t layers = 0;
  std::uint64_t regress_edges = 0;                ///< of the sample's edges
  double score = 0;                               ///< the smaller the better; 1: no better than no measure
  std::vector<RegressingAction> regressing = {};  ///< by number of edges, descending
  MeasureOrigin origin = MeasureOrigin::learnt;
};

struct Projection {
  std::vector<MeasureTrial> trials = {};      ///< best first; empty when no measure helps
  std::optional<MeasureTrial> rejected = {};  ///< the best one of those that do not help
  std::uint64_t sample_states = 0;
  std::uint64_t sample_edges = 0;
  bool complete = false;  ///< the sample is the whole graph: figures are exact
};

struct ProjectionOptions {
  SampleOptions sample = {};
  std::size_t most_trials = 6;
  std::size_t most_terms = 12;
  unsigned most_bits = 56;  ///< leaves room for the part of an automaton
  ErrorSemantics errors = ErrorSemantics::stop;
  bool learnt = true;    ///< measures from the sample
  bool composed = true;  ///< measures from what single slots can do, and claims that follow from it
  bool linear = true;    ///< measures from how actions change slots
  /// States and edges of the sample over which sweeps are simulated, about 10 ns each: the search ends there.
  std::uint64_t most_work = std::numeric_limits<std::uint64_t>::max();
  /// How many candidates for a term are tried on the whole sample, after all were tried on a part of at most
  /// so many states.
  std::size_t finalists = 8, most_thin = 50'000;
  unsigned threads = 1;  ///< what is found does not depend on it
  bool recalls = false;  ///< for a sweep that has passed states on disk
};

/// For a search that must not take long.
inline ProjectionOptions quick_projection(SampleOptions sample, ErrorSemantics errors,
                                          std::uint64_t most_work, unsigned threads, bool recalls) {
  return {.sample = sample,
          .errors = errors,
          .most_work = most_work,
          .finalists = 3,
          .most_thin = 4'000,
          .threads = threads,
          .recalls = recalls};
}

/// Whether a sweep with this measure saves more than it costs, and a little more where it may turn out to visit states
/// more often than the sample shows: with passed states on disk it does not.
inline bool helps(const MeasureTrial& trial) {
  return trial.score < (trial.sweep.recalls != 0 ? 1 : 0.75);
}

/// How a sweep over the sample would go with this measure; `recalls`: with passed states on disk.
/// Given up when the budget is exhausted; none: no limits.
MeasureTrial try_measure(const Sample& sample, const Measure& measure, bool recalls = false,
                         Budget* budget = nullptr);

/// Looks for measures on a sample. Ends early, with what was found, when the budget is exhausted. `fresh`: another sample,
/// from which nothing is learnt, and whose score counts as much; none: the first one has to do.
Projection project_measure(const Sample& sample, const System& system, const ProjectionOptions& options,
                           Budget& budget, const Sample* fresh = nullptr);

/// The same on a graph whose packed states begin with a packed state of the system, with a fresh sample.
template <Graph G>
Projection project_measure(G& graph, const System& system, const ProjectionOptions& options, Budget& budget) {
  const Sample sample = draw_sample(graph, system, options.sample, budget);
  if (sample.complete()) return project_measure(sample, system, options, budget);
  SampleOptions other = options.sample;
  ++other.seed;
  const Sample fresh = draw_sample(graph, system, other, budget);
  return project_measure(sample, system, options, budget, &fresh);
}

}  // namespace tideline
