// Forecast: how much of a sweep is done, and how much is left.
//
// A sweep knows how many states it has visited, and not how many there are. Before it lie layers of which a
// preview (preview.hpp) has guessed the sizes. These guesses are far too small where layers are large, often
// by a factor of ten, but they are wrong in the same way for neighbouring layers. So they are compared with
// what has been found in the layers that are done, and corrected by that factor: the states ahead are those
// of the preview times the factor of the latest half of the visits. Half the visits are recent enough to
// follow a factor that grows with the layers, and enough not to follow single layers.
//
// The range beside the estimate is made from the two factors, that of the latest half and that of all visits,
// and is widened by a part that shrinks as the sweep comes to its end. bench/forecast.py measures how often it
// holds the truth.
//
// Only the current sweep is forecast. Whether another one will follow nobody knows before it does.
//
// Invariants: layers are noted in ascending order; history_ has every stride_-th of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/progress.hpp"

namespace tideline {

/// A layer that the line is about to leave.
struct LayerReport {
  std::uint64_t sweep = 0;
  Progress progress = 0;
  std::uint64_t expanded = 0;    ///< states of the layer, in this sweep
  std::uint64_t stored = 0;      ///< states in memory, this layer's among them
  std::uint64_t persistent = 0;  ///< states that have become so
};

/// A layer of a preview, and how many states it seems to have.
struct LayerEstimate {
  Progress progress = 0;
  double states = 0;
};

class Forecast {
 public:
  /// All states of the sweep: the estimate, and a range that probably holds the truth.
  struct Total {
    double states = 0, least = 0, most = 0;
  };

  Forecast() = default;
  /// For a sweep that goes on after this many visits, of which it has no other record.
  explicit Forecast(std::uint64_t visited) : before_(visited), visited_(visited) {}

  /// The line leaves a layer in which this many states were expanded.
  void on_layer(Progress progress, std::uint64_t expanded);

  /// How many steps a preview may take now; 0: none is due. The first one comes when the sweep has taken two
  /// seconds, others when it is much longer and can afford more steps.
  std::uint64_t preview_due(double seconds) const;
  /// Steps of a preview that is made when a limit ends the sweep: there is little time for it.
  std::uint64_t last_preview_steps(double seconds) const;
  /// Layers in ascending order, as a preview of so many steps has found them.
  void set_preview(std::vector<LayerEstimate> layers, std::uint64_t steps);
  bool has_preview() const { return !preview_.empty(); }

  /// `waiting`: states that are stored and not expanded yet. Nothing without a preview that covers the line.
  std::optional<Total> total(std::uint64_t waiting) const;

 private:
  struct Point {
    Progress progress = 0;
    std::uint64_t visited = 0;  ///< up to the end of this layer
  };

  /// How many steps a preview can make, at the speed of a sweep that has taken so many seconds.
  std::uint64_t steps_for(double preview_seconds, double seconds) const;
  /// States of the preview in layers up to this one.
  double previewed(Progress progress) const;

  std::uint64_t before_ = 0, visited_ = 0;
  std::uint64_t layers_ = 0;       ///< that were noted
  Progress first_ = 0, last_ = 0;  ///< of these
  std::vector<Point> history_ = {};
  std::uint64_t stride_ = 1;
  std::vector<LayerEstimate> preview_ = {};               ///< states are summed up from the first layer on
  std::uint64_t previewed_at_ = 0, previewed_steps_ = 0;  ///< visits when the preview was made, its steps
};

}  // namespace tideline
