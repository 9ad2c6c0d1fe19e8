// The survey against the graph itself, and profiles of known distributions.
#include "search/core/survey.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <numeric>

#include "testing/random_system.hpp"

namespace tideline {
namespace {

ValueProfile profile(std::vector<std::int32_t> values) {
  return profile_of(std::span(values));
}

TEST(ValueProfile, EntropyOfKnownDistributions) {
  EXPECT_EQ(profile({}).distinct, 0u);
  EXPECT_EQ(profile({}).entropy, 0);
  EXPECT_EQ(profile({7, 7, 7}).entropy, 0);
  EXPECT_DOUBLE_EQ(profile({0, 1, 0, 1}).entropy, 1);
  EXPECT_DOUBLE_EQ(profile({-1, 0, 1, 2}).entropy, 2);
  // A quarter and three quarters: 2 - 3/4 log2 3.
  EXPECT_NEAR(profile({5, 5, 5, 9}).entropy, 2 - 0.75 * std::log2(3.0), 1e-12);
}

TEST(ValueProfile, TopValuesAreTheMostFrequentOnes) {
  std::vector<std::int32_t> values;
  for (std::int32_t value = 0; value < 20; ++value)
    values.insert(values.end(), static_cast<std::size_t>(value % 10 + 1), value);
  const ValueProfile result = profile(values);
  EXPECT_EQ(result.distinct, 20u);
  ASSERT_EQ(result.top.size(), ValueProfile::most_top);
  EXPECT_EQ(result.top[0], (std::pair<std::int32_t, std::uint64_t>{9, 10}));
  EXPECT_EQ(result.top[1], (std::pair<std::int32_t, std::uint64_t>{19, 10})) << "equals in ascending order";
  EXPECT_EQ(result.top[7], (std::pair<std::int32_t, std::uint64_t>{16, 7}));
}

Survey survey_of(const System& system, const SurveyLimits& limits = {}) {
  Budget budget;
  return survey(system, ErrorSemantics::stop, limits, budget);
}

/// What the survey must have counted, from a graph that was built otherwise.
void expect_counts_of(const StateGraph& graph, const System& system, const Survey& found) {
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.states, graph.states.size());
  EXPECT_EQ(found.transitions, graph.edges.size() + graph.failures.size());
  EXPECT_EQ(std::accumulate(found.levels.begin(), found.levels.end(), std::uint64_t{0}), found.states);

  std::vector<std::uint64_t> actions(system.actions.size());
  std::vector<bool> moves(graph.states.size());
  for (const auto& edge : graph.edges) ++actions[edge.action], moves[edge.from] = true;
  for (const auto& failure : graph.failures) ++actions[failure.action], moves[failure.from] = true;
  EXPECT_EQ(found.actions, actions);
  EXPECT_EQ(found.deadlocks, static_cast<std::uint64_t>(std::ranges::count(moves, false)));

  ASSERT_EQ(found.slots.size(), system.slots.size());
  EXPECT_EQ(found.profiled, found.states);
  for (SlotId slot = 0; slot < system.slots.size(); ++slot) {
    std::map<std::int32_t, std::uint64_t> counts;
    for (const Values& state : graph.states) ++counts[state[slot]];
    EXPECT_EQ(found.slots[slot].distinct, counts.size());
    std::vector<std::uint64_t> weights;
    for (const auto& [value, count] : counts) weights.push_back(count);
    EXPECT_NEAR(found.slots[slot].entropy, entropy_of(weights), 1e-9);
    for (const auto& [value, count] : found.slots[slot].top) EXPECT_EQ(counts[value], count);
  }
  for (const FoldedGraph& fold : found.folds) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> counts;
    for (const auto& edge : graph.edges)
      ++counts[{graph.states[edge.from][fold.by], graph.states[edge.to][fold.by]}];
    EXPECT_EQ(fold.edges.size(), counts.size());
    for (const auto& edge : fold.edges)
      EXPECT_EQ((counts[{fold.classes[edge.from].value, fold.classes[edge.to].value}]), edge.count);
  }
  ASSERT_TRUE(found.graph.has_value());
  EXPECT_EQ(found.graph->states, graph.states) << "both number states in breadth-first order";
  EXPECT_EQ(found.graph->edges.size(), graph.edges.size());
}

TEST(Survey, CountsTheGraphsOfRandomSystems) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const System system = RandomSystem(seed).take();
    Budget budget;
    const auto graph = build_graph(system, ErrorSemantics::stop, 400, budget);
    if (!graph) continue;
    ++compared;
    SCOPED_TRACE(seed);
    expect_counts_of(*graph, system, survey_of(system, {.graph_transitions = 1'000'000}));
  }
  EXPECT_GE(compared, 10);
}

TEST(Survey, EndsAtItsLimitAndSaysSo) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const System system = RandomSystem(seed).take();
    Budget budget;
    const auto graph = build_graph(system, ErrorSemantics::stop, 400, budget);
    if (!graph || graph->states.size() < 3) continue;
    const std::uint64_t all = graph->states.size();
    EXPECT_TRUE(survey_of(system, {.states = all}).complete) << "exactly as many as there are";
    const Survey cut = survey_of(system, {.states = all - 1});
    EXPECT_FALSE(cut.complete && cut.states > all - 1);
    if (cut.complete) continue;
    EXPECT_EQ(cut.ended_by, "the limit on states");
    EXPECT_FALSE(cut.graph.has_value());
    EXPECT_EQ(std::accumulate(cut.levels.begin(), cut.levels.end(), std::uint64_t{0}), cut.states);
  }
}

TEST(Survey, ValuesOfManyStatesAreSampled) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const System system = RandomSystem(seed).take();
    const Survey whole = survey_of(system, {.states = 2'000});
    if (whole.states < 100) continue;
    const Survey part = survey_of(system, {.states = 2'000, .values = system.slots.size() * 50});
    EXPECT_LE(part.profiled, 50u);
    EXPECT_GE(part.profiled, 25u) << "evenly spread";
    EXPECT_EQ(part.states, whole.states);
  }
}

TEST(Survey, ObeysTheBudget) {
  const System system = RandomSystem(3).take();
  const std::atomic<bool> interrupted = true;
  Budget::Limits limits;
  limits.interrupted = &interrupted;
  Budget budget(limits);
  const Survey found = survey(system, ErrorSemantics::stop, {}, budget);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.ended_by, "interrupted");
  EXPECT_EQ(found.states, 1u);
}

TEST(Survey, ErrorStatesAreStatesLikeOthers) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const System system = RandomSystem(seed).take();
    Budget budget;
    const auto graph = build_graph(system, ErrorSemantics::error_state, 400, budget);
    if (!graph) continue;
    EXPECT_EQ(survey(system, ErrorSemantics::error_state, {}, budget).states, graph->states.size());
  }
}

}  // namespace
}  // namespace tideline
