// LassoBuilder: from a state on a cycle to a lasso, for searches that find such a state and keep no runs.
//
// It makes two breadth-first searches over states that are already in the table: from the state back to
// itself, within its region of the automaton, and from the initial states to the nearest state of that cycle.
// Both paths are shortest. The workers of the search share the levels (search/core/levels.hpp), because these
// searches may have to look at as much as the one that found the state. They temporarily take four bytes per
// state, and as much for each state of two levels.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "model/error.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/core/crew.hpp"
#include "search/core/levels.hpp"
#include "search/core/observer.hpp"
#include "search/core/run_through.hpp"
#include "search/core/successor_batch.hpp"
#include "search/lassos/lasso_search.hpp"
#include "store/concurrent_table.hpp"

namespace tideline {

/// `Worker` has a `graph` and an `access` to the table, for one thread each.
template <class Worker>
class LassoBuilder {
 public:
  using Workers = std::vector<std::unique_ptr<Worker>>;

  LassoBuilder(const Workers& workers, std::uint64_t number_bound, Budget& budget)
      : first_(*workers.front()), from_(number_bound, no_state), budget_(budget) {
    for (const auto& worker : workers) scouts_.push_back(std::make_unique<Scout>(*worker));
  }

  /// The lasso whose cycle passes through the state, which must lie on one. Nothing when the budget ends.
  std::optional<Path> through(StateId state) {
    const Region region = first_.graph.region(first_.access.state(state));
    const std::vector<StateId> cycle = way(
        {state}, [state](StateId id) { return id == state; },
        [region](Worker& worker, const std::byte* to) { return worker.graph.region(to) == region; });
    if (cycle.empty()) return std::nullopt;

    std::vector<StateId> sorted = cycle;
    std::sort(sorted.begin(), sorted.end());
    const auto on_cycle = [&](StateId id) { return std::binary_search(sorted.begin(), sorted.end(), id); };
    std::fill(from_.begin(), from_.end(), no_state);
    std::vector<StateId> starts;
    first_.graph.initial([&](const std::byte* s) {
      if (const StateId id = first_.access.find(s, first_.access.hash(s)); id != no_state)
        starts.push_back(id);
    });
    std::vector<StateId> ids;
    if (const auto at = std::find_if(starts.begin(), starts.end(), on_cycle); at != starts.end())
      ids = {*at};
    else
      ids = way(starts, on_cycle, [](Worker&, const std::byte*) { return true; });
    if (ids.empty()) return std::nullopt;

    const std::size_t loop = ids.size() - 1;
    auto at = std::find(cycle.begin(), cycle.end(), ids.back());
    for (std::size_t i = 0; i + 1 < cycle.size(); ++i) {
      at =
          at + 1 == cycle.end() ? cycle.begin() + 1 : at + 1;  // the cycle's first state is its last one, too
      ids.push_back(*at);
    }
    Path path;
    try {
      path = run_through(first_.graph, first_.access, ids, budget_);
    } catch (const LimitReached&) {
      return std::nullopt;
    }
    path.states.pop_back();  // the one at index `loop` again
    path.loop = loop;
    return path;
  }

 private:
  /// What a worker has for itself in these searches.
  struct alignas(cache_line) Scout {
    explicit Scout(Worker& w) : worker(w), batch(w.graph.state_size()) {}

    Worker& worker;
    SuccessorBatch<> batch;
  };

  struct LastStep {
    StateId from = no_state, to = no_state;
  };

  /// The states of a shortest way of one or more steps from one of `starts` to a wanted state, both ends
  /// included; all but the first are allowed. Empty when the budget ends.
  template <class Wanted, class Allowed>
  std::vector<StateId> way(const std::vector<StateId>& starts, const Wanted& wanted, const Allowed& allowed) {
    Crew crew(static_cast<unsigned>(scouts_.size()));
    last_ = LastStep{};
    for (const StateId start : starts) from_[start] = start;
    Frontier frontier(crew.workers());
    for (const StateId start : starts) frontier.push(0, start);
    frontier.advance();
    run_levels(
        crew, budget_, [this] { return RunStatus{.states = first_.access.size()}; },
        [&](unsigned i) { expand_level(i, crew, frontier, wanted, allowed); },
        [&] { return crew.stopped() ? NextLevel::over : frontier.advance(); });
    const auto [before, end] = last_.load();
    if (end == no_state && !budget_.reason().empty()) return {};
    if (end == no_state) throw Error(ErrorKind::internal, "a state is not on a cycle, as it should be");
    std::vector<StateId> ids{end};
    for (StateId id = before;; id = from_[id]) {
      ids.push_back(id);
      if (from_[id] == id) break;
    }
    std::reverse(ids.begin(), ids.end());
    return ids;
  }

  template <class Wanted, class Allowed>
  void expand_level(unsigned i, Crew& crew, Frontier& frontier, const Wanted& wanted,
                    const Allowed& allowed) {
    auto& [worker, batch] = *scouts_[i];
    const auto look_up = [&, &worker = worker, &batch = batch] {
      batch.find_in(worker.access, [&](StateId from, StateId to, const std::byte*) {
        if (to == no_state) return true;
        if (wanted(to)) {
          last_ = LastStep{from, to};  // all that are found in this level are as near
          crew.stop();
          return false;
        }
        StateId none = no_state;
        if (std::atomic_ref(from_[to]).compare_exchange_strong(none, from, std::memory_order_relaxed))
          frontier.push(i, to);
        return true;
      });
    };
    frontier.visit([&, &worker = worker, &batch = batch](StateId id) {
      worker.graph.successors(worker.access.state(id), [&](const Step& step) {
        if (!step.state || !allowed(worker, step.state)) return;
        if (batch.full()) look_up();
        batch.add(worker.access, step.state, id);
      });
      return !crew.stopped();
    });
    if (!crew.stopped()) look_up();
    batch.clear();
  }

  Worker& first_;
  std::vector<StateId> from_;  // by state: the one before it on the way; a start has itself
  Budget& budget_;
  std::vector<std::unique_ptr<Scout>> scouts_;
  std::atomic<LastStep> last_;
};

/// The end of a search by many workers on one table that found an accepting state on a cycle (no_state:
/// none): adds up what the workers counted and fills in the rest of the result.
template <class Workers, class Table>
void conclude_search(StateId found, const Workers& workers, const Table& table, LassoResult& result,
                     Budget& budget) {
  for (const auto& worker : workers) {
    result.transitions += worker->transitions;
    result.expansions += worker->expansions;
    result.model_errors |= worker->model_errors;
    if (worker->table_full) budget.exhaust(full_table_reason(table.size()));
  }
  result.states = table.size();
  if (found != no_state) {
    result.end = SearchEnd::satisfied;
    result.lasso = LassoBuilder(workers, table.number_bound(), budget).through(found);
  } else if (budget.reason().empty()) {
    result.end = SearchEnd::complete;
  }
}

}  // namespace tideline
