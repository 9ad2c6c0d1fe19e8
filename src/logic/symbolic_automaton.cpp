#include "logic/symbolic_automaton.hpp"

#include <map>
#include <tuple>

namespace tideline {

std::size_t SymbolicAutomaton::edge_count() const {
  std::size_t count = 0;
  for (const auto& out : edges) count += out.size();
  return count;
}

void merge_edges(SymbolicAutomaton& automaton, BddManager& bdds) {
  for (auto& out : automaton.edges) {
    std::erase_if(out, [](const SymbolicEdge& edge) { return edge.label == 0; });
    std::sort(out.begin(), out.end(), [](const SymbolicEdge& a, const SymbolicEdge& b) {
      return std::tie(a.to, a.marks, a.label) < std::tie(b.to, b.marks, b.label);
    });
    std::vector<SymbolicEdge> merged;
    for (const SymbolicEdge& edge : out) {
      if (!merged.empty() && merged.back().to == edge.to && merged.back().marks == edge.marks)
        merged.back().label = bdds.or_(merged.back().label, edge.label);
      else
        merged.push_back(edge);
    }
    out = std::move(merged);
  }
}

void keep_states(SymbolicAutomaton& automaton, const std::vector<bool>& keep) {
  std::vector<std::uint32_t> number(automaton.size());
  std::vector<std::vector<SymbolicEdge>> kept;
  std::uint32_t count = 0;
  for (std::uint32_t state = 0; state < automaton.size(); ++state)
    if (keep[state] || state == automaton.initial) number[state] = count++;
  for (std::uint32_t state = 0; state < automaton.size(); ++state) {
    if (!keep[state] && state != automaton.initial) continue;
    std::vector<SymbolicEdge> out;
    for (SymbolicEdge edge : automaton.edges[state]) {
      if (!keep[edge.to] && edge.to != automaton.initial) continue;
      edge.to = number[edge.to];
      out.push_back(edge);
    }
    kept.push_back(std::move(out));
  }
  automaton.edges = std::move(kept);
  automaton.initial = number[automaton.initial];
}

void order_states(SymbolicAutomaton& automaton) {
  constexpr std::uint32_t unknown = ~std::uint32_t{0};
  std::vector<std::uint32_t> number(automaton.size(), unknown), order;
  const auto visit = [&](std::uint32_t state) {
    if (number[state] != unknown) return;
    number[state] = static_cast<std::uint32_t>(order.size());
    order.push_back(state);
  };
  visit(automaton.initial);
  for (std::size_t at = 0; at < order.size(); ++at)
    for (const SymbolicEdge& edge : automaton.edges[order[at]]) visit(edge.to);
  std::vector<std::vector<SymbolicEdge>> ordered;
  for (const std::uint32_t state : order) {
    ordered.push_back(std::move(automaton.edges[state]));
    for (SymbolicEdge& edge : ordered.back()) edge.to = number[edge.to];
  }
  automaton.edges = std::move(ordered);
  automaton.initial = 0;
}

std::optional<SymbolicAutomaton> product(const SymbolicAutomaton& a, const SymbolicAutomaton& b,
                                         BddManager& bdds, std::size_t max_states) {
  SymbolicAutomaton result;
  result.sets = a.sets + b.sets;
  if (result.sets > max_translation_sets) return std::nullopt;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> number;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  const auto state_of = [&](std::uint32_t x, std::uint32_t y) {
    const auto [entry, is_new] = number.try_emplace({x, y}, static_cast<std::uint32_t>(number.size()));
    if (is_new) pairs.push_back({x, y});
    return entry->second;
  };
  state_of(a.initial, b.initial);
  for (std::uint32_t state = 0; state < pairs.size(); ++state) {
    if (pairs.size() > max_states) return std::nullopt;
    const auto [x, y] = pairs[state];
    result.edges.emplace_back();
    for (const SymbolicEdge& first : a.edges[x])
      for (const SymbolicEdge& second : b.edges[y])
        if (const Bdd label = bdds.and_(first.label, second.label); label != 0)
          result.edges[state].push_back(
              {state_of(first.to, second.to), first.marks | (second.marks << a.sets), label});
  }
  return result;
}

std::vector<bool> accepting_sccs(const SymbolicAutomaton& automaton, const Sccs& sccs) {
  std::vector<bool> has_edge(sccs.count);
  std::vector<Marks> seen(sccs.count);
  for (std::uint32_t state = 0; state < automaton.size(); ++state)
    for (const SymbolicEdge& edge : automaton.edges[state]) {
      const std::uint32_t scc = sccs.of[state];
      if (sccs.of[edge.to] != scc) continue;
      has_edge[scc] = true;
      seen[scc] |= edge.marks;
    }
  std::vector<bool> result(sccs.count);
  for (std::uint32_t i = 0; i < sccs.count; ++i) result[i] = has_edge[i] && seen[i] == automaton.all_marks();
  return result;
}

}  // namespace tideline
