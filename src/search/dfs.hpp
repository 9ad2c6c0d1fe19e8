// Depth-first search: goes deep first, and always has the run to where it is in its hands.
//
// The stack holds, for every state of the current run, its successors that have not been tried yet, packed
// one behind the other, with the action that leads to each. A successor is looked up only when its turn
// comes, which makes this true depth-first order (a search that marks all successors at once is not: later
// algorithms that need the stack to be a path stand on this). The run to the current state is the entry
// last taken in each frame, so runs need no parent links.
//
// What counts as seen is a parameter: a state table (exact, complete) or a bit table (bitstate search: an
// underestimate of the graph in a fixed amount of memory).
//
// With a depth bound the search may miss states that lie within the bound: it may have met a state first at
// the end of a long run and then does not expand it again when a shorter one arrives. Use breadth-first
// search for all states up to a depth.
//
// Invariants: frame f owns the entries from frames_[f].first up to the next frame's first; those before
// frames_[f].next have been tried; entry next - 1 of each frame, from the bottom up, is the current run.
#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "graph/graph.hpp"
#include "run/budget.hpp"
#include "search/observer.hpp"
#include "store/bit_table.hpp"
#include "store/hash.hpp"
#include "store/paged_array.hpp"
#include "store/state_table.hpp"

namespace tideline {

enum class Mark { fresh, seen, full };

/// Seen states in a table: what is marked is known exactly.
template <StateTable Table>
class ExactMarks {
 public:
  static constexpr bool exact = true;

  explicit ExactMarks(Table table) : table_(std::move(table)) {}

  std::uint64_t hash(const std::byte* state) const { return table_.hash(state); }
  void prefetch(std::uint64_t hash) const { table_.prefetch_index(hash); }
  Mark mark(const std::byte* state, std::uint64_t hash) {
    const Insertion insertion = table_.insert(state, hash);
    if (insertion.inserted) return Mark::fresh;
    return insertion.id == no_state ? Mark::full : Mark::seen;
  }
  std::uint64_t size() const { return table_.size(); }
  std::uint64_t memory_bytes() const { return table_.memory_bytes(); }

 private:
  Table table_;
};

/// Seen states as bits: a new state may be taken for a seen one.
class BitMarks {
 public:
  static constexpr bool exact = false;

  BitMarks(std::size_t state_bytes, unsigned bits) : state_bytes_(state_bytes), bits_(bits) {}

  std::uint64_t hash(const std::byte* state) const { return StateHash{}(state, state_bytes_); }
  void prefetch(std::uint64_t hash) const { bits_.prefetch(hash); }
  Mark mark(const std::byte*, std::uint64_t hash) { return bits_.insert(hash) ? Mark::fresh : Mark::seen; }
  std::uint64_t size() const { return bits_.size(); }
  std::uint64_t memory_bytes() const { return bits_.memory_bytes(); }
  const BitTable& bits() const { return bits_; }

 private:
  std::size_t state_bytes_;
  BitTable bits_;
};

template <Graph G, class Marks>
class DepthFirstSearch {
 public:
  DepthFirstSearch(G graph, Marks marks, SearchOptions options)
      : graph_(std::move(graph)),
        marks_(std::move(marks)),
        options_(options),
        entries_(sizeof(ActionId) + graph_.state_size()) {}

  template <Observer O>
  SearchResult run(O& observer, Budget& budget) {
    try {
      graph_.initial([&](const std::byte* state) { push(no_action, state); });
      if (!entries_.empty()) frames_.push_back({0, 0});
      while (!frames_.empty() && !stopped_) advance(observer, budget);
    } catch (const std::bad_alloc&) {
      budget.exhaust(out_of_memory_reason);
      exhausted_ = true;
    }
    return finish(budget);
  }

  const Marks& marks() const { return marks_; }
  std::uint64_t memory_bytes() const {
    return marks_.memory_bytes() + entries_.memory_bytes() + frames_.memory_bytes();
  }

 private:
  struct Frame {
    std::size_t first;  // its entries start here
    std::size_t next;   // the entry to try next
  };

  static const std::byte* state_of(const std::byte* entry) { return entry + sizeof(ActionId); }

  void push(ActionId action, const std::byte* state) {
    std::byte* const entry = entries_.extend();
    std::memcpy(entry, &action, sizeof action);
    std::memcpy(entry + sizeof action, state, graph_.state_size());
    marks_.prefetch(marks_.hash(state));
  }

  /// Tries the next successor of the topmost frame, or drops the frame.
  template <class O>
  void advance(O& observer, Budget& budget) {
    Frame& top = frames_.back();
    if (top.next == entries_.size()) {
      entries_.truncate(top.first);
      frames_.pop_back();
      return;
    }
    const std::byte* const state = state_of(entries_[top.next++]);
    switch (marks_.mark(state, marks_.hash(state))) {
      case Mark::seen:
        return;
      case Mark::full:
        stopped_ = full_ = true;
        return;
      case Mark::fresh:
        break;
    }
    observer.on_state(state, [&] { return current_path(); });
    const std::uint64_t depth = frames_.size() - 1;
    result_.depth = std::max(result_.depth, depth);
    if (options_.depth != 0 && depth == options_.depth)
      cut_off_ = true;
    else if (expansions_++ % poll_every == 0 && poll(budget, depth))
      return;
    else
      expand(state, observer);
    stopped_ = stopped_ || observer.done();
  }

  template <class O>
  void expand(const std::byte* state, O& observer) {
    const auto locate = [&] { return current_path(); };
    const std::size_t first = entries_.size();
    const std::uint64_t before = result_.transitions;
    graph_.successors(state, [&](const Step& step) {
      ++result_.transitions;
      observer.on_step(step, locate);
      if (step.state) push(step.action, step.state);
    });
    if (result_.transitions == before) {
      ++result_.deadlocks;
      observer.on_deadlock(locate);
    }
    if (entries_.size() > first) frames_.push_back({first, first});
  }

  bool poll(Budget& budget, std::uint64_t depth) {
    Progress progress;
    progress.states = marks_.size();
    progress.transitions = result_.transitions;
    progress.frontier = entries_.size();
    progress.depth = depth;
    return stopped_ = exhausted_ = budget.exhausted(progress);
  }

  SearchResult finish(Budget& budget) {
    if (full_) budget.exhaust(full_table_reason(marks_.size()));
    result_.states = marks_.size();
    if (full_ || exhausted_)
      result_.end = SearchEnd::exhausted;
    else if (stopped_)
      result_.end = SearchEnd::satisfied;
    else if (cut_off_)
      result_.end = SearchEnd::cut_off;
    else
      result_.end = Marks::exact ? SearchEnd::complete : SearchEnd::sampled;
    return result_;
  }

  // The stack will change, so the run is copied.
  PathBuilder current_path() const {
    if (!options_.traces) return {};
    Path path;
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      const std::byte* const entry = entries_[frames_[f].next - 1];
      ActionId action;
      std::memcpy(&action, entry, sizeof action);
      if (f != 0) path.actions.push_back(action);
      path.states.emplace_back(state_of(entry), state_of(entry) + graph_.state_size());
    }
    return [path = std::move(path)] { return path; };
  }

  G graph_;
  Marks marks_;
  SearchOptions options_;
  SearchResult result_;
  PagedArray entries_;
  PagedVector<Frame> frames_;
  std::uint64_t expansions_ = 0;
  bool stopped_ = false;
  bool exhausted_ = false;
  bool full_ = false;
  bool cut_off_ = false;
};

}  // namespace tideline
