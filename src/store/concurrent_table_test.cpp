// The shared table against the standard library: whatever the hash and however many threads insert at once,
// it is a set that numbers its elements.
#include "store/concurrent_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "testing/tables.hpp"

namespace tideline {
namespace {

using namespace test;

/// Each thread inserts its states; all together must have numbered the set of them.
template <class Hash>
void number_a_set(const std::vector<std::vector<std::string>>& by_thread, std::size_t bytes,
                  std::size_t extra_bytes, unsigned segment_bits) {
  const auto threads = static_cast<unsigned>(by_thread.size());
  ConcurrentTable<StateRecords<Hash>> table(
      bytes, {.workers = threads, .extra_bytes = extra_bytes, .segment_bits = segment_bits});
  std::vector<std::vector<Insertion>> insertions(threads);
  {
    std::vector<std::jthread> running;
    for (unsigned t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        auto& access = table.access(t);
        for (const std::string& state : by_thread[t])
          insertions[t].push_back(access.insert(bytes_of(state), access.hash(bytes_of(state))));
      });
  }
  std::map<std::string, StateId> number_of;
  std::size_t inserted = 0;
  for (unsigned t = 0; t < threads; ++t)
    for (std::size_t i = 0; i < by_thread[t].size(); ++i) {
      const auto [id, is_new] = insertions[t][i];
      inserted += is_new;
      RC_ASSERT(id != no_state);
      RC_ASSERT(number_of.emplace(by_thread[t][i], id).first->second == id);
      RC_ASSERT(std::memcmp(table.state(id), by_thread[t][i].data(), bytes) == 0);
    }
  RC_ASSERT(inserted == number_of.size());
  RC_ASSERT(table.size() == number_of.size());

  std::set<StateId> numbers, in_ranges;
  for (const auto& [state, id] : number_of) {
    numbers.insert(id);
    auto& access = table.access(0);
    access.prefetch_index(access.hash(bytes_of(state)));
    access.prefetch_state(access.hash(bytes_of(state)));
    RC_ASSERT(access.find(bytes_of(state), access.hash(bytes_of(state))) == id);
    for (std::size_t i = 0; i < extra_bytes; ++i) RC_ASSERT(table.extra(id)[i] == std::byte{0});
  }
  RC_ASSERT(numbers.size() == number_of.size());
  for (const StateRange& range : table.ranges())
    for (std::uint32_t i = 0; i < range.count; ++i) in_ranges.insert(range.first + i);
  RC_ASSERT(in_ranges == numbers);
}

template <class Hash>
void number_random_sets(std::uint32_t most) {
  const auto threads = *rc::gen::inRange<std::size_t>(1, 5);
  const auto bytes = *rc::gen::inRange<std::size_t>(4, 40);
  const auto extra = *rc::gen::element<std::size_t>(0, 1, 4, 12);
  const auto segment_bits = *rc::gen::element(0u, 1u, 3u, 12u);
  const auto different = *rc::gen::inRange<std::uint32_t>(1, most);
  std::vector<std::vector<std::string>> by_thread(threads);
  std::uint64_t x = *rc::gen::arbitrary<std::uint64_t>();
  for (auto& states : by_thread)
    for (std::uint32_t i = 0; i < different; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      states.push_back(state_of(static_cast<std::uint32_t>(x >> 33) % different, bytes));
    }
  number_a_set<Hash>(by_thread, bytes, extra, segment_bits);
}

RC_GTEST_PROP(ConcurrentTable, NumbersASet, ()) {
  number_random_sets<StateHash>(5000);
}
RC_GTEST_PROP(ConcurrentTable, NumbersASetWithOneSegmentGrowing, ()) {
  number_random_sets<OneSegmentHash>(3000);
}
RC_GTEST_PROP(ConcurrentTable, NumbersASetWithEqualTags, ()) {
  number_random_sets<OneTagHash>(2000);
}
RC_GTEST_PROP(ConcurrentTable, NumbersASetWithEqualHashes, ()) {
  number_random_sets<ConstantHash>(200);
}

TEST(ConcurrentTable, DoesNotFindWhatIsNotThere) {
  ConcurrentTable<> table(4, {});
  auto& access = table.access(0);
  for (std::uint32_t n = 0; n < 2000; n += 2) {
    const std::string state = state_of(n, 4);
    access.insert(bytes_of(state), access.hash(bytes_of(state)));
  }
  for (std::uint32_t n = 0; n < 2000; ++n) {
    const std::string state = state_of(n, 4);
    EXPECT_EQ(access.find(bytes_of(state), access.hash(bytes_of(state))) == no_state, n % 2 == 1) << n;
  }
}

TEST(ConcurrentTable, IsFullAtItsLimit) {
  ConcurrentTable<> table(4, {.workers = 1, .states = 300});
  auto& access = table.access(0);
  for (std::uint32_t n = 0; n < 400; ++n) {
    const std::string state = state_of(n, 4);
    const Insertion result = access.insert(bytes_of(state), access.hash(bytes_of(state)));
    EXPECT_EQ(result.inserted, n < 300) << n;
    EXPECT_EQ(result.id == no_state, n >= 300) << n;
  }
  EXPECT_EQ(table.size(), 300u);
  EXPECT_EQ(table.number_bound(), 300u);
}

TEST(ConcurrentTable, TakesStatesOfNoBytesAndOfMany) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{100'000}}) {
    ConcurrentTable<> table(bytes, {.extra_bytes = 4});
    auto& access = table.access(0);
    const std::string state(bytes, 'x');
    EXPECT_TRUE(access.insert(bytes_of(state), access.hash(bytes_of(state))).inserted);
    EXPECT_FALSE(access.insert(bytes_of(state), access.hash(bytes_of(state))).inserted);
  }
}

}  // namespace
}  // namespace tideline
