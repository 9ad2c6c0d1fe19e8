// StateSearch: what an engine for states is given, and where it stores its result.
//
//     void search_dfs(StateSearch& search) {
//       search.with_graph([&](const auto& graph) {
//         DepthFirstSearch dfs(graph, ExactMarks(SegmentedTable<>(graph.state_size())), search.bounds());
//         search.result = dfs.run(search.monitor, search.budget);
//       });
//       search.set_counts();
//     }
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "exec/predicate.hpp"
#include "graph/factory.hpp"
#include "run/outcome.hpp"
#include "search/core/observer.hpp"
#include "search/states/monitor.hpp"
#include "search/states/safety.hpp"

namespace tideline {

class StateSearch {
 public:
  const System& system;
  const SafetyOptions& options;
  Monitor<Predicate>& monitor;  ///< watches, and ends the search when everything is decided
  Budget& budget;
  Outcome& outcome;                                    ///< for statistics, and the sizes of levels
  std::shared_ptr<const por::StubbornSets> reduction;  ///< nothing: none

  SearchResult result = {};
  bool visited_once = false;        ///< no state was expanded twice
  bool keeps_states = true;         ///< memory holds the visited states
  std::string sampled = {};         ///< why a search that saw only a part of the states proves nothing
  std::string cut_off_remark = {};  ///< added to the reason when the depth bound was reached
  /// What other processes have added, when several search together.
  std::uint64_t reduced_elsewhere = 0;     ///< states in which enabled actions were left out
  std::uint64_t peak_bytes_elsewhere = 0;  ///< highest resident memory of one of them

  /// Calls use(graph) with the graph of the system.
  template <class Use>
  void with_graph(Use&& use) const {
    tideline::with_graph(system, {options.errors, reduction}, std::forward<Use>(use));
  }

  SearchOptions bounds() const { return {options.traces, options.depth}; }

  void set(Stat stat, Statistics::Value value) const { outcome.statistics.set(stat, std::move(value)); }

  /// Whether states without a successor are those where no action is enabled.
  bool knows_deadlocks() const { return !reduction || reduction->preserved().deadlocks; }

  /// For a search that visited every state once.
  void set_counts() {
    visited_once = true;
    set("states", result.states);
    set("transitions", result.transitions);
    if (knows_deadlocks()) set("deadlocks", result.deadlocks);
    set("depth", result.depth);
  }
};

/// For a sweep that has stored its result.
void report_sweep(StateSearch& search, const SweepFigures& figures);
/// For a search that has taken the place of a sweep with one layer.
void report_one_layer(StateSearch& search);

}  // namespace tideline
