// For tests of CTL with the sweep-line: random goals, formulas and measures for random graphs and systems.
#pragma once

#include <rapidcheck.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "progress/measure.hpp"
#include "search/ctl/sweep.hpp"
#include "testing/ctl_systems.hpp"
#include "testing/measured_graph.hpp"

namespace tideline::test {

using testing::random_ctl;
using Kind = AlwaysForm::Kind;

using Labels = std::vector<bool>;

inline NodePredicate labelled(const Labels& labels) {
  return {[labels](std::uint32_t n, ModelErrorKind&) { return labels[n]; }};
}

/// Rare or frequent: both make for violations, of different kinds.
inline Labels arbitrary_labels(std::size_t nodes) {
  const int one_in = *rc::gen::element(1, 2, 3, 8, 30);
  const bool rare = *rc::gen::arbitrary<bool>();
  Labels labels;
  for (std::size_t n = 0; n < nodes; ++n) labels.push_back((pick(0, one_in) == 0) == rare);
  return labels;
}

inline CtlFormula core_of(const std::string& text) {
  CtlPool pool;
  return ctl_core(pool, parse_ctl(pool, {"", text}));
}

struct Goals {
  std::vector<Labels> labels = {};
  std::vector<AlwaysGoal<NodePredicate>> goals = {};

  void add(Kind kind, Labels goal) {
    goals.push_back({kind, labelled(goal)});
    labels.push_back(std::move(goal));
  }
};

inline Goals arbitrary_goals(const MeasuredGraph& graph) {
  Goals goals;
  const int count = pick(1, 6);
  for (int i = 0; i < count; ++i)
    goals.add(*rc::gen::element(Kind::possible, Kind::inevitable), arbitrary_labels(graph.edges.size()));
  return goals;
}

/// A random formula, and the predicates for its atoms.
struct Formula {
  CtlPool pool = {};
  Ctl written;
  CtlFormula core;
  std::vector<NodePredicate> atoms = {};
};

inline Formula arbitrary_formula(const std::vector<Labels>& labels, DeadlockPaths paths) {
  Formula formula;
  formula.written = random_ctl(formula.pool, pick(1, 7), names);
  const Ctl f = pick(0, 2) == 1 ? simplify(formula.pool, formula.written, paths) : formula.written;
  formula.core = ctl_core(formula.pool, f);
  for (const std::string& name : formula.core.atom_names)
    formula.atoms.push_back(labelled(labels[name == names[0] ? 0 : 1]));
  return formula;
}

/// x measured by these values of the states.
inline Measure measure_of(const System& system, const std::vector<Progress>& values, bool claimed) {
  std::map<Progress, std::vector<std::int32_t>> groups;
  for (std::size_t state = 0; state < values.size(); ++state)
    groups[values[state]].push_back(static_cast<std::int32_t>(state));
  std::vector<std::vector<std::int32_t>> order;
  for (auto& [value, group] : groups) order.push_back(std::move(group));
  MeasureTerm term = slot_term(system, 0, std::move(order));
  term.monotone = claimed;
  return Measure(system, {term});
}

inline std::vector<Progress> arbitrary_measure(const Structure& structure, bool monotone) {
  MeasuredGraph graph;
  for (const auto& targets : structure.next) {
    auto& edges = graph.edges.emplace_back();
    for (const std::uint32_t to : targets) edges.push_back({0, to});
    graph.measure.push_back(pick<Progress>(0, 6));
  }
  if (monotone) make_monotone(graph);
  return graph.measure;
}

inline Ctl arbitrary_written(CtlPool& pool) {
  if (pick(0, 3) != 0) return random_ctl(pool, pick(1, 7), names);
  const Ctl goal = pool.atom(names[pick<std::size_t>(0, 2)]);
  return pool.unary(CtlOp::ag, pool.unary(pick(0, 2) == 1 ? CtlOp::ef : CtlOp::af, goal));
}

}  // namespace tideline::test
