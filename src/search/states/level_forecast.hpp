// LevelForecast: how many states a breadth-first search will find, from the sizes of its levels.
//
// In most models the levels grow, reach a largest one, and shrink, and the logarithm of the quotient of two
// neighbours falls about linearly, as it does for a bell curve. A line is put through the latest quotients, and
// the levels to come are summed up along it. Nobody knows whether a model has another hill behind the first one.
// So nothing is said
//   - before the levels have begun to shrink: while they grow, the estimate is too low by any factor
//   - if there was a valley before: there may be others
//   - if lines through the latest third, half, two thirds and all of the quotients lead to totals that differ
//     by more than a factor of three. Their least and largest are the range, widened by half.
// docs/engines.md says how good that is, as measured by bench/level_forecast.py.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tideline {

/// All states of a search: the estimate, and a range that probably holds the truth.
struct StateForecast {
  double states = 0, least = 0, most = 0;
};

/// `levels`: the sizes of the levels that are complete, in order.
std::optional<StateForecast> forecast_states(std::span<const std::uint64_t> levels);

}  // namespace tideline
