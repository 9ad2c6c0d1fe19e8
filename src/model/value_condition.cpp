#include "model/value_condition.hpp"

#include <utility>

#include "model/interval.hpp"

namespace tideline {

namespace {

/// low <= expr <= high; the constant 1 when that always holds. The expression is evaluated only where it has
/// a value.
Expr within(const Expr& expr, std::int64_t low, std::int64_t high, const System& system) {
  const Interval values = interval_of(expr, system);
  Expr condition = Expr::constant(1);
  if (values.low < low) condition = Expr::binary(Op::ge, expr, Expr::constant(low));
  if (values.high > high)
    condition = conjunction(std::move(condition), Expr::binary(Op::le, expr, Expr::constant(high)));
  return condition;
}

/// The condition of the operator itself, where its operands have values.
Expr own_condition(const Expr& expr, const System& system) {
  switch (expr.op) {
    case Op::fail:
      return Expr::constant(0);
    case Op::load_array:
      return within(expr.args[0], 0, std::int64_t{expr.length} - 1, system);
    case Op::table:
      return within(expr.args[0], 0, static_cast<std::int64_t>(system.tables[expr.slot].size()) - 1, system);
    case Op::div:
    case Op::mod:
      if (!interval_of(expr.args[1], system).contains(0)) return Expr::constant(1);
      return Expr::binary(Op::ne, expr.args[1], Expr::constant(0));
    case Op::shift_left:
    case Op::shift_right:
      return within(expr.args[1], 0, 63, system);
    default:
      return Expr::constant(1);
  }
}

/// Where the right operand is evaluated at all, after the left one.
Expr right_matters(Op op, const Expr& left) {
  return op == Op::logic_or ? Expr::unary(Op::logic_not, left) : left;
}

}  // namespace

Expr value_condition(const Expr& expr, const System& system) {
  Expr condition = Expr::constant(1);
  if (expr.op == Op::logic_and || expr.op == Op::logic_or || expr.op == Op::imply) {
    condition = value_condition(expr.args[0], system);
    Expr right = value_condition(expr.args[1], system);
    if (right.is_constant(1)) return condition;
    return conjunction(std::move(condition),
                       Expr::binary(Op::imply, right_matters(expr.op, expr.args[0]), std::move(right)));
  }
  for (const Expr& arg : expr.args)
    condition = conjunction(std::move(condition), value_condition(arg, system));
  return conjunction(std::move(condition), own_condition(expr, system));
}

bool may_lack_value(const Expr& expr, const System& system) {
  return !value_condition(expr, system).is_constant(1);
}

Expr with_value_everywhere(Expr expr, const System& system) {
  Expr condition = value_condition(expr, system);
  return conjunction(std::move(condition), std::move(expr));
}

}  // namespace tideline
