#include "progress/local_order.hpp"

#include <algorithm>
#include <numeric>

#include "graph/sccs.hpp"

namespace tideline {

namespace {

using State = LocalGraph::State;

/// All states in the reverse of the order in which a depth-first search leaves them.
std::vector<State> reverse_post_order(const LocalGraph& graph) {
  struct Frame {
    State state;
    std::uint32_t next;
  };
  std::vector<bool> met(graph.size());
  std::vector<Frame> stack{{0, graph.first_edge[0]}};
  std::vector<State> left;
  met[0] = true;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == graph.first_edge[frame.state + 1]) {
      left.push_back(frame.state);
      stack.pop_back();
      continue;
    }
    const State to = graph.edges[frame.next++].to;
    if (met[to]) continue;
    met[to] = true;
    stack.push_back({to, graph.first_edge[to]});
  }
  std::ranges::reverse(left);
  return left;
}

}  // namespace

ValueOrder scc_order(const LocalGraph& graph) {
  struct Target {
    State node;
  };
  std::vector<Target> targets;
  for (const LocalGraph::Edge& edge : graph.edges) targets.push_back({edge.to});
  // An SCC is numbered after all that it leads to.
  ValueOrder order{sccs(static_cast<State>(graph.size()), graph.first_edge, targets, [] { return true; })};
  order.places = *std::ranges::max_element(order.place);
  for (std::uint32_t& place : order.place) place = order.places - place;
  return order;
}

ValueOrder tree_order(const LocalGraph& graph) {
  const ValueOrder sccs = scc_order(graph);
  std::vector<State> states = reverse_post_order(graph);
  std::ranges::stable_sort(states, {}, [&](State state) { return sccs.place[state]; });
  ValueOrder order{std::vector<std::uint32_t>(graph.size())};
  for (const State state : states) order.place[state] = order.places++;
  return order;
}

std::vector<ActionId> regressing_actions(const LocalGraph& graph, const ValueOrder& order) {
  std::vector<ActionId> actions;
  for (State state = 0; state < graph.size(); ++state)
    for (const auto& [to, action] : graph.edges_of(state))
      if (order.place[to] < order.place[state]) actions.push_back(action);
  std::ranges::sort(actions);
  actions.erase(std::unique(actions.begin(), actions.end()), actions.end());
  return actions;
}

}  // namespace tideline
