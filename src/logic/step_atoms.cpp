#include "logic/step_atoms.hpp"

#include <unordered_map>
#include <vector>

namespace tideline {

namespace {

constexpr std::string_view step_atom_begin = "act(";

class OverBits {
 public:
  explicit OverBits(LtlPool& pool) : pool_(pool) {}

  Ltl now(Ltl f) {
    if (!has_step(f)) return f;
    if (const auto known = now_.find(f.id); known != now_.end()) return known->second;
    const Ltl result = make_now(f);
    now_.emplace(f.id, result);
    return result;
  }

 private:
  bool is_step(Ltl f) const {
    return pool_.op(f) == LtlOp::atom && is_step_atom(pool_.atoms()[pool_.atom_index(f)].name);
  }

  /// The operator with each operand changed. (Operands are copied: the pool moves them when it grows.)
  template <class Change>
  Ltl with(Ltl f, const Change& change) {
    std::vector<Ltl> operands(pool_.operands(f).begin(), pool_.operands(f).end());
    for (Ltl& operand : operands) operand = change(operand);
    const LtlOp op = pool_.op(f);
    if (op == LtlOp::and_ || op == LtlOp::or_) return pool_.many(op, operands);
    return operands.size() == 1 ? pool_.unary(op, operands[0]) : pool_.binary(op, operands[0], operands[1]);
  }

  bool has_step(Ltl f) {
    if (const auto known = has_step_.find(f.id); known != has_step_.end()) return known->second;
    bool result = is_step(f);
    for (const Ltl operand : pool_.operands(f)) result = result || has_step(operand);
    has_step_.emplace(f.id, result);
    return result;
  }

  Ltl later(Ltl f) {
    if (!has_step(f))
      return pool_.operands(f).empty() && pool_.op(f) != LtlOp::atom ? f : pool_.unary(LtlOp::next, f);
    if (const auto known = later_.find(f.id); known != later_.end()) return known->second;
    Ltl result = f;
    if (is_step(f))
      result = pool_.binary(LtlOp::exclusive_or, f, pool_.unary(LtlOp::next, f));
    else
      result = with(f, [&](Ltl g) { return later(g); });
    later_.emplace(f.id, result);
    return result;
  }

  Ltl both(Ltl f, Ltl g) { return pool_.binary(LtlOp::and_, f, g); }
  Ltl either(Ltl f, Ltl g) { return pool_.binary(LtlOp::or_, f, g); }

  Ltl make_now(Ltl f) {
    const LtlOp op = pool_.op(f);
    if (op == LtlOp::atom) return pool_.constant(false);
    const Ltl left = pool_.left(f);
    const Ltl right = pool_.operands(f).size() > 1 ? pool_.right(f) : left;
    switch (op) {
      case LtlOp::next:
        return later(left);
      case LtlOp::eventually:
        return either(now(left), later(f));
      case LtlOp::always:
        return both(now(left), later(f));
      case LtlOp::until:
      case LtlOp::weak_until:
        return either(now(right), both(now(left), later(f)));
      case LtlOp::release:
      case LtlOp::strong_release:
        return both(now(right), either(now(left), later(f)));
      default:
        return with(f, [&](Ltl g) { return now(g); });
    }
  }

  LtlPool& pool_;
  std::unordered_map<std::uint32_t, Ltl> now_, later_;
  std::unordered_map<std::uint32_t, bool> has_step_;
};

}  // namespace

bool is_step_atom(std::string_view name) {
  return name.starts_with(step_atom_begin) && name.ends_with(')');
}

std::string_view step_pattern(std::string_view name) {
  name.remove_prefix(step_atom_begin.size());
  name.remove_suffix(1);
  return name;
}

Ltl over_bits(LtlPool& pool, Ltl f) {
  for (const std::uint32_t atom : atoms_of(pool, f))
    if (is_step_atom(pool.atoms()[atom].name)) return OverBits(pool).now(f);
  return f;
}

}  // namespace tideline
