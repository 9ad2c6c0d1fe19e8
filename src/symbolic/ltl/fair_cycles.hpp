// Fair cycles: is there a cycle through an accepting state, in a set of product states?
//
// It gives the exact answer, for sets of any level: below the top, the levels above stay as they are, and
// only events with their Top at the set's level or below are steps.
//
// hull() after Emerson and Lei (1986): of the set, again and again only those states stay that have a
// successor from which an accepting state of the set can be reached. What is left is empty exactly when there
// is no such cycle, and has all of them otherwise.
//
// scc() walks down from SCC to SCC: of some state of the hull, those states that it reaches and is reached
// from. If none of them is accepting, or it is alone and not its own successor, the next one is an accepting
// state that it reaches and that cannot come back.
#pragma once

#include "symbolic/ltl/space.hpp"
#include "symbolic/space/saturation.hpp"

namespace tideline::symbolic {

class FairCycles {
 public:
  explicit FairCycles(LtlSpace& space)
      : space_(space),
        relations_(space.relations()),
        sets_(space.sets()),
        forest_(space.forest()),
        forward_(relations_),
        backward_(relations_) {}

  /// The relations know all steps between states of the region.
  NodeId hull(NodeId region);
  /// An SCC that has an accepting state and at least one step, of a hull that is not empty.
  NodeId scc(NodeId hull);

  /// The states of `within` that have a successor in the set.
  NodeId predecessors(NodeId set, NodeId within);
  /// The states of `within` from which the set, a part of it, is reached; or which it reaches.
  NodeId backward(NodeId set, NodeId within) { return backward_.saturate(set, within); }
  NodeId forward(NodeId set, NodeId within) { return forward_.saturate(set, within); }
  /// The set of one state out of a set of any level.
  NodeId one_of(NodeId set);

 private:
  LtlSpace& space_;
  Relations& relations_;
  Sets& sets_;
  Forest& forest_;
  Saturation<Direction::forward, true> forward_;
  Saturation<Direction::backward, true> backward_;
};

}  // namespace tideline::symbolic
