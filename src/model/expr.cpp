#include "model/expr.hpp"

#include <algorithm>
#include <utility>

namespace tideline {

std::string_view to_string(ModelErrorKind kind) {
  switch (kind) {
    case ModelErrorKind::none:
      return "no error";
    case ModelErrorKind::value_out_of_range:
      return "value out of range";
    case ModelErrorKind::index_out_of_bounds:
      return "array index out of bounds";
    case ModelErrorKind::division_by_zero:
      return "division by zero";
    case ModelErrorKind::shift_out_of_range:
      return "shift count out of range";
    case ModelErrorKind::too_many_processes:
      return "too many processes";
    case ModelErrorKind::blocked_in_d_step:
      return "a d_step cannot be finished";
    case ModelErrorKind::endless_step:
      return "an atomic step never ends";
    case ModelErrorKind::assertion_violated:
      return "assertion violated";
    case ModelErrorKind::claim_violated:
      return "another process claims this channel for itself";
    case ModelErrorKind::trace_violated:
      return "the trace assertion does not allow this message";
    case ModelErrorKind::conflicting_assignment:
      return "conflicting assignments";
  }
  return "unknown error";
}

Expr Expr::constant(std::int64_t value, SourcePoint where) {
  return {.op = Op::constant, .value = value, .where = where};
}

Expr Expr::load(SlotId slot, SourcePoint where) {
  return {.op = Op::load, .slot = slot, .where = where};
}

Expr Expr::load_array(SlotId first, std::uint32_t length, Expr index, SourcePoint where) {
  Expr expr{.op = Op::load_array, .slot = first, .length = length, .where = where};
  expr.args.push_back(std::move(index));
  return expr;
}

Expr Expr::table(std::uint32_t table, Expr index, SourcePoint where) {
  Expr expr{.op = Op::table, .slot = table, .where = where};
  expr.args.push_back(std::move(index));
  return expr;
}

Expr Expr::unary(Op op, Expr argument, SourcePoint where) {
  Expr expr{.op = op, .where = where};
  expr.args.push_back(std::move(argument));
  return expr;
}

Expr Expr::binary(Op op, Expr left, Expr right, SourcePoint where) {
  Expr expr{.op = op, .where = where};
  expr.args.reserve(2);
  expr.args.push_back(std::move(left));
  expr.args.push_back(std::move(right));
  return expr;
}

bool same_expression(const Expr& a, const Expr& b) {
  return a.op == b.op && a.slot == b.slot && a.length == b.length && a.value == b.value &&
         std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(), same_expression);
}

Expr conjunction(Expr left, Expr right) {
  if (left.is_constant() && left.value != 0) return right;
  if (right.is_constant() && right.value != 0) return left;
  const SourcePoint where = left.where;
  return Expr::binary(Op::logic_and, std::move(left), std::move(right), where);
}

Op mirrored(Op op) {
  switch (op) {
    case Op::lt:
      return Op::gt;
    case Op::le:
      return Op::ge;
    case Op::gt:
      return Op::lt;
    case Op::ge:
      return Op::le;
    default:
      return op;
  }
}

Expr negation_of(Expr expr) {
  switch (expr.op) {
    case Op::logic_not:
      // `!!x` is 0 or 1, and so is what everybody makes of it.
      return std::move(expr.args[0]);
    case Op::logic_and:
    case Op::logic_or:
      expr.op = expr.op == Op::logic_and ? Op::logic_or : Op::logic_and;
      for (Expr& arg : expr.args) arg = negation_of(std::move(arg));
      return expr;
    case Op::imply:
      expr.op = Op::logic_and;
      expr.args[1] = negation_of(std::move(expr.args[1]));
      return expr;
    default: {
      const SourcePoint where = expr.where;
      return Expr::unary(Op::logic_not, std::move(expr), where);
    }
  }
}

Expr balanced(Op op, std::vector<Expr> expressions, std::int64_t none) {
  if (expressions.empty()) return Expr::constant(none);
  while (expressions.size() > 1) {
    std::size_t joined = 0;
    for (std::size_t i = 0; i < expressions.size(); i += 2) {
      Expr& left = expressions[i];
      Expr both = i + 1 < expressions.size()
                      ? Expr::binary(op, std::move(left), std::move(expressions[i + 1]))
                      : std::move(left);
      expressions[joined++] = std::move(both);
    }
    expressions.resize(joined);
  }
  return std::move(expressions.front());
}

Expr before_effects(Expr expr) {
  if (expr.op == Op::load || expr.op == Op::load_array) expr.before = true;
  for (Expr& arg : expr.args) arg = before_effects(std::move(arg));
  return expr;
}

namespace {

// Where the left side alone decides, the right side is never evaluated, so it may be dropped without looking
// at it.
bool left_decides(Op op, std::int64_t left) {
  return (op == Op::logic_and && left == 0) || (op == Op::logic_or && left != 0) ||
         (op == Op::imply && left == 0);
}

Expr fold_access(Expr expr, const std::vector<std::vector<std::int64_t>>& tables) {
  const std::int64_t index = expr.args[0].value;
  const auto length =
      static_cast<std::int64_t>(expr.op == Op::table ? tables[expr.slot].size() : expr.length);
  if (index < 0 || index >= length) return expr;
  if (expr.op == Op::table)
    return Expr::constant(tables[expr.slot][static_cast<std::size_t>(index)], expr.where);
  Expr load = Expr::load(expr.slot + static_cast<SlotId>(index), expr.where);
  load.before = expr.before;
  return load;
}

}  // namespace

Expr fold_constants(Expr expr, const std::vector<std::vector<std::int64_t>>& tables) {
  for (Expr& arg : expr.args) arg = fold_constants(std::move(arg), tables);
  if (expr.args.empty() || !expr.args[0].is_constant()) return expr;
  if (expr.op == Op::load_array || expr.op == Op::table) return fold_access(std::move(expr), tables);
  const std::int64_t left = expr.args[0].value;
  if (expr.args.size() == 1) return Expr::constant(apply_unary(expr.op, left), expr.where);
  if (left_decides(expr.op, left)) return Expr::constant(expr.op != Op::logic_and, expr.where);
  if (!expr.args[1].is_constant()) return expr;
  ModelErrorKind error = ModelErrorKind::none;
  const std::int64_t value = apply_binary(expr.op, left, expr.args[1].value, error);
  return error == ModelErrorKind::none ? Expr::constant(value, expr.where) : expr;
}

Expr fold_below_atoms(Expr formula, const std::vector<std::vector<std::int64_t>>& tables) {
  const bool connective = formula.op == Op::logic_and || formula.op == Op::logic_or ||
                          formula.op == Op::imply || formula.op == Op::logic_not;
  const bool comparison = formula.op >= Op::eq && formula.op <= Op::ge;
  if (!connective && !comparison) return fold_constants(std::move(formula), tables);
  for (Expr& arg : formula.args)
    arg = connective ? fold_below_atoms(std::move(arg), tables) : fold_constants(std::move(arg), tables);
  return formula;
}

}  // namespace tideline
