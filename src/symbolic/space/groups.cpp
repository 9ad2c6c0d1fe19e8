// Groups of slots of which at most one is not 0, see order.hpp.
//
// A group is grown from a slot that is 1 at the beginning. While some action changes the sum of the
// group, another slot that compensates for it is added; where there are several, all are tried in turn,
// up to a bound.
#include <algorithm>
#include <map>
#include <set>

#include "symbolic/space/order.hpp"

namespace tideline::symbolic {

namespace {

constexpr std::size_t most_slots = 64;   ///< of a group
constexpr std::size_t most_tries = 400;  ///< additions for one seed

/// How an action changes a slot by a constant: `p := p + c`.
std::optional<std::int64_t> change_by(const Assignment& effect) {
  const Expr& value = effect.value;
  if (effect.index || (value.op != Op::add && value.op != Op::sub)) return std::nullopt;
  if (value.args[0].op != Op::load || value.args[0].slot != effect.slot || !value.args[1].is_constant())
    return std::nullopt;
  return value.op == Op::add ? value.args[1].value : -value.args[1].value;
}

class GroupFinder {
 public:
  explicit GroupFinder(const System& system) : system_(system), actions_of_(system.slots.size()) {
    std::vector<bool> usable(system.slots.size());
    for (SlotId s = 0; s < system.slots.size(); ++s)
      usable[s] = system.slots[s].range.low == 0 && (system.initial[s] == 0 || system.initial[s] == 1);
    changes_.resize(system.actions.size());
    for (ActionId a = 0; a < system.actions.size(); ++a)
      for (const Assignment& effect : system.actions[a].effects) {
        const auto change = change_by(effect);
        if (!change || changes_[a].contains(effect.slot)) {
          for (SlotId s = effect.slot; s < effect.slot + effect.length; ++s) usable[s] = false;
        } else {
          changes_[a][effect.slot] = *change;
          actions_of_[effect.slot].push_back(a);
          if (*change != 1 && *change != -1) usable[effect.slot] = false;
        }
      }
    usable_ = std::move(usable);
  }

  Groups find() {
    std::vector<std::vector<SlotId>> found;
    for (SlotId s = 0; s < system_.slots.size(); ++s)
      if (usable_[s] && system_.initial[s] == 1 && !actions_of_[s].empty()) {
        tries_ = 0;
        group_ = {s};
        sums_.clear();
        add_changes(s, 1);
        if (grow()) found.emplace_back(group_.begin(), group_.end());
      }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    std::vector<bool> taken(system_.slots.size());
    Groups groups;
    for (const auto& candidate : found) {
      std::vector<SlotId> rest;
      for (const SlotId s : candidate)
        if (!taken[s]) rest.push_back(s);
      if (rest.size() < 2) continue;
      for (const SlotId s : rest) taken[s] = true;
      groups.push_back(std::move(rest));
    }
    return groups;
  }

 private:
  void add_changes(SlotId slot, std::int64_t sign) {
    for (const ActionId a : actions_of_[slot])
      if ((sums_[a] += sign * changes_[a].at(slot)) == 0) sums_.erase(a);
  }

  bool grow() {
    if (sums_.empty()) return true;
    if (group_.size() >= most_slots) return false;
    const auto [action, sum] = *sums_.begin();
    for (const auto& [slot, change] : changes_[action]) {
      if (change * sum >= 0 || !usable_[slot] || system_.initial[slot] != 0 || group_.contains(slot))
        continue;
      if (++tries_ > most_tries) return false;
      group_.insert(slot);
      add_changes(slot, 1);
      if (grow()) return true;
      group_.erase(slot);
      add_changes(slot, -1);
    }
    return false;
  }

  const System& system_;
  std::vector<std::map<SlotId, std::int64_t>> changes_;  ///< by action
  std::vector<std::vector<ActionId>> actions_of_;        ///< by slot
  std::vector<bool> usable_;
  std::set<SlotId> group_;
  std::map<ActionId, std::int64_t> sums_;  ///< how actions change the sum of the group, where they do
  std::size_t tries_ = 0;
};

}  // namespace

Groups find_groups(const System& system) {
  return GroupFinder(system).find();
}

}  // namespace tideline::symbolic
