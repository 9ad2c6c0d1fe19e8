// Breadth-first search: complete, with shortest runs, and without a queue.
//
// The table numbers states in the order in which they are found, which is the order in which breadth-first
// search expands them. The queue is therefore the table itself: a cursor runs over the numbers, what lies
// between the cursor and the end of the table is the frontier, and the search needs no memory beyond the
// table (and two bytes per state for its origin when runs are wanted).
//
// Time goes into cache misses, so successors pass through a batch (search/core/successor_batch.hpp). It keeps
// their order, so the numbering is that of plain breadth-first search; the batch is emptied at the end of
// every level, where the size of the table marks the next one.
//
// Invariants: states below the cursor are expanded and their successors are in the table or in the batch;
// numbers grow with the distance from the initial states.
//
// A search can be paused between two states: it may go on, or leave what it has to another search. The states
// below the cursor are then expanded, and all others wait. The other one may be of this kind, with a table of another
// kind that has the same states under the same numbers.
//
// Use it by default. Depth-first search finds deep errors sooner; both visit the same states.
#pragma once

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "graph/graph.hpp"
#include "run/budget.hpp"
#include "search/core/observer.hpp"
#include "search/core/successor_batch.hpp"
#include "search/states/level_forecast.hpp"
#include "search/states/trail_run.hpp"
#include "store/state_collection.hpp"
#include "store/state_table.hpp"
#include "store/trail.hpp"

namespace tideline {

template <Graph G, StateSet Table>
class BreadthFirstSearch {
 public:
  BreadthFirstSearch(G graph, Table table, SearchOptions options)
      : graph_(std::move(graph)),
        options_(options),
        table_(std::make_shared<Table>(std::move(table))),
        trail_(std::make_shared<Trail>()),
        batch_(graph_.state_size()) {}

  /// Goes on where another one has paused, with its states in this table.
  template <StateSet Other>
  BreadthFirstSearch(const BreadthFirstSearch<G, Other>& before, Table table)
      : graph_(before.graph_),
        options_(before.options_),
        table_(std::make_shared<Table>(std::move(table))),
        trail_(before.trail_),
        result_(before.result_),
        cursor_(before.cursor_),
        level_end_(before.level_end_),
        forecast_(before.forecast_),
        next_forecast_(before.next_forecast_),
        start_seconds_(before.start_seconds_),
        batch_(graph_.state_size()) {}

  template <Observer O>
  SearchResult run(O& observer, Budget& budget) {
    return run(observer, budget, [] { return false; });
  }

  /// The same, or what is left of it, until pause() is true between two states.
  template <Observer O, class Pause>
  SearchResult run(O& observer, Budget& budget, const Pause& pause) {
    paused_ = false;
    try {
      if (cursor_ == 0) {
        start_seconds_ = budget.seconds();
        Origin origin;
        graph_.initial([&](const std::byte* state) {
          append(state, origin, observer);
          ++origin.choice;
        });
        flush(observer);
      }
      while (!stopped_ && !paused_ && cursor_ < table().size() && !at_depth_bound())
        expand_level(observer, budget, pause);
    } catch (const std::bad_alloc&) {  // what has been stored so far is intact
      budget.exhaust_memory();
      exhausted_ = true;
    }
    return finish(budget);
  }

  Table& table() const { return *table_; }
  bool paused() const { return paused_; }
  std::uint64_t cursor() const { return cursor_; }
  /// All states, which stay as long as this does.
  StateCollection::Kept kept_states() const requires(Table::states_stay) {
    return {.ranges = {{0, static_cast<std::uint32_t>(table().size())}},
            .state_at = [table = table_](StateId id) { return table->state(id); }};
  }
  /// Only when runs are wanted.
  Trail::Parents parents() const { return Trail::Parents(*trail_); }
  /// What the search keeps for every state.
  std::uint64_t memory_bytes() const {
    return table().memory_bytes() + (options_.traces ? trail_->memory_bytes(table().size()) : 0);
  }

 private:
  template <Graph, StateSet>
  friend class BreadthFirstSearch;

  bool at_depth_bound() const { return options_.depth != 0 && result_.depth == options_.depth; }

  /// Or the rest of it, after a pause.
  template <class O, class Pause>
  void expand_level(O& observer, Budget& budget, const Pause& pause) {
    if (cursor_ == level_end_) {
      level_end_ = table().size();
      result_.level_sizes.push_back(level_end_ - cursor_);
      if (budget.watched()) look_ahead();
    }
    for (; cursor_ < level_end_ && !stopped_ && !paused_; ++cursor_) {
      if constexpr (requires { table_->expect(StateId{}); })
        if (cursor_ + read_ahead < level_end_) table_->expect(static_cast<StateId>(cursor_ + read_ahead));
      expand(static_cast<StateId>(cursor_), observer, budget);
      paused_ = pause();
    }
    flush(observer);
    if (cursor_ == level_end_ && table().size() > level_end_) ++result_.depth;
  }

  template <class O>
  void expand(StateId id, O& observer, Budget& budget) {
    const auto locate = [&] { return path_to(id); };
    const std::uint64_t before = result_.transitions;
    graph_.successors(table_->state(id), [&](const Step& step) {
      const auto choice = static_cast<std::uint32_t>(result_.transitions - before);
      ++result_.transitions;
      if (pace_.is_due()) poll(budget);
      if (stopped_) return;
      observer.on_step(step, locate);
      if (step.state) append(step.state, {id, choice}, observer);
    });
    if (result_.transitions == before) {
      if (report_deadlock(observer, table_->state(id), locate)) ++result_.deadlocks;
    }
    if constexpr (requires { table_->drop({}); }) table_->drop({id, 1});
    stopped_ = stopped_ || observer.done();
  }

  template <class O>
  void append(const std::byte* state, const Origin& origin, O& observer) {
    if (batch_.full()) flush(observer);
    batch_.add(*table_, state, origin);
  }

  template <class O>
  void flush(O& observer) {
    if (stopped_) batch_.clear();
    batch_.insert_into(*table_,
                       [&](const Origin& origin, const Insertion& insertion, const std::byte* state) {
                         if (insertion.inserted) {
                           if (options_.traces) trail_->add(insertion.id, origin);
                           observer.on_state(state, [&] { return path_to(insertion.id); });
                           stopped_ = observer.done();
                         } else if (insertion.id == no_state) {
                           stopped_ = full_ = true;
                         }
                         return !stopped_;
                       });
  }

  /// There may be many levels, and a forecast looks at all of them.
  void look_ahead() {
    if (level_end_ < next_forecast_) return;
    forecast_ = forecast_states(result_.level_sizes);
    next_forecast_ = level_end_ + level_end_ / 32;
  }

  std::optional<Completion> completion(const Budget& budget) const {
    if (!forecast_ || options_.depth != 0) return std::nullopt;
    const auto done = static_cast<double>(cursor_);
    const double seconds_a_state = (budget.seconds() - start_seconds_) / std::max(done, 1.0);
    return Completion{.part = std::min(done / forecast_->states, 1.0),
                      .least = std::min(done / forecast_->most, 1.0),
                      .most = std::min(done / forecast_->least, 1.0),
                      .seconds_left = std::max(forecast_->states - done, 0.0) * seconds_a_state};
  }

  void poll(Budget& budget) {
    RunStatus status;
    status.states = table().size();
    status.transitions = result_.transitions;
    status.frontier = table().size() - cursor_;
    status.depth = result_.depth;
    status.completion = completion(budget);
    if (budget.exhausted(status)) stopped_ = exhausted_ = true;
  }

  SearchResult finish(Budget& budget) {
    if (full_) budget.exhaust(full_table_reason(table().size()));
    SearchResult result = result_;
    result.states = table().size();
    count_last_level(result);
    if (full_ || exhausted_)
      result.end = SearchEnd::exhausted;
    else if (stopped_)
      result.end = SearchEnd::satisfied;
    else
      result.end = cursor_ < result.states ? SearchEnd::cut_off : SearchEnd::complete;
    return result;
  }

  // The level that was being filled when the search ended has a size, too. After a pause it grows, and is counted anew.
  static void count_last_level(SearchResult& result) {
    std::uint64_t counted = 0;
    for (const std::uint64_t size : result.level_sizes) counted += size;
    if (counted < result.states) result.level_sizes.push_back(result.states - counted);
  }

  PathBuilder path_to(StateId id) const {
    if (!options_.traces) return {};
    return PathBuilder([trail = trail_, graph = graph_, id](Budget& budget) mutable {
      return run_to(graph, *trail, id, budget);
    });
  }

  G graph_;
  SearchOptions options_;
  std::shared_ptr<Table> table_;  // shared with those who look at the states later
  std::shared_ptr<Trail> trail_;  // with the paths that are not built yet; empty when none are wanted
  SearchResult result_;
  Pace pace_;
  std::uint64_t cursor_ = 0, level_end_ = 0;
  std::optional<StateForecast> forecast_;
  std::uint64_t next_forecast_ = 0;  // when there are so many states
  double start_seconds_ = 0;
  bool stopped_ = false;
  bool paused_ = false;
  bool exhausted_ = false;
  bool full_ = false;
  SuccessorBatch<Origin, HashOf<Table>> batch_;
};

}  // namespace tideline
