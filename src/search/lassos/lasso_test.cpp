// The searches for accepting cycles against an oracle that computes reachability between all pairs of nodes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "search/lassos/cndfs.hpp"
#include "search/lassos/map.hpp"
#include "search/lassos/ndfs.hpp"
#include "search/lassos/owcty.hpp"
#include "search/lassos/scc.hpp"
#include "store/segmented_table.hpp"
#include "testing/lasso_oracle.hpp"

namespace tideline {
namespace {

using namespace test;

static_assert(BuchiGraph<ExplicitGraph> && MarkedGraph<ExplicitGraph>);

using Table = SegmentedTable<>;

LassoResult nested(const ExplicitGraph& graph, NestedVariant variant = NestedVariant::improved) {
  Budget budget;
  return NestedDepthFirstSearch(graph, Table(graph.state_size()), variant).run(budget);
}

LassoResult sccs(const ExplicitGraph& graph) {
  Budget budget;
  return SccSearch(graph, Table(graph.state_size())).run(budget);
}

/// Between 2 and 8.
unsigned several_threads(std::uint64_t seed) {
  return 2 + static_cast<unsigned>(seed % 7);
}

RC_GTEST_PROP(MapSearch, AgreesWithTheOracle, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 9; ++i) {
    const ExplicitGraph graph = random_shape(seed + i);
    for (const unsigned threads : {1u, several_threads(seed)})
      for (const WorkOrder order : {WorkOrder::bfs, WorkOrder::dfs}) {
        Budget budget;
        expect_right(graph, MapSearch(graph, threads, order, 1).run(budget));
      }
  }
}

RC_GTEST_PROP(OwctySearch, AgreesWithTheOracle, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 2; ++i) {
    const ExplicitGraph graph = random_shape(seed + i);
    for (const unsigned threads : {1u, several_threads(seed)})
      for (unsigned values = 0; values <= OwctyOptions::most_values; ++values)
        for (const ValueChoice choice :
             {ValueChoice::mixed, ValueChoice::largest, ValueChoice::masks, ValueChoice::paper})
          for (const WorkOrder order : {WorkOrder::bfs, WorkOrder::dfs}) {
            Budget budget;
            const LassoResult result = OwctySearch(graph, {threads, values, choice, order, 1}).run(budget);
            expect_right(graph, result);
            if (values == 0) RC_ASSERT(!result.early);
            if (graph.is_weak) RC_ASSERT(result.rounds <= 1);
            // Exploring, two traversals a round, and one that finds the cycle.
            RC_ASSERT(result.expansions <= (2 + 2 * result.rounds) * result.states);
            if (graph.is_weak && result.end == SearchEnd::complete)
              RC_ASSERT(result.expansions <= 2 * result.states);
          }
  }
}

RC_GTEST_PROP(ConcurrentNestedSearch, AgreesWithTheOracle, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    const ExplicitGraph graph = random_shape(seed + i);
    for (const unsigned threads : {1u, several_threads(seed)}) {
      Budget budget;
      expect_right(graph, ConcurrentNestedSearch(graph, threads).run(budget));
    }
  }
}

// The counts of ELIM-NO-ACCEPTING begin with the transition that reaches a state: with 0 instead of 1, this
// cycle would be eliminated.
TEST(OwctySearch, KeepsACycleOfTwo) {
  ExplicitGraph graph;
  graph.initial_nodes = {0};
  graph.edges = {{{0, 1}}, {{0, 0}}};
  graph.accepting_nodes = {0};
  Budget budget;
  EXPECT_EQ(OwctySearch(graph, {.values = 0}).run(budget).end, SearchEnd::satisfied);
}

// Two accepting states; the way from the first to the second, b, is not a cycle, but a cycle of states that
// do not accept keeps b until its second predecessor is gone: each such stage takes a round of its own.
TEST(OwctySearch, EliminatesInAsManyRoundsAsItTakes) {
  ExplicitGraph graph;
  graph.initial_nodes = {0};
  constexpr std::uint32_t stages = 5;
  graph.edges.resize(3 * stages + 1);
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    const std::uint32_t accepting = 3 * stage, c = accepting + 1, d = accepting + 2;
    graph.edges[accepting] = {{0, c}};
    graph.edges[c] = {{0, d}};
    graph.edges[d] = {{0, c}, {0, accepting + 3}};
    graph.accepting_nodes.insert(accepting);
  }
  Budget budget;
  const LassoResult result = OwctySearch(graph, {.values = 0}).run(budget);
  EXPECT_EQ(result.end, SearchEnd::complete);
  EXPECT_GE(result.rounds, stages);
}

// A cycle of accepting states that are numbered against its direction: values that travel until they no
// longer grow would take a number of steps that is quadratic in its length.
TEST(OwctySearch, FindsTheCycleThatIsLeftInOnePass) {
  ExplicitGraph graph;
  graph.initial_nodes = {0};
  constexpr std::uint32_t length = 200;
  graph.edges.resize(length + 1);
  for (std::uint32_t node = length; node >= 1; --node) {
    graph.edges[0].push_back({0, node});
    graph.edges[node] = {{0, node % length + 1}};
    graph.accepting_nodes.insert(node);
  }
  for (const unsigned threads : {1u, 3u}) {
    Budget budget;
    const LassoResult result = OwctySearch(graph, {.threads = threads, .values = 0}).run(budget);
    EXPECT_EQ(result.end, SearchEnd::satisfied);
    EXPECT_LE(result.expansions, (2 + 2 * result.rounds) * result.states);
  }
}

// From the accepting state back to itself leads a tree: threads share its levels, and the lasso is shortest.
TEST(OwctySearch, ThreadsBuildTheShortestLassoTogether) {
  ExplicitGraph graph;
  graph.initial_nodes = {0};
  constexpr std::uint32_t depth = 12, leaves = 1u << depth, last = 2 * leaves - 1;
  graph.edges.resize(last + 1);
  for (std::uint32_t node = 0; node < leaves - 1; ++node)
    graph.edges[node] = {{0, 2 * node + 1}, {0, 2 * node + 2}};
  for (std::uint32_t node = leaves - 1; node < last; ++node)
    graph.edges[node] = {{0, node == leaves + 99 ? last : node - (leaves - 1) / 2}};
  graph.edges[last] = {{0, 0}};
  graph.accepting_nodes = {last};
  for (const unsigned threads : {1u, 2u, 8u}) {
    Budget budgets[2];
    for (const LassoResult& result : {OwctySearch(graph, {.threads = threads, .values = 0}).run(budgets[0]),
                                      MapSearch(graph, threads, WorkOrder::bfs).run(budgets[1])}) {
      ASSERT_TRUE(result.lasso);
      EXPECT_EQ(result.lasso->loop, 0u);
      EXPECT_EQ(result.lasso->states.size(), depth + 2);
    }
  }
}

// Values: an initial state has one, and an edge to a known state is looked at, too.
TEST(OwctySearch, ValuesFindACycleThroughTheInitialState) {
  ExplicitGraph graph;
  graph.initial_nodes = {0};
  graph.edges = {{{0, 1}}, {{0, 2}}, {{0, 0}, {0, 3}}, {{0, 4}}, {}};
  graph.accepting_nodes = {0};
  Budget budget;
  const LassoResult result = OwctySearch(graph, {.values = 1}).run(budget);
  EXPECT_TRUE(result.early);
  EXPECT_EQ(result.lasso->states.size(), 3u);
}

// 1 and 2 accept, and 2 is on a cycle with 3; what 1 passes on goes further than it should.
TEST(OwctySearch, ASecondValueFindsWhatTheFirstDoesNot) {
  ExplicitGraph graph;
  graph.initial_nodes = {0};
  graph.edges = {{{0, 1}}, {{0, 2}}, {{0, 3}}, {{0, 2}}};
  graph.accepting_nodes = {1, 2};
  Budget one, two, three;
  EXPECT_FALSE(OwctySearch(graph, {.values = 1}).run(one).early);
  EXPECT_TRUE(OwctySearch(graph, {.values = 2, .choice = ValueChoice::largest}).run(two).early);
  EXPECT_TRUE(OwctySearch(graph, {.values = 3}).run(three).early);
}

// 2 is found from 1, but that the cycle through it and 0 is accepting it learns only while it waits, and not at
// all as published.
TEST(OwctySearch, StatesThatWaitTakeValuesToo) {
  ExplicitGraph graph;
  graph.initial_nodes = {1, 0};
  graph.edges = {{{0, 2}}, {{0, 2}}, {{0, 3}}, {{0, 0}}};
  graph.accepting_nodes = {0};
  Budget ours, published;
  EXPECT_TRUE(OwctySearch(graph, {.values = 1}).run(ours).early);
  EXPECT_FALSE(OwctySearch(graph, {.values = 1, .choice = ValueChoice::paper}).run(published).early);
}

RC_GTEST_PROP(NestedDepthFirstSearch, AgreesWithTheOracle, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const ExplicitGraph graph = random_shape(seed + i);
    for (const NestedVariant variant : {NestedVariant::improved, NestedVariant::classic}) {
      const LassoResult result = nested(graph, variant);
      expect_right(graph, result);
      RC_ASSERT(result.expansions <= (graph.is_weak ? 1 : 2) * result.states);
    }
  }
}

// Every state is left by the red search, too, though none of it leads anywhere new.
TEST(NestedDepthFirstSearch, InItsClassicFormSearchesFromEveryAcceptingState) {
  ExplicitGraph graph = test::chain(100);
  for (std::uint32_t n = 0; n <= 100; ++n) graph.accepting_nodes.insert(n);
  EXPECT_EQ(nested(graph).expansions, 101u);
  EXPECT_EQ(nested(graph, NestedVariant::classic).expansions, 202u);
}

RC_GTEST_PROP(SccSearch, AgreesWithTheOracle, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const ExplicitGraph graph = random_graph(seed + i, static_cast<unsigned>((seed + i) % 4));
    const LassoResult result = sccs(graph);
    RC_ASSERT((result.end == SearchEnd::satisfied) == oracle_marks(graph));
    RC_ASSERT((result.end == SearchEnd::complete) == !result.lasso);
    RC_ASSERT(result.expansions <= result.states);
    if (!result.lasso) continue;
    std::uint32_t marks = 0;
    bool accepting;
    RC_ASSERT(is_lasso(graph, *result.lasso, marks, accepting) && marks == graph.mark_bits);
  }
}

RC_GTEST_PROP(LassoSearches, AgreeWhereAcceptanceIsOnStates, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    ExplicitGraph graph = random_graph(seed + i, 0);
    graph.mark_bits = 1;
    for (const std::uint32_t n : graph.accepting_nodes)
      for (Edge& edge : graph.edges[n]) edge.marks = 1;
    RC_ASSERT(nested(graph).end == sccs(graph).end);
  }
}

TEST(LassoSearches, AStackMayBeDeep) {
  ExplicitGraph graph = test::chain(300'000);
  graph.mark_bits = 1;
  graph.edges.back().push_back({0, 1, false, 1});
  graph.accepting_nodes = {300'000};
  Budget first, second, third;
  for (const LassoResult& result :
       {nested(graph), sccs(graph), OwctySearch(graph, {.threads = 2}).run(first),
        MapSearch(graph, 2, WorkOrder::dfs).run(second), ConcurrentNestedSearch(graph, 2).run(third)}) {
    ASSERT_TRUE(result.lasso);
    EXPECT_EQ(result.lasso->loop, 1u);
    EXPECT_EQ(result.lasso->states.size(), 300'001u);
  }
}

TEST(LassoSearches, EndInTheMiddleOfAState) {
  const auto run = [](auto search_of) {
    std::atomic<bool> interrupted{false};
    Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
    const LassoResult result = search_of(test::ManySteps{&interrupted}).run(budget);
    EXPECT_EQ(result.end, SearchEnd::exhausted);
    EXPECT_LT(result.transitions, test::ManySteps::count);
  };
  run([](auto graph) { return OwctySearch(graph, {.threads = 2}); });
  run([](auto graph) { return ConcurrentNestedSearch(graph, 2); });
}

TEST(LassoSearches, EndWithTheBudget) {
  const ExplicitGraph graph = test::chain(100'000);
  std::atomic<bool> interrupted{true};
  const auto limits = [&] {
    return Budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  };
  Budget first = limits(), second = limits(), third = limits(), fourth = limits(), fifth = limits();
  EXPECT_EQ(OwctySearch(graph, {.threads = 2}).run(third).end, SearchEnd::exhausted);
  EXPECT_EQ(MapSearch(graph, 2, WorkOrder::bfs).run(fourth).end, SearchEnd::exhausted);
  EXPECT_EQ(ConcurrentNestedSearch(graph, 2).run(fifth).end, SearchEnd::exhausted);
  EXPECT_EQ(NestedDepthFirstSearch(graph, Table(graph.state_size())).run(first).end, SearchEnd::exhausted);
  EXPECT_EQ(SccSearch(graph, Table(graph.state_size())).run(second).end, SearchEnd::exhausted);
  EXPECT_EQ(second.reason(), "interrupted");
}

}  // namespace
}  // namespace tideline
