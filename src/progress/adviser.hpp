// MeasureAdviser: looks for a better measure while a sweep goes on.
//
// A sweep begins with a measure that was found on very few states. Between two layers it asks its adviser,
// and may go on with another measure: what is in memory is put into new layers (search/sweep/sweep.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "progress/measure.hpp"
#include "run/budget.hpp"

namespace tideline {

/// How a sweep has gone so far.
struct SweepExperience {
  std::uint64_t expansions = 0;
  std::uint64_t stored = 0;  ///< states, at most at a time, lately
  std::uint64_t regress_edges = 0;
};

class MeasureAdviser {
 public:
  virtual ~MeasureAdviser() = default;

  /// Called between two layers, and mostly returns nothing at once. Another measure promises to be better
  /// than `present`, and there are only so many.
  virtual std::optional<Measure> better(const Measure& present, const SweepExperience& so_far,
                                        Budget& budget) = 0;
  /// At how many expansions it looks at the sweep next; nothing: that is not known, or it does not.
  virtual std::optional<std::uint64_t> next_look() const { return std::nullopt; }
  /// The measure that text() of one spelled.
  virtual Measure read(const std::string& text) const = 0;
  /// For checkpoints: which looks have been taken.
  virtual std::uint64_t& looks() = 0;
};

}  // namespace tideline
