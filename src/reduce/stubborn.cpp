#include "reduce/stubborn.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "exec/compiler.hpp"
#include "exec/interpreter.hpp"
#include "model/value_condition.hpp"
#include "reduce/closing.hpp"
#include "reduce/decisions.hpp"
#include "reduce/relations.hpp"

namespace tideline::por {

namespace {

std::vector<std::vector<Condition>> goals_of(const System& system, const Preserved& preserved) {
  std::vector<std::vector<Condition>> goals;
  for (const Expr& goal : preserved.goals)
    goals.push_back(
        conditions_of(goal, [&](const Expr& part, const auto&) { return may_lack_value(part, system); }));
  return goals;
}

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

std::size_t hash_of(const std::vector<std::byte>& state) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(state.data()), state.size()});
}

}  // namespace

std::shared_ptr<const StubbornSets> StubbornSets::make(const System& system, ErrorSemantics errors,
                                                       Preserved preserved, Method method) {
  const std::shared_ptr<StubbornSets> sets(
      new StubbornSets(system, Layout(system), errors, std::move(preserved), method));
  if (sets->relations_->given_up())
    sets->is_useless_ = true;
  else
    look_at_sample(sets, errors);
  return sets;
}

StubbornSets::StubbornSets(const System& system, const Layout& layout, ErrorSemantics errors,
                           Preserved preserved, Method method)
    : preserved_(std::move(preserved)),
      method_(method),
      relations_(std::make_unique<Relations>(system, errors, goals_of(system, preserved_))),
      is_visible_(system.actions.size(), 0),
      dirt_(system.actions.size(), Dirt::none),
      actions_of_(system.components.size()),
      clean_(system.actions.size()),
      complete_(system.actions.size()) {
  bytecode::Compiler compiler(system, layout, chunk_);
  for (const Component& component : system.components)
    places_.push_back(component.location_slot == no_slot ? Field{} : layout.field(component.location_slot));
  const auto conditions = static_cast<std::uint32_t>(relations_->conditions().size());
  for (const Condition& condition : relations_->conditions()) {
    Test test{.question = static_cast<std::uint32_t>(tests_.size())};
    if (condition.is_about_slot()) {
      test.is_range = true;
      test.is_outside = condition.is_outside;
      test.field = layout.field(condition.subject.slot);
      test.low = condition.low;
      test.high = condition.high;
      const ComponentId owner = system.slots[condition.subject.slot].owner;
      if (owner != no_component && system.components[owner].location_slot == condition.subject.slot) {
        test.question = conditions + owner;
        test.is_place = !test.is_outside && test.low == test.high && relations_->ways().knows(owner);
      }
    } else {
      test.code = compiler.guard(condition.guard);
    }
    tests_.push_back(test);
  }
  for (ActionId a = 0; a < system.actions.size(); ++a)
    for (const Participant& participant : system.actions[a].participants)
      actions_of_[participant.component].push_back(a);
  if (!relations_->given_up()) find_roles(errors);
}

/// Which actions are visible, which belong to every complete set, and which to no clean one.
void StubbornSets::find_roles(ErrorSemantics errors) {
  const System& system = relations_->system();
  const auto can_change = [&](ActionId a, const Condition& part) {
    return relations_->can_make(a, part, true) || relations_->can_make(a, part, false);
  };
  const FailingAdditions failing(*relations_);
  std::vector<Condition> observed;
  for (const Expr& expr : preserved_.observed)
    std::ranges::move(parts_of(expr, system), std::back_inserter(observed));
  std::vector<ConditionId> goal_conditions;
  for (std::size_t goal = 0; goal < relations_->goals(); ++goal)
    std::ranges::copy(relations_->goal(goal), std::back_inserter(goal_conditions));
  for (ActionId a = 0; a < system.actions.size(); ++a) {
    if (relations_->never_happens(a)) continue;
    is_visible_[a] =
        std::ranges::any_of(observed, [&](const Condition& part) { return can_change(a, part); });
    const bool fails =
        preserved_.errors && errors == ErrorSemantics::stop && relations_->footprint(a).may_fail;
    if (fails || is_visible_[a] != 0) must_.push_back(a);
    const bool spoils_goal = std::ranges::any_of(goal_conditions, [&](ConditionId c) {
      return relations_->can_make(a, relations_->conditions()[c], false);
    });
    if (is_visible_[a] != 0 || spoils_goal)
      dirt_[a] = Dirt::is_seen;
    else if (errors == ErrorSemantics::stop && failing.are_nearer_after(a))
      dirt_[a] = Dirt::hastens_errors;
  }
  has_clean_sets_ = !must_.empty() || relations_->goals() != 0;
  if (!has_clean_sets_ || !preserved_.on_cycles) return;
  std::vector<std::uint8_t> is_dirty;
  for (const Dirt dirt : dirt_) is_dirty.push_back(dirt != Dirt::none);
  const std::vector<std::uint8_t> leads_on = relations_->leading_on(is_dirty);
  for (ActionId a = 0; a < system.actions.size(); ++a)
    if (leads_on[a] == 0 && is_dirty[a] == 0 && !relations_->never_happens(a)) dirt_[a] = Dirt::leads_back;
}

/// What was tried often and never taken is not tried any more.
void StubbornSets::Trials::conclude() {
  constexpr std::uint32_t often = 100;
  for (std::size_t a = 0; a < tried.size(); ++a) worth_trying[a] = tried[a] < often || taken[a] != 0;
  pays = states < often || found_in != 0;
}

/// Random walks, always the same ones.
void StubbornSets::look_at_sample(const std::shared_ptr<StubbornSets>& sets, ErrorSemantics errors) {
  constexpr std::size_t walks = 40, steps = 100, few = 10;
  std::mt19937 random(1);  // NOLINT: the same every time
  const System& system = sets->relations_->system();
  Interpreter interpreter(Program::compile(system, errors));
  const auto is_seen = [&](const std::byte* packed) {
    return system.transient == no_slot ||
           load_field(packed, interpreter.layout().field(system.transient)) == 0;
  };
  std::vector<std::byte> state(interpreter.state_size());
  std::vector<ActionId> enabled, needed;
  std::uint64_t all_enabled = 0, all_needed = 0;
  StubbornSet set(sets);
  set.closing_->teach(*sets);
  set.decisions_.reset();
  std::unordered_set<std::size_t> seen;  // of a small system a few walks see everything
  for (std::size_t walk = 0; walk < walks && seen.size() >= walk * few; ++walk) {
    interpreter.initial([&](const std::byte* first) { std::copy_n(first, state.size(), state.begin()); });
    for (std::size_t step = 0; step < steps; ++step) {
      seen.insert(hash_of(state));
      enabled.clear();
      interpreter.enabled(state.data(), [&](ActionId a, ModelErrorKind error) {
        if (error == ModelErrorKind::none) enabled.push_back(a);
      });
      if (enabled.empty()) break;
      if (is_seen(state.data())) {
        needed = enabled;
        set.reduce(state.data(), needed);
        all_enabled += enabled.size();
        all_needed += needed.size();
      }
      const Step next = interpreter.fire(state.data(), enabled[random() % enabled.size()]);
      if (next.state == nullptr) break;
      std::copy_n(next.state, state.size(), state.begin());
    }
  }
  set.reduced_states_ = 0;
  sets->clean_.conclude();
  sets->complete_.conclude();
  sets->is_useless_ = all_needed == all_enabled;
  if (all_enabled != 0)
    sets->needed_in_sample_ = static_cast<double>(all_needed) / static_cast<double>(all_enabled);
}

StubbornSets::~StubbornSets() = default;

bool StubbornSets::given_up() const {
  return relations_->given_up();
}

StubbornSet::StubbornSet(std::shared_ptr<const StubbornSets> sets)
    : sets_(std::move(sets)),
      closing_(std::make_unique<Closing>(*sets_)),
      decisions_(std::make_unique<Decisions>(closing_->questions())) {}

StubbornSet::~StubbornSet() {
  sets_->reduced_states_ += reduced_states_;
}

bool StubbornSet::reduce(const std::byte* state, std::vector<ActionId>& enabled) {
  is_complete_ = true;
  if (enabled.empty() || (enabled.size() == 1 && sets_->needs_enabled()) || sets_->is_useless_) return false;
  if (sets_->relations().opening().contains(state)) return false;
  const auto keep = [&](std::span<const std::uint32_t> places) {
    for (std::size_t i = 0; i < places.size(); ++i) enabled[i] = enabled[places[i]];
    enabled.resize(places.size());
    ++reduced_states_;
  };
  if (decisions_) {
    const Decisions::Choice* const known =
        decisions_->find(enabled, [&](Question question) { return closing_->answer(question, state); });
    if (known != nullptr) {
      is_complete_ = known->is_complete;
      if (known->is_reduced) keep(decisions_->places(*known));
      return known->is_reduced;
    }
  }
  const bool is_reduced = closing_->find(state, enabled);
  is_complete_ = !is_reduced || closing_->is_complete();
  if (decisions_) decisions_->remember(closing_->answers(), is_reduced, is_complete_, closing_->places());
  if (is_reduced) keep(closing_->places());
  return is_reduced;
}

}  // namespace tideline::por
