// Accepting cycles that are strongly fair: every process that is enabled somewhere on the cycle moves on it.
//
// This is a Streett condition, and no set of marks expresses it. What decides it are the strongly
// connected components (SCCs), taken apart where they are unfair:
//
//   check(C): C lacks an acceptance mark on its transitions: nothing in it is accepted
//             every process that is enabled in a state of C moves on a transition within C: a cycle through
//             all of C is accepting and fair
//             else no fair cycle of C passes a state where one of the others, the starved ones, is enabled:
//             remove these states and check the SCCs of what is left
//
//   O. Lichtenstein, A. Pnueli: Checking that finite state concurrent programs satisfy their linear
//   specification, 1985. On the fly, as here: A. Duret-Lutz, D. Poitrenaud, J.-M. Couvreur: On-the-fly
//   emptiness check of transition-based Streett automata, 2009.
//
// A pass is one depth-first search that keeps the SCCs of what it has seen, as in scc.hpp; besides marks it
// gathers which processes move within an SCC and which are enabled there. An SCC that is accepting and fair
// is noticed as soon as its last transition has been seen. The outer pass finds the states and goes over the
// whole graph. When it leaves an SCC that has all marks but starves a process, inner passes take that apart
// at once, each over one piece: a set of states, and the processes that must not be enabled in them. Every
// level of this forbids another process, so a state is expanded at most once more than there are processes.
//
// Invariants: `order_` of a state is its place in the pass that is under way over it, `unvisited` while a
// pass has not reached it, and else `out_of_play`; the outer pass numbers states as the table does; states of
// the outer stack cannot be reached from an SCC that the outer pass has left, so an inner pass never meets
// them; while inner passes work, the run on the outer stack ends in the SCC that they take apart.
//
// The lasso: the outer stack leads to the SCC; breadth-first searches in it go from one thing that is missing
// (a mark, a step of a process that was enabled on the way) to the next, and back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "graph/fair_graph.hpp"
#include "search/core/successor_stack.hpp"
#include "search/lassos/lasso_search.hpp"
#include "store/paged_array.hpp"
#include "store/state_table.hpp"

namespace tideline {

template <FairGraph G, StateTable Table>
class StrongFairnessSearch {
 public:
  StrongFairnessSearch(G graph, Table table)
      : graph_(std::move(graph)),
        table_(std::move(table)),
        outer_(graph_.state_size()),
        inner_(graph_.state_size()) {}

  LassoResult run(Budget& budget) {
    try {
      outer_.stack.open_frame(no_state);
      graph_.initial([&](const std::byte* state) { push(outer_, {no_action, state}); });
      while (!outer_.stack.empty() && !stopped_) {
        advance(outer_, budget);
        take_apart(budget);
      }
    } catch (const std::bad_alloc&) {
      budget.exhaust_memory();
      stopped_ = true;
    }
    result_.end = found_ ? SearchEnd::satisfied : stopped_ ? SearchEnd::exhausted : SearchEnd::complete;
    result_.early = found_;
    result_.states = table_.size();
    return std::move(result_);
  }

  std::uint64_t memory_bytes() const {
    return table_.memory_bytes() + order_.memory_bytes() + outer_.memory_bytes() + inner_.memory_bytes();
  }

 private:
  static constexpr std::uint32_t unvisited = no_state;
  static constexpr std::uint32_t out_of_play = no_state - 1;

  /// What transitions have: acceptance marks, and processes that move.
  struct Visits {
    std::uint32_t marks = 0;
    ProcessSet moving = 0;

    Visits& operator|=(const Visits& other) {
      marks |= other.marks;
      moving |= other.moving;
      return *this;
    }
  };

  struct Root {
    std::uint32_t first;  // place of the SCC's first state in the pass
    Visits entered;       // of the transition into it
    Visits inside;        // of the transitions within it
    ProcessSet enabled;   // in any of its states

    ProcessSet starved() const { return enabled & ~inside.moving; }
  };

  struct Pass {
    explicit Pass(std::size_t state_bytes) : stack(state_bytes) {}

    std::uint64_t memory_bytes() const {
      return stack.memory_bytes() + live.memory_bytes() + roots.memory_bytes();
    }

    SuccessorStack<StateId> stack;
    PagedVector<StateId> live;  // states of the SCCs on the stack
    PagedVector<Root> roots;
    ProcessSet forbidden = 0;  // states in which one of these is enabled are skipped
    std::uint32_t visited = 0;
  };

  /// States to be taken apart, without those in which a starved process is enabled.
  struct Piece {
    std::vector<StateId> states;
    ProcessSet starved = 0;
  };

  Visits visits(ActionId action, std::uint32_t marks) const { return {marks, graph_.participants(action)}; }

  void push(Pass& pass, const Step& step) {
    pass.stack.push(step);
    table_.prefetch_index(table_.hash(step.state));
  }

  void advance(Pass& pass, Budget& budget) {
    if (!pass.stack.has_next()) {
      leave(pass);
      return;
    }
    const auto step = pass.stack.take();
    const auto [id, inserted] = table_.insert(step.state, table_.hash(step.state));
    if (id >= out_of_play) {
      budget.exhaust(full_table_reason(table_.size()));
      stopped_ = true;
      return;
    }
    if (inserted) order_.push_back(unvisited);
    if (order_[id] == unvisited)
      visit(pass, id, visits(step.action, step.marks), budget);
    else if (order_[id] != out_of_play)
      merge(pass, order_[id], visits(step.action, step.marks), budget);
  }

  void visit(Pass& pass, StateId id, const Visits& entered, Budget& budget) {
    pass.stack.open_frame(id);
    const ProcessSet enabled = expand(id, pass, budget, [&](const Step& step) { push(pass, step); });
    if ((enabled & pass.forbidden) != 0) {
      pass.stack.close_frame();
      order_[id] = out_of_play;
      return;
    }
    order_[id] = pass.visited++;
    pass.live.push_back(id);
    pass.roots.push_back({order_[id], entered, {}, enabled});
  }

  /// sink(step) for every step that has a successor; returns which processes are enabled.
  template <class Sink>
  ProcessSet expand(StateId id, const Pass& pass, Budget& budget, const Sink& sink) {
    ++result_.expansions;
    ProcessSet enabled = 0;
    graph_.successors(table_.state(id), [&](const Step& step) {
      ++result_.transitions;
      if (pace_.is_due()) stopped_ |= budget.exhausted(pass.stack.status(table_.size(), result_.transitions));
      if (stopped_) return;
      enabled |= graph_.participants(step.action);
      if (step.state)
        sink(step);
      else
        result_.model_errors = true;
    });
    return enabled;
  }

  /// A transition leads back to a live state: all SCCs down to its own are one.
  void merge(Pass& pass, std::uint32_t target, Visits inside, Budget& budget) {
    ProcessSet enabled = 0;
    while (pass.roots.back().first > target) {
      const Root& merged = pass.roots.back();
      inside |= merged.inside;
      inside |= merged.entered;
      enabled |= merged.enabled;
      pass.roots.pop_back();
    }
    Root& root = pass.roots.back();
    root.inside |= inside;
    root.enabled |= enabled;
    if (root.inside.marks != graph_.all_marks() || root.starved() != 0) return;
    found_ = true;
    build_lasso(pass, budget);
  }

  void leave(Pass& pass) {
    const StateId state = pass.stack.tag();
    pass.stack.close_frame();
    if (state == no_state || pass.roots.back().first != order_[state]) return;
    const Root root = pass.roots.back();
    pass.roots.pop_back();
    const bool hopeful = root.inside.marks == graph_.all_marks();
    Piece piece{.states = {}, .starved = root.starved()};
    for (bool last = false; !last; pass.live.pop_back()) {
      const StateId id = pass.live.back();
      order_[id] = out_of_play;
      if (hopeful) piece.states.push_back(id);
      last = id == state;
    }
    // A single state would leave nothing.
    if (piece.states.size() > 1) pieces_.push_back(std::move(piece));
  }

  /// Inner passes over all pieces, and over those that they leave behind.
  void take_apart(Budget& budget) {
    while (!pieces_.empty() && !stopped_) {
      const Piece piece = std::move(pieces_.back());
      pieces_.pop_back();
      for (const StateId id : piece.states) order_[id] = unvisited;
      inner_.forbidden = piece.starved;
      inner_.visited = 0;
      for (const StateId id : piece.states) {
        if (order_[id] != unvisited) continue;
        inner_.stack.open_frame(no_state);
        push(inner_, {no_action, table_.state(id)});
        while (!inner_.stack.empty() && !stopped_) advance(inner_, budget);
        if (stopped_) return;
      }
    }
  }

  // --- the lasso ----------------------------------------------------------------------------------------

  /// A step of a breadth-first search.
  struct Hop {
    StateId state;
    ActionId action;
    std::uint32_t marks;
    std::uint32_t before;  // the hop before it
  };

  /// Ends the search with a fair cycle in the topmost SCC of the pass; or without, when the budget ends.
  void build_lasso(const Pass& pass, Budget& budget) {
    const std::uint32_t first = pass.roots[pass.roots.size() - 1].first;
    const auto anywhere = [](const Hop&) { return true; };
    const auto inside = [&](const Hop& hop) {
      return order_[hop.state] < out_of_play && order_[hop.state] >= first;
    };
    Path path = run_to_scc(pass, first);
    StateId at = table_.find(path.states.back().data(), table_.hash(path.states.back().data()));
    if (!inside({at, no_action, 0, 0}))
      for (const Hop& hop : shortest_way(at, anywhere, inside, pass, budget)) append(path, at, hop);

    path.loop = path.states.size() - 1;
    const StateId start = at;
    Visits seen;
    ProcessSet enabled = 0;
    while (!stopped_) {
      const std::uint32_t marks = graph_.all_marks() & ~seen.marks;
      const ProcessSet starved = enabled & ~seen.moving;
      const bool missing = marks != 0 || starved != 0;
      if (!missing && at == start && path.actions.size() > *path.loop) break;
      const auto wanted = [&](const Hop& hop) {
        if (!missing) return hop.state == start;
        return (hop.marks & marks) != 0 || (graph_.participants(hop.action) & starved) != 0;
      };
      for (const Hop& hop : shortest_way(at, inside, wanted, pass, budget)) {
        enabled |= expand(at, pass, budget, [](const Step&) {});
        seen |= visits(hop.action, hop.marks);
        append(path, at, hop);
      }
    }
    path.states.pop_back();  // the start again
    if (!stopped_) result_.lasso = std::move(path);
    stopped_ = true;
  }

  /// The run on the outer stack to the first state of the SCC, whose place in the pass is `first`; of an
  /// inner pass, to the first state of the SCC that it takes apart.
  Path run_to_scc(const Pass& pass, std::uint32_t first) const {
    std::size_t frames = outer_.stack.depth();
    if (&pass == &outer_) {
      frames = 1;
      while (outer_.stack.tag(frames) != first) ++frames;
    }
    Path path;
    outer_.stack.append_run(path, frames);
    return path;
  }

  void append(Path& path, StateId& at, const Hop& hop) const {
    const std::byte* const state = table_.state(hop.state);
    path.actions.push_back(hop.action);
    path.states.emplace_back(state, state + graph_.state_size());
    at = hop.state;
  }

  /// A shortest way of at least one step over allowed states that ends with a step that is wanted; empty when
  /// the budget ends first.
  template <class Allowed, class Wanted>
  std::vector<Hop> shortest_way(StateId from, const Allowed& allowed, const Wanted& wanted, const Pass& pass,
                                Budget& budget) {
    std::vector<bool> reached(table_.size());
    reached[from] = true;
    PagedVector<Hop> hops;
    hops.push_back({from, no_action, 0, 0});
    for (std::uint32_t i = 0; i < hops.size() && !stopped_; ++i) {
      bool arrived = false;
      expand(hops[i].state, pass, budget, [&](const Step& step) {
        const Hop hop{table_.find(step.state, table_.hash(step.state)), step.action, step.marks, i};
        if (arrived || hop.state == no_state || !allowed(hop)) return;
        arrived = wanted(hop);
        if (!arrived && reached[hop.state]) return;
        reached[hop.state] = true;
        hops.push_back(hop);
      });
      if (!arrived) continue;
      std::vector<Hop> way;
      for (std::size_t at = hops.size() - 1; at != 0; at = hops[at].before) way.push_back(hops[at]);
      std::reverse(way.begin(), way.end());
      return way;
    }
    if (!stopped_) throw Error(ErrorKind::internal, "a fair SCC has no fair cycle");
    return {};
  }

  G graph_;
  Table table_;
  PagedVector<std::uint32_t> order_;  // by state
  Pass outer_;
  Pass inner_;
  std::vector<Piece> pieces_;
  LassoResult result_;
  Pace pace_;
  bool stopped_ = false;
  bool found_ = false;
};

}  // namespace tideline
