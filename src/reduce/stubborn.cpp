#include "reduce/stubborn.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "exec/compiler.hpp"
#include "exec/interpreter.hpp"
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
  if (sets->relations_.given_up())
    sets->is_useless_ = true;
  else
    look_at_sample(sets, errors);
  return sets;
}

StubbornSets::StubbornSets(const System& system, const Layout& layout, ErrorSemantics errors,
                           Preserved preserved, Method method)
    : preserved_(std::move(preserved)),
      method_(method),
      relations_(system, errors, goals_of(system, preserved_)),
      is_visible_(system.actions.size(), 0),
      dirt_(system.actions.size(), Dirt::none),
      actions_of_(system.components.size()),
      clean_(system.actions.size()),
      complete_(system.actions.size()) {
  bytecode::Compiler compiler(system, layout, chunk_);
  for (const Condition& condition : relations_.conditions()) {
    Test& test = tests_.emplace_back();
    test.is_range = condition.is_about_slot();
    if (test.is_range)
      test = {true, condition.is_outside, layout.field(condition.subject.slot), condition.low,
              condition.high};
    else
      test.code = compiler.guard(condition.guard);
  }
  for (ActionId a = 0; a < system.actions.size(); ++a)
    for (const Participant& participant : system.actions[a].participants)
      actions_of_[participant.component].push_back(a);
  if (!relations_.given_up()) find_roles(errors);
}

/// Which actions are visible, which belong to every complete set, and which to no clean one.
void StubbornSets::find_roles(ErrorSemantics errors) {
  const System& system = relations_.system();
  const auto can_change = [&](ActionId a, const Condition& part) {
    return relations_.can_make(a, part, true) || relations_.can_make(a, part, false);
  };
  const FailingAdditions failing(relations_);
  std::vector<Condition> observed;
  for (const Expr& expr : preserved_.observed)
    std::ranges::move(parts_of(expr, system), std::back_inserter(observed));
  std::vector<ConditionId> goal_conditions;
  for (std::size_t goal = 0; goal < relations_.goals(); ++goal)
    std::ranges::copy(relations_.goal(goal), std::back_inserter(goal_conditions));
  for (ActionId a = 0; a < system.actions.size(); ++a) {
    is_visible_[a] =
        std::ranges::any_of(observed, [&](const Condition& part) { return can_change(a, part); });
    const bool fails =
        preserved_.errors && errors == ErrorSemantics::stop && relations_.footprint(a).may_fail;
    if (fails || is_visible_[a] != 0) must_.push_back(a);
    const bool spoils_goal = std::ranges::any_of(goal_conditions, [&](ConditionId c) {
      return relations_.can_make(a, relations_.conditions()[c], false);
    });
    if (is_visible_[a] != 0 || spoils_goal)
      dirt_[a] = Dirt::is_seen;
    else if (errors == ErrorSemantics::stop && failing.are_nearer_after(a))
      dirt_[a] = Dirt::hastens_errors;
  }
  has_clean_sets_ = !must_.empty() || relations_.goals() != 0;
  if (!has_clean_sets_ || !preserved_.on_cycles) return;
  std::vector<std::uint8_t> is_dirty;
  for (const Dirt dirt : dirt_) is_dirty.push_back(dirt != Dirt::none);
  const std::vector<std::uint8_t> leads_on = relations_.leading_on(is_dirty);
  for (ActionId a = 0; a < system.actions.size(); ++a)
    if (leads_on[a] == 0 && is_dirty[a] == 0) dirt_[a] = Dirt::leads_back;
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
  const System& system = sets->relations_.system();
  Interpreter interpreter(Program::compile(system, errors));
  const auto is_seen = [&](const std::byte* packed) {
    return system.transient == no_slot ||
           load_field(packed, interpreter.layout().field(system.transient)) == 0;
  };
  std::vector<std::byte> state(interpreter.state_size());
  std::vector<ActionId> enabled, needed;
  std::uint64_t all_enabled = 0, all_needed = 0;
  StubbornSet set(sets);
  set.teaches_ = sets.get();
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

StubbornSet::StubbornSet(std::shared_ptr<const StubbornSets> sets)
    : sets_(std::move(sets)),
      truths_(sets_->relations_.conditions().size()),
      is_enabled_(sets_->relations_.system().actions.size()),
      in_set_(is_enabled_.size()) {}

bool StubbornSet::reduce(const std::byte* state, std::vector<ActionId>& enabled) {
  found_ = false;
  if (enabled.empty() || (enabled.size() == 1 && sets_->needs_enabled()) || sets_->is_useless_) return false;
  state_ = state;
  most_ = enabled.size();
  // A complete set may be empty, where a goal cannot be reached; but for infinite runs it is seldom small.
  const bool clean_first = sets_->observes();
  for (const bool clean : {clean_first, !clean_first}) {
    Trials StubbornSets::*const trials = clean ? &StubbornSets::clean_ : &StubbornSets::complete_;
    if ((found_ && most_ <= 1) || !((*sets_).*trials).pays) continue;
    const std::size_t most_before = most_;
    clean ? find_clean(enabled) : find_complete(enabled);
    if (teaches_ == nullptr) continue;
    ++(teaches_->*trials).states;
    (teaches_->*trials).found_in += most_ < most_before ? 1 : 0;
  }

  for (const ConditionId c : evaluated_) truths_[c] = Truth::unknown;
  evaluated_.clear();
  for (const ActionId a : enabled) is_enabled_[a] = 0;
  begin_set();
  if (!found_) return false;
  ++reduced_states_;
  for (const ActionId a : best_) in_set_[a] = 1;
  std::erase_if(enabled, [&](ActionId a) { return in_set_[a] == 0; });
  for (const ActionId a : best_) in_set_[a] = 0;
  return true;
}

void StubbornSet::find_complete(const std::vector<ActionId>& enabled) {
  const Relations& relations = sets_->relations_;
  for (const ActionId a : enabled) is_enabled_[a] = 1;
  begin_set();
  if (!add(sets_->must_)) return;
  for (std::size_t goal = 0; goal < relations.goals(); ++goal)
    if (const auto* const enablers = cheapest_enablers(relations.goal(goal)); enablers && !add(*enablers))
      return;
  if (!close()) return;
  if (has_key()) return take_set(true);
  common_ = set_;
  try_seeds(enabled, &StubbornSets::complete_);
}

void StubbornSet::find_clean(const std::vector<ActionId>& enabled) {
  if (!sets_->has_clean_sets_) return;  // all are complete
  for (const ActionId a : enabled) is_enabled_[a] = sets_->dirt_[a] != Dirt::none ? hopeless : 1;
  common_.clear();
  try_seeds(enabled, &StubbornSets::clean_);
}

/// Closes what all sets have in common together with each enabled action in turn.
void StubbornSet::try_seeds(const std::vector<ActionId>& enabled, Trials StubbornSets::*trials) {
  const Trials& known = (*sets_).*trials;
  for (const ActionId seed : enabled) {
    if (is_enabled_[seed] == hopeless || known.worth_trying[seed] == 0) continue;
    begin_set();
    add(common_);
    next_ = set_.size();
    if (in_set_[seed] != 0) continue;
    const bool is_taken = add_seed(seed);
    if (teaches_ != nullptr) {
      ++(teaches_->*trials).tried[seed];
      (teaches_->*trials).taken[seed] += is_taken ? 1 : 0;
    }
    // If no set with it is smaller than the best one, then none with an action that leads to it is.
    if (is_taken)
      take_set(trials == &StubbornSets::complete_);
    else
      is_enabled_[seed] = hopeless;
    if (most_ == 1) return;
  }
}

/// Adds an action and what it needs; an ample set adds all actions of its process, and these alone.
bool StubbornSet::add_seed(ActionId seed) {
  if (sets_->method_ == Method::stubborn) return add(seed) && close();
  const auto& participants = sets_->relations_.system().actions[seed].participants;
  if (participants.empty() || !add(sets_->actions_of_[participants.front().component])) return false;
  const std::size_t size = set_.size();
  return close() && set_.size() == size;
}

/// Whether a complete set has the enabled action that it needs.
bool StubbornSet::has_key() const {
  if (!sets_->needs_enabled()) return true;
  return std::ranges::any_of(set_,
                             [&](ActionId a) { return is_enabled_[a] != 0 && sets_->is_visible_[a] == 0; });
}

void StubbornSet::begin_set() {
  for (const ActionId a : set_) in_set_[a] = 0;
  set_.clear();
  next_ = enabled_in_set_ = 0;
}

void StubbornSet::take_set(bool is_complete) {
  is_complete_ = is_complete;
  best_ = set_;
  most_ = enabled_in_set_;
  found_ = true;
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
  const StubbornSets::Test& test = sets_->tests_[condition];
  if (test.is_range) {
    const std::int64_t value = load_field(state_, test.field);
    return (test.low <= value && value <= test.high) == test.is_outside;
  }
  Truth& truth = truths_[condition];
  if (truth == Truth::unknown) {
    const bytecode::Result result = bytecode::run_guard(sets_->chunk_, test.code, state_);
    truth = result.value == 0 && result.error == ModelErrorKind::none ? Truth::is_false : Truth::is_true;
    evaluated_.push_back(condition);
  }
  return truth == Truth::is_false;
}

}  // namespace tideline::por
