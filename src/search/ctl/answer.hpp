// The answer of a sweep, or of the search for cycles that follows it, for AG EF goal and AG AF goal.
//
// First comes one sweep for all formulas (sweep.hpp). Where a step decreases progress, what it has not
// found violated is left to others: AG AF goal to a search for a cycle that avoids the goal
// (search/lassos/ltl_sweep.hpp), AG EF goal to layers on disk (layers.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "run/budget.hpp"
#include "search/core/observer.hpp"
#include "search/ctl/sweep.hpp"

namespace tideline {

struct CtlAnswer {
  Verdict verdict = Verdict::unknown;
  std::string reason = {};  ///< why unknown, or what the run does not show
  /// When violated: the path to a state from which the goal cannot be reached, or a lasso that avoids it.
  PathBuilder run = {};
};

/// The answer when nothing was found: it holds if the search was complete.
inline CtlAnswer not_violated(SearchEnd end, bool model_errors, const Budget& budget) {
  if (end != SearchEnd::complete) return {Verdict::unknown, budget.reason()};
  if (model_errors) return {Verdict::unknown, not_followed_reason};
  return {Verdict::holds};
}

/// `run`: nothing when none is wanted, or when the budget ended before it was found.
inline CtlAnswer violated_by(std::optional<Path> run, const Budget& budget) {
  if (run) return {Verdict::violated, {}, PathBuilder(std::move(*run))};
  if (budget.reason().empty()) return {Verdict::violated};
  return {Verdict::violated, "the run was not built: " + budget.reason()};
}

/// The answer of the sweep, which has ended, for its goal number `which`; unknown for a goal that is not
/// violated when a claim was broken.
template <ProgressGraph G, class P>
CtlAnswer sweep_answer(const AlwaysSweep<G, P>& search, SearchEnd end, std::size_t which, const G& graph,
                       const AlwaysGoal<P>& goal, DeadlockPaths paths, std::shared_ptr<TraceLog> log,
                       Budget& budget) {
  const AlwaysFinding& finding = search.finding(which);
  if (!finding.violated) return not_violated(end, search.met_errors(), budget);
  if (goal.kind == AlwaysForm::Kind::possible || !finding.run) return {Verdict::violated, {}, finding.run};
  return violated_by(avoiding_lasso(graph, goal.goal, finding, paths, std::move(log), budget), budget);
}

/// The answer of the search for a cycle that avoids the goal.
inline CtlAnswer cycle_answer(LassoResult end, DeadlockPaths paths, const Budget& budget) {
  if (end.end != SearchEnd::satisfied) return not_violated(end.end, end.model_errors, budget);
  if (end.lasso && paths == DeadlockPaths::maximal) end.lasso = without_repetition(std::move(*end.lasso));
  return violated_by(std::move(end.lasso), budget);
}

}  // namespace tideline
