// LassoBuilder: from a state on a cycle to a lasso, for searches that find such a state and keep no runs.
//
// It makes two breadth-first searches over states that are already in the table: from the state back to
// itself, and from the initial states to the nearest state of that cycle. Both paths are shortest; the second
// search temporarily takes four bytes per state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "model/error.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/core/observer.hpp"
#include "search/core/run_through.hpp"
#include "search/lassos/lasso_search.hpp"
#include "store/state_table.hpp"

namespace tideline {

/// `Table` finds states and knows an upper bound of their numbers.
template <Graph G, class Table>
class LassoBuilder {
 public:
  LassoBuilder(G& graph, Table& table, std::uint64_t number_bound, Budget& budget)
      : graph_(graph), table_(table), from_(number_bound, no_state), budget_(budget) {}

  /// The lasso whose cycle passes through the state, which must lie on one. Nothing when the budget ends.
  std::optional<Path> through(StateId state) {
    const std::vector<StateId> cycle = way({state}, [&](StateId id) { return id == state; });
    if (cycle.empty()) return std::nullopt;

    std::vector<StateId> sorted = cycle;
    std::sort(sorted.begin(), sorted.end());
    const auto on_cycle = [&](StateId id) { return std::binary_search(sorted.begin(), sorted.end(), id); };
    std::fill(from_.begin(), from_.end(), no_state);
    std::vector<StateId> starts;
    graph_.initial([&](const std::byte* s) {
      if (const StateId id = table_.find(s, table_.hash(s)); id != no_state) starts.push_back(id);
    });
    std::vector<StateId> ids;
    if (const auto at = std::find_if(starts.begin(), starts.end(), on_cycle); at != starts.end())
      ids = {*at};
    else
      ids = way(starts, on_cycle);
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
      path = run_through(graph_, table_, ids, budget_);
    } catch (const LimitReached&) {
      return std::nullopt;
    }
    path.states.pop_back();  // the one at index `loop` again
    path.loop = loop;
    return path;
  }

 private:
  /// The states of a shortest way of one or more steps from one of `starts` to a wanted state,
  /// both ends included.
  template <class Wanted>
  std::vector<StateId> way(const std::vector<StateId>& starts, const Wanted& wanted) {
    std::vector<StateId> queue = starts;
    for (const StateId start : starts) from_[start] = start;
    StateId last = no_state, before_last = no_state;
    std::uint64_t transitions = 0;
    for (std::size_t next = 0; next < queue.size() && last == no_state; ++next) {
      const StateId id = queue[next];
      graph_.successors(table_.state(id), [&](const Step& step) {
        if (transitions++ % poll_every == 0 && budget_.exhausted({.states = table_.size()})) return;
        if (!step.state || last != no_state) return;
        const StateId to = table_.find(step.state, table_.hash(step.state));
        if (to == no_state) return;
        if (wanted(to)) {
          last = to;
          before_last = id;
        } else if (from_[to] == no_state) {
          from_[to] = id;
          queue.push_back(to);
        }
      });
      if (!budget_.reason().empty()) return {};
    }
    if (last == no_state) throw Error(ErrorKind::internal, "a state is not on a cycle, as it should be");
    std::vector<StateId> ids{last};
    for (StateId id = before_last;; id = from_[id]) {
      ids.push_back(id);
      if (from_[id] == id) break;
    }
    std::reverse(ids.begin(), ids.end());
    return ids;
  }

  G& graph_;
  Table& table_;
  std::vector<StateId> from_;  // by state: the one before it on the way; a start has itself
  Budget& budget_;
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
    auto& worker = *workers.front();
    result.end = SearchEnd::satisfied;
    result.lasso = LassoBuilder(worker.graph, worker.access, table.number_bound(), budget).through(found);
  } else if (budget.reason().empty()) {
    result.end = SearchEnd::complete;
  }
}

}  // namespace tideline
