#include "reduce/order.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace tideline::por {

namespace {

/// What an action does to a slot.
struct Change {
  ActionId action = 0;
  Interval from = {}, to = {};
  std::int64_t amount = 0;  ///< where it is known by how much, but not from where to where

  bool is_step() const { return amount == 0 && from.is_single() && to.is_single(); }
};

enum class Course : std::uint8_t { stays, leads_on, leads_back };

/// The order of a slot's values.
struct Growth {
  bool upwards = true;
  std::map<std::int64_t, std::size_t> places = {};  ///< of the values, if they have an order of their own

  Course course(const Change& change) const {
    std::int64_t low = 0, high = 0;  // by how much it grows
    if (change.amount != 0) {
      low = high = change.amount;
    } else if (!places.empty()) {
      low = high = place(change.to) - place(change.from);
    } else {
      low = change.to.low > change.from.high ? 1 : change.to.low < change.from.high ? -1 : 0;
      high = change.to.high > change.from.low ? 1 : change.to.high < change.from.low ? -1 : 0;
    }
    const std::int64_t least_growth = upwards ? low : -high;
    return least_growth > 0 ? Course::leads_on : least_growth < 0 ? Course::leads_back : Course::stays;
  }

 private:
  std::int64_t place(const Interval& value) const { return static_cast<std::int64_t>(places.at(value.low)); }
};

/// An order of the values in which few steps lead back: the greedy one of P. Eades, X. Lin, W. F. Smyth (A
/// fast and effective heuristic for the feedback arc set problem, 1993). Of equal values the one nearest to
/// the initial value comes first.
class ValueOrder {
 public:
  explicit ValueOrder(std::int64_t initial) { add(initial); }

  void add_step(std::int64_t from, std::int64_t to, std::size_t weight) {
    const std::size_t a = add(from), b = add(to);
    if (a == b || weight == 0) return;
    values_[a].out.push_back({b, weight});
    values_[b].in.push_back({a, weight});
  }

  /// How many values there are: the order takes the square of it in time.
  std::size_t size() const { return values_.size(); }

  std::map<std::int64_t, std::size_t> places() && {
    std::vector<std::size_t> first, last;
    for (std::size_t left = values_.size(); left > 0; --left) {
      std::size_t best = values_.size();
      std::int64_t most = 0;
      bool at_end = false;
      for (std::size_t v = 0; v < values_.size() && !at_end; ++v) {
        if (values_[v].is_placed) continue;
        const std::size_t in = weight(values_[v].in), out = weight(values_[v].out);
        const auto gain = static_cast<std::int64_t>(out) - static_cast<std::int64_t>(in);
        if (best == values_.size() || gain > most || in == 0) {
          best = v;
          most = gain;
        }
        if (in == 0) break;
        if (out == 0) {
          best = v;
          at_end = true;
        }
      }
      values_[best].is_placed = true;
      (at_end ? last : first).push_back(best);
    }
    first.insert(first.end(), last.rbegin(), last.rend());
    std::map<std::int64_t, std::size_t> places;
    for (std::size_t place = 0; place < first.size(); ++place) places[values_[first[place]].value] = place;
    return places;
  }

 private:
  struct Neighbour {
    std::size_t value, weight;
  };
  struct Value {
    std::int64_t value = 0;
    std::vector<Neighbour> in = {}, out = {};
    bool is_placed = false;
  };

  std::size_t add(std::int64_t value) {
    const auto [at, is_new] = numbers_.try_emplace(value, values_.size());
    if (is_new) values_.push_back({value});
    return at->second;
  }
  std::size_t weight(const std::vector<Neighbour>& neighbours) const {
    std::size_t sum = 0;
    for (const Neighbour& n : neighbours)
      if (!values_[n.value].is_placed) sum += n.weight;
    return sum;
  }

  std::vector<Value> values_;
  std::map<std::int64_t, std::size_t> numbers_;
};

class Ordering {
 public:
  Ordering(const System& system, const std::vector<std::uint8_t>& is_indifferent)
      : system_(system),
        is_indifferent_(is_indifferent),
        changes_(system.slots.size()),
        is_open_(system.actions.size(), 1),
        leads_on_(system.actions.size(), 0) {}

  void add(SlotId slot, const Change& change) { changes_[slot].push_back(change); }

  std::vector<std::uint8_t> run() && {
    constexpr std::size_t max_work = 20'000'000;
    for (std::size_t work = 0; work < max_work;) {
      std::optional<Candidate> best;
      for (SlotId slot = 0; slot < changes_.size(); ++slot) {
        std::erase_if(changes_[slot], [&](const Change& change) { return is_open_[change.action] == 0; });
        work += 1 + changes_[slot].size();
        if (changes_[slot].empty()) continue;
        for (Growth& growth : growths(slot)) consider(slot, std::move(growth), best);
      }
      if (!best) break;
      for (const Change& change : changes_[best->slot]) {
        const Course course = best->growth.course(change);
        if (course == Course::stays) continue;
        is_open_[change.action] = 0;
        leads_on_[change.action] = course == Course::leads_on;
      }
      changes_[best->slot].clear();
    }
    return std::move(leads_on_);
  }

 private:
  struct Candidate {
    SlotId slot = 0;
    Growth growth = {};
    std::size_t on = 0, back = 0;  ///< weights of actions

    bool is_better_than(const Candidate& other) const { return on * other.back > other.on * back; }
  };

  std::vector<Growth> growths(SlotId slot) const {
    constexpr std::size_t max_values = 1000;
    const auto is_step = [](const Change& change) { return change.is_step(); };
    if (std::ranges::all_of(changes_[slot], is_step)) {
      ValueOrder order(system_.initial[slot]);
      for (const Change& change : changes_[slot])
        order.add_step(change.from.low, change.to.low, weight(change.action));
      if (order.size() <= max_values) return {{.places = std::move(order).places()}};
    }
    return {{}, {.upwards = false}};
  }

  void consider(SlotId slot, Growth growth, std::optional<Candidate>& best) const {
    Candidate candidate{slot, std::move(growth)};
    for (const Change& change : changes_[slot]) {
      const Course course = candidate.growth.course(change);
      if (course == Course::leads_on) candidate.on += weight(change.action);
      if (course == Course::leads_back) candidate.back += weight(change.action);
    }
    if (candidate.on != 0 && (!best || candidate.is_better_than(*best))) best = std::move(candidate);
  }

  std::size_t weight(ActionId action) const { return is_indifferent_[action] != 0 ? 0 : 1; }

  const System& system_;
  const std::vector<std::uint8_t>& is_indifferent_;
  std::vector<std::vector<Change>> changes_;  ///< by slot
  std::vector<std::uint8_t> is_open_;         ///< what decides about the action is not known yet
  std::vector<std::uint8_t> leads_on_;
};

}  // namespace

std::vector<std::uint8_t> actions_that_lead_on(const System& system, ErrorSemantics errors,
                                               const std::vector<Footprint>& footprints, Intervals& intervals,
                                               const std::vector<std::uint8_t>& is_indifferent) {
  Ordering ordering(system, is_indifferent);
  for (ActionId a = 0; a < footprints.size(); ++a) {
    const Footprint& footprint = footprints[a];
    if (footprint.never_happens) continue;
    const bool goes_anywhere =
        footprint.is_several || (footprint.may_fail && errors == ErrorSemantics::error_state);
    for (const Write& write : footprint.writes) {
      Change change{a, intervals.in(footprint.needs, write.slot)};
      if (goes_anywhere)
        change.to = {};
      else if (write.kind == Write::Kind::addition)
        change.amount = write.amount;
      else
        change.to = intervals.after(footprint.needs, system.actions[a], Expr::load(write.slot));
      ordering.add(write.slot, change);
    }
  }
  return std::move(ordering).run();
}

}  // namespace tideline::por
