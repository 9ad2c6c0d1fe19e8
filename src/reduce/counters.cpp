#include "reduce/counters.hpp"

#include <algorithm>

#include "reduce/moves.hpp"
#include "reduce/write.hpp"

namespace tideline::por {

namespace {

constexpr std::int64_t endless = std::int64_t{1} << 40;  // beyond every slot's range

/// A move of a process that adds to a slot.
struct Move {
  LocationId from, to;
  std::int64_t amount;
};

/// Least and greatest sums of additions on the way to each location.
std::vector<Interval> sums_by_location(const Component& component, LocationId start,
                                       const std::vector<Move>& moves) {
  constexpr Interval unreached{1, 0};
  std::vector<Interval> at(component.locations.size(), unreached);
  at[start] = {0, 0};
  // A sum that still changes after as many rounds as there are locations goes round a cycle for ever.
  bool changed = true;
  for (std::size_t round = 0; changed; ++round) {
    const bool turns = round > at.size();
    changed = false;
    for (const Move& move : moves) {
      const Interval from = at[move.from];
      if (from.low > from.high) continue;
      Interval& to = at[move.to];
      const std::int64_t low = std::max(from.low + move.amount, -endless);
      const std::int64_t high = std::min(from.high + move.amount, endless);
      if (to.low > to.high) {
        to = {low, high};
        changed = true;
        continue;
      }
      if (low < to.low) to.low = turns ? -endless : low, changed = true;
      if (high > to.high) to.high = turns ? endless : high, changed = true;
    }
  }
  return at;
}

Interval hull_of(const std::vector<Interval>& intervals) {
  Interval hull{0, 0};
  for (const Interval& i : intervals)
    if (i.low <= i.high) hull = {std::min(hull.low, i.low), std::max(hull.high, i.high)};
  return hull;
}

/// The participant by whose location one sees that the action was taken.
const Participant* mover(const Action& action, const std::vector<std::uint8_t>& located) {
  const auto at = std::ranges::find_if(action.participants,
                                       [&](const Participant& p) { return located[p.component] != 0; });
  return at == action.participants.end() ? nullptr : &*at;
}

}  // namespace

Counters::Counters(const System& system, ErrorSemantics errors) : system_(system) {
  if (errors == ErrorSemantics::error_state) return;
  const std::vector<std::uint8_t> located = located_by_moves(system);
  std::vector<std::vector<Write>> writes;
  std::vector<std::uint8_t> is_written(system.slots.size(), 0), is_other(system.slots.size(), 0);
  for (const Action& action : system.actions)
    for (const Write& write : writes.emplace_back(writes_of(action))) {
      is_written[write.slot] = 1;
      if (write.kind != Write::Kind::addition || mover(action, located) == nullptr) is_other[write.slot] = 1;
    }
  for (SlotId slot = 0; slot < system.slots.size(); ++slot) {
    if (is_written[slot] == 0 || is_other[slot] != 0) continue;
    std::vector<std::vector<Move>> moves(system.components.size());
    for (ActionId a = 0; a < system.actions.size(); ++a) {
      const Action& action = system.actions[a];
      const auto write = std::ranges::find(writes[a], slot, &Write::slot);
      for (const Participant& p : action.participants)
        moves[p.component].push_back(
            {p.from, p.to, write != writes[a].end() && &p == mover(action, located) ? write->amount : 0});
    }
    auto& sums = sums_.emplace_back();
    for (ComponentId c = 0; c < system.components.size(); ++c) {
      const Component& component = system.components[c];
      sums.push_back({{}, {0, 0}});
      if (std::ranges::all_of(moves[c], [](const Move& move) { return move.amount == 0; })) continue;
      const auto start = static_cast<LocationId>(system.initial[component.location_slot]);
      sums.back().at = sums_by_location(component, start, moves[c]);
      sums.back().anywhere = hull_of(sums.back().at);
    }
    slots_.push_back(slot);
  }
}

Interval Counters::anywhere(std::size_t counter) const {
  const std::int64_t initial = system_.initial[slots_[counter]];
  Interval value{initial, initial};
  for (const Sums& sums : sums_[counter])
    value = {value.low + sums.anywhere.low, value.high + sums.anywhere.high};
  return value;
}

Interval Counters::where_enabled(std::size_t counter, const Action& action) const {
  Interval value = anywhere(counter);
  for (const Participant& p : action.participants) {
    const Sums& sums = sums_[counter][p.component];
    if (sums.at.empty()) continue;
    const Interval& here = sums.at[p.from];
    value = {value.low - sums.anywhere.low + here.low, value.high - sums.anywhere.high + here.high};
  }
  return value;
}

}  // namespace tideline::por
