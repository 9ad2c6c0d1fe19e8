// A KeySet against std::set, with keys that become longer as they come, and the parts beside it: waiting states and the trail.
#include "store/key_set.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>
#include <thread>
#include <vector>

#include "store/hashed_states.hpp"
#include "store/trail.hpp"
#include "store/waiting_states.hpp"

namespace tideline {
namespace {

// Nothing is promised about the lengths of numbers: segments are laid out anew whenever a longer one comes.
RC_GTEST_PROP(KeySet, IsASet, ()) {
  const auto threads = *rc::gen::inRange(1u, 5u);
  const auto promised = *rc::gen::inRange(0u, 33u);
  KeySet set({.segment_bits = *rc::gen::inRange(4u, 13u),
              .widths =
                  [promised] {
                    return KeySet::Widths{promised, promised};
                  },
              .presences = make_presences(threads)});
  const auto left_bits = *rc::gen::inRange(1u, 33u), right_bits = *rc::gen::inRange(1u, 33u);
  const auto count = *rc::gen::inRange(1u, 20'000u);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto key = [&](std::uint64_t n) {
    const std::uint64_t x = PairHash{}(seed ^ n % (count * 2 / 3 + 1)), length = n * 32 / count;
    const auto cut = [&](std::uint64_t bits, unsigned most) {
      return static_cast<StateId>(bits &
                                  ((std::uint64_t{1} << std::min<std::uint64_t>(most, length + 1)) - 1));
    };
    return pair_of(cut(x, left_bits), cut(x >> 32, right_bits));
  };
  std::vector<std::uint64_t> added(threads);
  {
    std::vector<std::jthread> running;
    for (unsigned t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        for (std::uint64_t n = 0; n < count; ++n) {
          set.access(t).prefetch(key(n));
          added[t] += set.access(t).insert(key(n));
        }
      });
  }
  std::set<Pair> expected;
  for (std::uint64_t n = 0; n < count; ++n) expected.insert(key(n));
  std::uint64_t sum = 0;
  for (const std::uint64_t of_one : added) sum += of_one;
  RC_ASSERT(sum == expected.size());
  RC_ASSERT(set.size() == expected.size());
  auto& access = set.access(0);
  for (const Pair pair : expected) {
    RC_ASSERT(access.contains(pair));
    for (const Pair other : {pair ^ 1, pair ^ Pair{1} << 33})
      RC_ASSERT(access.contains(other) == (expected.count(other) != 0));
  }
}

TEST(KeySet, KeepsOnlyWhatItsPlaceDoesNotSay) {
  constexpr std::uint64_t keys = 1'000'000;
  KeySet set({.segment_bits = 8,
              .widths =
                  [] {
                    return KeySet::Widths{20, 20};
                  },
              .presences = make_presences(1)});
  for (std::uint64_t n = 0; n < keys; ++n)
    set.access(0).insert(pair_of(static_cast<StateId>(PairHash{}(n)&0xFFFFF), static_cast<StateId>(n)));
  EXPECT_EQ(set.size(), keys);
  // Of 40 bits of a key 24 are kept, beside 4 for its displacement: 4 bytes, and a fifth of the cells is empty.
  EXPECT_LT(set.memory_bytes(), 11 * keys / 2);
}

RC_GTEST_PROP(Trail, RemembersOrigins, (const std::vector<std::pair<std::int16_t, std::uint16_t>>& moves)) {
  Trail trail;
  std::vector<Origin> origins;
  StateId parent = no_state;
  for (const auto& [ahead, choice] : moves) {
    parent += static_cast<StateId>(ahead % *rc::gen::element(3, 300, 30'000));
    origins.push_back({parent, choice});
    trail.add(static_cast<StateId>(origins.size() - 1), origins.back());
  }
  Trail::Parents parents(trail);
  for (StateId id = 0; id < origins.size(); ++id) {
    RC_ASSERT(parents.next() == origins[id].parent);
    RC_ASSERT(trail[id].parent == origins[id].parent);
    RC_ASSERT(trail[id].choice == origins[id].choice);
  }
}

TEST(Trail, TakesTwoBytesAState) {
  Trail trail;
  for (StateId id = 0; id < 100'000; ++id) trail.add(id, {id == 0 ? no_state : id / 3, id % 3});
  for (StateId id = 1; id < 100'000; ++id) {
    ASSERT_EQ(trail[id].parent, id / 3);
    ASSERT_EQ(trail[id].choice, id % 3);
  }
  EXPECT_LT(trail.memory_bytes(100'000), 210'000u);
}

TEST(WaitingStates, TakesTheMemoryOfThoseThatWait) {
  WaitingStates waiting(sizeof(std::uint64_t), {});
  WaitingStates::Numbers numbers;
  std::uint64_t peak = 0;
  StateId oldest = 0;
  for (std::uint64_t n = 0; n < 1'000'000; ++n) {
    ASSERT_TRUE(waiting.require(numbers));
    ASSERT_EQ(waiting.add(numbers, reinterpret_cast<const std::byte*>(&n)), n);
    if (n < 10'000) {
      peak = waiting.memory_bytes();
      continue;
    }
    std::uint64_t record;
    std::memcpy(&record, waiting[oldest], sizeof record);
    ASSERT_EQ(record, oldest);
    waiting.drop({oldest++, 1});
  }
  EXPECT_LE(waiting.memory_bytes(), 2 * peak);
}

TEST(HashedStates, TellsHowLikelyAStateIsMissed) {
  EXPECT_EQ(HashedStates::collision_probability(1, 64), 0);
  EXPECT_NEAR(HashedStates::collision_probability(1 << 20, 64), std::exp2(-25), 1e-12);
  EXPECT_EQ(HashedStates::collision_probability(1 << 20, 32), 1);
}

}  // namespace
}  // namespace tideline
