#include "search/states/level_forecast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tideline {

namespace {

using Levels = std::span<const std::uint64_t>;

constexpr std::size_t least_levels = 9;
constexpr std::size_t least_quotients = 6;
constexpr double least_states = 50'000;      // fewer are found in no time, and say little
constexpr double shrunk = 0.95;              // of the largest level: what the latest one may have
constexpr double valley = 0.7;               // of what was on both sides of it
constexpr double most_disagreement = 3;      // between totals
constexpr double margin = 1.5;               // by which the range is widened
constexpr std::size_t most_ahead = 100'000;  // levels

/// Whether the levels grow up to the largest one and shrink from there on, but for small bumps.
bool is_one_hill(Levels levels, std::size_t top) {
  double highest = 0, lowest = static_cast<double>(levels[top]);
  for (std::size_t k = 0; k < top; ++k) {
    const auto size = static_cast<double>(levels[k]);
    highest = std::max(highest, size);
    if (size < valley * highest) return false;
  }
  for (std::size_t k = top; k < levels.size(); ++k) {
    const auto size = static_cast<double>(levels[k]);
    lowest = std::min(lowest, size);
    if (size > lowest / valley) return false;
  }
  return true;
}

/// The states of all levels when those to come follow a line through the latest quotients. Nothing: it does not
/// fall, or not soon.
std::optional<double> total_along_line(Levels levels, std::size_t quotients) {
  const std::size_t last = levels.size() - 1,
                    first = last - std::min(last, std::max(quotients, least_quotients));
  const auto log_quotient = [&](std::size_t k) {
    return std::log(static_cast<double>(levels[k + 1]) / static_cast<double>(levels[k]));
  };
  const auto count = static_cast<double>(last - first);
  const double middle = static_cast<double>(first + last - 1) / 2;
  double mean = 0, squares = 0, products = 0;
  for (std::size_t k = first; k < last; ++k) mean += log_quotient(k) / count;
  for (std::size_t k = first; k < last; ++k) {
    const double distance = static_cast<double>(k) - middle;
    squares += distance * distance;
    products += distance * (log_quotient(k) - mean);
  }
  const double slope = products / squares;
  if (!(slope < -1e-6)) return std::nullopt;
  double total = static_cast<double>(std::accumulate(levels.begin(), levels.end(), std::uint64_t{0}));
  auto size = static_cast<double>(levels[last]);
  for (std::size_t k = last; size >= 0.5; ++k) {
    if (k - last == most_ahead) return std::nullopt;
    size *= std::exp(std::min(mean + slope * (static_cast<double>(k) - middle), 1.0));
    total += size;
  }
  return total;
}

}  // namespace

std::optional<StateForecast> forecast_states(Levels levels) {
  if (levels.size() < least_levels || std::ranges::find(levels, 0u) != levels.end()) return std::nullopt;
  if (static_cast<double>(std::accumulate(levels.begin(), levels.end(), std::uint64_t{0})) < least_states)
    return std::nullopt;
  const auto top = static_cast<std::size_t>(std::ranges::max_element(levels) - levels.begin());
  if (static_cast<double>(levels.back()) > shrunk * static_cast<double>(levels[top])) return std::nullopt;
  if (!is_one_hill(levels, top)) return std::nullopt;
  const std::size_t last = levels.size() - 1;
  StateForecast forecast{.states = 1, .least = HUGE_VAL, .most = 0};
  const std::array quotients{last / 3, last / 2, 2 * last / 3, last};
  for (const std::size_t latest : quotients) {
    const auto total = total_along_line(levels, latest);
    if (!total) return std::nullopt;
    forecast.states *= std::pow(*total, 1.0 / quotients.size());
    forecast.least = std::min(forecast.least, *total);
    forecast.most = std::max(forecast.most, *total);
  }
  if (forecast.most > most_disagreement * forecast.least) return std::nullopt;
  forecast.least /= margin;
  forecast.most *= margin;
  return forecast;
}

}  // namespace tideline
