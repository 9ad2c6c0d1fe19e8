// Step: what stepping a system yields for one enabled action.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/system.hpp"

namespace tideline {

struct Step {
  ActionId action = no_action;
  /// Packed successor, valid until the next step; nullptr when the action ends in a model error.
  const std::byte* state = nullptr;
  ModelErrorKind error = ModelErrorKind::none;
  /// Acceptance sets the transition belongs to, one bit per set; a graph without acceptance leaves it 0.
  std::uint32_t marks = 0;
};

}  // namespace tideline
