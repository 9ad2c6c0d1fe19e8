#include "symbolic/space/parts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tideline::symbolic {

namespace {

/// Slots in classes of those that must stay together.
class Classes {
 public:
  void join(const std::vector<SlotId>& slots) {
    for (const SlotId slot : slots) parent_.emplace(slot, slot);
    for (std::size_t i = 1; i < slots.size(); ++i) parent_[find(slots[i])] = find(slots[0]);
  }
  SlotId find(SlotId slot) {
    while (parent_.at(slot) != slot) slot = std::exchange(parent_[slot], parent_.at(parent_.at(slot)));
    return slot;
  }
  const std::map<SlotId, SlotId>& slots() const { return parent_; }

 private:
  std::map<SlotId, SlotId> parent_;
};

std::vector<SlotId> slots_of(const Expr& expr) {
  std::vector<SlotId> slots;
  collect_reads(expr, slots);
  return slots;
}

std::vector<SlotId> slots_of(const Assignment& effect) {
  std::vector<SlotId> slots = slots_of(effect.value);
  if (!effect.index) {
    slots.push_back(effect.slot);
    return slots;
  }
  collect_reads(*effect.index, slots);
  for (SlotId s = effect.slot; s < effect.slot + effect.length; ++s) slots.push_back(s);
  return slots;
}

void add_conjuncts(const Expr& expr, std::vector<Expr>& result) {
  if (expr.op != Op::logic_and || can_fail(expr.args[0])) {
    if (!expr.is_constant() || expr.value == 0) result.push_back(expr);
    return;
  }
  add_conjuncts(expr.args[0], result);
  add_conjuncts(expr.args[1], result);
}

std::vector<Expr> guards_of(const System& system, const Action& action) {
  std::vector<Expr> guards;
  for (const Participant& p : action.participants) {
    if (p.from != any_location)
      guards.push_back(Expr::binary(Op::eq, Expr::load(system.components[p.component].location_slot),
                                    Expr::constant(p.from)));
    add_conjuncts(p.guard, guards);
  }
  add_conjuncts(action.guard, guards);
  return guards;
}

/// An access with a known index becomes a plain one.
Assignment simplified(Assignment effect) {
  if (effect.index && effect.index->is_constant() && effect.index->value >= 0 &&
      effect.index->value < effect.length) {
    effect.slot += static_cast<SlotId>(effect.index->value);
    effect.length = 1;
    effect.index.reset();
  }
  return effect;
}

}  // namespace

bool can_fail(const Expr& expr) {
  bool found = false;
  for_each_subexpr(expr, [&](const Expr& e) {
    switch (e.op) {
      case Op::load_array:
      case Op::table:
      case Op::div:
      case Op::mod:
      case Op::shift_left:
      case Op::shift_right:
      case Op::fail:
        found = true;
        break;
      default:
        break;
    }
  });
  return found;
}

std::vector<Expr> conjuncts(const Expr& expr) {
  std::vector<Expr> result;
  add_conjuncts(expr, result);
  return result;
}

std::vector<Part> parts_of(const System& system, const Action& action) {
  const std::vector<Expr> guards = guards_of(system, action);
  std::vector<Assignment> effects;
  for (const Assignment& effect : action.effects) effects.push_back(simplified(effect));
  Classes classes;
  for (const Expr& guard : guards) classes.join(slots_of(guard));
  for (const Assignment& effect : effects) classes.join(slots_of(effect));

  std::map<SlotId, std::size_t> number;
  std::vector<Part> parts;
  for (const auto& [slot, ignored] : classes.slots()) {
    const auto [at, is_new] = number.emplace(classes.find(slot), parts.size());
    if (is_new) parts.emplace_back();
    parts[at->second].slots.push_back(slot);
  }
  std::optional<std::size_t> without_slots;
  const auto part_for = [&](const std::vector<SlotId>& slots) -> Part& {
    if (!slots.empty()) return parts[number.at(classes.find(slots[0]))];
    if (!without_slots) {
      without_slots = parts.size();
      parts.emplace_back();
    }
    return parts[*without_slots];
  };
  for (const Expr& guard : guards) part_for(slots_of(guard)).guards.push_back(guard);
  for (const Assignment& effect : effects) part_for(slots_of(effect)).effects.push_back(effect);
  return parts;
}

}  // namespace tideline::symbolic
