// A meeting ends when all are there, and what they did before it is seen by all after it.
#include "run/patience.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

namespace tideline {
namespace {

/// What all have written before a meeting, all read after it; a second meeting, and they write again.
TEST(Meeting, ShowsEverybodyWhatAllDidBefore) {
  constexpr std::uint64_t rounds = 300;
  for (const unsigned threads : {1u, 2u, 3u, 16u}) {
    Meeting meeting(threads);
    std::vector<std::uint64_t> written(threads), wrong(threads);
    std::vector<std::jthread> crew;
    for (unsigned i = 0; i < threads; ++i)
      crew.emplace_back([&, i] {
        for (std::uint64_t round = 1; round <= rounds; ++round) {
          written[i] = round * (i + 1);
          meeting.arrive_and_wait();
          const auto sum = std::accumulate(written.begin(), written.end(), std::uint64_t{0});
          wrong[i] += sum != round * threads * (threads + 1) / 2;
          meeting.arrive_and_wait();
        }
      });
    crew.clear();
    EXPECT_EQ(wrong, std::vector<std::uint64_t>(threads)) << threads;
  }
}

std::uint64_t after_much_work(std::uint64_t number) {
  for (unsigned step = 0; step < 500'000; ++step) number = number * 6364136223846793005 + 1;
  return number;
}

/// One works for longer than the others look, each in its turn.
TEST(Meeting, WakesThoseWhoSleep) {
  constexpr unsigned threads = 4, rounds = 20;
  std::uint64_t number = 1;
  std::vector<std::vector<std::uint64_t>> seen(threads);
  {
    Meeting meeting(threads);
    std::vector<std::jthread> crew;
    for (unsigned i = 0; i < threads; ++i)
      crew.emplace_back([&, i] {
        for (unsigned round = 0; round < rounds; ++round) {
          if (i == round % threads) number = after_much_work(number);
          meeting.arrive_and_wait();
          seen[i].push_back(number);
          meeting.arrive_and_wait();
        }
      });
    crew.clear();
  }
  std::vector<std::uint64_t> expected;
  for (std::uint64_t last = 1; expected.size() < rounds;) expected.push_back(last = after_much_work(last));
  for (const auto& numbers : seen) EXPECT_EQ(numbers, expected);
}

}  // namespace
}  // namespace tideline
