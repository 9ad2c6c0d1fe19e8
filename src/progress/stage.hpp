// Tuples of terms on a sample: a Stage has one applied to it, and says what another term would be worth. For the search in
// projection.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "progress/composition.hpp"
#include "progress/simulate.hpp"
#include "progress/value_order.hpp"

namespace tideline::tuples {

/// A sweep that expands every state more often than this is not worth its memory.
inline constexpr std::uint64_t most_visits = 8;

/// A slot in an order.
struct Part {
  std::size_t column = 0;
  ValueOrder order = {};
  const LocalMeasure* local = nullptr;  ///< whose SCCs or tree it is; none: it was learnt
  bool operator==(const Part&) const = default;
};

/// The sum of the places of its parts.
struct Term {
  std::vector<Part> parts = {};
  bool monotone = false;  ///< certainly
  bool operator==(const Term&) const = default;

  std::uint32_t places() const {
    std::uint32_t places = 1;
    for (const Part& part : parts) places += part.order.places - 1;
    return places;
  }
  /// That it takes in a measure when its orders are written out: each has a place for values that the sample does not show.
  unsigned bits() const {
    std::uint32_t largest = 0;
    for (const Part& part : parts) largest += part.order.places;
    return static_cast<unsigned>(std::bit_width(largest));
  }
};

/// The time to read a state back from disk over that to expand it. It is less than a tenth; but more sweeps of the whole
/// graph than of a small sample come to each state.
inline constexpr double cost_of_recall = 0.15;

/// What visiting states more often costs: a sweep that takes twice as long has to store a quarter to be
/// as good.
inline double price_of_visits(const SimulatedSweep& sweep, double states) {
  const double visited = std::max(
      1.0,
      (static_cast<double>(sweep.visits) + cost_of_recall * static_cast<double>(sweep.recalls)) / states);
  return visited * visited;
}

inline double guide_of(const SimulatedSweep& sweep, const Sample& sample, double persistent) {
  const auto states = static_cast<double>(sample.states());
  const double stored = (static_cast<double>(sweep.peak) + sweep.mean_stored) / 2;
  const double weighted = persistent * static_cast<double>(sweep.persistent) + (1 - persistent) * stored;
  return weighted / states * price_of_visits(sweep, states);
}

inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// A sample, and a tuple applied to it.
class Stage {
 public:
  Stage(const Sample& sample, bool recalls)
      : sample_(sample), recalls_(recalls), layering_{std::vector<std::uint32_t>(sample.states(), 0), 1} {}

  const Sample& sample() const { return sample_; }
  const Layering& layering() const { return layering_; }
  void append(const Term& term) {
    layering_ = with(term);
    monotone_ = monotone_ && term.monotone;
  }

  Layering with(const Term& term) const {
    std::vector<std::uint32_t> places(sample_.states());
    for (const Part& part : term.parts) {
      const auto& ranks = sample_.columns[part.column].ranks;
      for (std::size_t i = 0; i < ranks.size(); ++i) places[i] += part.order.place[ranks[i]];
    }
    Layering layering = refine(layering_, places, term.places());
    return monotone_ && term.monotone ? with_columns(std::move(layering)) : layering;
  }
  SimulatedSweep sweep() const {
    return simulate_sweep(
        sample_, layering_,
        [&](const SimulatedSweep& so_far) { return so_far.visits > most_visits * sample_.states(); },
        recalls_);
  }
  /// The value of the guide with one more term; infinite when it splits no layer, when it costs too many
  /// visits, or as soon as it cannot be better than `best`.
  double guide_with(const Term& term, double persistent, double best = infinite) const {
    const Layering layering = with(term);
    if (layering.count == layering_.count) return infinite;
    const SimulatedSweep sweep = simulate_sweep(
        sample_, layering,
        [&](const SimulatedSweep& so_far) {
          return so_far.visits > most_visits * sample_.states() ||
                 guide_of(so_far, sample_, persistent) > best;
        },
        recalls_);
    return sweep.abandoned ? infinite : guide_of(sweep, sample_, persistent);
  }

 private:
  const Sample& sample_;
  bool recalls_;
  Layering layering_;
  bool monotone_ = true;  // all terms are
};

/// The least few of the values that threads have found so far.
class LeastGuides {
 public:
  explicit LeastGuides(std::size_t count) : least_(count, infinite), last_(infinite) {}

  /// The largest of these; infinite while there are fewer.
  double last() const { return last_; }
  void add(double guide) {
    if (!(guide < last())) return;
    const std::scoped_lock lock(adding_);
    least_.insert(std::ranges::upper_bound(least_, guide), guide);
    least_.pop_back();
    last_ = least_.back();
  }

 private:
  std::mutex adding_;
  std::vector<double> least_;  // ascending
  std::atomic<double> last_;
};

}  // namespace tideline::tuples
