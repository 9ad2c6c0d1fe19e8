// The stores against the standard library: whatever the hash, the size of a state and the order of calls,
// a table is a set that numbers its elements.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "store/bit_table.hpp"
#include "store/concurrent_array.hpp"
#include "store/layer_table.hpp"
#include "store/paged_array.hpp"
#include "store/segmented_table.hpp"
#include "store/state_cache.hpp"
#include "testing/tables.hpp"

namespace tideline {
namespace {

using namespace test;

template <class Table>
Insertion add(Table& table, const std::string& state) {
  return table.insert(bytes_of(state), table.hash(bytes_of(state)));
}

template <class Hash>
void behaves_like_a_numbering(const std::vector<std::string>& states, std::size_t bytes,
                              unsigned segment_bits) {
  SegmentedTable<Hash> table(bytes, {no_state, segment_bits});
  std::unordered_map<std::string, StateId> expected;
  for (const std::string& state : states) {
    const std::uint64_t hash = table.hash(bytes_of(state));
    table.prefetch_index(hash);
    table.prefetch_state(hash);
    const auto known = expected.find(state);
    ASSERT_EQ(table.find(bytes_of(state), hash), known == expected.end() ? no_state : known->second);
    const auto [place, is_new] = expected.try_emplace(state, static_cast<StateId>(expected.size()));
    const Insertion insertion = table.insert(bytes_of(state), hash);
    ASSERT_EQ(insertion.inserted, is_new);
    ASSERT_EQ(insertion.id, place->second);
  }
  ASSERT_EQ(table.size(), expected.size());
  for (const auto& [state, id] : expected) {
    ASSERT_EQ(std::memcmp(table.state(id), state.data(), bytes), 0);
    ASSERT_EQ(table.find(bytes_of(state), table.hash(bytes_of(state))), id);
  }
}

template <class Hash>
class TableWithHash : public testing::Test {};
using Hashes = testing::Types<StateHash, ConstantHash, OneTagHash, OneSegmentHash, LastBucketHash, WeakHash>;
TYPED_TEST_SUITE(TableWithHash, Hashes);

TYPED_TEST(TableWithHash, NumbersStatesInOrderOfInsertion) {
  EXPECT_TRUE(rc::check([] {
    const auto bytes = *rc::gen::inRange<std::size_t>(0, 41);
    const auto segment_bits = *rc::gen::element(0u, 1u, 8u);
    const auto numbers = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0u, 600u));
    std::vector<std::string> states;
    for (const std::uint32_t n : numbers) states.push_back(state_of(n * 0x10101, bytes));
    behaves_like_a_numbering<TypeParam>(states, bytes, segment_bits);
  }));
}

TYPED_TEST(TableWithHash, SurvivesGrowth) {
  const std::uint32_t count = std::is_same_v<TypeParam, ConstantHash> ? 2000 : 15'000;
  std::vector<std::string> states;
  for (std::uint32_t n = 0; n < count; ++n) {
    states.push_back(state_of(n, 5));
    states.push_back(state_of(n / 3, 5));
  }
  behaves_like_a_numbering<TypeParam>(states, 5, 8);
}

TEST(Table, CostsFewBytesAStateAtEverySize) {
  constexpr std::size_t bytes = 20;
  SegmentedTable<> table(bytes);
  const auto overhead = [&] {
    return static_cast<double>(table.memory_bytes()) / static_cast<double>(table.size()) - bytes;
  };
  EXPECT_LT(table.memory_bytes(), 10'000u);
  for (std::uint32_t n = 0; n < 2'000'000; ++n) {
    add(table, state_of(n, bytes));
    if (n == 100) {
      EXPECT_LT(table.memory_bytes(), 20'000u);
    }
    if (n >= 100'000 && n % 1000 == 0) {
      ASSERT_LT(overhead(), 8) << n;
    }
  }
}

TEST(Table, StatesStayWhereTheyAre) {
  SegmentedTable<> table(16);
  add(table, state_of(7, 16));
  const std::byte* const address = table.state(0);
  for (std::uint32_t n = 0; n < 100'000; ++n) add(table, state_of(n, 16));
  EXPECT_EQ(table.state(0), address);
}

TEST(Table, RefusesNewStatesWhenFullAndStillFindsOldOnes) {
  SegmentedTable<> table(4, {3, 8});
  for (std::uint32_t n = 0; n < 3; ++n) EXPECT_TRUE(add(table, state_of(n, 4)).inserted);
  const Insertion refused = add(table, state_of(9, 4));
  EXPECT_EQ(refused.id, no_state);
  EXPECT_FALSE(refused.inserted);
  EXPECT_EQ(add(table, state_of(1, 4)).id, 1u);
  EXPECT_EQ(table.size(), 3u);
}

TEST(SameState, LooksAtEveryByte) {
  for (std::size_t bytes = 0; bytes < 40; ++bytes) {
    const std::string a = state_of(0x01020304, bytes);
    EXPECT_TRUE(same_state(bytes_of(a), bytes_of(a), bytes));
    for (std::size_t i = 0; i < bytes; ++i) {
      std::string b = a;
      b[i] = static_cast<char>(b[i] ^ 0x40);
      EXPECT_FALSE(same_state(bytes_of(a), bytes_of(b), bytes)) << bytes << " " << i;
    }
  }
}

// Pushes and truncations against a plain vector, with pages so small that boundaries are everywhere.
RC_GTEST_PROP(PagedArrayProperty, IsAStack, (const std::vector<std::uint8_t>& script)) {
  PagedArray array(3, 16);
  std::vector<std::string> expected;
  std::uint32_t number = 0;
  for (const std::uint8_t command : script) {
    if (command % 4 != 0) {
      for (int i = 0; i < command % 16; ++i) {
        expected.push_back(state_of(++number, 3));
        array.append(bytes_of(expected.back()));
      }
    } else {
      expected.resize(expected.size() - std::min<std::size_t>(expected.size(), command / 4));
      array.truncate(expected.size());
    }
    RC_ASSERT(array.size() == expected.size());
  }
  for (std::size_t i = 0; i < expected.size(); ++i)
    RC_ASSERT(std::memcmp(array[i], expected[i].data(), 3) == 0);
}

TEST(PagedArray, KeepsWhatIsBehindWhatWasDropped) {
  constexpr std::uint32_t count = 1000;
  PagedArray array(sizeof count, 64 * sizeof count);
  for (std::uint32_t i = 0; i < count; ++i) array.append(reinterpret_cast<const std::byte*>(&i));
  const std::size_t before = array.memory_bytes();
  for (std::uint32_t dropped = 0; dropped <= count; dropped += 100) {
    array.drop_below(dropped);
    EXPECT_EQ(before - array.memory_bytes(), dropped / 64 * 64 * sizeof dropped);
    for (std::uint32_t i = dropped; i < count; ++i)
      EXPECT_EQ(std::memcmp(array[i], &i, sizeof i), 0) << i << " of those from " << dropped << " on";
  }
}

TEST(ConcurrentArray, KeepsWhatIsBehindWhatWasDropped) {
  constexpr std::size_t record = std::size_t{1} << 20,
                        count = 100;  // 32 to a page, of which few bytes are touched
  ConcurrentArray array(record, count);
  for (std::size_t i = count; i-- > 0;) {  // the last pages are made first
    array.require(i);
    *array[i] = static_cast<std::byte>(i);
  }
  for (std::size_t dropped = 0; dropped <= count; dropped += 10) {
    array.drop_below(dropped);
    for (std::size_t i = dropped; i < count; ++i) EXPECT_EQ(*array[i], static_cast<std::byte>(i));
  }
}

TEST(PagedVector, KeepsWhatWasPushedAcrossPages) {
  PagedVector<std::uint32_t> vector;
  constexpr std::uint32_t count = 10'000'000;  // more than one page of 32 MiB
  for (std::uint32_t i = 0; i < count; ++i) vector.push_back(i * 7);
  for (std::uint32_t i = 0; i < count; i += 999) ASSERT_EQ(vector[i], i * 7);
  EXPECT_EQ(vector.back(), (count - 1) * 7);
  vector.pop_back();
  EXPECT_EQ(vector.size(), count - 1);
}

TEST(Memory, IsZeroAndAlignedWhateverItsSize) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100}, Memory::mapped_from - 1,
                                  Memory::mapped_from, std::size_t{5} << 20}) {
    for (const auto pages : {Memory::Pages::small, Memory::Pages::huge, Memory::Pages::at_once}) {
      const Memory memory(bytes, pages);
      ASSERT_EQ(memory.size(), bytes);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % cache_line, 0u);
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(memory.data()[i], std::byte{0});
    }
  }
  EXPECT_THROW(Memory(SIZE_MAX), std::bad_alloc);
}

TEST(BitTable, KnowsWhatItHasSeenAndCountsBits) {
  BitTable bits(20);
  std::uint64_t fresh = 0;
  for (std::uint32_t n = 0; n < 10'000; ++n) {
    const std::string state = state_of(n, 8);
    const std::uint64_t hash = StateHash{}(bytes_of(state), 8);
    fresh += bits.insert(hash);
    EXPECT_FALSE(bits.insert(hash));
  }
  EXPECT_EQ(bits.size(), fresh);
  EXPECT_GT(fresh, 9'990u);
  EXPECT_LE(bits.bits_set(), 3 * fresh);
  EXPECT_GT(bits.bits_set(), 3 * fresh * 97 / 100);
}

TEST(BitTable, EstimatesWhatItLost) {
  BitTable bits(12);
  constexpr std::uint32_t count = 3000;  // far too many for 4096 bits
  for (std::uint32_t n = 0; n < count; ++n) {
    const std::string state = state_of(n, 8);
    bits.insert(StateHash{}(bytes_of(state), 8));
  }
  const double kept = static_cast<double>(bits.size()) / count;
  EXPECT_LT(kept, 0.9);
  EXPECT_NEAR(bits.coverage(), kept, 0.05);
  EXPECT_EQ(BitTable(12).coverage(), 1);
}

TEST(StateCache, KeepsWhatIsPinnedAndReplacesTheRest) {
  for (const auto replacement :
       {Replacement::random, Replacement::oldest, Replacement::unmet, Replacement::rare}) {
    StateCache cache(16, 3, replacement);
    const auto insert = [&](char name) {
      const std::string state(16, name);
      return cache.insert(bytes_of(state), cache.hash(bytes_of(state)));
    };
    const StateId kept = insert('k').id;
    cache.pin(kept);
    for (char name = 'a'; name <= 'i'; ++name) EXPECT_TRUE(insert(name).inserted);
    EXPECT_FALSE(insert('k').inserted);
    EXPECT_EQ(insert('k').id, kept);
    EXPECT_EQ(cache.stored(), 3u);
    EXPECT_EQ(cache.replaced(), 7u);
    cache.unpin(kept);
    for (char name = 'l'; name <= 'z'; ++name) EXPECT_TRUE(insert(name).inserted);
    EXPECT_EQ(cache.replaced(), 22u);
  }
}

TEST(StateCache, StrategiesDiffer) {
  // Two loose states, of which the first one is met again and again: every strategy but `oldest` keeps it.
  for (const auto replacement : {Replacement::oldest, Replacement::unmet, Replacement::rare}) {
    StateCache cache(16, 2, replacement);
    const auto insert = [&](char name) {
      const std::string state(16, name);
      return cache.insert(bytes_of(state), cache.hash(bytes_of(state)));
    };
    insert('a');
    insert('b');
    for (int i = 0; i < 3; ++i) insert('a');
    insert('c');
    EXPECT_EQ(insert('a').inserted, replacement == Replacement::oldest);
  }
}

TEST(StateCache, HasNoRoomWhenAllIsPinned) {
  StateCache cache(16, 2, Replacement::random);
  const std::string a(16, 'a'), b(16, 'b'), c(16, 'c');
  const auto insert = [&](const std::string& state) {
    return cache.insert(bytes_of(state), cache.hash(bytes_of(state)));
  };
  cache.pin(insert(a).id);
  cache.pin(insert(b).id);
  EXPECT_EQ(insert(c).id, no_state);
  EXPECT_FALSE(insert(a).inserted);
}

// Tables that come and go on one pool: what one gives back, with whatever is in it, another takes.
RC_GTEST_PROP(LayerTable, NumbersStatesWhereverItsMemoryComesFrom, ()) {
  const auto bytes = *rc::gen::inRange<std::size_t>(1, 40);
  const auto extra = *rc::gen::inRange<std::size_t>(0, 9);
  RecordPool pool(bytes + extra, *rc::gen::element<std::size_t>(16, 100, 1024));
  std::vector<LayerTable> tables;
  for (int i = 0; i < 3; ++i) tables.emplace_back(pool, bytes);
  std::vector<std::map<std::string, StateId>> expected(tables.size());
  const auto values = *rc::gen::element(2, 5, 200);
  for (int step = 0; step < 600; ++step) {
    const auto which = *rc::gen::inRange<std::size_t>(0, tables.size());
    LayerTable& table = tables[which];
    if (*rc::gen::inRange(0, 150) == 0) {
      table.clear();
      expected[which].clear();
    }
    std::string state(bytes, '\0');
    for (std::size_t i = 0; i < std::min<std::size_t>(bytes, 3); ++i)
      state[i] = static_cast<char>(*rc::gen::inRange(0, values));
    const std::uint64_t hash = StateHash{}(bytes_of(state), bytes);
    const auto [place, is_new] =
        expected[which].try_emplace(state, static_cast<StateId>(expected[which].size()));
    RC_ASSERT((table.find(bytes_of(state), hash) == no_state) == is_new);
    // More than a page of an index, so that its memory is taken again.
    if (*rc::gen::inRange(0, 20) == 0) table.expect(*rc::gen::inRange<std::uint64_t>(0, 10'000));
    Insertion insertion{table.size(), true};
    if (is_new && *rc::gen::arbitrary<bool>())
      RC_ASSERT(table.add_all(bytes_of(state), 1) == 1u);
    else
      insertion = table.insert(bytes_of(state), hash);
    RC_ASSERT(insertion.id == place->second);
    RC_ASSERT(insertion.inserted == is_new);
    std::byte* const own = table.extra(insertion.id);
    for (std::size_t i = 0; i < extra; ++i) {
      RC_ASSERT(own[i] == std::byte(is_new ? 0 : 0xee));
      own[i] = std::byte{0xee};
    }
  }
  // Many at a time.
  std::string states;
  const auto more = *rc::gen::inRange<std::uint32_t>(0, bytes < 3 ? 2 : 300);
  for (std::uint32_t i = 0; i < more; ++i) {
    std::string state(bytes, '\xff');
    if (bytes >= 3) {
      state[0] = static_cast<char>(i);
      state[1] = static_cast<char>(i >> 8);
    }
    expected[0].try_emplace(state, static_cast<StateId>(expected[0].size()));
    states += state;
  }
  RC_ASSERT(tables[0].add_all(bytes_of(states), more) == more);
  for (std::uint32_t i = 0; i < more; ++i) {
    const std::byte* const state = bytes_of(states) + i * bytes;
    RC_ASSERT(tables[0].find(state, StateHash{}(state, bytes)) == tables[0].size() - more + i);
  }
  for (std::size_t which = 0; which < tables.size(); ++which) {
    RC_ASSERT(tables[which].size() == expected[which].size());
    for (const auto& [state, id] : expected[which])
      RC_ASSERT(std::memcmp(tables[which].record(id), state.data(), bytes) == 0);
  }
}

}  // namespace
}  // namespace tideline
