#include "reduce/relations.hpp"

#include <algorithm>
#include <utility>

#include "model/each_once.hpp"
#include "reduce/order.hpp"
#include "reduce/whole_steps.hpp"

namespace tideline::por {

namespace {

/// More pairs would take longer to look at than they can spare: some ten seconds.
constexpr std::size_t max_pairs = 10'000'000;

/// Whether adding the amount to a value of the interval can bring it into low..high of the condition, or out
/// of it.
bool can_move(const Interval& from, std::int64_t amount, const Condition& condition, bool into) {
  constexpr std::int64_t far = std::int64_t{1} << 40;  // no slot gets there
  const std::int64_t low = std::clamp(condition.low, -far, far), high = std::clamp(condition.high, -far, far);
  const auto overlap = [&](std::int64_t first, std::int64_t last) {
    return std::max(first, from.low) <= std::min(last, from.high);
  };
  if (into)
    return amount > 0 ? overlap(low - amount, std::min(low - 1, high - amount))
                      : overlap(std::max(high + 1, low - amount), high - amount);
  return amount > 0 ? overlap(std::max(low, high - amount + 1), high)
                    : overlap(low, std::min(high, low - amount - 1));
}

bool belongs_to_any(const std::vector<const Queue*>& queues, SlotId slot) {
  return std::ranges::any_of(queues, [&](const Queue* queue) { return belongs_to(*queue, slot); });
}

}  // namespace

Relations::Relations(const System& system, ErrorSemantics errors,
                     const std::vector<std::vector<Condition>>& goals, Budget* budget)
    : system_(system),
      errors_(errors),
      opening_(system, errors),
      intervals_(system, errors, opening_),
      queues_(queues_of(system)) {
  LimitCheck look(budget);
  for (const Action& action : system.actions) {
    look();
    footprints_.push_back(footprint_of(action, system, errors, intervals_));
  }
  if (system.transient != no_slot) join_inner_actions(system, footprints_);
  ways_.emplace(system, footprints_);
  for (ActionId a = 0; a < system.actions.size(); ++a) {
    look();
    const Footprint& footprint = footprints_[a];
    auto& uses = queue_uses_.emplace_back();
    for (const Queue& queue : queues_)
      uses.push_back(footprint.is_several ? QueueUse::other
                                          : queue_use(queue, system.actions[a], footprint.conditions));
    auto& ids = conditions_of_.emplace_back();
    for (const Condition& condition : footprint.conditions) ids.push_back(number(condition));
  }
  for (const auto& goal : goals) {
    auto& ids = goals_.emplace_back();
    for (const Condition& condition : goal) ids.push_back(number(condition));
  }
  enablers_.resize(conditions_.size());
  conflicts_.resize(footprints_.size());
  given_up_ = has_too_many_pairs();
  if (given_up_) return;
  find_enablers(look);
  find_conflicts(look);
  // Those with few enablers first: they are likely to be the cheapest ones.
  for (auto& ids : conditions_of_)
    std::ranges::stable_sort(ids, {}, [&](ConditionId c) { return enablers_[c].size(); });
}

ConditionId Relations::number(const Condition& condition) {
  auto& alike = alike_[{condition.reads, condition.low, condition.high, condition.is_outside}];
  for (const ConditionId id : alike)
    if (conditions_[id].guard == condition.guard) return id;
  conditions_.push_back(condition);
  const std::string subject = to_string(condition.subject, system_);
  subjects_.push_back(numbers_of_subjects_.try_emplace(subject, numbers_of_subjects_.size()).first->second);
  return alike.emplace_back(static_cast<ConditionId>(conditions_.size() - 1));
}

/// visit(condition, action) for every action that writes what the condition reads, while that is true.
template <class Visit>
void Relations::for_each_writer(const Visit& visit) const {
  std::vector<std::vector<ActionId>> writers(system_.slots.size());
  for (ActionId a = 0; a < footprints_.size(); ++a)
    for (const Write& write : footprints_[a].writes) writers[write.slot].push_back(a);
  std::vector<ConditionId> seen_for(footprints_.size(), ~ConditionId{0});
  for (ConditionId c = 0; c < conditions_.size(); ++c)
    for (const SlotId slot : conditions_[c].reads)
      for (const ActionId a : writers[slot])
        if (std::exchange(seen_for[a], c) != c && !visit(c, a)) return;
}

/// visit(a, b) for every two actions of which the first writes what the second one uses, while that is true.
template <class Visit>
void Relations::for_each_meeting(const Visit& visit) const {
  std::vector<std::vector<ActionId>> users(system_.slots.size());
  for (ActionId a = 0; a < footprints_.size(); ++a) {
    std::vector<SlotId> slots = footprints_[a].effect_reads;
    for (const Condition& condition : footprints_[a].conditions)
      slots.insert(slots.end(), condition.reads.begin(), condition.reads.end());
    for (const Write& write : footprints_[a].writes) slots.push_back(write.slot);
    keep_each_once(slots);
    for (const SlotId slot : slots) users[slot].push_back(a);
  }
  std::vector<ActionId> seen_for(footprints_.size(), no_action);
  for (ActionId a = 0; a < footprints_.size(); ++a)
    for (const Write& write : footprints_[a].writes)
      for (const ActionId b : users[write.slot])
        if (b != a && std::exchange(seen_for[b], a) != a && !visit(a, b)) return;
}

bool Relations::has_too_many_pairs() const {
  std::size_t pairs = 0;
  for_each_writer([&](ConditionId, ActionId) { return ++pairs <= max_pairs; });
  if (pairs <= max_pairs) for_each_meeting([&](ActionId, ActionId) { return ++pairs <= max_pairs; });
  return pairs > max_pairs;
}

void Relations::find_enablers(LimitCheck& look) {
  for_each_writer([&](ConditionId condition, ActionId action) {
    look();
    if (can_make(action, conditions_[condition], true)) enablers_[condition].push_back(action);
    return true;
  });
  for (auto& list : enablers_) std::ranges::sort(list);
}

void Relations::find_conflicts(LimitCheck& look) {
  // Only actions that touch a common slot can be in conflict.
  for_each_meeting([&](ActionId a, ActionId b) {
    look();
    if (!never_happens(a) && !never_happens(b) && disturbs(a, b)) {
      conflicts_[a].push_back(b);
      conflicts_[b].push_back(a);
    }
    return true;
  });
  // A pair of which each changes what the other uses was met twice.
  for (auto& list : conflicts_) keep_each_once(list);
}

bool Relations::can_make(ActionId action, const Condition& condition, bool truth) {
  return !never_happens(action) && can_make(action, condition, footprints_[action].needs, truth);
}

std::vector<std::uint8_t> Relations::leading_on(const std::vector<std::uint8_t>& is_indifferent) {
  return actions_that_lead_on(system_, errors_, footprints_, intervals_, is_indifferent);
}

/// Whether the action can give the condition that truth in some state of the box in which it has the other one.
bool Relations::can_make(ActionId action, const Condition& condition, const Box& before, bool truth) {
  const Footprint& footprint = footprints_[action];
  if (!footprint.writes_any(condition.reads)) return false;
  // What leads to the error state, or goes on by itself, changes more than its effects say.
  if (footprint.is_several || (footprint.may_fail && errors_ == ErrorSemantics::error_state)) return true;
  if (condition.is_about_slot()) {
    const Write& write = *footprint.write_of(condition.subject.slot);
    if (write.kind == Write::Kind::addition)
      return can_move(intervals_.in(before, write.slot), write.amount, condition,
                      truth != condition.is_outside);
  }
  if (!can_change(action, condition.guard, before)) return false;
  const auto may_be = [](const Interval& i, bool wanted) {
    return i.may_fail || (wanted ? i.low != 0 || i.high != 0 : i.contains(0));
  };
  return may_be(intervals_.within(before, condition.guard), !truth) &&
         may_be(intervals_.after(before, system_.actions[action], condition.guard), truth);
}

/// Whether the value of the expression can be another one after the action, from some state of the box. In a sum
/// it is the terms that change or do not.
bool Relations::can_change(ActionId action, const Expr& expr, const Box& before) {
  std::vector<SlotId> reads;
  collect_reads(expr, reads);
  if (!footprints_[action].writes_any(reads)) return false;
  const Interval from = intervals_.within(before, expr);
  const Interval to = intervals_.after(before, system_.actions[action], expr);
  if (from.is_single() && to.is_single() && from.low == to.low && !from.may_fail && !to.may_fail)
    return false;
  if (expr.op == Op::load || expr.op == Op::load_array) return true;
  return std::ranges::any_of(expr.args, [&](const Expr& arg) { return can_change(action, arg, before); });
}

/// Whether what a changes makes a difference for b, in some state in which both are enabled.
bool Relations::disturbs(ActionId a, ActionId b) {
  Box both;
  if (!intersect(footprints_[a].needs, footprints_[b].needs, both) || exclude_each_other(a, b)) return false;
  const std::vector<const Queue*> shared = queues_used_at_both_ends(a, b, both);
  return !writes_accord(a, b, both, shared) || disturbs_effects(a, b, shared) ||
         disturbs_guard(a, b, both, shared);
}

/// Whether a condition of one is never true together with one of the other.
bool Relations::exclude_each_other(ActionId a, ActionId b) const {
  return std::ranges::any_of(conditions_of_[a], [&](ConditionId one) {
    return std::ranges::any_of(conditions_of_[b], [&](ConditionId other) {
      return subjects_[one] == subjects_[other] &&
             por::exclude_each_other(conditions_[one], conditions_[other]);
    });
  });
}

std::vector<const Queue*> Relations::queues_used_at_both_ends(ActionId a, ActionId b, const Box& both) const {
  std::vector<const Queue*> queues;
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    const QueueUse one = queue_uses_[a][q], other = queue_uses_[b][q];
    const Queue& queue = queues_[q];
    const Interval& length = intervals_.in(both, queue.length);
    if (one != other && one != QueueUse::other && other != QueueUse::other && length.low > 0 &&
        length.high < queue.capacity)
      queues.push_back(&queue);
  }
  return queues;
}

/// Whether what both write is the same in either order, but for the queues.
bool Relations::writes_accord(ActionId a, ActionId b, const Box& both,
                              const std::vector<const Queue*>& queues) const {
  return std::ranges::all_of(footprints_[a].writes, [&](const Write& write) {
    const Write* const other = footprints_[b].write_of(write.slot);
    if (other == nullptr || belongs_to_any(queues, write.slot)) return true;
    if (write.kind == Write::Kind::any || write.kind != other->kind) return false;
    return write.kind == Write::Kind::constant ? write.amount == other->amount
                                               : additions_accord(write, *other, both);
  });
}

bool Relations::additions_accord(const Write& a, const Write& b, const Box& both) const {
  if ((a.amount >= 0) == (b.amount >= 0) || system_.ranges_are_proven) return true;
  const Range range = system_.slots[a.slot].range;
  const Interval& from = intervals_.in(both, a.slot);
  const std::int64_t down = std::min(a.amount, b.amount), up = std::max(a.amount, b.amount);
  return from.low + down >= range.low && from.high + up <= range.high;
}

/// Whether a changes what the effects of b read, but for the queues.
bool Relations::disturbs_effects(ActionId a, ActionId b, const std::vector<const Queue*>& queues) const {
  return std::ranges::any_of(footprints_[b].effect_reads, [&](SlotId slot) {
    return footprints_[a].write_of(slot) != nullptr && !belongs_to_any(queues, slot);
  });
}

/// Whether a can make a guard of b false where both are enabled. What is sent to a queue leaves its oldest entry as it is.
bool Relations::disturbs_guard(ActionId a, ActionId b, const Box& both,
                               const std::vector<const Queue*>& queues) {
  const Footprint& footprint = footprints_[a];
  const auto stays = [&](SlotId slot) {
    return footprint.write_of(slot) == nullptr || std::ranges::any_of(queues, [&](const Queue* queue) {
             return queue_uses_[a][static_cast<std::size_t>(queue - queues_.data())] == QueueUse::send &&
                    belongs_to_oldest(*queue, slot);
           });
  };
  return std::ranges::any_of(footprints_[b].conditions, [&](const Condition& condition) {
    return !std::ranges::all_of(condition.reads, stays) && can_make(a, condition, both, false);
  });
}

}  // namespace tideline::por
