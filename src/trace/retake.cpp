#include "trace/retake.hpp"

#include <algorithm>
#include <utility>

namespace tideline {

bool Effort::spend(std::uint64_t amount) {
  if (budget && ++calls % 64 == 0) budget->require();
  const bool enough = amount <= left;
  left = enough ? left - amount : 0;
  return enough;
}

Retaker::Retaker(const Claim& claim, const Trace& given, Effort& effort)
    : claim_(claim),
      reference_(claim.system, claim.errors),
      effort_(effort),
      loops_(given.loop.has_value()),
      failing_action_(given.failing_action),
      error_(given.error),
      no_value_(given.no_value),
      end_(end_of(given)),
      step_cost_(1000 + 4 * given.states.front().size()) {}

bool Retaker::spend(std::uint64_t amount) {
  if (!spent_ && !effort_.spend(amount)) spent_ = true;
  return !spent_;
}

/// What must not change when claim.same_end.
std::vector<std::int32_t> Retaker::end_of(const Trace& run) const {
  if (!claim_.same_end || run.loop) return {};
  std::vector<SlotId> slots;
  if (has_expression(claim_.property.kind)) collect_reads(claim_.property.expr, slots);
  if (claim_.property.kind == PropertyKind::deadlock) {
    for (const Component& component : claim_.system.components)
      if (component.location_slot != no_slot) slots.push_back(component.location_slot);
    if (slots.empty()) return run.states.back();
  }
  std::vector<std::int32_t> values;
  for (const SlotId slot : slots) values.push_back(run.states.back()[slot]);
  return values;
}

bool Retaker::take(ActionId action, Trace& run) {
  if (!spend(step_cost_)) return false;
  const Values& from = run.states.back();
  if (action == no_action) {
    if (!spend(claim_.system.actions.size() * 100) || !reference_.enabled(from).empty()) return false;
    Values same = from;
    run.states.push_back(std::move(same));
    run.actions.push_back(action);
    return true;
  }
  ModelError error;
  if (!reference_.enabled(action, from, error)) return false;
  Reference::Firing firing = reference_.fire(action, from);
  if (firing.error.kind != ModelErrorKind::none && claim_.errors == ErrorSemantics::stop) return false;
  run.states.push_back(std::move(firing.state));
  run.actions.push_back(action);
  return true;
}

bool Retaker::close(Trace& run) {
  if (loops_) {
    if (!run.loop || *run.loop >= run.actions.size()) return false;
    if (!same_system_state(claim_.system, run.states.back(), run.states[*run.loop])) return false;
    run.states.pop_back();
  }
  if (failing_action_ == no_action) return true;
  ModelError ignored;
  if (!reference_.enabled(failing_action_, run.states.back(), ignored)) return false;
  run.error = reference_.fire(failing_action_, run.states.back()).error;
  run.failing_action = failing_action_;
  return run.error.kind == error_.kind && run.error.where == error_.where;
}

bool Retaker::finish(Trace& run) {
  if (spent_ || !close(run)) return false;
  std::uint64_t cost = step_cost_;
  if (run.loop) cost += run.states.size() * (claim_.property.process->edges.size() + 1) * 200;
  if (run.loop && claim_.property.fairness != Fairness::none)
    cost += run.states.size() * claim_.system.actions.size() * 100;
  if (claim_.property.kind == PropertyKind::deadlock) cost += claim_.system.actions.size() * 100;
  if (!spend(cost)) return false;
  if (claim_.verdict == Verdict::violated && !run.loop)
    run.no_value = missing_value(claim_.system, claim_.property, run);
  if (run.no_value.kind != no_value_.kind || end_of(run) != end_) return false;
  return !missing_proof(claim_.system, claim_.errors, claim_.property, run, claim_.verdict);
}

bool can_be_changed(const Claim& claim) {
  return claim.property.kind != PropertyKind::ctl &&
         !(claim.property.process && !claim.property.process->slots.empty());
}

}  // namespace tideline
