// For tests: a process that starts other ones.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "model/system.hpp"

namespace tideline::testing {

/// Adds a process that puts others where they began before, at random one after the other or some of them, and gives their
/// variables values that it counts. It may start one of them anew, again and again, wherever that one is by then.
inline void add_starter(System& system, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int32_t>(random() % n); };
  const std::size_t others = system.components.size();
  const bool starts_all = below(2) == 0;
  const auto starter = static_cast<ComponentId>(others);
  const auto place = static_cast<SlotId>(system.slots.size());
  const auto counter = place + 1;
  std::vector<Action> actions;
  const auto start = [&](ComponentId c, std::int32_t at, LocationId from, LocationId to) {
    Action action{.label = fmt::format("start {}", system.components[c].name),
                  .participants = {{.component = starter, .from = from, .to = to}}};
    action.effects.push_back({.slot = place, .value = Expr::constant(to)});
    action.effects.push_back({.slot = system.components[c].location_slot, .value = Expr::constant(at)});
    for (SlotId slot = 0; slot < place; ++slot)
      if (system.slots[slot].owner == c && slot != system.components[c].location_slot && below(2) == 0)
        action.effects.push_back({.slot = slot, .value = Expr::load(counter)});
    action.effects.push_back(
        {.slot = counter,
         .value = Expr::binary(Op::mod, Expr::binary(Op::add, Expr::load(counter), Expr::constant(1)),
                               Expr::constant(2))});
    return action;
  };
  LocationId at = 0;
  for (ComponentId c = 0; c < others; ++c) {
    Component& component = system.components[c];
    if (component.location_slot == no_slot || (!starts_all && below(2) == 0)) continue;
    const std::int32_t first = system.initial[component.location_slot];
    const auto off = static_cast<std::int32_t>(component.locations.size());
    component.locations.push_back({"off"});
    Range& range = system.slots[component.location_slot].range;
    range.high = std::max(range.high, off);
    system.initial[component.location_slot] = off;
    actions.push_back(start(c, first, at, at + 1));
    ++at;
    if (below(4) == 0) actions.push_back(start(c, first, at, at));
  }
  Component component{.name = "Starter", .location_slot = place};
  for (LocationId l = 0; l <= at; ++l) component.locations.push_back({fmt::format("z{}", l)});
  system.components.push_back(std::move(component));
  system.add_variable({.name = "Starter", .owner = starter, .is_location = true},
                      {0, static_cast<std::int32_t>(at)}, {0});
  system.add_variable({.name = "count", .owner = starter}, {0, 1}, {0});
  std::ranges::move(actions, std::back_inserter(system.actions));
  complete(system);
}

}  // namespace tideline::testing
