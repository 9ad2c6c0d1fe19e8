// Actions by their names: what `act(...)` in formulas and `--fair 'weak: ...'` mean.
//
// A pattern names an action when it matches, as a whole,
//   - its label: "P_0: idle -> busy", "send[3]"; for a label that several actions have, without the number at its end
//   - what comes before a '[' or '(' in its label: "send"
//   - the move of one process in a label with several: "P: a -> b" in "P: a -> b, Q: s -> t (c)"
//   - the name of the channel on which it sends or receives: "c"
//   - another name that the model has for it (see Alias)
// `*` in a pattern stands for any text. Blanks around it do not count.
#pragma once

#include <string_view>
#include <vector>

#include "model/system.hpp"

namespace tideline {

/// The actions that the pattern names, ascending.
std::vector<ActionId> actions_named(const System& system, std::string_view pattern);

}  // namespace tideline
