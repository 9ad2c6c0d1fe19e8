#include "logic/simulation.hpp"

#include <numeric>

#include "logic/prune.hpp"

namespace tideline {

namespace {

/// An edge seen from one of its ends.
struct HalfEdge {
  std::uint32_t other;
  Marks marks;
  Bdd label;
};

class Simulation {
 public:
  Simulation(const SymbolicAutomaton& automaton, BddManager& bdds, SimulationKind kind)
      : automaton_(automaton), bdds_(bdds), size_(automaton.size()), halves_(size_), above_(size_) {
    for (std::uint32_t state = 0; state < size_; ++state)
      for (const SymbolicEdge& edge : automaton.edges[state])
        if (kind == SimulationKind::forward)
          halves_[state].push_back({edge.to, edge.marks, edge.label});
        else
          halves_[edge.to].push_back({state, edge.marks, edge.label});
    start(kind);
    order_states_for(kind);
    while (refine()) {
    }
  }

  /// t simulates s.
  bool simulates(std::uint32_t t, std::uint32_t s) const { return above_[s][t]; }
  std::vector<std::vector<bool>> take() { return std::move(above_); }

 private:
  void start(SimulationKind kind) {
    std::vector<Bdd> can(size_);
    for (std::uint32_t state = 0; state < size_; ++state)
      for (const HalfEdge& half : halves_[state]) can[state] = bdds_.or_(can[state], half.label);
    for (std::uint32_t s = 0; s < size_; ++s) {
      above_[s].assign(size_, false);
      for (std::uint32_t t = 0; t < size_; ++t) {
        bool possible = bdds_.implies(can[s], can[t]);
        if (kind == SimulationKind::reverse) {
          if (s == automaton_.initial && t != s) possible = false;
          // The marks of a state-based automaton sit on edges that this direction does not look at.
          if (automaton_.state_based && (state_marks(s) & ~state_marks(t)) != 0) possible = false;
        }
        above_[s][t] = possible;
      }
    }
  }

  /// States that others depend on come first, so that only cycles need several rounds.
  void order_states_for(SimulationKind kind) {
    const Sccs parts = sccs(automaton_);
    order_.resize(size_);
    std::iota(order_.begin(), order_.end(), 0u);
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t state) { return parts.of[state]; });
    if (kind == SimulationKind::reverse) std::ranges::reverse(order_);
  }

  Marks state_marks(std::uint32_t state) const {
    return automaton_.edges[state].empty() ? 0 : automaton_.edges[state][0].marks;
  }

  bool refine() {
    bool changed = false;
    for (const std::uint32_t s : order_)
      for (const std::uint32_t t : order_)
        if (s != t && above_[s][t] && !matches(s, t)) {
          above_[s][t] = false;
          changed = true;
        }
    return changed;
  }

  bool matches(std::uint32_t s, std::uint32_t t) {
    for (const HalfEdge& half : halves_[s]) {
      Bdd uncovered = half.label;
      for (const HalfEdge& better : halves_[t]) {
        if ((half.marks & ~better.marks) != 0 || !above_[half.other][better.other]) continue;
        uncovered = bdds_.minus(uncovered, better.label);
        if (uncovered == 0) break;
      }
      if (uncovered != 0) return false;
    }
    return true;
  }

  const SymbolicAutomaton& automaton_;
  BddManager& bdds_;
  std::uint32_t size_;
  std::vector<std::uint32_t> order_;
  std::vector<std::vector<HalfEdge>> halves_;
  std::vector<std::vector<bool>> above_;  // above_[s][t]: t simulates s
};

/// Each state of a class becomes the first one.
std::vector<std::uint32_t> representatives(const Simulation& simulation, std::uint32_t size) {
  std::vector<std::uint32_t> result(size);
  for (std::uint32_t s = 0; s < size; ++s) {
    result[s] = s;
    for (std::uint32_t t = 0; t < s; ++t)
      if (simulation.simulates(s, t) && simulation.simulates(t, s)) {
        result[s] = result[t];
        break;
      }
  }
  return result;
}

/// A merged state keeps the edges of its representative: forward, the outgoing ones; backward,
/// the incoming ones.
void merge_states(SymbolicAutomaton& automaton, const std::vector<std::uint32_t>& of, SimulationKind kind) {
  std::vector<std::vector<SymbolicEdge>> merged(automaton.size());
  for (std::uint32_t state = 0; state < automaton.size(); ++state) {
    if (kind == SimulationKind::forward && of[state] != state) continue;
    for (SymbolicEdge edge : automaton.edges[state]) {
      if (kind == SimulationKind::reverse && of[edge.to] != edge.to) continue;
      edge.to = of[edge.to];
      merged[of[state]].push_back(edge);
    }
  }
  automaton.edges = std::move(merged);
  automaton.initial = of[automaton.initial];
}

/// Takes from every edge the valuations for which a better edge exists: forward, one from the same state to a
/// state that simulates the target; backward, one to the same state from a state that simulates the source.
/// States are already merged, so "better" is a strict order and the best edges stay.
void drop_covered_edges(SymbolicAutomaton& automaton, BddManager& bdds, SimulationKind kind,
                        const Simulation& simulation) {
  const auto covers = [&](std::uint32_t better_end, Marks better_marks, std::uint32_t end, Marks marks) {
    if ((marks & ~better_marks) != 0 || !simulation.simulates(better_end, end)) return false;
    return better_end != end || better_marks != marks;
  };
  if (kind == SimulationKind::forward) {
    for (auto& out : automaton.edges)
      for (SymbolicEdge& edge : out)
        for (const SymbolicEdge& better : out)
          if (covers(better.to, better.marks, edge.to, edge.marks))
            edge.label = bdds.minus(edge.label, better.label);
  } else {
    for (std::uint32_t s = 0; s < automaton.size(); ++s)
      for (SymbolicEdge& edge : automaton.edges[s])
        for (std::uint32_t t = 0; t < automaton.size(); ++t) {
          if (!simulation.simulates(t, s)) continue;
          for (const SymbolicEdge& better : automaton.edges[t])
            if (better.to == edge.to && covers(t, better.marks, s, edge.marks))
              edge.label = bdds.minus(edge.label, better.label);
        }
  }
  merge_edges(automaton, bdds);
}

}  // namespace

void reduce_by_simulation(SymbolicAutomaton& automaton, BddManager& bdds, SimulationKind kind) {
  if (automaton.size() > max_simulation_states || automaton.edge_count() > max_simulation_edges) return;
  const Simulation simulation(automaton, bdds, kind);
  merge_states(automaton, representatives(simulation, automaton.size()), kind);
  merge_edges(automaton, bdds);
  drop_covered_edges(automaton, bdds, kind, simulation);
  remove_useless_states(automaton);
}

std::vector<std::vector<bool>> simulation_relation(const SymbolicAutomaton& automaton, BddManager& bdds) {
  return Simulation(automaton, bdds, SimulationKind::forward).take();
}

void reduce_thoroughly(SymbolicAutomaton& automaton, BddManager& bdds) {
  remove_useless_states(automaton);
  for (bool changed = true; changed;) {
    const auto before = std::pair{automaton.size(), automaton.edge_count()};
    for (const bool transient_marks : {true, false})
      for (const SimulationKind kind : {SimulationKind::forward, SimulationKind::reverse}) {
        saturate_marks(automaton, transient_marks);
        merge_edges(automaton, bdds);
        reduce_by_simulation(automaton, bdds, kind);
      }
    changed = std::pair{automaton.size(), automaton.edge_count()} != before;
  }
}

}  // namespace tideline
