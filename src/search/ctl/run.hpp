// The run that goes with a verdict on a CTL formula.
//
// It is the first path of a proof, which is a tree in general (run/ctl_claims.hpp); what it does not show is
// said in words:
//
//     AG p violated       a shortest way to a state without p
//     AF p violated       a lasso without p
//     AG EF p violated    a shortest way to a state, and a remark: from there no p can be reached
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/outcome.hpp"
#include "search/core/run_through.hpp"
#include "search/ctl/labels.hpp"

namespace tideline {

struct CtlRun {
  std::vector<StateId> states;      ///< a repeated deadlock is listed twice
  std::optional<std::size_t> loop;  ///< after the last state comes this one
  std::string remark;               ///< what the run does not show, or nothing
};

/// The run for the formula's value in the state, which must be certain. Nothing: no run shows any of it, or
/// the budget ended before it was found. Throws std::bad_alloc.
std::optional<CtlRun> ctl_run(const CtlLabels& labels, StateId state, bool value, Budget& budget);

/// The run with its states and actions; `graph` is what the stored one was built from. Throws LimitReached.
template <Graph G>
Path ctl_path(G& graph, const StoredGraph& stored, const CtlRun& run, Budget& budget) {
  std::vector<StateId> states = run.states;
  if (run.loop) states.push_back(states[*run.loop]);
  Path path = run_through(graph, stored, states, budget);
  path.loop = run.loop;
  if (run.loop) path.states.pop_back();
  return path;
}

}  // namespace tideline
