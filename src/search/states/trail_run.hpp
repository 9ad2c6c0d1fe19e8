// From the trail of a breadth-first search to the run that ends in a state: where it came from is read backwards,
// and then the steps are taken again from the initial state.
#pragma once

#include <algorithm>
#include <vector>

#include "graph/graph.hpp"
#include "run/budget.hpp"
#include "search/sweep/logged_run.hpp"
#include "store/trail.hpp"

namespace tideline {

/// Throws LimitReached.
template <Graph G>
Path run_to(G& graph, const Trail& trail, StateId last, Budget& budget) {
  LimitCheck check_limits(&budget);
  std::vector<LoggedMove> moves;
  for (StateId id = last; id != no_state;) {
    check_limits();
    const Origin origin = trail[id];
    moves.push_back({origin.choice});
    id = origin.parent;
  }
  std::reverse(moves.begin(), moves.end());
  return run_of_moves(graph, moves, budget);
}

}  // namespace tideline
