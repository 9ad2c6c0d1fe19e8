// Expressions over a state vector: the common language of guards, assignments and propositions.
//
// An Expr is a plain tree of values. It is what analyses read (read sets, dependence, printing); engines
// that evaluate it millions of times a second compile it first (exec/).
//
// Semantics. Values are 64-bit two's complement and arithmetic wraps; division truncates towards zero, and a
// shift to the right keeps the sign. `logic_and`, `logic_or` and `imply` evaluate their right side only when
// it matters, and like comparisons they yield 0 or 1. Where a subexpression has no value (see ModelErrorKind)
// it counts as 0, evaluation goes on, and the whole evaluation is marked as failed.
//
// In the effects of an action a load reads the state as changed by the effects before it. A load marked
// `before` reads the state in which the action was taken instead; elsewhere the mark makes no difference.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.hpp"

namespace tideline {

using SlotId = std::uint32_t;

/// Why an evaluation or an assignment has no value.
enum class ModelErrorKind : std::uint8_t {
  none,
  value_out_of_range,
  index_out_of_bounds,
  division_by_zero,
  shift_out_of_range,      ///< shift count below 0 or above 63
  conflicting_assignment,  ///< processes that move together assign to the same variable
  too_many_processes,      ///< there is no room for another process
  blocked_in_d_step,       ///< a deterministic step cannot be finished
  endless_step,            ///< a step that goes on by itself never ends
  assertion_violated,      ///< in the middle of a step
  claim_violated,          ///< another process uses a channel that one has claimed for itself
  trace_violated,          ///< a message that the model's trace assertion does not allow
};
constexpr ModelErrorKind last_value(ModelErrorKind) {
  return ModelErrorKind::trace_violated;
}

/// Whether another step goes on from where this error is met, so that the search loses nothing by it.
constexpr bool goes_on_after(ModelErrorKind kind) {
  return kind == ModelErrorKind::assertion_violated || kind == ModelErrorKind::claim_violated ||
         kind == ModelErrorKind::trace_violated;
}

std::string_view to_string(ModelErrorKind kind);

enum class Op : std::uint8_t {
  constant,    // value
  load,        // slot
  load_array,  // length slots from `slot` on, args[0] is the index
  table,       // constant array number `slot` of the system, args[0] is the index
  negate,
  bit_not,
  logic_not,
  add,
  sub,
  mul,
  div,
  mod,
  shift_left,
  shift_right,
  bit_and,
  bit_or,
  bit_xor,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  logic_and,
  logic_or,
  imply,
  wrap_byte,   // args[0] modulo 256
  wrap_int16,  // args[0] as a signed 16-bit number
  fail,        // no value: `value` is the ModelErrorKind
};

struct Expr {
  Op op = Op::constant;
  bool before = false;
  bool expanded = false;  ///< made from a quantifier: the author has not written the parts
  SlotId slot = 0;
  std::uint32_t length = 0;
  std::int64_t value = 0;
  SourcePoint where{};
  std::vector<Expr> args{};

  bool operator==(const Expr&) const = default;

  static Expr constant(std::int64_t value, SourcePoint where = {});
  static Expr load(SlotId slot, SourcePoint where = {});
  static Expr load_array(SlotId first, std::uint32_t length, Expr index, SourcePoint where = {});
  static Expr table(std::uint32_t table, Expr index, SourcePoint where = {});
  static Expr unary(Op op, Expr argument, SourcePoint where = {});
  static Expr binary(Op op, Expr left, Expr right, SourcePoint where = {});

  bool is_constant() const { return op == Op::constant; }
  bool is_constant(std::int64_t v) const { return op == Op::constant && value == v; }
};

/// Whether two expressions are the same wherever they were written.
bool same_expression(const Expr& a, const Expr& b);

/// Left and right joined by `logic_and`; a constant true on either side vanishes.
Expr conjunction(Expr left, Expr right);

/// The comparison with its sides exchanged: `<` for `>`. Other operators stay as they are.
Op mirrored(Op op);

/// Not the expression, with the negation pushed below `and`, `or` and `imply`.
Expr negation_of(Expr expr);

/// The expressions joined by an operator that is associative, as a shallow tree; the constant `none` when
/// there are no expressions.
Expr balanced(Op op, std::vector<Expr> expressions, std::int64_t none);

/// The expression with every load reading the state before the effects.
Expr before_effects(Expr expr);

/// Constant subexpressions replaced by their value; one without a value (1/0) is kept as it is.
/// An array access with a constant index in bounds becomes a load of that slot.
Expr fold_constants(Expr expr, const std::vector<std::vector<std::int64_t>>& tables);

/// The same below the comparisons of a formula, whose own shape is kept: users get a warning about atoms that
/// turn out constant, so these must not vanish.
Expr fold_below_atoms(Expr formula, const std::vector<std::vector<std::int64_t>>& tables);

/// The result of applying an operator to values; `error` is set, and 0 returned, when there is none. Inline:
/// the interpreter calls them with a constant operator.
inline std::int64_t apply_unary(Op op, std::int64_t a) {
  switch (op) {
    case Op::negate:
      return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));
    case Op::bit_not:
      return ~a;
    case Op::logic_not:
      return a == 0;
    case Op::wrap_byte:
      return static_cast<std::uint8_t>(a);
    case Op::wrap_int16:
      return static_cast<std::int16_t>(a);
    default:
      return a;
  }
}

inline std::int64_t apply_binary(Op op, std::int64_t a, std::int64_t b, ModelErrorKind& error) {
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  switch (op) {
    case Op::add:
      return static_cast<std::int64_t>(ua + ub);
    case Op::sub:
      return static_cast<std::int64_t>(ua - ub);
    case Op::mul:
      return static_cast<std::int64_t>(ua * ub);
    case Op::div:
    case Op::mod:
      if (b == 0) {
        error = ModelErrorKind::division_by_zero;
        return 0;
      }
      // The one quotient that does not fit wraps like every other operation.
      if (b == -1) return op == Op::div ? static_cast<std::int64_t>(0 - ua) : 0;
      return op == Op::div ? a / b : a % b;
    case Op::shift_left:
    case Op::shift_right:
      if (b < 0 || b > 63) {
        error = ModelErrorKind::shift_out_of_range;
        return 0;
      }
      return op == Op::shift_left ? static_cast<std::int64_t>(ua << b) : a >> b;
    case Op::bit_and:
      return a & b;
    case Op::bit_or:
      return a | b;
    case Op::bit_xor:
      return a ^ b;
    case Op::eq:
      return a == b;
    case Op::ne:
      return a != b;
    case Op::lt:
      return a < b;
    case Op::le:
      return a <= b;
    case Op::gt:
      return a > b;
    case Op::ge:
      return a >= b;
    case Op::logic_and:
      return a != 0 && b != 0;
    case Op::logic_or:
      return a != 0 || b != 0;
    case Op::imply:
      return a == 0 || b != 0;
    default:
      return 0;
  }
}

/// Calls visit(subexpression) for the expression and everything below it, parents first.
template <class Visit>
void for_each_subexpr(const Expr& expr, Visit&& visit) {
  visit(expr);
  for (const Expr& arg : expr.args) for_each_subexpr(arg, visit);
}

}  // namespace tideline
