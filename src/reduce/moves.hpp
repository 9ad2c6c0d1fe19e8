// Moves: what a participant's `from` and `to` say about where its component is.
#pragma once

#include <cstdint>
#include <vector>

#include "model/system.hpp"

namespace tideline::por {

/// Whether the participant goes from one location to another, and says so.
bool has_move(const Participant& participant, const System& system);

/// For each component whether its location is known by its moves alone: all its participants have one, and no
/// other action changes its location.
std::vector<std::uint8_t> located_by_moves(const System& system);

}  // namespace tideline::por
