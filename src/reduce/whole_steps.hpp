// Whole steps: footprints of steps that go on through states that nobody sees (System::transient).
//
// A search takes such a step as one, and knows it by its first action. What it reads and changes is what all actions do that
// may be part of it. These are found by where participants are: an inner action has a participant that has moved before it in
// the same step, and a guard that allows the value of the transient slot. Which of them are taken, and in what order, depends
// on nothing but what they read; so a step accords with another one where neither changes what the other reads or changes, for
// every end that it may have.
#pragma once

#include <vector>

#include "reduce/footprint.hpp"

namespace tideline::por {

/// Replaces the footprints of actions by those of the steps that they begin. The transient slot is left out: it is 0 in
/// every state that is seen.
void join_inner_actions(const System& system, std::vector<Footprint>& footprints);

}  // namespace tideline::por
