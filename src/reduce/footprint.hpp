// Footprints: what an action needs, reads and changes, as sharply as the System alone can say.
//
// Everything errs in one direction: a box is never too small, `reads` and `writes` have no slot too few, and a
// write is said to be an addition or a constant only when it always is.
#pragma once

#include <cstdint>
#include <vector>

#include "reduce/condition.hpp"
#include "reduce/intervals.hpp"
#include "reduce/write.hpp"

namespace tideline::por {

struct Footprint {
  std::vector<Condition> conditions = {};
  Box needs = {};                         ///< where it may be enabled
  bool never_happens = false;             ///< that is nowhere
  std::vector<Write> writes = {};         ///< by slot
  std::vector<SlotId> effect_reads = {};  ///< sorted; without the slot that an addition adds to
  bool may_fail = false;                  ///< it may end in a model error
  bool is_several = false;                ///< of several actions: its effects are not all (whole_steps.hpp)

  const Write* write_of(SlotId slot) const;
  bool writes_any(const std::vector<SlotId>& slots) const;
};

/// Where model errors lead to an error state, an action that may fail may change every slot.
Footprint footprint_of(const Action& action, const System& system, ErrorSemantics errors,
                       Intervals& intervals);

}  // namespace tideline::por
