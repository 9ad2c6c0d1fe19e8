#include "logic/degeneralise.hpp"

#include <map>
#include <numeric>

namespace tideline {

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

struct LevelEdge {
  std::uint32_t from_level, to_level;
  std::uint32_t from;
  std::size_t edge;  // index into the edges of `from`
};

/// One way to lay out an SCC: which (state, level) pairs stay, and the edges between them.
struct Layout {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> states;  // state, level
  std::vector<LevelEdge> edges;
};

class Degeneralisation {
 public:
  Degeneralisation(const SymbolicAutomaton& automaton, BddManager& bdds)
      : automaton_(automaton),
        bdds_(bdds),
        parts_(sccs(automaton)),
        accepting_(accepting_sccs(automaton, parts_)),
        entry_(automaton.size(), none) {}

  SymbolicAutomaton run() {
    result_.sets = 1;
    result_.state_based = true;
    std::vector<std::vector<std::uint32_t>> members(parts_.count);
    for (std::uint32_t state = 0; state < automaton_.size(); ++state)
      members[parts_.of[state]].push_back(state);
    // Targets of edges that leave an SCC lie in SCCs with smaller numbers.
    for (std::uint32_t part = 0; part < parts_.count; ++part)
      place(accepting_[part] ? best_layout(members[part]) : single_level(members[part]), accepting_[part]);
    result_.initial = entry_[automaton_.initial];
    merge_edges(result_, bdds_);
    return std::move(result_);
  }

 private:
  bool inside(std::uint32_t state, const SymbolicEdge& edge) const {
    return parts_.of[state] == parts_.of[edge.to];
  }

  Layout single_level(const std::vector<std::uint32_t>& members) const {
    Layout layout;
    for (const std::uint32_t state : members) {
      layout.states.push_back({state, 0});
      for (std::size_t i = 0; i < automaton_.edges[state].size(); ++i)
        if (inside(state, automaton_.edges[state][i])) layout.edges.push_back({0, 0, state, i});
    }
    return layout;
  }

  Layout best_layout(const std::vector<std::uint32_t>& members) const {
    std::vector<std::uint32_t> order(automaton_.sets);
    std::iota(order.begin(), order.end(), 0u);
    constexpr std::uint32_t max_orders = 24;  // all of them for up to four sets
    Layout best;
    std::uint32_t tried = 0;
    do {
      for (const bool early : {false, true}) {
        Layout layout = smallest_part(members, order, early);
        if (best.states.empty() || layout.states.size() < best.states.size()) best = std::move(layout);
      }
    } while (++tried < max_orders && std::next_permutation(order.begin(), order.end()));
    return best;
  }

  /// Marks of an edge in the SCC. `early`: marks that all edges of a state share count for the edges that
  /// lead to the state instead; on a cycle that is the same.
  std::vector<std::vector<Marks>> marks_in(const std::vector<std::uint32_t>& members, bool early) const {
    std::map<std::uint32_t, Marks> shared;
    for (const std::uint32_t state : members) {
      Marks common = early ? automaton_.all_marks() : 0;
      for (const SymbolicEdge& edge : automaton_.edges[state])
        if (inside(state, edge)) common &= edge.marks;
      shared[state] = common;
    }
    std::vector<std::vector<Marks>> marks(members.size());
    for (std::size_t i = 0; i < members.size(); ++i)
      for (const SymbolicEdge& edge : automaton_.edges[members[i]])
        marks[i].push_back(inside(members[i], edge) ? (edge.marks & ~shared[members[i]]) | shared[edge.to]
                                                    : 0);
    return marks;
  }

  /// All levels of the SCC, then the smallest of the parts that are never left.
  Layout smallest_part(const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>& order,
                       bool early) const {
    const auto levels = static_cast<std::uint32_t>(order.size()) + 1;
    const auto marks = marks_in(members, early);
    std::map<std::uint32_t, std::uint32_t> position;
    for (std::uint32_t i = 0; i < members.size(); ++i) position[members[i]] = i;

    SymbolicAutomaton unrolled;
    unrolled.edges.resize(members.size() * levels);
    std::vector<std::vector<std::size_t>> origin(unrolled.edges.size());
    for (std::uint32_t i = 0; i < members.size(); ++i)
      for (std::size_t e = 0; e < automaton_.edges[members[i]].size(); ++e) {
        const SymbolicEdge& edge = automaton_.edges[members[i]][e];
        if (!inside(members[i], edge)) continue;
        for (std::uint32_t level = 0; level < levels; ++level) {
          std::uint32_t next = level + 1 == levels ? 0 : level;
          while (next + 1 < levels && (marks[i][e] >> order[next]) & 1) ++next;
          unrolled.edges[i * levels + level].push_back({position[edge.to] * levels + next, 0, 1});
          origin[i * levels + level].push_back(e);
        }
      }
    return cut_out(unrolled, origin, members, levels);
  }

  static Layout cut_out(const SymbolicAutomaton& unrolled,
                        const std::vector<std::vector<std::size_t>>& origin,
                        const std::vector<std::uint32_t>& members, std::uint32_t levels) {
    const Sccs parts = sccs(unrolled);
    std::vector<std::uint32_t> size(parts.count, 0);
    std::vector<bool> closed(parts.count, true);
    for (std::uint32_t at = 0; at < unrolled.size(); ++at) {
      ++size[parts.of[at]];
      for (const SymbolicEdge& edge : unrolled.edges[at])
        if (parts.of[edge.to] != parts.of[at]) closed[parts.of[at]] = false;
    }
    std::uint32_t best = none;
    for (std::uint32_t part = 0; part < parts.count; ++part)
      if (closed[part] && (best == none || size[part] < size[best])) best = part;

    Layout layout;
    for (std::uint32_t at = 0; at < unrolled.size(); ++at) {
      if (parts.of[at] != best) continue;
      const std::uint32_t state = members[at / levels];
      layout.states.push_back({state, at % levels});
      for (std::size_t i = 0; i < unrolled.edges[at].size(); ++i)
        layout.edges.push_back({at % levels, unrolled.edges[at][i].to % levels, state, origin[at][i]});
    }
    return layout;
  }

  void place(const Layout& layout, bool accepting) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> number;
    const std::uint32_t top = automaton_.sets;
    const auto is_accepting = [&](std::uint32_t level) { return accepting && level == top; };
    for (const auto& [state, level] : layout.states) {
      number[{state, level}] = result_.size();
      // If a state may be entered on several levels, the one that has seen most sets is taken.
      entry_[state] = result_.size();
      result_.edges.emplace_back();
    }
    const auto mark = [&](std::uint32_t level) { return is_accepting(level) ? Marks{1} : Marks{0}; };
    for (const LevelEdge& e : layout.edges) {
      const SymbolicEdge& edge = automaton_.edges[e.from][e.edge];
      result_.edges[number[{e.from, e.from_level}]].push_back(
          {number[{edge.to, e.to_level}], mark(e.from_level), edge.label});
    }
    for (const auto& [state, level] : layout.states)
      for (const SymbolicEdge& edge : automaton_.edges[state])
        if (!inside(state, edge))
          result_.edges[number[{state, level}]].push_back({entry_[edge.to], mark(level), edge.label});
  }

  const SymbolicAutomaton& automaton_;
  BddManager& bdds_;
  Sccs parts_;
  std::vector<bool> accepting_;
  std::vector<std::uint32_t> entry_;  // by state: where edges from other SCCs go
  SymbolicAutomaton result_;
};

}  // namespace

SymbolicAutomaton degeneralise(const SymbolicAutomaton& automaton, BddManager& bdds) {
  return Degeneralisation(automaton, bdds).run();
}

}  // namespace tideline
