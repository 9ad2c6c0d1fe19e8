#include "allocation/allocation_guard.hpp"

#include <gtest/gtest.h>

#include <new>
#include <thread>

namespace tideline {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

bool can_reserve(std::size_t bytes) {
  try {
    std::vector<char> block;
    block.reserve(bytes);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// The time of these was over long ago.
Budget::Limits overdue() {
  return {.seconds = 1, .gone = 1000};
}

TEST(AllocationGuard, RefusesWhatWouldPassTheMemoryLimit) {
  if (!AllocationGuard::memory_counts) GTEST_SKIP() << "sanitizers take memory of their own";
  {
    const AllocationGuard guard({.memory_bytes = resident_bytes() + 64 * mebibyte});
    EXPECT_FALSE(can_reserve(1024 * mebibyte));
    EXPECT_TRUE(can_reserve(16 * mebibyte));
    std::thread([] { EXPECT_FALSE(can_reserve(1024 * mebibyte)); }).join();
  }
  EXPECT_TRUE(can_reserve(1024 * mebibyte));
}

TEST(AllocationGuard, EndsTheThreadWhoseTimeIsOverAndNoOther) {
  const AllocationGuard guard(overdue());
  std::thread([] { EXPECT_TRUE(can_reserve(2 * mebibyte)); }).join();
  EXPECT_FALSE(can_reserve(2 * mebibyte));
}

TEST(AllocationGuard, LeavesTimeToWrapUp) {
  AllocationGuard guard(overdue());
  guard.wrap_up();
  EXPECT_TRUE(can_reserve(2 * mebibyte));
}

TEST(AllocationGuard, SmallAllocationsAddUp) {
  const AllocationGuard guard(overdue());
  std::vector<std::unique_ptr<int>> all;
  EXPECT_THROW(while (all.size() < 1'000'000) all.push_back(std::make_unique<int>()), std::bad_alloc);
}

TEST(AllocationGuard, IsNotThereWithoutLimits) {
  const AllocationGuard guard({});
  EXPECT_TRUE(can_reserve(2 * mebibyte));
}

}  // namespace
}  // namespace tideline
