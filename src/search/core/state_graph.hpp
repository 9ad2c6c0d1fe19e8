// The reachable states of a system and the transitions between them, for graphs small enough for a reader or
// a small tool: the search stops beyond a number of states that the caller gives.
//
// States are numbered in breadth-first order, the initial state is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "exec/reference.hpp"
#include "run/budget.hpp"

namespace tideline {

struct StateGraph {
  struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    ActionId action = 0;
  };
  /// An action that ends in a model error, and so leads nowhere.
  struct Failure {
    std::uint32_t from = 0;
    ActionId action = 0;
    ModelErrorKind error = ModelErrorKind::none;
  };
  std::vector<Values> states;
  std::vector<Edge> edges;  ///< by their source
  std::vector<Failure> failures;
};

/// Nothing when there are more than `max_states` states or the budget ends (its reason() then says so).
std::optional<StateGraph> build_graph(const System& system, ErrorSemantics errors, std::size_t max_states,
                                      Budget& budget);

}  // namespace tideline
