// Trials of variable orders: the cheapest by the cost of order.hpp is often, but not always, a good one, and
// a bad one can cost a thousand times as much.
//
// So the candidates take turns at saturating the initial state, each with the same small number of requests
// for nodes. The first one that has all states before that is used up is taken. Saturation works from the
// bottom up, so of two that are not done the one that has come to a higher level is ahead. Each round has
// four times the requests of the one before; when rounds become long only the better half goes on to the
// next, so that all of them together take a few times what the last one takes.
#pragma once

#include <vector>

#include "symbolic/forest.hpp"
#include "symbolic/order.hpp"

namespace tideline::symbolic {

/// The one to take of several orders, the most promising first. Ends early when the budget is exhausted, and
/// makes no trial with more requests than the options allow.
ChosenOrder choose_by_trials(const System& system, std::vector<ChosenOrder> orders,
                             const ForestOptions& options);

}  // namespace tideline::symbolic
