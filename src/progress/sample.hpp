// Sample: a part of a state space, kept as numbers, on which measures are tried out.
//
// States are numbers from 0 on; edges lie one after the other, those of a state together. States at the end,
// its fringe, have no edges: where transitions of the others lead. Every slot that takes more than one value
// is a column. That is all that the simulation of a sweep (simulate.hpp) and the search for a measure
// (projection.hpp) look at, so that trying a measure costs no stepping and no hashing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/system.hpp"
#include "run/budget.hpp"

namespace tideline {

struct Sample {
  /// The values of one slot: rank 0 is the smallest value that occurs.
  struct Column {
    SlotId slot = 0;
    std::vector<std::int32_t> values = {};  ///< by rank, ascending
    std::vector<std::uint16_t> ranks = {};  ///< by state
  };

  std::vector<std::uint32_t> initial = {};
  std::vector<std::uint64_t> first_edge = {0};  ///< by state, and one more
  std::vector<std::uint32_t> targets = {};      ///< by edge
  std::vector<ActionId> actions = {};           ///< by edge
  std::vector<Column> columns = {};
  std::size_t expanded = 0;      ///< states below this number have all their edges, the others none
  std::uint64_t lost_edges = 0;  ///< that lead out of it
  std::size_t state_bytes = 0;
  std::vector<std::byte> packed = {};  ///< the system's part of all states, packed

  std::size_t states() const { return first_edge.size() - 1; }
  /// Every reachable state is in it.
  bool complete() const { return expanded == states() && lost_edges == 0; }
  const std::byte* state(std::size_t number) const { return packed.data() + number * state_bytes; }
  std::size_t edges() const { return targets.size(); }
  std::span<const std::uint32_t> targets_of(std::size_t state) const {
    return {targets.data() + first_edge[state], targets.data() + first_edge[state + 1]};
  }
  void add_edge(std::uint32_t target, ActionId action) {
    targets.push_back(target);
    actions.push_back(action);
  }
  /// All edges of the next state have been added.
  void end_state() { first_edge.push_back(targets.size()); }

  /// Makes the columns from the packed states. Slots with more values than a rank can number are left out, and those that
  /// remain when the budget is exhausted.
  void add_columns(const System& system, Budget& budget);

  /// The states with these numbers, their edges, and where these lead as a fringe. Columns keep all values of
  /// this sample; there are no packed states.
  Sample restricted_to(std::vector<std::uint32_t> chosen) const;
};

}  // namespace tideline
