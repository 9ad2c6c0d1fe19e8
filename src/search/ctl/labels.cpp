#include "search/ctl/labels.hpp"

#include <algorithm>
#include <atomic>

#include "search/core/levels.hpp"

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
      if (budget.exhausted(graph_.status())) return false;
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

BitSet CtlLabels::next(std::size_t side, const BitSet& f, Budget& budget) {
  BitSet result(graph_.size());
  share_out(
      crew_, budget, [this] { return graph_.status(); }, graph_.size(),
      [&](unsigned, std::uint64_t begin, std::uint64_t end) {
        for (auto state = static_cast<StateId>(begin); state < end && !crew_.stopped(); ++state) {
          bool found = side == 1 && graph_.fails(state);
          if (graph_.is_deadlock(state)) found = paths_ == DeadlockPaths::stutter && f.test(state);
          graph_.successors(state, [&](StateId to) { return !(found = found || f.test(to)); });
          if (found) result.set(state);
        }
      });
  return result;
}

template <class First, class Later>
void CtlLabels::work_from(const BitSet& set, Budget& budget, const First& first, const Later& later) {
  Frontier frontier(crew_.workers());
  std::atomic<std::size_t> next_part{0};
  constexpr std::size_t part = 256;  // words
  const auto start = [&](unsigned worker) {
    for (std::size_t p; (p = part * next_part.fetch_add(1)) < set.words().size();)
      set.for_each_in(p, p + part, [&](std::size_t state) {
        first(worker, static_cast<StateId>(state), frontier);
        return !crew_.stopped();
      });
  };
  bool started = false;
  const auto work = [&](unsigned worker) {
    if (!started) return start(worker);
    frontier.visit([&](StateId state) {
      later(worker, state, frontier);
      return !crew_.stopped();
    });
  };
  const auto end_level = [&] {
    started = true;
    return crew_.stopped() ? NextLevel::over : frontier.advance();
  };
  if (graph_.size() > few_states)
    return run_levels(
        crew_, budget, [this] { return graph_.status(); }, work, end_level);
  do work(0);
  while (end_level() != NextLevel::over);
}

BitSet CtlLabels::until(std::size_t side, const BitSet& f, const BitSet& g, Budget& budget) {
  BitSet result = g;
  if (side == 1)
    for (const StateId state : graph_.failing_states())
      if (f.test(state)) result.set(state);
  const auto go_back_from = [&](unsigned worker, StateId state, Frontier& frontier) {
    graph_.predecessors(state, [&](StateId from) {
      if (f.test(from) && result.insert_shared(from)) frontier.push(worker, from);
      return true;
    });
  };
  const BitSet start = result;
  work_from(start, budget, go_back_from, go_back_from);
  return result;
}

BitSet CtlLabels::always(std::size_t side, const BitSet& f, Budget& budget) {
  BitSet result = f;
  std::vector<std::uint32_t> left(graph_.size());  // successors in the set
  work_from(
      f, budget,
      [&](unsigned worker, StateId state, Frontier& gone) {
        graph_.successors(state, [&](StateId to) {
          left[state] += f.test(to) ? 1 : 0;
          return true;
        });
        const bool stays =
            left[state] != 0 || graph_.is_deadlock(state) || (side == 1 && graph_.fails(state));
        if (stays) return;
        result.reset_shared(state);
        gone.push(worker, state);
      },
      [&](unsigned worker, StateId state, Frontier& gone) {
        graph_.predecessors(state, [&](StateId from) {
          if (f.test(from) && std::atomic_ref(left[from]).fetch_sub(1, std::memory_order_relaxed) == 1 &&
              !(side == 1 && graph_.fails(from))) {
            result.reset_shared(from);
            gone.push(worker, from);
          }
          return true;
        });
      });
  return result;
}

std::uint64_t CtlLabels::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& side : sets_)
    for (const BitSet& set : side) bytes += set.memory_bytes();
  return bytes;
}

}  // namespace tideline
