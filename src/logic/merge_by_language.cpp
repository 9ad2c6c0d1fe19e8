#include "logic/merge_by_language.hpp"

#include "logic/obligation.hpp"
#include "logic/prune.hpp"
#include "logic/simulation.hpp"

namespace tideline {

namespace {

// Each of many pairs costs an emptiness check of a product: bounds that keep this within milliseconds.
constexpr std::uint32_t max_states = 40;
constexpr std::size_t max_product_edges = 5000;

SymbolicAutomaton with_redirection(SymbolicAutomaton automaton, std::uint32_t from, std::uint32_t to) {
  for (auto& out : automaton.edges)
    for (SymbolicEdge& edge : out)
      if (edge.to == from) edge.to = to;
  if (automaton.initial == from) automaton.initial = to;
  automaton.edges[from].clear();
  return automaton;
}

/// False when no pair of states can be merged.
bool merge_one_pair(SymbolicAutomaton& automaton, const SymbolicAutomaton& complement, BddManager& bdds) {
  const auto above = simulation_relation(automaton, bdds);
  for (std::uint32_t s = 0; s < automaton.size(); ++s)
    for (std::uint32_t t = 0; t < automaton.size(); ++t) {
      if (s == t || !above[s][t]) continue;
      SymbolicAutomaton merged = with_redirection(automaton, s, t);
      if (intersect(merged, complement, bdds)) continue;
      automaton = std::move(merged);
      return true;
    }
  return false;
}

}  // namespace

void merge_by_language(SymbolicAutomaton& automaton, const SymbolicAutomaton& complement, BddManager& bdds) {
  if (automaton.size() > max_states) return;
  if (automaton.edge_count() * complement.edge_count() > max_product_edges) return;
  while (merge_one_pair(automaton, complement, bdds)) {
    merge_edges(automaton, bdds);
    reduce_thoroughly(automaton, bdds);
  }
}

}  // namespace tideline
