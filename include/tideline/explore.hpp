// Visits every reachable state of a graph, or ends at the first one that is looked for.
//
//   const auto all = tideline::explore(graph);
//   const auto found = tideline::sweep(graph, [&](const std::byte* state) { return is_bad(state); });
//   if (found.run) show(found.run());
//
// explore() keeps every state in memory, and its runs are the shortest ones. sweep() needs progress, visits
// states in its order and forgets those that it has left behind. It pays for transitions that decrease
// progress, and gives the right answer with any measure. The run to a state that is looked for comes from a
// log in a temporary file.
//
// Both end when a limit is reached: memory, time, a flag that a signal handler sets. The default is no limit.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "graph/progress.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/states/bfs.hpp"
#include "search/sweep/sweep.hpp"
#include "store/segmented_table.hpp"
#include "store/trace_log.hpp"

namespace tideline {

struct Exploration {
  bool complete = false;     ///< every reachable state was visited
  std::uint64_t states = 0;  ///< visited
  std::uint64_t transitions = 0;
  std::uint64_t deadlocks = 0;
  std::uint64_t stored_peak = 0;  ///< most states in memory at a time
  PathBuilder run = {};           ///< builds the run to the state that was looked for, if it was found
  std::string unfinished = {};    ///< why the limits ended the search, if they did
};

/// Accepts no state: everything is visited.
struct Nowhere {
  bool operator()(const std::byte*) const { return false; }
};

namespace detail {

/// Ends the search in the first state where the predicate is true.
template <class Predicate>
struct Seeker {
  Predicate wanted;
  PathBuilder run = {};

  template <class Locate>
  void on_state(const std::byte* state, const Locate& locate) {
    if (!run && wanted(state)) run = locate();
  }
  template <class Locate>
  void on_step(const Step&, const Locate&) {}
  template <class Locate>
  void on_deadlock(const Locate&) {}
  bool done() const { return static_cast<bool>(run); }

  Exploration result(const SearchResult& search, std::uint64_t stored_peak, const Budget& budget) {
    return {search.end == SearchEnd::complete,
            search.states,
            search.transitions,
            search.deadlocks,
            stored_peak,
            std::move(run),
            budget.reason()};
  }
};

}  // namespace detail

template <Graph G, class Predicate = Nowhere>
Exploration explore(G graph, Predicate wanted = {}, Budget::Limits limits = {}) {
  SegmentedTable<> table(graph.state_size());
  BreadthFirstSearch search(std::move(graph), std::move(table), SearchOptions{});
  detail::Seeker<Predicate> seeker{std::move(wanted)};
  Budget budget(std::move(limits));
  const SearchResult result = search.run(seeker, budget);
  return seeker.result(result, result.states, budget);
}

/// The log, if a state is looked for, lies in default_trace_folder(): $TMPDIR or /var/tmp. Throws Error when
/// there can be none.
template <ProgressGraph G, class Predicate = Nowhere>
Exploration sweep(G graph, Predicate wanted = {}, Budget::Limits limits = {}) {
  SweepOptions options;
  if constexpr (!std::same_as<Predicate, Nowhere>)
    options.log = std::make_shared<TraceLog>(default_trace_folder());
  SweepSearch search(std::move(graph), std::move(options));
  detail::Seeker<Predicate> seeker{std::move(wanted)};
  Budget budget(std::move(limits));
  const SearchResult result = search.run(seeker, budget);
  return seeker.result(result, search.figures().stored_peak, budget);
}

}  // namespace tideline
