// CTL with the sweep-line on random graphs with random measures, against labelling and against plain fixed
// points, and the runs that go with verdicts, checked independently.
#include "search/ctl/sweep.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>

#include "search/ctl/labelling.hpp"
#include "search/ctl/layers.hpp"
#include "search/ctl/sweep_check.hpp"
#include "testing/ctl_sweep.hpp"
#include "testing/skip_case.hpp"
#include "trace/replay.hpp"

namespace tideline {
namespace {

using namespace test;
using testing::CtlMeaning;
using testing::pick;
using testing::Structure;

const CtlFormula always_possible = core_of("AG EF p"), always_inevitable = core_of("AG AF p");
const CtlFormula& formula_for(Kind kind) {
  return kind == Kind::possible ? always_possible : always_inevitable;
}

Verdict expected(const MeasuredGraph& graph, Kind kind, const Labels& goal) {
  return ctl_labels(graph, std::vector{labelled(goal)}, formula_for(kind), DeadlockPaths::stutter).verdict();
}

// --- checks of runs ----------------------------------------------------------------------------------------

std::uint32_t node_at(const Path& path, std::size_t i) {
  return ExplicitGraph::node(path.states[i].data());
}

std::set<std::uint32_t> reachable_from(const MeasuredGraph& graph, std::uint32_t node) {
  ExplicitGraph from = graph;
  from.initial_nodes = {node};
  std::set<std::uint32_t> reachable;
  for (const auto& [n, distance] : from.distances()) reachable.insert(n);
  return reachable;
}

/// The run ends in an SCC that nothing leaves and that has no goal.
bool leads_into_trap(const MeasuredGraph& graph, const Path& path, const Labels& goal) {
  if (!graph.is_path(path)) return false;
  const std::uint32_t last = node_at(path, path.states.size() - 1);
  for (const std::uint32_t n : reachable_from(graph, last)) {
    if (goal[n] || !reachable_from(graph, n).contains(last)) return false;
    for (const Edge& edge : graph.edges[n])
      if (edge.fails) return false;
  }
  return true;
}

/// The run goes round without the goal, or into a deadlock without it.
bool avoids_for_ever(const MeasuredGraph& graph, const Path& path, const Labels& goal, DeadlockPaths paths) {
  Path straight = path;
  const std::uint32_t last = node_at(path, path.states.size() - 1);
  if (goal[last]) return false;
  const bool deadlock = graph.edges[last].empty();
  if (!path.loop) return paths == DeadlockPaths::maximal && deadlock && graph.is_path(path);
  for (std::size_t i = *path.loop; i < path.states.size(); ++i)
    if (goal[node_at(path, i)]) return false;
  if (path.actions.size() != path.states.size()) return false;
  if (deadlock) {
    straight.actions.pop_back();
    return paths == DeadlockPaths::stutter && path.actions.back() == no_action &&
           *path.loop + 1 == path.states.size() && graph.is_path(straight);
  }
  straight.states.push_back(path.states[*path.loop]);
  return graph.is_path(straight);
}

// --- AG EF p and AG AF p with a measure without regress edges ----------------------------------------------

void check_finding(const MeasuredGraph& graph, const AlwaysGoal<NodePredicate>& goal, const Labels& labels,
                   const AlwaysFinding& finding, const std::shared_ptr<TraceLog>& log) {
  if (goal.kind == Kind::possible) {
    RC_ASSERT(leads_into_trap(graph, finding.run(), labels));
    return;
  }
  Budget budget;
  for (const DeadlockPaths paths : {DeadlockPaths::stutter, DeadlockPaths::maximal}) {
    const auto lasso = avoiding_lasso(graph, goal.goal, finding, paths, log, budget);
    RC_ASSERT(lasso.has_value());
    RC_ASSERT(avoids_for_ever(graph, *lasso, labels, paths));
  }
}

SweepOptions arbitrary_sweep(const std::shared_ptr<TraceLog>& log) {
  return {.log = log,
          .threads = *rc::gen::weightedElement<unsigned>({{4, 1}, {1, 2}, {1, 3}}),
          .few = *rc::gen::element<std::uint64_t>(0, 0, 1, 3),
          .settle_in = *rc::gen::element<std::uint64_t>(1, 4, 8192)};
}

RC_GTEST_PROP(AlwaysSweep, AgreesWithLabellingWhereTheMeasureIsMonotone, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(MeasureKind::monotone);
  const Goals goals = arbitrary_goals(graph);
  const auto log = scratch_log();
  Budget budget;
  AlwaysSweep search(graph, arbitrary_sweep(log), goals.goals, *rc::gen::arbitrary<bool>());
  const SearchResult result = search.run(budget);
  RC_ASSERT(result.end != SearchEnd::exhausted);
  bool all_violated = true;
  for (std::size_t i = 0; i < goals.goals.size(); ++i) {
    const Verdict verdict = expected(graph, goals.goals[i].kind, goals.labels[i]);
    RC_ASSERT(search.finding(i).violated == (verdict == Verdict::violated));
    RC_ASSERT((verdict == Verdict::unknown) == (search.met_errors() && !search.finding(i).violated) ||
              result.end == SearchEnd::satisfied);
    all_violated = all_violated && verdict == Verdict::violated;
    if (verdict == Verdict::violated)
      check_finding(graph, goals.goals[i], goals.labels[i], search.finding(i), log);
  }
  if (!all_violated) {
    RC_ASSERT(result.end == SearchEnd::complete);
    RC_ASSERT(search.figures().expansions == graph.distances().size());
  }
}

/// What is found before a transition regresses is right; afterwards all is unknown.
RC_GTEST_PROP(AlwaysSweep, EndsWhereATransitionRegresses, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  const Goals goals = arbitrary_goals(graph);
  const auto log = scratch_log();
  Budget budget;
  AlwaysSweep search(graph, arbitrary_sweep(log), goals.goals, *rc::gen::arbitrary<bool>());
  const SearchResult result = search.run(budget);
  RC_ASSERT((result.end == SearchEnd::exhausted) == search.figures().broken_claim.has_value());
  for (std::size_t i = 0; i < goals.goals.size(); ++i) {
    const Verdict verdict = expected(graph, goals.goals[i].kind, goals.labels[i]);
    if (search.finding(i).violated) {
      RC_ASSERT(verdict == Verdict::violated);
      check_finding(graph, goals.goals[i], goals.labels[i], search.finding(i), log);
    } else if (result.end != SearchEnd::exhausted) {
      RC_ASSERT(verdict != Verdict::violated);
    }
  }
}

RC_GTEST_PROP(AvoidGraph, SearchesForCyclesDecideInevitabilityForAnyMeasure, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  const Labels goal = arbitrary_labels(graph.edges.size());
  Budget budget;
  LtlSweep search(AvoidGraph(graph, labelled(goal)), arbitrary_sweep(scratch_log()), {});
  const LassoResult result = search.run(budget);
  const Verdict verdict = expected(graph, Kind::inevitable, goal);
  RC_ASSERT((result.end == SearchEnd::satisfied) == (verdict == Verdict::violated));
  if (verdict != Verdict::violated) return;
  RC_ASSERT(avoids_for_ever(graph, *result.lasso, goal, DeadlockPaths::stutter));
  RC_ASSERT(avoids_for_ever(graph, without_repetition(*result.lasso), goal, DeadlockPaths::maximal));
}

/// A graph from its edges, with the measure of each node.
MeasuredGraph graph_of(std::vector<std::vector<std::uint32_t>> next, std::vector<Progress> measure) {
  MeasuredGraph graph;
  graph.initial_nodes = {0};
  for (const auto& targets : next) {
    auto& edges = graph.edges.emplace_back();
    for (const std::uint32_t to : targets) edges.push_back({static_cast<std::uint32_t>(edges.size()), to});
  }
  graph.measure = std::move(measure);
  return graph;
}

bool violated(const MeasuredGraph& graph, Kind kind, const std::set<std::uint32_t>& goal) {
  Labels labels;
  for (std::uint32_t n = 0; n < graph.edges.size(); ++n) labels.push_back(goal.contains(n));
  Goals goals;
  goals.add(kind, labels);
  const auto decide = [&](bool every_scc) {
    Budget budget;
    AlwaysSweep search(graph, {}, goals.goals, every_scc);
    const SearchResult result = search.run(budget);
    EXPECT_EQ(result.end == SearchEnd::satisfied, search.finding(0).violated);
    return search.finding(0).violated;
  };
  EXPECT_EQ(decide(true), decide(false));
  return decide(true);
}

// The printed algorithm ends before it has looked at the last layer.
TEST(AlwaysSweep, LooksAtTheLastLayer) {
  const MeasuredGraph graph = graph_of({{1}, {2}, {1}}, {0, 1, 1});
  EXPECT_TRUE(violated(graph, Kind::possible, {0}));
  EXPECT_TRUE(violated(graph, Kind::inevitable, {0}));
  EXPECT_FALSE(violated(graph, Kind::possible, {2}));
  EXPECT_FALSE(violated(graph, Kind::inevitable, {2}));
}

// The printed algorithm does not look at what the check of a layer says.
TEST(AlwaysSweep, EndsWithTheFirstLayerThatIsWrong) {
  const MeasuredGraph graph = graph_of({{1, 3}, {2}, {1}, {4}, {4}}, {0, 1, 1, 2, 3});
  EXPECT_TRUE(violated(graph, Kind::possible, {4}));
  Goals goals;
  goals.add(Kind::possible, {false, false, false, false, true});
  for (const bool every_scc : {true, false}) {
    Budget budget;
    AlwaysSweep search(graph, {}, goals.goals, every_scc);
    search.run(budget);
    EXPECT_EQ(search.figures().layers, 2u);
  }
}

// The printed algorithm has no word for a state without successors: it is an SCC that nothing leaves, and as it
// repeats for ever, a cycle.
TEST(AlwaysSweep, ADeadlockIsAnSccAndACycle) {
  const MeasuredGraph graph = graph_of({{1, 2}, {}, {2}}, {0, 1, 1});
  EXPECT_TRUE(violated(graph, Kind::possible, {2}));
  EXPECT_TRUE(violated(graph, Kind::inevitable, {0, 2}));
  EXPECT_FALSE(violated(graph, Kind::possible, {1, 2}));
  EXPECT_FALSE(violated(graph, Kind::inevitable, {1, 2}));
}

// A state whose steps were not taken because the search had to end is not a deadlock.
TEST(AlwaysSweep, AStateThatIsNotExpandedIsNotADeadlock) {
  const MeasuredGraph graph = graph_of({{1}, {2}, {0}}, {0, 0, 0});
  Goals goals;
  goals.add(Kind::inevitable, {false, false, true});
  std::atomic<bool> interrupted = true;
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  AlwaysSweep search(graph, {}, goals.goals);
  EXPECT_EQ(search.run(budget).end, SearchEnd::exhausted);
  EXPECT_FALSE(search.finding(0).violated);
}

TEST(AlwaysSweep, AnSccThatCanBeLeftIsNotATrap) {
  EXPECT_FALSE(violated(graph_of({{1}, {0, 2}, {2}}, {0, 0, 5}), Kind::possible, {2}));
  // To another SCC of the same layer.
  EXPECT_FALSE(violated(graph_of({{1}, {0, 2}, {2}}, {0, 0, 0}), Kind::possible, {2}));
  EXPECT_TRUE(violated(graph_of({{1}, {0, 2}, {2}}, {0, 0, 0}), Kind::possible, {0}));
  EXPECT_TRUE(violated(graph_of({{1}, {0, 2}, {2}}, {0, 0, 5}), Kind::inevitable, {2}));
}

TEST(AlwaysSweep, SearchesOnlyWhereSomethingMayBeWrong) {
  MeasuredGraph graph{chain(1000)};
  graph.edges.back().push_back({0, 1000});
  for (std::uint32_t n = 0; n <= 1000; ++n) graph.measure.push_back(n / 10);
  Labels last(1001);
  last.back() = true;
  Goals goals;
  goals.add(Kind::possible, last);
  goals.add(Kind::inevitable, last);
  Budget budget;
  AlwaysSweep search(graph, {}, goals.goals);
  EXPECT_EQ(search.run(budget).end, SearchEnd::complete);
  EXPECT_EQ(search.scc_searches(), 0u);
  EXPECT_EQ(search.cycle_searches(), 0u);

  AlwaysSweep published(graph, {}, goals.goals, true);
  EXPECT_EQ(published.run(budget).end, SearchEnd::complete);
  EXPECT_EQ(published.scc_searches(), 101u);  // one in each layer
}

TEST(AlwaysSweep, TheBudgetEndsIt) {
  const MeasuredGraph graph = graph_of({{1, 2}, {0}, {2}}, {0, 0, 1});
  std::atomic<bool> interrupted = true;
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  Goals goals;
  goals.add(Kind::possible, {false, false, false});
  AlwaysSweep search(graph, {}, goals.goals);
  EXPECT_EQ(search.run(budget).end, SearchEnd::exhausted);
  EXPECT_EQ(budget.reason(), "interrupted");
  EXPECT_FALSE(search.finding(0).violated);
}

// --- layers on disk ----------------------------------------------------------------------------------------

RC_GTEST_PROP(CtlLayer, ReadsBackAsItWasWritten, ()) {
  CtlLayer layer;
  layer.atom_bytes = pick<std::size_t>(0, 4);
  layer.number = pick(0u, 5000u);
  layer.first_reference = layer.number + pick(0u, 100u);
  const auto size = pick(0u, 40u);
  layer.initial = size / 2;
  for (std::uint32_t i = 0; i < size / 3; ++i) layer.roots.push_back(pick(0u, 100000u));
  for (std::uint32_t n = 0; n < size; ++n) {
    const int edges = pick(0, 5);
    for (int i = 0; i < edges; ++i)
      layer.edges.push_back({*rc::gen::element(CtlLayer::here, CtlLayer::persistent, 3u, 70000u, ~0u - 2),
                             *rc::gen::element(0u, pick(0u, 1000u), ~0u)});
    layer.first.push_back(layer.edges.size());
    layer.fails.push_back(pick(0, 3) == 0);
    for (std::size_t i = 0; i < layer.atom_bytes; ++i)
      layer.atoms.push_back(static_cast<std::byte>(pick(0, 256)));
  }
  std::vector<std::byte> bytes;
  encode(layer, bytes);
  CtlLayer copy;
  copy.atom_bytes = layer.atom_bytes;
  copy.edges.push_back({1, 1});  // what was there before is gone
  decode(bytes, copy);
  RC_ASSERT(copy == layer);
}

RC_GTEST_PROP(CtlLayer, AnythingElseIsRefusedOrRead, (const std::vector<std::uint8_t>& bytes)) {
  CtlLayer layer;
  layer.atom_bytes = pick<std::size_t>(0, 3);
  try {
    decode(std::as_bytes(std::span(bytes)), layer);
    RC_ASSERT(layer.edges.size() <= bytes.size());
    RC_ASSERT(layer.atoms.size() == layer.size() * layer.atom_bytes);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::io);
  }
}

CtlLayersOptions layers_options(bool log) {
  return {.sweep = {.log = log ? scratch_log() : nullptr}, .folder = std::filesystem::temp_directory_path()};
}

RC_GTEST_PROP(CtlLayers, AgreeWithLabellingWhateverTheMeasure, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  const std::vector<Labels> labels{arbitrary_labels(graph.edges.size()),
                                   arbitrary_labels(graph.edges.size())};
  std::vector<Formula> formulas;
  std::vector<CtlQuestion> questions;
  std::vector<NodePredicate> atoms;
  const int count = pick(1, 9);
  formulas.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const DeadlockPaths paths = arbitrary_paths();
    const Formula& formula = formulas.emplace_back(arbitrary_formula(labels, paths));
    questions.push_back({&formula.core, paths});
    atoms.insert(atoms.end(), formula.atoms.begin(), formula.atoms.end());
  }
  CtlLayers search(graph, layers_options(false), questions, atoms);
  Budget budget;
  RC_ASSERT(search.run(budget).end == SearchEnd::complete);
  for (std::size_t i = 0; i < formulas.size(); ++i)
    RC_ASSERT(search.verdict(i) ==
              ctl_labels(graph, formulas[i].atoms, formulas[i].core, questions[i].paths).verdict());
  if (search.is_monotone()) RC_ASSERT(search.passes() == 1u);
}

/// The plain fixed points use neither the core nor labelling, and ignore errors.
RC_GTEST_PROP(CtlLayers, AgreeWithFixedPoints, ()) {
  MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  Structure structure;
  const std::vector<Labels> labels{arbitrary_labels(graph.edges.size()),
                                   arbitrary_labels(graph.edges.size())};
  for (std::size_t n = 0; n < graph.edges.size(); ++n) {
    auto& next = structure.next.emplace_back();
    for (Edge& edge : graph.edges[n]) {
      edge.fails = false;
      next.push_back(edge.target);
    }
    structure.labels.push_back((labels[0][n] ? 1u : 0u) | (labels[1][n] ? 2u : 0u));
  }
  const DeadlockPaths paths = arbitrary_paths();
  const Formula formula = arbitrary_formula(labels, paths);
  CtlLayers search(graph, layers_options(false), {{&formula.core, paths}}, formula.atoms);
  Budget budget;
  RC_ASSERT(search.run(budget).end == SearchEnd::complete);
  const auto meaning = CtlMeaning(formula.pool, structure, names, paths).of(formula.written);
  bool all = true;
  for (const std::uint32_t n : graph.initial_nodes) all = all && meaning[n];
  RC_ASSERT(search.verdict(0) == (all ? Verdict::holds : Verdict::violated));
}

/// Where the measure is not monotone: the way to a state that decides the formula.
void require_way_to_trap() {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  Labels goal(graph.edges.size());
  for (std::size_t n = 0; n < goal.size(); ++n) goal[n] = pick(0, 4) == 0;
  CtlLayers search(graph, layers_options(true), {{&always_possible}}, std::vector{labelled(goal)});
  Budget budget;
  RC_ASSERT(search.run(budget).end == SearchEnd::complete);
  const Verdict verdict = expected(graph, Kind::possible, goal);
  RC_ASSERT(search.verdict(0) == verdict);
  if (test::skip_case(verdict != Verdict::violated)) return;
  const auto run = search.run_for(0, budget);
  RC_ASSERT(run.has_value());
  RC_ASSERT(graph.is_path(run->path));
  RC_ASSERT(run->remark == "from the last state no state with p can be reached");
  for (const std::uint32_t n : reachable_from(graph, node_at(run->path, run->path.states.size() - 1)))
    RC_ASSERT(!goal[n]);
}

RC_GTEST_PROP(CtlLayers, FindTheWayToATrapWhateverTheMeasure, ()) {
  for (int i = 0; i < 5; ++i) require_way_to_trap();
}

TEST(CtlLayers, KeepValuesOnlyWhileALayerIsReferredTo) {
  MeasuredGraph graph{chain(10'000)};
  for (std::uint32_t n = 0; n <= 10'000; ++n) graph.measure.push_back(n);
  graph.edges[0].push_back({1, 5000});  // a long jump
  graph.edges[9000].push_back({1, 9000});
  const CtlFormula formula = core_of("EF(p && EG p)");
  const NodePredicate p{[](std::uint32_t n, ModelErrorKind&) { return n == 9000; }};
  CtlLayers search(graph, layers_options(false), {{&formula}}, std::vector{p});
  Budget budget;
  EXPECT_EQ(search.run(budget).end, SearchEnd::complete);
  EXPECT_EQ(search.verdict(0), Verdict::holds);
  EXPECT_EQ(search.values_peak(), 2u);
  const auto run = search.run_for(0, budget);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->path.states.size(), 1u + 9000);
  EXPECT_EQ(run->path.loop, 9000u);
}

TEST(CtlLayers, ARunStepsFromLayerToLayer) {
  // Layers {0}, {1, 2}, {3, 4, 5}: the way from 0 over 2 to 5 has another index in every layer.
  const MeasuredGraph graph = graph_of({{1, 2}, {3, 4}, {4, 5}, {3}, {4}, {5}}, {0, 1, 1, 2, 2, 2});
  const CtlFormula formula = core_of("EX(!q && EX(p && EX p))");
  const NodePredicate p{[](std::uint32_t n, ModelErrorKind&) { return n == 5; }};
  const NodePredicate q{[](std::uint32_t n, ModelErrorKind&) { return n == 1; }};
  ASSERT_EQ(formula.atom_names, (std::vector<std::string>{"q", "p"}));
  CtlLayers search(graph, layers_options(false), {{&formula}}, std::vector{q, p});
  Budget budget;
  EXPECT_EQ(search.run(budget).end, SearchEnd::complete);
  ASSERT_EQ(search.verdict(0), Verdict::holds);
  const auto run = search.run_for(0, budget);
  ASSERT_TRUE(run);
  EXPECT_TRUE(graph.is_path(run->path));
  std::vector<std::uint32_t> nodes;
  for (std::size_t i = 0; i < run->path.states.size(); ++i) nodes.push_back(node_at(run->path, i));
  EXPECT_EQ(nodes, (std::vector<std::uint32_t>{0, 2, 5, 5}));
}

TEST(CtlLayers, TheBudgetEndsIt) {
  MeasuredGraph graph{chain(10)};
  graph.measure.resize(11);
  std::atomic<bool> interrupted = true;
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  CtlLayers search(graph, layers_options(false), {{&always_possible}}, std::vector{labelled(Labels(11))});
  EXPECT_EQ(search.run(budget).end, SearchEnd::exhausted);
  EXPECT_EQ(budget.reason(), "interrupted");
}

TEST(CtlLayers, ALimitWhileARunIsLookedForLeavesTheVerdictsAsTheyAre) {
  const MeasuredGraph graph = graph_of({{1}, {2}, {1, 3}, {3}}, {1, 2, 0, 3});
  const NodePredicate p{[](std::uint32_t n, ModelErrorKind&) { return n == 1; }};
  CtlLayers search(graph, layers_options(true), {{&always_possible}, {&always_inevitable}},
                   std::vector{p, p});
  Budget budget;
  EXPECT_EQ(search.run(budget).end, SearchEnd::complete);
  std::atomic<bool> interrupted = true;
  Budget over({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  EXPECT_FALSE(search.run_for(0, over));
  EXPECT_EQ(over.reason(), "interrupted");
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(search.verdict(i), Verdict::violated);
}

/// Edges and labels that do not compress well.
TEST(CtlLayers, AFullDiskEndsIt) {
  MeasuredGraph graph;
  graph.initial_nodes = {0};
  std::uint64_t random = 1;
  const auto below = [&](std::uint64_t n) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((random >> 33) % n);
  };
  constexpr std::uint32_t size = 200'000;
  for (std::uint32_t n = 0; n < size; ++n) {
    graph.edges.push_back({{0, n + 1 < size ? n + 1 : n}, {1, below(size)}, {2, below(size)}});
    graph.measure.push_back(0);
  }
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  Budget budget;
  CtlLayers search(graph, layers_options(false), {{&always_possible}}, std::vector{labelled(Labels(size))});
  EXPECT_EQ(search.run(budget).end, SearchEnd::exhausted);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(budget.reason().rfind("layers cannot be written: File too large", 0), 0u) << budget.reason();
}

// --- systems -----------------------------------------------------------------------------------------------

struct Sweep {
  System system;
  CtlSweepOptions options = {};
};

void check_verdicts_and_runs(const Structure& structure, const Sweep& sweep, bool monotone) {
  std::vector<Property> properties;
  std::vector<bool> meaning;
  const int count = pick(1, 5);
  for (int i = 0; i < count; ++i) {
    CtlPool pool;
    const DeadlockPaths paths = arbitrary_paths();
    const Ctl f = arbitrary_written(pool);
    properties.push_back(property_of(structure, pool, f, paths));
    meaning.push_back(CtlMeaning(pool, structure, names, paths).of(f)[0]);
  }
  Budget budget, labelling_budget;
  const Outcome outcome = check_ctl_sweep(sweep.system, properties, sweep.options, budget);
  const Outcome labelling = check_ctl(sweep.system, properties, {}, labelling_budget);
  for (std::size_t i = 0; i < properties.size(); ++i) {
    const PropertyResult& result = outcome.results[i];
    RC_ASSERT(result.verdict == (meaning[i] ? Verdict::holds : Verdict::violated));
    // There is a run wherever labelling has one, unless the measure prevents it.
    const bool has_run = static_cast<bool>(result.path);
    const bool wanted = static_cast<bool>(labelling.results[i].path);
    RC_ASSERT(has_run == wanted || (!monotone && !has_run && !result.reason.empty()));
    if (!has_run) continue;
    const Trace run =
        replay_proof(sweep.system, ErrorSemantics::stop, result.property, result.path(), result.verdict);
    // Without a remark nothing is left to believe, so that the run refutes the other verdict.
    if (!result.reason.empty()) continue;
    RC_ASSERT(missing_proof(sweep.system, ErrorSemantics::stop, result.property, run,
                            meaning[i] ? Verdict::violated : Verdict::holds) ==
              result.property.formula + " is not " + (meaning[i] ? "false" : "true") + " on it");
  }
}

RC_GTEST_PROP(CtlSweepCheck, VerdictsAndRunsAreRight, ()) {
  const Structure structure = testing::random_structure(pick(0, 2) == 1 ? 10 : 25, names.size());
  const bool monotone = pick(0, 3) != 0;
  const auto values = arbitrary_measure(structure, monotone);
  Sweep sweep{.system = system_of(structure)};
  sweep.options.sweep.measure = measure_of(sweep.system, values, monotone && pick(0, 2) == 1);
  sweep.options.every_scc = pick(0, 2) == 1;
  for (int i = 0; i < 10; ++i) check_verdicts_and_runs(structure, sweep, monotone);
}

/// 0 -> 1 -> 2 -> 1, 0 -> 3 -> 4, 4 ends. p: 0, 1; q: 2, 3
const Structure ladder{.next = {{1, 3}, {2}, {1}, {4}, {}}, .labels = {1, 1, 2, 2, 0}};
const std::vector<Progress> ladder_measure{0, 1, 1, 2, 3};

Outcome check_ladder(const std::vector<std::string>& formulas, const std::vector<Progress>& values,
                     bool claimed, Budget& budget, bool every_scc = false) {
  const System system = system_of(ladder);
  std::vector<Property> properties;
  for (const std::string& text : formulas) {
    CtlPool pool;
    properties.push_back(property_of(ladder, pool, parse_ctl(pool, {"", text}), DeadlockPaths::stutter));
  }
  CtlSweepOptions options{.every_scc = every_scc};
  options.sweep.measure = measure_of(system, values, claimed);
  Outcome outcome = check_ctl_sweep(system, properties, options, budget);
  for (PropertyResult& result : outcome.results)
    if (result.path)
      replay_proof(system, ErrorSemantics::stop, result.property, result.path(), result.verdict);
  return outcome;
}

std::string shown(const PropertyResult& result) {
  std::string text(to_string(result.verdict));
  if (result.path) text += " " + std::to_string(result.path().states.size());
  if (!result.reason.empty()) text += ": " + result.reason;
  return text;
}

TEST(CtlSweepCheck, SaysWhatRunsShow) {
  Budget budget;
  const Outcome outcome = check_ladder({"AG EF p", "AG AF p", "AG AF q", "AG EF (p || q)", "EX(q && EX !q)"},
                                       ladder_measure, true, budget);
  EXPECT_EQ(shown(outcome.results[0]), "violated 3: from the last state no state with p can be reached");
  EXPECT_EQ(shown(outcome.results[1]), "violated 3: from step 1 on !p is true all the way");
  EXPECT_EQ(shown(outcome.results[2]), "violated 3: from step 2 on !q is true all the way");
  EXPECT_EQ(shown(outcome.results[3]), "violated 3: from the last state no state with p || q can be reached");
  EXPECT_EQ(shown(outcome.results[4]), "holds 3");
  EXPECT_TRUE(outcome.warnings.empty());
}

TEST(CtlSweepCheck, AllOfTheTwoFormsTakeOneSweep) {
  Budget budget;
  const Outcome outcome =
      check_ladder({"AG EF p", "AG EF !p", "AG AF (p || q)"}, ladder_measure, true, budget);
  EXPECT_EQ(std::get<std::uint64_t>(*outcome.statistics.find("sweeps")), 1u);
  EXPECT_EQ(std::get<std::uint64_t>(*outcome.statistics.find("states")), 5u);
  EXPECT_EQ(outcome.results[1].verdict, Verdict::holds);
}

TEST(CtlSweepCheck, ARegressEdgeIsReportedNotHidden) {
  Budget budget;
  const Outcome outcome = check_ladder({"AG EF p", "AG AF p"}, {1, 1, 0, 2, 3}, false, budget);
  EXPECT_EQ(outcome.results[0].verdict, Verdict::violated);
  EXPECT_EQ(outcome.results[1].verdict, Verdict::violated);
  ASSERT_FALSE(outcome.warnings.empty());
  EXPECT_NE(outcome.warnings[0].find("not monotone"), std::string::npos);
}

TEST(CtlSweepCheck, SaysWhereThePublishedWayDoesNotApply) {
  const auto told = [](const std::string& formula, const std::vector<Progress>& values) {
    Budget budget;
    const Outcome outcome = check_ladder({formula}, values, false, budget, true);
    return std::ranges::any_of(outcome.warnings, [](const std::string& warning) {
      return warning.find("does not apply to property f") != std::string::npos;
    });
  };
  EXPECT_FALSE(told("AG EF p", ladder_measure));
  EXPECT_FALSE(told("AG AF (p || q)", ladder_measure));
  EXPECT_TRUE(told("EX EX q", ladder_measure));
  EXPECT_TRUE(told("AG AF (p || q)", {1, 1, 0, 2, 3}));
}

TEST(CtlSweepCheck, AClaimThatIsWrongIsAnError) {
  for (const std::string formula : {"AG EF p", "AG AF (p || q)", "EX EX q"}) {
    Budget budget;
    try {
      check_ladder({formula}, {1, 1, 0, 2, 3}, true, budget);
      ADD_FAILURE() << formula;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("`1 -> 2`"), std::string::npos) << error.what();
    }
  }
}

TEST(CtlSweepCheck, ALimitMakesItUnknown) {
  std::atomic<bool> interrupted = true;
  for (const bool claimed : {true, false}) {
    Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
    const Outcome outcome = check_ladder({"AG EF p", "AG AF p", "EX EX q"}, ladder_measure, claimed, budget);
    for (const PropertyResult& result : outcome.results) EXPECT_EQ(shown(result), "unknown: interrupted");
    EXPECT_FALSE(outcome.complete);
  }
}

TEST(CtlSweepCheck, WhatIsTheSameEverywhereIsNamed) {
  Budget budget;
  const Outcome outcome = check_ladder({"AG EF !(p && q)", "EX(p && r)"}, ladder_measure, true, budget);
  EXPECT_EQ(outcome.results[0].verdict, Verdict::holds);
  EXPECT_EQ(outcome.warnings,
            (std::vector<std::string>{"`!p || !q` of property f is true in every reachable state"}));
}

}  // namespace
}  // namespace tideline
