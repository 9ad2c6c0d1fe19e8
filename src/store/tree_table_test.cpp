// Trees of parts against the standard library: whatever the hash, the shape and the number of threads, a tree is a
// set that numbers its elements, and gives them back.
#include "store/tree_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
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

struct ConstantPairHash {
  std::uint64_t operator()(Pair) const { return 0x0123456789ABCDEF; }
};
struct OneSegmentPairHash {
  std::uint64_t operator()(Pair pair) const { return PairHash{}(pair) >> 20; }
};

/// A number, with its digits far apart: two neighbours differ in few bytes.
std::string wide_state(std::uint32_t number, std::size_t bytes) {
  std::string state(bytes, '\7');
  for (std::size_t digit = 0; number != 0; ++digit, number /= 5)
    state[digit * 11 % bytes] = static_cast<char>(state[digit * 11 % bytes] + static_cast<char>(number % 5) +
                                                  static_cast<char>(16 * (digit * 11 / bytes)));
  return state;
}

StateSample sample_of(const std::vector<std::string>& states, std::size_t most) {
  StateSample sample;
  for (std::size_t i = 0; i < std::min(most, states.size()); ++i)
    sample.insert(sample.end(), bytes_of(states[i]), bytes_of(states[i]) + states[i].size());
  return sample;
}

/// Each thread inserts its states, and reads some on the way; all together must have numbered the set of them.
template <class Hash>
void number_a_set(const std::vector<std::vector<std::string>>& by_thread, std::size_t bytes,
                  typename TreeTable<Hash>::Options options) {
  const auto threads = options.workers = static_cast<unsigned>(by_thread.size());
  const std::size_t extra_bytes = options.extra_bytes;
  TreeTable<Hash> table(bytes, std::move(options));
  std::vector<std::vector<Insertion>> insertions(threads);
  std::atomic<bool> misread{false};
  {
    std::vector<std::jthread> running;
    for (unsigned t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        auto& access = table.access(t);
        for (std::size_t i = 0; i < by_thread[t].size(); ++i) {
          const std::byte* const state = bytes_of(by_thread[t][i]);
          insertions[t].push_back(access.insert(state, access.hash(state)));
          if (i % 7 != 6) continue;
          const std::size_t read = i / 2;
          if (std::memcmp(access.state(insertions[t][read].id), by_thread[t][read].data(), bytes) != 0)
            misread = true;
        }
      });
  }
  RC_ASSERT(!misread);
  std::map<std::string, StateId> number_of;
  std::size_t inserted = 0;
  auto reader = table.reader();
  for (unsigned t = 0; t < threads; ++t)
    for (std::size_t i = 0; i < by_thread[t].size(); ++i) {
      const auto [id, is_new] = insertions[t][i];
      inserted += is_new;
      RC_ASSERT(id != no_state);
      RC_ASSERT(number_of.emplace(by_thread[t][i], id).first->second == id);
      RC_ASSERT(std::memcmp(reader.state(id), by_thread[t][i].data(), bytes) == 0);
    }
  RC_ASSERT(inserted == number_of.size());
  RC_ASSERT(table.size() == number_of.size());

  std::set<StateId> numbers, in_ranges;
  auto& access = table.access(0);
  for (const auto& [state, id] : number_of) {
    numbers.insert(id);
    const Pair pair = access.hash(bytes_of(state));
    access.prefetch_index(pair);
    access.prefetch_state(pair);
    RC_ASSERT(access.find(bytes_of(state), pair) == id);
    for (std::size_t i = 0; i < extra_bytes; ++i) RC_ASSERT(table.extra(id)[i] == std::byte{0});
  }
  RC_ASSERT(numbers.size() == number_of.size());
  for (const StateRange& range : table.ranges())
    for (std::uint32_t i = 0; i < range.count; ++i) in_ranges.insert(range.first + i);
  RC_ASSERT(in_ranges == numbers);
}

template <class Hash>
void number_random_states(std::uint32_t most) {
  const auto threads = *rc::gen::inRange<std::size_t>(1, 5);
  const auto bytes = *rc::gen::inRange<std::size_t>(11, 60);
  const auto different = *rc::gen::inRange<std::uint32_t>(1, most);
  typename TreeTable<Hash>::Options options;
  options.extra_bytes = *rc::gen::element<std::size_t>(0, 1, 4, 12);
  options.segment_bits = *rc::gen::element(0u, 1u, 3u, 12u);
  std::vector<std::vector<std::string>> by_thread(threads);
  std::uint64_t x = *rc::gen::arbitrary<std::uint64_t>();
  for (auto& states : by_thread)
    for (std::uint32_t i = 0; i < different; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      states.push_back(wide_state(static_cast<std::uint32_t>(x >> 33) % different, bytes));
    }
  options.sample = sample_of(by_thread[0], *rc::gen::element<std::size_t>(0, 10, 1000));
  number_a_set<Hash>(by_thread, bytes, std::move(options));
}

RC_GTEST_PROP(TreeTable, NumbersASet, ()) {
  number_random_states<PairHash>(3000);
}
RC_GTEST_PROP(TreeTable, NumbersASetWithOneSegmentGrowing, ()) {
  number_random_states<OneSegmentPairHash>(2000);
}
RC_GTEST_PROP(TreeTable, NumbersASetWithEqualHashes, ()) {
  number_random_states<ConstantPairHash>(100);
}

RC_GTEST_PROP(TreeTable, TakesAnyBytes, (const std::vector<std::string>& texts)) {
  const auto bytes = *rc::gen::element<std::size_t>(0, 1, 4, 8, 13, 16, 29);
  std::vector<std::string> states;
  for (std::string text : texts) {
    text.resize(bytes, '\xFF');
    states.push_back(std::move(text));
  }
  number_a_set<PairHash>({states}, bytes, {.sample = sample_of(states, 5)});
}

TEST(SoloTree, NumbersStatesInOrderOfInsertion) {
  constexpr std::size_t bytes = 37;
  SoloTree tree(bytes);
  for (std::uint32_t n = 0; n < 200'000; ++n) {
    const std::string state = wide_state(n, bytes);
    const Insertion insertion = tree.insert(bytes_of(state), tree.hash(bytes_of(state)));
    ASSERT_TRUE(insertion.inserted);
    ASSERT_EQ(insertion.id, n);
    if (n % 3 == 0) tree.state(n / 2);
  }
  for (std::uint32_t n = 0; n < 200'000; ++n)
    ASSERT_EQ(std::memcmp(tree.state(n), wide_state(n, bytes).data(), bytes), 0) << n;
  EXPECT_EQ(tree.size(), 200'000u);
}

TEST(SoloTree, CostsFewBytesAStateHoweverWide) {
  constexpr std::size_t bytes = 200;
  std::vector<std::string> states;
  for (std::uint32_t n = 0; n < 400'000; ++n) states.push_back(wide_state(n, bytes));
  SoloTree tree(bytes, {.segment_bits = 8, .sample = sample_of(states, 8000)});
  for (const std::string& state : states) tree.insert(bytes_of(state), tree.hash(bytes_of(state)));
  EXPECT_EQ(tree.size(), states.size());
  EXPECT_LT(static_cast<double>(tree.memory_bytes()) / static_cast<double>(tree.size()), 16);
}

TEST(TreeTable, IsFullAtItsLimit) {
  SoloTree tree(20, {.states = 300, .segment_bits = 8});
  for (std::uint32_t n = 0; n < 400; ++n) {
    const std::string state = wide_state(n, 20);
    const Insertion result = tree.insert(bytes_of(state), tree.hash(bytes_of(state)));
    EXPECT_EQ(result.inserted, n < 300) << n;
    EXPECT_EQ(result.id == no_state, n >= 300) << n;
  }
  EXPECT_EQ(tree.size(), 300u);
}

TEST(PairRecords, KeepsWhatDoesNotFitApart) {
  PairRecords<> records(0, 0, 100'000);
  records.set_bounds([] { return PairRecords<>::Bounds{1000, 1000}; });
  records.require(0);
  const std::vector<Pair> pairs{pair_of(0, 0),        pair_of(999, 999),    pair_of(65535, 1),
                                pair_of(1, 65536),    pair_of(1u << 31, 7), pair_of(7, 1u << 31),
                                pair_of(no_state, 0), pair_of(0, no_state), pair_of(no_state, no_state - 1)};
  for (StateId id = 0; id < pairs.size(); ++id) records.write(id, pairs[id]);
  for (StateId id = 0; id < pairs.size(); ++id) {
    EXPECT_EQ(records.state(id), pairs[id]) << id;
    EXPECT_TRUE(records.is(id, pairs[id]));
  }
  EXPECT_EQ(records.apart(), 7u);
}

TEST(TreeShape, IsATreeOverAllUnits) {
  for (const std::size_t bytes : {0, 1, 8, 9, 100, 700}) {
    const StateSample sample(3 * bytes, std::byte{1});
    const TreeShape shape(bytes, sample);
    ASSERT_EQ(shape.nodes() + 1, shape.units()) << bytes;
    std::vector<int> parents(shape.slots());
    for (TreeShape::Slot node = 0; node < shape.nodes(); ++node)
      for (const TreeShape::Slot child : {shape.children(node).left, shape.children(node).right}) {
        ASSERT_GT(child, node);
        ++parents[child];
      }
    for (TreeShape::Slot slot = 1; slot < shape.slots(); ++slot) EXPECT_EQ(parents[slot], 1) << slot;
  }
}

}  // namespace
}  // namespace tideline
