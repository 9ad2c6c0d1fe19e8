// StateParts: what a temporal formula says about single states, its parts without temporal operators.
//
// A property has a value in a state when each of these has one there. Parts are as large as possible, so that
// `G (x != 0 -> 10 / x > 1)` has a value wherever the expression in it has one, just like an invariant.
// Across temporal operators, an operand still guards those to its right in the same state: in `x != 0 -> (10
// / x > 1 && X p)` the division is evaluated only where x is not 0.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "logic/formula_pool.hpp"
#include "model/expr.hpp"

namespace tideline {

template <class Op, class Formula>
class StateParts {
 public:
  /// `atoms` are expressions for those of the pool.
  StateParts(const FormulaPool<Op, Formula>& pool, const std::vector<Expr>& atoms)
      : pool_(pool), atoms_(atoms) {}

  std::vector<Expr> of(Formula f) {
    parts_.clear();
    collect(f, Expr::constant(1));
    return std::move(parts_);
  }

 private:
  using ExprOp = tideline::Op;

  static bool is_boolean(Op op) { return op <= Op::exclusive_or; }

  bool is_of_states(Formula f) const {
    return is_boolean(pool_.op(f)) &&
           (pool_.op(f) == Op::atom ||
            std::ranges::all_of(pool_.operands(f), [&](Formula g) { return is_of_states(g); }));
  }

  /// The formula is evaluated where `guard` is true.
  void collect(Formula f, Expr guard) {
    if (is_of_states(f)) {
      Expr part = expression(f);
      parts_.push_back(guard.is_constant(1) ? std::move(part)
                                            : Expr::binary(ExprOp::imply, std::move(guard), std::move(part)));
      return;
    }
    const Op op = pool_.op(f);
    if (!is_boolean(op)) guard = Expr::constant(1);
    const bool guards = op == Op::and_ || op == Op::or_ || op == Op::implies;
    for (const Formula operand : pool_.operands(f)) {
      collect(operand, guard);
      if (guards && is_of_states(operand)) {
        Expr passed = expression(operand);
        if (op == Op::or_) passed = Expr::unary(ExprOp::logic_not, std::move(passed));
        guard = conjunction(std::move(guard), std::move(passed));
      }
    }
  }

  Expr expression(Formula f) const {
    const auto truth = [](Expr e) {
      return Expr::unary(ExprOp::logic_not, Expr::unary(ExprOp::logic_not, std::move(e)));
    };
    switch (pool_.op(f)) {
      case Op::false_:
        return Expr::constant(0);
      case Op::true_:
        return Expr::constant(1);
      case Op::atom:
        return atoms_[pool_.atom_index(f)];
      case Op::not_:
        return Expr::unary(ExprOp::logic_not, expression(pool_.left(f)));
      case Op::implies:
        return Expr::binary(ExprOp::imply, expression(pool_.left(f)), expression(pool_.right(f)));
      case Op::equivalent:
        return Expr::binary(ExprOp::eq, truth(expression(pool_.left(f))), truth(expression(pool_.right(f))));
      case Op::exclusive_or:
        return Expr::binary(ExprOp::ne, truth(expression(pool_.left(f))), truth(expression(pool_.right(f))));
      default:
        break;
    }
    const ExprOp joined = pool_.op(f) == Op::and_ ? ExprOp::logic_and : ExprOp::logic_or;
    std::vector<Expr> operands;
    for (const Formula operand : pool_.operands(f)) operands.push_back(expression(operand));
    return balanced(joined, std::move(operands), joined == ExprOp::logic_and);
  }

  const FormulaPool<Op, Formula>& pool_;
  const std::vector<Expr>& atoms_;
  std::vector<Expr> parts_;
};

}  // namespace tideline
