#include "report/measures.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/two_counters.hpp"

namespace tideline {
namespace {

using namespace two_counters;

MeasureAnswer example_measures(const System& s) {
  MeasureAnswer answer{.version = "9", .model = "m.dve"};
  answer.proposals.sample_states = 200;
  answer.proposals.sample_edges = 400;
  answer.proposals.whole = true;
  MeasureTerm first = slot_term(s, turn);
  first.monotone = true;
  MeasureTrial trial{.measure = Measure(s, {first, slot_term(s, flag0)})};
  trial.sweep.peak = 50;
  trial.sweep.visits = 220;
  trial.sweep.sweeps = 2;
  trial.layers = 3;
  trial.regress_edges = 4;
  trial.score = 0.3;
  trial.regressing = {{raise, 3}, {pass, 1}};
  answer.proposals.candidates.push_back({trial});
  return answer;
}

TEST(Measures, AreSavedOneTermALine) {
  const System s = system();
  EXPECT_EQ(measure_file(example_measures(s)),
            "# Progress measure for m.dve, found by tideline progress.\n"
            "# Predicted on 200 states: 25.0% stored at most, 110.0% visited, 2 sweeps.\n"
            "monotone turn,\n"
            "flag[0]\n");
}

TEST(Measures, AreSavedWithClaimsOfTheirFirstTermsAlone) {
  const System s = system();
  MeasureTerm claimed = slot_term(s, turn);
  claimed.monotone = true;
  MeasureAnswer answer = example_measures(s);
  answer.proposals.candidates[0].trial.measure = Measure(s, {claimed, slot_term(s, flag0), claimed});
  EXPECT_TRUE(measure_file(answer).ends_with("monotone turn,\nflag[0],\nturn\n")) << measure_file(answer);
}

TEST(Measures, TextHasARowForWhatWasPredictedAndOneForWhatWasMeasured) {
  const System s = system();
  MeasureAnswer answer = example_measures(s);
  const std::string predicted =
      "tried on 200 states, 400 transitions: all there are\n"
      "    stored   visited  persistent  sweeps    layers   regress\n"
      "1    25.0%    110.0%        0.0%       2         3      1.0%   predicted\n";
  const std::string rest =
      "   monotone turn, flag[0]\n"
      "   regress: A: idle -> work (3); A: work -> idle (1)\n";
  EXPECT_EQ(measures_text(answer, s), predicted + rest);
  answer.proposals.candidates[0].measured = SweepFigures{};
  answer.proposals.candidates[0].seconds = 1.5;
  EXPECT_EQ(measures_text(answer, s),
            predicted +
                "         0         0           0       1         0         0   measured in 1.500 s\n" +
                rest);
}

TEST(Measures, LongListsOfActionsAreCut) {
  const System s = system();
  MeasureAnswer answer = example_measures(s);
  answer.proposals.candidates[0].trial.regressing = {{raise, 5}, {pass, 4}, {once, 3}, {raise, 2}};
  EXPECT_NE(measures_text(answer, s).find("B: only -> only (3); and 1 action more"), std::string::npos);
}

TEST(Measures, JsonSaysWhetherALimitEndedIt) {
  const System s = system();
  MeasureAnswer answer = example_measures(s);
  answer.proposals.limit_reached = "time limit of 1 s reached";
  answer.exit_code = 3;
  const auto json = nlohmann::json::parse(measures_json(answer, s));
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["exit_code"], 3);
  EXPECT_EQ(json["version"], "9");
  EXPECT_EQ(json["candidates"][0]["measure"], "monotone turn, flag[0]");
  EXPECT_FALSE(json["candidates"][0].contains("measured"));
}

TEST(Measures, HelpWhenTheBestOneIsWorthItsVisits) {
  const System s = system();
  MeasureAnswer answer = example_measures(s);
  EXPECT_TRUE(answer.proposals.helps());
  answer.proposals.candidates[0].trial.score = 0.9;
  EXPECT_FALSE(answer.proposals.helps());
  EXPECT_FALSE(Proposals{}.helps());
}

TEST(Layers, AreLinesOfNumbers) {
  EXPECT_EQ(layers_csv({{.sweep = 1, .progress = 2, .expanded = 3, .stored = 4, .persistent = 5}}),
            "sweep,progress,expanded,stored,persistent\n1,2,3,4,5\n");
}

}  // namespace
}  // namespace tideline
