// LTL-Sweep in all its variants on random graphs with random measures, against the oracle.
#include "search/lassos/ltl_sweep.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "testing/ltl_sweep.hpp"
#include "testing/skip_case.hpp"

namespace tideline {
namespace {

using namespace test;

LassoResult search_with(const MeasuredGraph& graph, const LtlSweepOptions& options) {
  Budget budget;
  LtlSweep search(
      graph, {.log = scratch_log(), .column_shift = columns_of(graph), .threads = options.across.threads},
      options);
  return search.run(budget);
}

RC_GTEST_PROP(LtlSweep, FindsAnAcceptingCycleIffThereIsOne, (std::uint64_t first_seed, bool weak)) {
  const LtlSweepOptions options = arbitrary_options();
  for (std::uint64_t seed = first_seed; seed != first_seed + 40; ++seed) {
    const MeasuredGraph graph = random_measured(seed, weak);
    const LassoResult result = search_with(graph, options);
    const bool expected = oracle_states(graph);
    RC_ASSERT(result.end == (expected ? SearchEnd::satisfied : SearchEnd::complete));
    RC_ASSERT(result.lasso.has_value() == expected);
    if (!expected) continue;
    std::uint32_t marks = 0;
    bool accepting = false;
    RC_ASSERT(is_lasso(graph, *result.lasso, marks, accepting));
    RC_ASSERT(accepting);
  }
}

RC_GTEST_PROP(LtlSweep, StoresAndVisitsWhatAPlainSweepDoes, (std::uint64_t first_seed, bool weak)) {
  LtlSweepOptions options = arbitrary_options();
  for (std::uint64_t seed = first_seed; seed != first_seed + 20; ++seed) {
    const MeasuredGraph graph = random_measured(seed, weak);
    if (test::skip_case(oracle_states(graph))) continue;
    Bystander bystander;
    Budget budget;
    SweepSearch plain(graph, {});
    plain.run(bystander, budget);
    LtlSweep search(graph, {}, options);
    search.run(budget);
    const LtlSweepFigures& figures = search.figures();
    RC_ASSERT(figures.sweep.expansions == plain.figures().expansions);
    RC_ASSERT(figures.sweep.stored_peak == plain.figures().stored_peak);
    RC_ASSERT(figures.sweep.persistent == plain.figures().persistent);
    // The search across layers keeps the same persistent states and what is not behind its line.
    RC_ASSERT(figures.stored_peak <= std::max(plain.figures().stored_peak, graph.edges.size()));
    if (figures.sweep.sweeps == 1) RC_ASSERT(figures.across_expansions == 0u);
  }
}

// An accepting state 0 leads to the cycle 1 -> 2 -> 1, in which 2 is accepting. 1 is stored before 0 is
// searched, because the layer before leads to it. Were it skipped for that, the red search from 0 would paint
// the cycle before it is searched.
TEST(LtlSweep, NestedSearchEntersStatesThatAnEarlierLayerStored) {
  MeasuredGraph graph;
  graph.edges = {{{0, 1}}, {{0, 2}}, {{0, 1}}, {{0, 0}, {1, 1}}};
  graph.initial_nodes = {3};
  graph.accepting_nodes = {0, 2};
  graph.measure = {1, 1, 1, 0};
  const LassoResult result = search_with(graph, {.nested = true});
  EXPECT_EQ(result.end, SearchEnd::satisfied);
}

// As in the paper, except that the labels of persistent states are removed before every search: otherwise
// they would stop those of later searches from spreading.
TEST(LtlSweep, OnlineSearchesStartWithoutOldLabels) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const MeasuredGraph graph = random_measured(seed, false);
    LtlSweepOptions options{.online = true, .suspects = false, .owners = false, .prune = false};
    options.across = {.method = AcrossMethod::mpp, .line_moves_back = true, .order_by_progress = false};
    Budget budget;
    LtlSweep search(graph, {}, options);
    const SearchEnd end = search.run(budget).end;
    ASSERT_EQ(end, oracle_states(graph) ? SearchEnd::satisfied : SearchEnd::complete) << seed;
  }
}

TEST(LtlSweep, EndsWhenTheBudgetDoes) {
  struct Steps : ManySteps {
    Progress progress(const std::byte*) const { return 0; }
  };
  std::atomic<bool> interrupted = false;
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  LtlSweep search(Steps{{&interrupted}}, {}, {});
  EXPECT_EQ(search.run(budget).end, SearchEnd::exhausted);
  EXPECT_EQ(budget.reason(), "interrupted");
}

}  // namespace
}  // namespace tideline
