#include "logic/acceptance.hpp"

#include <optional>
#include <tuple>

namespace tideline {

namespace {

bool within(const EdgeSet& inner, const EdgeSet& outer) {
  return (inner.sets & ~outer.sets) == 0 && (inner.complements & ~outer.complements) == 0;
}

EdgeSet joined(const EdgeSet& a, const EdgeSet& b) {
  return {a.sets | b.sets, a.complements | b.complements};
}

/// The same way without superfluous conditions; nothing when no run satisfies it.
std::optional<AcceptanceWay> tidied(AcceptanceWay way) {
  for (EdgeSet& set : way.infinite) {
    set.sets &= ~way.finite.sets;
    set.complements &= ~way.finite.complements;
    if (set.empty()) return std::nullopt;
  }
  std::vector<EdgeSet> needed;
  for (std::size_t i = 0; i < way.infinite.size(); ++i) {
    bool is_implied = false;  // by a smaller set, or by an equal one that comes first
    for (std::size_t j = 0; j < way.infinite.size(); ++j)
      if (i != j && within(way.infinite[j], way.infinite[i]))
        is_implied = is_implied || j < i || way.infinite[i] != way.infinite[j];
    if (!is_implied) needed.push_back(way.infinite[i]);
  }
  std::ranges::sort(needed, {}, [](const EdgeSet& set) { return std::tie(set.sets, set.complements); });
  way.infinite = std::move(needed);
  return way;
}

/// Runs that are accepted in `stronger` are accepted in `weaker` as well.
bool implies(const AcceptanceWay& stronger, const AcceptanceWay& weaker) {
  if (!within(weaker.finite, stronger.finite)) return false;
  return std::ranges::all_of(weaker.infinite, [&](const EdgeSet& wanted) {
    return std::ranges::any_of(stronger.infinite,
                               [&](const EdgeSet& given) { return within(given, wanted); });
  });
}

/// One way for two that differ in what has to come infinitely often, in a single set: Inf(0) | Inf(1).
std::optional<AcceptanceWay> merged(const AcceptanceWay& a, const AcceptanceWay& b) {
  if (a.finite != b.finite || a.infinite.size() != b.infinite.size()) return std::nullopt;
  std::vector<EdgeSet> common, only_a, only_b;
  for (const EdgeSet& set : a.infinite)
    (std::ranges::find(b.infinite, set) != b.infinite.end() ? common : only_a).push_back(set);
  for (const EdgeSet& set : b.infinite)
    if (std::ranges::find(common, set) == common.end()) only_b.push_back(set);
  if (only_a.size() != 1 || only_b.size() != 1) return std::nullopt;
  common.push_back(joined(only_a[0], only_b[0]));
  return tidied({a.finite, std::move(common)});
}

void add_way(Acceptance& ways, AcceptanceWay way) {
  for (bool again = true; again;) {
    again = false;
    if (std::ranges::any_of(ways, [&](const AcceptanceWay& known) { return implies(way, known); })) return;
    std::erase_if(ways, [&](const AcceptanceWay& known) { return implies(known, way); });
    for (std::size_t i = 0; i < ways.size() && !again; ++i)
      if (const auto one = merged(ways[i], way)) {
        ways.erase(ways.begin() + static_cast<std::ptrdiff_t>(i));
        way = *one;
        again = true;
      }
  }
  ways.push_back(std::move(way));
}

class FinRemoval {
 public:
  FinRemoval(const SymbolicAutomaton& automaton, const Acceptance& ways) : automaton_(automaton) {
    // Ways without Fin need no copy; one of them is followed in the automaton itself.
    for (const AcceptanceWay& way : ways)
      if (way.finite.empty() && main_ == nullptr)
        main_ = &way;
      else
        others_.push_back(&way);
    for (const AcceptanceWay& way : ways)
      result_.sets = std::max(result_.sets, static_cast<std::uint32_t>(way.infinite.size()));
    // Something has to distinguish the automaton itself from its copies.
    if (main_ == nullptr) result_.sets = std::max(result_.sets, 1u);
  }

  SymbolicAutomaton run() {
    result_.initial = automaton_.initial;
    result_.edges.resize(automaton_.size());
    for (std::uint32_t state = 0; state < automaton_.size(); ++state)
      for (const SymbolicEdge& edge : automaton_.edges[state])
        result_.edges[state].push_back({edge.to, main_ != nullptr ? marks(edge, *main_) : 0, edge.label});
    for (const AcceptanceWay* way : others_) add_copy(*way);
    return std::move(result_);
  }

 private:
  /// Set i is the i-th of the sets that have to come infinitely often; the sets beyond hold everywhere.
  Marks marks(const SymbolicEdge& edge, const AcceptanceWay& way) const {
    Marks result = 0;
    for (std::uint32_t i = 0; i < result_.sets; ++i)
      if (i >= way.infinite.size() || way.infinite[i].contains(edge.marks)) result |= Marks{1} << i;
    return result;
  }

  /// Only SCCs in which a run can stay for ever and be accepted are copied.
  void add_copy(const AcceptanceWay& way) {
    const auto stays = [&](std::uint32_t, const SymbolicEdge& edge) {
      return !way.finite.contains(edge.marks);
    };
    const Sccs parts = sccs(automaton_, stays);
    const auto inside = [&](std::uint32_t state, const SymbolicEdge& edge) {
      return stays(state, edge) && parts.of[state] == parts.of[edge.to];
    };
    std::vector<Marks> seen(parts.count, 0);
    std::vector<bool> has_edge(parts.count, false);
    for (std::uint32_t state = 0; state < automaton_.size(); ++state)
      for (const SymbolicEdge& edge : automaton_.edges[state])
        if (inside(state, edge)) {
          seen[parts.of[state]] |= marks(edge, way);
          has_edge[parts.of[state]] = true;
        }
    constexpr std::uint32_t none = ~std::uint32_t{0};
    std::vector<std::uint32_t> copy(automaton_.size(), none);
    for (std::uint32_t state = 0; state < automaton_.size(); ++state)
      if (has_edge[parts.of[state]] && seen[parts.of[state]] == result_.all_marks()) {
        copy[state] = result_.size();
        result_.edges.emplace_back();
      }
    for (std::uint32_t state = 0; state < automaton_.size(); ++state)
      for (const SymbolicEdge& edge : automaton_.edges[state]) {
        if (copy[edge.to] == none) continue;
        // The move over is made once, so its marks do not matter: those of the others keep a state-based
        // automaton state-based.
        const Marks moving = main_ != nullptr ? marks(edge, *main_) : 0;
        result_.edges[state].push_back({copy[edge.to], moving, edge.label});
        if (copy[state] != none && inside(state, edge))
          result_.edges[copy[state]].push_back({copy[edge.to], marks(edge, way), edge.label});
      }
  }

  const SymbolicAutomaton& automaton_;
  const AcceptanceWay* main_ = nullptr;
  std::vector<const AcceptanceWay*> others_;
  SymbolicAutomaton result_;
};

}  // namespace

Acceptance either(Acceptance a, const Acceptance& b) {
  for (const AcceptanceWay& way : b) add_way(a, way);
  return a;
}

Acceptance both(const Acceptance& a, const Acceptance& b) {
  Acceptance result;
  for (const AcceptanceWay& x : a)
    for (const AcceptanceWay& y : b) {
      AcceptanceWay way{joined(x.finite, y.finite), x.infinite};
      way.infinite.insert(way.infinite.end(), y.infinite.begin(), y.infinite.end());
      if (auto possible = tidied(std::move(way))) add_way(result, std::move(*possible));
    }
  return result;
}

SymbolicAutomaton to_generalised_buchi(SymbolicAutomaton automaton, const Acceptance& acceptance) {
  return FinRemoval(automaton, acceptance).run();
}

}  // namespace tideline
