// Translation by Spot's ltl2tgba, if installed: a second opinion, and at times a smaller automaton.
#pragma once

#include "logic/translate.hpp"

namespace tideline {

/// Runs `ltl2tgba` from the PATH; whatever acceptance it chooses, the result is of the requested kind. Throws
/// Error(usage) when it is not installed, Error(io) when it fails.
Automaton translate_with_spot(LtlPool& pool, Ltl f, AutomatonKind kind);

}  // namespace tideline
