#include "symbolic/ctl/values.hpp"

#include "exec/predicate.hpp"
#include "graph/factory.hpp"

namespace tideline::symbolic {

using FormulaOp = CtlFormula::Op;

Verdict ctl_verdict(CtlSets& sets, const CtlFormula& formula, DeadlockPaths paths) {
  return CtlValues(sets, formula, paths).verdict();
}

CtlValues::CtlValues(CtlSets& sets, const CtlFormula& formula, DeadlockPaths paths)
    : sets_(sets), formula_(formula), paths_(paths) {
  for (auto& side : known_) side.resize(formula.nodes.size());
}

Verdict CtlValues::verdict() {
  if (initially(Side::certain, formula_.root())) return Verdict::holds;
  return initially(Side::possible, formula_.root()) ? Verdict::unknown : Verdict::violated;
}

bool CtlValues::is(Part part, bool value, std::span<const Index> state) {
  return sets_.space().sets().contains(set(value ? Side::certain : Side::possible, part), state) == value;
}

// --- sets --------------------------------------------------------------------------------------------------

NodeId CtlValues::set(Side side, Part part) {
  auto& memory = known(side, part).set;
  if (!memory) memory = sets_.space().forest().root(compute(side, part));
  return memory->id();
}

NodeId CtlValues::compute(Side side, Part part) {
  const auto& [op, left, right] = formula_.nodes[part];
  Sets& sets = sets_.space().sets();
  switch (op) {
    case FormulaOp::true_:
      return sets_.all();
    case FormulaOp::atom:
      return sets_.satisfying(formula_.atoms[left]);
    case FormulaOp::not_:
      return sets_.without(set(other(side), left));
    case FormulaOp::and_: {
      const NodeId first = set(side, left);
      return first == empty ? empty : sets.intersect(first, set(side, right));
    }
    case FormulaOp::or_: {
      const NodeId first = set(side, left);
      return first == sets_.all() ? first : sets.unite(first, set(side, right));
    }
    case FormulaOp::ex:
      return sets_.next(side, set(side, left), paths_);
    case FormulaOp::eu: {
      const NodeId goal = set(side, right);
      return sets_.until(side, set(side, left), goal);
    }
    case FormulaOp::eg:
      return sets_.always(side, set(side, left));
  }
  return empty;
}

// --- the initial state ------------------------------------------------------------------------------------

bool CtlValues::initially(Side side, Part part) {
  if (const auto memory = known(side, part).initially) return *memory;
  const bool value = compute_initially(side, part);
  known(side, part).initially = value;
  return value;
}

bool CtlValues::compute_initially(Side side, Part part) {
  const auto& [op, left, right] = formula_.nodes[part];
  StateSpace& space = sets_.space();
  switch (op) {
    case FormulaOp::true_:
      return true;
    case FormulaOp::atom: {
      ModelErrorKind error = ModelErrorKind::none;
      return Predicate(space.system(), space.levels().layout(), formula_.atoms[left])
                 .evaluate(space.levels().initial_state(), error) != 0;
    }
    case FormulaOp::not_:
      return !initially(other(side), left);
    case FormulaOp::and_:
    case FormulaOp::or_: {
      const bool right_first = is_state_formula(formula_, right);
      const bool all = op == FormulaOp::and_;
      if (initially(side, right_first ? right : left) != all) return !all;
      return initially(side, right_first ? left : right);
    }
    case FormulaOp::ex:
      return next_to_initial(side, left);
    case FormulaOp::eu:
      if (formula_.nodes[left].op == FormulaOp::true_) return somewhere(side, part);
      if (initially(side, right)) return true;
      if (!initially(side, left)) return false;
      break;
    case FormulaOp::eg:
      if (!initially(side, left)) return false;
      break;
  }
  const std::vector<Index> zeros(space.levels().top());
  return space.sets().contains(set(side, part), zeros);
}

/// Whether EX of the part is true in the initial state.
bool CtlValues::next_to_initial(Side side, Part part) {
  StateSpace& space = sets_.space();
  bool found = false, dead = true;
  Interpreter interpreter = stepper(space.system());
  interpreter.successors(space.levels().initial_state(), [&](const Step& step) {
    dead = false;
    if (found) return;
    found = step.state ? space.sets().contains(set(side, part), *space.levels().find_vector(step.state))
                       : side == Side::possible;
  });
  return dead ? paths_ == DeadlockPaths::stutter && initially(side, part) : found;
}

// --- some state -------------------------------------------------------------------------------------------

bool CtlValues::somewhere(Side side, Part part) {
  if (const auto memory = known(side, part).somewhere) return *memory;
  const bool value = compute_somewhere(side, part);
  known(side, part).somewhere = value;
  return value;
}

bool CtlValues::compute_somewhere(Side side, Part part) {
  const auto& [op, left, right] = formula_.nodes[part];
  if (op == FormulaOp::or_) return somewhere(side, left) || somewhere(side, right);
  if (op == FormulaOp::eg && sets_.staying(side, set(side, left)) != empty) return true;
  if (op != FormulaOp::eu) return set(side, part) != empty;
  if (somewhere(side, right)) return true;
  if (side == Side::certain || !sets_.met_errors()) return false;
  return sets_.space().sets().intersect(set(side, left), sets_.failing()) != empty;
}

}  // namespace tideline::symbolic
