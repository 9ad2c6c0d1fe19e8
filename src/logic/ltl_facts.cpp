#include "logic/ltl_facts.hpp"

#include <algorithm>

namespace tideline {

namespace {

// Beyond these limits an implication is not found; they keep giant formulas cheap.
constexpr std::size_t max_comparisons = 200000;
constexpr std::uint32_t max_comparison_depth = 400;

LtlOp dual(LtlOp op) {
  switch (op) {
    case LtlOp::and_:
      return LtlOp::or_;
    case LtlOp::or_:
      return LtlOp::and_;
    case LtlOp::eventually:
      return LtlOp::always;
    case LtlOp::always:
      return LtlOp::eventually;
    case LtlOp::until:
      return LtlOp::release;
    case LtlOp::release:
      return LtlOp::until;
    case LtlOp::weak_until:
      return LtlOp::strong_release;
    case LtlOp::strong_release:
      return LtlOp::weak_until;
    default:
      return op;
  }
}

}  // namespace

Ltl LtlFacts::negation_normal_form(Ltl f, bool negated) {
  auto& known = normal_[negated];
  if (known.size() <= f.id) known.resize(std::max(pool_.size(), std::size_t{f.id} + 1));
  if (known[f.id]) return *known[f.id];
  const Ltl result = rewrite(f, negated);
  normal_[negated][f.id] = result;
  return result;
}

Ltl LtlFacts::rewrite(Ltl f, bool negated) {
  const LtlOp op = pool_.op(f);
  const auto both = [&](LtlOp joined, bool left_negated, bool right_negated) {
    const Ltl left = negation_normal_form(pool_.left(f), left_negated);
    return pool_.binary(joined, left, negation_normal_form(pool_.right(f), right_negated));
  };
  switch (op) {
    case LtlOp::false_:
    case LtlOp::true_:
      return pool_.constant((op == LtlOp::true_) != negated);
    case LtlOp::atom:
      return negated ? pool_.unary(LtlOp::not_, f) : f;
    case LtlOp::not_:
      return negation_normal_form(pool_.left(f), !negated);
    case LtlOp::implies:
      return negated ? both(LtlOp::and_, false, true) : both(LtlOp::or_, true, false);
    case LtlOp::equivalent:
    case LtlOp::exclusive_or: {
      const bool same = (op == LtlOp::equivalent) != negated;
      const Ltl first = both(LtlOp::and_, false, !same);
      return pool_.binary(LtlOp::or_, first, both(LtlOp::and_, true, same));
    }
    default: {
      std::vector<Ltl> operands(pool_.operands(f).begin(), pool_.operands(f).end());
      for (Ltl& operand : operands) operand = negation_normal_form(operand, negated);
      const LtlOp result = negated ? dual(op) : op;
      if (op == LtlOp::and_ || op == LtlOp::or_) return pool_.many(result, operands);
      return operands.size() == 1 ? pool_.unary(result, operands[0])
                                  : pool_.binary(result, operands[0], operands[1]);
    }
  }
}

LtlFacts::Shape LtlFacts::shape(Ltl f) {
  // Operands have smaller numbers, so filling the table in order finds theirs there.
  while (shapes_.size() <= f.id) {
    const Ltl next{static_cast<std::uint32_t>(shapes_.size())};
    shapes_.push_back(shape_of(pool_.op(next), next));
  }
  return shapes_[f.id];
}

LtlFacts::Shape LtlFacts::shape_of(LtlOp op, Ltl f) const {
  Shape all{true, true, true, true};
  for (const Ltl operand : pool_.operands(f)) {
    const Shape& one = shapes_[operand.id];
    all.eventual &= one.eventual;
    all.universal &= one.universal;
    all.boolean &= one.boolean;
    all.guarantee &= one.guarantee;
  }
  switch (op) {
    case LtlOp::false_:
    case LtlOp::true_:
    case LtlOp::and_:
    case LtlOp::or_:
      return all;
    case LtlOp::atom:
      return {false, false, true, true};
    case LtlOp::not_:
      return {false, false, all.boolean, all.boolean};
    case LtlOp::eventually:
      return {true, all.universal, false, all.guarantee};
    case LtlOp::always:
      return {all.eventual, true, false, false};
    case LtlOp::next:
    case LtlOp::until:
    case LtlOp::strong_release:
      return {all.eventual, all.universal, false, all.guarantee};
    case LtlOp::release:
    case LtlOp::weak_until:
      return {all.eventual, all.universal, false, false};
    case LtlOp::implies:
    case LtlOp::equivalent:
    case LtlOp::exclusive_or:
      break;
  }
  return {false, false, all.boolean, all.boolean};
}

bool LtlFacts::implies(Ltl f, Ltl g) {
  if (f == g || pool_.op(f) == LtlOp::false_ || pool_.op(g) == LtlOp::true_) return true;
  if (pool_.op(f) == LtlOp::true_ || pool_.op(g) == LtlOp::false_) return false;
  const std::uint64_t key = (std::uint64_t{f.id} << 32) | g.id;
  if (const auto known = implications_.find(key); known != implications_.end()) return known->second;
  if (implications_.size() >= max_comparisons || depth_ >= max_comparison_depth) return false;
  ++depth_;
  // A comparison that leads back to itself proves nothing: it counts as false while it is under way.
  implications_.emplace(key, false);
  const bool result = any_rule(f, g);
  implications_[key] = result;
  --depth_;
  return result;
}

bool LtlFacts::any_rule(Ltl f, Ltl g) {
  return by_boolean_structure(f, g) || from_right(f, g) || from_left(f, g) || between_binaries(f, g);
}

bool LtlFacts::by_boolean_structure(Ltl f, Ltl g) {
  // Spans into the pool do not survive its growth; implies() adds no formulas, so these are safe.
  const auto f_parts = pool_.operands(f);
  const auto g_parts = pool_.operands(g);
  const auto to_g = [&](Ltl part) { return implies(part, g); };
  const auto from_f = [&](Ltl part) { return implies(f, part); };
  if (pool_.op(f) == LtlOp::or_) return std::ranges::all_of(f_parts, to_g);
  if (pool_.op(g) == LtlOp::and_) return std::ranges::all_of(g_parts, from_f);
  if (pool_.op(f) == LtlOp::and_ && std::ranges::any_of(f_parts, to_g)) return true;
  return pool_.op(g) == LtlOp::or_ && std::ranges::any_of(g_parts, from_f);
}

/// Rules that take f apart: its present or its future part is enough for g.
bool LtlFacts::from_left(Ltl f, Ltl g) {
  const bool g_eventual = is_eventual(g);
  switch (pool_.op(f)) {
    case LtlOp::next:
      if (pool_.op(g) == LtlOp::next) return implies(pool_.left(f), pool_.left(g));
      return g_eventual && implies(pool_.left(f), g);
    case LtlOp::eventually:
      return g_eventual && implies(pool_.left(f), g);
    case LtlOp::always:
      return implies(pool_.left(f), g);
    case LtlOp::until:
      if (g_eventual && implies(pool_.right(f), g)) return true;
      return implies(pool_.left(f), g) && implies(pool_.right(f), g);
    case LtlOp::weak_until:
      return implies(pool_.left(f), g) && implies(pool_.right(f), g);
    case LtlOp::release:
      return implies(pool_.right(f), g);
    case LtlOp::strong_release:
      return implies(pool_.right(f), g) || (g_eventual && implies(pool_.left(f), g));
    default:
      return false;
  }
}

/// Rules that take g apart: f gives all that g requires.
bool LtlFacts::from_right(Ltl f, Ltl g) {
  const bool f_universal = is_universal(f);
  switch (pool_.op(g)) {
    case LtlOp::next:
      return f_universal && implies(f, pool_.left(g));
    case LtlOp::eventually:
      return implies(f, pool_.left(g));
    case LtlOp::always:
      return f_universal && implies(f, pool_.left(g));
    case LtlOp::until:
      return implies(f, pool_.right(g));
    case LtlOp::weak_until:
      return implies(f, pool_.right(g)) || (f_universal && implies(f, pool_.left(g)));
    case LtlOp::release:
      return implies(f, pool_.right(g)) && (f_universal || implies(f, pool_.left(g)));
    case LtlOp::strong_release:
      return implies(f, pool_.right(g)) && implies(f, pool_.left(g));
    default:
      return false;
  }
}

/// Operand by operand. Every binary operator is seen as "something holds until an end comes": f U g and f W g
/// hold f before an end g; f M g and f R g hold g before an end (f && g).
bool LtlFacts::between_binaries(Ltl f, Ltl g) {
  const auto is_until = [](LtlOp op) { return op == LtlOp::until || op == LtlOp::weak_until; };
  const auto is_release = [](LtlOp op) { return op == LtlOp::release || op == LtlOp::strong_release; };
  const LtlOp f_op = pool_.op(f), g_op = pool_.op(g);
  if (!(is_until(f_op) || is_release(f_op)) || !(is_until(g_op) || is_release(g_op))) return false;
  const bool f_weak = f_op == LtlOp::weak_until || f_op == LtlOp::release;
  const bool g_weak = g_op == LtlOp::weak_until || g_op == LtlOp::release;
  if (f_weak && !g_weak) return false;
  const Ltl a = pool_.left(f), b = pool_.right(f), c = pool_.left(g), d = pool_.right(g);
  if (is_until(f_op))
    return is_until(g_op) ? implies(a, c) && implies(b, d) : implies(a, d) && implies(b, d) && implies(b, c);
  return is_until(g_op) ? implies(b, c) && (implies(a, d) || implies(b, d)) : implies(a, c) && implies(b, d);
}

}  // namespace tideline
