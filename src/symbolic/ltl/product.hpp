// The product of a system and a property automaton, in a form from which relations can be made.
//
// The automaton reads every state that the system leaves. Were its guards joined with every action, each
// action would touch all slots of the property, and saturation would lose its advantage: that actions touch
// few slots. Instead the state carries what the automaton needs to know, the *letter*, and actions keep it up
// to date. Letter and location of the automaton lie together on one level below all others, so an action's
// Top stays where it is without the automaton, and an action that changes no atom of the property does
// nothing there but take an edge.
//
// An atom is kept in one of two forms:
//   - a comparison of sums of slots on several levels (tokens of some places against others): the difference
//     of the sums. An action changes it by a constant, whatever the state is
//   - everything else: whether it is true. An action that writes a slot of the atom evaluates it in the state
//     it leads to; relations learn that from the values that occur
// Atoms over the property's own variables are evaluated as they are: these variables lie on the same level.
//
// The letter is a function of the state, so there are as many product states as in any other encoding.
#pragma once

#include <vector>

#include "model/system.hpp"
#include "symbolic/space/levels.hpp"
#include "symbolic/space/parts.hpp"

namespace tideline::symbolic {

struct LtlProduct {
  System system;        ///< with slots for the letter and the location; actions keep the letter up to date
  VariableOrder order;  ///< the model's, and the property's level below
  std::vector<Part> choices;  ///< the edges of the automaton; see Relations
  SlotId location = 0;
  std::vector<SlotId> letter;     ///< slots, ...
  std::vector<Expr> meanings;     ///< ... and what each of them is in every state
  bool letters_can_fail = false;  ///< the letter may have no value: such a step is not followed
};

/// `order` is over the system. Throws Error(input) when the letter has no value in the initial state.
LtlProduct make_ltl_product(const System& system, const PropertyProcess& property,
                            const VariableOrder& order);

}  // namespace tideline::symbolic
