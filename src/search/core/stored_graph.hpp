// StoredGraph: the reachable states and all transitions between them, in memory.
//
// Any number of threads build it. They share one table; each keeps the transitions of the states that it
// expands. When all states are known they get numbers without gaps, and the transitions are put into the
// order of their sources, so that two arrays hold them all. Actions are not kept; a run finds them again
// (run_through.hpp). A state costs its bytes, its share of the table's index and 8 bytes, a transition 4, and
// as much again while they are put in order, or later when predecessors are needed.
//
// Which number a state has depends on the threads. The order of the transitions of a state does not.
//
// A state is a deadlock when no action is enabled in it. An action that ends in a model error is enabled, but
// where it leads is unknown.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "graph/graph.hpp"
#include "run/budget.hpp"
#include "search/core/bit_set.hpp"
#include "search/core/crew.hpp"
#include "search/core/observer.hpp"
#include "search/core/successor_batch.hpp"
#include "store/concurrent_table.hpp"
#include "store/paged_array.hpp"
#include "store/state_collection.hpp"

namespace tideline {

class StoredGraph {
 public:
  explicit StoredGraph(std::size_t state_bytes, unsigned threads = 1, std::uint64_t few = few_states);

  /// Explores everything; each thread has a copy of the graph. Work on at most `few` states is left to one of
  /// them. False: the budget ended it, and only the counts are valid. Throws std::bad_alloc.
  template <Graph G>
  bool build(const G& graph, Budget& budget);

  unsigned threads() const { return static_cast<unsigned>(workers_.size()); }
  StateId size() const { return static_cast<StateId>(table_->size()); }
  std::uint64_t transitions() const;
  const std::vector<StateId>& initial() const { return initial_; }

  const std::byte* state(StateId id) const { return table_->state(place_of(id)); }
  /// The number of a state, which must be there.
  StateId find(const std::byte* state) const {
    return number_of(table_->access(0).find(state, table_->hash(state)));
  }

  /// Where a state is in the table, in which some places are not used.
  StateId place_of(StateId state) const;
  /// All states, by their places, which stay as long as this does.
  StateCollection::Kept kept_states() const {
    return {.ranges = used_, .state_at = [table = table_](StateId place) { return table->state(place); }};
  }

  /// sink(StateId) for every transition, as long as it returns true.
  template <class Sink>
  void successors(StateId state, const Sink& sink) const {
    for (std::uint64_t e = first_[state]; e < first_[state + std::size_t{1}]; ++e)
      if (!sink(targets_[e])) return;
  }
  template <class Sink>
  void predecessors(StateId state, const Sink& sink) const {
    for (std::uint64_t e = first_into_[state]; e < first_into_[state + std::size_t{1}]; ++e)
      if (!sink(sources_[e])) return;
  }

  /// Where the transitions of a state begin; those of state s end where those of s + 1 begin.
  std::uint64_t first(StateId state) const { return first_[state]; }
  StateId target(std::uint64_t transition) const { return targets_[transition]; }

  /// Some action of the state ends in a model error.
  bool fails(StateId state) const { return met_errors() && failing_.test(state); }
  bool met_errors() const;
  const std::vector<StateId>& failing_states() const { return failing_states_; }
  bool is_deadlock(StateId state) const {
    return first_[state] == first_[state + std::size_t{1}] && !fails(state);
  }
  std::uint64_t deadlocks() const;

  /// Prepares predecessors(). False: the budget ended it. Throws std::bad_alloc.
  bool need_predecessors(Budget& budget);

  std::uint64_t memory_bytes() const {
    std::uint64_t bytes = table_->memory_bytes() +
                          (first_.size() + first_into_.size()) * sizeof(std::uint64_t) +
                          (targets_.size() + sources_.size()) * sizeof(StateId);
    for (const auto& worker : workers_) bytes += worker->rows.memory_bytes() + worker->targets.memory_bytes();
    return bytes;
  }
  RunStatus status() const;

 private:
  using Table = ConcurrentTable<>;

  /// How many transitions of a state were followed.
  struct Row {
    StateId state;
    std::uint32_t length;
  };
  struct alignas(cache_line) Worker {
    Worker(Table::Access& a, std::size_t state_bytes) : access(a), batch(state_bytes) {}

    Table::Access& access;
    WorkQueue queue;
    SuccessorBatch<> batch;
    PagedVector<Row> rows;         // in the order of expansion
    PagedVector<StateId> targets;  // of all rows, one after the other
    std::vector<StateId> failing;
    std::atomic<std::uint64_t> transitions{0};
    std::atomic<std::uint64_t> expanded{0};
    std::uint64_t deadlocks = 0;
    bool table_full = false;
  };

  template <class G>
  void expand(G& graph, Worker& worker, StateId state, Crew& crew);
  void flush(Worker& worker, Crew& crew);
  bool put_in_order(Budget& budget);

  StateId number_of(StateId place) const;

  std::uint64_t few_;
  std::shared_ptr<Table> table_;  // with the states that are kept
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<StateId> initial_;
  std::vector<StateRange> used_;       // places in the table
  std::vector<StateId> first_number_;  // by range of `used_`: the number of its first state
  std::vector<std::uint64_t> first_;   // one more than there are states
  std::vector<StateId> targets_;
  std::vector<std::uint64_t> first_into_;
  std::vector<StateId> sources_;
  std::vector<StateId> failing_states_;
  BitSet failing_;
};

template <Graph G>
bool StoredGraph::build(const G& graph, Budget& budget) {
  std::vector<G> graphs(workers_.size(), graph);
  Worker& starter = *workers_.front();
  graphs.front().initial([&](const std::byte* state) {
    const auto [id, inserted] = starter.access.insert(state, table_->hash(state));
    if (!inserted) return;
    initial_.push_back(id);
    starter.queue.push(id);
  });
  Crew crew(threads());
  WorkPool pool(threads(), crew.token(), few_);
  crew.run(
      budget, [this] { return status(); },
      [&](unsigned i) {
        Worker& worker = *workers_[i];
        while (!crew.stopped()) {
          if (worker.queue.empty() && !worker.batch.empty()) flush(worker, crew);
          if (worker.queue.empty() && !pool.take(worker.queue)) break;
          expand(graphs[i], worker, worker.queue.pop(WorkOrder::bfs), crew);
          pool.share(worker.queue);
        }
      });
  for (const auto& worker : workers_)
    if (worker->table_full) budget.exhaust(full_table_reason(table_->size()));
  return budget.reason().empty() && put_in_order(budget);
}

template <class G>
void StoredGraph::expand(G& graph, Worker& worker, StateId state, Crew& crew) {
  std::uint32_t enabled = 0, followed = 0;
  bool stopped = false;
  graph.successors(table_->state(state), [&](const Step& step) {
    if (stopped) return;
    if (++enabled % poll_every == 0) stopped = crew.stopped();
    if (!step.state) return;
    ++followed;
    if (worker.batch.full()) flush(worker, crew);
    worker.batch.add(worker.access, step.state, state);
  });
  worker.rows.push_back({state, followed});
  worker.transitions.store(worker.transitions.load(std::memory_order_relaxed) + enabled,
                           std::memory_order_relaxed);
  worker.expanded.store(worker.rows.size(), std::memory_order_relaxed);
  if (enabled == 0) ++worker.deadlocks;
  if (enabled != followed) worker.failing.push_back(state);
}

}  // namespace tideline
