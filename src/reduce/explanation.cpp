#include "reduce/explanation.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "model/each_once.hpp"
#include "reduce/relations.hpp"

namespace tideline::por {

namespace {

/// What an action does with slots.
struct Use {
  const Footprint* footprint;
  std::vector<SlotId> reads;  ///< by guard or effects; sorted

  explicit Use(const Footprint& of) : footprint(&of), reads(of.effect_reads) {
    for (const Condition& condition : of.conditions)
      reads.insert(reads.end(), condition.reads.begin(), condition.reads.end());
    keep_each_once(reads);
  }
  bool does_read(SlotId slot) const { return std::ranges::binary_search(reads, slot); }
};

/// Whether the order of the two writes to a slot makes no difference, wherever they happen.
bool commute(const Write& a, const Write& b) {
  if (a.kind != b.kind || a.kind == Write::Kind::any) return false;
  return a.kind == Write::Kind::constant ? a.amount == b.amount : (a.amount >= 0) == (b.amount >= 0);
}

std::vector<SlotId> shared_slots(const Use& a, const Use& b) {
  std::vector<SlotId> slots;
  for (const Write& write : a.footprint->writes) {
    const Write* const other = b.footprint->write_of(write.slot);
    if (b.does_read(write.slot) || (other != nullptr && !commute(write, *other))) slots.push_back(write.slot);
  }
  for (const Write& write : b.footprint->writes)
    if (a.does_read(write.slot)) slots.push_back(write.slot);
  keep_each_once(slots);
  return slots;
}

/// Which processes take part in an action, sorted.
using Team = std::vector<ComponentId>;

bool is_between(const Team& a, const Team& b) {
  return a.empty() || b.empty() || (!std::ranges::includes(a, b) && !std::ranges::includes(b, a));
}

class Explainer {
 public:
  Explainer(const StubbornSets& sets, const ExplanationOptions& options)
      : sets_(sets), relations_(sets.relations()), system_(relations_.system()), options_(options) {
    for (ActionId a = 0; a < system_.actions.size(); ++a) {
      uses_.emplace_back(relations_.footprint(a));
      Team team;
      for (const Participant& participant : system_.actions[a].participants)
        team.push_back(participant.component);
      keep_each_once(team);
      teams_.push_back(std::move(team));
    }
  }

  Explanation take() {
    result_.actions = system_.actions.size();
    result_.needed_in_sample = sets_.needed_in_sample();
    result_.given_up = relations_.given_up();
    count_pairs();
    if (result_.given_up) return std::move(result_);
    find_roles();
    find_pairs();
    return std::move(result_);
  }

 private:
  /// Pairs of actions of two processes.
  struct Meeting {
    Pairs found = {};
    std::map<SlotId, std::uint64_t> about = {};
  };
  /// Conflicts or waits.
  using Kind = std::uint64_t Pairs::*;

  bool is_chosen(ComponentId process) const {
    return options_.processes.empty() ||
           std::ranges::find(options_.processes, process) != options_.processes.end();
  }
  bool is_chosen(const Team& team) const {
    return options_.processes.empty() ||
           std::ranges::any_of(team, [&](ComponentId process) { return is_chosen(process); });
  }

  /// How many pairs of actions there are between processes; those of one team are counted together.
  void count_pairs() {
    std::map<Team, std::uint64_t> sizes;
    for (const Team& team : teams_) ++sizes[team];
    for (auto one = sizes.begin(); one != sizes.end(); ++one) {
      const auto& [team, size] = *one;
      std::uint64_t& others = others_[team];
      if (team.empty()) others += size - 1;
      if (team.empty() && is_chosen(team)) result_.pairs += size * (size - 1) / 2;
      for (auto other = std::next(one); other != sizes.end(); ++other) {
        if (!is_between(team, other->first)) continue;
        others += other->second;
        others_[other->first] += size;
        if (is_chosen(team) || is_chosen(other->first)) result_.pairs += size * other->second;
      }
    }
    for (const Team& team : teams_)
      for (const ComponentId one : team) {
        ++actions_of_[one];
        for (const ComponentId other : team)
          if (one < other) ++actions_of_both_[{one, other}];
      }
    result_.processes = actions_of_.size();
  }

  void find_roles() {
    result_.has_property = relations_.goals() != 0 || !sets_.preserved().observed.empty();
    result_.has_proviso = sets_.has_clean_sets();
    std::vector<std::uint8_t> is_seen(system_.actions.size(), 0);
    for (std::size_t goal = 0; goal < relations_.goals(); ++goal)
      for (const ConditionId condition : relations_.goal(goal))
        for (const ActionId a : relations_.enablers(condition)) is_seen[a] = 1;
    for (ActionId a = 0; a < system_.actions.size(); ++a) {
      if (!is_chosen(teams_[a])) continue;
      if (is_seen[a] != 0 || sets_.dirt(a) == Dirt::is_seen) result_.visible.push_back(a);
      if (sets_.dirt(a) == Dirt::leads_back) result_.leading_back.push_back(a);
      if (relations_.footprint(a).may_fail && !relations_.never_happens(a)) result_.failing.push_back(a);
    }
  }

  void find_pairs() {
    conflicts_of_.assign(system_.actions.size(), 0);
    found_over_.assign(system_.slots.size(), {});
    for (ActionId a = 0; a < system_.actions.size(); ++a) {
      Explanation::Details details{.action = a};
      for (const ActionId b : relations_.conflicts(a)) {
        if (!is_between(teams_[a], teams_[b])) continue;
        ++conflicts_of_[a];
        const bool wanted = options_.details && is_chosen(teams_[a]);
        if (!wanted && a > b) continue;
        std::vector<SlotId> about = shared_slots(uses_[a], uses_[b]);
        if (a < b) add(&Pairs::conflicts, a, b, about);
        if (wanted) details.conflicts.push_back({b, std::move(about)});
      }
      for (auto& [b, about] : enablers_of(a)) {
        add(&Pairs::waits, a, b, about);
        if (options_.details) details.waits_for.push_back({b, std::move(about)});
      }
      if (options_.details && is_chosen(teams_[a])) result_.details.push_back(std::move(details));
    }
    rank_processes();
    rank_slots();
    rank_actions();
  }

  /// Which actions of other processes can make a condition of the action true, and by which slots.
  std::map<ActionId, std::vector<SlotId>> enablers_of(ActionId action) const {
    std::map<ActionId, std::vector<SlotId>> enablers;
    for (const ConditionId c : relations_.conditions(action))
      for (const ActionId b : relations_.enablers(c)) {
        if (b == action || !is_between(teams_[action], teams_[b])) continue;
        for (const SlotId slot : relations_.conditions()[c].reads)
          if (relations_.footprint(b).write_of(slot) != nullptr) enablers[b].push_back(slot);
      }
    for (auto& [b, slots] : enablers) keep_each_once(slots);
    return enablers;
  }

  void add(Kind kind, ActionId a, ActionId b, const std::vector<SlotId>& about) {
    if (!is_chosen(teams_[a]) && !is_chosen(teams_[b])) return;
    ++(result_.found.*kind);
    for (const SlotId slot : about) ++(found_over_[slot].*kind);
    Team only_a, only_b;
    std::ranges::set_difference(teams_[a], teams_[b], std::back_inserter(only_a));
    std::ranges::set_difference(teams_[b], teams_[a], std::back_inserter(only_b));
    for (const ComponentId one : only_a)
      for (const ComponentId other : only_b) {
        if (!is_chosen(one) && !is_chosen(other)) continue;
        Meeting& meeting = meetings_[std::minmax(one, other)];
        ++(meeting.found.*kind);
        for (const SlotId slot : about) ++meeting.about[slot];
      }
  }

  void rank_processes() {
    for (const auto& [processes, meeting] : meetings_) {
      const auto [one, other] = processes;
      const std::uint64_t both = actions_of_both_[processes];
      auto& row = result_.between.emplace_back(
          Explanation::Processes{.one = one,
                                 .other = other,
                                 .found = meeting.found,
                                 .all = (actions_of_[one] - both) * (actions_of_[other] - both)});
      for (const auto& [slot, count] : meeting.about) row.about.push_back(slot);
      std::ranges::stable_sort(row.about, std::greater{},
                               [&about = meeting.about](SlotId slot) { return about.at(slot); });
    }
    std::ranges::stable_sort(result_.between, std::greater{}, &Explanation::Processes::found);
    const auto pairs_of = [](std::uint64_t count) { return count == 0 ? 0 : count * (count - 1) / 2; };
    const auto not_chosen = static_cast<std::uint64_t>(
        std::ranges::count_if(actions_of_, [&](const auto& entry) { return !is_chosen(entry.first); }));
    result_.independent = pairs_of(result_.processes) - pairs_of(not_chosen) - meetings_.size();
  }

  void rank_slots() {
    std::vector<std::vector<ActionId>> readers(system_.slots.size()), writers(system_.slots.size());
    for (ActionId a = 0; a < system_.actions.size(); ++a) {
      for (const SlotId slot : uses_[a].reads) readers[slot].push_back(a);
      for (const Write& write : relations_.footprint(a).writes) writers[write.slot].push_back(a);
    }
    for (SlotId slot = 0; slot < system_.slots.size(); ++slot) {
      const Pairs& found = found_over_[slot];
      if (found == Pairs{}) continue;
      const SlotId last = result_.slots.empty() ? slot : result_.slots.back().slots.back();
      if (last + 1 == slot && system_.slots[last].variable == system_.slots[slot].variable &&
          found == found_over_[last] && readers[slot] == readers[last] && writers[slot] == writers[last])
        result_.slots.back().slots.push_back(slot);
      else
        result_.slots.push_back({{slot}, found, readers[slot].size(), writers[slot].size()});
    }
    std::ranges::stable_sort(result_.slots, std::greater{}, &Explanation::Slots::found);
  }

  void rank_actions() {
    for (ActionId a = 0; a < system_.actions.size(); ++a) {
      const std::uint64_t others = others_[teams_[a]];
      if (is_chosen(teams_[a]) && others != 0 && conflicts_of_[a] * 4 >= others * 3)
        result_.nearly_all.push_back({a, conflicts_of_[a], others});
    }
    std::ranges::stable_sort(result_.nearly_all, std::greater{}, &Explanation::Conflicting::conflicts);
  }

  const StubbornSets& sets_;
  const Relations& relations_;
  const System& system_;
  const ExplanationOptions& options_;
  std::vector<Use> uses_;                 ///< by action
  std::vector<Team> teams_;               ///< likewise
  std::map<Team, std::uint64_t> others_;  ///< how many actions of other processes there are
  std::map<ComponentId, std::uint64_t> actions_of_;
  std::map<std::pair<ComponentId, ComponentId>, std::uint64_t> actions_of_both_;
  std::map<std::pair<ComponentId, ComponentId>, Meeting> meetings_;
  std::vector<std::uint64_t> conflicts_of_;  ///< by action
  std::vector<Pairs> found_over_;            ///< by slot
  Explanation result_;
};

}  // namespace

std::vector<SlotId> slots_in_conflict(const Relations& relations, ActionId a, ActionId b) {
  return shared_slots(Use(relations.footprint(a)), Use(relations.footprint(b)));
}

Explanation explain(const StubbornSets& sets, const ExplanationOptions& options) {
  return Explainer(sets, options).take();
}

}  // namespace tideline::por
