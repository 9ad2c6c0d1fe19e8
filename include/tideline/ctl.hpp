// Two questions of branching time, to which most others can be reduced:
//
//   always_possible(graph, goal)     AG EF goal: from every reachable state the goal can be reached
//   always_inevitable(graph, goal)   AG AF goal: on every run the goal is met, again and again for ever
//
// `goal` is a predicate of packed states. A deadlock is taken to repeat for ever.
//
// A graph with progress is swept, and few of its states are in memory at a time; what else is needed goes to
// files in default_trace_folder(). One pass answers the question if no step decreases progress, else there
// are some more. Without progress the whole graph is kept in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "graph/progress.hpp"
#include "run/budget.hpp"
#include "search/ctl/answer.hpp"
#include "search/ctl/labelling.hpp"
#include "search/ctl/layers.hpp"
#include "search/ctl/run.hpp"
#include "search/lassos/ltl_sweep.hpp"
#include "store/trace_log.hpp"

namespace tideline {

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

/// AG EF where some step decreases progress.
template <ProgressGraph G, class Goal>
CtlAnswer possible_by_layers(const G& graph, const GoalPredicate<Goal>& goal, SweepOptions options,
                             Budget& budget) {
  const CtlFormula formula = always(AlwaysForm::Kind::possible);
  CtlLayers search(graph, {.sweep = std::move(options), .folder = default_trace_folder()},
                   {{.formula = &formula}}, std::vector{goal});
  const SearchResult end = search.run(budget);
  if (end.end != SearchEnd::complete || search.verdict(0) != Verdict::violated)
    return not_violated(end.end, search.met_errors(), budget);
  auto run = search.run_for(0, budget);
  return violated_by(run ? std::optional(std::move(run->path)) : std::nullopt, budget);
}

/// AG AF where some step decreases progress.
template <ProgressGraph G, class Goal>
CtlAnswer inevitable_by_cycles(const G& graph, const GoalPredicate<Goal>& goal, SweepOptions options,
                               Budget& budget) {
  LtlSweep search(AvoidGraph(graph, goal), std::move(options), LtlSweepOptions{});
  return cycle_answer(search.run(budget), DeadlockPaths::stutter, budget);
}

template <ProgressGraph G, class Goal>
CtlAnswer check_always(AlwaysForm::Kind kind, G& graph, Goal wanted, Budget& budget) {
  const AlwaysGoal<GoalPredicate<Goal>> goal{kind, {std::move(wanted)}};
  SweepOptions options;
  options.log = std::make_shared<TraceLog>(default_trace_folder());
  AlwaysSweep<G, GoalPredicate<Goal>> search(graph, options, {goal});
  const SearchResult end = search.run(budget);
  if (search.finding(0).violated || !search.figures().broken_claim)
    return sweep_answer(search, end.end, 0, graph, goal, DeadlockPaths::stutter, options.log, budget);
  return kind == AlwaysForm::Kind::possible
             ? possible_by_layers(graph, goal.goal, std::move(options), budget)
             : inevitable_by_cycles(graph, goal.goal, std::move(options), budget);
}

template <Graph G, class Goal>
CtlAnswer check_always(AlwaysForm::Kind kind, G& graph, Goal goal, Budget& budget) {
  StoredGraph stored(graph.state_size());
  if (!stored.build(graph, budget)) return {Verdict::unknown, budget.reason()};
  const std::vector<GoalPredicate<Goal>> goals{{std::move(goal)}};
  auto atoms = atom_sets(stored, goals, budget);
  if (!atoms) return {Verdict::unknown, budget.reason()};
  const CtlFormula formula = always(kind);
  CtlLabels labels(stored, formula, DeadlockPaths::stutter, std::move(*atoms));
  if (!labels.evaluate(budget)) return {Verdict::unknown, budget.reason()};
  for (const StateId initial : stored.initial()) {
    if (labels.is(formula.root(), initial, true)) continue;
    if (!labels.is(formula.root(), initial, false)) return {Verdict::unknown, not_followed_reason};
    const auto run = ctl_run(labels, initial, false, budget);
    if (!run) return violated_by(std::nullopt, budget);
    try {
      return {Verdict::violated, run->remark, PathBuilder(ctl_path(graph, stored, *run, budget))};
    } catch (const LimitReached&) {
      return violated_by(std::nullopt, budget);
    }
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
