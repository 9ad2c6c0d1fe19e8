// Approach: a path to a set of states, found backwards and walked forwards.
//
// X_0 is the target; X_t adds states of a given set from which a step leads into X_(t-1): all of them at
// first, so that the path is a shortest one, and when that becomes slow the predecessors by one event after
// the other, each of all that is known so far (there may then be more steps than needed, but a chain of
// independent steps is passed in one go). When the first state is in X_t, the path is walked by an explicit
// stepper, one state at a time: from a state of X_t some step leads into an earlier set.
//
// Invariants: each set is a part of the next, and they are all different.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "run/outcome.hpp"
#include "symbolic/space/relations.hpp"

namespace tideline::symbolic {

/// How long to look for a shortest path.
struct Patience {
  std::uint64_t nodes = 50'000;  ///< to make at most
  std::size_t steps = 2'000;
};

/// A step that can be taken from the last state of a path.
struct Move {
  ActionId action;
  std::vector<std::byte> state;
  std::vector<Index> vector;
};

void take(Path& path, Move move);

/// Runs on the stack of the caller.
class Approach {
 public:
  /// To the targets over states of `within`; both sets are of the top level, and learnt.
  Approach(Relations& relations, NodeId targets, NodeId within, const Patience& patience = {});

  /// Adds sets until one of the states is in the last.
  void meet(std::span<const std::vector<Index>> states);

  /// The number of the first set that a state is in.
  std::optional<std::size_t> first_with(std::span<const Index> state) const {
    return first_with(state, known_.size());
  }

  /// Makes a path longer, from its last state, which is in some set, to the targets. `moves` finds the steps
  /// from there, except those to unknown states.
  void walk(Path& path, std::span<const Index> last, const std::function<std::vector<Move>()>& moves) const;

 private:
  NodeId last() const { return known_.back().id(); }
  bool add(NodeId set);
  std::optional<std::size_t> first_with(std::span<const Index> state, std::size_t before) const;
  bool extend();
  bool extend_by_events(const std::function<bool()>& met);

  Relations& relations_;
  Sets& sets_;
  Forest& forest_;
  Patience patience_;
  Forest::Root within_;
  Forest::Root fresh_;  ///< what the last set adds to the one before
  std::vector<Forest::Root> known_;
  std::uint64_t made_ = 0;  ///< nodes
};

}  // namespace tideline::symbolic
