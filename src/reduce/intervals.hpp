// The values that slots take in reachable states, as far as intervals can tell.
//
// All actions run on intervals, from where the system's opening ends, until nothing changes. The variables of a
// process have an interval for each of its locations: a loop `j < 3; j = j + 1` leaves 3 behind it and at most 2
// within. What processes count up and down is kept within bounds by Counters. What is reached is an
// overestimate: no state behind the opening lies outside.
#pragma once

#include <utility>
#include <vector>

#include "exec/reference.hpp"
#include "model/interval.hpp"
#include "reduce/condition.hpp"
#include "reduce/counters.hpp"
#include "reduce/moves.hpp"
#include "reduce/opening.hpp"

namespace tideline::por {

/// Intervals of some slots, by slot. A box in which one of them is empty has no states.
using Box = std::vector<std::pair<SlotId, Interval>>;

bool is_empty(const Box& box);
/// Sets `both` to what the boxes have in common; false when that is nothing.
bool intersect(const Box& a, const Box& b, Box& both);

class Intervals {
 public:
  /// Where model errors lead to an error state, actions run from there, too.
  Intervals(const System& system, ErrorSemantics errors, const Opening& opening);

  /// The interval of a slot in the box; of the slot anywhere if the box does not say.
  const Interval& in(const Box& box, SlotId slot) const;

  /// Where the action may be enabled, by the locations of its participants and by those of its conditions
  /// that compare a slot with a constant.
  Box box_of(const Action& action, const std::vector<Condition>& conditions) const;

  /// Whether the expression may be true, or have no value, in some state of the box.
  bool may_hold(const Box& box, const Expr& expr);
  /// The interval of the expression in the states of the box.
  Interval within(const Box& box, const Expr& expr);
  /// And in the states that the action leads to from there.
  Interval after(const Box& box, const Action& action, const Expr& expr);
  /// Whether the effects may end in a model error from there.
  bool may_fail(const Box& box, const Action& action);

 private:
  /// What is known about the variables of a process that only its own actions change, and those that start it.
  struct Process {
    std::vector<SlotId> slots;
    std::vector<std::vector<Interval>> at;  ///< by location, then as in `slots`; empty: not reached
  };

  void narrow(Box& box, SlotId slot, std::int64_t low, std::int64_t high) const;
  void narrow(Box& box, const Condition& condition) const;
  void narrow_by_locations(Box& box) const;
  void add_start(const std::vector<std::int32_t>& values);
  void find_processes();
  void run_to_the_end();
  bool grow(const Box& box, ActionId action, bool widen);
  bool arrive(ComponentId component, LocationId to, bool widen);
  bool join(SlotId slot, Interval& reached, bool widen) const;
  void enter(const Box& box);
  void leave(const Box& box);
  /// What may become of an action.
  struct Ending {
    bool may_fail = false;
    bool ends = true;  ///< it does not always fail
  };
  Ending run(const Action& action);

  const System& system_;
  Counters counters_;
  std::vector<Interval> reached_;
  std::vector<Process> processes_;                  ///< by component
  std::vector<std::vector<Placement>> placements_;  ///< by action
  std::vector<Interval> before_, now_;              ///< like reached_ between calls
  std::vector<SlotId> changed_;
};

}  // namespace tideline::por
