// Counters: slots that processes only add to, and how far they can get by it.
//
// A philosopher adds 1 to `count` when he comes in and takes it away when he leaves; intervals alone would let
// the count grow without end. Along every way through a process's control graph its additions have a sum. The
// value of the slot is its initial value plus such a sum for each process, so it lies between the least and
// the greatest sums, and these are known even better where a process is known to be at some location.
#pragma once

#include <vector>

#include "exec/reference.hpp"
#include "model/interval.hpp"

namespace tideline::por {

class Counters {
 public:
  /// There are none where model errors lead to an error state: there counting begins anew.
  Counters(const System& system, ErrorSemantics errors);

  const std::vector<SlotId>& slots() const { return slots_; }
  /// The values of a counter (by its place in slots()) where the action may be enabled.
  Interval where_enabled(std::size_t counter, const Action& action) const;
  /// And anywhere.
  Interval anywhere(std::size_t counter) const;

 private:
  /// The sums of a process's additions to a slot, by location, and in all of them.
  struct Sums {
    std::vector<Interval> at;
    Interval anywhere;
  };

  const System& system_;
  std::vector<SlotId> slots_;
  std::vector<std::vector<Sums>> sums_;  ///< by counter, then by component
};

}  // namespace tideline::por
