// Breadth-first search by many threads on one table, level by level: complete, with shortest runs.
//
// The workers share out the states of a level in small pieces. The states that a worker finds are consecutive
// in the table, so the next level is a short list of ranges from each of them. At the end of a level all
// meet: the ranges become the next level, and the workers' observers exchange what they have decided
// (search/core/levels.hpp).
//
// Each worker has an observer of its own (SharedObserver).
//
// Numbers of states differ from run to run; counts, levels and the lengths of runs do not.
//
// A search can be paused: each worker ends the piece that it is at. The search may go on, or leave what it has to
// another one with a table of another kind. There, the states that wait get new numbers, above all that there were, and
// the trail says of them what it said before; states that have been expanded are known, and have no number any more.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "run/budget.hpp"
#include "search/core/crew.hpp"
#include "search/core/levels.hpp"
#include "search/core/observer.hpp"
#include "search/core/successor_batch.hpp"
#include "search/states/trail_run.hpp"
#include "store/concurrent_table.hpp"
#include "store/state_collection.hpp"
#include "store/trail.hpp"

namespace tideline {

/// `Table`: ConcurrentTable<> or another one that threads share.
template <Graph G, class Table = ConcurrentTable<>>
class ParallelBreadthFirstSearch {
 public:
  /// A level with at most `few` states is left to one worker. The table gets as many workers as there are threads.
  ParallelBreadthFirstSearch(const G& graph, unsigned threads, SearchOptions options,
                             std::uint64_t few = few_states, typename Table::Options table = {})
      : options_(options), few_(few), crew_(threads) {
    make_workers(graph, std::move(table));
  }

  /// Goes on where another one has paused, once take_over() has its states. A tree.
  template <class Other>
  ParallelBreadthFirstSearch(const ParallelBreadthFirstSearch<G, Other>& before,
                             typename Table::Options table)
      : options_(before.options_),
        few_(before.few_),
        trail_(before.trail_),
        crew_(before.crew_.workers()),
        result_(before.totals()),
        begun_(true) {
    table.waiting.first = (before.table().number_bound() + Trail::block - 1) / Trail::block * Trail::block;
    make_workers(before.workers_.front()->graph, std::move(table));
  }

  template <SharedObserver O>
  SearchResult run(O& observer, Budget& budget) {
    return run(observer, budget, [] { return false; });
  }

  /// The same, or what is left of it, until a worker finds pause() true between two pieces.
  template <SharedObserver O, class Pause>
  SearchResult run(O& observer, Budget& budget, const Pause& pause) {
    std::vector<O> observers(workers_.size(), observer);
    paused_ = false;
    if (std::exchange(begun_, true) || find_initial(observers) != NextLevel::over)
      run_levels(
          crew_, budget, [this] { return status(); },
          [&](unsigned i) { expand_level(*workers_[i], observers[i], pause); },
          [&] { return end_level(observers); });
    for (O& other : observers) observer.absorb(other);
    return finish(budget);
  }

  /// Moves the states of the search that this one goes on for, whose memory is given back meanwhile. A limit may end
  /// that; the budget then says why.
  template <class Other>
  void take_over(ParallelBreadthFirstSearch<G, Other>& before, Budget& budget);

  bool paused() const { return paused_; }
  /// All states, which stay as long as this does.
  StateCollection::Kept kept_states() const requires(Table::states_stay) {
    return {.ranges = table().ranges(),
            .state_at = [table = table_](StateId id) { return table->state(id); }};
  }
  Table& table() const { return *table_; }
  /// What the search keeps for every state.
  std::uint64_t memory_bytes() const {
    return table().memory_bytes() + (options_.traces ? trail_->memory_bytes(table().size()) : 0);
  }

 private:
  template <Graph, class>
  friend class ParallelBreadthFirstSearch;

  struct alignas(cache_line) Worker {
    Worker(const G& g, typename Table::Access& a) : graph(g), access(a), batch(g.state_size()) {}

    G graph;
    typename Table::Access& access;
    WorkQueue found;  // states of the next level
    std::atomic<std::uint64_t> transitions{0};
    std::uint64_t deadlocks = 0;
    bool table_full = false;
    SuccessorBatch<Origin, HashOf<typename Table::Access>> batch;
  };

  void make_workers(const G& graph, typename Table::Options table) {
    table.workers = crew_.workers();
    table_ = std::make_shared<Table>(graph.state_size(), std::move(table));
    for (unsigned i = 0; i < crew_.workers(); ++i)
      workers_.push_back(std::make_unique<Worker>(graph, table_->access(i)));
  }

  template <class O>
  NextLevel find_initial(std::vector<O>& observers) {
    Worker& first = *workers_.front();
    Origin origin;
    first.graph.initial([&](const std::byte* state) {
      append(first, state, origin, observers.front());
      ++origin.choice;
    });
    flush(first, observers.front());
    return end_level(observers);
  }

  template <class O, class Pause>
  void expand_level(Worker& worker, O& observer, const Pause& pause) {
    for (std::size_t p; !crew_.stopped() && !paused_.load(std::memory_order_relaxed) &&
                        (p = next_piece_.fetch_add(1)) < level_.size();) {
      for (std::uint32_t n = 0; n < level_[p].count && !crew_.stopped(); ++n) {
        if constexpr (requires { worker.access.expect(StateId{}); })
          if (n + read_ahead < level_[p].count) worker.access.expect(level_[p].first + n + read_ahead);
        expand(worker, level_[p].first + n, observer);
      }
      if constexpr (requires { table().drop({}); }) table().drop(level_[p]);
      if (pause()) paused_.store(true, std::memory_order_relaxed);
    }
    flush(worker, observer);
  }

  /// One thread alone: what was found is the next level. After a pause, the rest of this one comes first.
  template <class O>
  NextLevel end_level(std::vector<O>& observers) {
    if (paused_) {
      const std::size_t begun = std::min(next_piece_.exchange(0), level_.size());
      level_.erase(level_.begin(), level_.begin() + static_cast<std::ptrdiff_t>(begun));
      return NextLevel::over;
    }
    level_.clear();
    next_piece_ = 0;
    std::uint64_t size = 0;
    for (const auto& worker : workers_) size += worker->found.size();
    for (const auto& worker : workers_) {
      const auto pieces = cut_ranges(worker->found.take_all(), piece_of(size, crew_.workers()));
      level_.insert(level_.end(), pieces.begin(), pieces.end());
    }
    if (size != 0) result_.level_sizes.push_back(size);
    for (std::size_t i = 1; i < observers.size(); ++i) observers[0].adopt(observers[i]);
    for (std::size_t i = 1; i < observers.size(); ++i) observers[i].adopt(observers[0]);
    if (observers[0].done()) satisfy();
    const bool at_bound = options_.depth != 0 && result_.level_sizes.size() > options_.depth;
    cut_off_ = size != 0 && at_bound;
    if (size == 0 || at_bound || crew_.stopped()) return NextLevel::over;
    return size <= few_ ? NextLevel::small : NextLevel::large;
  }

  void satisfy() {
    satisfied_.store(true, std::memory_order_relaxed);
    crew_.stop();
  }

  template <class O>
  void expand(Worker& worker, StateId id, O& observer) {
    const auto locate = [&] { return path_to(id, worker.graph); };
    std::uint64_t transitions = 0;
    bool stopped = false;
    worker.graph.successors(worker.access.state(id), [&](const Step& step) {
      if (stopped) return;
      const auto choice = static_cast<std::uint32_t>(transitions);
      if (++transitions % poll_every == 0) stopped = crew_.stopped();
      observer.on_step(step, locate);
      if (step.state) append(worker, step.state, {id, choice}, observer);
    });
    worker.transitions.store(worker.transitions.load(std::memory_order_relaxed) + transitions,
                             std::memory_order_relaxed);
    if (transitions == 0) {
      if (report_deadlock(observer, worker.access.state(id), locate)) ++worker.deadlocks;
    }
    if (observer.done()) satisfy();
  }

  template <class O>
  void append(Worker& worker, const std::byte* state, const Origin& origin, O& observer) {
    if (worker.batch.full()) insert(worker, observer, false);
    worker.batch.add(worker.access, state, origin);
  }

  template <class O>
  void flush(Worker& worker, O& observer) {
    insert(worker, observer, true);
  }

  /// What is in the batch: all of it, or what can be inserted without waiting.
  template <class O>
  void insert(Worker& worker, O& observer, bool all) {
    const Presence::Stay stay(worker.access.presence());
    const auto sink = [&](const Origin& origin, const Insertion& insertion, const std::byte* state) {
      if (insertion.inserted) {
        if (options_.traces) trail_->add(insertion.id, origin);
        worker.found.push(insertion.id);
        observer.on_state(state, [&] { return path_to(insertion.id, worker.graph); });
        if (observer.done()) satisfy();
      } else if (insertion.id == no_state) {
        worker.table_full = true;
        crew_.stop();
      }
      return !crew_.stopped();
    };
    if (all)
      worker.batch.insert_into(worker.access, sink);
    else
      worker.batch.insert_most_into(worker.access, sink);
  }

  SearchResult finish(Budget& budget) {
    SearchResult result = totals();
    if (std::ranges::any_of(workers_, [](const auto& worker) { return worker->table_full; }))
      budget.exhaust(full_table_reason(result.states));
    if (!budget.reason().empty())
      result.end = SearchEnd::exhausted;
    else if (satisfied_)
      result.end = SearchEnd::satisfied;
    else
      result.end = cut_off_ || paused_ ? SearchEnd::cut_off : SearchEnd::complete;
    return result;
  }

  /// Of what has been done so far.
  SearchResult totals() const {
    SearchResult result = result_;
    for (const auto& worker : workers_) {
      result.transitions += worker->transitions.load();
      result.deadlocks += worker->deadlocks;
    }
    result.states = table().size();
    if (!result.level_sizes.empty()) result.depth = result.level_sizes.size() - 1;
    return result;
  }

  PathBuilder path_to(StateId id, const G& graph) const {
    if (!options_.traces) return {};
    return PathBuilder([trail = trail_, graph = graph, id](Budget& budget) mutable {
      return run_to(graph, *trail, id, budget);
    });
  }

  RunStatus status() const {
    RunStatus status;
    status.states = table().size();
    status.transitions = result_.transitions;
    for (const auto& worker : workers_)
      status.transitions += worker->transitions.load(std::memory_order_relaxed);
    return status;
  }

  SearchOptions options_;
  std::uint64_t few_;
  std::shared_ptr<Table> table_;  // shared with those who look at the states later
  std::shared_ptr<Trail> trail_ =
      std::make_shared<Trail>();  // with the paths that are not built yet; empty when none are wanted
  Crew crew_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<StateRange> level_;
  std::atomic<std::size_t> next_piece_{0};
  SearchResult result_;  // without what is counted by each worker
  std::atomic<bool> satisfied_{false};
  std::atomic<bool> paused_{false};
  bool begun_ = false;
  bool cut_off_ = false;
};

// What waits comes first, because it must be new where it gets its number: the rest of the level, and then the next one.
// After that all states, some pages at a time.
template <Graph G, class Table>
template <class Other>
void ParallelBreadthFirstSearch<G, Table>::take_over(ParallelBreadthFirstSearch<G, Other>& before,
                                                     Budget& budget) {
  constexpr std::size_t waiting_parts = 2;
  std::vector<std::vector<StateRange>> parts(waiting_parts);
  parts[0] = cut_ranges(before.level_, few_states);
  for (const auto& worker : before.workers_)
    for (const StateRange& piece : cut_ranges(worker->found.take_all(), few_states))
      parts[1].push_back(piece);
  constexpr std::size_t pieces_a_part = 1024;
  for (const StateRange& piece : cut_ranges(before.table().ranges(), few_states)) {
    if (parts.size() == waiting_parts || parts.back().size() == pieces_a_part) parts.emplace_back();
    parts.back().push_back(piece);
  }
  before.table().drop_index();

  struct alignas(cache_line) Renumbered {
    std::vector<std::pair<StateId, StateId>> states;  // the new number, and the one before
  };
  std::vector<Renumbered> renumbered(workers_.size());
  std::size_t part = 0;
  const auto move = [&](unsigned i, StateId id) {
    typename Table::Access& access = workers_[i]->access;
    const std::byte* const state = before.table().state(id);
    const auto hash = access.hash(state);
    if (part >= waiting_parts) {
      if (!access.enter(hash)) throw std::bad_alloc();
      return;
    }
    const StateId number = access.insert(state, hash).id;
    if (number == no_state) throw std::bad_alloc();
    renumbered[i].states.emplace_back(number, id);
    workers_[i]->found.push(number);
  };
  run_levels(
      crew_, budget, [this] { return status(); },
      [&](unsigned i) {
        for (std::size_t p; !crew_.stopped() && (p = next_piece_.fetch_add(1)) < parts[part].size();)
          for (std::uint32_t n = 0; n < parts[part][p].count; ++n) move(i, parts[part][p].first + n);
      },
      [&] {
        next_piece_ = 0;
        for (Renumbered& of_worker : renumbered)
          for (const auto& [number, id] : std::exchange(of_worker.states, {}))
            if (options_.traces) trail_->add(number, (*trail_)[id]);
        if (part == 0)
          for (const auto& worker : workers_)
            for (const StateRange& piece : cut_ranges(worker->found.take_all(), few_states))
              level_.push_back(piece);
        if (++part == parts.size() || crew_.stopped()) return NextLevel::over;
        if (part > waiting_parts) before.table().records().drop_below(parts[part].front().first);
        return NextLevel::large;
      });
}

}  // namespace tideline
