#include "logic/ctl_simplify.hpp"

#include <unordered_set>
#include <vector>

namespace tideline {

namespace {

class Simplifier {
 public:
  Simplifier(CtlPool& pool, DeadlockPaths paths) : pool_(pool), paths_(paths) {}

  /// Operands have smaller numbers, so that a loop over the numbers needs no recursion.
  Ctl run(Ctl f) {
    std::vector<Ctl> simple(f.id + 1);
    for (std::uint32_t id = 0; id <= f.id; ++id) {
      const Ctl g{id};
      std::vector<Ctl> operands;
      for (const Ctl operand : pool_.operands(g)) operands.push_back(simple[operand.id]);
      const CtlOp op = pool_.op(g);
      simple[id] = operands.empty()                        ? g
                   : op == CtlOp::and_ || op == CtlOp::or_ ? row(op, operands)
                   : op == CtlOp::not_                     ? negated(operands[0])
                   : operands.size() == 1                  ? unary(op, operands[0])
                   : is_temporal(op)                       ? until(op, operands[0], operands[1])
                                                           : connective(op, operands[0], operands[1]);
    }
    return simple[f.id];
  }

 private:
  bool is_true(Ctl f) const { return pool_.op(f) == CtlOp::true_; }
  bool is_false(Ctl f) const { return pool_.op(f) == CtlOp::false_; }
  bool is_constant(Ctl f) const { return is_true(f) || is_false(f); }
  Ctl constant(bool value) const { return pool_.constant(value); }

  Ctl negated(Ctl f) {
    const CtlOp op = pool_.op(f);
    if (is_constant(f)) return constant(is_false(f));
    if (op == CtlOp::not_) return pool_.left(f);
    // !EF !g is AG g, and so on.
    if (is_temporal(op) && pool_.operands(f).size() == 1 && pool_.op(pool_.left(f)) == CtlOp::not_)
      return unary(dual(op), pool_.left(pool_.left(f)));
    return pool_.unary(CtlOp::not_, f);
  }

  /// The operator with op f = !dual(op) !f.
  static CtlOp dual(CtlOp op) {
    switch (op) {
      case CtlOp::ef:
        return CtlOp::ag;
      case CtlOp::ag:
        return CtlOp::ef;
      case CtlOp::eg:
        return CtlOp::af;
      case CtlOp::af:
        return CtlOp::eg;
      default:
        return other_quantifier(op);
    }
  }

  Ctl row(CtlOp op, const std::vector<Ctl>& given) {
    const bool neutral = op == CtlOp::and_;
    const Ctl joined = pool_.many(op, given);
    if (pool_.op(joined) != op) return joined;
    std::vector<Ctl> kept;
    std::unordered_set<std::uint32_t> seen;
    for (const Ctl f : pool_.operands(joined)) {
      if (is_constant(f) && is_true(f) != neutral) return constant(!neutral);
      if (!is_constant(f) && seen.insert(f.id).second) kept.push_back(f);
    }
    for (const Ctl f : kept)
      if (pool_.op(f) == CtlOp::not_ && seen.contains(pool_.left(f).id)) return constant(!neutral);
    return pool_.many(op, kept);
  }

  Ctl connective(CtlOp op, Ctl left, Ctl right) {
    if (op == CtlOp::implies) {
      if (is_false(left) || is_true(right) || left == right) return constant(true);
      if (is_true(left)) return right;
      if (is_false(right)) return negated(left);
      return pool_.binary(op, left, right);
    }
    const bool same = op == CtlOp::equivalent;
    if (left == right) return constant(same);
    if (is_constant(left)) return is_true(left) == same ? right : negated(right);
    if (is_constant(right)) return is_true(right) == same ? left : negated(left);
    return pool_.binary(op, left, right);
  }

  Ctl unary(CtlOp op, Ctl f) {
    const CtlOp inner = pool_.op(f);
    if (is_constant(f)) {
      const bool neutral = op == CtlOp::ex ? is_false(f) : op == CtlOp::ax ? is_true(f) : true;
      if (neutral || paths_ == DeadlockPaths::stutter) return f;
    }
    switch (op) {
      case CtlOp::ef:
        if (inner == CtlOp::ef || inner == CtlOp::af) return unary(op, pool_.left(f));
        if (inner == CtlOp::eu || inner == CtlOp::au) return unary(op, pool_.right(f));
        break;
      case CtlOp::ag:
        if (inner == CtlOp::ag || inner == CtlOp::eg) return unary(op, pool_.left(f));
        if (inner == CtlOp::er || inner == CtlOp::ar) return unary(op, pool_.right(f));
        break;
      case CtlOp::af:
        if (inner == CtlOp::af || inner == CtlOp::ef) return f;
        if (inner == CtlOp::au) return unary(op, pool_.right(f));
        break;
      case CtlOp::eg:
        if (inner == CtlOp::eg || inner == CtlOp::ag) return f;
        if (inner == CtlOp::er) return unary(op, pool_.right(f));
        break;
      default:
        break;
    }
    return pool_.unary(op, f);
  }

  /// The operators with two sides.
  Ctl until(CtlOp op, Ctl left, Ctl right) {
    const bool all = is_universal(op);
    const CtlOp eventually = all ? CtlOp::af : CtlOp::ef;
    const CtlOp always = all ? CtlOp::ag : CtlOp::eg;
    if (left == right) return right;
    switch (op) {
      case CtlOp::eu:
      case CtlOp::au: {
        if (is_constant(right) || is_false(left)) return right;
        if (is_true(left)) return unary(eventually, right);
        const CtlOp inner = pool_.op(right);
        if (inner == CtlOp::ef || (all && inner == CtlOp::af)) return right;
        if (inner == op && pool_.left(right) == left) return right;
        break;
      }
      case CtlOp::ew:
      case CtlOp::aw:
        if (is_true(right) || is_true(left)) return constant(true);
        if (is_false(left)) return right;
        if (is_false(right)) return unary(always, left);
        break;
      case CtlOp::er:
      case CtlOp::ar:
        if (is_constant(right) || is_true(left)) return right;
        if (is_false(left)) return unary(always, right);
        break;
      default:  // M
        if (is_false(right) || is_false(left)) return constant(false);
        if (is_true(left)) return right;
        if (is_true(right)) return unary(eventually, left);
        break;
    }
    return pool_.binary(op, left, right);
  }

  CtlPool& pool_;
  DeadlockPaths paths_;
};

}  // namespace

Ctl simplify(CtlPool& pool, Ctl f, DeadlockPaths paths) {
  return Simplifier(pool, paths).run(f);
}

}  // namespace tideline
