#include "progress/interval.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <optional>

namespace tideline {

namespace {

constexpr Interval truth{0, 1};

Interval hull(Interval a, Interval b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// The interval spanned by the results at the corners; nothing when one of them overflows.
template <class Apply>
std::optional<Interval> corners(const Interval& a, const Interval& b, Apply apply) {
  std::optional<Interval> result;
  for (const std::int64_t x : {a.low, a.high})
    for (const std::int64_t y : {b.low, b.high}) {
      std::int64_t value = 0;
      if (apply(x, y, &value)) return std::nullopt;
      result = result ? hull(*result, {value, value}) : Interval{value, value};
    }
  return result;
}

Interval divide(const Interval& a, const Interval& b) {
  // The quotient is no further from 0 than the dividend; the one that wraps is the smallest number.
  if (a.low == std::numeric_limits<std::int64_t>::min()) return {};
  if (b.low > 0)
    return {a.low < 0 ? a.low / b.low : a.low / b.high, a.high > 0 ? a.high / b.low : a.high / b.high};
  const std::int64_t most = std::max(a.low < 0 ? -a.low : a.low, a.high < 0 ? -a.high : a.high);
  return {-most, most};
}

Interval remainder(const Interval& a, const Interval& b) {
  // Smaller than the divisor, no further from 0 than the dividend, and of its sign.
  constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
  if (a.low == smallest || b.low == smallest) return {};
  const std::int64_t below =
      std::max({b.low < 0 ? -b.low : b.low, b.high < 0 ? -b.high : b.high, std::int64_t{1}}) - 1;
  return {a.low >= 0 ? 0 : std::max(a.low, -below), a.high <= 0 ? 0 : std::min(a.high, below)};
}

Interval bitwise(Op op, const Interval& a, const Interval& b) {
  if (op == Op::bit_and) {
    if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
    if (a.low >= 0) return {0, a.high};
    if (b.low >= 0) return {0, b.high};
    return {};
  }
  if (a.low < 0 || b.low < 0) return {};
  const auto width = std::bit_width(static_cast<std::uint64_t>(a.high | b.high));
  return {0, static_cast<std::int64_t>((std::uint64_t{1} << width) - 1)};
}

Interval shift(Op op, const Interval& a, const Interval& b) {
  const Interval count{std::clamp<std::int64_t>(b.low, 0, 63), std::clamp<std::int64_t>(b.high, 0, 63)};
  const auto apply = [op](std::int64_t x, std::int64_t y, std::int64_t* value) {
    if (op == Op::shift_right) {
      *value = x >> y;
      return false;
    }
    *value = static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << y);
    return *value >> y != x;
  };
  return corners(a, count, apply).value_or(Interval{});
}

Interval arithmetic(Op op, const Interval& a, const Interval& b) {
  const auto apply = [op](std::int64_t x, std::int64_t y, std::int64_t* value) {
    if (op == Op::add) return __builtin_add_overflow(x, y, value);
    if (op == Op::sub) return __builtin_sub_overflow(x, y, value);
    return __builtin_mul_overflow(x, y, value);
  };
  return corners(a, b, apply).value_or(Interval{});
}

Interval binary(Op op, const Interval& a, const Interval& b) {
  Interval result;
  bool may_fail = false;
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
      result = arithmetic(op, a, b);
      break;
    case Op::div:
    case Op::mod:
      result = op == Op::div ? divide(a, b) : remainder(a, b);
      may_fail = b.contains(0);
      break;
    case Op::shift_left:
    case Op::shift_right:
      result = shift(op, a, b);
      may_fail = b.low < 0 || b.high > 63;
      break;
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
      result = bitwise(op, a, b);
      break;
    default:
      result = truth;
  }
  result.may_fail = may_fail || a.may_fail || b.may_fail;
  return result;
}

Interval unary(Op op, const Interval& a) {
  Interval result;
  switch (op) {
    case Op::negate:
      if (a.low != std::numeric_limits<std::int64_t>::min()) result = {-a.high, -a.low};
      break;
    case Op::bit_not:
      result = {~a.high, ~a.low};
      break;
    case Op::wrap_byte:
      result = a.low >= 0 && a.high <= 255 ? a : Interval{0, 255};
      break;
    case Op::wrap_int16:
      result = a.low >= -32768 && a.high <= 32767 ? a : Interval{-32768, 32767};
      break;
    default:
      result = truth;
  }
  result.may_fail = a.may_fail;
  return result;
}

Interval of_slots(const System& system, SlotId first, std::uint32_t length) {
  const auto range = [&](SlotId slot) {
    return Interval{system.slots[slot].range.low, system.slots[slot].range.high};
  };
  Interval result = range(first);
  for (SlotId slot = first; slot < first + length; ++slot) result = hull(result, range(slot));
  return result;
}

Interval of_table(const std::vector<std::int64_t>& table) {
  if (table.empty()) return {0, 0};
  const auto [low, high] = std::minmax_element(table.begin(), table.end());
  return {*low, *high};
}

}  // namespace

Interval interval_of(const Expr& expr, const System& system) {
  switch (expr.op) {
    case Op::constant:
      return {expr.value, expr.value};
    case Op::load:
      return of_slots(system, expr.slot, 1);
    case Op::fail:
      return {0, 0, true};
    case Op::load_array:
    case Op::table: {
      const Interval index = interval_of(expr.args[0], system);
      const bool array = expr.op == Op::load_array;
      Interval result = array ? of_slots(system, expr.slot, expr.length) : of_table(system.tables[expr.slot]);
      const auto length = static_cast<std::int64_t>(array ? expr.length : system.tables[expr.slot].size());
      result.may_fail = index.may_fail || index.low < 0 || index.high >= length;
      return result;
    }
    default:
      break;
  }
  const Interval first = interval_of(expr.args[0], system);
  if (expr.args.size() == 1) return unary(expr.op, first);
  return binary(expr.op, first, interval_of(expr.args[1], system));
}

}  // namespace tideline
