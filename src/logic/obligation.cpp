#include "logic/obligation.hpp"

#include <deque>
#include <map>

#include "logic/prune.hpp"

namespace tideline {

namespace {

// Bounds that keep this within some ten milliseconds.
constexpr std::size_t max_pairs = 20000;
constexpr std::size_t max_work = 200000;

/// The minimal automaton is used only if it is no larger, which is unlikely with many more
/// subsets than states.
std::size_t max_subsets(const SymbolicAutomaton& automaton) {
  return 4 * std::size_t{automaton.size()} + 200;
}

using Subset = std::vector<std::uint32_t>;  // ordered

/// A complete deterministic automaton, and for its states what they stand for.
struct Deterministic {
  SymbolicAutomaton automaton;
  std::vector<Subset> subsets;
};

/// For each subset that some valuation leads to, the valuations. `work` counts steps.
std::map<Subset, Bdd> successors(const SymbolicAutomaton& automaton, const Subset& from, BddManager& bdds,
                                 std::size_t& work) {
  std::map<Subset, Bdd> result{{{}, 1}};
  for (const std::uint32_t state : from)
    for (const SymbolicEdge& edge : automaton.edges[state]) {
      work += result.size();
      std::map<Subset, Bdd> split;
      for (const auto& [subset, label] : result) {
        const Bdd with = bdds.and_(label, edge.label), without = bdds.minus(label, edge.label);
        if (without != 0) split[subset] = bdds.or_(split[subset], without);
        if (with == 0) continue;
        Subset larger = subset;
        const auto at = std::ranges::lower_bound(larger, edge.to);
        if (at == larger.end() || *at != edge.to) larger.insert(at, edge.to);
        split[larger] = bdds.or_(split[larger], with);
      }
      result = std::move(split);
    }
  return result;
}

std::optional<Deterministic> determinise(const SymbolicAutomaton& automaton, BddManager& bdds) {
  Deterministic result;
  std::map<Subset, std::uint32_t> number;
  const auto state_of = [&](const Subset& subset) {
    const auto [entry, is_new] = number.try_emplace(subset, static_cast<std::uint32_t>(number.size()));
    if (is_new) result.subsets.push_back(subset);
    return entry->second;
  };
  state_of({automaton.initial});
  std::size_t work = 0;
  for (std::uint32_t state = 0; state < result.subsets.size(); ++state) {
    if (result.subsets.size() > max_subsets(automaton) || work > max_work) return std::nullopt;
    const Subset from = result.subsets[state];
    result.automaton.edges.emplace_back();
    for (const auto& [to, label] : successors(automaton, from, bdds, work))
      result.automaton.edges[state].push_back({state_of(to), 0, label});
  }
  return result;
}

/// Some valuation that satisfies the label, as a cube over all its variables.
Bdd some_valuation(Bdd label, BddManager& bdds) {
  Cube cube;
  while (label != 1) {
    const std::uint64_t bit = std::uint64_t{1} << bdds.top(label);
    const bool positive = bdds.low(label) == 0;
    (positive ? cube.positive : cube.negative) |= bit;
    label = positive ? bdds.high(label) : bdds.low(label);
  }
  return bdds.cube(cube);
}

/// Labels of a shortest cycle through `start` within its SCC; empty if there is none.
std::vector<Bdd> cycle_through(std::uint32_t start, const SymbolicAutomaton& automaton, const Sccs& parts) {
  struct Step {
    std::uint32_t from;
    Bdd label;
  };
  std::map<std::uint32_t, Step> reached_by;
  std::deque<std::uint32_t> open{start};
  while (!open.empty() && !reached_by.contains(start)) {
    const std::uint32_t state = open.front();
    open.pop_front();
    for (const SymbolicEdge& edge : automaton.edges[state])
      if (parts.of[edge.to] == parts.of[start] &&
          reached_by.try_emplace(edge.to, Step{state, edge.label}).second)
        open.push_back(edge.to);
  }
  if (!reached_by.contains(start)) return {};
  std::vector<Bdd> labels;
  std::uint32_t at = start;
  do {
    labels.push_back(reached_by.at(at).label);
    at = reached_by.at(at).from;
  } while (at != start);
  std::reverse(labels.begin(), labels.end());
  return labels;
}

/// The automaton that accepts one word: the labels (single valuations) over and over.
SymbolicAutomaton loop_of(const std::vector<Bdd>& word) {
  SymbolicAutomaton loop;
  for (std::uint32_t i = 0; i < word.size(); ++i)
    loop.edges.push_back({{(i + 1) % static_cast<std::uint32_t>(word.size()), 0, word[i]}});
  return loop;
}

/// Colours as Löding's: even ones accept, and transient states take the colour below them, so that minimising
/// the automaton as one on finite words gives the smallest weak one.
std::vector<bool> accepting_states(const Deterministic& deterministic, const SymbolicAutomaton& automaton,
                                   BddManager& bdds) {
  const SymbolicAutomaton& graph = deterministic.automaton;
  const Sccs parts = sccs(graph);
  std::vector<std::vector<std::uint32_t>> members(parts.count);
  for (std::uint32_t state = 0; state < graph.size(); ++state) members[parts.of[state]].push_back(state);
  std::vector<std::uint32_t> colour(parts.count, 0);
  for (std::uint32_t part = 0; part < parts.count; ++part) {
    for (const std::uint32_t state : members[part])
      for (const SymbolicEdge& edge : graph.edges[state])
        if (parts.of[edge.to] != part) colour[part] = std::max(colour[part], colour[parts.of[edge.to]]);
    const std::uint32_t start = members[part][0];
    std::vector<Bdd> word = cycle_through(start, graph, parts);
    if (word.empty()) continue;
    for (Bdd& letter : word) letter = some_valuation(letter, bdds);
    bool accepting = false;
    SymbolicAutomaton from = automaton;
    for (const std::uint32_t state : deterministic.subsets[start]) {
      from.initial = state;
      accepting = accepting || intersect(from, loop_of(word), bdds);
    }
    if (accepting != (colour[part] % 2 == 0)) ++colour[part];
  }
  std::vector<bool> result(graph.size());
  for (std::uint32_t state = 0; state < graph.size(); ++state)
    result[state] = colour[parts.of[state]] % 2 == 0;
  return result;
}

/// Moore's algorithm: classes are refined by where the edges go until nothing changes.
SymbolicAutomaton minimise(const SymbolicAutomaton& graph, const std::vector<bool>& accepting,
                           BddManager& bdds, std::vector<bool>& class_accepting) {
  using Signature = std::pair<std::uint32_t, std::map<std::uint32_t, Bdd>>;
  std::vector<std::uint32_t> of(graph.size());
  for (std::uint32_t state = 0; state < graph.size(); ++state) of[state] = accepting[state] ? 1 : 0;
  std::map<Signature, std::uint32_t> classes;
  for (std::size_t before = 0; classes.size() != before || before == 0;) {
    before = classes.size();
    classes.clear();
    std::vector<std::uint32_t> refined(graph.size());
    for (std::uint32_t state = 0; state < graph.size(); ++state) {
      Signature signature{of[state], {}};
      for (const SymbolicEdge& edge : graph.edges[state]) {
        Bdd& label = signature.second[of[edge.to]];
        label = bdds.or_(label, edge.label);
      }
      refined[state] =
          classes.try_emplace(std::move(signature), static_cast<std::uint32_t>(classes.size())).first->second;
    }
    of = std::move(refined);
  }
  SymbolicAutomaton result;
  result.initial = of[graph.initial];
  result.edges.resize(classes.size());
  class_accepting.assign(classes.size(), false);
  for (std::uint32_t state = 0; state < graph.size(); ++state) {
    class_accepting[of[state]] = accepting[state];
    if (!result.edges[of[state]].empty()) continue;
    for (SymbolicEdge edge : graph.edges[state]) {
      edge.to = of[edge.to];
      result.edges[of[state]].push_back(edge);
    }
  }
  merge_edges(result, bdds);
  return result;
}

SymbolicAutomaton with_acceptance(SymbolicAutomaton automaton, const std::vector<bool>& accepting,
                                  bool value) {
  automaton.sets = 1;
  automaton.state_based = true;
  for (std::uint32_t state = 0; state < automaton.size(); ++state)
    for (SymbolicEdge& edge : automaton.edges[state]) edge.marks = accepting[state] == value ? 1 : 0;
  return automaton;
}

}  // namespace

bool intersect(const SymbolicAutomaton& a, const SymbolicAutomaton& b, BddManager& bdds) {
  const auto common = product(a, b, bdds, max_pairs);
  if (!common) return true;  // not known: the caller must not rely on emptiness
  const std::vector<bool> accepting = accepting_sccs(*common, sccs(*common));
  return std::ranges::find(accepting, true) != accepting.end();
}

std::optional<SymbolicAutomaton> minimal_weak(const SymbolicAutomaton& automaton,
                                              const SymbolicAutomaton& complement, BddManager& bdds) {
  const auto deterministic = determinise(automaton, bdds);
  if (!deterministic) return std::nullopt;
  const std::vector<bool> accepting = accepting_states(*deterministic, automaton, bdds);
  std::vector<bool> class_accepting;
  const SymbolicAutomaton smallest = minimise(deterministic->automaton, accepting, bdds, class_accepting);
  SymbolicAutomaton result = with_acceptance(smallest, class_accepting, true);
  if (intersect(result, complement, bdds)) return std::nullopt;
  if (intersect(automaton, with_acceptance(smallest, class_accepting, false), bdds)) return std::nullopt;
  remove_useless_states(result);
  return result;
}

}  // namespace tideline
