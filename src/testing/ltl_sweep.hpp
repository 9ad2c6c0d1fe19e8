// For tests: random products with measures, and LTL-Sweep in any of its variants.
#pragma once

#include <rapidcheck.h>

#include <random>

#include "search/lassos/ltl_sweep.hpp"
#include "testing/lasso_oracle.hpp"
#include "testing/measured_graph.hpp"

namespace tideline::test {

inline constexpr unsigned columns = 4;

/// SweepOptions::column_shift for the graph: 64 where the upper bits of the measure are not monotone.
inline unsigned columns_of(const MeasuredGraph& graph) {
  for (std::uint32_t n = 0; n < graph.edges.size(); ++n)
    for (const Edge& edge : graph.edges[n])
      if (graph.at(edge.target) >> columns < graph.at(n) >> columns) return 64;
  return columns;
}

/// A product with a measure: any, monotone, or with monotone upper bits (columns).
inline MeasuredGraph random_measured(std::uint64_t seed, bool weak) {
  MeasuredGraph graph{random_regions(seed, weak)};
  std::mt19937_64 random(seed * 7 + 3);
  const auto below = [&](std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random);
  };
  const std::uint32_t values = 1 + below(10);
  for (std::uint32_t n = 0; n < graph.edges.size(); ++n) graph.measure.push_back(below(values));
  const std::uint32_t kind = below(3);
  if (kind == 1) make_monotone(graph);
  if (kind == 2) {  // columns: the upper bits are monotone
    make_monotone(graph);
    for (Progress& value : graph.measure) value = value << columns | below(6);
  }
  return graph;
}

inline LtlSweepOptions arbitrary_options() {
  const auto flag = [] { return *rc::gen::arbitrary<bool>(); };
  LtlSweepOptions options;
  options.online = flag();
  options.nested = flag();
  options.first_look = *rc::gen::element(1u, 2u, 5u, 512u);
  options.suspects = flag();
  options.owners = flag();
  options.prune = flag();
  options.across.method = *rc::gen::element(AcrossMethod::combined, AcrossMethod::levels,
                                            AcrossMethod::trimming, AcrossMethod::mpp);
  options.across.line_moves_back = flag();
  options.across.order =
      *rc::gen::element(CandidateOrder::progress, CandidateOrder::found, CandidateOrder::bits);
  options.across.threads = *rc::gen::weightedElement<unsigned>({{6, 1}, {1, 2}, {1, 3}});
  return options;
}

}  // namespace tideline::test
