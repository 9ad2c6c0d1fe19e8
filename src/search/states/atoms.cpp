#include "search/states/atoms.hpp"

#include <algorithm>

namespace tideline {

namespace {

bool is_connective(Op op) {
  return op == Op::logic_and || op == Op::logic_or || op == Op::imply || op == Op::logic_not;
}

// The same expression, wherever it is written.
bool same_text(const Expr& a, const Expr& b) {
  return a.op == b.op && a.slot == b.slot && a.length == b.length && a.value == b.value &&
         std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(), same_text);
}

void collect(const Expr& expr, std::vector<Expr>& atoms) {
  if (expr.expanded) return;
  if (is_connective(expr.op)) {
    for (const Expr& arg : expr.args) collect(arg, atoms);
  } else if (!expr.is_constant() &&
             std::none_of(atoms.begin(), atoms.end(), [&](const Expr& a) { return same_text(a, expr); })) {
    atoms.push_back(expr);
  }
}

}  // namespace

std::vector<Expr> atoms_of(const Expr& formula) {
  std::vector<Expr> atoms;
  collect(formula, atoms);
  return atoms;
}

std::optional<bool> forced_truth(const Expr& formula, bool truth, const Expr& atom) {
  if (same_text(formula, atom)) return truth;
  const auto of_argument = [&](std::size_t i, bool forced) {
    return forced_truth(formula.args[i], forced, atom);
  };
  switch (formula.op) {
    case Op::logic_not:
      return of_argument(0, !truth);
    case Op::logic_and:
    case Op::logic_or: {
      if (truth != (formula.op == Op::logic_and)) return std::nullopt;
      const auto left = of_argument(0, truth);
      return left ? left : of_argument(1, truth);
    }
    case Op::imply: {
      if (truth) return std::nullopt;
      const auto left = of_argument(0, true);
      return left ? left : of_argument(1, false);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace tideline
