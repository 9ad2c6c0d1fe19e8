#include "reduce/footprint.hpp"

#include <algorithm>

#include "model/each_once.hpp"

namespace tideline::por {

const Write* Footprint::write_of(SlotId slot) const {
  const auto at = std::ranges::lower_bound(writes, slot, {}, &Write::slot);
  return at != writes.end() && at->slot == slot ? &*at : nullptr;
}

bool Footprint::writes_any(const std::vector<SlotId>& slots) const {
  return std::ranges::any_of(slots, [&](SlotId slot) { return write_of(slot) != nullptr; });
}

Footprint footprint_of(const Action& action, const System& system, ErrorSemantics errors,
                       Intervals& intervals) {
  Footprint footprint;
  footprint.conditions =
      conditions_of(action, system, [&](const Expr& part, const std::vector<Condition>& before) {
        const Box box = intervals.box_of(action, before);
        return !is_empty(box) && intervals.within(box, part).may_fail;
      });
  footprint.needs = intervals.box_of(action, footprint.conditions);
  footprint.never_happens =
      is_empty(footprint.needs) || std::ranges::any_of(footprint.conditions, [&](const Condition& condition) {
        return !condition.is_about_slot() && !intervals.may_hold(footprint.needs, condition.guard);
      });
  footprint.writes = writes_of(action);
  for (const Assignment& effect : action.effects) {
    if (effect.index) collect_reads(*effect.index, footprint.effect_reads);
    const Write* const write = footprint.write_of(effect.slot);
    if (write->kind != Write::Kind::addition) collect_reads(effect.value, footprint.effect_reads);
  }
  keep_each_once(footprint.effect_reads);
  if (footprint.never_happens) return footprint;
  footprint.may_fail = intervals.may_fail(footprint.needs, action) ||
                       std::ranges::any_of(footprint.conditions, &Condition::may_lack_value);
  if (footprint.may_fail && errors == ErrorSemantics::error_state) {
    footprint.writes.clear();
    for (SlotId slot = 0; slot < system.slots.size(); ++slot) footprint.writes.push_back({slot});
  }
  return footprint;
}

}  // namespace tideline::por
