// Ranked values against sorting all of them.
#include "progress/ranked.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

namespace tideline {
namespace {

void expect_ranks(const std::vector<std::uint64_t>& values) {
  const Ranked found = ranked(values);
  std::vector<std::uint64_t> expected = values;
  std::ranges::sort(expected);
  expected.erase(std::ranges::unique(expected).begin(), expected.end());
  EXPECT_EQ(found.values, expected);
  ASSERT_EQ(found.ranks.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(expected.at(found.ranks[i]), values[i]);
}

// Few and many different ones, and those that differ in their highest or their lowest bits alone.
RC_GTEST_PROP(Ranked, IsTheOrderOfTheValues, ()) {
  const auto most = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const auto shift = *rc::gen::inRange(0, 54);
  auto values = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, most));
  for (std::uint64_t& value : values) value <<= shift;
  expect_ranks(values);
}

TEST(Ranked, LeastAndGreatestValues) {
  constexpr auto greatest = std::numeric_limits<std::uint64_t>::max();
  expect_ranks({});
  expect_ranks({greatest});
  expect_ranks({greatest, 0, greatest - 1, 0, greatest, 1});
}

}  // namespace
}  // namespace tideline
