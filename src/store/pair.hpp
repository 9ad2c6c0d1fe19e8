// Pairs of numbers: what a state is in a tree of its parts (tree_table.hpp).
#pragma once

#include <cstdint>

#include "store/state_table.hpp"

namespace tideline {

/// Two numbers: the left one in the lower half.
using Pair = std::uint64_t;

inline Pair pair_of(StateId left, StateId right) {
  return Pair{right} << 32 | left;
}
inline StateId left_of(Pair pair) {
  return static_cast<StateId>(pair);
}
inline StateId right_of(Pair pair) {
  return static_cast<StateId>(pair >> 32);
}

struct PairHash {
  [[gnu::always_inline]] std::uint64_t operator()(Pair pair) const {
    std::uint64_t mixed = (pair ^ pair >> 32) * 0x9FB21C651E98DF25u;
    mixed = (mixed ^ mixed >> 29) * 0xD6E8FEB86659FD93u;
    return mixed ^ mixed >> 32;
  }
};

}  // namespace tideline
