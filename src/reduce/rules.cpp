#include "reduce/rules.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "exec/compiler.hpp"

namespace tideline::por {

namespace {

/// Additions that may leave the range of their slot. Another one in the same direction commutes with them, but
/// brings a run to fail that does not contain it.
class FailingAdditions {
 public:
  explicit FailingAdditions(const Relations& relations) : relations_(relations) {
    for (ActionId a = 0; a < relations.system().actions.size(); ++a)
      if (relations.footprint(a).may_fail)
        for_each_addition(a, [&](const auto& addition) { actions_[addition].push_back(a); });
  }

  /// Whether some other action is more likely to fail after this one.
  bool are_nearer_after(ActionId action) const {
    bool found = false;
    for_each_addition(action, [&](const auto& addition) {
      const auto at = actions_.find(addition);
      found |= at != actions_.end() && (at->second.size() > 1 || at->second.front() != action);
    });
    return found;
  }

 private:
  template <class Visit>
  void for_each_addition(ActionId action, const Visit& visit) const {
    for (const Write& write : relations_.footprint(action).writes)
      if (write.kind == Write::Kind::addition) visit(std::pair(write.slot, write.amount > 0));
  }

  const Relations& relations_;
  std::map<std::pair<SlotId, bool>, std::vector<ActionId>> actions_;  ///< by slot and direction
};

}  // namespace

Rules::Rules(Relations& relations, ErrorSemantics errors, const Preserved& preserved, Method with)
    : method(with),
      observes(!preserved.observed.empty()),
      needs_enabled(preserved.deadlocks || observes),
      is_visible(relations.system().actions.size(), 0),
      dirt(is_visible.size(), Dirt::none),
      actions_of(relations.system().components.size()),
      trials_{Trials(dirt.size()), Trials(dirt.size()), Trials(dirt.size()), Trials(dirt.size())} {
  const System& system = relations.system();
  make_tests(relations);
  for (ActionId a = 0; a < system.actions.size(); ++a)
    for (const Participant& participant : system.actions[a].participants)
      actions_of[participant.component].push_back(a);
  if (!relations.given_up()) find_roles(relations, errors, preserved);
}

void Rules::make_tests(const Relations& relations) {
  const System& system = relations.system();
  const Layout layout(system);
  bytecode::Compiler compiler(system, layout, chunk);
  for (const Component& component : system.components)
    places.push_back(component.location_slot == no_slot ? Field{} : layout.field(component.location_slot));
  const auto conditions = static_cast<std::uint32_t>(relations.conditions().size());
  for (const Condition& condition : relations.conditions()) {
    Test test{.question = static_cast<std::uint32_t>(tests.size())};
    if (condition.is_about_slot()) {
      test.is_range = true;
      test.is_outside = condition.is_outside;
      test.field = layout.field(condition.subject.slot);
      test.low = condition.low;
      test.high = condition.high;
      const ComponentId owner = system.slots[condition.subject.slot].owner;
      if (owner != no_component && system.components[owner].location_slot == condition.subject.slot) {
        test.question = conditions + owner;
        test.is_place = !test.is_outside && test.low == test.high && relations.ways().knows(owner);
      }
    } else {
      test.code = compiler.guard(condition.guard);
    }
    tests.push_back(test);
  }
}

/// Which actions are visible, which belong to every complete set, and which to no clean one.
void Rules::find_roles(Relations& relations, ErrorSemantics errors, const Preserved& preserved) {
  const System& system = relations.system();
  const auto can_change = [&](ActionId a, const Condition& part) {
    return relations.can_make(a, part, true) || relations.can_make(a, part, false);
  };
  const FailingAdditions failing(relations);
  std::vector<Condition> observed;
  for (const Expr& expr : preserved.observed)
    std::ranges::move(parts_of(expr, system), std::back_inserter(observed));
  std::vector<ConditionId> goal_conditions;
  for (std::size_t goal = 0; goal < relations.goals(); ++goal)
    std::ranges::copy(relations.goal(goal), std::back_inserter(goal_conditions));
  for (ActionId a = 0; a < system.actions.size(); ++a) {
    if (relations.never_happens(a)) continue;
    is_visible[a] = std::ranges::any_of(observed, [&](const Condition& part) { return can_change(a, part); });
    const bool fails = preserved.errors && errors == ErrorSemantics::stop && relations.footprint(a).may_fail;
    if (fails || is_visible[a] != 0) must.push_back(a);
    const bool spoils_goal = std::ranges::any_of(goal_conditions, [&](ConditionId c) {
      return relations.can_make(a, relations.conditions()[c], false);
    });
    if (is_visible[a] != 0 || spoils_goal)
      dirt[a] = Dirt::is_seen;
    else if (errors == ErrorSemantics::stop && failing.are_nearer_after(a))
      dirt[a] = Dirt::hastens_errors;
  }
  has_clean_sets = !must.empty() || relations.goals() != 0;
  if (!has_clean_sets || !preserved.on_cycles) return;
  std::vector<std::uint8_t> is_dirty;
  for (const Dirt each : dirt) is_dirty.push_back(each != Dirt::none);
  const std::vector<std::uint8_t> leads_on = relations.leading_on(is_dirty);
  for (ActionId a = 0; a < system.actions.size(); ++a)
    if (leads_on[a] == 0 && is_dirty[a] == 0 && !relations.never_happens(a)) dirt[a] = Dirt::leads_back;
}

void Trials::conclude() {
  constexpr std::uint32_t often = 100;
  for (std::size_t a = 0; a < tried.size(); ++a) worth_trying[a] = tried[a] < often || taken[a] != 0;
  pays = states < often || found_in != 0;
}

}  // namespace tideline::por
