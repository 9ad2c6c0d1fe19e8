// For tests: a random LTL formula about a random system, bound to it.
#pragma once

#include "bind/bind.hpp"
#include "testing/random_dve.hpp"

namespace tideline::testing {

/// Unless `any_automaton`, its automaton has one acceptance set, on states.
inline Property random_property(RandomDve& random, const System& system, bool any_automaton) {
  Property property{
      .name = "ltl", .kind = PropertyKind::ltl, .formula = random.temporal(4), .origin = "test"};
  for (const char* name : {"p", "q"})
    property.atoms.push_back(
        {name, bind_expression(
                   system,
                   {.name = name, .kind = PropertyKind::reach, .formula = random.formula(), .origin = "test"})
                   .expr});
  return bind(system, property, {.buchi = !any_automaton});
}

}  // namespace tideline::testing
