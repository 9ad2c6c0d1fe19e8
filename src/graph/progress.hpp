// Progress: how far a state has come, as one number.
//
// A progress measure maps states to values with a total order; the sweep-line method explores states in that
// order and forgets those it has left behind. Values are 64-bit numbers: a measure that is a tuple packs its
// parts so that numbers compare as tuples do (progress/measure.hpp).
//
// Any value is allowed for any state. The better the order agrees with the direction in which the system
// moves, the more can be forgotten; a transition to a smaller value is a *regress edge*, and a measure without
// any is *monotone*.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "graph/graph.hpp"

namespace tideline {

using Progress = std::uint64_t;

/// A graph that also measures its states.
template <class G>
concept ProgressGraph = Graph<G> && requires(G& graph, const std::byte* state) {
  { graph.progress(state) } -> std::convertible_to<Progress>;
};

}  // namespace tideline
