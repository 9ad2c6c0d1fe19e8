// Forecasts: on made-up profiles of layers, on lattices whose layers can be counted, and on models. The aim is
// an estimate of all states that is within a factor of two after a fifth of a sweep.
#include "search/sweep/forecast.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "exec/interpreter.hpp"
#include "lang/lang.hpp"
#include "progress/measured.hpp"
#include "progress/projection.hpp"
#include "search/sweep/preview.hpp"
#include "search/sweep/sweep.hpp"
#include "testing/beem.hpp"
#include "testing/lattice.hpp"

namespace tideline {
namespace {

using test::Lattice;

struct Bystander {
  template <class Locate>
  void on_state(const std::byte*, const Locate&) {}
  template <class Locate>
  void on_step(const Step&, const Locate&) {}
  template <class Locate>
  void on_deadlock(const Locate&) {}
  bool done() const { return false; }
};

/// Follows the layers of a whole sweep up to a part of its states, and gives what is then estimated over what
/// there are.
double estimated_over_actual(const std::vector<LayerReport>& layers,
                             const std::vector<LayerEstimate>& preview, double part) {
  std::uint64_t all = 0, visited = 0;
  for (const LayerReport& layer : layers) all += layer.expanded;
  Forecast forecast;
  forecast.set_preview(preview, 1000);
  for (const LayerReport& layer : layers) {
    forecast.on_layer(layer.progress, layer.expanded);
    visited += layer.expanded;
    if (static_cast<double>(visited) < part * static_cast<double>(all)) continue;
    const auto total = forecast.total(layer.stored - layer.expanded - layer.persistent);
    if (!total) break;
    EXPECT_LE(total->least, total->states);
    EXPECT_GE(total->most, total->states);
    return total->states / static_cast<double>(all);
  }
  ADD_FAILURE() << "no forecast";
  return 0;
}

template <class G>
std::vector<LayerReport> sweep_layers(const G& graph) {
  std::vector<LayerReport> layers;
  SweepSearch sweep(graph, {.on_layer = [&](const LayerReport& layer) { layers.push_back(layer); }});
  Bystander bystander;
  Budget budget;
  sweep.run(bystander, budget);
  EXPECT_EQ(sweep.figures().sweeps, 1u) << "only single sweeps are forecast";
  return layers;
}

std::vector<LayerReport> profile(const std::vector<std::uint64_t>& sizes) {
  std::vector<LayerReport> layers;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    layers.push_back({.sweep = 1, .progress = 10 * i, .expanded = sizes[i], .stored = sizes[i]});
  return layers;
}

TEST(Forecast, CorrectsAPreviewThatIsWrongEverywhereByTheSameFactor) {
  const std::vector<std::uint64_t> sizes = {100, 200, 400, 800, 900, 400, 100};
  std::vector<LayerEstimate> preview;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    preview.push_back({10 * i, static_cast<double>(sizes[i]) / 8});
  for (const double part : {0.1, 0.3, 0.6, 1.0})
    EXPECT_NEAR(estimated_over_actual(profile(sizes), preview, part), 1, 1e-9);
}

TEST(Forecast, FollowsTheLatestLayersWhereTheFactorGrows) {
  std::vector<std::uint64_t> sizes;
  std::vector<LayerEstimate> preview;
  for (std::uint64_t i = 0; i < 5000; ++i) {  // more than the forecast remembers
    sizes.push_back(i + 1);
    preview.push_back({10 * i, 1});
  }
  const double estimate = estimated_over_actual(profile(sizes), preview, 0.5);
  EXPECT_GT(estimate, 0.8);  // the factor of all visits would give 0.7
  EXPECT_LT(estimate, 1);
}

TEST(Forecast, KnowsTheStatesThatWait) {
  Forecast forecast;
  forecast.set_preview({{0, 5}, {1, 5}}, 1000);
  forecast.on_layer(0, 5);
  EXPECT_EQ(forecast.total(1000)->states, 1005);
  EXPECT_EQ(forecast.total(1000)->least, 1005);
}

TEST(Forecast, GoesOnInTheMiddle) {
  Forecast forecast(600);  // visits before, in the layers 0 and 1
  forecast.set_preview({{0, 30}, {1, 30}, {2, 30}, {3, 30}}, 1000);
  forecast.on_layer(2, 300);
  EXPECT_EQ(forecast.total(0)->states, 1200);
}

TEST(Forecast, SaysNothingWithoutAPreview) {
  Forecast forecast;
  forecast.on_layer(0, 5);
  EXPECT_FALSE(forecast.total(0));
  forecast.set_preview({{1, 5}}, 1000);
  EXPECT_FALSE(forecast.total(0)) << "the preview does not know these layers";
}

TEST(Forecast, PreviewsAreFewAndShort) {
  Forecast forecast;
  forecast.on_layer(0, 100'000);
  EXPECT_EQ(forecast.preview_due(1), 0u);
  const std::uint64_t steps = forecast.preview_due(2.5);
  EXPECT_EQ(steps, 5000u);
  forecast.set_preview({{0, 5}}, steps);
  EXPECT_EQ(forecast.preview_due(3), 0u);
  forecast.on_layer(1, 9'900'000);
  const std::uint64_t more = forecast.preview_due(250);
  EXPECT_GT(more, 8 * steps) << "it is much longer now";
  forecast.set_preview({{0, 5}}, more);
  forecast.on_layer(2, 90'000'000);
  EXPECT_EQ(forecast.preview_due(2500), 0u) << "more steps would not help";
  EXPECT_LT(forecast.last_preview_steps(2500), more);
}

TEST(Preview, CountsAllStatesWhereAllAreFoundEachTime) {
  EXPECT_EQ(estimate_states({0, 0, 50}), 50);
  EXPECT_EQ(estimate_states({0, 10, 50}), 60);
  EXPECT_GT(estimate_states({50, 10, 0}), 120);
}

TEST(Preview, SharesOutWhatLayersHaveTogether) {
  const auto layers = estimate_layers({{0, {0, 0, 30}}, {7, {300, 10, 0}}, {9, {0, 0, 40}}});
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_GT(layers[1].states, 5 * 300.0);
  EXPECT_NEAR(layers[0].states / layers[1].states, 30.0 / 310, 1e-9);
  EXPECT_EQ(layers[2].states, 40);
}

TEST(Preview, IsExactForASmallGraph) {
  const auto layers = Preview(Lattice{{2, 2, 2, 2}}, 20'000).layers();
  ASSERT_EQ(layers.size(), 9u);
  double sum = 0;
  for (const LayerEstimate& layer : layers) sum += layer.states;
  EXPECT_EQ(sum, 81);
}

class LatticeForecast : public testing::TestWithParam<Lattice::State> {};

TEST_P(LatticeForecast, IsWithinAFactorOfTwoAfterAFifth) {
  const Lattice lattice{GetParam()};
  const double estimate =
      estimated_over_actual(sweep_layers(lattice), Preview(lattice, 20'000).layers(), 0.2);
  EXPECT_GT(estimate, 0.5);
  EXPECT_LT(estimate, 2);
}

INSTANTIATE_TEST_SUITE_P(Shapes, LatticeForecast,
                         testing::Values(Lattice::State{20, 20, 20, 20}, Lattice::State{60, 60, 60, 0},
                                         Lattice::State{250, 250, 0, 0}, Lattice::State{40, 40, 10, 10}));

class ModelForecast : public testing::TestWithParam<const char*> {};

TEST_P(ModelForecast, IsWithinAFactorOfTwoAfterAFifth) {
  const std::filesystem::path file = dve::beem_model(GetParam());
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  const System system = read_model({file.string(), text.str()}).system;
  Interpreter graph(Program::compile(system, ErrorSemantics::error_state));
  Budget budget;
  const Projection projection = project_measure(
      graph, system, {.sample = {.limit = 5000}, .errors = ErrorSemantics::error_state}, budget);
  const Measured measured(graph, projection.trials.front().measure);
  const double estimate =
      estimated_over_actual(sweep_layers(measured), Preview(measured, 20'000).layers(), 0.2);
  EXPECT_GT(estimate, 0.5);
  EXPECT_LT(estimate, 2);
}

INSTANTIATE_TEST_SUITE_P(Beem, ModelForecast,
                         testing::Values("bridge.2", "leader_filters.2", "peg_solitaire.1",
                                         "schedule_world.1"));

/// Interrupts the search after a number of states.
struct Interrupting : Bystander {
  std::atomic<bool>& interrupted;
  int left = 50'000;
  explicit Interrupting(std::atomic<bool>& flag) : interrupted(flag) {}
  template <class Locate>
  void on_state(const std::byte*, const Locate&) {
    if (--left == 0) interrupted = true;
  }
};

TEST(Outlook, ASweepThatIsInterruptedKnowsHowFarItIs) {
  std::atomic<bool> flag = false;
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &flag, .on_status = {}});
  Interrupting observer(flag);
  SweepSearch sweep(Lattice{{20, 20, 20, 20}}, {});  // 194,481 states
  EXPECT_EQ(sweep.run(observer, budget).end, SearchEnd::exhausted);
  ASSERT_TRUE(sweep.figures().coverage);
  const Completion& coverage = *sweep.figures().coverage;
  EXPECT_GT(coverage.part, 0.1);
  EXPECT_LT(coverage.part, 0.5);
  EXPECT_LE(coverage.least, coverage.part);
  EXPECT_GE(coverage.most, coverage.part);
}

}  // namespace
}  // namespace tideline
