// Orders of the states of a local graph (local_graph.hpp): where does progress go?
//
//   L. M. Kristensen, T. Mailund: A Compositional Sweep-Line State Space Exploration Method, FORTE 2002.
//
//   SCCs        states that can come back to each other share a place, the others are in topological order.
//               No edge goes back, and no finer order has that property.
//   tree        every state has a place of its own: that of its SCC first, and within it the reverse
//               post-order of a depth-first search. Only edges to a state on the way to their source go back,
//               which is the fewest that a spanning tree leaves.
#pragma once

#include <vector>

#include "progress/local_graph.hpp"
#include "progress/value_order.hpp"

namespace tideline {

/// Places are indexed by the number of the local state.
ValueOrder scc_order(const LocalGraph& graph);
ValueOrder tree_order(const LocalGraph& graph);

/// The actions of edges to an earlier place, each once, in order.
std::vector<ActionId> regressing_actions(const LocalGraph& graph, const ValueOrder& order);

}  // namespace tideline
