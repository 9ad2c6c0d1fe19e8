// The Hanoi Omega-Automata format (https://adl.github.io/hoaf/): reading and writing automata.
#pragma once

#include <string>

#include "logic/automaton.hpp"
#include "model/error.hpp"

namespace tideline {

/// The automaton as HOA text. The properties line states what was found out about it.
std::string to_hoa(const Automaton& automaton);

/// Reads automata of versions v1 and v1.1 with acceptance on states or edges; explicit, implicit and state
/// labels; aliases. Several initial states become one new one. Conditions other than generalised Büchi (with
/// Fin, disjunctions, ...) are converted, see acceptance.hpp. Throws Error(input), with the place, for what
/// cannot be read (alternation, several automata, too complex conditions) and for what is not HOA.
Automaton read_hoa(const SourceText& source);

}  // namespace tideline
