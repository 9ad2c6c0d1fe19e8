// Weak and strong fairness against oracles: on random graphs, on random systems, and on small models.
#include "run/fairness.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "exec/interpreter.hpp"
#include "graph/fair_product.hpp"
#include "lang/lang.hpp"
#include "logic/ltl.hpp"
#include "logic/property_process.hpp"
#include "logic/translate.hpp"
#include "search/lassos/scc.hpp"
#include "search/lassos/strong_fairness.hpp"
#include "store/segmented_table.hpp"
#include "testing/explicit_graph.hpp"
#include "trace/acceptance.hpp"
#include "trace/fairness.hpp"

namespace tideline {
namespace {

using test::Edge;
using test::ExplicitGraph;

constexpr std::initializer_list<Fairness> all_kinds{Fairness::none, Fairness::weak, Fairness::strong};

/// An ExplicitGraph that knows which processes its actions move.
struct ProcessGraph : ExplicitGraph {
  std::vector<ProcessSet> movers = {};  ///< by action
  ProcessSet processes = 0;

  ProcessSet all_processes() const { return processes; }
  ProcessSet participants(ActionId action) const { return action == no_action ? 0 : movers[action]; }

  ProcessSet enabled(std::uint32_t n) const {
    ProcessSet result = 0;
    for (const Edge& edge : edges[n]) result |= participants(edge.action);
    return result;
  }
};

static_assert(FairGraph<ProcessGraph> && FairGraph<FairProduct<Interpreter>>);
static_assert(MarkedGraph<WeaklyFair<ProcessGraph>> && MarkedGraph<WeaklyFair<FairProduct<Interpreter>>>);

using Table = SegmentedTable<>;

template <class G>
LassoResult search(G graph, Fairness fairness, Budget& budget) {
  Table table(graph.state_size(), {.segment_bits = 0});
  switch (fairness) {
    case Fairness::none:
      return SccSearch(std::move(graph), std::move(table)).run(budget);
    case Fairness::weak:
      return SccSearch(WeaklyFair(std::move(graph)), std::move(table)).run(budget);
    case Fairness::strong:
      return StrongFairnessSearch(std::move(graph), std::move(table)).run(budget);
  }
  return {};
}

template <class G>
LassoResult search(const G& graph, Fairness fairness) {
  Budget budget;
  return search(graph, fairness, budget);
}

// --- oracles ----------------------------------------------------------------------------------------------

/// What a run that stays in some nodes for ever sees on all edges between them.
struct Sight {
  std::uint32_t marks = 0;
  ProcessSet moving = 0;
  ProcessSet enabled_somewhere = 0;
  ProcessSet enabled_everywhere = ~ProcessSet{0};

  void enter(const ProcessGraph& graph, std::uint32_t n) {
    enabled_somewhere |= graph.enabled(n);
    enabled_everywhere &= graph.enabled(n);
  }
  void take(const ProcessGraph& graph, const Edge& edge) {
    marks |= edge.marks;
    moving |= graph.participants(edge.action);
  }
  bool counts(const ProcessGraph& graph, Fairness fairness) const {
    const ProcessSet must_move = fairness == Fairness::none   ? 0
                                 : fairness == Fairness::weak ? enabled_everywhere
                                                              : enabled_somewhere;
    return marks == graph.mark_bits && (must_move & ~moving) == 0;
  }
};

using Nodes = std::vector<bool>;

Nodes reachable(const ProcessGraph& graph) {
  Nodes result(graph.edges.size());
  for (const auto& [node, distance] : graph.distances()) result[node] = true;
  return result;
}

/// reaches[a][b]: there is a way of at least one step from a to b, through these nodes only.
std::vector<Nodes> closure(const ProcessGraph& graph, const Nodes& within) {
  const std::size_t n = within.size();
  std::vector<Nodes> reaches(n, Nodes(n));
  for (std::size_t a = 0; a < n; ++a)
    for (const Edge& edge : graph.edges[a])
      if (!edge.fails && within[a] && within[edge.target]) reaches[a][edge.target] = true;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t a = 0; a < n; ++a)
      if (reaches[a][k])
        for (std::size_t b = 0; b < n; ++b)
          if (reaches[k][b]) reaches[a][b] = true;
  return reaches;
}

Sight look(const ProcessGraph& graph, const Nodes& nodes) {
  Sight sight;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (!nodes[n]) continue;
    sight.enter(graph, n);
    for (const Edge& edge : graph.edges[n])
      if (!edge.fails && nodes[edge.target]) sight.take(graph, edge);
  }
  return sight;
}

/// The definition: a run visits some set of nodes infinitely often. Tries every set.
bool exists_by_all_sets(const ProcessGraph& graph, Fairness fairness) {
  const Nodes met = reachable(graph);
  const auto size = static_cast<std::uint32_t>(met.size());
  std::vector<std::uint32_t> next(size);
  for (std::uint32_t n = 0; n < size; ++n)
    for (const Edge& edge : graph.edges[n])
      if (!edge.fails) next[n] |= 1u << edge.target;
  for (std::uint32_t set = 1; set < 1u << size; ++set) {
    Nodes nodes(size);
    bool connected = true;
    for (std::uint32_t n = 0; n < size; ++n) nodes[n] = (set >> n & 1) != 0;
    for (std::uint32_t n = 0; n < size && connected; ++n) {
      if (!nodes[n]) continue;
      std::uint32_t seen = 0, border = next[n] & set;
      for (; border != seen; border = seen | border) {
        seen = border;
        for (std::uint32_t m = 0; m < size; ++m)
          if (seen >> m & 1) border |= next[m] & set;
      }
      connected = met[n] && seen == set;
    }
    if (connected && look(graph, nodes).counts(graph, fairness)) return true;
  }
  return false;
}

/// The same for larger graphs: SCCs, and for strong fairness what is left of them.
bool exists_within(const ProcessGraph& graph, const Nodes& within, Fairness fairness) {
  const auto reaches = closure(graph, within);
  Nodes done(within.size());
  for (std::uint32_t n = 0; n < within.size(); ++n) {
    if (done[n] || !reaches[n][n]) continue;
    Nodes scc(within.size());
    for (std::uint32_t m = 0; m < within.size(); ++m)
      if (reaches[n][m] && reaches[m][n]) scc[m] = done[m] = true;
    const Sight sight = look(graph, scc);
    if (sight.counts(graph, fairness)) return true;
    const ProcessSet starved = sight.enabled_somewhere & ~sight.moving;
    if (fairness != Fairness::strong || starved == 0) continue;
    for (std::uint32_t m = 0; m < within.size(); ++m)
      if ((graph.enabled(m) & starved) != 0) scc[m] = false;
    if (exists_within(graph, scc, fairness)) return true;
  }
  return false;
}

bool exists(const ProcessGraph& graph, Fairness fairness) {
  return exists_within(graph, reachable(graph), fairness);
}

/// Whether the path is a lasso of the graph whose cycle is accepting and fair.
bool is_right(const ProcessGraph& graph, Path path, Fairness fairness) {
  if (!path.loop || *path.loop >= path.states.size() || path.actions.size() != path.states.size())
    return false;
  const std::size_t loop = *path.loop;
  path.states.push_back(path.states[loop]);
  if (!graph.is_path(path)) return false;
  Sight sight;
  for (std::size_t i = loop; i + 1 < path.states.size(); ++i) {
    const std::uint32_t from = ExplicitGraph::node(path.states[i].data());
    sight.enter(graph, from);
    for (const Edge& edge : graph.edges[from])
      if (!edge.fails && edge.action == path.actions[i] &&
          edge.target == ExplicitGraph::node(path.states[i + 1].data()))
        sight.take(graph, edge);
  }
  return sight.counts(graph, fairness);
}

// --- random graphs ----------------------------------------------------------------------------------------

struct Random {
  explicit Random(std::uint64_t seed) : engine(seed) {}
  std::uint32_t below(std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(engine);
  }
  std::mt19937_64 engine;
};

/// Dense enough to be mostly one SCC; many steps are of a few processes, and others are enabled here and
/// there, often for failing steps only.
ProcessGraph random_graph(std::uint64_t seed, std::uint32_t most_nodes) {
  Random random(seed);
  const auto below = [&](std::uint32_t n) { return random.below(n); };
  ProcessGraph graph;
  const std::uint32_t nodes = 1 + below(most_nodes), processes = below(6), sets = below(3);
  graph.edges.resize(nodes);
  graph.initial_nodes = {below(nodes)};
  if (below(3) == 0) graph.initial_nodes.push_back(below(nodes));
  graph.mark_bits = (1u << sets) - 1;
  graph.processes = (ProcessSet{1} << processes) - 1;
  const std::uint32_t actions = 8;
  for (std::uint32_t a = 0; a < actions; ++a) {
    ProcessSet movers = 0;
    for (std::uint32_t n = below(4) == 0 ? 2 : 1; n > 0 && processes > 0; --n)
      movers |= ProcessSet{1} << below(processes);
    graph.movers.push_back(below(8) == 0 ? 0 : movers);
  }
  for (std::uint32_t i = nodes + below(nodes + 1); i > 0; --i)
    graph.edges[i % nodes].push_back({below(2), below(nodes), false, below(2) != 0 ? 0 : below(1u << sets)});
  for (std::uint32_t i = below(nodes + 2); i > 0; --i)
    graph.edges[below(nodes)].push_back({below(actions), below(nodes), below(3) != 0, 0});
  return graph;
}

TEST(FairnessOracles, Agree) {
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const ProcessGraph graph = random_graph(seed, 9);
    for (const Fairness fairness : all_kinds)
      ASSERT_EQ(exists_by_all_sets(graph, fairness), exists(graph, fairness))
          << "seed " << seed << ", " << to_string(fairness);
  }
}

void check_against_oracle(const ProcessGraph& graph) {
  for (const Fairness fairness : all_kinds) {
    const LassoResult result = search(graph, fairness);
    RC_ASSERT(result.end == (exists(graph, fairness) ? SearchEnd::satisfied : SearchEnd::complete));
    RC_ASSERT(result.lasso.has_value() == (result.end == SearchEnd::satisfied));
    if (result.lasso)
      RC_ASSERT(is_right(graph, *result.lasso, fairness));
    else
      RC_ASSERT(result.expansions <=
                result.states * (1 + static_cast<std::uint64_t>(std::popcount(graph.processes))));
  }
}

RC_GTEST_PROP(FairSearches, AgreeWithTheOracleOnSmallGraphs, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 60; ++i) check_against_oracle(random_graph(seed + i, 9));
}

RC_GTEST_PROP(FairSearches, AgreeWithTheOracleOnLargerGraphs, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 20; ++i) check_against_oracle(random_graph(seed + i, 50));
}

RC_GTEST_PROP(FairSearches, FindLessUnderStrongerFairness, (std::uint64_t seed)) {
  const auto violated = [](const ProcessGraph& graph, Fairness fairness) {
    return search(graph, fairness).end == SearchEnd::satisfied;
  };
  for (std::uint64_t i = 0; i < 20; ++i) {
    const ProcessGraph graph = random_graph(seed + i, 20);
    const LassoResult strong = search(graph, Fairness::strong);
    if (strong.lasso) RC_ASSERT(is_right(graph, *strong.lasso, Fairness::weak));
    RC_ASSERT(!strong.lasso || violated(graph, Fairness::weak));
    RC_ASSERT(!violated(graph, Fairness::weak) || violated(graph, Fairness::none));
  }
}

// --- shapes -----------------------------------------------------------------------------------------------

/// One process per action, with the same number.
ProcessGraph process_graph(std::uint32_t nodes, std::uint32_t processes) {
  ProcessGraph graph;
  graph.edges.resize(nodes);
  graph.initial_nodes = {0};
  graph.mark_bits = 1;
  for (std::uint32_t p = 0; p < processes; ++p) graph.movers.push_back(ProcessSet{1} << p);
  graph.processes = (ProcessSet{1} << (processes - 1) << 1) - 1;
  return graph;
}

/// A ring 0 -> 1 -> ... -> nodes - 1 -> 0 that process 0 goes round, with a mark on the last step. Process 1
/// is enabled in node 0 but cannot move.
ProcessGraph starving_ring(std::uint32_t nodes) {
  ProcessGraph graph = process_graph(nodes, 2);
  for (std::uint32_t n = 0; n < nodes; ++n) graph.edges[n].push_back({0, (n + 1) % nodes});
  graph.edges.back()[0].marks = 1;
  graph.edges[0].push_back({1, 0, true});
  return graph;
}

TEST(StrongFairness, MayNeedLongWays) {
  constexpr std::uint32_t nodes = 300'000;
  ProcessGraph graph = starving_ring(nodes);
  EXPECT_EQ(search(graph, Fairness::weak).end, SearchEnd::satisfied);
  const LassoResult none = search(graph, Fairness::strong);
  EXPECT_EQ(none.end, SearchEnd::complete);
  EXPECT_EQ(none.expansions, 2u * nodes);
  EXPECT_TRUE(none.model_errors);

  graph.edges.back().push_back({0, 1, false, 1});  // past node 0
  const LassoResult result = search(graph, Fairness::strong);
  ASSERT_TRUE(result.lasso);
  EXPECT_EQ(result.lasso->states.size(), nodes);
  EXPECT_TRUE(is_right(graph, *result.lasso, Fairness::strong));
}

TEST(StrongFairness, TakesSccsApartAgainAndAgain) {
  // 0 <-> 1 <-> ... <-> depth. Process i leads from node i - 1 to node i, and process `depth` + 1 fails in
  // the last node; process 0 leads back, and round in node 0. So at first only the last process is starved,
  // and with its node gone the one before it, and so on.
  constexpr std::uint32_t depth = 60;
  ProcessGraph graph = process_graph(depth + 1, depth + 2);
  for (std::uint32_t n = 0; n < depth; ++n) {
    graph.edges[n].push_back({n + 1, n + 1});
    graph.edges[n + 1].push_back({0, n});
  }
  graph.edges[depth].push_back({depth + 1, 0, true});
  graph.edges[0].push_back({0, 0, false, 1});
  EXPECT_FALSE(exists(graph, Fairness::strong));
  const LassoResult none = search(graph, Fairness::strong);
  EXPECT_EQ(none.end, SearchEnd::complete);
  EXPECT_EQ(none.expansions, (depth + 1) * (depth + 2) / 2 + depth);

  graph.movers[1] = 1;  // no process is starved in nodes 0 and 1 any more
  const LassoResult result = search(graph, Fairness::strong);
  ASSERT_TRUE(result.lasso);
  EXPECT_TRUE(is_right(graph, *result.lasso, Fairness::strong));
}

TEST(StrongFairness, WalksOnlyWhereSomethingIsMissing) {
  // Process 1 is enabled in node 1 only, far from the mark in node 0: the short cycle does not go there.
  ProcessGraph graph = process_graph(3, 2);
  graph.edges[0] = {{0, 1}, {0, 0, false, 1}};
  graph.edges[1] = {{1, 2}};
  graph.edges[2] = {{0, 0}};
  const LassoResult result = search(graph, Fairness::strong);
  ASSERT_TRUE(result.lasso);
  EXPECT_EQ(result.lasso->actions, std::vector<ActionId>{0});
}

TEST(StrongFairness, WalksOverNoStateTwiceAtATime) {
  // A ring with two steps from each node to the next, so there are 2^19 ways to the mark.
  ProcessGraph graph = process_graph(20, 2);
  for (std::uint32_t n = 0; n < 20; ++n) graph.edges[n] = {{0, (n + 1) % 20}, {1, (n + 1) % 20}};
  graph.edges[19][1].marks = 1;
  const LassoResult result = search(graph, Fairness::strong);
  ASSERT_TRUE(result.lasso);
  EXPECT_LE(result.expansions, 3 * 20u);
}

/// Calls a function before every expansion, with how many there have been.
struct WatchedGraph : ProcessGraph {
  std::shared_ptr<std::uint64_t> expansions = std::make_shared<std::uint64_t>(0);
  std::function<void(std::uint64_t)> on_expansion = {};

  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    on_expansion((*expansions)++);
    ProcessGraph::successors(state, sink);
  }
};

/// A ring with a cycle past node 0: `nodes` expansions in the outer pass, almost as many in the inner one,
/// and then more for the lasso.
WatchedGraph ring_and_lasso(std::uint32_t nodes) {
  WatchedGraph graph{starving_ring(nodes)};
  graph.edges.back().push_back({0, 1, false, 1});
  return graph;
}

TEST(StrongFairness, EndsWithTheBudgetWhereverItIs) {
  constexpr std::uint32_t nodes = 10'000;
  WatchedGraph graph = ring_and_lasso(nodes);
  for (const std::uint32_t when : {0u, nodes / 2, nodes + nodes / 2, 2 * nodes + nodes / 2}) {
    std::atomic<bool> interrupted{false};
    Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
    graph.expansions = std::make_shared<std::uint64_t>(0);
    graph.on_expansion = [&](std::uint64_t n) { interrupted = n >= when; };
    const LassoResult result = search(graph, Fairness::strong, budget);
    // What was found is not forgotten, but there is no time to show it.
    EXPECT_EQ(result.end, when < 2 * nodes ? SearchEnd::exhausted : SearchEnd::satisfied) << when;
    EXPECT_FALSE(result.lasso);
    EXPECT_EQ(budget.reason(), "interrupted");
    EXPECT_LE(*graph.expansions, when + 2 * poll_every);
  }
}

TEST(StrongFairness, EndsWhenMemoryIsUsedUp) {
  constexpr std::uint32_t nodes = 1000;
  WatchedGraph graph = ring_and_lasso(nodes);
  for (const std::uint32_t when : {0u, nodes / 2, nodes + nodes / 2, 2 * nodes + nodes / 2}) {
    Budget budget;
    graph.expansions = std::make_shared<std::uint64_t>(0);
    graph.on_expansion = [&](std::uint64_t n) {
      if (n == when) throw std::bad_alloc();
    };
    const LassoResult result = search(graph, Fairness::strong, budget);
    EXPECT_EQ(result.end, when < 2 * nodes ? SearchEnd::exhausted : SearchEnd::satisfied) << when;
    EXPECT_FALSE(result.lasso);
    EXPECT_EQ(budget.reason(), "out of memory");
  }
}

TEST(StrongFairness, EndsWhenTheTableIsFull) {
  const ProcessGraph graph = starving_ring(1000);
  Budget budget;
  const LassoResult result =
      StrongFairnessSearch(graph, Table(graph.state_size(), {.states = 999})).run(budget);
  EXPECT_EQ(result.end, SearchEnd::exhausted);
  EXPECT_EQ(budget.reason(), full_table_reason(999));
}

// --- random systems ---------------------------------------------------------------------------------------

constexpr SlotId shared = 0;

/// Compares a variable, or the location of some process.
Expr random_guard(Random& random, const System& system) {
  const SlotId slot = random.below(static_cast<std::uint32_t>(system.slots.size()));
  return Expr::binary(Op::eq, Expr::load(slot), Expr::constant(random.below(2)));
}

/// Processes that move alone or in pairs and assign to a variable of range 0..1, at times a 2.
/// Some process may have no action at all.
System random_system(Random& random) {
  System system;
  system.add_variable({.name = "x"}, {0, 1}, {0});
  const std::uint32_t components = 2 + random.below(3);
  for (ComponentId c = 0; c < components; ++c) {
    const std::string name = "P_" + std::to_string(c);
    system.components.push_back({.name = name, .location_slot = c + 1});
    system.components.back().locations.resize(2);
    system.add_variable({.name = name, .owner = c, .is_location = true}, {0, 1}, {0});
  }
  const auto join = [&](Action& action, ComponentId c, LocationId from) {
    action.participants.push_back({.component = c, .from = from, .to = random.below(2)});
    action.effects.push_back({.slot = c + 1, .value = Expr::constant(action.participants.back().to)});
  };
  for (std::uint32_t i = random.below(6 * components); i > 0; --i) {
    Action action;
    const ComponentId first = i % components, second = random.below(components);
    join(action, first, i / components % 2);
    if (second != first && random.below(4) == 0) join(action, second, random.below(2));
    if (random.below(2) == 0) action.guard = random_guard(random, system);
    if (random.below(2) == 0)
      action.effects.push_back(
          {.slot = shared, .value = Expr::constant(random.below(20) == 0 ? 2 : random.below(2))});
    system.actions.push_back(std::move(action));
  }
  system.error_state = Values(system.slots.size(), 1);
  complete(system);
  return system;
}

/// Every location has an edge to itself; most edges have a guard.
PropertyProcess random_property(Random& random, const System& system) {
  PropertyProcess property;
  const std::uint32_t locations = 1 + random.below(3), sets = random.below(3);
  property.locations.resize(locations);
  property.accepting.resize(sets);
  for (auto& set : property.accepting)
    if (random.below(4) == 0) set.push_back(random.below(locations));
  const auto add_edge = [&](LocationId from, LocationId to) {
    property.edges.push_back(
        {.from = from,
         .to = to,
         .guard = random.below(3) == 0 ? Expr::constant(1) : random_guard(random, system),
         .marks = random.below(2) == 0 ? 0 : random.below(1u << sets)});
  };
  for (LocationId from = 0; from < locations; ++from) {
    add_edge(from, from);
    add_edge(from, random.below(locations));
  }
  return property;
}

/// The product, stepped by the reference semantics and stored edge by edge.
ProcessGraph written_down(const System& system, ErrorSemantics errors, const PropertyProcess& property,
                          const std::vector<FairParty>& parties) {
  const Reference reference(system, errors);
  ProcessGraph graph;
  graph.initial_nodes = {0};
  graph.mark_bits = property.all_marks();
  graph.movers.resize(system.actions.size());
  for (std::size_t i = 0; i < parties.size(); ++i)
    for (const ActionId action : parties[i].actions) {
      graph.movers[action] |= ProcessSet{1} << i;
      graph.processes |= ProcessSet{1} << i;
    }
  using Node = std::pair<Values, LocationId>;
  std::map<Node, std::uint32_t> number{{{system.initial, property.initial}, 0}};
  std::vector<Node> nodes{{system.initial, property.initial}};
  const auto add_edge = [&](std::uint32_t from, ActionId action, const Values& to, bool fails) {
    const auto [state, location] = nodes[from];
    for (const PropertyProcess::Edge& edge : property.edges) {
      if (edge.from != location || reference.evaluate(edge.guard, state).value == 0) continue;
      const auto [entry, is_new] =
          number.emplace(Node{fails ? state : to, fails ? location : edge.to}, nodes.size());
      if (is_new) nodes.push_back(entry->first);
      graph.edges[from].push_back({action, entry->second, fails, edge.marks | property.marks_of(location)});
    }
  };
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    graph.edges.emplace_back();
    const Values state = nodes[n].first;
    const auto enabled = reference.enabled(state);
    for (const ActionId action : enabled) {
      const auto firing = reference.fire(action, state);
      add_edge(n, action, firing.state,
               firing.error.kind != ModelErrorKind::none && errors == ErrorSemantics::stop);
    }
    if (enabled.empty()) add_edge(n, no_action, state, false);
  }
  return graph;
}

/// The verdict for a system; a lasso is replayed and judged independently of the search.
bool finds_run(const System& system, ErrorSemantics errors, const PropertyProcess& property,
               Fairness fairness, const std::vector<FairParty>& parties) {
  FairProduct product(Interpreter(Program::compile(system, errors)), property, parties);
  const std::size_t size = product.system_state_size();
  LassoResult result = search(std::move(product), fairness);
  if (!result.lasso) return false;
  for (auto& state : result.lasso->states) state.resize(size);
  const Trace run = replay(system, errors, *result.lasso);
  EXPECT_TRUE(accepts(system, property, run));
  EXPECT_TRUE(is_fair(system, errors, run, fairness, parties));
  return true;
}

/// The processes, counted without the function that the product uses, or up to three sets of actions.
std::vector<FairParty> random_parties(Random& random, const System& system) {
  std::vector<FairParty> parties;
  if (random.below(2) == 0) {
    for (ComponentId c = 0; c < system.components.size(); ++c) {
      FairParty party{.name = system.components[c].name, .actions = {}};
      for (ActionId a = 0; a < system.actions.size(); ++a)
        for (const Participant& p : system.actions[a].participants)
          if (p.component == c) party.actions.push_back(a);
      if (!party.actions.empty()) parties.push_back(std::move(party));
    }
    const std::vector<FairParty> given = fair_parties(system);
    EXPECT_EQ(given.size(), parties.size());
    for (std::size_t i = 0; i < parties.size(); ++i) EXPECT_EQ(given[i].actions, parties[i].actions);
    return parties;
  }
  for (std::uint32_t i = random.below(3) + 1; i > 0; --i) {
    FairParty party{.name = "some", .actions = {}};
    for (ActionId a = 0; a < system.actions.size(); ++a)
      if (random.below(3) == 0) party.actions.push_back(a);
    if (!party.actions.empty()) parties.push_back(std::move(party));
  }
  return parties;
}

RC_GTEST_PROP(FairProduct, AgreesWithTheOracleOnRandomSystems, (std::uint64_t seed)) {
  Random random(seed);
  for (int i = 0; i < 20; ++i) {
    const System system = random_system(random);
    const PropertyProcess property = random_property(random, system);
    const std::vector<FairParty> parties = random_parties(random, system);
    for (const ErrorSemantics errors : {ErrorSemantics::stop, ErrorSemantics::error_state}) {
      const ProcessGraph graph = written_down(system, errors, property, parties);
      for (const Fairness fairness : all_kinds)
        RC_ASSERT(finds_run(system, errors, property, fairness, parties) == exists(graph, fairness));
    }
  }
}

// --- models -----------------------------------------------------------------------------------------------

PropertyProcess wrong_runs(const System& system, const std::string& formula) {
  LtlPool pool;
  const Ltl wrong = pool.unary(LtlOp::not_, parse_ltl(pool, {"formula", formula}));
  const Automaton automaton = translate(pool, wrong, {.kind = AutomatonKind::generalised});
  std::vector<Expr> atoms;
  for (const std::string& atom : automaton.atoms) atoms.push_back(parse_expression(system, atom, "formula"));
  return to_property_process(automaton, atoms);
}

/// Whether the formula holds without, with weak and with strong fairness.
std::vector<bool> holds(const System& system, const std::string& formula,
                        const std::vector<std::string>& patterns = {}) {
  std::vector<bool> result;
  for (const Fairness fairness : all_kinds)
    result.push_back(!finds_run(system, ErrorSemantics::stop, wrong_runs(system, formula), fairness,
                                fair_parties(system, patterns)));
  return result;
}

using Answers = std::vector<bool>;

TEST(FairModels, PetersonLetsEveryProcessInUnderWeakFairness) {
  const System system = load_model(TIDELINE_SOURCE_DIR "/models/peterson.dve").system;
  EXPECT_EQ(holds(system, "G F P_0.critical"), (Answers{false, true, true}));
  EXPECT_EQ(holds(system, "G(P_0.waiting -> F P_0.critical)"), (Answers{true, true, true}));
  EXPECT_EQ(holds(system, "F P_0.critical && F P_1.critical"), (Answers{false, true, true}));
  EXPECT_EQ(holds(system, "G !P_0.critical"), (Answers{false, false, false}));
}

TEST(FairModels, ASemaphoreNeedsStrongFairnessNotToStarveAProcess) {
  const System system = read_model({"semaphore.dve", R"(
    byte taken;
    process P_0 {
      state idle, waiting, critical;
      init idle;
      trans idle -> waiting { }, waiting -> critical { guard taken == 0; effect taken = 1; },
            critical -> idle { effect taken = 0; };
    }
    process P_1 {
      state idle, waiting, critical;
      init idle;
      trans idle -> waiting { }, waiting -> critical { guard taken == 0; effect taken = 1; },
            critical -> idle { effect taken = 0; };
    }
    system async;)"})
                            .system;
  EXPECT_EQ(holds(system, "G(P_0.waiting -> F P_0.critical)"), (Answers{false, false, true}));
  EXPECT_EQ(holds(system, "G F P_0.critical"), (Answers{false, false, true}));
  EXPECT_EQ(holds(system, "F G !P_0.critical"), (Answers{false, false, false}));
}

TEST(FairModels, AMessageIsAStepOfBothEnds) {
  // Q's only own step is talking to P. When P continues by itself, Q is enabled for ever and must have its
  // turn, which is P's as well.
  const System system = read_model({"talk.dve", R"(
    channel c;
    process P { state a; init a; trans a -> a { sync c!; }, a -> a { }; }
    process Q { state b, d; init b; trans b -> d { sync c?; }; }
    system async;)"})
                            .system;
  EXPECT_EQ(holds(system, "F Q.d"), (Answers{false, true, true}));
}

TEST(FairModels, ADeadlockIsFairAndAFailingStepIsEnabled) {
  const System deadlock = read_model({"deadlock.dve", R"(
    process P { state a, b; init a; trans a -> b { }, a -> a { }; }
    process Q { state c, d; init c; trans c -> d { guard P.a; }; }
    system async;)"})
                              .system;
  EXPECT_EQ(holds(deadlock, "F Q.d"), (Answers{false, false, false}));
  EXPECT_EQ(holds(deadlock, "F (Q.d || P.b)"), (Answers{false, true, true}));
  // Q would fail, but is enabled for ever, so no run in which P moves alone is fair.
  const System failing = read_model({"failing.dve", R"(
    byte x = 255;
    process P { state a; init a; trans a -> a { }; }
    process Q { state b; init b; trans b -> b { effect x = x + 1; }; }
    system async;)"})
                             .system;
  EXPECT_EQ(holds(failing, "false"), (Answers{false, true, true}));
}

TEST(FairModels, AChannelThatLosesMessagesDeliversInTheEnd) {
  const System system = read_model({"lossy.dve", R"(
    channel lose, deliver;
    process S { state ready, sent; init ready;
      trans ready -> sent { }, sent -> ready { sync deliver!; }, sent -> ready { sync lose!; }; }
    process R { state idle, got; init idle; trans idle -> got { sync deliver?; }, got -> idle { }; }
    process Sink { state s; init s; trans s -> s { sync lose?; }; }
    system async;)"})
                            .system;
  // Fair to the processes is not enough: each of them moves, or is not always able to.
  EXPECT_EQ(holds(system, "F R.got"), (Answers{false, false, true}));
  EXPECT_EQ(holds(system, "F R.got", {"lose"}), (Answers{false, false, false}));
  EXPECT_EQ(holds(system, "F R.got", {"deliver"}), (Answers{false, false, true}));
  EXPECT_EQ(holds(system, "G F R.got", {"deliver", "R: got*"}), (Answers{false, false, true}));
}

TEST(FairnessNames, GoBothWays) {
  for (const Fairness fairness : all_kinds) EXPECT_EQ(fairness_from(to_string(fairness)), fairness);
  EXPECT_FALSE(fairness_from("Weak"));
  EXPECT_FALSE(fairness_from(""));
}

}  // namespace
}  // namespace tideline
