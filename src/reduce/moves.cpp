#include "reduce/moves.hpp"

#include <algorithm>

namespace tideline::por {

bool has_move(const Participant& participant, const System& system) {
  return participant.from != any_location && participant.to != any_location &&
         system.components[participant.component].location_slot != no_slot;
}

std::vector<std::uint8_t> located_by_moves(const System& system) {
  std::vector<std::uint8_t> located;
  for (const Component& component : system.components) located.push_back(component.location_slot != no_slot);
  for (const Action& action : system.actions) {
    for (const Participant& participant : action.participants)
      if (!has_move(participant, system)) located[participant.component] = 0;
    for (ComponentId c = 0; c < located.size(); ++c)
      if (located[c] != 0 && std::ranges::binary_search(action.writes, system.components[c].location_slot) &&
          std::ranges::find(action.participants, c, &Participant::component) == action.participants.end())
        located[c] = 0;
  }
  return located;
}

}  // namespace tideline::por
