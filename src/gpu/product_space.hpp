// ProductSpace: the states of a product with a weak automaton on a device, and what is on a cycle there.
//
// In a weak automaton every cycle within a region (graph/regions.hpp) is accepting, and no cycle leaves a region. So there is an
// accepting run if and only if the states in regions have a cycle among them. That is found out by trimming (OWCTY: K. Fisler,
// R. Fraer, G. Kamhi, M. Vardi, Z. Yang: Is there a best symbolic cycle-detection algorithm?, TACAS 2001; here with counters): each
// state in a region has a counter of the steps that lead there from states in regions, beside its place in the table. States
// whose counter is 0 are taken away, and with them their steps, and so on. What is left over has a predecessor that is left
// over, so that going backwards from any such state comes to a cycle; and if there is a cycle, it is left over.
//
// A state is expanded three times at most: when the product is built, when steps are counted, and when it is taken away.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/space.hpp"

namespace tideline::gpu {

class ProductSpace : public Space {
 public:
  ProductSpace(const System& product, ErrorSemantics errors, const Measure& region_measure,
               const Options& options);

  std::uint64_t bytes() const override;

  /// Once all states are there. Returns whether there is a cycle in a region. Throws LimitReached.
  bool trim(Budget& budget);
  std::uint64_t rounds() const { return rounds_; }
  std::uint64_t taken_away() const { return taken_away_; }

  /// After trim() was true.
  Path lasso(Budget& budget);

 private:
  static Options with_measure(Options options, const Measure& measure);
  void run_through(Mode mode, const Word* source, std::uint64_t count);
  void list_candidates();
  void count_steps(Budget& budget);
  void take_away(Budget& budget);
  /// Expands a list, which may grow.
  void expand_list(Word* list, std::uint64_t count, Task task, Budget& budget);
  void step_given_up(Task task);
  Predecessor predecessor_left(const std::vector<std::byte>& state);
  std::uint64_t position(const Word* list, std::uint64_t count, const std::vector<std::byte>& state);

  Search found_;  ///< the numbers when all states were found
  DeviceMemory candidates_, taken_, counters_;
  std::uint64_t candidate_count_ = 0, taken_away_ = 0, left_ = 0, rounds_ = 0;
  std::vector<std::vector<std::byte>> stepped_;  ///< candidates that the host has stepped
};

}  // namespace tideline::gpu
