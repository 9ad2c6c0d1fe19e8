// The Hanoi Omega-Automata format, version 1 (https://adl.github.io/hoaf/): automata out and in.
#pragma once

#include <string>

#include "logic/automaton.hpp"
#include "model/error.hpp"

namespace tideline {

/// The automaton as HOA text. The properties line says what was found to be true of it.
std::string to_hoa(const Automaton& automaton);

/// Reads (generalised) Büchi automata: acceptance on states or edges, a conjunction of Inf() or t; explicit,
/// implicit and state labels; aliases. Several initial states become one new one. Throws Error(input), with
/// the place, for everything else (other acceptance, alternation, several automata) and for what is not HOA.
Automaton read_hoa(const SourceText& source);

}  // namespace tideline
