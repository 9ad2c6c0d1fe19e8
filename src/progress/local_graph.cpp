#include "progress/local_graph.hpp"

#include <algorithm>
#include <map>

namespace tideline {

namespace {

using Values = std::vector<std::int32_t>;

class LocalExploration {
 public:
  LocalExploration(const System& system, std::vector<SlotId> slots, const LocalGraphOptions& options)
      : system_(system),
        options_(options),
        base_(options.ranges.empty() ? slot_ranges(system) : options.ranges),
        before_(base_),
        now_(base_) {
    graph_.slots = std::move(slots);
    for (ActionId id = 0; id < system.actions.size(); ++id) {
      const Action& action = system.actions[id];
      const bool writes = std::ranges::any_of(
          graph_.slots, [&](SlotId slot) { return std::ranges::binary_search(action.writes, slot); });
      if (writes || options.errors == ErrorSemantics::error_state) actions_.push_back(id);
    }
  }

  std::optional<LocalGraph> run() {
    number_of(group_values(system_.initial));
    for (LocalGraph::State state = 0; state < graph_.size(); ++state) {
      go_to(state);
      for (const ActionId action : actions_)
        if (!add_edges(state, action)) return std::nullopt;
      const auto own = graph_.edges.begin() + graph_.first_edge.back();
      std::sort(own, graph_.edges.end());
      graph_.edges.erase(std::unique(own, graph_.edges.end()), graph_.edges.end());
      if (too_large()) return std::nullopt;
      graph_.first_edge.push_back(static_cast<std::uint32_t>(graph_.edges.size()));
    }
    return std::move(graph_);
  }

 private:
  Values group_values(const std::vector<std::int32_t>& all) const {
    Values values;
    for (const SlotId slot : graph_.slots) values.push_back(all[slot]);
    return values;
  }

  LocalGraph::State number_of(const Values& values) {
    const auto [place, is_new] = numbers_.try_emplace(values, static_cast<LocalGraph::State>(graph_.size()));
    if (is_new) graph_.values.insert(graph_.values.end(), values.begin(), values.end());
    return place->second;
  }

  /// Gives the group the values of the state.
  void go_to(LocalGraph::State state) {
    for (std::size_t i = 0; i < graph_.slots.size(); ++i) {
      const std::int32_t value = graph_.state(state)[i];
      base_[graph_.slots[i]] = {value, value};
      reset(graph_.slots[i]);
    }
  }
  void reset(SlotId slot) { before_[slot] = now_[slot] = base_[slot]; }

  /// False: there are too many.
  bool add_edges(LocalGraph::State from, ActionId id) {
    const bool few = try_action(from, id);
    for (const SlotId slot : touched_) reset(slot);
    touched_.clear();
    return few;
  }

  bool try_action(LocalGraph::State from, ActionId id) {
    const Action& action = system_.actions[id];
    may_fail_ = false;
    const bool possible = is_possible(action) && std::ranges::all_of(action.effects, [&](const auto& effect) {
                            return assign(effect);
                          });
    if (may_fail_ && options_.errors == ErrorSemantics::error_state)
      add_edge(from, group_values(*system_.error_state), id);
    return !possible || add_targets(from, id);
  }

  /// False: with these values of the group the action can never be taken without an error.
  bool is_possible(const Action& action) {
    for (const Participant& participant : action.participants) {
      if (participant.from == any_location) continue;
      const SlotId slot = system_.components[participant.component].location_slot;
      if (!before_[slot].contains(participant.from)) return false;
      touched_.push_back(slot);
      before_[slot] = now_[slot] = {participant.from, participant.from};
    }
    for (const Participant& participant : action.participants)
      if (!may_be_true(participant.guard)) return false;
    return may_be_true(action.guard);
  }

  bool may_be_true(const Expr& guard) {
    const Interval value = evaluate(guard);
    return value.low != 0 || value.high != 0;
  }

  Interval evaluate(const Expr& expr) {
    const Interval value = interval_of(expr, system_, {now_, before_});
    may_fail_ = may_fail_ || value.may_fail;
    return value;
  }

  /// False: it always ends in an error.
  bool assign(const Assignment& effect) {
    Interval at{0, 0};
    if (effect.index) at = evaluate(*effect.index);
    Interval value = evaluate(effect.value);
    const std::int64_t last = std::int64_t{effect.length} - 1;
    may_fail_ = may_fail_ || at.low < 0 || at.high > last;
    bool possible = false;
    for (std::int64_t i = std::max<std::int64_t>(at.low, 0); i <= std::min(at.high, last); ++i) {
      const SlotId slot = effect.slot + static_cast<SlotId>(i);
      const Range& range = system_.slots[slot].range;
      may_fail_ = may_fail_ || value.low < range.low || value.high > range.high;
      const Interval fitting{std::max<std::int64_t>(value.low, range.low),
                             std::min<std::int64_t>(value.high, range.high)};
      if (fitting.low > fitting.high) continue;
      possible = true;
      touched_.push_back(slot);
      Interval& old = now_[slot];
      old = at.is_single() ? fitting
                           : Interval{std::min(old.low, fitting.low), std::max(old.high, fitting.high)};
    }
    return possible;
  }

  /// All values that the group may have now.
  bool add_targets(LocalGraph::State from, ActionId action) {
    Values values;
    for (const SlotId slot : graph_.slots) values.push_back(static_cast<std::int32_t>(now_[slot].low));
    for (;;) {
      add_edge(from, values, action);
      if (too_large()) return false;
      std::size_t i = 0;
      for (; i < values.size(); ++i) {
        const Interval& interval = now_[graph_.slots[i]];
        if (values[i] < interval.high) {
          ++values[i];
          break;
        }
        values[i] = static_cast<std::int32_t>(interval.low);
      }
      if (i == values.size()) return true;
    }
  }

  bool too_large() const {
    return graph_.size() > options_.most_states || graph_.edges.size() > options_.most_edges;
  }

  void add_edge(LocalGraph::State from, const Values& to, ActionId action) {
    const LocalGraph::State number = number_of(to);
    if (number != from) graph_.edges.push_back({number, action});
  }

  const System& system_;
  const LocalGraphOptions& options_;
  /// The intervals of slots in the state of the group, when the action begins, and after some of its effects.
  std::vector<Interval> base_, before_, now_;
  std::vector<SlotId> touched_;    // where the last two may differ from the first
  std::vector<ActionId> actions_;  // those that may change the group
  bool may_fail_ = false;          // the action being taken
  LocalGraph graph_;
  std::map<Values, LocalGraph::State> numbers_;
};

}  // namespace

std::optional<LocalGraph> local_graph(const System& system, std::vector<SlotId> slots,
                                      const LocalGraphOptions& options) {
  return LocalExploration(system, std::move(slots), options).run();
}

}  // namespace tideline
