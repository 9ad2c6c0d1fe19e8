// Two questions of branching time, which most others come down to:
//
//   always_possible(graph, goal)     AG EF goal: from every reachable state the goal can be reached
//   always_inevitable(graph, goal)   AG AF goal: on every run the goal is met, again and again for ever
//
// `goal` is a predicate of packed states. A deadlock is taken to repeat for ever.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "run/budget.hpp"
#include "search/ctl_labelling.hpp"
#include "search/ctl_run.hpp"

namespace tideline {

struct CtlAnswer {
  Verdict verdict = Verdict::unknown;
  std::string reason = {};  ///< why unknown, or what the run does not show
  /// When violated: the way to a state from where the goal cannot be reached, or a lasso that avoids it.
  PathBuilder run = {};
};

namespace detail {

template <class Goal>
struct GoalPredicate {
  Goal goal;
  std::int64_t evaluate(const std::byte* state, ModelErrorKind&) const { return goal(state) ? 1 : 0; }
};

/// !E(true U !E(true U goal)), !E(true U EG !goal); atom 0 is the goal.
inline CtlFormula always(AlwaysForm::Kind kind) {
  using Op = CtlFormula::Op;
  CtlFormula formula;
  formula.atom_names = {"goal"};
  if (kind == AlwaysForm::Kind::possible)
    formula.nodes = {{Op::true_},   {Op::atom, 0},  {Op::eu, 0, 1},
                     {Op::not_, 2}, {Op::eu, 0, 3}, {Op::not_, 4}};
  else
    formula.nodes = {{Op::true_}, {Op::atom, 0}, {Op::not_, 1}, {Op::eg, 2}, {Op::eu, 0, 3}, {Op::not_, 4}};
  return formula;
}

template <Graph G, class Goal>
CtlAnswer check_always(AlwaysForm::Kind kind, G& graph, Goal goal, Budget& budget) {
  StoredGraph stored(graph.state_size());
  if (!stored.build(graph, budget)) return {Verdict::unknown, budget.reason()};
  const std::vector<GoalPredicate<Goal>> goals{{std::move(goal)}};
  auto atoms = atom_sets(stored, goals, budget);
  if (!atoms) return {Verdict::unknown, budget.reason()};
  const CtlFormula formula = always(kind);
  CtlLabels labels(stored, formula, DeadlockPaths::stutter, std::move(atoms->sets));
  if (!labels.evaluate(budget)) return {Verdict::unknown, budget.reason()};
  for (const StateId initial : stored.initial()) {
    if (labels.is(formula.root(), initial, true)) continue;
    if (!labels.is(formula.root(), initial, false)) return {Verdict::unknown, not_followed_reason};
    const auto run = ctl_run(labels, initial, false, budget);
    if (!run) return {Verdict::violated, budget.reason()};
    return {Verdict::violated, run->remark, [path = ctl_path(graph, stored, *run)] { return path; }};
  }
  return {Verdict::holds};
}

}  // namespace detail

template <Graph G, class Goal>
CtlAnswer always_possible(G graph, Goal goal, Budget::Limits limits = {}) {
  Budget budget(std::move(limits));
  return detail::check_always(AlwaysForm::Kind::possible, graph, std::move(goal), budget);
}

template <Graph G, class Goal>
CtlAnswer always_inevitable(G graph, Goal goal, Budget::Limits limits = {}) {
  Budget budget(std::move(limits));
  return detail::check_always(AlwaysForm::Kind::inevitable, graph, std::move(goal), budget);
}

}  // namespace tideline
