// Range tests: the part of a guard that only compares slots with constants.
//
// Such a test has a value in every state and needs no bytecode. A guard is split into the tests at the
// beginning of its conjunction and the rest; what comes after a part that may have no value stays there,
// because a false part in front hides its error.
#pragma once

#include <cstdint>
#include <vector>

#include "model/system.hpp"

namespace tideline {

/// low <= slot <= high
struct RangeTest {
  SlotId slot = 0;
  std::int32_t low = 0;
  std::int32_t high = 0;
};

/// Moves the tests at the beginning of the guard to `tests`, which hold at most one per slot;
/// returns the rest.
Expr take_range_tests(const Expr& guard, const System& system, std::vector<RangeTest>& tests);

}  // namespace tideline
