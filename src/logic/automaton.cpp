#include "logic/automaton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "logic/symbolic_automaton.hpp"

namespace tideline {

std::uint32_t Automaton::state_marks(std::uint32_t state) const {
  const auto edge = std::ranges::lower_bound(edges, state, {}, &AutomatonEdge::from);
  return edge != edges.end() && edge->from == state ? edge->marks : 0;
}

std::size_t Automaton::edge_count() const {
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> kinds;
  for (const AutomatonEdge& edge : edges) kinds.emplace_back(edge.from, edge.to, edge.marks);
  std::sort(kinds.begin(), kinds.end());
  return static_cast<std::size_t>(std::unique(kinds.begin(), kinds.end()) - kinds.begin());
}

std::vector<std::uint32_t> first_edges(const Automaton& automaton) {
  std::vector<std::uint32_t> first(automaton.states + 1, 0);
  for (const AutomatonEdge& edge : automaton.edges) ++first[edge.from + 1];
  for (std::uint32_t state = 0; state < automaton.states; ++state) first[state + 1] += first[state];
  return first;
}

bool has_state_marks(const Automaton& automaton) {
  const auto differ = [](const AutomatonEdge& a, const AutomatonEdge& b) {
    return a.from == b.from && a.marks != b.marks;
  };
  return std::ranges::adjacent_find(automaton.edges, differ) == automaton.edges.end();
}

namespace {

/// The graph alone: labels do not matter to SCCs.
SymbolicAutomaton skeleton(const Automaton& automaton) {
  SymbolicAutomaton graph;
  graph.sets = automaton.sets;
  graph.initial = automaton.initial;
  graph.edges.resize(automaton.states);
  for (const AutomatonEdge& edge : automaton.edges)
    graph.edges[edge.from].push_back({edge.to, edge.marks, 1});
  return graph;
}

bool is_inside(const Sccs& parts, std::uint32_t state, const SymbolicEdge& edge) {
  return parts.of[state] == parts.of[edge.to];
}

/// By SCC of `parts`: some cycle in it avoids a set.
std::vector<bool> with_rejecting_cycle(const SymbolicAutomaton& graph, const Sccs& parts) {
  std::vector<bool> result(parts.count, false);
  for (std::uint32_t set = 0; set < graph.sets; ++set) {
    const auto avoids = [&](std::uint32_t, const SymbolicEdge& edge) {
      return ((edge.marks >> set) & 1) == 0;
    };
    const Sccs avoiding = sccs(graph, avoids);
    for (std::uint32_t state = 0; state < graph.size(); ++state)
      for (const SymbolicEdge& edge : graph.edges[state])
        if (avoids(state, edge) && is_inside(avoiding, state, edge)) result[parts.of[state]] = true;
  }
  return result;
}

}  // namespace

AutomatonSccs sccs(const Automaton& automaton) {
  const SymbolicAutomaton graph = skeleton(automaton);
  Sccs parts = sccs(graph);
  AutomatonSccs result;
  result.accepting = accepting_sccs(graph, parts);
  result.rejecting = with_rejecting_cycle(graph, parts);
  result.count = parts.count;
  result.of = std::move(parts.of);
  return result;
}

bool is_weak(const Automaton& automaton) {
  const AutomatonSccs parts = sccs(automaton);
  for (std::uint32_t part = 0; part < parts.count; ++part)
    if (parts.accepting[part] && parts.rejecting[part]) return false;
  return true;
}

bool is_complete(const Automaton& automaton) {
  BddManager bdds;
  std::vector<Bdd> covered(automaton.states, 0);
  for (const AutomatonEdge& edge : automaton.edges)
    covered[edge.from] = bdds.or_(covered[edge.from], bdds.cube(edge.label));
  return std::ranges::all_of(covered, [](Bdd label) { return label == 1; });
}

bool is_terminal(const Automaton& automaton) {
  const AutomatonSccs parts = sccs(automaton);
  const auto accepting = [&](std::uint32_t state) { return parts.accepting[parts.of[state]]; };
  BddManager bdds;
  std::vector<Bdd> covered(automaton.states, 0);
  for (const AutomatonEdge& edge : automaton.edges) {
    if (accepting(edge.from) && !accepting(edge.to)) return false;
    covered[edge.from] = bdds.or_(covered[edge.from], bdds.cube(edge.label));
  }
  for (std::uint32_t state = 0; state < automaton.states; ++state)
    if (accepting(state) && (parts.rejecting[parts.of[state]] || covered[state] != 1)) return false;
  return true;
}

bool is_deterministic(const Automaton& automaton) {
  const std::vector<std::uint32_t> first = first_edges(automaton);
  const auto exclude = [](const Cube& a, const Cube& b) {
    return (a.positive & b.negative) != 0 || (a.negative & b.positive) != 0;
  };
  for (std::uint32_t state = 0; state < automaton.states; ++state)
    for (std::uint32_t i = first[state]; i < first[state + 1]; ++i)
      for (std::uint32_t j = i + 1; j < first[state + 1]; ++j)
        if (!exclude(automaton.edges[i].label, automaton.edges[j].label)) return false;
  return true;
}

bool is_safety(const Automaton& automaton) {
  const AutomatonSccs parts = sccs(automaton);
  const SymbolicAutomaton graph = skeleton(automaton);
  const Sccs same{parts.of, parts.count};
  for (std::uint32_t state = 0; state < graph.size(); ++state)
    for (const SymbolicEdge& edge : graph.edges[state])
      if (is_inside(same, state, edge) &&
          (parts.rejecting[parts.of[state]] || !parts.accepting[parts.of[state]]))
        return false;
  return true;
}

bool is_empty(const Automaton& automaton) {
  const AutomatonSccs parts = sccs(automaton);
  const std::vector<std::uint32_t> first = first_edges(automaton);
  std::vector<bool> seen(automaton.states);
  std::vector<std::uint32_t> open{automaton.initial};
  seen[automaton.initial] = true;
  while (!open.empty()) {
    const std::uint32_t state = open.back();
    open.pop_back();
    if (parts.accepting[parts.of[state]]) return false;
    for (std::uint32_t i = first[state]; i < first[state + 1]; ++i) {
      const std::uint32_t to = automaton.edges[i].to;
      if (!seen[to]) open.push_back(to);
      seen[to] = true;
    }
  }
  return true;
}

Automaton with_cubes(const SymbolicAutomaton& symbolic, BddManager& bdds) {
  if (symbolic.sets > max_automaton_sets)
    throw Error(ErrorKind::input,
                fmt::format("the automaton needs {} acceptance sets; at most {} can be handled",
                            symbolic.sets, max_automaton_sets));
  Automaton result;
  result.states = symbolic.size();
  result.initial = symbolic.initial;
  result.sets = symbolic.sets;
  for (std::uint32_t state = 0; state < symbolic.size(); ++state)
    for (const SymbolicEdge& edge : symbolic.edges[state])
      for (const Cube& cube : bdds.cubes(edge.label))
        result.edges.push_back({state, edge.to, cube, static_cast<std::uint32_t>(edge.marks)});
  result.state_based = has_state_marks(result);
  return result;
}

SymbolicAutomaton with_labels(const Automaton& automaton, BddManager& bdds) {
  SymbolicAutomaton result;
  result.sets = automaton.sets;
  result.initial = automaton.initial;
  result.edges.resize(automaton.states);
  for (const AutomatonEdge& edge : automaton.edges)
    result.edges[edge.from].push_back({edge.to, edge.marks, bdds.cube(edge.label)});
  merge_edges(result, bdds);
  return result;
}

std::uint64_t used_atoms(const Automaton& automaton) {
  std::uint64_t used = 0;
  for (const AutomatonEdge& edge : automaton.edges) used |= edge.label.positive | edge.label.negative;
  return used;
}

}  // namespace tideline
