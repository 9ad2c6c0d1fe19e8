// Tables that threads share against the standard library: whatever the hash, the shape of a tree and the number of threads,
// such a table is a set that numbers its elements, and gives them back.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "store/concurrent_table.hpp"
#include "store/hashed_states.hpp"
#include "store/solo.hpp"
#include "store/tree_table.hpp"
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

/// What the tables have in common: each thread inserts its states, and reads some on the way; all together must have
/// numbered the set of them. The numbers of all states.
template <class Table>
std::map<std::string, StateId> number_a_set(Table& table,
                                            const std::vector<std::vector<std::string>>& by_thread,
                                            std::size_t bytes) {
  const std::size_t threads = by_thread.size();
  std::vector<std::vector<Insertion>> insertions(threads);
  std::atomic<bool> misread{false};
  {
    std::vector<std::jthread> running;
    for (unsigned t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        auto& access = table.access(t);
        for (std::size_t i = 0; i < by_thread[t].size(); ++i) {
          const std::byte* const state = bytes_of(by_thread[t][i]);
          auto hash = access.hash(state);
          access.prefetch_index(hash);
          if (i % 3 == 0) access.prefetch_state(hash);
          insertions[t].push_back(access.insert(state, hash));
          const std::size_t read = i / 2;
          if (i % 7 == 6 && insertions[t][read].inserted &&
              std::memcmp(access.state(insertions[t][read].id), by_thread[t][read].data(), bytes) != 0)
            misread = true;
        }
      });
  }
  RC_ASSERT(!misread);
  std::map<std::string, StateId> number_of;
  std::set<StateId> numbers;
  std::set<std::string> all;
  auto& access = table.access(0);
  for (unsigned t = 0; t < threads; ++t)
    for (std::size_t i = 0; i < by_thread[t].size(); ++i) {
      all.insert(by_thread[t][i]);
      const auto [id, is_new] = insertions[t][i];
      RC_ASSERT(id != no_state);
      if (!is_new) continue;
      RC_ASSERT(number_of.emplace(by_thread[t][i], id).second);
      RC_ASSERT(numbers.insert(id).second);
      RC_ASSERT(std::memcmp(access.state(id), by_thread[t][i].data(), bytes) == 0);
    }
  RC_ASSERT(number_of.size() == all.size());
  RC_ASSERT(table.size() == all.size());
  for (const auto& [state, id] : number_of)
    RC_ASSERT(!access.insert(bytes_of(state), access.hash(bytes_of(state))).inserted);
  return number_of;
}

std::vector<std::vector<std::string>> random_states(std::uint32_t most, std::size_t bytes) {
  std::vector<std::vector<std::string>> by_thread(*rc::gen::inRange<std::size_t>(1, 9));
  const auto different = *rc::gen::inRange<std::uint32_t>(1, most);
  std::uint64_t x = *rc::gen::arbitrary<std::uint64_t>();
  for (auto& states : by_thread)
    for (std::uint32_t i = 0; i < different; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      states.push_back(wide_state(static_cast<std::uint32_t>(x >> 33) % different, bytes));
    }
  return by_thread;
}

/// Tables with what is special about each: how it is made, and what else holds when a set is in it.
template <class Hash>
struct Plain {
  using Table = ConcurrentTable<StateRecords<Hash>>;
  std::size_t extra_bytes = *rc::gen::element<std::size_t>(0, 1, 4, 12);

  typename Table::Options options(const std::vector<std::vector<std::string>>& by_thread) const {
    return {.workers = static_cast<unsigned>(by_thread.size()),
            .extra_bytes = extra_bytes,
            .segment_bits = *rc::gen::element(0u, 1u, 3u, 12u)};
  }
  void check(Table& table, const std::map<std::string, StateId>& number_of) const {
    std::set<StateId> numbers, in_ranges;
    auto& access = table.access(0);
    for (const auto& [state, id] : number_of) {
      numbers.insert(id);
      const std::uint64_t hash = access.hash(bytes_of(state));
      RC_ASSERT(access.find(bytes_of(state), hash) == id);
      RC_ASSERT(access.insert(bytes_of(state), hash).id == id);
      for (std::size_t i = 0; i < extra_bytes; ++i) RC_ASSERT(table.extra(id)[i] == std::byte{0});
    }
    for (const StateRange& range : table.ranges())
      for (std::uint32_t i = 0; i < range.count; ++i) in_ranges.insert(range.first + i);
    RC_ASSERT(in_ranges == numbers);
  }
};
template <class Hash>
struct Tree {
  using Table = TreeTable<Hash>;

  typename Table::Options options(const std::vector<std::vector<std::string>>& by_thread) const {
    return {.workers = static_cast<unsigned>(by_thread.size()),
            .segment_bits = *rc::gen::element(4u, 5u, 8u, 12u),
            .sample = sample_of(by_thread[0], *rc::gen::element<std::size_t>(0, 10, 1000))};
  }
  void check(Table&, const std::map<std::string, StateId>&) const {}
};
struct HashTable {
  using Table = HashedStates;

  Table::Options options(const std::vector<std::vector<std::string>>& by_thread) const {
    return {.workers = static_cast<unsigned>(by_thread.size()),
            .segment_bits = *rc::gen::element(4u, 8u, 12u),
            .bits = *rc::gen::element(50u, 61u, 64u)};
  }
  void check(Table&, const std::map<std::string, StateId>&) const {}
};

/// A kind of table, and of how many states it shall be a set.
template <class K, std::uint32_t states>
struct Case {
  using Kind = K;
  static constexpr std::uint32_t most = states;
};

template <class C>
class SharedTables : public testing::Test {};
using Cases = testing::Types<Case<Plain<StateHash>, 3000>, Case<Plain<OneSegmentHash>, 2000>,
                             Case<Plain<OneTagHash>, 1000>, Case<Plain<ConstantHash>, 100>,
                             Case<Tree<PairHash>, 2000>, Case<Tree<OneSegmentPairHash>, 1000>,
                             Case<Tree<ConstantPairHash>, 100>, Case<HashTable, 3000>>;
TYPED_TEST_SUITE(SharedTables, Cases);

TYPED_TEST(SharedTables, NumberASet) {
  using Kind = typename TypeParam::Kind;
  rc::check([] {
    const Kind kind;
    const auto bytes = *rc::gen::inRange<std::size_t>(11, 60);
    const auto by_thread = random_states(TypeParam::most, bytes);
    typename Kind::Table table(bytes, kind.options(by_thread));
    kind.check(table, number_a_set(table, by_thread, bytes));
  });
}

TYPED_TEST(SharedTables, TakeStatesOfNoBytesAndOfMany) {
  using Table = typename TypeParam::Kind::Table;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{2000}}) {
    Table table(bytes, {});
    auto& access = table.access(0);
    const std::string state(bytes, 'x');
    EXPECT_TRUE(access.insert(bytes_of(state), access.hash(bytes_of(state))).inserted);
    EXPECT_FALSE(access.insert(bytes_of(state), access.hash(bytes_of(state))).inserted);
  }
}

template <class Table>
void is_full_at_300(Table& table) {
  auto& access = table.access(0);
  for (std::uint32_t n = 0; n < 400; ++n) {
    const std::string state = wide_state(n, 20);
    const Insertion result = access.insert(bytes_of(state), access.hash(bytes_of(state)));
    EXPECT_EQ(result.inserted, n < 300) << n;
    EXPECT_EQ(result.id == no_state, n >= 300) << n;
  }
  const std::string known = wide_state(7, 20);
  EXPECT_NE(access.insert(bytes_of(known), access.hash(bytes_of(known))).id, no_state);
  EXPECT_EQ(table.size(), 300u);
}

TEST(ConcurrentTable, IsFullAtItsLimit) {
  ConcurrentTable<> table(20, {.workers = 1, .states = 300});
  is_full_at_300(table);
  EXPECT_EQ(table.number_bound(), 300u);
}
TEST(TreeTable, IsFullAtItsLimit) {
  TreeTable<> table(20, {.waiting = {.states = 300}});
  is_full_at_300(table);
}
TEST(HashedStates, IsFullAtItsLimit) {
  HashedStates table(20, {.waiting = {.states = 300}});
  is_full_at_300(table);
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

RC_GTEST_PROP(TreeTable, TakesAnyBytes, (const std::vector<std::string>& texts)) {
  const auto bytes = *rc::gen::element<std::size_t>(0, 1, 4, 8, 13, 16, 29);
  std::vector<std::string> states;
  for (std::string text : texts) {
    text.resize(bytes, '\xFF');
    states.push_back(std::move(text));
  }
  TreeTable<> table(bytes, {.sample = sample_of(states, 5)});
  number_a_set(table, {states}, bytes);
}

// What breadth-first search does: a window of states is read and dropped while others come in.
TEST(Solo, NumbersStatesInOrderOfInsertion) {
  constexpr std::size_t bytes = 37;
  constexpr std::uint32_t states = 200'000;
  Solo<TreeTable<>> tree(bytes, {});
  std::uint32_t read = 0;
  for (std::uint32_t n = 0; n < states; ++n) {
    const std::string state = wide_state(n, bytes);
    const Insertion insertion = tree.insert(bytes_of(state), tree.hash(bytes_of(state)));
    ASSERT_TRUE(insertion.inserted);
    ASSERT_EQ(insertion.id, n);
    if (n % 3 == 0) continue;
    ASSERT_EQ(std::memcmp(tree.state(read), wide_state(read, bytes).data(), bytes), 0) << read;
    tree.drop({read++, 1});
  }
  for (; read < states; ++read)
    ASSERT_EQ(std::memcmp(tree.state(read), wide_state(read, bytes).data(), bytes), 0) << read;
  EXPECT_EQ(tree.size(), states);
}

TEST(Solo, CostsFewBytesAStateHoweverWide) {
  constexpr std::size_t bytes = 200;
  std::vector<std::string> states;
  for (std::uint32_t n = 0; n < 400'000; ++n) states.push_back(wide_state(n, bytes));
  Solo<TreeTable<>> tree(bytes, {.sample = sample_of(states, 8000)});
  for (StateId n = 0; n < states.size(); ++n) {
    tree.insert(bytes_of(states[n]), tree.hash(bytes_of(states[n])));
    tree.drop({n, 1});
  }
  EXPECT_EQ(tree.size(), states.size());
  EXPECT_LT(static_cast<double>(tree.memory_bytes()) / static_cast<double>(tree.size()), 9);
}

// Of so many, too, that not all of them can be compared.
TEST(TreeShape, IsATreeOverAllUnits) {
  for (const std::size_t bytes : {0, 1, 8, 9, 100, 700, 65'000}) {
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

/// Otherwise a thread that makes a segment larger waits for the end of the longest stay.
TEST(Presence, StepsAsideForThoseWhoWait) {
  Presence presence;
  std::atomic<bool> inside{false}, seen_outside{false};
  std::jthread other([&] {
    while (!inside) std::this_thread::yield();
    presence.wait_for_exit();
    seen_outside = true;
  });
  const Presence::Stay stay(presence);
  inside = true;
  while (!seen_outside) {
    const Presence::Stay operation(presence);
    presence.step_aside();
  }
}

/// Each huge page is announced once, when the one before it is begun; but not those that a small array never reaches.
TEST(ConcurrentArray, AnnouncesHugePagesBeforeTheyAreUsed) {
  constexpr std::size_t record = 1024, block = 256, records = 80 << 10;
  ConcurrentArray array(record, records, Memory::huge_page);
  const std::size_t in_page = array.records_a_page();
  std::set<const std::byte*> announced;
  std::size_t blocks = 0;
  for (std::size_t i = 0; i < records; i += block, ++blocks) {
    array.require(i);
    const std::byte* const page = array[i - i % in_page];
    const std::size_t part = static_cast<std::size_t>(array[i] - page) / Memory::huge_page;
    const std::size_t first_announced = i < in_page ? 2 : 1;
    ASSERT_TRUE(part < first_announced || announced.contains(page + part * Memory::huge_page)) << i;
    const auto due = array.due_after(i, block);
    if (due.empty()) continue;
    ASSERT_TRUE(announced.insert(due.data()).second) << i;
    ASSERT_EQ(due.data(), page + (part + 1) * Memory::huge_page);
    ASSERT_LE(due.data() + due.size(), page + in_page * record);
    if (announced.size() > 1) continue;
    Memory::fetch(due);
    EXPECT_EQ(due.front(), std::byte{0});
    due.back() = std::byte{1};
  }
  EXPECT_EQ(announced.size(), 14u + 15 + 8);  // of three pages of 32 MiB, the last one half used
}

}  // namespace
}  // namespace tideline
