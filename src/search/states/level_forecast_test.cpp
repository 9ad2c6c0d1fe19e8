#include "search/states/level_forecast.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tideline {
namespace {

using Levels = std::vector<std::uint64_t>;

/// Levels whose sizes follow a bell curve of this height, `width` levels wide to either side.
Levels bell(double height, double width) {
  Levels levels;
  for (double k = -4 * width; k <= 4 * width; ++k)
    if (const double size = height * std::exp(-k * k / (2 * width * width)); size >= 1)
      levels.push_back(static_cast<std::uint64_t>(size));
  return levels;
}

double sum(const Levels& levels) {
  return static_cast<double>(std::accumulate(levels.begin(), levels.end(), std::uint64_t{0}));
}

TEST(LevelForecast, FollowsABellCurveOnceItHasPassedTheTop) {
  const Levels all = bell(100'000, 8);
  const auto top = static_cast<std::size_t>(std::ranges::max_element(all) - all.begin());
  EXPECT_FALSE(forecast_states({all.data(), top + 1})) << "levels still grow";
  for (std::size_t known = top + 5; known <= all.size(); ++known) {
    const auto forecast = forecast_states({all.data(), known});
    ASSERT_TRUE(forecast) << known;
    EXPECT_NEAR(forecast->states, sum(all), 0.1 * sum(all)) << known;
    EXPECT_LE(forecast->least, sum(all));
    EXPECT_GE(forecast->most, sum(all));
  }
}

TEST(LevelForecast, SaysNothingWhereNothingIsKnown) {
  EXPECT_FALSE(forecast_states({}));
  EXPECT_FALSE(forecast_states(Levels{1, 4, 1})) << "few levels";
  EXPECT_FALSE(forecast_states(bell(100, 8))) << "few states";
  EXPECT_FALSE(forecast_states(Levels(1000, 1000))) << "levels of one size";
  Levels growing{1};
  for (int i = 0; i < 20; ++i) growing.push_back(2 * growing.back());
  EXPECT_FALSE(forecast_states(growing));
  Levels hills = bell(50'000, 5);
  const Levels second = bell(100'000, 5);
  hills.insert(hills.end(), second.begin(), second.end() - 8);
  EXPECT_FALSE(forecast_states(hills)) << "there was a valley before";
  Levels falling(200'000);
  for (std::size_t k = 0; k < falling.size(); ++k) falling[k] = 1'000'000 - k;
  EXPECT_FALSE(forecast_states(falling)) << "an end too far away";
  Levels hole = bell(100'000, 8);
  hole.insert(hole.end() - 1, 0);
  EXPECT_FALSE(forecast_states(hole));
}

}  // namespace
}  // namespace tideline
