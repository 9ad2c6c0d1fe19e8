// Values numbered without gaps, in their order.
//
// Samples have thousands of values, of which often few are different, and measures are tried on them again and again. So
// they are told apart by a table of hashes, and only the different ones are sorted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tideline {

struct Ranked {
  std::vector<std::uint32_t> ranks = {};   ///< of all values, in the order in which they came
  std::vector<std::uint64_t> values = {};  ///< by rank, ascending
};

Ranked ranked(std::span<const std::uint64_t> values);

}  // namespace tideline
