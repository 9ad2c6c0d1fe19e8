// The reachable states as a graph in a file: DOT for drawing, Aldebaran (.aut) for other tools.
#pragma once

#include <string>

#include "search/core/state_graph.hpp"

namespace tideline {

/// `des (0, transitions, states)` and one line per transition. Failures are left out: the format has no
/// transitions without a target.
std::string to_aut(const System& system, const StateGraph& graph);

/// Nodes show the values that differ from the initial state; failures lead to a node `error`.
std::string to_dot(const System& system, const StateGraph& graph);

}  // namespace tideline
