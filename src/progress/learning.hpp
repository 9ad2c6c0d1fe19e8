// Learning while a sweep goes on: samples that grow with what the sweep has visited.
//
// The measure that a sweep begins with comes from 3,000 states, because nobody wants to wait. On large models
// more states show better measures. So the sweep is interrupted a few times: at a point that depends only on
// how many states it has expanded, a larger sample is drawn, measures are looked for on it, and the best one
// is compared, on the same sample, with the measure in use. Each look takes a small part of the time that the
// sweep has taken until then; a sweep that goes well is left alone.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "graph/graph.hpp"
#include "progress/adviser.hpp"
#include "progress/projection.hpp"

namespace tideline {

struct LearningOptions {
  ErrorSemantics errors = ErrorSemantics::stop;
  std::uint64_t bytes = SampleOptions{}.bytes;           ///< that a sample may take
  std::function<Measure(const std::string&)> read = {};  ///< from the spelling of a measure
  unsigned threads = 1;
  bool recalls = false;  ///< passed states are on disk
  /// Called when the measure changes, with the number of visits so far; may be empty.
  std::function<void(std::uint64_t, const Measure&)> on_change = {};
};

/// When to look at how many states, and the work that the search for measures may take.
struct Look {
  std::uint64_t expansions = 0;
  std::uint64_t sample = 0;
  std::uint64_t work = 0;
};
inline constexpr std::array looks_at_samples{Look{1'000'000, 20'000, 8'000'000},
                                             Look{5'000'000, 50'000, 30'000'000}};

/// Whether few states are in memory and few transitions lead back: another measure would hardly be felt. Where passed
/// states are on disk, transitions that lead back cost little.
bool goes_well(const SweepExperience& so_far, bool recalls);
/// Whether the best measure of the projection is so much better than this one that a change is worth it.
bool worth_a_change(const Projection& projection, const MeasureTrial& present);

template <Graph G>
class LearningAdviser final : public MeasureAdviser {
 public:
  /// For a sweep that begins after so many visits of another search: looks that come before are not taken.
  /// The system must outlive it.
  LearningAdviser(G graph, const System& system, LearningOptions options, std::uint64_t visits = 0)
      : graph_(std::move(graph)), system_(system), options_(std::move(options)) {
    while (looks_ < looks_at_samples.size() && looks_at_samples[looks_].expansions <= visits) ++looks_;
  }

  std::optional<Measure> better(const Measure& present, const SweepExperience& so_far,
                                Budget& budget) override {
    if (looks_ == looks_at_samples.size() || so_far.expansions < looks_at_samples[looks_].expansions)
      return std::nullopt;
    const Look& look = looks_at_samples[looks_++];
    if (goes_well(so_far, options_.recalls)) return std::nullopt;
    const ProjectionOptions options =
        quick_projection({.limit = look.sample, .bytes = options_.bytes}, options_.errors, look.work,
                         options_.threads, options_.recalls);
    // The numbers of a sample would look like those of the sweep.
    Budget silent = budget.beside([] { return true; }, false);
    const Sample sample = draw_sample(graph_, system_, options.sample, silent);
    const Projection projection = project_measure(sample, system_, options, silent);
    const MeasureTrial trial = try_measure(sample, present, options_.recalls, &silent);
    if (!silent.reason().empty()) budget.exhaust(silent.reason());
    if (!budget.reason().empty() || !worth_a_change(projection, trial)) return std::nullopt;
    const Measure& best = projection.trials.front().measure;
    if (options_.on_change) options_.on_change(so_far.expansions, best);
    return best;
  }
  std::optional<std::uint64_t> next_look() const override {
    return looks_ < looks_at_samples.size() ? std::optional(looks_at_samples[looks_].expansions)
                                            : std::nullopt;
  }
  Measure read(const std::string& text) const override { return options_.read(text); }
  std::uint64_t& looks() override { return looks_; }

 private:
  G graph_;
  const System& system_;
  LearningOptions options_;
  std::uint64_t looks_ = 0;
};

}  // namespace tideline
