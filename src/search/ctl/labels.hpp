// CTL by labelling: for every subformula the set of states in which it is true.
//
// Subformulas are evaluated bottom-up, each in time linear in the graph (Clarke, Emerson, Sistla: Automatic
// verification of finite-state concurrent systems using temporal logic specifications, 1986):
//   EX f        a successor has f
//   E(f U g)    backward reachability: from the states with g, over states with f
//   EG f        of the states with f, those without a successor in the set go until all have one; how many
//               each has left is counted, so that every transition is looked at once. Deadlocks stay.
//
// The threads of the graph share the work: EX by parts of the states, the others level by level, where a level
// is what the last one has put in or thrown out (search/core/levels.hpp).
//
// Model errors. What follows an action that ends in one is not known, so that a subformula has one of three
// values in a state, kept as two sets: where it is certainly true, and where it is possibly true. Negation
// exchanges them. A state with such an action has, for the second set, a successor in which anything may be
// true. Without such actions the two sets are one.
//
// Invariant: certain(n) is a subset of possible(n).
#pragma once

#include <array>
#include <vector>

#include "model/ctl_formula.hpp"
#include "run/budget.hpp"
#include "search/core/bit_set.hpp"
#include "search/core/crew.hpp"
#include "search/core/stored_graph.hpp"

namespace tideline {

class CtlLabels {
 public:
  using NodeId = CtlFormula::NodeId;

  /// atoms[i] has the states in which atom i is true. The graph and the formula must outlive the labels.
  CtlLabels(StoredGraph& graph, const CtlFormula& formula, DeadlockPaths paths, std::vector<BitSet> atoms)
      : graph_(graph), formula_(formula), paths_(paths), atoms_(std::move(atoms)), crew_(graph.threads()) {}

  /// False: the budget ended it. Throws std::bad_alloc.
  bool evaluate(Budget& budget);

  const StoredGraph& graph() const { return graph_; }
  const CtlFormula& formula() const { return formula_; }
  DeadlockPaths paths() const { return paths_; }

  const BitSet& certain(NodeId node) const { return sets_[0][node]; }
  const BitSet& possible(NodeId node) const { return sets_[sides() - 1][node]; }
  /// Whether the subformula certainly has this value in this state.
  bool is(NodeId node, StateId state, bool value) const {
    return value ? certain(node).test(state) : !possible(node).test(state);
  }

  std::uint64_t memory_bytes() const;

 private:
  std::size_t sides() const { return graph_.met_errors() ? 2 : 1; }
  BitSet compute(std::size_t side, const CtlFormula::Node& node, Budget& budget);
  BitSet next(std::size_t side, const BitSet& f, Budget& budget);
  BitSet until(std::size_t side, const BitSet& f, const BitSet& g, Budget& budget);
  BitSet always(std::size_t side, const BitSet& f, Budget& budget);
  /// Calls first(worker, state, frontier) for the states of a set, and then, level by level, later(worker,
  /// state, frontier) for what was pushed there.
  template <class First, class Later>
  void work_from(const BitSet& set, Budget& budget, const First& first, const Later& later);
  StoredGraph& graph_;
  const CtlFormula& formula_;
  DeadlockPaths paths_;
  std::vector<BitSet> atoms_;
  std::array<std::vector<BitSet>, 2> sets_;  // [0] certain, [1] possible where that is not the same
  Crew crew_;
};

}  // namespace tideline
