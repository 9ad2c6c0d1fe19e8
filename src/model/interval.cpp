#include "model/interval.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <optional>

namespace tideline {

namespace {

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
  // The remainder is smaller than the divisor, no further from 0 than the dividend, and has its sign.
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

Interval truth_of(bool never, bool always) {
  return {always ? 1 : 0, never ? 0 : 1};
}

Interval comparison(Op op, const Interval& a, const Interval& b) {
  const bool apart = a.high < b.low || b.high < a.low;
  const bool same = a.is_single() && b.is_single() && a.low == b.low;
  switch (op) {
    case Op::eq:
      return truth_of(apart, same);
    case Op::ne:
      return truth_of(same, apart);
    case Op::lt:
      return truth_of(a.low >= b.high, a.high < b.low);
    case Op::le:
      return truth_of(a.low > b.high, a.high <= b.low);
    case Op::gt:
      return truth_of(a.high <= b.low, a.low > b.high);
    default:
      return truth_of(a.high < b.low, a.low >= b.high);
  }
}

Interval logic(Op op, const Interval& a, const Interval& b) {
  const auto never = [](const Interval& i) { return i.low == 0 && i.high == 0; };
  const auto always = [](const Interval& i) { return !i.contains(0); };
  switch (op) {
    case Op::logic_and:
      return truth_of(never(a) || never(b), always(a) && always(b));
    case Op::logic_or:
      return truth_of(never(a) && never(b), always(a) || always(b));
    default:
      return truth_of(always(a) && never(b), never(a) || always(b));
  }
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
    case Op::logic_and:
    case Op::logic_or:
    case Op::imply:
      result = logic(op, a, b);
      break;
    default:
      result = comparison(op, a, b);
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
      result = truth_of(!a.contains(0), a.low == 0 && a.high == 0);
  }
  result.may_fail = a.may_fail;
  return result;
}

/// The interval of the entries that an index in this interval may select; `entry` gives the interval of one.
template <class Entry>
Interval of_entries(std::size_t length, const Interval& index, const Entry& entry) {
  if (length == 0) return {0, 0};
  const auto last = static_cast<std::int64_t>(length) - 1;
  const auto low = static_cast<std::size_t>(std::clamp<std::int64_t>(index.low, 0, last));
  const auto high = static_cast<std::size_t>(std::clamp<std::int64_t>(index.high, 0, last));
  Interval result = entry(low);
  for (std::size_t at = low + 1; at <= high; ++at) result = hull(result, entry(at));
  return result;
}

/// What a comparison of a slot with a constant says about the slot when it has that truth.
std::optional<SlotIntervals::Narrowed> narrowing(const Expr& expr, bool truth) {
  constexpr Interval all;
  if (expr.op == Op::logic_not) return narrowing(expr.args[0], !truth);
  if (expr.op < Op::eq || expr.op > Op::ge || expr.args[0].op != Op::load || expr.args[0].before ||
      !expr.args[1].is_constant())
    return std::nullopt;
  const SlotId slot = expr.args[0].slot;
  const std::int64_t value = expr.args[1].value;
  if (value == all.low || value == all.high) return std::nullopt;
  switch (expr.op) {
    case Op::eq:
    case Op::ne:
      if (truth != (expr.op == Op::eq)) return std::nullopt;
      return SlotIntervals::Narrowed{slot, value, value};
    case Op::lt:
      return truth ? SlotIntervals::Narrowed{slot, all.low, value - 1}
                   : SlotIntervals::Narrowed{slot, value, all.high};
    case Op::le:
      return truth ? SlotIntervals::Narrowed{slot, all.low, value}
                   : SlotIntervals::Narrowed{slot, value + 1, all.high};
    case Op::gt:
      return truth ? SlotIntervals::Narrowed{slot, value + 1, all.high}
                   : SlotIntervals::Narrowed{slot, all.low, value};
    default:
      return truth ? SlotIntervals::Narrowed{slot, value, all.high}
                   : SlotIntervals::Narrowed{slot, all.low, value - 1};
  }
}

/// Of the right side of a logic operator, which is evaluated only where the left side does not decide. Where
/// it is never evaluated it cannot fail either.
Interval right_side(const Expr& expr, const System& system, const SlotIntervals& slots) {
  auto narrowed = narrowing(expr.args[0], expr.op != Op::logic_or);
  if (!narrowed) return interval_of(expr.args[1], system, slots);
  const Interval& slot = slots.now[narrowed->slot];
  if (std::max(slot.low, narrowed->low) > std::min(slot.high, narrowed->high)) return {0, 1};
  narrowed->next = slots.narrowed;
  return interval_of(expr.args[1], system, {slots.now, slots.before, &*narrowed});
}

Interval load(const Expr& expr, const SlotIntervals& slots) {
  Interval value = expr.before ? slots.before[expr.slot] : slots.now[expr.slot];
  if (expr.before) return value;
  for (const auto* n = slots.narrowed; n != nullptr; n = n->next)
    if (n->slot == expr.slot && std::max(value.low, n->low) <= std::min(value.high, n->high))
      value = {std::max(value.low, n->low), std::min(value.high, n->high)};
  return value;
}

}  // namespace

std::vector<Interval> slot_ranges(const System& system) {
  std::vector<Interval> ranges;
  for (const Slot& slot : system.slots) ranges.push_back({slot.range.low, slot.range.high});
  return ranges;
}

Interval interval_of(const Expr& expr, const System& system) {
  const std::vector<Interval> ranges = slot_ranges(system);
  return interval_of(expr, system, {ranges, ranges});
}

Interval interval_of(const Expr& expr, const System& system, const SlotIntervals& slots) {
  const auto& loaded = expr.before ? slots.before : slots.now;
  switch (expr.op) {
    case Op::constant:
      return {expr.value, expr.value};
    case Op::load:
      return load(expr, slots);
    case Op::fail:
      return {0, 0, true};
    case Op::load_array:
    case Op::table: {
      const Interval index = interval_of(expr.args[0], system, slots);
      const bool array = expr.op == Op::load_array;
      const std::size_t length = array ? expr.length : system.tables[expr.slot].size();
      Interval result = of_entries(length, index, [&](std::size_t at) {
        if (array) return loaded[expr.slot + at];
        const std::int64_t value = system.tables[expr.slot][at];
        return Interval{value, value};
      });
      result.may_fail = index.may_fail || index.low < 0 || index.high >= static_cast<std::int64_t>(length);
      return result;
    }
    default:
      break;
  }
  const Interval first = interval_of(expr.args[0], system, slots);
  if (expr.args.size() == 1) return unary(expr.op, first);
  if (expr.op == Op::logic_and || expr.op == Op::logic_or || expr.op == Op::imply)
    return binary(expr.op, first, right_side(expr, system, slots));
  return binary(expr.op, first, interval_of(expr.args[1], system, slots));
}

}  // namespace tideline
