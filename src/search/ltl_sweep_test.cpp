// LTL-Sweep in all its variants on random graphs with random measures, against the oracle.
#include "search/ltl_sweep.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "search/lasso_oracle.hpp"
#include "search/measured_graph.hpp"

namespace tideline {
namespace {

using namespace test;

constexpr unsigned column_shift = 4;

bool has_columns(const MeasuredGraph& graph) {
  for (std::uint32_t n = 0; n < graph.edges.size(); ++n)
    for (const Edge& edge : graph.edges[n])
      if (graph.at(edge.target) >> column_shift < graph.at(n) >> column_shift) return false;
  return true;
}

MeasuredGraph random_measured(std::uint64_t seed, bool weak) {
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
    for (Progress& value : graph.measure) value = value << column_shift | below(6);
  }
  return graph;
}

LtlSweepOptions arbitrary_options() {
  const auto flag = [] { return *rc::gen::arbitrary<bool>(); };
  LtlSweepOptions options;
  options.online = flag();
  options.suspects = flag();
  options.owners = flag();
  options.prune = flag();
  options.across.method = *rc::gen::element(AcrossMethod::combined, AcrossMethod::levels,
                                            AcrossMethod::trimming, AcrossMethod::mpp);
  options.across.line_moves_back = flag();
  options.across.order_by_progress = flag();
  return options;
}

RC_GTEST_PROP(LtlSweep, finds_an_accepting_cycle_iff_there_is_one, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const MeasuredGraph graph = random_measured(seed, *rc::gen::arbitrary<bool>());
  const LtlSweepOptions options = arbitrary_options();
  Budget budget;
  const unsigned shift = has_columns(graph) && *rc::gen::arbitrary<bool>() ? column_shift : 64;
  LtlSweep search(graph, {.log = scratch_log(), .column_shift = shift}, options);
  const LassoResult result = search.run(budget);
  const bool expected = oracle_states(graph);
  RC_ASSERT(result.end == (expected ? SearchEnd::satisfied : SearchEnd::complete));
  RC_ASSERT(result.lasso.has_value() == expected);
  if (!expected) return;
  std::uint32_t marks = 0;
  bool accepting = false;
  RC_ASSERT(is_lasso(graph, *result.lasso, marks, accepting));
  RC_ASSERT(accepting);
}

}  // namespace
}  // namespace tideline
