// SpreadProduct: the states of a product with a Büchi automaton on one device, or spread over several, and what is on an
// accepting cycle there.
//
// Accepting cycles stay within regions (graph/regions.hpp). Once all states are there, those in regions are trimmed in rounds
// (OWCTY: search/lassos/owcty.hpp has the same algorithm for threads, and the papers):
//
//   keep    what can be reached from accepting states that are left, and count for each state the steps that lead there
//   remove  states to which no step leads, and with them their own steps, and so on
//
// until a round removes nothing. Every state that is left then can be reached from an accepting one, and every accepting
// one has a predecessor that is left; so going backwards never ends, meets accepting states again and again, and closes a
// cycle. And an accepting cycle is never removed. A step from one region to another is counted like any other: no cycle
// has one, and the argument does not need them apart.
//   Where the automaton is weak any cycle in a region is accepting, so all states there count as accepting, and one round
// decides.
//
// The counters lie beside the table. A state that is left is expanded twice a round.
//
// Several devices. A counter lies where its state does, and nobody else touches it: a step to another device's state is sent
// there as that state, and counted when it is received. So each step is counted once, wherever it comes from. `keep` and
// `remove` are searches like the one for states, with levels, and end as that one does (spread_space.hpp): no device has states
// left and no list has any. Only then does the next of them begin, when all steps of the one before have been counted.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/product_space.hpp"
#include "gpu/spread_space.hpp"

namespace tideline::gpu {

class SpreadProduct {
 public:
  /// `acceptance`, `weak`: see ProductSpace.
  SpreadProduct(const System& product, ErrorSemantics errors, const Watches& watches,
                const Measure& acceptance, bool weak, const Space::Options& options);

  /// Without trimming.
  SpreadSpace& space() { return space_; }

  /// Once all states are there. Returns whether there is an accepting cycle. Throws LimitReached.
  bool trim(Budget& budget);
  std::uint64_t rounds() const { return rounds_; }
  /// How many states have been expanded for that.
  std::uint64_t expanded() const { return expanded_; }

  /// After trim() was true.
  Path lasso(Budget& budget);

 private:
  struct TasksEnd;

  std::uint64_t keep(Collect from, Budget& budget);
  std::uint64_t remove(Budget& budget);
  /// Goes on from candidates of this kind. Returns how many states that are in the end.
  std::uint64_t spread(Collect from, Task task, Budget& budget);
  void step_given_up();
  Predecessor predecessor_kept(const std::vector<std::byte>& state, StatePlace& place);

  const bool weak_;
  std::vector<ProductSpace*> parts_;  // those of the space
  SpreadSpace space_;
  std::uint64_t states_ = 0, transitions_ = 0;  ///< of the product
  std::uint64_t expanded_ = 0, rounds_ = 0;
};

}  // namespace tideline::gpu
