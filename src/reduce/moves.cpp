#include "reduce/moves.hpp"

#include <algorithm>

#include "reduce/write.hpp"

namespace tideline::por {

bool has_move(const Participant& participant, const System& system) {
  return participant.from != any_location && participant.to != any_location &&
         system.components[participant.component].location_slot != no_slot;
}

namespace {

bool takes_part(const Action& action, ComponentId component) {
  return std::ranges::find(action.participants, component, &Participant::component) !=
         action.participants.end();
}

/// `may_place(action, component)`: whether the action may change the location of a component that takes no part in it.
template <class MayPlace>
std::vector<std::uint8_t> located(const System& system, const MayPlace& may_place) {
  std::vector<std::uint8_t> located;
  for (const Component& component : system.components) located.push_back(component.location_slot != no_slot);
  for (const Action& action : system.actions) {
    for (const Participant& participant : action.participants)
      if (!has_move(participant, system)) located[participant.component] = 0;
    for (ComponentId c = 0; c < located.size(); ++c)
      if (located[c] != 0 && std::ranges::binary_search(action.writes, system.components[c].location_slot) &&
          !takes_part(action, c) && !may_place(action, c))
        located[c] = 0;
  }
  return located;
}

}  // namespace

std::vector<std::uint8_t> located_by_moves(const System& system) {
  return located(system, [](const Action&, ComponentId) { return false; });
}

std::vector<std::uint8_t> located_by_moves_and_placements(const System& system) {
  return located(system, [&](const Action& action, ComponentId c) {
    return std::ranges::count(placements_of(action, system), c, &Placement::component) == 1;
  });
}

std::vector<Placement> placements_of(const Action& action, const System& system) {
  std::vector<Placement> placements;
  for (const Write& write : writes_of(action)) {
    if (write.kind != Write::Kind::constant) continue;
    const ComponentId c = system.slots[write.slot].owner;
    if (c != no_component && system.components[c].location_slot == write.slot && !takes_part(action, c))
      placements.push_back({c, static_cast<LocationId>(write.amount)});
  }
  return placements;
}

}  // namespace tideline::por
