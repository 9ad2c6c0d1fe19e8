// For tests: a graph of known size whose layers grow and shrink.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>

#include "graph/progress.hpp"

namespace tideline::test {

/// Counters that only grow. Their sum is the progress, so layers are small, large and small again.
struct Lattice {
  static constexpr std::size_t dimensions = 4;
  using State = std::array<std::uint8_t, dimensions>;
  State most = {};

  std::size_t state_size() const { return dimensions; }
  Progress progress(const std::byte* state) const {
    const State s = read(state);
    return std::accumulate(s.begin(), s.end(), Progress{0});
  }
  template <class Sink>
  void initial(Sink&& sink) {
    const State zero = {};
    sink(reinterpret_cast<const std::byte*>(zero.data()));
  }
  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    const State here = read(state);
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      if (here[i] == most[i]) continue;
      State next = here;
      ++next[i];
      sink(Step{i, reinterpret_cast<const std::byte*>(next.data())});
    }
  }
  static State read(const std::byte* state) {
    State result;
    std::memcpy(result.data(), state, dimensions);
    return result;
  }
};

}  // namespace tideline::test
