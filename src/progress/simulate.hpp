// Simulates a sweep over a sample: what would the sweep-line method do with this measure?
//
// States are expanded in the order of their layers; a layer is forgotten when it is done. A destination of an
// edge that is not stored at that moment is new: it waits in its layer when that lies ahead, and otherwise,
// behind the line, it is *persistent*: stored for ever, and a root of the next sweep. This is the generalised
// sweep-line method with numbers in place of states. Where the layers are divided into columns that no edge
// goes back to, a column is swept until it is done, and its persistent states go with it.
//
// A sweep that has passed states on disk (store/passed_states.hpp) expands none twice: when it comes to a layer again,
// those that it has expanded there come back into memory, and what waits and is one of them does not wait any more.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "progress/sample.hpp"

namespace tideline {

/// Progress values of the states of a sample, numbered without gaps.
struct Layering {
  std::vector<std::uint32_t> layer = {};  ///< by state
  std::uint32_t count = 0;
  /// By layer, ascending; empty: there is one column.
  std::vector<std::uint32_t> column = {};

  std::uint32_t column_of(std::uint32_t layer_number) const {
    return column.empty() ? 0 : column[layer_number];
  }
};

struct SimulatedSweep {
  std::uint64_t peak = 0;     ///< most states stored at a time
  double mean_stored = 0;     ///< stored states at an expansion, on average
  std::uint64_t visits = 0;   ///< expansions over all sweeps
  std::uint64_t recalls = 0;  ///< states read back from disk, over all sweeps
  std::uint64_t persistent = 0;
  std::uint64_t sweeps = 0;
  bool abandoned = false;  ///< the simulation was given up
};

/// Called after every layer with the figures so far, which only grow: true ends the simulation.
using GiveUp = std::function<bool(const SimulatedSweep&)>;

/// `recalls`: passed states are on disk.
SimulatedSweep simulate_sweep(const Sample& sample, const Layering& layering, const GiveUp& give_up = {},
                              bool recalls = false);

/// Splits the layers by a second value: states are ordered by their layer first, then by `ranks[state]`.
/// Columns do not change.
Layering refine(const Layering& layering, std::span<const std::uint32_t> ranks, std::uint32_t rank_count);
/// The same, with every layer a column.
Layering with_columns(Layering layering);

}  // namespace tideline
