// Depth-first search: goes deep first, and always knows the run to the current state.
//
// The stack (see search/core/successor_stack.hpp) is the run to the current state, so runs need
// no parent links.
//
// What counts as seen is a parameter: a state table (exact, complete), a bit table (bitstate search: an
// underestimate of the graph in a fixed amount of memory), or a cache of states (state space caching:
// complete in a fixed amount of memory, since a state that was forgotten is visited again, and those on the
// stack are not forgotten).
//
// With a depth bound the search may miss states that lie within the bound: it may have met a state first at
// the end of a long run and then does not expand it again when a shorter one arrives. Use breadth-first
// search for all states up to a depth.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "run/budget.hpp"
#include "search/core/observer.hpp"
#include "search/core/successor_stack.hpp"
#include "store/bit_table.hpp"
#include "store/hash.hpp"
#include "store/state_cache.hpp"
#include "store/state_table.hpp"

namespace tideline {

enum class Mark { fresh, seen, full };

/// Seen states in a table: what is marked is known exactly.
template <StateSet Table>
class ExactMarks {
 public:
  static constexpr bool exact = true;

  explicit ExactMarks(Table table) : table_(std::move(table)) {}

  HashOf<Table> hash(const std::byte* state) { return table_.hash(state); }
  /// It will be marked some time. Where hashing is most of the work, doing it twice does not pay.
  void expect(const std::byte* state) {
    if constexpr (!requires { Table::Access::hash_folds; }) table_.prefetch_index(hash(state));
  }
  Mark mark(const std::byte* state, const HashOf<Table>& hash) {
    const Insertion insertion = table_.insert(state, hash);
    if (insertion.inserted) return Mark::fresh;
    return insertion.id == no_state ? Mark::full : Mark::seen;
  }
  std::uint64_t size() const { return table_.size(); }
  std::string full_reason() const { return full_table_reason(table_.size()); }
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
  void expect(const std::byte* state) const { bits_.prefetch(hash(state)); }
  Mark mark(const std::byte*, std::uint64_t hash) { return bits_.insert(hash) ? Mark::fresh : Mark::seen; }
  std::uint64_t size() const { return bits_.size(); }
  std::uint64_t memory_bytes() const { return bits_.memory_bytes(); }
  const BitTable& bits() const { return bits_; }

 private:
  std::size_t state_bytes_;
  BitTable bits_;
};

/// Seen states as long as there is room for them; those on the stack stay.
///
///   P. Godefroid, G. J. Holzmann, D. Pirottin: State-Space Caching Revisited, 1995.
class CacheMarks {
 public:
  static constexpr bool exact = true;

  explicit CacheMarks(StateCache cache) : cache_(std::move(cache)) {}

  std::uint64_t hash(const std::byte* state) const { return cache_.hash(state); }
  void expect(const std::byte* state) const { cache_.prefetch(hash(state)); }
  Mark mark(const std::byte* state, std::uint64_t hash) {
    const Insertion insertion = cache_.insert(state, hash);
    if (insertion.id == no_state) return Mark::full;
    if (!insertion.inserted) return Mark::seen;
    last_ = insertion.id;
    ++visits_;
    return Mark::fresh;
  }
  /// The state marked last is put on the stack; the topmost one is taken from it.
  void enter() {
    cache_.pin(last_);
    stack_.push_back(last_);
  }
  void leave() {
    cache_.unpin(stack_.back());
    stack_.pop_back();
  }
  std::uint64_t size() const { return visits_; }
  std::uint64_t memory_bytes() const { return cache_.memory_bytes() + stack_.capacity() * sizeof(StateId); }
  const StateCache& cache() const { return cache_; }
  std::string full_reason() const {
    return fmt::format("all {} states of the cache are on the stack", cache_.stored());
  }

 private:
  StateCache cache_;
  std::vector<StateId> stack_;
  StateId last_ = no_state;
  std::uint64_t visits_ = 0;
};

template <Graph G, class Marks>
class DepthFirstSearch {
 public:
  DepthFirstSearch(G graph, Marks marks, SearchOptions options)
      : graph_(std::move(graph)), marks_(std::move(marks)), options_(options), stack_(graph_.state_size()) {}

  template <Observer O>
  SearchResult run(O& observer, Budget& budget) {
    try {
      stack_.open_frame({});
      graph_.initial([&](const std::byte* state) { push({no_action, state}); });
      while (!stack_.empty() && !stopped_) advance(observer, budget);
    } catch (const std::bad_alloc&) {
      budget.exhaust_memory();
      exhausted_ = true;
    }
    return finish(budget);
  }

  const Marks& marks() const { return marks_; }
  std::uint64_t memory_bytes() const { return marks_.memory_bytes() + stack_.memory_bytes(); }

 private:
  struct NoTag {};
  static constexpr bool forgets = requires(Marks marks) { marks.enter(); };

  void push(const Step& step) {
    stack_.push(step);
    marks_.expect(step.state);
  }

  /// Tries the next successor of the topmost frame, or drops the frame.
  template <class O>
  void advance(O& observer, Budget& budget) {
    if (!stack_.has_next()) {
      stack_.close_frame();
      if constexpr (forgets)
        if (!stack_.empty()) marks_.leave();
      return;
    }
    const std::byte* const state = stack_.take().state;
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
    const std::uint64_t depth = stack_.depth() - 1;
    result_.depth = std::max(result_.depth, depth);
    if (options_.depth != 0 && depth == options_.depth)
      cut_off_ = true;
    else
      expand(state, observer, budget);
    stopped_ = stopped_ || observer.done();
  }

  template <class O>
  void expand(const std::byte* state, O& observer, Budget& budget) {
    const auto locate = [&] { return current_path(); };
    const std::uint64_t before = result_.transitions;
    stack_.open_frame({});
    if constexpr (forgets) marks_.enter();
    graph_.successors(state, [&](const Step& step) {
      ++result_.transitions;
      if (pace_.is_due()) poll(budget);
      if (stopped_) return;
      observer.on_step(step, locate);
      if (step.state) push(step);
    });
    if (result_.transitions == before) {
      if (report_deadlock(observer, state, locate)) ++result_.deadlocks;
    }
  }

  void poll(Budget& budget) {
    if (budget.exhausted(stack_.status(marks_.size(), result_.transitions))) stopped_ = exhausted_ = true;
  }

  SearchResult finish(Budget& budget) {
    if constexpr (Marks::exact)
      if (full_) budget.exhaust(marks_.full_reason());
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
    stack_.append_run(path);
    return PathBuilder(std::move(path));
  }

  G graph_;
  Marks marks_;
  SearchOptions options_;
  SearchResult result_;
  Pace pace_;
  SuccessorStack<NoTag> stack_;
  bool stopped_ = false;
  bool exhausted_ = false;
  bool full_ = false;
  bool cut_off_ = false;
};

}  // namespace tideline
