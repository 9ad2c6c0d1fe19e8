// What the searches for accepting cycles have in common: their result, and the counting and polling.
#pragma once

#include <cstdint>
#include <optional>

#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/observer.hpp"

namespace tideline {

/// The end of a search for an accepting cycle. SearchEnd::satisfied: there is one.
struct LassoResult {
  SearchEnd end = SearchEnd::exhausted;
  std::uint64_t states = 0;       ///< different states that were met
  std::uint64_t transitions = 0;  ///< transitions produced, again for every time a state was expanded
  std::uint64_t expansions = 0;   ///< times a state was expanded
  bool model_errors = false;      ///< some transition ended in a model error, and was not followed
  std::optional<Path> lasso = {};
};

}  // namespace tideline
