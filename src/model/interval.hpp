// Intervals of expressions: which values can an expression take when slots lie in given intervals?
//
// The answer is sound: in every state whose slots are in their intervals, the value lies in the interval of
// the expression. Arithmetic wraps, so what might overflow may be anything; `may_fail` marks an expression
// that may have no value.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "model/system.hpp"

namespace tideline {

struct Interval {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  bool may_fail = false;  ///< in some state it has no value; `low` and `high` are about the others

  bool contains(std::int64_t value) const { return low <= value && value <= high; }
  bool is_single() const { return low == high; }
};

/// The interval of every slot: its range.
std::vector<Interval> slot_ranges(const System& system);

/// Intervals of all slots, in the state and in the one before the effects of an action.
struct SlotIntervals {
  /// An interval that one slot is known to be in beside that, in the state: the right side of `x < 3 && ...`
  /// is evaluated only where the left one is true.
  struct Narrowed {
    SlotId slot = 0;
    std::int64_t low = 0, high = 0;
    const Narrowed* next = nullptr;
  };
  std::span<const Interval> now, before;
  const Narrowed* narrowed = nullptr;
};

Interval interval_of(const Expr& expr, const System& system, const SlotIntervals& slots);
/// Where nothing is known but the ranges.
Interval interval_of(const Expr& expr, const System& system);

}  // namespace tideline
