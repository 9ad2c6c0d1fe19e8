// Several runs of a property: as many as are wanted and there are, all different, against an oracle that knows every
// reachable state.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bind/bind.hpp"
#include "lang/lang.hpp"
#include "progress/measure.hpp"
#include "search/states/bfs.hpp"
#include "search/states/safety.hpp"
#include "store/checkpoint.hpp"
#include "store/segmented_table.hpp"
#include "testing/node_monitor.hpp"
#include "testing/random_dve.hpp"
#include "testing/skip_case.hpp"
#include "trace/replay.hpp"

namespace tideline {
namespace {

using Key = std::vector<std::int32_t>;

/// What makes findings different, and how far away the nearest one of each kind is.
using Findings = std::map<Key, std::size_t>;

Key values_of(const Values& state, std::vector<SlotId> slots) {
  std::ranges::sort(slots);
  slots.erase(std::ranges::unique(slots).begin(), slots.end());
  Key key;
  for (const SlotId slot : slots) key.push_back(state[slot]);
  return key;
}

std::vector<SlotId> places(const System& system) {
  std::vector<SlotId> slots;
  for (const Component& component : system.components) slots.push_back(component.location_slot);
  return slots;
}

std::vector<SlotId> reads(const Expr& expr) {
  std::vector<SlotId> slots;
  collect_reads(expr, slots);
  return slots;
}

/// Breadth-first, by the reference semantics.
class Oracle {
 public:
  static constexpr std::size_t most_states = 4000;

  Oracle(const System& system, const std::vector<Property>& properties) : findings(properties.size()) {
    const Reference reference(system);
    std::map<Values, std::size_t> distance{{system.initial, 0}};
    std::deque<Values> open{system.initial};
    for (; !open.empty() && distance.size() <= most_states; open.pop_front()) {
      const Values& state = open.front();
      const std::size_t here = distance[state];
      const auto enabled = reference.enabled(state);
      std::set<ActionId> failing;
      for (const ActionId action : enabled) {
        const auto [next, error] = reference.fire(action, state);
        if (error.kind != ModelErrorKind::none)
          failing.insert(action);
        else if (distance.emplace(next, here + 1).second)
          open.push_back(next);
      }
      for (std::size_t i = 0; i < properties.size(); ++i) {
        const Property& property = properties[i];
        if (property.kind == PropertyKind::deadlock && enabled.empty())
          findings[i].emplace(values_of(state, places(system)), here);
        if (property.kind == PropertyKind::model_error)
          for (const ActionId action : failing)
            findings[i].emplace(Key{static_cast<std::int32_t>(action)}, here + 1);
        if (!has_expression(property.kind)) continue;
        const auto [value, error] = reference.evaluate(property.expr, state);
        has_value = has_value && error.kind == ModelErrorKind::none;
        if ((value != 0) == (property.kind == PropertyKind::reach))
          findings[i].emplace(values_of(state, reads(property.expr)), here);
      }
    }
    complete = open.empty();
  }

  bool complete = false, has_value = true;
  std::vector<Findings> findings;  ///< by property
};

Key key_of(const System& system, const Property& property, const Trace& run) {
  if (run.fails()) return {static_cast<std::int32_t>(run.failing_action)};
  return values_of(run.states.back(),
                   property.kind == PropertyKind::deadlock ? places(system) : reads(property.expr));
}

struct Search {
  SafetyOptions options;
  bool shortest = false;
};

std::vector<Search> searches(const System& system) {
  SafetyOptions swept{.engine = search_sweep};
  swept.sweep.measure = Measure(system, {slot_term(system, 0)});
  SafetyOptions swept_together = swept;
  swept_together.threads = 3;
  return {{{.engine = search_bfs}, true},
          {{.engine = search_bfs, .threads = 3}, true},
          {{.engine = search_dfs}},
          {{.engine = search_cache}},
          {swept},
          {swept_together}};
}

RC_GTEST_PROP(Runs, AreAsManyAsWantedAndAllDifferent, (std::uint64_t seed)) {
  testing::RandomDve random(seed);
  const System system = read_model({"random.dve", random.take()}).system;
  std::vector<Property> properties{{.name = "deadlock", .kind = PropertyKind::deadlock, .formula = ""},
                                   {.name = "errors", .kind = PropertyKind::model_error, .formula = ""}};
  for (const PropertyKind kind : {PropertyKind::invariant, PropertyKind::reach})
    properties.push_back(
        bind_expression(system, {.name = "p", .kind = kind, .formula = random.formula(), .origin = "test"}));
  const Oracle oracle(system, properties);
  if (test::skip_case(!oracle.complete || !oracle.has_value)) return;
  for (Search& search : searches(system)) {
    search.options.runs = 1 + seed % 4;
    // Else model errors are only noticed on the way.
    search.options.exhaustive = true;
    Budget budget;
    const Outcome outcome = check_safety(system, properties, search.options, budget);
    for (std::size_t i = 0; i < properties.size(); ++i) {
      const PropertyResult& result = outcome.results[i];
      const Findings& expected = oracle.findings[i];
      std::vector<PathBuilder> paths = result.more_paths;
      if (result.path) paths.insert(paths.begin(), result.path);
      RC_ASSERT(paths.size() == std::min(search.options.runs, expected.size()));
      std::set<Key> keys;
      for (const PathBuilder& path : paths) {
        const Trace run = replay_proof(system, ErrorSemantics::stop, properties[i], path(), result.verdict);
        const Key key = key_of(system, properties[i], run);
        RC_ASSERT(keys.insert(key).second);
        RC_ASSERT(expected.contains(key));
        if (search.shortest) RC_ASSERT(run.length() == expected.at(key));
      }
    }
  }
}

/// Property 0 is decided at every third node, with the key n % 5; 1 in deadlocks, and 2 by errors.
test::NodeMonitor several(const test::ExplicitGraph& graph, std::size_t runs) {
  test::NodeMonitor monitor(3, graph.action_count(), false, runs);
  const StateKey key = [](const std::byte* state) {
    return std::to_string(test::ExplicitGraph::node(state) % 5);
  };
  monitor.watch(0, {[](std::uint32_t n, ModelErrorKind&) { return n % 3 == 2; }}, true, false, key);
  monitor.watch_deadlocks(1, key);
  monitor.watch_errors(2);
  return monitor;
}

std::vector<std::string> keys_of(const test::NodeMonitor& monitor, std::size_t property) {
  std::vector<std::string> keys;
  if (monitor.finding(property)) keys.push_back(monitor.finding(property)->key);
  for (const Finding& finding : monitor.more_findings(property)) keys.push_back(finding.key);
  return keys;
}

test::ExplicitGraph graph_of(std::uint32_t nodes, std::uint32_t seed) {
  std::mt19937 random(seed);
  test::ExplicitGraph graph;
  graph.initial_nodes = {0};
  graph.edges.resize(nodes);
  for (auto& edges : graph.edges)
    for (std::uint32_t e = random() % 4; e > 0; --e)
      edges.push_back({.action = static_cast<ActionId>(random() % 3),
                       .target = static_cast<std::uint32_t>(random() % nodes),
                       .fails = random() % 8 == 0});
  return graph;
}

// A search that was saved goes on with what it has found, and two that are put together have what both have found.
RC_GTEST_PROP(Runs, SurviveCheckpointsAndAreShared, (std::uint32_t seed)) {
  const test::ExplicitGraph graph = graph_of(2 + seed % 40, seed);
  const std::size_t runs = 1 + seed % 4;
  test::NodeMonitor monitor = several(graph, runs);
  Budget budget;
  BreadthFirstSearch(graph, SegmentedTable<>(graph.state_size()), SearchOptions{}).run(monitor, budget);
  ByteWriter writer;
  writer(monitor);
  const auto bytes = writer.take();
  test::NodeMonitor read = several(graph, runs);
  ByteReader reader(bytes);
  reader(read);
  test::NodeMonitor adopted = several(graph, runs);
  adopted.adopt(monitor);
  adopted.adopt(read);
  for (std::size_t i = 0; i < 3; ++i)
    for (const test::NodeMonitor* other : {&read, &adopted}) {
      RC_ASSERT(keys_of(*other, i) ==
                (runs == 1 && monitor.finding(i) ? std::vector<std::string>{""} : keys_of(monitor, i)));
      RC_ASSERT(other->done() == monitor.done());
    }
}

TEST(Runs, SayWhetherThereAreOthers) {
  const System system = read_model({"m.dve", R"(
byte x = 0;
process P { state a; init a; trans a -> a { guard x < 5; effect x = x + 1; }; }
system async;
)"})
                            .system;
  const Property small = bind_expression(
      system, {.name = "p", .kind = PropertyKind::invariant, .formula = "x < 4", .origin = "test"});
  const auto reason = [&](SafetyOptions options) {
    Budget budget;
    const Outcome outcome = check_safety(system, {small}, options, budget);
    EXPECT_EQ(outcome.results[0].verdict, Verdict::violated);
    return outcome.results[0].reason;
  };
  EXPECT_EQ(reason({.runs = 2}), "");
  EXPECT_EQ(reason({.runs = 3}), "2 of 3 runs found, and there are no others");
  EXPECT_EQ(reason({.runs = 2, .depth = 4}),
            "1 of 2 runs found, there may be others: depth bound of 4 reached");
  EXPECT_EQ(reason({.engine = search_bitstate, .runs = 3, .bits = 16}).substr(0, 38),
            "2 of 3 runs found, there may be others");
}

}  // namespace
}  // namespace tideline
