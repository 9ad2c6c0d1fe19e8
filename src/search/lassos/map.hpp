// MAP: accepting cycles by maximal accepting predecessors, on any number of threads.
//
// States are ordered by their numbers. Every state learns the greatest accepting state from which it can be
// reached; values travel along transitions and are passed on again whenever they grow. An accepting state
// that receives its own number lies on a cycle. When a pass ends without one, no accepting state that is the
// greatest predecessor of some state lies on a cycle (a greater one before it would have been passed on
// instead), so all of these cease to be accepting, and another pass begins, until none is left.
//
//   L. Brim, I. Černá, P. Moravec, J. Šimša: Accepting predecessors are better than back edges in
//   distributed LTL model-checking, 2004.
//
// Values never leave a region of the automaton. Accepting states without a transition within their region are
// dropped at once; they are no state's predecessor, so the passes would not remove them.
//
// A pass may pass values on again and again, and there may be many passes: for properties that hold, use
// owcty.hpp. Violations are often found in the first pass, while the graph is still being explored.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "search/lassos/lasso_search.hpp"
#include "search/lassos/shared_search.hpp"

namespace tideline {

/// One pass from the states on the workers' queues; word 0 of a state is its value (number plus one), 0 at
/// the start. Returns an accepting state that lies on a cycle, or no_state. `accepting(worker, id)` says what
/// counts as accepting; `inner(from)` is called for states with a transition within their region.
template <BuchiGraph G, class Accepting, class Inner>
StateId propagate_greatest(SharedSearch<G>& search, WorkOrder order, Budget& budget,
                           const Accepting& accepting, const Inner& inner) {
  using Worker = typename SharedSearch<G>::Worker;
  std::atomic<StateId> found{no_state};
  search.traverse(order, budget,
                  [&](Worker& worker, StateId from, StateId to, const std::byte* state, bool is_new) {
                    if (is_new) worker.queue.push(to);
                    const Region region = worker.graph.region(state);
                    if (region == no_region || worker.graph.region(search.state(from)) != region) return;
                    inner(from);
                    std::uint32_t value = search.word(from, 0).load(std::memory_order_relaxed);
                    if (accepting(worker, from)) value = std::max(value, from + 1);
                    if (value == to + 1) {
                      found.store(to);
                      search.crew().stop();
                      return;
                    }
                    const auto target = search.word(to, 0);
                    for (std::uint32_t old = target.load(std::memory_order_relaxed); old < value;)
                      if (target.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
                        if (!is_new) worker.queue.push(to);
                        break;
                      }
                  });
  return found.load();
}

template <BuchiGraph G>
class MapSearch {
 public:
  MapSearch(const G& graph, unsigned threads, WorkOrder order, std::uint64_t few = 1)
      : order_(order), search_(graph, threads, words, few) {}

  LassoResult run(Budget& budget) {
    LassoResult result;
    const StateId found = search(budget, result);
    result.early = found != no_state && result.rounds == 1;
    search_.conclude(found, result, budget);
    return result;
  }

  std::uint64_t memory_bytes() const { return search_.memory_bytes(); }

 private:
  using Worker = typename SharedSearch<G>::Worker;

  static constexpr std::size_t words = 2;  // the value, and these bits:
  static constexpr std::uint32_t dropped = 1;
  static constexpr std::uint32_t has_inner = 2;

  bool accepting(Worker& worker, StateId id) const {
    return worker.graph.accepting(search_.state(id)) &&
           (search_.word(id, 1).load(std::memory_order_relaxed) & dropped) == 0;
  }

  StateId search(Budget& budget, LassoResult& result) {
    search_.queue_initial([](Worker&, StateId) {});
    for (;;) {
      ++result.rounds;
      const StateId found = propagate_greatest(
          search_, order_, budget, [&](Worker& worker, StateId id) { return accepting(worker, id); },
          [&](StateId from) {
            const auto bits = search_.word(from, 1);
            if ((bits.load(std::memory_order_relaxed) & has_inner) == 0)
              bits.fetch_or(has_inner, std::memory_order_relaxed);
          });
      if (found != no_state || search_.gave_up(budget) || !prepare_next(budget)) return found;
    }
  }

  /// Drops the accepting states that are finished, and queues the others. False: there are none.
  bool prepare_next(Budget& budget) {
    search_.for_each_state(budget, [&](Worker& worker, StateId id) {
      const std::uint32_t value = search_.word(id, 0).exchange(0, std::memory_order_relaxed);
      if (value != 0) search_.word(value - 1, 1).fetch_or(dropped, std::memory_order_relaxed);
      const bool alone = (search_.word(id, 1).load(std::memory_order_relaxed) & has_inner) == 0;
      if (alone && worker.graph.accepting(search_.state(id)))
        search_.word(id, 1).fetch_or(dropped, std::memory_order_relaxed);
    });
    std::atomic<bool> any{false};
    search_.for_each_state(budget, [&](Worker& worker, StateId id) {
      if (worker.graph.region(search_.state(id)) == no_region || !accepting(worker, id)) return;
      worker.queue.push(id);
      any.store(true, std::memory_order_relaxed);
    });
    return any.load() && !search_.gave_up(budget);
  }

  WorkOrder order_;
  SharedSearch<G> search_;
};

}  // namespace tideline
