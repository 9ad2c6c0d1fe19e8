// Intervals of expressions: which values can an expression take, looking at nothing but the ranges of slots?
//
// The answer is sound: in every state whose slots are in their ranges the value lies in the interval.
// Arithmetic wraps, so whatever might overflow may be anything; an expression that may have no value says so.
#pragma once

#include <cstdint>
#include <limits>

#include "model/system.hpp"

namespace tideline {

struct Interval {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  bool may_fail = false;  ///< in some state it has no value; `low` and `high` speak of the others

  bool contains(std::int64_t value) const { return low <= value && value <= high; }
};

Interval interval_of(const Expr& expr, const System& system);

}  // namespace tideline
