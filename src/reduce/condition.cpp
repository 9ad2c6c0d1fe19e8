#include "reduce/condition.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "model/each_once.hpp"
#include "model/value_condition.hpp"

namespace tideline::por {

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

void flatten(const Expr& guard, std::vector<Expr>& parts) {
  if (guard.op == Op::logic_and) {
    for (const Expr& arg : guard.args) flatten(arg, parts);
  } else if (!guard.is_constant() || guard.value == 0) {
    parts.push_back(guard);
  }
}

std::vector<SlotId> sorted_reads(const Expr& expr) {
  std::vector<SlotId> reads;
  collect_reads(expr, reads);
  keep_each_once(reads);
  return reads;
}

void negate(Condition& condition) {
  if (!condition.is_outside && condition.low == least && condition.high < greatest) {
    condition.low = std::exchange(condition.high, greatest) + 1;
  } else if (!condition.is_outside && condition.high == greatest && condition.low > least) {
    condition.high = std::exchange(condition.low, least) - 1;
  } else {
    condition.is_outside = !condition.is_outside;
  }
}

/// Gives the condition the normal form of a comparison with a constant.
void compare(Condition& condition, Op op, const Expr& subject, std::int64_t value) {
  condition.subject = subject;
  condition.low = op == Op::lt || op == Op::le ? least : value;
  condition.high = op == Op::gt || op == Op::ge ? greatest : value;
  condition.is_outside = op == Op::ne;
  if (op == Op::lt || op == Op::gt) {  // the opposite of the one with the equals sign
    condition.low = op == Op::lt ? value : least;
    condition.high = op == Op::lt ? greatest : value;
    negate(condition);
  }
}

void normalise(const Expr& expr, Condition& condition) {
  const bool compares = expr.op >= Op::eq && expr.op <= Op::ge;
  if (compares && expr.args[1].is_constant()) {
    compare(condition, expr.op, expr.args[0], expr.args[1].value);
  } else if (compares && expr.args[0].is_constant()) {
    compare(condition, mirrored(expr.op), expr.args[1], expr.args[0].value);
  } else if (expr.op == Op::logic_not) {
    normalise(expr.args[0], condition);
    negate(condition);
  } else if (expr.op == Op::ne || expr.op == Op::gt || expr.op == Op::ge) {
    Expr opposite = expr;
    opposite.op = expr.op == Op::ne ? Op::eq : expr.op == Op::gt ? Op::le : Op::lt;
    compare(condition, Op::eq, opposite, 0);
  } else {
    compare(condition, Op::ne, expr, 0);
  }
}

Condition condition_of(Expr guard, bool may_lack_value) {
  Condition condition{std::move(guard)};
  condition.reads = sorted_reads(condition.guard);
  condition.may_lack_value = may_lack_value;
  normalise(condition.guard, condition);
  return condition;
}

void collect_parts(const Expr& expr, const System& system, std::vector<Condition>& parts) {
  if (expr.op == Op::logic_and || expr.op == Op::logic_or || expr.op == Op::imply ||
      expr.op == Op::logic_not) {
    for (const Expr& arg : expr.args) collect_parts(arg, system, parts);
  } else if (!expr.is_constant() && std::ranges::find(parts, expr, &Condition::guard) == parts.end()) {
    parts.push_back(condition_of(expr, may_lack_value(expr, system)));
  }
}

/// Whether an operator that has no value for some operands is part of it.
bool has_partial_operator(const Expr& expr) {
  bool found = false;
  for_each_subexpr(expr, [&](const Expr& part) {
    found |= part.op == Op::div || part.op == Op::mod || part.op == Op::shift_left ||
             part.op == Op::shift_right || part.op == Op::load_array || part.op == Op::table ||
             part.op == Op::fail;
  });
  return found;
}

void append(const Expr& guard, const MayLackValue& may_lack_value, std::vector<Condition>& conditions) {
  std::vector<Expr> parts;
  flatten(guard, parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (has_partial_operator(parts[i]) && may_lack_value(parts[i], conditions)) {
      std::vector<Expr> rest(std::make_move_iterator(parts.begin() + static_cast<std::ptrdiff_t>(i)),
                             std::make_move_iterator(parts.end()));
      conditions.push_back(condition_of(balanced(Op::logic_and, std::move(rest), 1), true));
      return;
    }
    conditions.push_back(condition_of(std::move(parts[i]), false));
  }
}

}  // namespace

bool exclude_each_other(const Condition& a, const Condition& b) {
  // An action counts as enabled where its guard has no value.
  if (a.may_lack_value || b.may_lack_value) return false;
  if (a.is_outside && b.is_outside) return false;
  if (a.is_outside) return a.low <= b.low && b.high <= a.high;
  if (b.is_outside) return b.low <= a.low && a.high <= b.high;
  return a.high < b.low || b.high < a.low;
}

std::vector<Condition> conditions_of(const Expr& guard, const MayLackValue& may_lack_value) {
  std::vector<Condition> conditions;
  append(guard, may_lack_value, conditions);
  return conditions;
}

std::vector<Condition> parts_of(const Expr& expr, const System& system) {
  std::vector<Condition> parts;
  collect_parts(expr, system, parts);
  return parts;
}

std::vector<Condition> conditions_of(const Action& action, const System& system,
                                     const MayLackValue& may_lack_value) {
  std::vector<Condition> conditions;
  for (const Participant& participant : action.participants) {
    const SlotId location = system.components[participant.component].location_slot;
    if (participant.from != any_location && location != no_slot)
      append(Expr::binary(Op::eq, Expr::load(location), Expr::constant(participant.from)), may_lack_value,
             conditions);
    append(participant.guard, may_lack_value, conditions);
  }
  append(action.guard, may_lack_value, conditions);
  return conditions;
}

}  // namespace tideline::por
