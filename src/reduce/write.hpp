// Writes: what the effects of an action do to each slot.
#pragma once

#include <cstdint>
#include <vector>

#include "model/system.hpp"

namespace tideline::por {

/// What an action does to a slot.
struct Write {
  enum class Kind : std::uint8_t {
    any,
    constant,  ///< slot = amount
    addition,  ///< slot = slot + amount
  };
  SlotId slot = 0;
  Kind kind = Kind::any;
  std::int64_t amount = 0;
};

/// By slot, each once. A write is said to be an addition or a constant only when it always is.
std::vector<Write> writes_of(const Action& action);

}  // namespace tideline::por
