// Nested depth-first search by many threads on one table (CNDFS).
//
// Every worker runs a nested depth-first search of its own from the initial states, in a random order of
// successors, and skips what others have finished: blue and red are shared, cyan (on the worker's own blue
// stack) and pink (seen by its own current red search) are not.
//
//   S. Evangelista, A. Laarman, L. Petrucci, J. van de Pol: Improved multi-core nested depth-first search,
//   2012.
//
//   blue(s): s cyan
//            for each successor t: t cyan and (s or t accepting): cycle
//                                  t neither cyan nor blue: blue(t)
//            s blue;  s accepting: red(s), then wait until every other accepting state that is pink is red
//                                  (other workers are at them), then all that is pink becomes red
//            s no longer cyan
//   red(s):  s pink;  for each successor t: t cyan: cycle;  t neither pink nor red: red(t)
//
// The red search stays within the region of the automaton. Where the automaton is weak there is none: of each
// cycle within a region consider the state that turns blue first; the worker that leaves it has the next
// state of the cycle on its stack, so it has seen the cycle close.
//
// A record has bits for blue and red, and two for each worker. The lasso is built from the accepting state.
//
// Successors go into the table as soon as they are produced, and the stacks hold their numbers: with many
// workers there are many stacks, all of them deep, and packed states there would take far more than the table.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "run/patience.hpp"
#include "search/core/crew.hpp"
#include "search/core/successor_batch.hpp"
#include "search/lassos/lasso_builder.hpp"
#include "search/lassos/lasso_search.hpp"
#include "store/concurrent_table.hpp"
#include "store/paged_array.hpp"

namespace tideline {

template <BuchiGraph G>
class ConcurrentNestedSearch {
 public:
  ConcurrentNestedSearch(const G& graph, unsigned threads)
      : table_(graph.state_size(), {.workers = threads, .extra_bytes = flag_bytes(threads)}),
        crew_(threads),
        weak_(graph.weak()) {
    for (unsigned i = 0; i < threads; ++i)
      workers_.push_back(std::make_unique<Worker>(graph, table_.access(i), i));
  }

  LassoResult run(Budget& budget) {
    crew_.run(
        budget, [this] { return status(); }, [this](unsigned i) { search_blue(*workers_[i]); });
    LassoResult result;
    result.early = found_.load() != no_state;
    conclude_search(found_.load(), workers_, table_, result, budget);
    return result;
  }

  std::uint64_t memory_bytes() const {
    std::uint64_t sum = table_.memory_bytes();
    for (const auto& worker : workers_) sum += worker->blue.memory_bytes() + worker->red.memory_bytes();
    return sum;
  }

 private:
  struct Tag {
    StateId state = no_state;  // no_state: the frame of the initial states
    bool accepting = false;
  };

  /// For every state of the current run the successors that have not been tried yet, as in SuccessorStack.
  class Stack {
   public:
    bool empty() const { return frames_.empty(); }
    std::size_t depth() const { return frames_.size(); }
    std::uint64_t memory_bytes() const { return states_.memory_bytes() + frames_.memory_bytes(); }

    void open_frame(const Tag& tag) { frames_.push_back({states_.size(), tag}); }
    void push(StateId id) { states_.push_back(id); }
    void shuffle_frame(std::minstd_rand& random) {
      const std::size_t first = frames_.back().first;
      for (std::size_t i = states_.size(); i > first + 1; --i)
        std::swap(states_[i - 1], states_[first + random() % (i - first)]);
    }
    void reverse_frame() {
      for (std::size_t a = frames_.back().first, b = states_.size(); a + 1 < b; ++a, --b)
        std::swap(states_[a], states_[b - 1]);
    }
    void close_frame() { frames_.pop_back(); }

    const Tag& tag() { return frames_.back().tag; }
    bool has_next() { return states_.size() != frames_.back().first; }
    StateId take() {
      const StateId id = states_.back();
      states_.pop_back();
      return id;
    }

   private:
    struct Frame {
      std::size_t first;  // of its successors; those that were taken are gone
      Tag tag;
    };

    PagedVector<StateId> states_;
    PagedVector<Frame> frames_;
  };

  struct alignas(cache_line) Worker {
    Worker(const G& g, ConcurrentTable<>::Access& a, unsigned i)
        : graph(g), access(a), index(i), random(i), batch(g.state_size()) {}

    G graph;
    ConcurrentTable<>::Access& access;
    unsigned index;
    std::minstd_rand random;
    Stack blue, red;
    SuccessorBatch<> batch;
    std::vector<StateId> pink;
    std::atomic<std::uint64_t> transitions{0};
    std::atomic<std::uint64_t> depth{0};
    std::uint64_t expansions = 0;
    bool model_errors = false;
    bool table_full = false;
  };

  // --- colours --------------------------------------------------------------------------------------------

  static constexpr unsigned blue_bit = 0;
  static constexpr unsigned red_bit = 1;
  static unsigned cyan_bit(const Worker& worker) { return 2 + 2 * worker.index; }
  static unsigned pink_bit(const Worker& worker) { return 3 + 2 * worker.index; }
  static std::size_t flag_bytes(unsigned threads) { return (2 + 2 * std::size_t{threads} + 7) / 8; }

  std::atomic_ref<std::uint8_t> flags(StateId id, unsigned bit) const {
    return std::atomic_ref(reinterpret_cast<std::uint8_t*>(table_.extra(id))[bit / 8]);
  }
  bool is(StateId id, unsigned bit) const { return (flags(id, bit).load() >> bit % 8 & 1) != 0; }
  void set(StateId id, unsigned bit) { flags(id, bit).fetch_or(static_cast<std::uint8_t>(1 << bit % 8)); }
  void clear(StateId id, unsigned bit) {
    flags(id, bit).fetch_and(static_cast<std::uint8_t>(~(1 << bit % 8)));
  }

  // --- the searches ---------------------------------------------------------------------------------------

  void push(Worker& worker, Stack& stack, const std::byte* state) {
    if (worker.batch.full()) flush(worker, stack);
    worker.batch.add(worker.access, state, no_state);
  }

  /// Pushes the successors that are `wanted` in a new frame of the stack.
  template <class Wanted>
  void expand(Worker& worker, Stack& stack, StateId id, const Wanted& wanted) {
    stack.open_frame({id, worker.graph.accepting(table_.state(id))});
    ++worker.expansions;
    std::uint64_t transitions = 0;
    bool stopped = false;
    worker.graph.successors(table_.state(id), [&](const Step& step) {
      if (stopped) return;
      if (++transitions % poll_every == 0) stopped = crew_.stopped();
      if (!step.state)
        worker.model_errors = true;
      else if (wanted(step.state))
        push(worker, stack, step.state);
    });
    worker.transitions.store(worker.transitions.load(std::memory_order_relaxed) + transitions,
                             std::memory_order_relaxed);
    flush(worker, stack);
    if (worker.index == 0)
      stack.reverse_frame();  // what came first is taken first
    else
      stack.shuffle_frame(worker.random);
  }

  void flush(Worker& worker, Stack& stack) {
    const Presence::Stay stay(worker.access.presence());
    worker.batch.insert_into(worker.access, [&](StateId, const Insertion& to, const std::byte*) {
      if (to.id == no_state) {
        worker.table_full = true;
        crew_.stop();
        return false;
      }
      stack.push(to.id);
      return true;
    });
  }

  void search_blue(Worker& worker) {
    worker.blue.open_frame({});
    worker.graph.initial([&](const std::byte* state) { push(worker, worker.blue, state); });
    flush(worker, worker.blue);
    while (!worker.blue.empty() && !crew_.stopped()) {
      if (!worker.blue.has_next()) {
        leave(worker);
        continue;
      }
      const StateId id = worker.blue.take();
      if (is(id, cyan_bit(worker))) {
        const Tag& from = worker.blue.tag();
        if (from.accepting || worker.graph.accepting(table_.state(id)))
          report(from.accepting ? from.state : id);
      } else if (!is(id, blue_bit)) {
        set(id, cyan_bit(worker));
        expand(worker, worker.blue, id, [](const std::byte*) { return true; });
        worker.depth.store(worker.blue.depth(), std::memory_order_relaxed);
      }
    }
  }

  void leave(Worker& worker) {
    const Tag done = worker.blue.tag();
    if (done.state != no_state) {
      set(done.state, blue_bit);
      if (done.accepting && !weak_) search_red(worker, done.state);
      clear(done.state, cyan_bit(worker));
    }
    worker.blue.close_frame();
  }

  void search_red(Worker& worker, StateId seed) {
    const Region region = worker.graph.region(table_.state(seed));
    if (region == no_region) return;
    const auto visit = [&](StateId id) {
      set(id, pink_bit(worker));
      worker.pink.push_back(id);
      expand(worker, worker.red, id, [&](const std::byte* to) { return worker.graph.region(to) == region; });
    };
    visit(seed);
    while (!worker.red.empty() && !crew_.stopped()) {
      if (!worker.red.has_next()) {
        worker.red.close_frame();
        continue;
      }
      const StateId id = worker.red.take();
      if (is(id, cyan_bit(worker)))
        report(seed);
      else if (!is(id, pink_bit(worker)) && !is(id, red_bit))
        visit(id);
    }
    for (const StateId id : worker.pink)
      if (id != seed && worker.graph.accepting(table_.state(id)))
        for (Patience patience; !is(id, red_bit) && !crew_.stopped();) patience.wait();
    for (const StateId id : worker.pink) {
      set(id, red_bit);
      clear(id, pink_bit(worker));
    }
    worker.pink.clear();
  }

  void report(StateId accepting) {
    found_.store(accepting);
    crew_.stop();
  }

  RunStatus status() const {
    RunStatus status;
    status.states = table_.size();
    for (const auto& worker : workers_) {
      status.transitions += worker->transitions.load(std::memory_order_relaxed);
      status.depth = std::max(status.depth, worker->depth.load(std::memory_order_relaxed));
    }
    return status;
  }

  ConcurrentTable<> table_;
  Crew crew_;
  bool weak_;
  std::atomic<StateId> found_{no_state};
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace tideline
