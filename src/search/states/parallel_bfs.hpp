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
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
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
    table.workers = threads;
    memory_ = std::make_shared<Memory>(graph.state_size(), std::move(table));
    for (unsigned i = 0; i < threads; ++i)
      workers_.push_back(std::make_unique<Worker>(graph, memory_->table.access(i)));
  }

  template <SharedObserver O>
  SearchResult run(O& observer, Budget& budget) {
    std::vector<O> observers(workers_.size(), observer);
    Worker& first = *workers_.front();
    Origin origin;
    first.graph.initial([&](const std::byte* state) {
      append(first, state, origin, observers.front());
      ++origin.choice;
    });
    flush(first, observers.front());
    if (end_level(observers) != NextLevel::over)
      run_levels(
          crew_, budget, [this] { return status(); },
          [&](unsigned i) { expand_level(*workers_[i], observers[i]); },
          [&] { return end_level(observers); });
    for (O& other : observers) observer.absorb(other);
    return finish(budget);
  }

  /// All states, which stay as long as this does.
  StateCollection::Kept kept_states() const requires(Table::states_stay) {
    return {.ranges = table().ranges(),
            .state_at = [memory = memory_](StateId id) { return memory->table.state(id); }};
  }
  /// What the search keeps for every state.
  std::uint64_t memory_bytes() const {
    return table().memory_bytes() + (options_.traces ? memory_->trail.memory_bytes(table().size()) : 0);
  }

 private:
  struct Memory {
    Memory(std::size_t state_bytes, typename Table::Options options)
        : table(state_bytes, std::move(options)) {}

    Table table;
    Trail trail;  // empty when no traces are wanted
  };

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

  template <class O>
  void expand_level(Worker& worker, O& observer) {
    for (std::size_t p; !crew_.stopped() && (p = next_piece_.fetch_add(1)) < level_.size();) {
      for (std::uint32_t n = 0; n < level_[p].count && !crew_.stopped(); ++n) {
        if constexpr (requires { worker.access.expect(StateId{}); })
          if (n + read_ahead < level_[p].count) worker.access.expect(level_[p].first + n + read_ahead);
        expand(worker, level_[p].first + n, observer);
      }
      if constexpr (requires { table().drop({}); }) table().drop(level_[p]);
    }
    flush(worker, observer);
  }

  /// One thread alone: what was found is the next level.
  template <class O>
  NextLevel end_level(std::vector<O>& observers) {
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
        if (options_.traces) memory_->trail.add(insertion.id, origin);
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
    bool full = false;
    for (const auto& worker : workers_) {
      result_.transitions += worker->transitions.load();
      result_.deadlocks += worker->deadlocks;
      full |= worker->table_full;
    }
    result_.states = table().size();
    if (full) budget.exhaust(full_table_reason(result_.states));
    if (!budget.reason().empty())
      result_.end = SearchEnd::exhausted;
    else if (satisfied_)
      result_.end = SearchEnd::satisfied;
    else
      result_.end = cut_off_ ? SearchEnd::cut_off : SearchEnd::complete;
    if (!result_.level_sizes.empty()) result_.depth = result_.level_sizes.size() - 1;
    return result_;
  }

  PathBuilder path_to(StateId id, const G& graph) const {
    if (!options_.traces) return {};
    return PathBuilder([memory = memory_, graph = graph, id](Budget& budget) mutable {
      return run_to(graph, memory->trail, id, budget);
    });
  }

  Table& table() const { return memory_->table; }

  RunStatus status() const {
    RunStatus status;
    status.states = table().size();
    for (const auto& worker : workers_)
      status.transitions += worker->transitions.load(std::memory_order_relaxed);
    return status;
  }

  SearchOptions options_;
  std::uint64_t few_;
  std::shared_ptr<Memory> memory_;  // shared with the paths that are not built yet
  Crew crew_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<StateRange> level_;
  std::atomic<std::size_t> next_piece_{0};
  SearchResult result_;
  std::atomic<bool> satisfied_{false};
  bool cut_off_ = false;
};

}  // namespace tideline
