// Collections of states against sorted maps.
#include "store/state_collection.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "run/budget.hpp"
#include "store/disk_file.hpp"

namespace tideline {
namespace {

const std::byte* packed(const std::string& text) {
  return reinterpret_cast<const std::byte*>(text.data());
}

RC_GTEST_PROP(StateCollection, HasEveryStateOnceAndInOrder, ()) {
  const std::size_t bytes = *rc::gen::element<std::size_t>(1, 3, 8, 9, 20, 300);
  const std::size_t lane_bytes = *rc::gen::element<std::size_t>(1, 100, 1000, 1 << 20);
  StateCollection collection({.state_bytes = bytes,
                              .extra_bytes = 4,
                              .folder = std::filesystem::temp_directory_path(),
                              .lane_bytes = lane_bytes});
  const StateRecorder first(&collection);
  std::vector<StateRecorder> recorders(*rc::gen::inRange(1, 4), first);
  std::map<std::string, std::uint32_t> expected;
  const auto states = *rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(bytes, rc::gen::element('\0', 'a', '\xff')));
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::uint32_t extra = expected.emplace(states[i], i).first->second;
    recorders[i % recorders.size()].add(packed(states[i]), reinterpret_cast<const std::byte*>(&extra));
  }
  std::map<std::string, std::uint32_t> found;
  collection.for_each([&](const std::byte* state, const std::byte* extra) {
    const std::string text(reinterpret_cast<const char*>(state), bytes);
    if (!found.empty()) RC_ASSERT(found.rbegin()->first < text);
    std::uint32_t number = 0;
    std::memcpy(&number, extra, sizeof number);
    found.emplace(text, number);
  });
  RC_ASSERT(found == expected);
  RC_ASSERT(collection.failure().empty());
}

/// More than is sorted at a time; bytes that are the same in many states, and in all.
std::vector<std::string> many_states(std::size_t bytes, std::size_t count) {
  std::mt19937_64 random(bytes);
  std::vector<std::string> states(count, std::string(bytes, 'x'));
  for (std::string& state : states)
    for (std::size_t i = 0; i < bytes; ++i)
      if (i % 5 != 2) state[i] = static_cast<char>(i % 5 == 0 ? random() % 2 : 250 + random() % 7);
  return states;
}

void expect_in_order(StateCollection& collection, const std::set<std::string>& expected) {
  auto next = expected.begin();
  collection.for_each([&](const std::byte* state, const std::byte*) {
    ASSERT_NE(next, expected.end());
    ASSERT_EQ(std::memcmp(state, next->data(), collection.state_bytes()), 0);
    ++next;
  });
  EXPECT_EQ(next, expected.end());
}

TEST(StateCollection, HasManyStatesInOrder) {
  for (const std::size_t bytes : {3, 7, 40})
    for (const std::size_t lane_bytes : {1 << 18, 1 << 26}) {
      StateCollection collection({.state_bytes = bytes,
                                  .folder = std::filesystem::temp_directory_path(),
                                  .lane_bytes = static_cast<std::size_t>(lane_bytes)});
      StateRecorder recorder(&collection);
      const std::vector<std::string> states = many_states(bytes, 150'000);
      for (const std::string& state : states) recorder.add(packed(state));
      expect_in_order(collection, {states.begin(), states.end()});
    }
}

TEST(StateCollection, TakesStatesFromWhereTheyAre) {
  for (const std::size_t bytes : {3, 7, 40}) {
    const std::vector<std::string> some = many_states(bytes, 200'000);
    const std::set<std::string> different(some.begin(), some.end());
    std::vector<std::string> states(different.begin(), different.end());
    std::ranges::shuffle(states, std::mt19937_64(1));
    const auto half = static_cast<StateId>(states.size() / 2), quarter = half / 2;
    StateCollection collection({.state_bytes = bytes});
    collection.keep({.ranges = {{3, quarter}, {half, quarter}},
                     .state_at = [&](StateId id) { return packed(states[id]); }});
    std::set<std::string> expected(states.begin() + 3, states.begin() + 3 + quarter);
    expected.insert(states.begin() + half, states.begin() + half + quarter);
    expect_in_order(collection, expected);
  }
}

TEST(StateCollection, CanBeStoppedWhileItSorts) {
  const std::vector<std::string> states = many_states(9, 100'000);
  StateCollection collection({.state_bytes = 9});
  collection.keep({.ranges = {{0, 100'000}}, .state_at = [&](StateId id) { return packed(states[id]); }});
  EXPECT_THROW(
      collection.for_each([](const std::byte*, const std::byte*) {}, [] { throw LimitReached("enough"); }),
      LimitReached);
}

TEST(StateCollection, GoesOnWithoutADisk) {
  StateCollection collection(
      {.state_bytes = 8, .folder = "/proc/no-such-folder", .lane_bytes = std::size_t{1} << 18});
  StateRecorder recorder(&collection);
  for (std::uint64_t i = 0; i < 200'000; ++i) recorder.add(reinterpret_cast<const std::byte*>(&i));
  EXPECT_FALSE(collection.failure().empty());
}

TEST(DiskFile, TakesTheNameOfItsTarget) {
  const auto target =
      std::filesystem::temp_directory_path() / ("disk_file_test-" + std::to_string(::getpid()));
  DiskFile file = DiskFile::create_beside(target);
  const std::string text = "new";
  EXPECT_EQ(file.write({packed(text), text.size()}, 0), 0);
  EXPECT_FALSE(std::filesystem::exists(target));
  EXPECT_EQ(file.rename_to(target), 0);
  EXPECT_EQ(std::filesystem::file_size(target), text.size());
  file.remove_name();
  EXPECT_FALSE(std::filesystem::exists(target));
}

}  // namespace
}  // namespace tideline
