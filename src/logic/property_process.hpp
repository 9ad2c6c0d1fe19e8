// From an automaton over atoms to a property process over a system, and back.
#pragma once

#include <optional>
#include <vector>

#include "logic/automaton.hpp"
#include "model/system.hpp"

namespace tideline {

/// The automaton with expressions for its atoms, in the order of automaton.atoms.
PropertyProcess to_property_process(const Automaton& automaton, const std::vector<Expr>& atoms);

/// An automaton, and what its atoms mean.
struct BoundAutomaton {
  Automaton automaton;
  std::vector<Expr> atoms;
};

/// The process, which has no variables of its own, with guards taken apart at `&&`, `||`, `!` and `->`.
/// Atoms are called p0, p1, ...; comparisons that are the negation or the mirror image of each other share
/// one. Nothing when there are too many atoms, or when guards are too complex.
std::optional<BoundAutomaton> to_automaton(const PropertyProcess& process);

}  // namespace tideline
