#include "reduce/closing.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "exec/interpreter.hpp"

namespace tideline::por {

Closing::Closing(const Relations& relations, const Rules& rules)
    : relations_(relations),
      rules_(rules),
      known_(questions()),
      asked_in_(questions()),
      is_enabled_(relations_.system().actions.size()),
      in_set_(is_enabled_.size()) {}

bool Closing::find(const std::byte* state, const std::vector<ActionId>& enabled) {
  if (++round_ == 0) {
    std::ranges::fill(asked_in_, 0);
    round_ = 1;
  }
  answers_.clear();
  state_ = state;
  found_ = false;
  most_ = enabled.size();
  // A complete set may be empty, where a goal cannot be reached; but for infinite runs it is seldom small.
  const bool clean_first = rules_.observes;
  for (const bool goes_back : {false, true})
    for (const bool is_clean : {clean_first, !clean_first}) look_for({is_clean, goes_back}, enabled);
  for (const ActionId a : enabled) is_enabled_[a] = 0;
  begin_set();
  if (!found_) return false;
  for (const ActionId a : best_) in_set_[a] = 1;
  places_.clear();
  for (std::uint32_t i = 0; i < enabled.size(); ++i)
    if (in_set_[enabled[i]] != 0) places_.push_back(i);
  for (const ActionId a : best_) in_set_[a] = 0;
  return true;
}

/// A set that is smaller than what there is.
void Closing::look_for(Pass pass, const std::vector<ActionId>& enabled) {
  if ((found_ && most_ <= 1) || !rules_.trials(pass).pays) return;
  pass_ = pass;
  const std::size_t most_before = most_;
  pass.is_clean ? find_clean(enabled) : find_complete(enabled);
  if (teaches_ == nullptr) return;
  Trials& trials = teaches_->trials(pass);
  ++trials.states;
  trials.found_in += most_ < most_before ? 1 : 0;
}

std::int32_t Closing::answer(Question question, const std::byte* state) const {
  const std::size_t conditions = relations_.conditions().size();
  if (question >= conditions) return load_field(state, rules_.places[question - conditions]);
  const Test& test = rules_.tests[question];
  if (test.is_range) return test.holds(load_field(state, test.field)) ? 1 : 0;
  const bytecode::Result result = bytecode::run_guard(rules_.chunk, test.code, state);
  return result.value == 0 && result.error == ModelErrorKind::none ? 0 : 1;
}

void Closing::find_complete(const std::vector<ActionId>& enabled) {
  for (const ActionId a : enabled) is_enabled_[a] = 1;
  begin_set();
  if (!add(rules_.must)) return;
  for (std::size_t goal = 0; goal < relations_.goals(); ++goal)
    if (const auto* const enablers = cheapest_enablers(relations_.goal(goal)); enablers && !add(*enablers))
      return;
  if (!close()) return;
  if (has_key()) return take_set(true);
  common_ = set_;
  try_seeds(enabled);
}

void Closing::find_clean(const std::vector<ActionId>& enabled) {
  if (!rules_.has_clean_sets) return;  // all are complete
  for (const ActionId a : enabled) is_enabled_[a] = rules_.dirt[a] != Dirt::none ? hopeless : 1;
  common_.clear();
  try_seeds(enabled);
}

/// Closes what all sets have in common together with each enabled action in turn.
void Closing::try_seeds(const std::vector<ActionId>& enabled) {
  const Trials& known = rules_.trials(pass_);
  for (const ActionId seed : enabled) {
    if (is_enabled_[seed] == hopeless || known.worth_trying[seed] == 0) continue;
    begin_set();
    add(common_);
    next_ = set_.size();
    if (in_set_[seed] != 0) continue;
    const bool is_taken = add_seed(seed);
    if (teaches_ != nullptr) {
      ++teaches_->trials(pass_).tried[seed];
      teaches_->trials(pass_).taken[seed] += is_taken ? 1 : 0;
    }
    // If no set with it is smaller than the best one, then none with an action that leads to it is.
    if (is_taken)
      take_set(!pass_.is_clean);
    else
      is_enabled_[seed] = hopeless;
    if (most_ == 1) return;
  }
}

/// Adds an action and what it needs; an ample set adds all actions of its process, and these alone.
bool Closing::add_seed(ActionId seed) {
  if (rules_.method == Method::stubborn) return add(seed) && close();
  const auto& participants = relations_.system().actions[seed].participants;
  if (participants.empty() || !add(rules_.actions_of[participants.front().component])) return false;
  const std::size_t size = set_.size();
  return close() && set_.size() == size;
}

/// Whether a complete set has the enabled action that it needs.
bool Closing::has_key() const {
  if (!rules_.needs_enabled) return true;
  return std::ranges::any_of(set_,
                             [&](ActionId a) { return is_enabled_[a] != 0 && rules_.is_visible[a] == 0; });
}

void Closing::begin_set() {
  for (const ActionId a : set_) in_set_[a] = 0;
  set_.clear();
  next_ = enabled_in_set_ = 0;
}

void Closing::take_set(bool is_complete) {
  is_complete_ = is_complete;
  best_ = set_;
  most_ = enabled_in_set_;
  found_ = true;
}

/// False when the set has become as large as the best one there is.
bool Closing::add(ActionId action) {
  if (std::exchange(in_set_[action], std::uint8_t{1}) != 0) return true;
  set_.push_back(action);
  enabled_in_set_ += is_enabled_[action] != 0 ? 1 : 0;
  return enabled_in_set_ < most_ && is_enabled_[action] != hopeless;
}

bool Closing::add(const std::vector<ActionId>& actions) {
  return std::ranges::all_of(actions, [&](ActionId action) { return add(action); });
}

/// Closes the set under D1 and D2.
bool Closing::close() {
  for (; next_ < set_.size(); ++next_) {
    const ActionId action = set_[next_];
    const auto* const needed = is_enabled_[action] != 0 ? &relations_.conflicts(action)
                                                        : cheapest_enablers(relations_.conditions(action));
    if (needed == nullptr || !add(*needed)) return false;
  }
  return true;
}

/// D1: the enablers of the false condition that costs least; nullptr when none is false.
const std::vector<ActionId>* Closing::cheapest_enablers(const std::vector<ConditionId>& conditions) {
  constexpr std::size_t weight_of_enabled = 1000;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  const std::vector<ActionId>* cheapest = nullptr;
  for (const ConditionId condition : conditions) {
    const Test& test = rules_.tests[condition];
    const std::vector<ActionId>* enablers = &relations_.enablers(condition);
    if (follows_ways(test)) {
      if (!is_false(condition)) continue;
      relations_.ways().first_steps(test.question - static_cast<Question>(rules_.tests.size()),
                                    static_cast<LocationId>(known_[test.question]),
                                    static_cast<LocationId>(test.low), ways_);
      enablers = &ways_;
    }
    std::size_t cost = 0;
    for (const ActionId a : *enablers) {
      if (in_set_[a] == 0) cost += is_enabled_[a] != 0 ? weight_of_enabled : 1;
      if (cost >= least) break;
    }
    // Whether it is false is asked last: each question that is not asked makes more states alike.
    if (cost >= least || !is_false(condition)) continue;
    least = cost;
    cheapest = enablers;
    if (follows_ways(test)) {
      std::swap(ways_, cheapest_ways_);
      cheapest = &cheapest_ways_;
    }
    if (cost == 0) break;
  }
  return cheapest;
}

bool Closing::is_false(ConditionId condition) {
  const Test& test = rules_.tests[condition];
  if (asked_in_[test.question] != round_) {
    asked_in_[test.question] = round_;
    known_[test.question] = answer(test.question, state_);
    answers_.push_back({test.question, known_[test.question]});
  }
  const std::int32_t value = known_[test.question];
  return test.question < rules_.tests.size() ? value == 0 : !test.holds(value);
}

}  // namespace tideline::por
