#include "search/ctl/claim_ranks.hpp"

#include <string_view>

#include "model/ctl_claims.hpp"
#include "model/each_once.hpp"

namespace tideline {

namespace {

constexpr std::uint64_t look_every = 4096;

std::uint32_t successor_count(const StoredGraph& graph, StateId state) {
  return static_cast<std::uint32_t>(graph.first(state + 1) - graph.first(state));
}

}  // namespace

std::optional<std::vector<std::uint32_t>> claim_ranks(StoredGraph& graph, const CtlLabels& labels,
                                                      CtlFormula::NodeId node, Budget& budget) {
  const auto& [op, left, right] = labels.formula().nodes[node];
  std::vector<std::uint32_t> ranks(graph.size(), no_rank);
  if (op != CtlFormula::Op::eu && op != CtlFormula::Op::eg) {
    for (StateId state = 0; state < graph.size(); ++state)
      if (labels.is(node, state, true)) ranks[state] = 0;
    return ranks;
  }
  if (!graph.need_predecessors(budget)) return std::nullopt;
  std::vector<std::uint32_t> left_over;  // successors without a rank
  if (op == CtlFormula::Op::eg)
    for (StateId state = 0; state < graph.size(); ++state) left_over.push_back(successor_count(graph, state));
  std::vector<StateId> queue;  // states in the order in which they got their ranks, which grow
  for (StateId state = 0; state < graph.size(); ++state)
    if (op == CtlFormula::Op::eu ? labels.is(right, state, true) : labels.is(left, state, false)) {
      ranks[state] = 0;
      queue.push_back(state);
    }
  for (std::size_t next = 0; next < queue.size(); ++next) {
    if (next % look_every == 0 && budget.exhausted(graph.status())) return std::nullopt;
    const StateId state = queue[next];
    graph.predecessors(state, [&](StateId before) {
      if (ranks[before] != no_rank || !labels.is(left, before, true)) return true;
      if (op == CtlFormula::Op::eg && --left_over[before] != 0) return true;
      ranks[before] = ranks[state] + 1;
      queue.push_back(before);
      return true;
    });
  }
  return ranks;
}

std::uint32_t witness(const StoredGraph& graph, const CtlLabels& labels, CtlFormula::NodeId node,
                      const std::vector<std::uint32_t>& ranks, StateId state, std::size_t state_bytes) {
  const auto& [op, left, right] = labels.formula().nodes[node];
  if ((op != CtlFormula::Op::ex && op != CtlFormula::Op::eu && op != CtlFormula::Op::eg) ||
      !labels.is(node, state, true) || (op == CtlFormula::Op::eu && ranks[state] == 0))
    return 0;
  const auto bytes_of = [&](StateId id) {
    return std::string_view(reinterpret_cast<const char*>(graph.state(id)), state_bytes);
  };
  StateId best = no_state;
  graph.successors(state, [&](StateId next) {
    const bool will_do = op == CtlFormula::Op::ex ? labels.is(left, next, true) : labels.is(node, next, true);
    if (will_do && (best == no_state || ranks[next] < ranks[best])) best = next;
    return true;
  });
  if (best == no_state) return 0;
  std::vector<StateId> smaller;
  graph.successors(state, [&, than = bytes_of(best)](StateId next) {
    if (next != best && bytes_of(next) < than) smaller.push_back(next);
    return true;
  });
  keep_each_once(smaller);
  return static_cast<std::uint32_t>(smaller.size());
}

}  // namespace tideline
