// OWCTY with the MAP heuristic: accepting cycles by elimination, on any number of threads.
//
// The whole graph is explored first. Then states that cannot lie behind an accepting cycle are removed, in
// rounds of two phases, until a round removes nothing: keep what can be reached from accepting states,
// counting each state's predecessors; remove what has no predecessor, and so on along the transitions. What
// is left is not empty exactly when there is an accepting cycle.
//
// While the graph is explored, states pass on accepting states from which they were reached (`values` of
// them): along each transition the target is offered what the source has and itself, and keeps the greatest
// in some order. A transition to an accepting state that the source passes on closes a cycle, and the search
// ends early. A state is expanded once, with the values it has by then, so this costs a constant amount of
// work per transition and may miss cycles; the elimination does not.
//
//   J. Barnat, L. Brim, P. Ročkai: On-the-fly parallel model checking algorithm that is optimal for
//   verification of weak LTL properties, 2012. I. Černá, R. Pelánek: Distributed explicit fair cycle
//   detection, 2003.
//
// In the paper a state takes its values from the transition by which it is found, and never again. But it
// waits in a queue for some time, and what is offered to it meanwhile is as good. This makes a great
// difference, and so does the order: the greatest number is the latest state, which seldom comes round again.
// See accepting_order.hpp, which has the published way as well; bench/README.md has figures.
//
// Beyond the papers: only transitions within a region of the automaton count for cycles, so values do not
// leave a region and states outside all regions take no part in the elimination. Where the automaton is
// weak every cycle in a region is accepting: predecessors are already counted during the exploration, and
// one removal decides.
//
// When something is left, one more pass over it finds a cycle. Every state that is left has a predecessor
// that is left, and all that can be reached from it within its region is left, too. A traversal from all
// accepting states gives each of them the first predecessor it meets, and each other state the one it was
// found from: from there on, predecessors lead back to an accepting state. So following predecessors never
// ends, meets accepting states again and again, and closes a cycle.
//
// Ranks: a state is removed before those that it leads to, or, if it is not accepting, together with them, when it cannot
// be reached from accepting ones any more. So the time at which a state is removed proves that there is no accepting
// cycle (removal_times.hpp). If states are collected, each goes there with a rank made of it.
//
// Words of a state: the values while exploring; then word 0, or in weak graphs the last one, is the number of
// predecessors, with `member` added in graphs that are not weak, where 0 means that the state is removed.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>

#include "model/error.hpp"
#include "search/lassos/accepting_order.hpp"
#include "search/lassos/lasso_search.hpp"
#include "search/lassos/removal_times.hpp"
#include "search/lassos/shared_search.hpp"

namespace tideline {

struct OwctyOptions {
  unsigned threads = 1;
  unsigned values = 1;  ///< 0 to most_values; 0: plain OWCTY
  ValueChoice choice = ValueChoice::mixed;
  WorkOrder order = WorkOrder::bfs;
  std::uint64_t few = 1;  ///< see SharedSearch

  static constexpr unsigned most_values = 3;
};

/// The rounds of the elimination among so many states in regions: whether some remain. keep(first) and remove()
/// return how many states they keep and remove; gave_up() says that the search has ended, and nothing is known.
template <class Keep, class Remove, class GaveUp>
bool remains_after_rounds(bool weak, std::uint64_t members, std::uint64_t& rounds, const Keep& keep,
                          const Remove& remove, const GaveUp& gave_up) {
  if (weak) {
    ++rounds;
    return members != remove() && !gave_up();
  }
  for (std::uint64_t size = 0, before = std::numeric_limits<std::uint64_t>::max();; before = size) {
    ++rounds;
    size = keep(rounds == 1);
    size -= remove();
    if (gave_up() || size == 0) return false;
    if (size == before) return true;
  }
}

template <BuchiGraph G>
class OwctySearch {
 public:
  /// `ranks`: where every state goes with its rank, unless an accepting cycle is found.
  OwctySearch(const G& graph, const OwctyOptions& options, const RanksWanted& ranks = {})
      : options_(options),
        order_(options.choice),
        weak_(graph.weak()),
        member_(weak_ ? 0 : 1),
        count_(weak_ ? options.values : 0),
        search_(graph, options.threads,
                (weak_ ? options.values + 1 : std::max(options.values, 1u)) + (ranks.collection ? 1 : 0),
                options.few),
        times_(search_, weak_ ? options.values + 1 : std::max(options.values, 1u), ranks) {}

  LassoResult run(Budget& budget) {
    LassoResult result;
    StateId found = explore(budget);
    result.early = found != no_state;
    const bool remains = found == no_state && !search_.gave_up(budget) && eliminate(budget, result);
    if (remains) found = pick(budget);
    search_.conclude(found, result, budget);
    if (result.end == SearchEnd::complete) times_.collect(budget);
    if (remains && found == no_state) {
      if (budget.reason().empty()) throw Error(ErrorKind::internal, "what remains holds no accepting cycle");
      result.end = SearchEnd::satisfied;  // there is a cycle, but the budget ended before it was found
    }
    return result;
  }

  std::uint64_t memory_bytes() const { return search_.memory_bytes(); }

 private:
  using Worker = typename SharedSearch<G>::Worker;
  using Values = std::array<std::uint32_t, OwctyOptions::most_values>;

  auto count(StateId id) const { return search_.word(id, count_); }

  /// Whether a cycle may pass along a transition to this state.
  bool within_region(Worker& worker, StateId from, const std::byte* to) const {
    const Region region = worker.graph.region(to);
    return region != no_region && worker.graph.region(search_.state(from)) == region;
  }
  bool in_region(Worker& worker, StateId id) const {
    return worker.graph.region(search_.state(id)) != no_region;
  }

  // --- exploration ----------------------------------------------------------------------------------------

  /// Returns an accepting state on a cycle, if the values show one.
  StateId explore(Budget& budget) {
    std::atomic<StateId> found{no_state};
    search_.queue_initial([&](Worker& worker, StateId id) {
      offer(id, passed_on(worker, {}, id, search_.state(id)));
      if (in_region(worker, id)) ++worker.tally;
    });
    search_.traverse(options_.order, budget,
                     [&](Worker& worker, StateId from, StateId to, const std::byte* state, bool is_new) {
                       const bool within = within_region(worker, from, state);
                       const Values values = within ? values_of(from) : Values{};
                       if (within && options_.values != 0 && worker.graph.accepting(state) &&
                           (from == to || contains(values, to + 1))) {
                         found.store(to);
                         search_.crew().stop();
                         return;
                       }
                       if (within && weak_) count(to).fetch_add(1, std::memory_order_relaxed);
                       if (is_new || (within && order_.known_states_take()))
                         offer(to, passed_on(worker, values, to, state));
                       if (!is_new) return;
                       worker.queue.push(to);
                       if (worker.graph.region(state) != no_region) ++worker.tally;
                     });
    return found.load();
  }

  // --- values: numbers of states plus one, 0 is none ------------------------------------------------------

  Values values_of(StateId id) const {
    Values values{};
    for (unsigned v = 0; v < options_.values; ++v)
      values[v] = search_.word(id, v).load(std::memory_order_relaxed);
    return values;
  }
  static bool contains(const Values& values, std::uint32_t value) {
    return std::find(values.begin(), values.end(), value) != values.end();
  }

  /// What comes with a transition to a state: the values of its source, and the state itself if it accepts.
  Values passed_on(Worker& worker, Values values, StateId id, const std::byte* state) const {
    if (worker.graph.region(state) == no_region || !worker.graph.accepting(state)) return values;
    order_.add(std::span(values).first(options_.values), id + 1);
    return values;
  }

  /// Raises the values of a state. Any thread may do so at any time: each value by itself is right.
  void offer(StateId id, const Values& values) {
    for (unsigned v = 0; v < options_.values; ++v) {
      std::uint32_t carried = values[v];
      if (options_.choice != ValueChoice::largest) {
        raise(id, v, carried);
        continue;
      }
      for (unsigned w = 0; w < options_.values && carried != 0; ++w) {
        const std::uint32_t old = raise(id, w, carried);
        if (old == carried) break;
        if (order_.rank(old, w) < order_.rank(carried, w)) carried = old;
      }
    }
  }
  /// Puts a value into word `v` if it is greater; returns the previous one.
  std::uint32_t raise(StateId id, unsigned v, std::uint32_t value) {
    const auto word = search_.word(id, v);
    std::uint32_t old = word.load(std::memory_order_relaxed);
    while (order_.rank(value, v) > order_.rank(old, v) &&
           !word.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
    }
    return old;
  }

  // --- elimination ----------------------------------------------------------------------------------------

  /// Whether states remain.
  bool eliminate(Budget& budget, LassoResult& result) {
    const std::uint64_t members = search_.take_tally();  // counted by explore()
    return remains_after_rounds(
        weak_, members, result.rounds,
        [&](bool all_are_members) { return keep_behind_accepting(budget, all_are_members); },
        [&] { return remove_without_predecessors(budget); }, [&] { return search_.gave_up(budget); });
  }

  /// Keeps what can be reached from accepting members, with new counts; returns how many states that are.
  std::uint64_t keep_behind_accepting(Budget& budget, bool all_are_members) {
    search_.for_each_state(budget, [&](Worker& worker, StateId id) {
      const bool is_member = all_are_members || count(id).load(std::memory_order_relaxed) != 0;
      const bool start = is_member && in_region(worker, id) && worker.graph.accepting(search_.state(id));
      count(id).store(start ? member_ : 0, std::memory_order_relaxed);
      if (!start) return;
      worker.queue.push(id);
      ++worker.tally;
    });
    search_.traverse(WorkOrder::bfs, budget,
                     [&](Worker& worker, StateId from, StateId to, const std::byte* state, bool) {
                       if (!within_region(worker, from, state)) return;
                       if (count(to).fetch_add(1, std::memory_order_relaxed) != 0) return;
                       count(to).fetch_add(member_, std::memory_order_relaxed);
                       worker.queue.push(to);
                       ++worker.tally;
                     });
    if (times_) {
      times_.begin();
      search_.for_each_state(budget, [&](Worker& worker, StateId id) {
        if (count(id).load(std::memory_order_relaxed) == 0 && in_region(worker, id)) times_.remove_now(id);
      });
    }
    return search_.take_tally();
  }

  /// Returns how many states were removed.
  std::uint64_t remove_without_predecessors(Budget& budget) {
    times_.begin();
    const auto remove = [&](Worker& worker, StateId id) {
      count(id).store(0, std::memory_order_relaxed);
      times_.remove(id);
      worker.queue.push(id);
      ++worker.tally;
    };
    search_.for_each_state(budget, [&](Worker& worker, StateId id) {
      if (count(id).load(std::memory_order_relaxed) == member_ && in_region(worker, id)) remove(worker, id);
    });
    search_.traverse(WorkOrder::bfs, budget,
                     [&](Worker& worker, StateId from, StateId to, const std::byte* state, bool) {
                       if (!within_region(worker, from, state)) return;
                       times_.follow(from, to);
                       if (count(to).fetch_sub(1, std::memory_order_acq_rel) == member_ + 1)
                         remove(worker, to);
                     });
    return search_.take_tally();
  }

  /// An accepting state on a cycle, when states remain; word 0 becomes a predecessor that remains, plus one.
  StateId pick(Budget& budget) {
    std::atomic<StateId> any{no_state};
    search_.for_each_state(budget, [&](Worker& worker, StateId id) {
      const bool remains = in_region(worker, id) && count(id).load(std::memory_order_relaxed) != 0;
      search_.word(id, 0).store(0, std::memory_order_relaxed);
      if (!remains || !is_root(worker, search_.state(id))) return;
      worker.queue.push(id);
      any.store(id, std::memory_order_relaxed);
    });
    search_.traverse(
        WorkOrder::bfs, budget, [&](Worker& worker, StateId from, StateId to, const std::byte* state, bool) {
          if (!within_region(worker, from, state)) return;
          std::uint32_t none = 0;
          if (search_.word(to, 0).compare_exchange_strong(none, from + 1, std::memory_order_relaxed) &&
              !is_root(worker, state))
            worker.queue.push(to);
        });
    if (search_.gave_up(budget)) return no_state;
    return accepting_on_cycle(any.load(), budget);
  }
  /// Where pick() starts from. In weak graphs any cycle is accepting, so all states are roots.
  bool is_root(Worker& worker, const std::byte* state) const {
    return weak_ || worker.graph.accepting(state);
  }

  /// Follows predecessors until they repeat (Brent), and then once around.
  StateId accepting_on_cycle(StateId start, Budget& budget) {
    const auto before = [&](StateId id) -> StateId {
      const std::uint32_t word = search_.word(id, 0).load(std::memory_order_relaxed);
      if (word == 0) throw Error(ErrorKind::internal, "a state that remains has no predecessor");
      return word - 1;
    };
    StateId mark = start, at = before(start);
    for (std::uint64_t steps = 1, turn = 1; at != mark; at = before(at)) {
      if (steps++ != turn) continue;
      if (budget.exhausted({.states = turn})) return no_state;
      mark = at;
      turn *= 2;
      steps = 1;
    }
    Worker& worker = search_.first_worker();
    while (!worker.graph.accepting(search_.state(at)))
      if ((at = before(at)) == mark) throw Error(ErrorKind::internal, "a cycle that remains does not accept");
    return at;
  }

  OwctyOptions options_;
  AcceptingOrder order_;
  bool weak_;
  std::uint32_t member_;
  unsigned count_;  // which word
  SharedSearch<G> search_;
  RemovalTimes<G> times_;
};

}  // namespace tideline
