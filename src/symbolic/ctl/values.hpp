// CTL values on decision diagrams: whether formulas are true in the initial state.
//
//     StateSpace space(system, {});
//     space.explore();
//     space.run([&] {
//       CtlSets sets(space);
//       for (const CtlFormula& formula : formulas)
//         verdicts.push_back(ctl_verdict(sets, formula, DeadlockPaths::maximal));
//     });
//
// A formula is given in its core form (model/ctl_formula.hpp): connectives, EX, EU and EG, for which sets.hpp
// has the operations on sets. Only the sets that are needed are computed. What counts in the end is the
// initial state, from which every state of the diagram can be reached: EF g is true there iff the set of g is
// not empty, and connectives are decided by their first operand if possible.
//
// Model errors. As in the explicit engine (search/ctl/labels.hpp): what follows an action that ends in one is
// not known, so a formula has two sets: where it is certainly true, and where it is possibly true. Negation
// exchanges them. Without such actions the two are one.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/ctl_formula.hpp"
#include "run/property.hpp"
#include "symbolic/ctl/sets.hpp"

namespace tideline::symbolic {

/// The value of a formula in the initial state; unknown: it depends on what follows a model error. Throws
/// LimitReached. Runs on the stack of the caller.
Verdict ctl_verdict(CtlSets& sets, const CtlFormula& formula, DeadlockPaths paths);

/// The values of one formula and its parts, computed on demand.
class CtlValues {
 public:
  using Part = CtlFormula::NodeId;

  /// All three must outlive it.
  CtlValues(CtlSets& sets, const CtlFormula& formula, DeadlockPaths paths);

  const CtlFormula& formula() const { return formula_; }
  CtlSets& sets() { return sets_; }
  DeadlockPaths paths() const { return paths_; }

  Verdict verdict();

  /// The states in which a part of the formula is true.
  NodeId set(Side side, Part part);
  /// Whether the part certainly has this value in a reachable state, given by its vector.
  bool is(Part part, bool value, std::span<const Index> state);

 private:
  struct Known {
    std::optional<Forest::Root> set;
    std::optional<bool> initially, somewhere;
  };

  Known& known(Side side, Part part) { return known_[sets_.met_errors() && side == Side::possible][part]; }
  NodeId compute(Side side, Part part);
  /// Whether the part is true in the initial state.
  bool initially(Side side, Part part);
  bool compute_initially(Side side, Part part);
  bool next_to_initial(Side side, Part part);
  /// Whether it is true in some reachable state.
  bool somewhere(Side side, Part part);
  bool compute_somewhere(Side side, Part part);

  CtlSets& sets_;
  const CtlFormula& formula_;
  DeadlockPaths paths_;
  std::array<std::vector<Known>, 2> known_;
};

}  // namespace tideline::symbolic
