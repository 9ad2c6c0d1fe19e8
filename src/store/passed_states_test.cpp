// Passed states come back with their layer, however often layers were passed, and by another measure.
#include "store/passed_states.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "run/budget.hpp"

namespace tideline {
namespace {

using Layered = std::map<std::uint64_t, std::set<std::uint32_t>>;

std::uint32_t passed_number(const std::byte* state) {
  std::uint32_t number = 0;
  std::memcpy(&number, state, sizeof number);
  return number;
}

void require_layers(const PassedStates& passed, const Layered& expected) {
  std::vector<std::byte> scratch;
  for (const auto& [progress, numbers] : expected) {
    std::set<std::uint32_t> read;
    std::uint64_t count = 0;
    passed.read(progress, scratch, [&](const std::byte* states, std::uint32_t number) {
      count += number;
      for (; number != 0; --number, states += sizeof number) read.insert(passed_number(states));
    });
    ASSERT_EQ(read, numbers) << progress;
    ASSERT_EQ(count, numbers.size());
    ASSERT_EQ(passed.count(progress), numbers.size());
  }
}

/// In each sweep some layers are passed, with one to three states each.
class PassedOften {
 public:
  explicit PassedOften(std::uint32_t sweeps) {
    for (std::uint32_t sweep = 0; sweep < sweeps; ++sweep) {
      std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
      for (std::uint64_t layer = sweep % 3; layer < layers; layer += 1 + sweep % 2)
        for (std::uint64_t i = 0; i <= (layer + sweep) % 3; ++i) {
          order.emplace_back(layer, static_cast<std::uint32_t>(numbers.size()));
          layered[layer].insert(order.back().second);
          numbers.push_back(order.back().second);
        }
      passed.append_sorted(
          order, [&](std::uint32_t number) { return reinterpret_cast<const std::byte*>(&numbers[number]); });
      passed.end_sweep();
    }
  }

  static constexpr std::uint64_t layers = 40;
  PassedStates passed{std::filesystem::temp_directory_path(), sizeof(std::uint32_t)};
  std::vector<std::uint32_t> numbers = {};
  Layered layered = {};
};

TEST(PassedStates, AreReadLayerByLayerHoweverOftenLayersWerePassed) {
  for (const std::uint32_t sweeps : {1u, 2u, 7u, 400u}) {  // 400: so many places that they are gathered
    const PassedOften some(sweeps);
    require_layers(some.passed, some.layered);
    EXPECT_TRUE(some.passed.complete());
  }
}

TEST(PassedStates, AreInOtherLayersByAnotherMeasure) {
  for (const std::uint32_t sweeps : {1u, 7u, 400u})
    for (const std::uint32_t layers : {1u, 11u, 100'000u}) {
      PassedOften some(sweeps);
      Layered other;
      for (const std::uint32_t number : some.numbers) other[number % layers].insert(number);
      std::uint64_t checks = 0;
      some.passed.measure_again([=](const std::byte* state) { return passed_number(state) % layers; },
                                [&] { ++checks; });
      EXPECT_EQ(checks, some.numbers.size());
      require_layers(some.passed, other);
      EXPECT_TRUE(some.passed.complete());
    }
}

// It is then as if nothing had been kept: a search that goes on expands states again.
TEST(PassedStates, AreGivenUpWhenAChangeOfTheMeasureIsInterrupted) {
  PassedOften some(7);
  unsigned left = 10;
  EXPECT_THROW(some.passed.measure_again([](const std::byte*) { return 1; },
                                         [&] {
                                           if (--left == 0) throw LimitReached("enough");
                                         }),
               LimitReached);
  EXPECT_FALSE(some.passed.complete());
  for (std::uint64_t layer = 0; layer < PassedOften::layers; ++layer) EXPECT_EQ(some.passed.count(layer), 0U);
}

}  // namespace
}  // namespace tideline
