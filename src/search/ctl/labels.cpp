#include "search/ctl/labels.hpp"

#include <algorithm>

namespace tideline {

using FormulaOp = CtlFormula::Op;

bool CtlLabels::evaluate(Budget& budget) {
  const auto needs_predecessors = [](const CtlFormula::Node& n) {
    return n.op == FormulaOp::eu || n.op == FormulaOp::eg;
  };
  if (std::any_of(formula_.nodes.begin(), formula_.nodes.end(), needs_predecessors) &&
      !graph_.need_predecessors(budget))
    return false;
  for (const CtlFormula::Node& node : formula_.nodes)
    for (std::size_t side = 0; side < sides(); ++side) {
      sets_[side].push_back(compute(side, node, budget));
      if (stopped_ || budget.exhausted(graph_.status())) return false;
    }
  return true;
}

BitSet CtlLabels::compute(std::size_t side, const CtlFormula::Node& node, Budget& budget) {
  const auto& sets = sets_[side];
  switch (node.op) {
    case FormulaOp::true_:
      return BitSet(graph_.size(), true);
    case FormulaOp::atom:
      return atoms_[node.left];
    case FormulaOp::not_: {
      BitSet result = sets_[sides() - 1 - side][node.left];
      result.complement();
      return result;
    }
    case FormulaOp::and_: {
      BitSet result = sets[node.left];
      return result &= sets[node.right];
    }
    case FormulaOp::or_: {
      BitSet result = sets[node.left];
      return result |= sets[node.right];
    }
    case FormulaOp::ex:
      return next(side, sets[node.left], budget);
    case FormulaOp::eu:
      return until(side, sets[node.left], sets[node.right], budget);
    case FormulaOp::eg:
      return always(side, sets[node.left], budget);
  }
  return {};
}

bool CtlLabels::go_on(Budget& budget) {
  if (++looked_at_ % poll_every == 0 && budget.exhausted(graph_.status())) stopped_ = true;
  return !stopped_;
}

BitSet CtlLabels::next(std::size_t side, const BitSet& f, Budget& budget) {
  BitSet result(graph_.size());
  for (StateId state = 0; state < graph_.size() && !stopped_; ++state) {
    bool found = side == 1 && graph_.fails(state);
    if (graph_.is_deadlock(state)) found = paths_ == DeadlockPaths::stutter && f.test(state);
    graph_.successors(state, [&](StateId to) {
      found = found || f.test(to);
      return go_on(budget) && !found;
    });
    if (found) result.set(state);
  }
  return result;
}

BitSet CtlLabels::until(std::size_t side, const BitSet& f, const BitSet& g, Budget& budget) {
  BitSet result = g;
  if (side == 1)
    for (const StateId state : graph_.failing_states())
      if (f.test(state)) result.set(state);
  PagedVector<StateId> open;
  const auto go_back_from = [&](StateId state) {
    graph_.predecessors(state, [&](StateId from) {
      if (f.test(from) && !result.test(from)) {
        result.set(from);
        open.push_back(from);
      }
      return go_on(budget);
    });
  };
  const BitSet start = result;
  start.for_each([&](std::size_t state) {
    go_back_from(static_cast<StateId>(state));
    while (!open.empty() && !stopped_) {
      const StateId next_one = open.back();
      open.pop_back();
      go_back_from(next_one);
    }
    return !stopped_;
  });
  return result;
}

BitSet CtlLabels::always(std::size_t side, const BitSet& f, Budget& budget) {
  BitSet result = f;
  std::vector<std::uint32_t> left(graph_.size());  // successors in the set
  PagedVector<StateId> gone;
  f.for_each([&](std::size_t i) {
    const auto state = static_cast<StateId>(i);
    graph_.successors(state, [&](StateId to) {
      left[state] += f.test(to) ? 1 : 0;
      return go_on(budget);
    });
    const bool stays = left[state] != 0 || graph_.is_deadlock(state) || (side == 1 && graph_.fails(state));
    if (!stays) gone.push_back(state);
    return !stopped_;
  });
  for (std::size_t i = 0; i < gone.size(); ++i) result.reset(gone[i]);
  while (!gone.empty() && !stopped_) {
    const StateId state = gone.back();
    gone.pop_back();
    graph_.predecessors(state, [&](StateId from) {
      if (result.test(from) && --left[from] == 0 && !(side == 1 && graph_.fails(from))) {
        result.reset(from);
        gone.push_back(from);
      }
      return go_on(budget);
    });
  }
  return result;
}

std::uint64_t CtlLabels::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& side : sets_)
    for (const BitSet& set : side) bytes += set.memory_bytes();
  return bytes;
}

}  // namespace tideline
