#include "reduce/stubborn.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "exec/compiler.hpp"
#include "model/value_condition.hpp"

namespace tideline::por {

namespace {

std::vector<std::vector<Condition>> goals_of(const System& system, const Preserved& preserved) {
  std::vector<std::vector<Condition>> goals;
  for (const Expr& goal : preserved.goals)
    goals.push_back(
        conditions_of(goal, [&](const Expr& part, const auto&) { return may_lack_value(part, system); }));
  return goals;
}

}  // namespace

StubbornSets::StubbornSets(const System& system, const Layout& layout, ErrorSemantics errors,
                           Preserved preserved)
    : preserved_(std::move(preserved)), relations_(system, errors, goals_of(system, preserved_)) {
  bytecode::Compiler compiler(system, layout, chunk_);
  for (const Condition& condition : relations_.conditions()) code_.push_back(compiler.guard(condition.guard));
  if (preserved_.errors && errors == ErrorSemantics::stop)
    for (ActionId a = 0; a < system.actions.size(); ++a)
      if (relations_.footprint(a).may_fail) may_fail_.push_back(a);
}

StubbornSet::StubbornSet(std::shared_ptr<const StubbornSets> sets)
    : sets_(std::move(sets)),
      truths_(sets_->relations_.conditions().size()),
      is_enabled_(sets_->relations_.system().actions.size()),
      in_set_(is_enabled_.size()) {}

bool StubbornSet::reduce(const std::byte* state, std::vector<ActionId>& enabled) {
  const Relations& relations = sets_->relations_;
  if (enabled.empty() || (enabled.size() == 1 && sets_->preserved_.deadlocks) || relations.given_up())
    return false;
  state_ = state;
  for (const ActionId a : enabled) is_enabled_[a] = 1;

  // What has to be in every set comes first; a set without an enabled action needs one where deadlocks count.
  most_ = enabled.size();
  begin_set();
  bool reduced = add(sets_->may_fail_);
  for (std::size_t goal = 0; goal < relations.goals() && reduced; ++goal)
    if (const auto* const enablers = cheapest_enablers(relations.goal(goal))) reduced = add(*enablers);
  reduced = reduced && close();
  best_ = set_;
  if (reduced && enabled_in_set_ == 0 && sets_->preserved_.deadlocks) {
    common_ = set_;
    reduced = false;
    for (const ActionId seed : enabled) {
      begin_set();
      add(common_);
      next_ = set_.size();
      if (!add(seed) || !close()) {
        // With it a set is no smaller than the best one, and so it is with everything that leads to it.
        is_enabled_[seed] = hopeless;
        continue;
      }
      reduced = true;
      most_ = enabled_in_set_;
      best_ = set_;
      if (most_ == 1) break;
    }
  }
  for (const ConditionId c : evaluated_) truths_[c] = Truth::unknown;
  evaluated_.clear();
  for (const ActionId a : enabled) is_enabled_[a] = 0;
  begin_set();
  if (!reduced) return false;
  ++reduced_states_;
  for (const ActionId a : best_) in_set_[a] = 1;
  std::erase_if(enabled, [&](ActionId a) { return in_set_[a] == 0; });
  for (const ActionId a : best_) in_set_[a] = 0;
  return true;
}

void StubbornSet::begin_set() {
  for (const ActionId a : set_) in_set_[a] = 0;
  set_.clear();
  next_ = enabled_in_set_ = 0;
}

/// False when the set has become as large as the best one there is.
bool StubbornSet::add(ActionId action) {
  if (std::exchange(in_set_[action], std::uint8_t{1}) != 0) return true;
  set_.push_back(action);
  enabled_in_set_ += is_enabled_[action] != 0 ? 1 : 0;
  return enabled_in_set_ < most_ && is_enabled_[action] != hopeless;
}

bool StubbornSet::add(const std::vector<ActionId>& actions) {
  return std::ranges::all_of(actions, [&](ActionId action) { return add(action); });
}

/// Closes the set under D1 and D2.
bool StubbornSet::close() {
  const Relations& relations = sets_->relations_;
  for (; next_ < set_.size(); ++next_) {
    const ActionId action = set_[next_];
    const auto* const needed = is_enabled_[action] != 0 ? &relations.conflicts(action)
                                                        : cheapest_enablers(relations.conditions(action));
    if (needed == nullptr || !add(*needed)) return false;
  }
  return true;
}

/// D1: the enablers of the false condition that costs least; nullptr when none is false.
const std::vector<ActionId>* StubbornSet::cheapest_enablers(const std::vector<ConditionId>& conditions) {
  constexpr std::size_t weight_of_enabled = 1000;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  const std::vector<ActionId>* cheapest = nullptr;
  for (const ConditionId condition : conditions) {
    if (!is_false(condition)) continue;
    std::size_t cost = 0;
    for (const ActionId a : sets_->relations_.enablers(condition)) {
      if (in_set_[a] == 0) cost += is_enabled_[a] != 0 ? weight_of_enabled : 1;
      if (cost >= least) break;
    }
    if (cost >= least) continue;
    least = cost;
    cheapest = &sets_->relations_.enablers(condition);
    if (cost == 0) break;
  }
  return cheapest;
}

bool StubbornSet::is_false(ConditionId condition) {
  Truth& truth = truths_[condition];
  if (truth == Truth::unknown) {
    const bytecode::Result result = bytecode::run_guard(sets_->chunk_, sets_->code_[condition], state_);
    truth = result.value == 0 && result.error == ModelErrorKind::none ? Truth::is_false : Truth::is_true;
    evaluated_.push_back(condition);
  }
  return truth == Truth::is_false;
}

}  // namespace tideline::por
