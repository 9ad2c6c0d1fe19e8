// A team does every share of every run once, and all of it before the run returns.
#include "run/team.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

namespace tideline {
namespace {

TEST(Team, DoesEveryShareOnceInEveryRun) {
  for (const unsigned shares : {1u, 2u, 3u, 8u}) {
    Team team(shares);
    std::vector<unsigned> done(shares);
    for (unsigned run = 1; run <= 2000; ++run) {
      team.run([&](unsigned share) { ++done[share]; });
      ASSERT_EQ(done, std::vector<unsigned>(shares, run));
    }
  }
}

TEST(Team, SeesWhatTheOthersDidInTheRunBefore) {
  constexpr unsigned shares = 4;
  Team team(shares);
  std::vector<std::uint64_t> numbers(shares, 1), sums(shares);
  for (unsigned run = 0; run < 500; ++run) {
    team.run([&](unsigned share) { sums[share] = std::accumulate(numbers.begin(), numbers.end(), share); });
    team.run([&](unsigned share) { numbers[share] = sums[share] % 1000; });
  }
  std::vector<std::uint64_t> expected(shares, 1);
  for (unsigned run = 0; run < 500; ++run) {
    const std::uint64_t sum = std::accumulate(expected.begin(), expected.end(), std::uint64_t{0});
    for (unsigned share = 0; share < shares; ++share) expected[share] = (sum + share) % 1000;
  }
  EXPECT_EQ(numbers, expected);
}

TEST(Team, ThrowsWhatTheFirstShareThrewWhenAllHaveReturned) {
  Team team(4);
  std::atomic<unsigned> returned = 0;
  const auto work = [&](unsigned share) {
    ++returned;
    if (share == 3) throw std::runtime_error("three");
    if (share == 2) throw std::runtime_error("two");
  };
  for (unsigned run = 1; run <= 3; ++run) {
    try {
      team.run(work);
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "two");
    }
    EXPECT_EQ(returned, 4 * run);
  }
  team.run([&](unsigned) { ++returned; });
  EXPECT_EQ(returned, 16u);
}

}  // namespace
}  // namespace tideline
