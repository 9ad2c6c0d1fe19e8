// The automaton that translation and reductions work on: edges carry Boolean functions over the atoms.
//
// A run is accepting if it takes infinitely many edges of every one of the `sets` acceptance sets
// (transition-based generalised Büchi; with no sets every infinite run is accepting). A state-based Büchi
// automaton is the special case of one set whose edges are all those that leave accepting states. States
// without edges are allowed; no label is false.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "logic/bdd.hpp"

namespace tideline {

/// Acceptance sets of an edge; bit i is set i.
using Marks = std::uint64_t;

inline constexpr std::uint32_t max_translation_sets = 64;

struct SymbolicEdge {
  std::uint32_t to = 0;
  Marks marks = 0;
  Bdd label = 0;
};

struct SymbolicAutomaton {
  std::uint32_t sets = 0;
  std::uint32_t initial = 0;
  bool state_based = false;                      ///< all edges of a state carry the same marks
  std::vector<std::vector<SymbolicEdge>> edges;  ///< by source

  std::uint32_t size() const { return static_cast<std::uint32_t>(edges.size()); }
  Marks all_marks() const { return sets == 64 ? ~Marks{0} : (Marks{1} << sets) - 1; }
  std::size_t edge_count() const;
};

/// Joins edges that differ in their label only, and orders them.
void merge_edges(SymbolicAutomaton& automaton, BddManager& bdds);

/// Keeps the marked states (renumbered, in order) and the edges between them. The initial state stays.
void keep_states(SymbolicAutomaton& automaton, const std::vector<bool>& keep);

/// Numbers states in the order of a breadth-first search; the initial one is 0. All are reachable.
void order_states(SymbolicAutomaton& automaton);

/// The words that both accept; the sets of b come after those of a. Only states that can be reached. Nothing
/// when that takes more than max_states, or more than max_translation_sets sets.
std::optional<SymbolicAutomaton> product(const SymbolicAutomaton& a, const SymbolicAutomaton& b,
                                         BddManager& bdds, std::size_t max_states);

/// SCCs. Their numbers are a reverse topological order: an edge never leads to an SCC with a greater number.
struct Sccs {
  std::vector<std::uint32_t> of;  ///< by state
  std::uint32_t count = 0;
};
/// Only edges that satisfy `follow(source, edge)` count.
template <class Follow>
Sccs sccs(const SymbolicAutomaton& automaton, Follow follow);
inline Sccs sccs(const SymbolicAutomaton& automaton) {
  return sccs(automaton, [](std::uint32_t, const SymbolicEdge&) { return true; });
}

/// By SCC: it has an edge inside, and for every acceptance set one that is in it.
std::vector<bool> accepting_sccs(const SymbolicAutomaton& automaton, const Sccs& sccs);

// Tarjan's algorithm without recursion.
template <class Follow>
Sccs sccs(const SymbolicAutomaton& automaton, Follow follow) {
  constexpr std::uint32_t unknown = ~std::uint32_t{0};
  Sccs result{std::vector<std::uint32_t>(automaton.size(), unknown), 0};
  std::vector<std::uint32_t> index(automaton.size(), unknown), low(automaton.size()), stack;
  std::vector<std::pair<std::uint32_t, std::size_t>> path;  // state, next edge
  std::uint32_t next_index = 0;
  const auto enter = [&](std::uint32_t state) {
    index[state] = low[state] = next_index++;
    stack.push_back(state);
    path.push_back({state, 0});
  };
  for (std::uint32_t root = 0; root < automaton.size(); ++root) {
    if (index[root] != unknown) continue;
    enter(root);
    while (!path.empty()) {
      auto& [state, at] = path.back();
      if (at < automaton.edges[state].size()) {
        const SymbolicEdge& edge = automaton.edges[state][at++];
        if (!follow(state, edge)) continue;
        if (index[edge.to] == unknown)
          enter(edge.to);
        else if (result.of[edge.to] == unknown)
          low[state] = std::min(low[state], index[edge.to]);
        continue;
      }
      const std::uint32_t done = state;
      path.pop_back();
      if (!path.empty()) low[path.back().first] = std::min(low[path.back().first], low[done]);
      if (low[done] != index[done]) continue;
      while (result.of[done] == unknown) {
        result.of[stack.back()] = result.count;
        stack.pop_back();
      }
      ++result.count;
    }
  }
  return result;
}

}  // namespace tideline
