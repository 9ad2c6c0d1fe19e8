#include "symbolic/ltl/fair_cycles.hpp"

namespace tideline::symbolic {

NodeId FairCycles::predecessors(NodeId set, NodeId within) {
  Kept sum(forest_, empty);
  if (set == empty || within == empty) return empty;
  for (Level level = 1; level <= forest_.level(within); ++level)
    for (const EventId event : relations_.events_at(level)) {
      const Kept part(forest_, relations_.preimage(set, relations_.events()[event].root, within));
      sum.set(sets_.unite(sum.id(), part.id()));
      if (sum.id() == within) return within;
    }
  return sum.id();
}

NodeId FairCycles::one_of(NodeId set) {
  const std::vector<Index> vector = sets_.pick(set);
  return sets_.single(space_.levels().all().last(vector.size()), vector);
}

NodeId FairCycles::hull(NodeId region) {
  Kept left(forest_, region);
  for (NodeId before = empty; before != left.id();) {
    before = left.id();
    const Kept goal(forest_, space_.accepting(left.id()));
    if (goal.id() == empty) return empty;
    const Kept reaching(forest_, backward(goal.id(), left.id()));
    left.set(predecessors(reaching.id(), left.id()));
  }
  return left.id();
}

NodeId FairCycles::scc(NodeId hull) {
  const Kept goals(forest_, space_.accepting(hull));
  Kept state(forest_, one_of(goals.id()));
  for (;;) {
    const Kept after(forest_, forward(state.id(), hull));
    const Kept before(forest_, backward(state.id(), hull));
    const Kept both(forest_, sets_.intersect(after.id(), before.id()));
    // More than one state, or a step from the state to itself.
    if (both.id() != state.id() || predecessors(state.id(), state.id()) != empty) return both.id();
    const Kept below(forest_, sets_.subtract(after.id(), before.id()));
    const Kept further(forest_, space_.accepting(below.id()));
    state.set(one_of(further.id()));
  }
}

}  // namespace tideline::symbolic
