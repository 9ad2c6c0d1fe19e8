// Lasso shortening: finds an accepting lasso with the fewest states, stem and cycle together.
//
// Engines report the lasso that they meet first, which may be thousands of states long. This search takes one
// and returns one of the least length or, when the budget ends it, the shortest that it found.
//
// A lasso of n states lies within n - 1 steps of the initial states. So the search grows a ball around them,
// level by level, and keeps its transitions as numbers. Each time the ball has doubled it is searched for
// lassos of at most as many states as it has levels. What is left of it when everything outside of accepting
// SCCs is cut off is the core. From each state e of the core, in the order of their distances d(e), a
// breadth-first search over pairs (state, marks collected) looks for the shortest way back to e with all
// marks; one of c steps makes a lasso of d(e) + c states. However long the given lasso is, the ball never
// exceeds twice the states that a proof needs, plus one level.
//
// What keeps the searches for cycles small:
//   - a cycle is found from its first state in breadth-first order, where its stem is shortest; so the search
//     from e never enters states before e;
//   - it goes only as far as the lasso would be shorter than the best one;
//   - once the searches have looked at as many transitions as the core has, one backward search from all
//     states of e's level gives for each state and marks a lower bound on the way back to e with all marks.
//     What is too far to return in time is not entered.
//
// Invariants: states are numbered in breadth-first order; those below expanded_ are expanded, and they are
// the ones at a distance below radius_. Transitions are kept where both ends lie in the same region of the
// automaton, as no accepting cycle has any other. The lasso in the result is accepting at any time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "graph/regions.hpp"
#include "graph/sccs.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/core/observer.hpp"
#include "search/core/run_through.hpp"
#include "search/lassos/scc.hpp"
#include "store/paged_array.hpp"
#include "store/state_table.hpp"

namespace tideline {

/// A graph that knows regions that accepting cycles do not leave, and places where there are none.
template <class G>
concept RegionGraph = MarkedGraph<G> && requires(const G& graph, const std::byte* state) {
  { graph.region(state) } -> std::convertible_to<Region>;
};

namespace detail {

struct MarkedEdge {
  std::uint32_t node;  ///< at its other end
  std::uint32_t marks;
};

/// The edges of nodes 0, 1, ..., those of one node after those of the node before.
struct Adjacency {
  std::vector<std::uint64_t> first = {0};
  std::vector<MarkedEdge> edges = {};

  std::size_t size() const { return first.size() - 1; }
  std::span<const MarkedEdge> of(std::uint32_t node) const {
    return {edges.data() + first[node], edges.data() + first[node + 1]};
  }
  Adjacency reversed() const {
    Adjacency back{std::vector<std::uint64_t>(first.size() + 1), std::vector<MarkedEdge>(edges.size())};
    for (const MarkedEdge& edge : edges) ++back.first[edge.node + 2];
    for (std::size_t n = 2; n < back.first.size(); ++n) back.first[n] += back.first[n - 1];
    for (std::uint32_t n = 0; n < size(); ++n)
      for (const MarkedEdge& edge : of(n)) back.edges[back.first[edge.node + 1]++] = {n, edge.marks};
    back.first.pop_back();
    return back;
  }
};

/// Breadth-first search over pairs of a node and marks: the queue, and which pairs are in it. A pair is left
/// out when the node came earlier with at least its marks.
class PairQueue {
 public:
  struct Pair {
    std::uint32_t node;
    std::uint32_t marks;
    std::uint32_t steps;
    std::uint32_t parent;   // in the queue
    std::uint32_t earlier;  // in the queue: the last pair before with this node
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  explicit PairQueue(std::size_t nodes) : last_(nodes) {}

  void clear() {
    pairs_.clear();
    ++version_;
  }
  void push(std::uint32_t node, std::uint32_t marks, std::uint32_t steps, std::uint32_t parent) {
    for (std::uint32_t p = last(node); p != none; p = pairs_[p].earlier)
      if ((marks & ~pairs_[p].marks) == 0) return;
    if (pairs_.size() == none) throw std::bad_alloc();
    pairs_.push_back({node, marks, steps, parent, last(node)});
    last_[node] = {version_, static_cast<std::uint32_t>(pairs_.size() - 1)};
  }
  std::size_t size() const { return pairs_.size(); }
  const Pair& operator[](std::size_t i) const { return pairs_[i]; }
  /// The last pair with this node; from there on `earlier` leads to the others.
  std::uint32_t last(std::uint32_t node) const {
    return last_[node].version == version_ ? last_[node].pair : none;
  }

 private:
  struct Last {
    std::uint32_t version = 0;  // entries of other versions are not there
    std::uint32_t pair = 0;
  };

  std::vector<Pair> pairs_;
  std::vector<Last> last_;  // by node
  std::uint32_t version_ = 1;
};

/// Sets the SCCs to 0 that hold no accepting cycle.
template <class First, class Edges>
void keep_accepting(std::vector<std::uint32_t>& scc, const First& first, const Edges& edges,
                    std::uint32_t all_marks) {
  const std::size_t count = scc.size();
  std::vector<std::uint32_t> marks(count + 1);
  std::vector<bool> cyclic(count + 1);
  for (std::size_t n = 0; n < count; ++n)
    for (auto i = first[n]; i != first[n + 1]; ++i)
      if (const MarkedEdge edge = edges[i]; edge.node < count && scc[edge.node] == scc[n]) {
        marks[scc[n]] |= edge.marks;
        cyclic[scc[n]] = true;
      }
  for (std::uint32_t& c : scc)
    if (!cyclic[c] || marks[c] != all_marks) c = 0;
}

/// The part of a graph of numbers through which accepting cycles pass, and the search for them.
class CycleCore {
 public:
  /// A step of a cycle: the node to which it leads, and the marks collected up to there.
  struct CycleStep {
    std::uint32_t node;
    std::uint32_t marks;
  };

  /// The graph is given as for sccs(); level_ends[d] is its first node at a distance of more than d, and the
  /// last of them the number of its nodes.
  template <class First, class Edges, class GoOn>
  CycleCore(const std::vector<std::uint32_t>& level_ends, const First& first, const Edges& edges,
            std::uint32_t all_marks, const GoOn& go_on)
      : all_marks_(all_marks) {
    const std::uint32_t count = level_ends.back();
    std::vector<std::uint32_t> scc = sccs(count, first, edges, go_on);
    keep_accepting(scc, first, edges, all_marks);
    std::vector<std::uint32_t> node_of(count);
    for (std::uint32_t n = 0; n < count; ++n)
      if (scc[n] != 0) {
        node_of[n] = static_cast<std::uint32_t>(states_.size());
        states_.push_back(n);
      }
    for (const std::uint32_t n : states_) {
      for (auto i = first[n]; i != first[n + 1]; ++i)
        if (const MarkedEdge edge = edges[i]; edge.node < count && scc[edge.node] == scc[n])
          forward_.edges.push_back({node_of[edge.node], edge.marks});
      forward_.first.push_back(forward_.edges.size());
    }
    for (const std::uint32_t end : level_ends)
      level_ends_.push_back(static_cast<std::uint32_t>(std::lower_bound(states_.begin(), states_.end(), end) -
                                                       states_.begin()));
    there_ = PairQueue(states_.size());
  }

  std::size_t size() const { return states_.size(); }
  std::size_t edges() const { return forward_.edges.size(); }
  /// The first node at a distance of more than d.
  std::uint32_t level_end(std::uint64_t d) const { return level_ends_[d]; }
  /// The number of a node in the graph from which the core was cut.
  std::uint32_t state(std::uint32_t node) const { return states_[node]; }

  /// The steps of a shortest accepting cycle from `start` back to it, of those that have at most `limit`
  /// steps and enter no node before `start`; empty when there is none, or go_on() was false after an edge.
  template <class GoOn>
  std::vector<CycleStep> cycle(std::uint32_t start, std::uint64_t limit, const GoOn& go_on) {
    const auto may_return = [&](std::uint32_t node, std::uint32_t marks, std::uint64_t steps) {
      if (start >= aimed_end_) return true;
      for (std::uint32_t p = back_.last(node); p != PairQueue::none; p = back_[p].earlier)
        if ((back_[p].marks | marks) == all_marks_ && back_[p].steps + steps <= limit) return true;
      return false;
    };
    there_.clear();
    if (may_return(start, 0, 0)) there_.push(start, 0, 0, 0);
    for (std::uint32_t at = 0; at < there_.size(); ++at) {
      const PairQueue::Pair from = there_[at];
      if (from.steps == limit) break;
      for (const MarkedEdge& edge : forward_.of(from.node)) {
        if (!go_on()) return {};
        const std::uint32_t marks = from.marks | edge.marks;
        if (edge.node == start && marks == all_marks_) return steps_to(at, {start, marks});
        if (edge.node >= start && may_return(edge.node, marks, from.steps + 1))
          there_.push(edge.node, marks, from.steps + 1, at);
      }
    }
    return {};
  }

  /// Makes searches for cycles of at most `limit` steps cheaper if they start at `start` or a later node at
  /// the same distance.
  template <class GoOn>
  void aim(std::uint32_t start, std::uint64_t distance, std::uint64_t limit, const GoOn& go_on) {
    if (backward_.size() == 0) {
      backward_ = forward_.reversed();
      back_ = PairQueue(size());
    }
    aimed_end_ = 0;
    back_.clear();
    for (std::uint32_t n = start; n < level_ends_[distance]; ++n) back_.push(n, 0, 0, 0);
    for (std::uint32_t at = 0; at < back_.size(); ++at) {
      const PairQueue::Pair to = back_[at];
      if (to.steps == limit) break;
      // How far a cycle can have come when it needs steps + 1 of its steps for the rest.
      const std::uint64_t farthest = std::min(distance + limit - to.steps - 1, level_ends_.size() - 1);
      for (const MarkedEdge& edge : backward_.of(to.node)) {
        if (!go_on()) return;
        if (edge.node >= start && edge.node < level_ends_[farthest])
          back_.push(edge.node, to.marks | edge.marks, to.steps + 1, at);
      }
    }
    aimed_end_ = level_ends_[distance];
  }

 private:
  std::vector<CycleStep> steps_to(std::uint32_t pair, CycleStep last) const {
    std::vector<CycleStep> steps{last};
    for (; pair != 0; pair = there_[pair].parent) steps.push_back({there_[pair].node, there_[pair].marks});
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  std::uint32_t all_marks_;
  std::vector<std::uint32_t> states_;
  std::vector<std::uint32_t> level_ends_;
  Adjacency forward_;
  Adjacency backward_;
  PairQueue there_{0};
  PairQueue back_{0};
  std::uint32_t aimed_end_ = 0;
};

}  // namespace detail

struct ShortenedLasso {
  Path lasso;
  bool proven = false;            ///< no accepting lasso is shorter
  std::uint64_t states = 0;       ///< different states that were met
  std::uint64_t transitions = 0;  ///< transitions produced
  std::uint64_t followed = 0;     ///< transitions that searches for cycles looked at, counted each time
};

template <MarkedGraph G, StateTable Table>
class LassoShortening {
 public:
  LassoShortening(G graph, Table table) : graph_(std::move(graph)), table_(std::move(table)) {}

  /// The lasso must be an accepting one of the graph. When the budget or the memory ends the search, the
  /// result is not proven to be shortest, but it is still a valid counterexample.
  ShortenedLasso run(Path lasso, Budget& budget) {
    result_.lasso = std::move(lasso);
    result_.proven = best() == 1;
    try {
      graph_.initial([&](const std::byte* state) { insert(state, no_state); });
      first_edge_.push_back(0);
      while (!stopped_ && !result_.proven) {
        grow(budget);
        if (!stopped_) search_ball(budget);
      }
    } catch (const std::bad_alloc&) {
      result_.proven = false;
    }
    result_.states = table_.size();
    return std::move(result_);
  }

  std::uint64_t memory_bytes() const {
    return table_.memory_bytes() + parents_.memory_bytes() + first_edge_.memory_bytes() +
           edges_.memory_bytes();
  }

 private:
  std::uint64_t best() const { return result_.lasso.states.size(); }

  StateId insert(const std::byte* state, StateId parent) {
    const auto [id, inserted] = table_.insert(state, table_.hash(state));
    if (inserted) parents_.push_back(parent);
    if (id == no_state) stopped_ = true;  // the table is full
    return id;
  }

  /// Expands levels until the ball has doubled, or is as large as a shorter lasso could need.
  void grow(Budget& budget) {
    const std::uint64_t enough = 2 * expanded_;
    while (!stopped_ && expanded_ <= enough && expanded_ < table_.size() && radius_ + 1 < best()) {
      const std::uint64_t level_end = table_.size();
      for (; expanded_ < level_end && !stopped_; ++expanded_) expand(static_cast<StateId>(expanded_), budget);
      level_ends_.push_back(static_cast<StateId>(expanded_));
      ++radius_;
    }
  }

  void expand(StateId id, Budget& budget) {
    const std::byte* const state = table_.state(id);
    const Region region = region_of(state);
    const bool outermost = radius_ + 2 == best();  // a longer path than this is of no use
    if (!outermost || region != no_region)
      graph_.successors(state, [&](const Step& step) {
        if (result_.transitions++ % poll_every == 0) poll(budget);
        if (stopped_ || !step.state) return;
        const StateId to =
            outermost ? table_.find(step.state, table_.hash(step.state)) : insert(step.state, id);
        if (to != no_state && region != no_region && region_of(step.state) == region)
          edges_.push_back({to, step.marks});
      });
    first_edge_.push_back(edges_.size());
  }

  /// Looks for the shortest lasso of at most `limit` states, which the ball is large enough to decide, or for
  /// any that is shorter than the best one. The first state of the core has an accepting cycle in any case:
  /// it gives a better lasso early, in case the budget ends.
  void search_ball(Budget& budget) {
    std::uint64_t limit = best() - 1;
    if (expanded_ < table_.size()) limit = std::min(limit, radius_);
    std::uint64_t looked_at = 0;
    const auto go_on = [&] {
      ++looked_at;
      if (result_.followed++ % poll_every == 0) poll(budget);
      return !stopped_;
    };
    detail::CycleCore core(level_ends_, first_edge_, edges_, graph_.all_marks(), go_on);
    std::uint64_t aim_at = looked_at + core.edges();
    std::uint32_t e = 0;
    for (std::uint64_t distance = 0; distance < limit && e < core.size() && !stopped_; ++distance)
      for (; e < core.level_end(distance) && !stopped_; ++e) {
        if (looked_at >= aim_at) {
          const std::uint64_t before = looked_at;
          core.aim(e, distance, limit - distance, go_on);
          aim_at = looked_at + std::max(looked_at - before, core.edges());
        }
        const auto cycle = core.cycle(e, (e == 0 ? best() - 1 : limit) - distance, go_on);
        if (cycle.empty()) continue;
        result_.lasso = build_lasso(core, e, cycle);
        limit = std::min(limit, best() - 1);
      }
    result_.proven = !stopped_ && limit == best() - 1;
  }

  Region region_of(const std::byte* state) const {
    if constexpr (RegionGraph<G>)
      return graph_.region(state);
    else
      return no_region + 1;
  }

  void poll(Budget& budget) {
    RunStatus status;
    status.states = table_.size();
    status.transitions = result_.transitions;
    status.frontier = table_.size() - expanded_;
    status.depth = radius_;
    if (budget.exhausted(status)) stopped_ = true;
  }

  // --- the lasso ----------------------------------------------------------------------------------------

  Path build_lasso(const detail::CycleCore& core, std::uint32_t start,
                   const std::vector<detail::CycleCore::CycleStep>& cycle) {
    std::vector<StateId> stem{core.state(start)};
    while (parents_[stem.back()] != no_state) stem.push_back(parents_[stem.back()]);
    std::reverse(stem.begin(), stem.end());

    Budget no_limits;  // the stem is shorter than one that was built before
    Path path = run_through(graph_, table_, stem, no_limits);
    path.loop = stem.size() - 1;
    std::uint32_t collected = 0;
    for (const auto& [node, marks] : cycle) {
      append_step(path, table_.state(core.state(node)), marks, collected);
      collected = marks;
    }
    path.states.pop_back();  // the first state of the cycle again
    return path;
  }

  /// Appends the step to a state by a transition that makes the marks collected before these.
  void append_step(Path& path, const std::byte* to, std::uint32_t marks, std::uint32_t before) {
    bool found = false;
    graph_.successors(path.states.back().data(), [&](const Step& step) {
      if (found || !step.state || (before | step.marks) != marks) return;
      if (std::memcmp(step.state, to, graph_.state_size()) != 0) return;
      path.actions.push_back(step.action);
      found = true;
    });
    path.states.emplace_back(to, to + graph_.state_size());
  }

  G graph_;
  Table table_;
  PagedVector<StateId> parents_;           // by state
  PagedVector<std::uint64_t> first_edge_;  // by expanded state, and one more
  PagedVector<detail::MarkedEdge> edges_;
  std::vector<StateId> level_ends_;  // by distance
  std::uint64_t expanded_ = 0;
  std::uint64_t radius_ = 0;
  ShortenedLasso result_;
  bool stopped_ = false;
};

}  // namespace tideline
