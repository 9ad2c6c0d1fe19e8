// Trials of variable orders: the cheapest one by the cost of order.hpp is mostly, but not always, good, and a
// bad one can cost a thousand times as much.
//
// So the candidates take turns at saturating the initial state, each up to the same number of requests for
// nodes, and the first one that has all states is taken with all it has computed. Each round has twice the
// requests of the one before, and a candidate continues from where it was. A net with many levels needs many
// requests whatever the order, so the first round is longer there: the cheapest order is then often the only
// one that is tried.
//
// After each round the better half continues, until two are left, which continue for a long time: so all of
// them together take two or three times what the best takes. The better one is that with more local states.
// All candidates have the same groups of slots, so in the end all have the same local states, and the numbers
// found with the same number of requests can be compared. The one with the most local states for each node it
// has made continues in any case: some orders that share much are slow at first. (The level that saturation
// has reached says little: a high level may have little below it, and most of the work may be left when the
// top is reached.)
//
// This criterion works well for nets, and less so where relations are learnt: there all continue while rounds
// are short, the cheapest first, and rounds grow faster.
//
// With several threads the trials of a round run side by side, each on a forest of its own. What a trial
// does depends on its requests alone, and the first one in order that has all states is taken, so the choice
// does not depend on the number of threads.
#pragma once

#include <vector>

#include "symbolic/space/order.hpp"
#include "symbolic/space/state_space.hpp"

namespace tideline::symbolic {

/// A state space with the best of several orders, given with the most promising first; with one order there
/// is nothing to try. Some or all of its states may already be known. Ends early when the budget is
/// exhausted, and makes no trial with more requests than the options allow. Throws LimitReached.
StateSpace explore_by_trials(const System& system, std::vector<ChosenOrder> orders,
                             const StateSpaceOptions& options);

}  // namespace tideline::symbolic
