// ProductSpace: the states of a product with a Büchi automaton on a device, and what is on an accepting cycle there.
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
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/space.hpp"

namespace tideline::gpu {

class ProductSpace : public Space {
 public:
  /// `acceptance`: 0 for states in no region, 1 in a region, 2 for accepting ones.
  ProductSpace(const System& product, ErrorSemantics errors, Watches watches, const Measure& acceptance,
               bool weak, const Options& options);

  std::uint64_t bytes() const override;

  /// Once all states are there. Returns whether there is an accepting cycle. Throws LimitReached.
  bool trim(Budget& budget);
  std::uint64_t rounds() const { return rounds_; }
  /// How many states have been expanded for that.
  std::uint64_t expanded() const { return expanded_; }

  /// After trim() was true.
  Path lasso(Budget& budget);

 private:
  static Options with_measure(Options options, const Measure& measure);
  void run_through(Mode mode, const Word* source, std::uint64_t count);
  void list_candidates();
  std::uint64_t keep(Collect from, Budget& budget);
  std::uint64_t remove(Budget& budget);
  /// Puts the candidates of this kind on the list, and goes on from them. Returns how many there are in the end.
  std::uint64_t spread(Collect from, Task task, Budget& budget);
  void step_given_up();
  Predecessor predecessor_listed(const std::vector<std::byte>& state, std::uint64_t& number);
  std::uint64_t position(const Word* list, std::uint64_t count, const std::vector<std::byte>& state);

  const bool weak_;
  Search found_;  ///< the numbers when all states were found
  DeviceMemory candidates_, list_, counters_;
  std::uint64_t candidate_count_ = 0, expanded_ = 0, rounds_ = 0;
  std::vector<std::uint64_t> list_levels_;       ///< of the list: where each level ends
  std::vector<std::vector<std::byte>> stepped_;  ///< states that the host has stepped for the list
};

}  // namespace tideline::gpu
