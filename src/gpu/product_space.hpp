// ProductSpace: the states of a product with a Büchi automaton that one device has, all of them or its part, and counters
// of steps beside its table (spread_product.hpp has what is done with them).
//
// Once all states are there, those in regions of the automaton are listed: the candidates. A task then begins with some of
// them and goes on along steps, as the search for states did: with a log of its own, which has room for all candidates, as a
// task meets each of them once at most, and levels of its own. Steps to the states of other devices are sent there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/space.hpp"

namespace tideline::gpu {

class ProductSpace : public Space {
 public:
  /// `acceptance`: 0 for states in no region, 1 in a region, 2 for accepting ones. `weak`: all in regions count as such.
  ProductSpace(const System& product, ErrorSemantics errors, Watches watches, const Measure& acceptance,
               bool weak, const Options& options);

  std::uint64_t bytes() const override;

  /// Once all states are there. Returns how many are in regions. Throws LimitReached.
  std::uint64_t list_candidates();
  /// The candidates of this kind are the first level of a task.
  void begin_task(Task task, Collect from);
  /// Numbers and levels are those of all states again.
  void end_tasks();
  /// Of a state, when there is no task.
  std::uint64_t number_of(const std::vector<std::byte>& state);

 private:
  void run_through(Mode mode, const Word* source, std::uint64_t count);

  std::optional<Search> found_;  ///< while there are tasks: the numbers when all states were found
  Levels found_levels_;
  DeviceMemory candidates_, list_, counters_;
  std::uint64_t candidate_count_ = 0;
};

}  // namespace tideline::gpu
