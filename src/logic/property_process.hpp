// From an automaton over atoms to a property process over a system.
#pragma once

#include <vector>

#include "logic/automaton.hpp"
#include "model/system.hpp"

namespace tideline {

/// The automaton with expressions for its atoms, in the order of automaton.atoms.
PropertyProcess to_property_process(const Automaton& automaton, const std::vector<Expr>& atoms);

}  // namespace tideline
