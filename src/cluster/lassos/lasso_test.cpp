// Searches for accepting cycles by 1 to 4 ranks of 1 to 3 threads, with random delays: against an oracle, and against searches by
// threads.
#include "cluster/lassos/lasso.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cluster/lassos/engines.hpp"
#include "cluster/lassos/map.hpp"
#include "cluster/lassos/owcty.hpp"
#include "lang/lang.hpp"
#include "search/lassos/lasso_task.hpp"
#include "search/lassos/map.hpp"
#include "search/lassos/owcty.hpp"
#include "testing/lasso_oracle.hpp"
#include "testing/random_dve.hpp"
#include "testing/random_ltl.hpp"
#include "testing/ranks_in_threads.hpp"
#include "trace/replay.hpp"

namespace tideline::cluster {
namespace {

using namespace test;

/// What each thread of each rank has in the end.
struct Result {
  LassoResult search;
  std::string reason;
};

/// The limits are those of the last rank; the others have none.
template <class Search, class G, class... Options>
std::vector<Result> search_by(unsigned count, std::uint64_t seed, const G& graph,
                              const Budget::Limits& limits, const Options&... options) {
  const auto threads = static_cast<unsigned>(1 + seed / 7 % 3);
  std::vector<Result> results(count * threads);
  run_ranks_with_threads(count, threads, seed, [&](Ranks& ranks) {
    Budget budget(ranks.rank() + 1 == ranks.size() ? limits : Budget::Limits{});
    Result& result = results[ranks.rank()];
    std::optional<Bytes> root;
    {
      Search search(graph, ranks, options..., budget);
      result.search = search.run();
      root = search.root();
    }
    if (root) result.search.lasso = lasso_through(graph, *root, ranks, budget);
    result.reason = budget.reason();
  });
  return results;
}

template <unsigned values>
using Owcty = OwctySearch<ExplicitGraph, values>;
using Map = MapSearch<ExplicitGraph>;

/// The answers of all ranks are right, and the same.
void expect_right(const ExplicitGraph& graph, const std::vector<Result>& results) {
  for (const Result& result : results) {
    test::expect_right(graph, result.search);
    if (result.search.lasso)
      RC_ASSERT(result.search.lasso->states == results.front().search.lasso->states &&
                result.search.lasso->actions == results.front().search.lasso->actions);
  }
}

/// Like those of one thread, which has visited all.
void expect_counts(const ExplicitGraph& graph, unsigned values, const LassoResult& result) {
  if (result.end != SearchEnd::complete) return;
  Budget budget;
  const LassoResult expected = tideline::OwctySearch(graph, {.values = values}).run(budget);
  RC_ASSERT(result.states == expected.states);
  RC_ASSERT(result.transitions == expected.transitions);
  RC_ASSERT(result.expansions == expected.expansions);
  RC_ASSERT(result.rounds == expected.rounds);
  RC_ASSERT(result.model_errors == expected.model_errors);
}

template <unsigned values>
void check_owcty(std::uint64_t seed) {
  const ExplicitGraph graph = random_shape(seed);
  const auto results = search_by<Owcty<values>>(
      *rc::gen::inRange(1u, 5u), seed, graph, {},
      *rc::gen::element(ValueChoice::mixed, ValueChoice::largest, ValueChoice::masks),
      *rc::gen::element(WorkOrder::bfs, WorkOrder::dfs));
  expect_right(graph, results);
  expect_counts(graph, values, results.front().search);
  if (values == 0) RC_ASSERT(!results.front().search.early);
}

RC_GTEST_PROP(ClusterOwcty, AgreesWithTheOracle, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 3; ++i) {
    check_owcty<0>(seed + i);
    check_owcty<1>(seed + i);
    check_owcty<2>(seed + i);
    check_owcty<3>(seed + i);
  }
}

RC_GTEST_PROP(ClusterMap, AgreesWithTheOracle, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 6; ++i) {
    const ExplicitGraph graph = random_shape(seed + i);
    expect_right(graph, search_by<Map>(*rc::gen::inRange(1u, 5u), seed, graph, {},
                                       *rc::gen::element(WorkOrder::bfs, WorkOrder::dfs)));
  }
}

/// Rings of states, each entered from the one before; the last is accepting if `accepting`.
ExplicitGraph rings(std::uint32_t count, std::uint32_t length, bool accepting) {
  ExplicitGraph graph;
  graph.initial_nodes = {0};
  graph.edges.resize(std::size_t{count} * length);
  for (std::uint32_t ring = 0; ring < count; ++ring)
    for (std::uint32_t i = 0; i < length; ++i)
      graph.edges[ring * length + i].push_back({0, ring * length + (i + 1) % length});
  for (std::uint32_t ring = 0; ring + 1 < count; ++ring) {
    // An accepting state between two rings is on neither.
    const auto between = static_cast<std::uint32_t>(graph.edges.size());
    graph.edges.push_back({{0, (ring + 1) * length}});
    graph.edges[ring * length].push_back({0, between});
    graph.accepting_nodes.insert(between);
  }
  if (accepting) graph.accepting_nodes.insert(count * length - 1);
  return graph;
}

// Large enough that many batches are on their way at a time: a search that ends too early misses the cycle, or
// keeps what has to go.
TEST(ClusterOwcty, WaitsForWhatIsOnItsWay) {
  for (const bool accepting : {false, true})
    for (const unsigned count : {2u, 3u, 4u}) {
      const ExplicitGraph graph = rings(4, 200, accepting);
      for (const Result& result :
           search_by<Owcty<0>>(count, count, graph, {}, ValueChoice::mixed, WorkOrder::bfs)) {
        EXPECT_EQ(result.search.end, accepting ? SearchEnd::satisfied : SearchEnd::complete);
        EXPECT_EQ(result.search.states, graph.edges.size());
      }
      for (const Result& result : search_by<Map>(count, count, graph, {}, WorkOrder::dfs))
        EXPECT_EQ(result.search.end, accepting ? SearchEnd::satisfied : SearchEnd::complete);
    }
}

// The values that ranks pass on go round a cycle.
TEST(ClusterOwcty, FindsACycleByItsValues) {
  ExplicitGraph graph = rings(1, 300, false);
  graph.accepting_nodes = {0};
  for (const Result& result : search_by<Owcty<1>>(3, 1, graph, {}, ValueChoice::mixed, WorkOrder::bfs)) {
    EXPECT_TRUE(result.search.early);
    ASSERT_TRUE(result.search.lasso);
    EXPECT_EQ(result.search.lasso->states.size(), 300u);
  }
}

// A limit that one rank reaches ends the search of all, and all know the reason.
TEST(ClusterLassos, EndEverywhereWhenOneIsInterrupted) {
  const ExplicitGraph graph = rings(2, 50, false);
  std::atomic<bool> interrupted = true;
  const Budget::Limits limits{.interrupted = &interrupted};
  for (const auto& results : {search_by<Owcty<1>>(3, 1, graph, limits, ValueChoice::mixed, WorkOrder::bfs),
                              search_by<Map>(3, 1, graph, limits, WorkOrder::bfs)})
    for (const Result& result : results) {
      EXPECT_EQ(result.search.end, SearchEnd::exhausted);
      EXPECT_EQ(result.reason, "interrupted");
    }
}

/// Sets the flag when so many states have been expanded, by all ranks and in all phases.
struct Interrupting : ExplicitGraph {
  std::shared_ptr<std::atomic<int>> left;
  std::atomic<bool>* interrupted;

  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    if (left->fetch_sub(1) == 0) interrupted->store(true);
    ExplicitGraph::successors(state, sink);
  }
};

// Whatever all are doing when one of them reaches a limit, none waits for ever for another, and all know the same.
RC_GTEST_PROP(ClusterLassos, EndTogetherWheneverOneIsInterrupted, (std::uint64_t seed)) {
  const auto check = [&]<class Search>(std::type_identity<Search>, auto... options) {
    std::atomic<bool> interrupted = false;
    const Interrupting graph{random_shape(seed),
                             std::make_shared<std::atomic<int>>(*rc::gen::inRange(0, 150)), &interrupted};
    const auto results = search_by<Search>(*rc::gen::inRange(1u, 5u), seed, graph,
                                           Budget::Limits{.interrupted = &interrupted}, options...);
    const LassoResult& first = results.front().search;
    for (const Result& result : results) {
      RC_ASSERT(result.search.end == first.end);
      RC_ASSERT(result.reason == results.front().reason);
      RC_ASSERT(result.search.lasso.has_value() == first.lasso.has_value());
    }
    if (results.front().reason.empty())
      test::expect_right(graph, first);
    else if (first.end == SearchEnd::satisfied)
      RC_ASSERT(oracle_states(graph));
    else
      RC_ASSERT(first.end == SearchEnd::exhausted);
  };
  check(std::type_identity<OwctySearch<Interrupting, 0>>{}, ValueChoice::mixed, WorkOrder::bfs);
  check(std::type_identity<OwctySearch<Interrupting, 1>>{}, ValueChoice::mixed, WorkOrder::dfs);
  check(std::type_identity<MapSearch<Interrupting>>{}, WorkOrder::bfs);
}

using RankedLassoEngine = LassoFound (*)(const LassoTask&, Ranks&, Budget&);

struct Pair {
  LassoEngine alone;
  RankedLassoEngine on_ranks;
};

void compare(const System& system, const Property& property, const Pair& engines, por::Method reduce,
             std::uint64_t seed, Verdict verdict) {
  LivenessOptions options{
      .engine = engines.alone, .values = 1 + static_cast<unsigned>(seed % 3), .reduce = reduce};
  Budget budget;
  const Outcome expected = check_liveness(system, property, options, budget);
  ASSERT_EQ(expected.results[0].verdict, verdict);
  run_ranks(1 + static_cast<unsigned>(seed % 4), seed, [&](Ranks& ranks) {
    LivenessOptions on_ranks = options;
    on_ranks.threads = 1 + static_cast<unsigned>(seed / 4 % 3);
    on_ranks.engine = [&](const LassoTask& task, Budget& own) { return engines.on_ranks(task, ranks, own); };
    Budget own;
    const Outcome outcome = check_liveness(system, property, on_ranks, own);
    ASSERT_EQ(outcome.results[0].verdict, verdict);
    ASSERT_EQ(outcome.results[0].reason, expected.results[0].reason);
    if (outcome.results[0].path) replay_proof(system, options.errors, property, outcome.results[0].path());
    if (!expected.complete) return;
    ASSERT_EQ(*outcome.statistics.find("product_states"), *expected.statistics.find("product_states"));
    if (engines.alone == tideline::search_map) return;  // how often states are expanded depends on the order
    for (const Stat stat : {Stat("product_transitions"), Stat("expansions"), Stat("rounds")})
      ASSERT_EQ(*outcome.statistics.find(stat), *expected.statistics.find(stat));
    if (reduce == por::Method::none) return;
    ASSERT_EQ(*outcome.statistics.find("reduced_expansions"),
              *expected.statistics.find("reduced_expansions"));
  });
}

// Whole checks of random formulas on random systems, with and without partial order reduction: verdicts and
// counts are those of one process, on every rank, and lassos can be replayed.
TEST(ClusterLassos, AnswerLikeOneProcess) {
  constexpr Pair pairs[] = {{tideline::search_owcty, cluster::search_owcty},
                            {tideline::search_owcty_map, cluster::search_owcty_map},
                            {tideline::search_map, cluster::search_map}};
  int holds = 0, violated = 0;
  for (std::uint64_t seed = 1; seed <= 150 && !HasFatalFailure(); ++seed) {
    testing::RandomDve random(seed, testing::RandomDve::Kind::loose);
    const std::string text = random.take();
    SCOPED_TRACE(text);
    const System system = read_model({"random.dve", text}).system;
    const Property property = testing::random_property(random, system, false);
    Budget budget;
    const Verdict verdict =
        check_liveness(system, property, {.engine = search_ndfs}, budget).results[0].verdict;
    holds += verdict == Verdict::holds;
    violated += verdict == Verdict::violated;
    for (const Pair& engines : pairs)
      for (const por::Method reduce : {por::Method::none, por::Method::stubborn})
        compare(system, property, engines, reduce, seed, verdict);
  }
  EXPECT_GT(holds, 30);
  EXPECT_GT(violated, 30);
}

}  // namespace
}  // namespace tideline::cluster
