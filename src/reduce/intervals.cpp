#include "reduce/intervals.hpp"

#include <algorithm>

namespace tideline::por {

namespace {

bool is_empty(const Interval& interval) {
  return interval.low > interval.high;
}

}  // namespace

bool is_empty(const Box& box) {
  return std::ranges::any_of(box, [](const auto& entry) { return is_empty(entry.second); });
}

bool intersect(const Box& a, const Box& b, Box& both) {
  both.clear();
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || right != b.end()) {
    if (right == b.end() || (left != a.end() && left->first < right->first)) {
      both.push_back(*left++);
    } else if (left == a.end() || right->first < left->first) {
      both.push_back(*right++);
    } else {
      both.push_back(
          {left->first,
           {std::max(left->second.low, right->second.low), std::min(left->second.high, right->second.high)}});
      ++left, ++right;
    }
    if (is_empty(both.back().second)) return false;
  }
  return true;
}

Intervals::Intervals(const System& system, ErrorSemantics errors, const Opening& opening)
    : system_(system), counters_(system, errors), processes_(system.components.size()) {
  for (const std::int32_t value : opening.ends().front()) reached_.push_back({value, value});
  find_processes();
  for (const std::vector<std::int32_t>& end : opening.ends()) add_start(end);
  if (errors == ErrorSemantics::error_state && system.error_state) add_start(*system.error_state);
  if (system.property)
    for (const SlotId slot : system.property->slots)
      reached_[slot] = {system.slots[slot].range.low, system.slots[slot].range.high};
  before_ = now_ = reached_;
  run_to_the_end();
}

/// Adds a state from which runs go on.
void Intervals::add_start(const std::vector<std::int32_t>& values) {
  for (SlotId slot = 0; slot < values.size(); ++slot)
    reached_[slot] = {std::min<std::int64_t>(reached_[slot].low, values[slot]),
                      std::max<std::int64_t>(reached_[slot].high, values[slot])};
  for (ComponentId c = 0; c < processes_.size(); ++c) {
    Process& process = processes_[c];
    if (process.at.empty()) continue;
    const auto location = static_cast<std::size_t>(values[system_.components[c].location_slot]);
    if (location >= process.at.size()) continue;  // an error state may be at no location
    auto& here = process.at[location];
    if (here.empty())
      for (const SlotId slot : process.slots) here.push_back({values[slot], values[slot]});
    for (std::size_t i = 0; i < here.size(); ++i) {
      const std::int64_t value = values[process.slots[i]];
      here[i] = {std::min(here[i].low, value), std::max(here[i].high, value)};
    }
  }
}

void Intervals::find_processes() {
  const std::vector<std::uint8_t> located = located_by_moves_and_placements(system_);
  std::vector<std::uint8_t> is_own(system_.slots.size(), 0);
  for (SlotId s = 0; s < system_.slots.size(); ++s) {
    const ComponentId owner = system_.slots[s].owner;
    is_own[s] = owner != no_component && located[owner] != 0;
  }
  if (system_.property)
    for (const SlotId slot : system_.property->slots) is_own[slot] = 0;
  for (const Action& action : system_.actions) {
    const auto& placements = placements_.emplace_back(placements_of(action, system_));
    for (const SlotId slot : action.writes) {
      const ComponentId owner = system_.slots[slot].owner;
      if (std::ranges::find(action.participants, owner, &Participant::component) ==
              action.participants.end() &&
          std::ranges::find(placements, owner, &Placement::component) == placements.end())
        is_own[slot] = 0;
    }
  }
  for (SlotId s = 0; s < system_.slots.size(); ++s)
    if (is_own[s] != 0) processes_[system_.slots[s].owner].slots.push_back(s);
  for (ComponentId c = 0; c < processes_.size(); ++c)
    if (located[c] != 0) processes_[c].at.resize(system_.components[c].locations.size());
}

void Intervals::run_to_the_end() {
  // How often actions are tried before what still grows is taken to grow to the end of its range: enough for
  // every loop over a byte unless the system is huge.
  constexpr std::size_t max_rounds = 600, max_trials = 1'000'000;
  std::vector<std::vector<Condition>> conditions;
  for (const Action& action : system_.actions)
    conditions.push_back(conditions_of(action, system_, [](const Expr&, const auto&) { return true; }));
  std::size_t trials = 0;
  bool grown = true;
  for (std::size_t round = 0; grown; ++round) {
    grown = false;
    for (ActionId a = 0; a < system_.actions.size(); ++a, ++trials) {
      const Box box = box_of(system_.actions[a], conditions[a]);
      if (!is_empty(box) && grow(box, a, round > max_rounds || trials > max_trials)) grown = true;
    }
  }
}

const Interval& Intervals::in(const Box& box, SlotId slot) const {
  const auto at = std::ranges::lower_bound(box, slot, {}, &Box::value_type::first);
  return at != box.end() && at->first == slot ? at->second : reached_[slot];
}

void Intervals::narrow(Box& box, SlotId slot, std::int64_t low, std::int64_t high) const {
  auto at = std::ranges::lower_bound(box, slot, {}, &Box::value_type::first);
  if (at == box.end() || at->first != slot) at = box.insert(at, {slot, reached_[slot]});
  at->second.low = std::max(at->second.low, low);
  at->second.high = std::min(at->second.high, high);
}

/// To the states in which the condition holds, as far as a box can say that.
void Intervals::narrow(Box& box, const Condition& condition) const {
  if (!condition.is_about_slot()) return;
  const SlotId slot = condition.subject.slot;
  if (!condition.is_outside) return narrow(box, slot, condition.low, condition.high);
  // What is excluded at an end of the interval makes it shorter.
  const Interval now = in(box, slot);
  if (condition.low <= now.low && now.low <= condition.high) narrow(box, slot, condition.high + 1, now.high);
  if (condition.low <= now.high && now.high <= condition.high) narrow(box, slot, now.low, condition.low - 1);
}

/// To what the variables of processes can be at the locations that the box leaves them.
void Intervals::narrow_by_locations(Box& box) const {
  for (ComponentId c = 0; c < processes_.size(); ++c) {
    const Process& process = processes_[c];
    if (process.at.empty()) continue;
    const Interval places = in(box, system_.components[c].location_slot);
    const auto locations = static_cast<std::int64_t>(process.at.size());
    if (places.low < 0 || places.high >= locations) continue;  // an error state may be at no location
    for (std::size_t i = 0; i < process.slots.size(); ++i) {
      Interval value{1, 0};
      for (std::int64_t l = places.low; l <= places.high; ++l) {
        const auto& here = process.at[static_cast<std::size_t>(l)];
        if (here.empty()) continue;
        value = is_empty(value)
                    ? here[i]
                    : Interval{std::min(value.low, here[i].low), std::max(value.high, here[i].high)};
      }
      narrow(box, process.slots[i], value.low, value.high);
    }
  }
}

bool Intervals::may_hold(const Box& box, const Expr& expr) {
  const Interval value = within(box, expr);
  if (value.may_fail) return true;
  if (value.low == 0 && value.high == 0) return false;
  if (expr.op == Op::logic_or)
    return std::ranges::any_of(expr.args, [&](const Expr& arg) { return may_hold(box, arg); });
  if (expr.op != Op::logic_and) return true;
  const std::vector<Condition> parts = conditions_of(expr, [](const Expr&, const auto&) { return false; });
  Box narrowed = box;
  for (const Condition& part : parts) narrow(narrowed, part);
  if (is_empty(narrowed)) return false;
  narrow_by_locations(narrowed);
  return !is_empty(narrowed) && std::ranges::all_of(parts, [&](const Condition& part) {
    return part.is_about_slot() || may_hold(narrowed, part.guard);
  });
}

Box Intervals::box_of(const Action& action, const std::vector<Condition>& conditions) const {
  Box box;
  for (const Participant& participant : action.participants) {
    const Process& process = processes_[participant.component];
    if (process.at.empty()) continue;
    const auto& here = process.at[participant.from];
    for (std::size_t i = 0; i < here.size(); ++i) narrow(box, process.slots[i], here[i].low, here[i].high);
  }
  for (std::size_t counter = 0; counter < counters_.slots().size(); ++counter) {
    const SlotId slot = counters_.slots()[counter];
    if (!std::ranges::binary_search(action.reads, slot)) continue;
    const Interval value = counters_.where_enabled(counter, action);
    narrow(box, slot, value.low, value.high);
  }
  for (const Condition& condition : conditions) narrow(box, condition);
  return box;
}

/// Adds the states that the action leads to from the box.
bool Intervals::grow(const Box& box, ActionId id, bool widen) {
  const Action& action = system_.actions[id];
  enter(box);
  const bool ends = run(action).ends;
  bool grown = false;
  if (ends) {
    for (const SlotId slot : changed_) grown |= join(slot, reached_[slot], widen);
    for (const Participant& participant : action.participants)
      grown |= arrive(participant.component, participant.to, widen);
    for (const Placement& placement : placements_[id])
      grown |= arrive(placement.component, placement.to, widen);
  }
  leave(box);
  return grown;
}

/// Adds the values that the variables of the process have now to those at the location.
bool Intervals::arrive(ComponentId component, LocationId to, bool widen) {
  Process& process = processes_[component];
  if (process.at.empty()) return false;
  bool grown = false;
  auto& there = process.at[to];
  if (there.empty())
    for (const SlotId slot : process.slots) there.push_back(now_[slot]), grown = true;
  for (std::size_t i = 0; i < there.size(); ++i) grown |= join(process.slots[i], there[i], widen);
  return grown;
}

/// Extends the interval by what the slot is now.
bool Intervals::join(SlotId slot, Interval& reached, bool widen) const {
  const Range range = system_.slots[slot].range;
  const Interval& now = now_[slot];
  const bool down = now.low < reached.low;
  const bool up = now.high > reached.high;
  if (down) reached.low = widen ? range.low : now.low;
  if (up) reached.high = widen ? range.high : now.high;
  return down || up;
}

void Intervals::enter(const Box& box) {
  for (const auto& [slot, interval] : box) before_[slot] = now_[slot] = interval;
}

void Intervals::leave(const Box& box) {
  for (const auto& [slot, interval] : box) before_[slot] = now_[slot] = reached_[slot];
  for (const SlotId slot : changed_) before_[slot] = now_[slot] = reached_[slot];
  changed_.clear();
}

/// Runs the effects on the intervals.
Intervals::Ending Intervals::run(const Action& action) {
  Ending ending;
  for (const Assignment& effect : action.effects) {
    const Range range = system_.slots[effect.slot].range;
    Interval value = interval_of(effect.value, system_, {now_, before_});
    ending.may_fail |=
        value.may_fail || (!system_.ranges_are_proven && (value.low < range.low || value.high > range.high));
    value = {std::max<std::int64_t>(value.low, range.low), std::min<std::int64_t>(value.high, range.high)};
    Interval index{0, 0};
    if (effect.index) {
      index = interval_of(*effect.index, system_, {now_, before_});
      ending.may_fail |= index.may_fail || index.low < 0 || index.high >= effect.length;
      index = {std::max<std::int64_t>(index.low, 0), std::min<std::int64_t>(index.high, effect.length - 1)};
    }
    if (is_empty(value) || is_empty(index)) return {.may_fail = true, .ends = false};
    for (std::int64_t i = index.low; i <= index.high; ++i) {
      const SlotId slot = effect.slot + static_cast<SlotId>(i);
      Interval& now = now_[slot];
      now =
          index.is_single() ? value : Interval{std::min(now.low, value.low), std::max(now.high, value.high)};
      changed_.push_back(slot);
    }
  }
  return ending;
}

Interval Intervals::within(const Box& box, const Expr& expr) {
  enter(box);
  const Interval interval = interval_of(expr, system_, {now_, before_});
  leave(box);
  return interval;
}

Interval Intervals::after(const Box& box, const Action& action, const Expr& expr) {
  enter(box);
  run(action);
  const Interval interval = interval_of(expr, system_, {now_, now_});
  leave(box);
  return interval;
}

bool Intervals::may_fail(const Box& box, const Action& action) {
  enter(box);
  const bool may_fail = run(action).may_fail;
  leave(box);
  return may_fail;
}

}  // namespace tideline::por
