// The operators of CTL on sets of reachable states: EX, EU and EG.
//
//   EX f        the predecessors of f
//   E(f U g)    backward saturation from g within f or g (Zhao, Ciardo: Symbolic CTL model checking of
//               asynchronous systems using constrained saturation, ATVA 2009), or breadth first
//   EG f        first E(f U d), where d has the states with f at which a run can stay for ever: deadlocks and
//               steps that change nothing. What is left of f then has no such states and leads to none; it
//               shrinks to the states that have successors in it until all have.
//
// What deadlocks mean (DeadlockPaths) matters to EX only. Model errors: see values.hpp; on the side of what
// is possibly true, a state in which an action ends in one has a successor in which anything may be true.
//
// Results are remembered by their operands, which are nodes, so that equivalent formulas share them as well.
// Remembered results are kept alive.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "model/ctl_formula.hpp"
#include "symbolic/space/formulas.hpp"
#include "symbolic/space/saturation.hpp"
#include "symbolic/space/state_space.hpp"

namespace tideline::symbolic {

enum class Side : std::uint8_t { certain, possible };

inline Side other(Side side) {
  return side == Side::certain ? Side::possible : Side::certain;
}

class CtlSets {
 public:
  /// The space is explored completely, and outlives this. Runs on the stack of the caller, as do all
  /// member functions.
  explicit CtlSets(StateSpace& space);

  StateSpace& space() { return space_; }
  NodeId all() const { return space_.reachable(); }
  NodeId deadlocks() const { return deadlocks_.id(); }
  /// The states in which some action ends in a model error.
  NodeId failing() const { return failing_.id(); }
  bool met_errors() const { return failing_.id() != empty; }

  NodeId satisfying(const Expr& expr);
  NodeId without(NodeId f) { return space_.sets().subtract(all(), f); }
  NodeId next(Side side, NodeId f, DeadlockPaths paths);
  NodeId until(Side side, NodeId f, NodeId g);
  NodeId always(Side side, NodeId f);
  /// Of a set, the states at which a run can stay for ever: see above.
  NodeId staying(Side side, NodeId f);

 private:
  enum class Operator : std::uint8_t { next_stutter, next_maximal, until, always };
  using Key = std::tuple<Operator, Side, NodeId, NodeId>;
  struct Remembered {
    std::array<Forest::Root, 2> operands;
    Forest::Root result;
  };

  template <class Compute>
  NodeId remembered(Operator op, Side side, NodeId f, NodeId g, const Compute& compute);
  NodeId close(NodeId f, NodeId goal);
  NodeId shrink(NodeId f);

  StateSpace& space_;
  Forest& forest_;
  Formulas formulas_;
  Saturation<Direction::backward, true> saturation_;
  Forest::Root deadlocks_, failing_;
  std::map<std::string, Forest::Root> atoms_;
  std::map<Key, Remembered> results_;
};

}  // namespace tideline::symbolic
