// For tests: explicit graphs with a progress measure given node by node.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "graph/progress.hpp"
#include "store/trace_log.hpp"
#include "testing/explicit_graph.hpp"

namespace tideline::test {

struct MeasuredGraph : ExplicitGraph {
  std::vector<Progress> measure = {};  ///< by node

  Progress progress(const std::byte* state) const { return measure[node(state)]; }
  Progress at(std::uint32_t n) const { return measure[n]; }
};
static_assert(ProgressGraph<MeasuredGraph>);

enum class MeasureKind { arbitrary, monotone, nearly_monotone };

/// Monotone: the largest value among predecessors and the node's own, computed as a fixed point.
inline void make_monotone(MeasuredGraph& graph) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t n = 0; n < graph.edges.size(); ++n)
      for (const Edge& edge : graph.edges[n])
        if (graph.measure[edge.target] < graph.measure[n]) {
          graph.measure[edge.target] = graph.measure[n];
          changed = true;
        }
  }
}

inline void give_measure(MeasuredGraph& graph, MeasureKind kind) {
  const auto values = *rc::gen::inRange<Progress>(1, 12);
  const Progress scale = *rc::gen::element<Progress>(1, 256, Progress{1} << 40);
  for (std::uint32_t n = 0; n < graph.edges.size(); ++n)
    graph.measure.push_back(*rc::gen::resize(1000, rc::gen::inRange<Progress>(0, values)) * scale);
  if (kind == MeasureKind::arbitrary) return;
  make_monotone(graph);
  if (kind == MeasureKind::monotone) return;
  for (Progress& value : graph.measure)
    if (*rc::gen::inRange(0, 8) == 0) value = *rc::gen::inRange<Progress>(0, values) * scale;
}

inline MeasureKind arbitrary_kind() {
  return *rc::gen::element(MeasureKind::arbitrary, MeasureKind::monotone, MeasureKind::nearly_monotone);
}

inline MeasuredGraph arbitrary_measured_graph(MeasureKind kind) {
  MeasuredGraph graph{arbitrary_graph()};
  give_measure(graph, kind);
  return graph;
}

inline std::shared_ptr<TraceLog> scratch_log() {
  return std::make_shared<TraceLog>(std::filesystem::temp_directory_path());
}

}  // namespace tideline::test
