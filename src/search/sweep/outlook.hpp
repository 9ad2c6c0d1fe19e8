// Outlook: what a sweep says about its end while it runs.
//
// Makes previews when they are due, follows the layers, and turns the forecast into parts of the whole and
// seconds. Previews are made only while somebody looks, and when a limit ends the sweep, for the answer.
//
// Only the first sweep is forecast. A later one visits some states once more, and nobody knows how many; as
// soon as it is known that another sweep must follow, the figures are said to be those of this one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>

#include "run/budget.hpp"
#include "search/sweep/forecast.hpp"
#include "search/sweep/preview.hpp"

namespace tideline {

class Outlook {
 public:
  /// After so many visits, which is 0 unless the sweep was resumed.
  void begin(std::uint64_t visited, const Budget& budget) {
    start_seconds_ = budget.seconds();
    start_visited_ = visited;
    forecast_ = Forecast(visited);
  }

  void on_layer(const LayerReport& report) {
    latest_ = report;
    if (report.sweep == 1) forecast_.on_layer(report.progress, report.expanded);
  }

  template <ProgressGraph G>
  void preview_when_due(const G& graph, const Budget& budget) {
    if (!budget.watched() || latest_.sweep != 1) return;
    if (const std::uint64_t steps = forecast_.preview_due(budget.seconds() - start_seconds_))
      preview(graph, steps);
  }

  /// The number of the sweep; 0 while it seems to be the only one.
  std::uint64_t sweep() const { return latest_.sweep > 1 || latest_.persistent != 0 ? latest_.sweep : 0; }

  std::optional<Completion> completion(std::uint64_t visited, const Budget& budget) const {
    if (!forecast_.has_preview() || latest_.sweep != 1) return std::nullopt;
    const auto total = forecast_.total(latest_.stored - latest_.expanded - latest_.persistent);
    if (!total) return std::nullopt;
    const auto done = static_cast<double>(visited);
    const double seconds_a_visit = (budget.seconds() - start_seconds_) /
                                   static_cast<double>(std::max<std::uint64_t>(visited - start_visited_, 1));
    return Completion{.part = std::min(done / total->states, 1.0),
                      .least = std::min(done / total->most, 1.0),
                      .most = std::min(done / total->least, 1.0),
                      .seconds_left = std::max(total->states - done, 0.0) * seconds_a_visit};
  }

  /// Of all states, when a limit ends the search. Nothing where another sweep would have followed.
  template <ProgressGraph G>
  std::optional<Completion> coverage(const G& graph, std::uint64_t visited, const Budget& budget) {
    if (budget.raced() || latest_.sweep != 1 || latest_.persistent != 0) return std::nullopt;
    try {
      if (!forecast_.has_preview())
        preview(graph, forecast_.last_preview_steps(budget.seconds() - start_seconds_));
      return completion(visited, budget);
    } catch (const std::bad_alloc&) {
      return std::nullopt;
    }
  }

 private:
  template <ProgressGraph G>
  void preview(const G& graph, std::uint64_t steps) {
    forecast_.set_preview(Preview(graph, steps).layers(), steps);
  }

  Forecast forecast_;
  LayerReport latest_;  ///< of the layer that the line left last
  double start_seconds_ = 0;
  std::uint64_t start_visited_ = 0;
};

}  // namespace tideline
