// Relations of actions: who can enable whom, and who gets in whose way. Computed once from the System, for the states behind
// its opening.
//
//   enablers(c)    actions that can make the condition true (or have no value) in a state where it is false
//   conflicts(a)   actions that do not accord with a: in some state in which both are enabled, one disables
//                  the other, or the order in which they are taken makes a difference
//
// Both may name actions too many, never too few. Two actions accord when their boxes have no state in common
// (two moves from different locations of a process), or when neither reads nor changes what the other changes,
// up to:
//   - additions to the same slot, in the same direction, or where their guards keep the sum in its range.
//     A run in which both orders fail at the second addition is an error in both
//   - the same constant written by both
//   - a changed slot in a guard that cannot become false by it
//   - a send and a receive on one queue, where the guards see to it that it is neither full nor empty. The receive
//     may ask what the oldest entry is
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "reduce/footprint.hpp"
#include "reduce/opening.hpp"
#include "reduce/queue.hpp"
#include "reduce/ways.hpp"
#include "run/budget.hpp"

namespace tideline::por {

using ConditionId = std::uint32_t;

class Relations {
 public:
  /// `goals`: conditions of states beside those of actions, see StubbornSets.
  /// Throws LimitReached; no budget: no limits.
  Relations(const System& system, ErrorSemantics errors, const std::vector<std::vector<Condition>>& goals,
            Budget* budget = nullptr);

  const System& system() const { return system_; }
  const Opening& opening() const { return opening_; }
  const Ways& ways() const { return *ways_; }
  const Footprint& footprint(ActionId action) const { return footprints_[action]; }
  /// Whether the action is enabled in no state behind the opening.
  bool never_happens(ActionId action) const { return footprints_[action].never_happens; }
  /// Every condition once, however many actions need it.
  const std::vector<Condition>& conditions() const { return conditions_; }
  const std::vector<ConditionId>& conditions(ActionId action) const { return conditions_of_[action]; }
  const std::vector<ConditionId>& goal(std::size_t goal) const { return goals_[goal]; }
  std::size_t goals() const { return goals_.size(); }

  /// There are too many pairs to be looked at; enablers and conflicts are unknown.
  bool given_up() const { return given_up_; }

  const std::vector<ActionId>& enablers(ConditionId condition) const { return enablers_[condition]; }
  const std::vector<ActionId>& conflicts(ActionId action) const { return conflicts_[action]; }

  /// Whether the action can make the condition true where it is false, or the other way round. Says yes too
  /// often, never too seldom.
  bool can_make(ActionId action, const Condition& condition, bool truth);
  /// For each action whether it leads on, see order.hpp.
  std::vector<std::uint8_t> leading_on(const std::vector<std::uint8_t>& is_indifferent);

 private:
  ConditionId number(const Condition& condition);
  template <class Visit>
  void for_each_writer(const Visit& visit) const;
  template <class Visit>
  void for_each_meeting(const Visit& visit) const;
  bool has_too_many_pairs() const;
  void find_enablers(LimitCheck& look);
  void find_conflicts(LimitCheck& look);
  bool can_make(ActionId action, const Condition& condition, const Box& before, bool truth);
  bool can_change(ActionId action, const Expr& expr, const Box& before);
  bool disturbs(ActionId a, ActionId b);
  bool exclude_each_other(ActionId a, ActionId b) const;
  std::vector<const Queue*> queues_used_at_both_ends(ActionId a, ActionId b, const Box& both) const;
  bool writes_accord(ActionId a, ActionId b, const Box& both, const std::vector<const Queue*>& queues) const;
  bool additions_accord(const Write& a, const Write& b, const Box& both) const;
  bool disturbs_effects(ActionId a, ActionId b, const std::vector<const Queue*>& queues) const;
  bool disturbs_guard(ActionId a, ActionId b, const Box& both, const std::vector<const Queue*>& queues);

  const System& system_;
  ErrorSemantics errors_;
  Opening opening_;
  Intervals intervals_;
  std::vector<Queue> queues_;
  std::vector<Footprint> footprints_;
  std::optional<Ways> ways_;                       ///< once there are footprints
  std::vector<std::vector<QueueUse>> queue_uses_;  ///< by action, then by queue
  std::vector<Condition> conditions_;
  /// Conditions by what they read and their normal form.
  std::map<std::tuple<std::vector<SlotId>, std::int64_t, std::int64_t, bool>, std::vector<ConditionId>>
      alike_;
  std::map<std::string, std::size_t> numbers_of_subjects_;
  std::vector<std::size_t> subjects_;  ///< of each condition
  std::vector<std::vector<ConditionId>> conditions_of_, goals_;
  std::vector<std::vector<ActionId>> enablers_, conflicts_;
  bool given_up_ = false;
};

}  // namespace tideline::por
