// Regions: what the shape of a property automaton says about cycles, known before any search.
//
// A cycle of the product projects to a cycle of the automaton, so it stays within one strongly connected
// component (SCC) of it. SCCs that carry every acceptance mark on their inner edges are the regions; no
// accepting cycle passes anywhere else. Engines therefore follow cycles only within a region, and:
//
//   weak      every inner edge of a region carries every mark: in a region any cycle is accepting
//   terminal  and in every location of a region some inner edge is always enabled: whatever enters a region
//             is accepted. The property is a safety property, and entering a region is its violation.
#pragma once

#include <cstdint>
#include <vector>

#include "model/system.hpp"

namespace tideline {

using Region = std::uint32_t;
/// The region of places through which no accepting cycle passes.
inline constexpr Region no_region = 0;

struct Regions {
  std::vector<Region> of = {};  ///< by location; from 1 on
  /// By location: the number of its SCC in an order in which no edge leads to a smaller one.
  std::vector<std::uint32_t> rank = {};
  std::uint32_t ranks = 0;  ///< they are below this
  bool weak = false;
  bool terminal = false;
};

Regions regions_of(const PropertyProcess& property);

/// As if the shape said nothing: the whole automaton is one region, and it is not weak. Algorithms then run as
/// their papers print them.
Regions one_region(const PropertyProcess& property);

/// Whether the automaton can get to where it accepts nothing any more: its runs may end long after their words
/// were decided.
bool has_dead_ends(const PropertyProcess& property);

}  // namespace tideline
