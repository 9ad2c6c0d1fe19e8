#include "logic/merge_by_language.hpp"

#include "logic/obligation.hpp"
#include "logic/prune.hpp"
#include "logic/simulation.hpp"

namespace tideline {

namespace {

// Bounds that keep this within a second; most automata are far below and take less than a millisecond.
constexpr std::uint32_t max_merged_states = 300;
constexpr std::size_t max_product_edges = 300000;
/// Up to these, an automaton is reduced after every merge, which finds more merges and takes longer.
constexpr std::uint32_t max_patient_states = 40;

SymbolicAutomaton with_redirection(SymbolicAutomaton automaton, std::uint32_t from, std::uint32_t to) {
  for (auto& out : automaton.edges)
    for (SymbolicEdge& edge : out)
      if (edge.to == from) edge.to = to;
  if (automaton.initial == from) automaton.initial = to;
  automaton.edges[from].clear();
  return automaton;
}

/// Pairs of a state of the automaton and one of the complement.
class Pairs {
 public:
  Pairs(const SymbolicAutomaton& automaton, const SymbolicAutomaton& complement, BddManager& bdds)
      : automaton_(automaton), complement_(complement) {
    product_.sets = automaton.sets + complement.sets;
    product_.edges.resize(std::size_t{automaton.size()} * complement.size());
    for (std::uint32_t x = 0; x < automaton.size(); ++x)
      for (std::uint32_t y = 0; y < complement.size(); ++y)
        for (const SymbolicEdge& first : automaton.edges[x])
          for (const SymbolicEdge& second : complement.edges[y])
            if (bdds.and_(first.label, second.label) != 0)
              product_.edges[pair(x, y)].push_back(
                  {pair(first.to, second.to), first.marks | (second.marks << automaton.sets), 1});
    find_common_words();
  }

  /// Leading the edges of s to t surely adds a word: after some way to s, t accepts what it must not.
  bool adds_word(std::uint32_t s, std::uint32_t t) {
    if (s != beginnings_of_) find_beginnings(s);
    return std::ranges::any_of(beginnings_, [&](std::uint32_t y) { return has_common_word_[pair(t, y)]; });
  }

 private:
  std::uint32_t pair(std::uint32_t x, std::uint32_t y) const { return x * complement_.size() + y; }

  void find_common_words() {
    const Sccs parts = sccs(product_);
    std::vector<bool> common = accepting_sccs(product_, parts);
    std::vector<std::vector<std::uint32_t>> members(parts.count);
    for (std::uint32_t at = 0; at < product_.size(); ++at) members[parts.of[at]].push_back(at);
    for (std::uint32_t part = 0; part < parts.count; ++part)  // targets come before sources
      for (const std::uint32_t at : members[part])
        for (const SymbolicEdge& edge : product_.edges[at])
          if (common[parts.of[edge.to]]) common[part] = true;
    has_common_word_.resize(product_.size());
    for (std::uint32_t at = 0; at < product_.size(); ++at) has_common_word_[at] = common[parts.of[at]];
  }

  /// Where the complement can be when s is entered for the first time.
  void find_beginnings(std::uint32_t s) {
    beginnings_of_ = s;
    beginnings_.clear();
    std::vector<bool> seen(product_.size(), false);
    std::vector<std::uint32_t> open;
    const auto visit = [&](std::uint32_t at) {
      if (seen[at]) return;
      seen[at] = true;
      if (at / complement_.size() == s)
        beginnings_.push_back(at % complement_.size());
      else
        open.push_back(at);
    };
    visit(pair(automaton_.initial, complement_.initial));
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const SymbolicEdge& edge : product_.edges[at]) visit(edge.to);
    }
  }

  const SymbolicAutomaton& automaton_;
  const SymbolicAutomaton& complement_;
  SymbolicAutomaton product_;
  std::vector<bool> has_common_word_;
  std::uint32_t beginnings_of_ = ~std::uint32_t{0};
  std::vector<std::uint32_t> beginnings_;
};

/// False when no pair of states can be merged. What simulates what is found once: with states led to better
/// ones, runs of the original automaton still have better ones step by step, so that no word is lost.
bool merge_pairs(SymbolicAutomaton& automaton, const SymbolicAutomaton& complement, BddManager& bdds) {
  const auto above = simulation_relation(automaton, bdds);
  const SymbolicAutomaton original = automaton;
  Pairs pairs(original, complement, bdds);
  std::vector<bool> gone(automaton.size(), false);
  bool changed = false;
  for (std::uint32_t s = 0; s < automaton.size(); ++s)
    for (std::uint32_t t = 0; t < automaton.size() && !gone[s]; ++t) {
      if (s == t || gone[t] || !above[s][t] || pairs.adds_word(s, t)) continue;
      // What is left to find are words that need several detours.
      SymbolicAutomaton merged = with_redirection(automaton, s, t);
      if (intersect(merged, complement, bdds)) continue;
      automaton = std::move(merged);
      gone[s] = changed = true;
      if (automaton.size() <= max_patient_states) return true;
    }
  return changed;
}

}  // namespace

void merge_by_language(SymbolicAutomaton& automaton, const SymbolicAutomaton& complement, BddManager& bdds) {
  if (automaton.sets + complement.sets > max_translation_sets) return;
  if (automaton.size() > max_merged_states) return;
  if (automaton.edge_count() * complement.edge_count() > max_product_edges) return;
  while (merge_pairs(automaton, complement, bdds)) {
    merge_edges(automaton, bdds);
    reduce_thoroughly(automaton, bdds);
  }
}

}  // namespace tideline
