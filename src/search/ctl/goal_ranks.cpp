#include "search/ctl/goal_ranks.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>

namespace tideline {

namespace {

constexpr std::uint32_t no_rank = ~std::uint32_t{0};
constexpr std::uint64_t look_every = 4096;

std::uint32_t successor_count(const StoredGraph& graph, StateId state) {
  return static_cast<std::uint32_t>(graph.first(state + 1) - graph.first(state));
}

}  // namespace

std::optional<std::vector<std::uint32_t>> goal_ranks(StoredGraph& graph, const BitSet& goal,
                                                     AlwaysForm::Kind kind, Budget& budget) {
  if (!graph.need_predecessors(budget)) return std::nullopt;
  std::vector<std::uint32_t> ranks(graph.size(), no_rank);
  std::vector<std::uint32_t> left;  // successors without a rank
  if (kind == AlwaysForm::Kind::inevitable)
    for (StateId state = 0; state < graph.size(); ++state) left.push_back(successor_count(graph, state));
  std::vector<StateId> queue;  // states in the order in which they got their ranks, which grow
  for (StateId state = 0; state < graph.size(); ++state)
    if (goal.test(state)) {
      ranks[state] = 0;
      queue.push_back(state);
    }
  for (std::size_t next = 0; next < queue.size(); ++next) {
    if (next % look_every == 0 && budget.exhausted(graph.status())) return std::nullopt;
    const StateId state = queue[next];
    graph.predecessors(state, [&](StateId before) {
      if (ranks[before] != no_rank || (!left.empty() && --left[before] != 0)) return true;
      ranks[before] = ranks[state] + 1;
      queue.push_back(before);
      return true;
    });
  }
  return ranks;
}

std::uint32_t nearest_successor(const StoredGraph& graph, const std::vector<std::uint32_t>& ranks,
                                StateId state, std::size_t state_bytes) {
  const auto bytes_of = [&](StateId id) {
    return std::string_view(reinterpret_cast<const char*>(graph.state(id)), state_bytes);
  };
  StateId nearest = no_state;
  graph.successors(state, [&](StateId next) {
    if (nearest == no_state || ranks[next] < ranks[nearest]) nearest = next;
    return true;
  });
  if (nearest == no_state) return 0;
  std::set<StateId> smaller;
  graph.successors(state, [&](StateId next) {
    if (bytes_of(next) < bytes_of(nearest)) smaller.insert(next);
    return true;
  });
  return static_cast<std::uint32_t>(smaller.size());
}

}  // namespace tideline
