// For tests of searches for states: a monitor with a property of each kind.
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/states/monitor.hpp"
#include "testing/explicit_graph.hpp"

namespace tideline::test {

using NodeMonitor = Monitor<NodePredicate>;

inline constexpr std::size_t watched = 4;

/// Property 0 is decided at the node, 1 in a deadlock, 2 by a model error, 3 at every third node.
inline NodeMonitor watching(const ExplicitGraph& graph, std::uint32_t target, bool exhaustive) {
  NodeMonitor monitor(watched, graph.action_count(), exhaustive);
  monitor.watch(0, is_node(target), true);
  monitor.watch_deadlocks(1);
  monitor.watch_errors(2);
  monitor.watch(3, {[](std::uint32_t n, ModelErrorKind&) { return n % 3 == 2; }}, true);
  return monitor;
}

}  // namespace tideline::test
