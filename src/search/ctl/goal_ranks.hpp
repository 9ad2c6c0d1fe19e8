// Ranks that prove AG EF goal and AG AF goal: a state of the goal has rank 0, and every other one leads to smaller ranks.
//
//   AG EF    the length of a shortest way to the goal: some successor has a smaller rank
//   AG AF    the length of a longest way that avoids it: all successors have smaller ranks
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/ctl_formula.hpp"
#include "run/budget.hpp"
#include "search/core/bit_set.hpp"
#include "search/core/stored_graph.hpp"

namespace tideline {

/// By state, for a formula that is true in all of them. Nothing: the budget ended. Throws std::bad_alloc.
std::optional<std::vector<std::uint32_t>> goal_ranks(StoredGraph& graph, const BitSet& goal,
                                                     AlwaysForm::Kind kind, Budget& budget);

/// A successor with a least rank: how many different successors have smaller bytes. 0 where there is none.
std::uint32_t nearest_successor(const StoredGraph& graph, const std::vector<std::uint32_t>& ranks,
                                StateId state, std::size_t state_bytes);

}  // namespace tideline
