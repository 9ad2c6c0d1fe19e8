#include "logic/prune.hpp"

#include <bit>

namespace tideline {

void remove_useless_states(SymbolicAutomaton& automaton) {
  const Sccs parts = sccs(automaton);
  std::vector<bool> useful = accepting_sccs(automaton, parts);
  // SCC numbers are a reverse topological order, so targets are decided before sources.
  std::vector<std::vector<std::uint32_t>> members(parts.count);
  for (std::uint32_t state = 0; state < automaton.size(); ++state) members[parts.of[state]].push_back(state);
  for (std::uint32_t part = 0; part < parts.count; ++part)
    for (const std::uint32_t state : members[part])
      for (const SymbolicEdge& edge : automaton.edges[state])
        if (useful[parts.of[edge.to]]) useful[part] = true;

  std::vector<bool> keep(automaton.size());
  std::vector<std::uint32_t> open;
  const auto visit = [&](std::uint32_t state) {
    if (keep[state] || !useful[parts.of[state]]) return;
    keep[state] = true;
    open.push_back(state);
  };
  visit(automaton.initial);
  if (open.empty()) {  // nothing is accepted
    automaton.edges.assign(1, {});
    automaton.initial = 0;
    return;
  }
  while (!open.empty()) {
    const std::uint32_t state = open.back();
    open.pop_back();
    for (const SymbolicEdge& edge : automaton.edges[state]) visit(edge.to);
  }
  keep_states(automaton, keep);
}

void saturate_marks(SymbolicAutomaton& automaton, bool transient_marks) {
  const Sccs parts = sccs(automaton);
  for (std::uint32_t set = 0; set < automaton.sets; ++set) {
    const Marks bit = Marks{1} << set;
    // Cycles that avoid the set lie within these SCCs.
    const Sccs avoiding =
        sccs(automaton, [&](std::uint32_t, const SymbolicEdge& edge) { return (edge.marks & bit) == 0; });
    for (std::uint32_t state = 0; state < automaton.size(); ++state) {
      const auto on_avoiding_cycle = [&](const SymbolicEdge& edge) {
        return (edge.marks & bit) == 0 && avoiding.of[edge.to] == avoiding.of[state];
      };
      auto& out = automaton.edges[state];
      if (automaton.state_based) {
        const bool joins = std::none_of(out.begin(), out.end(), on_avoiding_cycle);
        if (joins)
          for (SymbolicEdge& edge : out) edge.marks |= bit;
        continue;
      }
      for (SymbolicEdge& edge : out)
        if (!on_avoiding_cycle(edge)) edge.marks |= bit;
    }
  }
  if (transient_marks) return;
  for (std::uint32_t state = 0; state < automaton.size(); ++state) {
    auto& out = automaton.edges[state];
    const auto leaves = [&](const SymbolicEdge& edge) { return parts.of[edge.to] != parts.of[state]; };
    if (automaton.state_based && !std::all_of(out.begin(), out.end(), leaves)) continue;
    for (SymbolicEdge& edge : out)
      if (leaves(edge)) edge.marks = 0;
  }
}

namespace {

/// Which sets an SCC needs: those that contain no other one (of equal sets the first).
Marks needed_sets(const SymbolicAutomaton& automaton, const std::vector<std::uint32_t>& members,
                  const Sccs& parts) {
  std::vector<Marks> contains(automaton.sets, automaton.all_marks());  // i -> sets that are within i
  for (const std::uint32_t state : members)
    for (const SymbolicEdge& edge : automaton.edges[state]) {
      if (parts.of[edge.to] != parts.of[state]) continue;
      for (std::uint32_t i = 0; i < automaton.sets; ++i)
        if ((edge.marks & (Marks{1} << i)) == 0) contains[i] &= ~edge.marks;
    }
  Marks needed = 0;
  for (std::uint32_t i = 0; i < automaton.sets; ++i) {
    bool redundant = false;
    for (std::uint32_t j = 0; j < automaton.sets; ++j) {
      if (i == j || (contains[i] & (Marks{1} << j)) == 0) continue;
      const bool equal = (contains[j] & (Marks{1} << i)) != 0;
      if (!equal || j < i) redundant = true;
    }
    if (!redundant) needed |= Marks{1} << i;
  }
  // A set with all edges requires nothing; it contains every other one, so this matters for the
  // last set only.
  if ((needed & (needed - 1)) == 0 && needed != 0) {
    for (const std::uint32_t state : members)
      for (const SymbolicEdge& edge : automaton.edges[state])
        if (parts.of[edge.to] == parts.of[state] && (edge.marks & needed) == 0) return needed;
    return 0;
  }
  return needed;
}

}  // namespace

void reduce_sets(SymbolicAutomaton& automaton) {
  saturate_marks(automaton, true);
  const Sccs parts = sccs(automaton);
  const std::vector<bool> accepting = accepting_sccs(automaton, parts);
  std::vector<std::vector<std::uint32_t>> members(parts.count);
  for (std::uint32_t state = 0; state < automaton.size(); ++state) members[parts.of[state]].push_back(state);

  std::vector<Marks> needed(parts.count);
  std::uint32_t most = 0;
  bool has_rejecting_cycle = false;
  for (std::uint32_t part = 0; part < parts.count; ++part) {
    if (accepting[part]) needed[part] = needed_sets(automaton, members[part], parts);
    most = std::max(most, static_cast<std::uint32_t>(std::popcount(needed[part])));
    if (accepting[part]) continue;
    for (const std::uint32_t state : members[part])
      for (const SymbolicEdge& edge : automaton.edges[state])
        if (parts.of[edge.to] == part) has_rejecting_cycle = true;
  }
  // Something has to distinguish rejecting SCCs from accepting ones.
  if (most == 0 && has_rejecting_cycle) most = 1;

  const Marks all = most == 64 ? ~Marks{0} : (Marks{1} << most) - 1;
  for (std::uint32_t state = 0; state < automaton.size(); ++state)
    for (SymbolicEdge& edge : automaton.edges[state]) {
      const std::uint32_t part = parts.of[state];
      if (parts.of[edge.to] != part) {
        edge.marks = all;
      } else if (!accepting[part]) {
        edge.marks = 0;
      } else {
        // The needed sets become sets 0, 1, ...; those an SCC has no use for hold everywhere in it.
        Marks marks = 0;
        std::uint32_t position = 0;
        for (Marks rest = needed[part]; rest != 0; rest &= rest - 1, ++position)
          if (edge.marks & rest & (~rest + 1)) marks |= Marks{1} << position;
        edge.marks = marks | (all & ~((Marks{1} << position) - 1));
      }
    }
  automaton.sets = most;
}

}  // namespace tideline
