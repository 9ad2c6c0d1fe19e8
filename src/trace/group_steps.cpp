#include "trace/group_steps.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace tideline {

namespace {

using Components = std::vector<ComponentId>;
using StepIndex = std::size_t;

Components common(const Components& a, const Components& b) {
  Components both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

/// Which steps of a part of a run have to come before which others.
struct Order {
  std::vector<std::vector<StepIndex>> after;  ///< by step: those that directly depend on it
  std::vector<std::vector<StepIndex>> before;
};

/// `visible`: steps that write one of these keep their order.
Order order_of(const std::vector<StepUse>& uses, const std::vector<ActionId>& actions, StepIndex first,
               StepIndex end, const Slots& visible) {
  Order order{.after = std::vector<std::vector<StepIndex>>(end - first),
              .before = std::vector<std::vector<StepIndex>>(end - first)};
  struct Access {
    std::optional<StepIndex> writer;
    std::vector<StepIndex> readers;  // since then
  };
  std::unordered_map<SlotId, Access> accesses;
  std::optional<StepIndex> last_visible;
  std::optional<StepIndex> barrier;
  for (StepIndex i = 0; i < end - first; ++i) {
    std::set<StepIndex> before;
    const StepUse& use = uses[first + i];
    for (const SlotId slot : use.reads) {
      Access& access = accesses[slot];
      if (access.writer) before.insert(*access.writer);
      access.readers.push_back(i);
    }
    bool is_visible = false;
    for (const WrittenValue& write : use.writes) {
      Access& access = accesses[write.slot];
      if (access.writer) before.insert(*access.writer);
      before.insert(access.readers.begin(), access.readers.end());
      access = {.writer = i, .readers = {}};
      is_visible = is_visible || std::ranges::binary_search(visible, write.slot);
    }
    if (is_visible && last_visible) before.insert(*last_visible);
    if (is_visible) last_visible = i;
    if (barrier) before.insert(*barrier);
    if (actions[first + i] == no_action) {  // the repetition of a deadlock, which all steps lead to
      for (StepIndex j = barrier.value_or(0); j < i; ++j) before.insert(j);
      barrier = i;
    }
    before.erase(i);
    for (const StepIndex j : before) order.after[j].push_back(i);
    order.before[i].assign(before.begin(), before.end());
  }
  return order;
}

/// An order of the steps of a part, as it is being made.
class Schedule {
 public:
  /// `uses` are those of the part.
  Schedule(const std::vector<std::vector<StepIndex>>& after,
           const std::vector<std::vector<StepIndex>>& before, std::vector<const StepUse*> uses,
           bool backwards)
      : after_(after), uses_(std::move(uses)), backwards_(backwards), waits_for_(after.size()) {
    for (StepIndex i = 0; i < after.size(); ++i) {
      waits_for_[i] = before[i].size();
      if (before[i].empty()) ready_.insert(i);
    }
  }

  std::vector<StepIndex> make() {
    while (!ready_.empty()) take(next());
    return std::move(order_);
  }

 private:
  StepIndex next() {
    if (order_.empty()) return start_group();
    const StepIndex last = order_.back();
    if (uses_[last]->components.empty()) {
      for (const StepIndex step : after_[last])
        if (ready_.contains(step)) return step;
      return first_ready();
    }
    for (const StepIndex step : in_order())
      if (!common(uses_[step]->components, current_).empty()) return step;
    return start_group();
  }

  std::vector<StepIndex> in_order() const {
    return backwards_ ? std::vector<StepIndex>(ready_.rbegin(), ready_.rend())
                      : std::vector<StepIndex>(ready_.begin(), ready_.end());
  }
  StepIndex first_ready() const { return backwards_ ? *ready_.rbegin() : *ready_.begin(); }

  StepIndex start_group() {
    StepIndex best = first_ready();
    std::size_t most = 0;
    std::set<ComponentId> seen;
    for (const StepIndex step : in_order())
      for (const ComponentId component : uses_[step]->components) {
        if (!seen.insert(component).second) continue;
        const std::size_t length = steps_in_a_row(component);
        if (length > most) {
          most = length;
          best = step;
          current_ = {component};
        }
      }
    return best;
  }

  /// How many steps the component could take now, one after the other.
  std::size_t steps_in_a_row(ComponentId component) const {
    constexpr std::size_t enough = 1000;
    std::set<StepIndex> ready;
    std::unordered_map<StepIndex, std::size_t> fewer;
    for (const StepIndex step : ready_)
      if (std::ranges::binary_search(uses_[step]->components, component)) ready.insert(step);
    std::size_t count = 0;
    for (; !ready.empty() && count < enough; ++count) {
      const StepIndex step = backwards_ ? *ready.rbegin() : *ready.begin();
      ready.erase(step);
      for (const StepIndex other : after_[step])
        if (++fewer[other] == waits_for_[other] &&
            std::ranges::binary_search(uses_[other]->components, component))
          ready.insert(other);
    }
    return count;
  }

  void take(StepIndex step) {
    const Components both = common(current_, uses_[step]->components);
    current_ = both.empty() ? uses_[step]->components : both;
    order_.push_back(step);
    ready_.erase(step);
    for (const StepIndex other : after_[step])
      if (--waits_for_[other] == 0) ready_.insert(other);
  }

  const std::vector<std::vector<StepIndex>>& after_;
  std::vector<const StepUse*> uses_;
  bool backwards_;
  std::vector<std::size_t> waits_for_;  ///< how many steps have to come before
  std::set<StepIndex> ready_;
  Components current_;  ///< which take part in all steps of the group
  std::vector<StepIndex> order_;
};

/// How many groups the steps are in, in this order.
template <class UseOf>
std::size_t count_groups(std::size_t steps, const UseOf& use_of) {
  std::size_t groups = 0;
  Components current;
  for (std::size_t i = 0; i < steps; ++i) {
    const StepUse& use = use_of(i);
    const bool goes_on = i != 0 && (use.components.empty() ? !are_independent(use_of(i - 1), use)
                                                           : !common(current, use.components).empty());
    if (!goes_on) ++groups;
    current = goes_on ? common(current, use.components) : use.components;
  }
  return groups;
}

/// The best order of a part of the run that is found.
std::vector<StepIndex> best_order(const std::vector<StepUse>& uses, const std::vector<ActionId>& actions,
                                  StepIndex first, StepIndex end, const Slots& visible) {
  const Order order = order_of(uses, actions, first, end, visible);
  std::vector<const StepUse*> own;
  for (StepIndex i = first; i < end; ++i) own.push_back(&uses[i]);
  std::vector<StepIndex> best(end - first);
  std::iota(best.begin(), best.end(), 0);
  const auto groups = [&](const std::vector<StepIndex>& steps) {
    return count_groups(steps.size(), [&](std::size_t i) -> const StepUse& { return *own[steps[i]]; });
  };
  std::vector<StepIndex> forwards = Schedule(order.after, order.before, own, false).make();
  std::vector<StepIndex> backwards = Schedule(order.before, order.after, own, true).make();
  std::ranges::reverse(backwards);
  for (std::vector<StepIndex>* other : {&forwards, &backwards})
    if (groups(*other) < groups(best)) best = std::move(*other);
  for (StepIndex& step : best) step += first;
  return best;
}

}  // namespace

std::vector<StepGroup> groups_of(const Trace& run, const std::vector<StepUse>& uses) {
  std::vector<StepGroup> groups;
  Components current;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const StepUse& use = uses[i];
    const bool may_go_on =
        i != 0 && run.loop != i && uses[i - 1].components.empty() == use.components.empty();
    const bool goes_on = may_go_on && (use.components.empty() ? !are_independent(uses[i - 1], use)
                                                              : !common(current, use.components).empty());
    current = goes_on ? common(current, use.components) : use.components;
    if (!goes_on) groups.push_back({.first = i, .count = 0, .component = no_component});
    ++groups.back().count;
    groups.back().component = current.empty() ? no_component : current.front();
  }
  return groups;
}

DerivedRun group_steps(const Claim& claim, const Trace& run, Effort& effort) {
  DerivedRun same{.run = run, .origin = std::vector<std::size_t>(run.length())};
  std::iota(same.origin.begin(), same.origin.end(), 0);
  const std::size_t steps = run.actions.size();
  if (!effort.spend(steps * (5000 + 8 * run.states.front().size()))) return same;
  const auto uses = uses_of(claim.system, claim.errors, run);
  const Slots visible = goal_of(claim.system, claim.errors, claim.property, run).everywhere;
  std::vector<StepIndex> order = best_order(uses, run.actions, 0, run.loop.value_or(steps), visible);
  if (run.loop) {
    const std::vector<StepIndex> cycle = best_order(uses, run.actions, *run.loop, steps, visible);
    order.insert(order.end(), cycle.begin(), cycle.end());
  }
  if (std::ranges::is_sorted(order)) return same;
  Retaker retaker(claim, run, effort);
  DerivedRun result{.run = {}, .origin = std::move(order)};
  result.run.states = {run.states.front()};
  result.run.loop = run.loop;
  for (std::size_t i = 0; i < steps; ++i)
    if (!retaker.take(run.actions[result.origin[i]], result.run)) return same;
  if (!retaker.finish(result.run)) return same;
  if (run.fails()) result.origin.push_back(steps);
  return result;
}

}  // namespace tideline
