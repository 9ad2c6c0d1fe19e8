#include "search/core/state_graph.hpp"

#include "graph/factory.hpp"
#include "model/layout.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

std::optional<StateGraph> build_graph(const System& system, ErrorSemantics errors, std::size_t max_states,
                                      Budget& budget) {
  const Layout layout(system);
  SegmentedTable<> table(layout.size());
  const auto number_of = [&](const std::byte* state) { return table.insert(state, table.hash(state)).id; };
  StateGraph graph;
  const bool whole = with_graph(system, {errors}, [&](auto stepped) {
    stepped.initial([&](const std::byte* state) { number_of(state); });
    for (StateId from = 0; from < table.size(); ++from) {
      if (table.size() > max_states ||
          budget.exhausted(
              {.states = table.size(), .transitions = graph.edges.size(), .frontier = table.size() - from}))
        return false;
      stepped.successors(table.state(from), [&](const Step& step) {
        if (step.state)
          graph.edges.push_back({from, number_of(step.state), step.action});
        else
          graph.failures.push_back({from, step.action, step.error});
      });
    }
    return table.size() <= max_states;
  });
  if (!whole) return std::nullopt;
  graph.states.reserve(table.size());
  for (StateId state = 0; state < table.size(); ++state)
    graph.states.push_back(layout.unpack(table.state(state)));
  return graph;
}

}  // namespace tideline
