// Accepting cycles by strongly connected components (SCCs), for generalised Büchi acceptance on transitions
// or states.
//
// One depth-first search keeps the SCCs of the part of the graph it has seen: a stack of roots, each with the
// acceptance marks of the transitions inside its SCC. A transition back into an SCC on the stack merges all
// SCCs above it; when the merged one has every mark, it holds an accepting cycle. An SCC that is left for
// good is dead and never looked at again. Each state is expanded once, and a cycle is noticed as soon as its
// last transition has been seen.
//
//   J.-M. Couvreur: On-the-fly verification of linear temporal logic, 1999; H. N. Gabow: Path-based
//   depth-first search for strong and biconnected components, 2000.
//
// States are numbered by the table in the order in which the search meets them, so the number of a state is
// its place in depth-first order, and the live states of the topmost SCCs are the end of `live_`.
//
// Ranks: SCCs die in an order in which those that they lead to come first. If ranks are wanted, each state of a dead SCC
// has a rank, which never grows along a transition, and a transition that keeps rank r is not in acceptance set r modulo
// their number: this proves that there is no accepting cycle. An SCC has the least rank that does.
//
// The lasso: the stack leads to the root of the SCC; inside it, breadth-first searches go from mark to
// missing mark and back to the root.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "search/core/successor_stack.hpp"
#include "search/lassos/lasso_search.hpp"
#include "store/paged_array.hpp"
#include "store/state_collection.hpp"
#include "store/state_table.hpp"

namespace tideline {

/// A graph whose steps carry acceptance marks.
template <class G>
concept MarkedGraph = Graph<G> && requires(const G& graph) {
  { graph.all_marks() } -> std::convertible_to<std::uint32_t>;
};

template <MarkedGraph G, StateTable Table>
class SccSearch {
 public:
  /// `ranked`: states have ranks in the end, unless an accepting cycle is found.
  SccSearch(G graph, Table table, bool ranked = false)
      : graph_(std::move(graph)),
        table_(std::move(table)),
        stack_(graph_.state_size()),
        sets_(static_cast<Rank>(std::popcount(graph_.all_marks()))),
        ranked_(ranked) {}

  LassoResult run(Budget& budget) {
    try {
      stack_.open_frame(no_state);
      graph_.initial([&](const std::byte* state) { push({no_action, state}); });
      while (!stack_.empty() && !stopped_) advance(budget);
      result_.end = found_ ? SearchEnd::satisfied : stopped_ ? SearchEnd::exhausted : SearchEnd::complete;
      result_.early = found_;
    } catch (const std::bad_alloc&) {
      budget.exhaust_memory();
      result_.end = SearchEnd::exhausted;
      result_.lasso.reset();
    }
    result_.states = table_.size();
    return std::move(result_);
  }

  /// All states, with their ranks, of a search that is complete and not needed any more.
  StateCollection::Kept take_states() requires(Table::states_stay) {
    struct Ranked {
      Table table;
      PagedVector<Rank> ranks;
    };
    const auto count = static_cast<std::uint32_t>(table_.size());
    const auto ranked = std::make_shared<Ranked>(std::move(table_), std::move(ranks_));
    return {
        .ranges = {{0, count}},
        .state_at = [ranked](StateId id) { return ranked->table.state(id); },
        .extra_at = [ranked](StateId id) { return reinterpret_cast<const std::byte*>(&ranked->ranks[id]); }};
  }

  std::uint64_t memory_bytes() const {
    return table_.memory_bytes() + dead_.memory_bytes() + live_.memory_bytes() + roots_.memory_bytes() +
           stack_.memory_bytes();
  }

 private:
  using Rank = std::uint32_t;

  struct Root {
    StateId first;          // the SCC's first state in depth-first order
    std::uint32_t entered;  // marks of the transition into it
    std::uint32_t inside;   // marks of the transitions within it
    Rank least;             // that it may have, by what it leads to
  };

  void push(const Step& step) {
    stack_.push(step);
    table_.prefetch_index(table_.hash(step.state));
  }

  void advance(Budget& budget) {
    if (!stack_.has_next()) {
      leave();
      return;
    }
    const auto step = stack_.take();
    const auto [id, inserted] = table_.insert(step.state, table_.hash(step.state));
    if (id == no_state) {
      budget.exhaust(full_table_reason(table_.size()));
      stopped_ = true;
    } else if (inserted) {
      dead_.push_back(0);
      live_.push_back(id);
      if (ranked_) ranks_.push_back(0);
      roots_.push_back({id, step.marks, 0, 0});
      stack_.open_frame(id);
      expand(step.state, budget);
    } else if (!dead_[id]) {
      merge(id, step.marks);
    } else if (ranked_) {
      lead_to(ranks_[id], step.marks);
    }
  }

  /// A transition with these marks leads from the topmost SCC to one of this rank.
  void lead_to(Rank rank, std::uint32_t marks) {
    const bool may_keep = sets_ != 0 && (marks >> (rank % sets_) & 1U) == 0;
    Root& root = roots_.back();
    root.least = std::max(root.least, may_keep ? rank : rank + 1);
  }

  Rank rank_of(const Root& root) const {
    Rank rank = root.least;
    while (sets_ != 0 && (root.inside >> (rank % sets_) & 1U) != 0) ++rank;
    return rank;
  }

  void expand(const std::byte* state, Budget& budget) {
    ++result_.expansions;
    graph_.successors(state, [&](const Step& step) {
      ++result_.transitions;
      if (pace_.is_due()) poll(budget);
      if (stopped_) return;
      if (step.state)
        push(step);
      else
        result_.model_errors = true;
    });
  }

  /// A transition with these marks leads back to a live state: all SCCs down to its own are one.
  void merge(StateId target, std::uint32_t marks) {
    Rank least = 0;
    while (roots_.back().first > target) {
      marks |= roots_.back().inside | roots_.back().entered;
      least = std::max(least, roots_.back().least);
      roots_.pop_back();
    }
    roots_.back().inside |= marks;
    roots_.back().least = std::max(roots_.back().least, least);
    if (roots_.back().inside != graph_.all_marks()) return;
    stopped_ = found_ = true;
    result_.lasso = build_lasso(roots_.back().first);
  }

  void leave() {
    const StateId state = stack_.tag();
    stack_.close_frame();
    if (state == no_state || roots_.back().first != state) return;
    const Root root = roots_.back();
    const Rank rank = rank_of(root);
    roots_.pop_back();
    for (bool last = false; !last; live_.pop_back()) {
      const StateId dead = live_.back();
      dead_[dead] = 1;
      if (ranked_) ranks_[dead] = rank;
      last = dead == state;
    }
    if (ranked_ && roots_.size() != 0) lead_to(rank, root.entered);
  }

  void poll(Budget& budget) {
    if (budget.exhausted(stack_.status(table_.size(), result_.transitions))) stopped_ = true;
  }

  // --- the lasso ----------------------------------------------------------------------------------------

  struct Link {
    StateId from;
    ActionId action;
  };

  Path build_lasso(StateId root) {
    Path path;
    stack_.append_run(path);
    std::size_t position = 0;
    while (stack_.tag(position + 1) != root) ++position;
    path.states.resize(position + 1);
    path.actions.resize(position);
    path.loop = position;

    StateId at = root;
    std::uint32_t missing = graph_.all_marks();
    while (missing != 0)
      missing &= ~walk(path, at, root, [&](StateId, std::uint32_t marks) { return (marks & missing) != 0; });
    if (at != root || path.actions.size() == position)
      walk(path, at, root, [&](StateId to, std::uint32_t) { return to == root; });
    path.states.pop_back();  // the root again
    return path;
  }

  /// Walks inside the SCC of `root`, along a shortest way that ends with a transition that is wanted, appends
  /// the way to the path, moves `at` to its end, and returns the marks of its transitions.
  template <class Wanted>
  std::uint32_t walk(Path& path, StateId& at, StateId root, const Wanted& wanted) {
    std::unordered_map<StateId, Link> reached;
    std::unordered_map<StateId, std::uint32_t> marks_to;
    std::deque<StateId> queue{at};
    while (!queue.empty()) {
      const StateId from = queue.front();
      queue.pop_front();
      StateId end = no_state;
      Link last{from, no_action};
      std::uint32_t last_marks = 0;
      graph_.successors(table_.state(from), [&](const Step& step) {
        if (!step.state || end != no_state) return;
        const StateId to = table_.find(step.state, table_.hash(step.state));
        if (to == no_state || to < root || dead_[to]) return;
        if (wanted(to, step.marks)) {
          end = to;
          last.action = step.action;
          last_marks = step.marks;
        } else if (to != at && reached.emplace(to, Link{from, step.action}).second) {
          marks_to[to] = step.marks;
          queue.push_back(to);
        }
      });
      if (end == no_state) continue;
      std::vector<std::pair<StateId, ActionId>> steps{{end, last.action}};
      std::uint32_t marks = last_marks;
      for (StateId s = from; s != at; s = reached.at(s).from) {
        steps.emplace_back(s, reached.at(s).action);
        marks |= marks_to.at(s);
      }
      for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        path.actions.push_back(step->second);
        const std::byte* const state = table_.state(step->first);
        path.states.emplace_back(state, state + graph_.state_size());
      }
      at = end;
      return marks;
    }
    throw Error(ErrorKind::internal, "an accepting SCC has no accepting cycle");
  }

  G graph_;
  Table table_;
  PagedVector<std::uint8_t> dead_;  // by state
  PagedVector<StateId> live_;
  PagedVector<Root> roots_;
  SuccessorStack<StateId> stack_;
  LassoResult result_;
  Pace pace_;
  bool stopped_ = false;
  bool found_ = false;
  Rank sets_;  // of acceptance
  bool ranked_;
  PagedVector<Rank> ranks_;  // by state, where they are wanted
};

}  // namespace tideline
