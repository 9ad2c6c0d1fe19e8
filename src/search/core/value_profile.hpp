// ValueProfile: how the values of a variable are spread over the states that were seen.
//
// The entropy, in bits, says how much of a state a variable makes: 0 when it never changes, n when it takes
// 2^n values equally often. Variables that make the states are those to think about first when a model has
// too many of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tideline {

struct ValueProfile {
  static constexpr std::size_t most_top = 8;

  std::uint64_t distinct = 0;  ///< 0: the values were not counted
  double entropy = 0;          ///< in bits
  /// The most frequent values and in how many states they are, the most frequent first; equally frequent
  /// ones in ascending order.
  std::vector<std::pair<std::int32_t, std::uint64_t>> top = {};
};

/// The entropy, in bits, of a distribution that is given by counts.
double entropy_of(std::span<const std::uint64_t> counts);

/// Of these values, which are reordered.
ValueProfile profile_of(std::span<std::int32_t> values);

/// Likewise of fingerprints, which stand for several values at once; there is no `top`.
ValueProfile profile_of(std::span<std::uint64_t> fingerprints);

}  // namespace tideline
