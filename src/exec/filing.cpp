#include "exec/filing.hpp"

#include <algorithm>
#include <utility>

namespace tideline {

namespace {

/// Actions that share the transition of their first participant.
using Group = std::vector<ActionId>;

class Clerk {
 public:
  Clerk(Filing& filing, const System& system, const Layout& layout)
      : filing_(filing), system_(system), layout_(layout) {}

  void file() {
    sort_actions();
    watch_slots();
    filing_.free = entries(without_place_);
    for (ComponentId c = 0; c < system_.components.size(); ++c) {
      if (system_.components[c].location_slot == no_slot) continue;
      Filing::Directory directory{c, {}};
      for (LocationId l = 0; l < location_values(system_, c); ++l) {
        const auto found = by_location_.find({c, l});
        directory.by_location.push_back(found == by_location_.end() ? Filing::Entries{}
                                                                    : entries(found->second));
      }
      filing_.directories.push_back(std::move(directory));
    }
  }

 private:
  void sort_actions() {
    for (ActionId a = 0; a < system_.actions.size(); ++a) {
      const auto& participants = system_.actions[a].participants;
      if (participants.empty() || participants[0].from == any_location) {
        without_place_.push_back({a});
        continue;
      }
      const Participant& first = participants[0];
      auto& groups = by_location_[{first.component, first.from}];
      // Front-ends list the actions of one transition next to each other: comparing with the last is enough.
      if (!groups.empty() && participants.size() > 1 && same_transition(groups.back()[0], first))
        groups.back().push_back(a);
      else
        groups.push_back({a});
    }
  }

  bool same_transition(ActionId a, const Participant& first) const {
    const auto& others = system_.actions[a].participants;
    return others.size() > 1 && others[0].to == first.to && others[0].guard == first.guard;
  }

  /// Files actions without participants under a slot that must be more than 0 for them; of several, the one
  /// that the fewest need, since it is likely to be 0 most of the time.
  void watch_slots() {
    std::vector<std::vector<SlotId>> needed(without_place_.size());
    std::vector<std::uint32_t> uses(system_.slots.size());
    for (std::size_t i = 0; i < without_place_.size(); ++i) {
      const Action& action = system_.actions[without_place_[i][0]];
      if (!action.participants.empty()) continue;
      std::vector<RangeTest> tests;
      take_range_tests(action.guard, system_, tests);
      for (const RangeTest& test : tests) {
        const Width width = layout_.field(test.slot).width;
        if (test.low <= 0 || (width != Width::bit && width != Width::u8)) continue;
        needed[i].push_back(test.slot);
        ++uses[test.slot];
      }
    }
    std::vector<Group> unwatched;
    for (std::size_t i = 0; i < without_place_.size(); ++i) {
      const auto slot = std::ranges::min_element(needed[i], {}, [&](SlotId s) { return uses[s]; });
      if (slot == needed[i].end()) {
        unwatched.push_back(without_place_[i]);
        continue;
      }
      const Field field = layout_.field(*slot);
      auto& watched = field.width == Width::bit ? filing_.by_bit : filing_.by_byte;
      watched[field.offset].push_back(candidate(without_place_[i][0], 0));
    }
    without_place_ = std::move(unwatched);
  }

  Filing::Entries entries(const std::vector<Group>& groups) const {
    Filing::Entries result;
    for (const Group& group : groups) result.push_back(entry(group));
    return result;
  }

  Filing::Entry entry(const Group& group) const {
    Filing::Entry result;
    const Action& sample = system_.actions[group[0]];
    if (sample.participants.empty() || sample.participants[0].from == any_location) {
      result.alone = candidates(group, 0);
      return result;
    }
    result.guard = sample.participants[0].guard;
    if (sample.participants.size() == 1) {
      result.alone = candidates(group, 1);
      return result;
    }
    std::map<ComponentId, std::map<LocationId, Group>> by_partner;
    Group anywhere;  // the second participant may be at any location
    for (ActionId a : group) {
      const Participant& second = system_.actions[a].participants[1];
      if (second.from == any_location)
        anywhere.push_back(a);
      else
        by_partner[second.component][second.from].push_back(a);
    }
    result.alone = candidates(anywhere, 1);
    for (const auto& [component, by_from] : by_partner) {
      Filing::Partner partner{component, {}};
      for (const auto& [from, actions] : by_from) partner.by_location[from] = candidates(actions, 2);
      result.partners.push_back(std::move(partner));
    }
    return result;
  }

  Filing::Candidates candidates(const Group& group, std::size_t known) const {
    Filing::Candidates result;
    for (ActionId a : group) result.push_back(candidate(a, known));
    return result;
  }

  /// A candidate whose first `known` participants are at their locations when it is tried, and whose first
  /// one's guard is known to be true when `known` is not 0.
  Filing::Candidate candidate(ActionId a, std::size_t known) const {
    const Action& action = system_.actions[a];
    Filing::Candidate result{.action = a};
    for (std::size_t p = known; p < action.participants.size(); ++p) {
      const Participant& participant = action.participants[p];
      if (participant.from == any_location) continue;
      result.locations = conjunction(
          std::move(result.locations),
          Expr::binary(Op::eq, Expr::load(system_.components[participant.component].location_slot),
                       Expr::constant(participant.from)));
    }
    const auto add_check = [&](Expr guard) {
      if (!guard.is_constant() || guard.value == 0) result.checks.push_back(std::move(guard));
    };
    for (std::size_t p = known == 0 ? 0 : 1; p < action.participants.size(); ++p)
      add_check(take_range_tests(action.participants[p].guard, system_, result.tests));
    add_check(take_range_tests(action.guard, system_, result.tests));
    return result;
  }

  Filing& filing_;
  const System& system_;
  const Layout& layout_;
  std::vector<Group> without_place_;  ///< without participants, or with a first one at any location
  std::map<std::pair<ComponentId, LocationId>, std::vector<Group>> by_location_;
};

}  // namespace

std::size_t location_values(const System& system, ComponentId component) {
  return static_cast<std::size_t>(system.slots[system.components[component].location_slot].range.high) + 1;
}

Filing::Filing(const System& system, const Layout& layout) {
  Clerk(*this, system, layout).file();
}

}  // namespace tideline
