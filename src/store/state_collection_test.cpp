// Collections of states against sorted maps.
#include "store/state_collection.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <map>
#include <string>

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
