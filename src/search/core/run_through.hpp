// From the numbers of states to a run: for searches that keep only the predecessor of each state.
#pragma once

#include <cstring>
#include <vector>

#include "graph/graph.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "store/state_table.hpp"

namespace tideline {

/// The run through states that `reader` reads; between two of them, the first action that leads there.
/// Throws LimitReached.
template <Graph G, class Reader>
Path run_through(G& graph, Reader&& reader, const std::vector<StateId>& ids, Budget& budget) {
  const std::size_t bytes = graph.state_size();
  LimitCheck check_limits(&budget);
  Path path;
  for (const StateId id : ids) {
    check_limits();
    const std::byte* const state = reader.state(id);
    if (!path.states.empty()) {
      ActionId action = no_action;
      bool found = false;
      graph.successors(path.states.back().data(), [&](const Step& step) {
        if (found || !step.state || std::memcmp(step.state, state, bytes) != 0) return;
        action = step.action;
        found = true;
      });
      path.actions.push_back(action);
    }
    path.states.emplace_back(state, state + bytes);
  }
  return path;
}

}  // namespace tideline
