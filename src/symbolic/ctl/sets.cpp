#include "symbolic/ctl/sets.hpp"

#include "symbolic/diagrams/keys.hpp"
#include "symbolic/space/facts.hpp"

namespace tideline::symbolic {

CtlSets::CtlSets(StateSpace& space)
    : space_(space),
      forest_(space.forest()),
      formulas_(space.system(), space.levels(), space.sets()),
      saturation_(space.relations()),
      deadlocks_(forest_.root(symbolic::deadlocks(space.relations(), space.reachable()))),
      failing_(forest_.root(empty)) {
  for (const auto& [action, states] : failures(space.relations(), all()))
    failing_.set(space.sets().unite(failing_.id(), states.id()));
}

NodeId CtlSets::satisfying(const Expr& expr) {
  std::string key;
  write_key(expr, key);
  if (const auto found = atoms_.find(key); found != atoms_.end()) return found->second.id();
  const NodeId result = formulas_.satisfying(all(), expr);
  atoms_.emplace(std::move(key), forest_.root(result));
  return result;
}

template <class Compute>
NodeId CtlSets::remembered(Operator op, Side side, NodeId f, NodeId g, const Compute& compute) {
  const Key key{op, met_errors() ? side : Side::certain, f, g};
  if (const auto found = results_.find(key); found != results_.end()) return found->second.result.id();
  Remembered entry{{forest_.root(f), forest_.root(g)}, {}};
  entry.result = forest_.root(compute());
  return results_.emplace(key, std::move(entry)).first->second.result.id();
}

NodeId CtlSets::next(Side side, NodeId f, DeadlockPaths paths) {
  const bool stutter = paths == DeadlockPaths::stutter;
  return remembered(stutter ? Operator::next_stutter : Operator::next_maximal, side, f, empty, [&] {
    Kept result(forest_, space_.relations().predecessors(f, all()));
    if (stutter) {
      const Kept ended(forest_, space_.sets().intersect(f, deadlocks()));
      result.set(space_.sets().unite(result.id(), ended.id()));
    }
    if (side == Side::possible) result.set(space_.sets().unite(result.id(), failing()));
    return result.id();
  });
}

NodeId CtlSets::until(Side side, NodeId f, NodeId g) {
  return remembered(Operator::until, side, f, g, [&] {
    Kept goal(forest_, g);
    if (side == Side::possible) {
      const Kept open(forest_, space_.sets().intersect(f, failing()));
      goal.set(space_.sets().unite(goal.id(), open.id()));
    }
    return close(f, goal.id());
  });
}

/// The states of f from which the goal is reached over states of f, and the goal. Saturation is for long
/// paths; where most states are already found, a few backward steps from all of them at once are cheaper.
NodeId CtlSets::close(NodeId f, NodeId goal) {
  if (goal == empty) return empty;
  Sets& sets = space_.sets();
  const Kept within(forest_, sets.unite(f, goal));
  if (2 * sets.count(goal) < sets.count(within.id())) return saturation_.saturate(goal, within.id());
  Kept result(forest_, goal), fresh(forest_, goal);
  while (fresh.id() != empty) {
    const Kept rest(forest_, sets.subtract(within.id(), result.id()));
    fresh.set(space_.relations().predecessors(fresh.id(), rest.id()));
    result.set(sets.unite(result.id(), fresh.id()));
  }
  return result.id();
}

NodeId CtlSets::staying(Side side, NodeId f) {
  Sets& sets = space_.sets();
  Kept result(forest_, sets.intersect(f, deadlocks()));
  const Kept unchanged(forest_, space_.relations().unchanged(f));
  result.set(sets.unite(result.id(), unchanged.id()));
  if (side == Side::possible) {
    const Kept open(forest_, sets.intersect(f, failing()));
    result.set(sets.unite(result.id(), open.id()));
  }
  return result.id();
}

NodeId CtlSets::always(Side side, NodeId f) {
  return remembered(Operator::always, side, f, empty, [&] {
    const Kept ends(forest_, staying(side, f));
    const Kept ending(forest_, close(f, ends.id()));
    const Kept rest(forest_, space_.sets().subtract(f, ending.id()));
    const Kept round(forest_, shrink(rest.id()));
    return space_.sets().unite(ending.id(), round.id());
  });
}

/// The greatest part of f in which every state has a successor.
NodeId CtlSets::shrink(NodeId f) {
  Kept result(forest_, f);
  for (NodeId before = empty; before != result.id();) {
    before = result.id();
    result.set(space_.relations().predecessors(before, before));
  }
  return result.id();
}

}  // namespace tideline::symbolic
