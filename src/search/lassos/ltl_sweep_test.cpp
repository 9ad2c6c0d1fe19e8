// LTL-Sweep in all its variants on random graphs with random measures, against the oracle.
#include "search/lassos/ltl_sweep.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "testing/ltl_sweep.hpp"
#include "testing/skip_case.hpp"

namespace tideline {
namespace {

using namespace test;

LassoResult search_with(const MeasuredGraph& graph, const LtlSweepOptions& options, std::uint64_t few = 0) {
  Budget budget;
  LtlSweep search(graph,
                  {.log = scratch_log(),
                   .column_shift = columns_of(graph),
                   .threads = options.across.threads,
                   .few = few,
                   .settle_in = few + 1},
                  options);
  return search.run(budget);
}

RC_GTEST_PROP(LtlSweep, FindsAnAcceptingCycleIffThereIsOne, (std::uint64_t first_seed, bool weak)) {
  const LtlSweepOptions options = arbitrary_options();
  const auto few = *rc::gen::element<std::uint64_t>(0, 0, 1, 3, 128);
  for (std::uint64_t seed = first_seed; seed != first_seed + 40; ++seed) {
    const MeasuredGraph graph = random_measured(seed, weak);
    const LassoResult result = search_with(graph, options, few);
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
    LtlSweep search(graph, {.threads = options.across.threads, .few = seed % 3, .settle_in = 3}, options);
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

// What threads record is put together, whatever they have found and however often the states are dealt out anew. Only
// the search across layers can find a cycle over several.
TEST(LtlSweep, ThreadsMissNoCycleAcrossLayers) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const MeasuredGraph graph = random_measured(seed, seed % 2 == 0);
    Budget budget;
    LtlSweep search(graph,
                    {.column_shift = columns_of(graph),
                     .threads = 2 + static_cast<unsigned>(seed % 7),
                     .few = seed / 7 % 3,
                     .settle_in = 1},
                    {.online = seed / 21 % 2 == 0, .owners = false});
    ASSERT_EQ(search.run(budget).end, oracle_states(graph) ? SearchEnd::satisfied : SearchEnd::complete)
        << seed;
  }
}

// A cycle near the beginning of one huge layer is found long before all of the layer has been seen.
TEST(LtlSweep, ThreadsLookAtALayerWhileTheyExpandIt) {
  constexpr std::uint32_t nodes = 200'000;
  MeasuredGraph graph;
  graph.initial_nodes = {0};
  graph.accepting_nodes = {1};
  graph.measure.assign(nodes, 7);
  graph.edges.resize(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n)
    for (std::uint32_t child = 2 * n + 1; child <= 2 * n + 2 && child < nodes; ++child)
      graph.edges[n].push_back({.action = 0, .target = child});
  graph.edges[1].push_back({.action = 0, .target = 0});
  for (const unsigned threads : {1u, 2u, 4u}) {
    Budget budget;
    LtlSweep search(graph, {.threads = threads, .few = 0}, {});
    EXPECT_EQ(search.run(budget).end, SearchEnd::satisfied);
    EXPECT_LT(search.figures().sweep.expansions, nodes / 4) << threads;
  }
}

/// The same graph as if nothing were known of the automaton.
MeasuredGraph without_regions(MeasuredGraph graph) {
  graph.regions.clear();
  graph.is_weak = false;
  return graph;
}

void expect_as_published(const MeasuredGraph& graph, bool online) {
  Budget budget;
  LtlSweep search(graph, {.log = scratch_log()}, as_published(online));
  const LassoResult result = search.run(budget);
  ASSERT_EQ(result.end, oracle_states(graph) ? SearchEnd::satisfied : SearchEnd::complete);
  if (result.end == SearchEnd::complete) return;
  std::uint32_t marks = 0;
  bool accepting = false;
  ASSERT_TRUE(result.lasso && is_lasso(graph, *result.lasso, marks, accepting) && accepting);
}

// The corrections without which some of these are wrong: as printed, Alg. 3 leaves old labels on persistent
// states (on-line), and leaves a layer while it has states whose label has changed (lines 24 to 34).
TEST(LtlSweep, AsPublishedFindsAnAcceptingCycleIffThereIsOne) {
  for (std::uint64_t seed = 0; seed < 4000 && !HasFatalFailure(); ++seed) {
    const MeasuredGraph graph = without_regions(random_measured(seed, seed % 2 == 0));
    for (const bool online : {true, false}) {
      SCOPED_TRACE(std::to_string(seed) + (online ? " on-line" : " off-line"));
      expect_as_published(graph, online);
    }
  }
}

// Every persistent state is a candidate: all of them at once off-line, each once on-line.
TEST(LtlSweep, AsPublishedStartsFromAllPersistentStates) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    MeasuredGraph graph = without_regions(random_measured(seed, false));
    graph.accepting_nodes.clear();
    for (const bool online : {true, false}) {
      Budget budget;
      LtlSweep search(graph, {}, as_published(online));
      search.run(budget);
      EXPECT_EQ(search.figures().candidates, search.figures().sweep.persistent) << seed;
    }
  }
}

// As printed, Alg. 2 line 33 makes every state behind the line a root of the next sweep, stored or not, and
// there would be no last sweep of a cycle.
TEST(LtlSweep, OnlyStatesThatAreNotStoredBecomeRoots) {
  MeasuredGraph graph;
  graph.edges = {{{0, 1}}, {{0, 0}}};
  graph.initial_nodes = {0};
  graph.measure = {0, 1};
  Budget budget;
  const auto in_bounds = [](const LayerReport& report) {
    if (report.sweep > 2) throw std::runtime_error("there are only two sweeps");
  };
  LtlSweep search(graph, {.on_layer = in_bounds}, as_published(false));
  EXPECT_EQ(search.run(budget).end, SearchEnd::complete);
  EXPECT_EQ(search.figures().sweep.sweeps, 2u);
}

// As printed, Alg. 3 line 33 deletes the destinations of the states of a layer and keeps these: states that
// wait are met as new ones again, and nothing is forgotten. Here 2 is met from layers 0 and 1.
TEST(LtlSweep, TheSearchAcrossLayersExpandsWhatWaitsOnce) {
  MeasuredGraph graph;
  graph.edges = {{{0, 1}, {1, 2}}, {{0, 2}}, {{0, 0}}};
  graph.initial_nodes = {0};
  graph.measure = {0, 1, 2};
  Budget budget;
  LtlSweep search(graph, {}, as_published(false));
  EXPECT_EQ(search.run(budget).end, SearchEnd::complete);
  EXPECT_EQ(search.figures().passes, 1u);
  EXPECT_EQ(search.figures().across_expansions, 3u);
}

TEST(LtlSweep, TheSearchAcrossLayersForgetsWhatItsLineHasPassed) {
  constexpr std::uint32_t length = 50;
  MeasuredGraph ring;
  for (std::uint32_t n = 0; n < length; ++n) {
    ring.edges.push_back({{0, (n + 1) % length}});
    ring.measure.push_back(n);
  }
  ring.initial_nodes = {0};
  Budget budget;
  LtlSweep search(ring, {}, as_published(false));
  EXPECT_EQ(search.run(budget).end, SearchEnd::complete);
  EXPECT_EQ(search.figures().across_expansions, length);
  EXPECT_EQ(search.figures().stored_peak, 3u) << "the persistent state, one at the line, one ahead of it";
}

// As printed, Alg. 2 lines 40 to 44 let a red search enter a persistent state that was searched in an earlier
// sweep, and walk on over states that nobody stores. 0 leads to 1, behind which come the roots of the second
// sweep, 2 -> 3 and 4; from 4 one comes to 5 and back to 6, the root of the third, which accepts and leads to 2.
TEST(LtlSweep, RedSearchesStayWithinTheSweep) {
  MeasuredGraph graph;
  graph.edges = {{{0, 1}}, {{0, 2}, {1, 4}}, {{0, 3}}, {}, {{0, 5}}, {{0, 6}}, {{0, 2}}};
  graph.initial_nodes = {0};
  graph.accepting_nodes = {6};
  graph.measure = {0, 2, 1, 1, 1, 2, 1};
  Budget budget;
  LtlSweep search(graph, {}, as_published(false));
  EXPECT_EQ(search.run(budget).end, SearchEnd::complete);
  EXPECT_EQ(search.figures().sweep.sweeps, 3u);
  EXPECT_EQ(search.figures().red_expansions, 1u);
}

// On-line (section 5.1) the search across layers must not enter the roots of the sweep to come: what leads
// back from there is not persistent yet. 0 -> 1 -> 2, which is a root, -> 3 -> 4, which is the next, -> 5 -> 6.
TEST(LtlSweep, SearchesAcrossLayersDoNotEnterTheNextRoots) {
  MeasuredGraph graph;
  graph.edges = {{{0, 1}}, {{0, 2}}, {{0, 3}}, {{0, 4}}, {{0, 5}}, {{0, 6}}, {}};
  graph.initial_nodes = {0};
  graph.measure = {0, 5, 1, 5, 2, 6, 3};
  Budget budget;
  LtlSweep search(graph, {}, as_published(true));
  EXPECT_EQ(search.run(budget).end, SearchEnd::complete);
  EXPECT_EQ(search.figures().sweep.sweeps, 4u);
  // 2 -> 3, then 4 -> 5, then 6: no state twice, and nothing after the first sweep.
  EXPECT_EQ(search.figures().across_expansions, 5u);
}

// A larger label reaches a state of the layer that was expanded with a smaller one: 1, not on the cycle, leads to 3,
// and 2 -> 4 -> 3 -> 2 is the cycle. 3 must be expanded once more to pass on the label of 2.
TEST(LtlSweep, LargerLabelsArePassedOnWithinALayer) {
  MeasuredGraph graph;
  graph.edges = {{{0, 1}, {1, 2}}, {{0, 3}}, {{0, 4}}, {{0, 2}}, {{0, 3}}};
  graph.initial_nodes = {0};
  graph.accepting_nodes = {2};
  graph.measure = {3, 0, 1, 2, 2};
  for (const bool moves_back : {true, false}) {
    LtlSweepOptions options = as_published(false);
    options.across.line_moves_back = moves_back;
    EXPECT_EQ(search_with(graph, options).end, SearchEnd::satisfied);
  }
}

// An accepting state 0 leads to the cycle 1 -> 2 -> 1, in which 2 is accepting. 1 is stored before 0 is
// searched, because the layer before leads to it. Were it skipped for that, as Alg. 2 line 30 has it, the red
// search from 0 would paint the cycle before it is searched.
TEST(LtlSweep, NestedSearchEntersStatesThatAnEarlierLayerStored) {
  MeasuredGraph graph;
  graph.edges = {{{0, 1}}, {{0, 2}}, {{0, 1}}, {{0, 0}, {1, 1}}};
  graph.initial_nodes = {3};
  graph.accepting_nodes = {0, 2};
  graph.measure = {1, 1, 1, 0};
  const LassoResult result = search_with(graph, {.nested = true});
  EXPECT_EQ(result.end, SearchEnd::satisfied);
}

// As Alg. 3 is printed, labels of an earlier search stay on persistent states outside P, and stop those of later
// searches from spreading.
TEST(LtlSweep, OnlineSearchesStartWithoutOldLabels) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const MeasuredGraph graph = random_measured(seed, false);
    LtlSweepOptions options{.online = true, .suspects = false, .owners = false, .prune = false};
    options.across = {.method = AcrossMethod::mpp, .line_moves_back = true, .order = CandidateOrder::found};
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
