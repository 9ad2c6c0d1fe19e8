#include "progress/local_graph.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "model/each_once.hpp"

namespace tideline {

using Values = std::vector<std::int32_t>;

namespace {

std::uint64_t nodes_of(const Expr& expr) {
  std::uint64_t nodes = 1;
  for (const Expr& argument : expr.args) nodes += nodes_of(argument);
  return nodes;
}

/// Of all expressions that are evaluated when the action is tried.
std::uint64_t nodes_of(const Action& action) {
  std::uint64_t nodes = nodes_of(action.guard);
  for (const Participant& participant : action.participants) nodes += nodes_of(participant.guard);
  for (const Assignment& effect : action.effects) nodes += nodes_of(effect.value);
  return nodes;
}

}  // namespace

class LocalGraphs::Exploration {
 public:
  Exploration(const System& system, LocalGraphOptions options)
      : system_(system),
        options_(std::move(options)),
        check_limits_(options_.budget),
        writers_(system.slots.size()) {
    if (options_.ranges.empty()) options_.ranges = slot_ranges(system);
    base_ = before_ = now_ = options_.ranges;
    for (const Action& action : system.actions) steps_of_.push_back(nodes_of(action) / nodes_a_step);
    for (ActionId id = 0; id < system.actions.size(); ++id)
      for (const SlotId slot : system.actions[id].writes) writers_[slot].push_back(id);
    if (options_.errors == ErrorSemantics::error_state)
      for (ActionId id = 0; id < system.actions.size(); ++id) {
        check_limits_();
        take(id);
        if (may_fail_) fallible_.push_back(id);
        undo();
      }
  }

  std::optional<LocalGraph> run(std::vector<SlotId> slots) {
    graph_ = {.slots = std::move(slots)};
    numbers_.clear();
    choose_actions();
    const bool small = explore();
    for (const SlotId slot : graph_.slots) {
      base_[slot] = options_.ranges[slot];
      reset(slot);
    }
    return small ? std::optional(std::move(graph_)) : std::nullopt;
  }

  void narrow(SlotId slot, Interval range) {
    base_[slot] = options_.ranges[slot] = range;
    reset(slot);
  }
  const std::vector<ActionId>& writers(SlotId slot) const { return writers_[slot]; }
  const LocalGraphOptions& options() const { return options_; }
  std::uint64_t steps() const { return steps_; }

 private:
  Values group_values(const std::vector<std::int32_t>& all) const {
    Values values;
    for (const SlotId slot : graph_.slots) values.push_back(all[slot]);
    return values;
  }

  void choose_actions() {
    actions_.clear();
    for (const SlotId slot : graph_.slots)
      actions_.insert(actions_.end(), writers_[slot].begin(), writers_[slot].end());
    actions_.insert(actions_.end(), fallible_.begin(), fallible_.end());
    keep_each_once(actions_);
  }

  /// False: it is too large.
  bool explore() {
    number_of(group_values(system_.initial));
    for (LocalGraph::State state = 0; state < graph_.size(); ++state) {
      go_to(state);
      for (const ActionId action : actions_)
        if (!add_edges(state, action)) return false;
      const auto own = graph_.edges.begin() + graph_.first_edge.back();
      std::sort(own, graph_.edges.end());
      graph_.edges.erase(std::unique(own, graph_.edges.end()), graph_.edges.end());
      if (too_large()) return false;
      graph_.first_edge.push_back(static_cast<std::uint32_t>(graph_.edges.size()));
    }
    return true;
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
    ++steps_;
    check_limits_();
    const bool possible = take(id);
    if (may_fail_ && options_.errors == ErrorSemantics::error_state)
      add_edge(from, group_values(*system_.error_state), id);
    const bool few = !possible || add_targets(from, id);
    undo();
    return few;
  }

  /// False: it cannot be taken.
  bool take(ActionId id) {
    const Action& action = system_.actions[id];
    may_fail_ = false;
    if (!starts_here(action)) return false;
    steps_ += steps_of_[id];
    return is_possible(action) &&
           std::ranges::all_of(action.effects, [&](const auto& effect) { return assign(effect); });
  }
  void undo() {
    for (const SlotId slot : touched_) reset(slot);
    touched_.clear();
  }

  /// Puts its processes where it starts. False: one cannot be there.
  bool starts_here(const Action& action) {
    for (const Participant& participant : action.participants) {
      if (participant.from == any_location) continue;
      const SlotId slot = system_.components[participant.component].location_slot;
      if (!before_[slot].contains(participant.from)) return false;
      touched_.push_back(slot);
      before_[slot] = now_[slot] = {participant.from, participant.from};
    }
    return true;
  }

  /// False: with these values of the group the action can never be taken without an error.
  bool is_possible(const Action& action) {
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
    std::int64_t targets = 1;
    for (const SlotId slot : graph_.slots) {
      targets *= now_[slot].high - now_[slot].low + 1;
      if (targets > options_.most_targets) return false;
    }
    steps_ += static_cast<std::uint64_t>(targets);
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
  LocalGraphOptions options_;
  LimitCheck check_limits_;
  std::vector<std::vector<ActionId>> writers_;  // by slot
  std::vector<std::uint64_t> steps_of_;         // by action: as what its expressions count, beside one step
  std::vector<ActionId> fallible_;              // those that may end in the error state
  /// The intervals of slots in the state of the group, when the action begins, and after some of its effects.
  std::vector<Interval> base_, before_, now_;
  std::vector<SlotId> touched_;    // where the last two may differ from the first
  std::vector<ActionId> actions_;  // those that may change the group
  bool may_fail_ = false;          // the action being taken
  LocalGraph graph_;
  std::map<Values, LocalGraph::State> numbers_;
  static constexpr std::uint64_t nodes_a_step = 16;
  std::uint64_t steps_ = 0;
};

LocalGraphs::LocalGraphs(const System& system, LocalGraphOptions options)
    : exploration_(std::make_unique<Exploration>(system, std::move(options))) {}
LocalGraphs::~LocalGraphs() = default;

std::optional<LocalGraph> LocalGraphs::of(std::vector<SlotId> slots) {
  return exploration_->run(std::move(slots));
}
const std::vector<ActionId>& LocalGraphs::writers(SlotId slot) const {
  return exploration_->writers(slot);
}
void LocalGraphs::narrow(SlotId slot, Interval range) {
  exploration_->narrow(slot, range);
}
const LocalGraphOptions& LocalGraphs::options() const {
  return exploration_->options();
}
std::uint64_t LocalGraphs::steps() const {
  return exploration_->steps();
}

std::optional<LocalGraph> local_graph(const System& system, std::vector<SlotId> slots,
                                      const LocalGraphOptions& options) {
  return LocalGraphs(system, options).of(std::move(slots));
}

}  // namespace tideline
