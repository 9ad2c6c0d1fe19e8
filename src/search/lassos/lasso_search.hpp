// Shared by all searches for accepting cycles: what they need of a graph, and their result.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include "graph/graph.hpp"
#include "graph/regions.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/core/observer.hpp"

namespace tideline {

/// A graph with Büchi acceptance on its states, whose accepting cycles lie within regions: see regions.hpp.
template <class G>
concept BuchiGraph = Graph<G> && requires(const G& graph, const std::byte* state) {
  { graph.accepting(state) } -> std::convertible_to<bool>;
  { graph.region(state) } -> std::same_as<Region>;
  { graph.weak() } -> std::convertible_to<bool>;
};

/// The end of a search for an accepting cycle. SearchEnd::satisfied: there is one.
struct LassoResult {
  SearchEnd end = SearchEnd::exhausted;
  std::uint64_t states = 0;        ///< different states that were met
  std::uint64_t transitions = 0;   ///< transitions produced, counted each time a state is expanded
  std::uint64_t expansions = 0;    ///< times a state was expanded
  bool model_errors = false;       ///< some transition ended in a model error, and was not followed
  bool early = false;              ///< a cycle was found before it was known that all states had been met
  std::uint64_t rounds = 0;        ///< elimination rounds or passes, of the engines that have them
  std::optional<Path> lasso = {};  ///< may be missing when the budget ended while it was built
};

}  // namespace tideline
