// SharedSearch: the basis of the parallel searches for accepting cycles.
//
// All workers share one table. In a traversal each worker takes states from its queue, expands them, looks
// the successors up in the table (which adds the new ones), and hands every transition to the algorithm:
//
//   on_edge(worker, from, to, state, is_new)   a transition between two states of the table; `state` are the
//                                              packed bytes of the second; worker.queue is where states go
//                                              that are to be expanded
//
// Successors pass through a batch (search/core/successor_batch.hpp); with order dfs it is emptied after every
// state, so that what was found last is expanded next.
//
// A state's record carries `words` 32-bit words that belong to the algorithm.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "search/core/crew.hpp"
#include "search/core/successor_batch.hpp"
#include "search/lassos/lasso_builder.hpp"
#include "search/lassos/lasso_search.hpp"
#include "store/concurrent_table.hpp"
#include "store/state_collection.hpp"

namespace tideline {

template <Graph G>
class SharedSearch {
 public:
  using Table = ConcurrentTable<>;
  using Word = std::atomic_ref<std::uint32_t>;

  struct alignas(cache_line) Worker {
    Worker(const G& g, Table::Access& a) : graph(g), access(a), batch(g.state_size()) {}

    G graph;
    Table::Access& access;
    WorkQueue queue;
    std::atomic<std::uint64_t> transitions{0};
    std::atomic<std::uint64_t> expansions{0};
    std::atomic<std::uint64_t> queued{0};  // as last reported, for the display
    std::uint64_t tally = 0;               // whatever the algorithm counts
    bool model_errors = false;
    bool table_full = false;
    SuccessorBatch<> batch;
  };

  /// Work on at most `few` states is left to one worker; `few` is at least 1.
  SharedSearch(const G& graph, unsigned workers, std::size_t words, std::uint64_t few = 1)
      : few_(few),
        shared_table_(std::make_shared<Table>(
            graph.state_size(),
            typename Table::Options{.workers = workers, .extra_bytes = words * sizeof(std::uint32_t)})),
        table_(*shared_table_),
        crew_(workers) {
    for (unsigned i = 0; i < workers; ++i)
      workers_.push_back(std::make_unique<Worker>(graph, table_.access(i)));
  }

  Crew& crew() { return crew_; }
  Worker& first_worker() { return *workers_.front(); }

  const std::byte* state(StateId id) const { return table_.state(id); }
  Word word(StateId id, std::size_t index) const {
    return Word(reinterpret_cast<std::uint32_t*>(table_.extra(id))[index]);
  }

  /// Puts the initial states into the table and on a queue; prepare(worker, id) is called for each of them.
  template <class Prepare>
  void queue_initial(const Prepare& prepare) {
    Worker& worker = *workers_.front();
    worker.graph.initial([&](const std::byte* state) {
      const auto [id, inserted] = worker.access.insert(state, table_.hash(state));
      if (!inserted) return;
      prepare(worker, id);
      worker.queue.push(id);
    });
  }

  /// Expands what is on the workers' queues and whatever is pushed there on the way.
  template <class OnEdge>
  void traverse(WorkOrder order, Budget& budget, const OnEdge& on_edge) {
    WorkPool pool(crew_.workers(), crew_.token(), few_);
    crew_.run(
        budget, [this] { return status(); }, [&](unsigned i) { work(*workers_[i], pool, order, on_edge); });
  }

  /// Calls visit(worker, id) for every state of the table, on all workers.
  template <class Visit>
  void for_each_state(Budget& budget, const Visit& visit) {
    const std::vector<StateRange> pieces = cut_ranges(table_.ranges(), piece);
    std::atomic<std::size_t> next{0};
    crew_.run(
        budget, [this] { return status(); },
        [&](unsigned i) {
          for (std::size_t p; !crew_.stopped() && (p = next.fetch_add(1)) < pieces.size();)
            for (std::uint32_t n = 0; n < pieces[p].count; ++n) visit(*workers_[i], pieces[p].first + n);
        });
  }

  /// What the algorithm has counted since the last call.
  std::uint64_t take_tally() {
    std::uint64_t sum = 0;
    for (const auto& worker : workers_) sum += std::exchange(worker->tally, 0);
    return sum;
  }

  /// All states, each with this word, which stay as long as this does.
  StateCollection::Kept kept_states(std::size_t word) const {
    return {.ranges = table_.ranges(),
            .state_at = [table = shared_table_](StateId id) { return table->state(id); },
            .extra_at = [table = shared_table_,
                         word](StateId id) { return table->extra(id) + word * sizeof(std::uint32_t); }};
  }

  /// The end of a search that found an accepting state on a cycle (no_state: none): fills in the result.
  void conclude(StateId found, LassoResult& result, Budget& budget) {
    conclude_search(found, workers_, table_, result, budget);
  }

  bool gave_up(const Budget& budget) const {
    for (const auto& worker : workers_)
      if (worker->table_full) return true;
    return !budget.reason().empty();
  }

  std::uint64_t memory_bytes() const { return table_.memory_bytes(); }

 private:
  static constexpr std::uint32_t piece = 1 << 14;

  template <class OnEdge>
  void work(Worker& worker, WorkPool& pool, WorkOrder order, const OnEdge& on_edge) {
    while (!crew_.stopped()) {
      if (worker.queue.empty() && !worker.batch.empty()) flush(worker, on_edge, true);
      if (worker.queue.empty() && !pool.take(worker.queue)) break;
      expand(worker, worker.queue.pop(order), on_edge);
      if (order == WorkOrder::dfs) flush(worker, on_edge, true);
      pool.share(worker.queue);
    }
    worker.batch.clear();
  }

  template <class OnEdge>
  void expand(Worker& worker, StateId id, const OnEdge& on_edge) {
    std::uint64_t transitions = 0;
    bool stopped = false;
    worker.graph.successors(table_.state(id), [&](const Step& step) {
      if (stopped) return;
      if (++transitions % poll_every == 0) stopped = crew_.stopped();
      if (!step.state) {
        worker.model_errors = true;
        return;
      }
      if (worker.batch.full()) flush(worker, on_edge, false);
      worker.batch.add(worker.access, step.state, id);
    });
    count(worker.transitions, transitions);
    count(worker.expansions, 1);
    worker.queued.store(worker.queue.size(), std::memory_order_relaxed);
  }

  static void count(std::atomic<std::uint64_t>& counter, std::uint64_t more) {
    counter.store(counter.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  /// What is in the batch: all of it, or what can be inserted without waiting.
  template <class OnEdge>
  void flush(Worker& worker, const OnEdge& on_edge, bool all) {
    const Presence::Stay stay(worker.access.presence());
    const auto sink = [&](StateId from, const Insertion& to, const std::byte* state) {
      if (to.id == no_state) {
        worker.table_full = true;
        crew_.stop();
        return false;
      }
      on_edge(worker, from, to.id, state, to.inserted);
      return true;
    };
    if (all)
      worker.batch.insert_into(worker.access, sink);
    else
      worker.batch.insert_most_into(worker.access, sink);
  }

  RunStatus status() const {
    RunStatus status;
    status.states = table_.size();
    for (const auto& worker : workers_) {
      status.transitions += worker->transitions.load(std::memory_order_relaxed);
      status.frontier += worker->queued.load(std::memory_order_relaxed);
    }
    return status;
  }

  std::uint64_t few_;
  std::shared_ptr<Table> shared_table_;  // with the states that are kept
  Table& table_;
  Crew crew_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace tideline
