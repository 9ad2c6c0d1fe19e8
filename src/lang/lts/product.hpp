// The product of a network of LTSs as one LTS, with all states that it reaches from its initial one.
//
// It is for parts of a model that are small enough to be built before the rest, so that they
// can be minimised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lang/lts/composition.hpp"
#include "lang/lts/lts.hpp"

namespace tideline::lts {

struct ProductLimits {
  std::size_t states = 0;
  std::size_t transitions = 0;
  std::uint64_t tries = 0;  ///< of a vector in a state
};

struct Product {
  Lts lts;                         ///< state 0 is the initial one, and others follow in the order of a BFS
  std::string_view exceeded = {};  ///< the limit that was hit: "states"; the LTS is then incomplete
  std::uint64_t limit = 0;
};

/// The components move by the vectors, whose parts are numbers of `components`; `labels` names their labels.
Product product(std::span<const Lts* const> components, const std::vector<SyncVector>& vectors,
                const Labels& labels, const ProductLimits& limits);

}  // namespace tideline::lts
