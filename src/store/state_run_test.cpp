// Sorted runs against sorted sets.
#include "store/state_run.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace tideline {
namespace {

std::filesystem::path folder_for_runs() {
  return std::filesystem::temp_directory_path();
}

/// States with few different bytes, so that they share much; each with a byte of its own.
using StateMap = std::map<std::string, char>;

StateMap arbitrary_states(std::size_t bytes) {
  const auto states = *rc::gen::container<std::set<std::string>>(
      rc::gen::container<std::string>(bytes, rc::gen::element('\0', 'a', '\xff')));
  StateMap result;
  for (const std::string& state : states) result[state] = static_cast<char>(result.size());
  return result;
}

const std::byte* bytes_of(const std::string& text) {
  return reinterpret_cast<const std::byte*>(text.data());
}

std::unique_ptr<StateRun> run_of(DiskSpace& space, const StateMap& states, std::size_t bytes) {
  auto run = std::make_unique<StateRun>(space, bytes, 1);
  for (const auto& [state, extra] : states)
    run->append(bytes_of(state), reinterpret_cast<const std::byte*>(&extra));
  run->finish();
  return run;
}

std::pair<std::string, char> entry(const std::byte* state, const std::byte* extra, std::size_t bytes) {
  return {std::string(reinterpret_cast<const char*>(state), bytes), static_cast<char>(*extra)};
}

std::size_t arbitrary_width() {
  return *rc::gen::element<std::size_t>(0, 1, 3, 8, 13, 300);
}

RC_GTEST_PROP(StateRun, IsReadAsItWasWritten, ()) {
  const std::size_t bytes = arbitrary_width();
  DiskSpace space(folder_for_runs(), *rc::gen::element<std::size_t>(1, 20, 1000));
  const StateMap states = arbitrary_states(bytes);
  const auto run = run_of(space, states, bytes);
  RC_ASSERT(run->size() == states.size());
  StateMap all;
  for (StateRun::Reader reader(*run); reader.next();) {
    const auto read = entry(reader.state(), reader.extra(), bytes);
    if (!all.empty()) RC_ASSERT(all.rbegin()->first < read.first);
    all.insert(read);
  }
  RC_ASSERT(all == states);

  StateMap by_blocks;
  for (std::size_t block = 0; block < run->blocks(); ++block) {
    RC_ASSERT(run->first_of_block(block) == by_blocks.size());
    for (StateRun::Reader reader(*run, block, block + 1); reader.next();)
      by_blocks.insert(entry(reader.state(), reader.extra(), bytes));
  }
  RC_ASSERT(by_blocks == states);
  RC_CLASSIFY(run->blocks() > 1, "several blocks");
}

RC_GTEST_PROP(StateRun, FindsWhatItHas, ()) {
  const std::size_t bytes = arbitrary_width();
  DiskSpace space(folder_for_runs(), *rc::gen::element<std::size_t>(1, 20, 1000));
  const StateMap states = arbitrary_states(bytes);
  StateMap wanted = arbitrary_states(bytes);
  for (const auto& state : states)
    if (*rc::gen::arbitrary<bool>()) wanted.insert(state);
  const auto run = run_of(space, states, bytes);
  StateRun::Reader reader(*run);
  for (const auto& [state, extra] : wanted) {
    const bool found = reader.seek(bytes_of(state));
    RC_ASSERT(found == states.contains(state));
    if (found)
      RC_ASSERT(entry(reader.state(), reader.extra(), bytes) == std::make_pair(state, states.at(state)));
  }
}

RC_GTEST_PROP(StateRun, MergesWithTheFirstOfWhatIsTheSame, ()) {
  const std::size_t bytes = arbitrary_width();
  DiskSpace space(folder_for_runs(), *rc::gen::element<std::size_t>(1, 20, 1000));
  std::vector<std::unique_ptr<StateRun>> runs;
  std::vector<const StateRun*> pointers;
  StateMap expected;
  for (int count = *rc::gen::inRange(0, 5); count > 0; --count) {
    const StateMap states = arbitrary_states(bytes);
    expected.insert(states.begin(), states.end());
    runs.push_back(run_of(space, states, bytes));
    pointers.push_back(runs.back().get());
  }
  std::vector<std::pair<std::string, char>> merged;
  StateRun::merge(pointers, [&](const std::byte* state, const std::byte* extra) {
    merged.push_back(entry(state, extra, bytes));
  });
  const std::vector<std::pair<std::string, char>> in_order(expected.begin(), expected.end());
  RC_ASSERT(merged == in_order);
}

TEST(StateRun, TakesSpaceAsLongAsItIsThere) {
  DiskSpace space(folder_for_runs(), 100);
  StateMap states;
  for (int i = 0; i < 1000; ++i) states[std::to_string(100'000 + i)] = 'x';
  {
    const auto run = run_of(space, states, 6);
    EXPECT_GT(run->blocks(), 10u);
  }
  EXPECT_EQ(space.runs(), 1u);
  const std::uint64_t peak = space.peak_bytes();
  EXPECT_GT(peak, 1000u);
  run_of(space, states, 6);
  EXPECT_EQ(space.peak_bytes(), peak);  // the first one is gone
}

TEST(StateRun, StopsWhenTheSearchDoes) {
  std::stop_source stop;
  DiskSpace space(folder_for_runs(), 100, stop.get_token());
  StateMap states;
  for (int i = 0; i < 1000; ++i) states[std::to_string(100'000 + i)] = 'x';
  const auto run = run_of(space, states, 6);
  StateRun::Reader reader(*run);
  EXPECT_TRUE(reader.next());
  stop.request_stop();
  EXPECT_THROW(while (reader.next()){}, SearchStopped);
  EXPECT_THROW(run_of(space, states, 6), SearchStopped);
}

}  // namespace
}  // namespace tideline
