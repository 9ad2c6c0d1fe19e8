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

/// Where an action puts a component that takes no part in it, as one does that starts a process.
struct Placement {
  ComponentId component = no_component;
  LocationId to = 0;
};
std::vector<Placement> placements_of(const Action& action, const System& system);

/// For each component whether its location is known by its moves and where it is put.
std::vector<std::uint8_t> located_by_moves_and_placements(const System& system);

}  // namespace tideline::por
