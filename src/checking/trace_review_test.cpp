#include "checking/trace_review.hpp"

#include <gtest/gtest.h>

#include "trace/simulation.hpp"

namespace tideline {
namespace {

/// Counts to 3 and stops.
Model counter_with_property() {
  return read_model({"counter.dve",
                     "//@ property low invariant x < 2\n"
                     "byte x;\n"
                     "process P { state q; init q; trans q -> q { guard x < 3; effect x = x + 1; }; }\n"
                     "system async;\n"});
}

/// The run of so many steps, as a file that claims this.
ItfTrace trace_of(const Model& model, int steps, const TraceHeader& header) {
  Simulation simulation(model.system, {});
  for (int i = 0; i < steps; ++i) simulation.take(simulation.enabled().front());
  return read_itf(to_itf(model.system, simulation.run(), header), "folder/run.json");
}

std::string error_of(const Model& model, const TraceHeader& header) {
  try {
    review_trace(model, trace_of(model, 1, header));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(TraceReview, ARunProvesItsClaimOrSaysWhatIsMissing) {
  const Model model = counter_with_property();
  const TraceHeader header{.property = "invariant", .kind = "invariant", .formula = "x < 3"};
  const TraceReview proof = review_trace(model, trace_of(model, 3, header));
  EXPECT_TRUE(proof.passes());
  EXPECT_EQ(review_text(proof), "replays: 3 steps, a run that violates invariant (invariant, x < 3)");
  const TraceReview none = review_trace(model, trace_of(model, 2, header));
  EXPECT_FALSE(none.passes());
  EXPECT_TRUE(review_text(none).starts_with(
      "replays: 2 steps, but not a run that violates invariant (invariant, x < 3): "))
      << review_text(none);
}

TEST(TraceReview, TheFormulaOfANamedPropertyIsThatOfTheModel) {
  const Model model = counter_with_property();
  const TraceHeader header{.property = "low", .kind = "invariant", .formula = "x < 1"};
  EXPECT_FALSE(review_trace(model, trace_of(model, 1, header)).passes());
  EXPECT_TRUE(review_trace(model, trace_of(model, 2, header)).passes());
}

TEST(TraceReview, RunsToAStateAreWitnessesUnlessTheFileSaysOtherwise) {
  const Model model = counter_with_property();
  const TraceReview review =
      review_trace(model, trace_of(model, 1, {.property = "reach", .kind = "reach", .formula = "x == 1"}));
  EXPECT_EQ(review.verdict, Verdict::holds);
  EXPECT_EQ(review_text(review), "replays: 1 step, a run that is a witness of reach (reach, x == 1)");
}

TEST(TraceReview, SimulationsClaimNothing) {
  const Model model = counter_with_property();
  const TraceReview review = review_trace(model, trace_of(model, 2, {.kind = "simulation"}));
  EXPECT_TRUE(review.passes());
  EXPECT_FALSE(review.property);
  EXPECT_EQ(review_text(review), "replays: 2 steps");
}

TEST(TraceReview, ARunThatDoesNotReplayIsNotAskedForItsClaim) {
  const Model model = counter_with_property();
  ItfTrace trace = trace_of(model, 2, {.property = "p", .kind = "invariant", .formula = "no such name"});
  trace.states.back().values["x"] = std::int64_t{7};
  const TraceReview review = review_trace(model, trace);
  EXPECT_FALSE(review.passes());
  EXPECT_TRUE(review_text(review).starts_with("does not replay: step 2: ")) << review_text(review);
}

TEST(TraceReview, RefusesWhatNoRunCanProve) {
  const Model model = counter_with_property();
  EXPECT_NE(error_of(model, {.kind = "wish"}).find("unknown kind 'wish'"), std::string::npos);
  EXPECT_NE(error_of(model, {.kind = "invariant", .formula = "x < 3", .verdict = "holds"})
                .find("no run proves what the trace claims: invariant holds"),
            std::string::npos);
  EXPECT_NE(error_of(model, {.property = "a", .kind = "assertion"}).find("no assertion 'a'"),
            std::string::npos);
  EXPECT_NE(error_of(model, {.kind = "automaton"}).find("no property process"), std::string::npos);
}

TEST(TraceReview, TheModelIsTheOneThatTheFileNames) {
  const Model model = counter_with_property();
  EXPECT_FALSE(find_model_of(trace_of(model, 0, {})));
  EXPECT_EQ(find_model_of(trace_of(model, 0, {.model = "nowhere/m.dve"})), "nowhere/m.dve");
}

}  // namespace
}  // namespace tideline
