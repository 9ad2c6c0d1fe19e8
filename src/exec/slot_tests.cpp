#include "exec/slot_tests.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace tideline {

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t greatest = std::numeric_limits<std::int32_t>::max();

void flatten(const Expr& guard, std::vector<const Expr*>& conjuncts) {
  if (guard.op != Op::logic_and) {
    conjuncts.push_back(&guard);
    return;
  }
  for (const Expr& arg : guard.args) flatten(arg, conjuncts);
}

std::optional<RangeTest> as_test(const Expr& e) {
  if (e.args.size() != 2) return std::nullopt;
  const bool constant_first = e.args[0].is_constant();
  const Expr& load = e.args[constant_first ? 1 : 0];
  const Expr& constant = e.args[constant_first ? 0 : 1];
  if (load.op != Op::load || !constant.is_constant()) return std::nullopt;
  // One more or one less than this does not overflow, and no slot has such a value.
  const std::int64_t value = std::clamp(constant.value, least - 1, greatest + 1);
  std::int64_t low = least;
  std::int64_t high = greatest;
  switch (constant_first ? mirrored(e.op) : e.op) {
    case Op::eq:
      low = high = value;
      break;
    case Op::lt:
      high = value - 1;
      break;
    case Op::le:
      high = value;
      break;
    case Op::gt:
      low = value + 1;
      break;
    case Op::ge:
      low = value;
      break;
    default:
      return std::nullopt;
  }
  if (low > greatest || high < least) return RangeTest{load.slot, 1, 0};
  return RangeTest{load.slot, static_cast<std::int32_t>(std::max(low, least)),
                   static_cast<std::int32_t>(std::min(high, greatest))};
}

}  // namespace

Expr take_range_tests(const Expr& guard, const System& system, std::vector<RangeTest>& tests) {
  std::vector<const Expr*> conjuncts;
  flatten(guard, conjuncts);
  std::size_t taken = 0;
  for (; taken < conjuncts.size(); ++taken) {
    const auto test = as_test(*conjuncts[taken]);
    if (!test) break;
    const Range range = system.slots[test->slot].range;
    if (test->low <= range.low && range.high <= test->high) continue;
    const auto same = std::ranges::find(tests, test->slot, &RangeTest::slot);
    if (same == tests.end()) {
      tests.push_back(*test);
    } else {
      same->low = std::max(same->low, test->low);
      same->high = std::min(same->high, test->high);
    }
  }
  std::vector<Expr> rest;
  for (std::size_t i = taken; i < conjuncts.size(); ++i) rest.push_back(*conjuncts[i]);
  return balanced(Op::logic_and, std::move(rest), 1);
}

}  // namespace tideline
