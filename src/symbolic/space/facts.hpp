// Facts about the set of reachable states: deadlocks, transitions, model errors, the greatest values.
//
// All of these walk over the diagram once. An event is looked at in nodes of its Top level only, as in
// saturation: it needs nothing of the levels above.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "symbolic/space/relations.hpp"

namespace tideline::symbolic {

/// The states of a set in which no action is enabled. One that ends in a model error counts as enabled.
NodeId deadlocks(Relations& relations, NodeId set);

struct EdgeCount {
  mpz_class states;
  mpz_class transitions;        ///< pairs of a state and an action that is enabled there
  std::vector<ActionId> never;  ///< actions that no state enables
};
EdgeCount count_edges(Relations& relations, NodeId set);

/// Actions that end in a model error, with the states of the set in which they do. `set` is at the top level.
std::vector<std::pair<ActionId, Forest::Root>> failures(Relations& relations, NodeId set);

/// The smallest and the greatest value of each slot over the states of a set that is not empty.
std::vector<Range> value_ranges(const Forest& forest, const Levels& levels, NodeId set);

/// The greatest sum of weight times value over the states of a set that is not empty; a weight for each slot.
std::int64_t greatest_sum(const Forest& forest, const Levels& levels, NodeId set,
                          std::span<const std::int64_t> weights);

/// Whether each of these families of actions is live: from every reachable state a state can be reached that
/// enables one of its members. `reachable` is closed under all events, and none of them fails there.
bool all_live(Relations& relations, NodeId reachable, const std::vector<std::vector<ActionId>>& families);

}  // namespace tideline::symbolic
