// The hash of a packed state: 64 bits of XXH3, inlined.
//
// Every table takes its bits from this one value: the top for the segment, the middle for the bucket, the
// bottom for the tag. A hash for tables is any type like StateHash; tests use bad ones on purpose.
#pragma once

#define XXH_INLINE_ALL
#define XXH_FORCE_MEMORY_ACCESS 1  // reads that the compiler takes for what they are, and does put in line
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tideline {

struct StateHash {
  std::uint64_t operator()(const std::byte* state, std::size_t bytes) const {
    // Hides from the compiler what the pointer points to: where it sees a small array it warns of the
    // branches of XXH3 for longer input, not knowing that they are not taken.
    asm("" : "+r"(state));
    return XXH3_64bits(state, bytes);
  }
};

/// Whether two packed states are the same. States are short: whole words compared in line beat a call.
inline bool same_state(const std::byte* a, const std::byte* b, std::size_t bytes) {
  std::uint64_t x, y;
  if (bytes < sizeof x) return std::memcmp(a, b, bytes) == 0;
  const std::size_t last = bytes - sizeof x;
  for (std::size_t i = 0; i < last; i += sizeof x) {
    std::memcpy(&x, a + i, sizeof x);
    std::memcpy(&y, b + i, sizeof y);
    if (x != y) return false;
  }
  std::memcpy(&x, a + last, sizeof x);
  std::memcpy(&y, b + last, sizeof y);
  return x == y;
}

}  // namespace tideline
