// GlobalId: a state as all ranks know it: the rank that owns it, and its number there. A table holds less than 2^32 states,
// so there can be that many on each rank.
#pragma once

#include <cstdint>

#include "store/state_table.hpp"

namespace tideline::cluster {

using GlobalId = std::uint64_t;
inline constexpr GlobalId no_global = ~GlobalId{0};

constexpr GlobalId global_id(unsigned rank, StateId id) {
  return GlobalId{rank} << 32 | id;
}
constexpr unsigned rank_of(GlobalId id) {
  return static_cast<unsigned>(id >> 32);
}
constexpr StateId number_of(GlobalId id) {
  return static_cast<StateId>(id);
}

}  // namespace tideline::cluster
