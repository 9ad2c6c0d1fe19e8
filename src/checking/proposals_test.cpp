#include "checking/proposals.hpp"

#include <gtest/gtest.h>

namespace tideline {
namespace {

/// Counts to 3 and stops, beside a flag that goes up and down.
Model model() {
  return read_model({"m.dve",
                     "byte x; byte flag;\n"
                     "process P { state q; init q; trans q -> q { guard x < 3; effect x = x + 1; }; }\n"
                     "process Q { state a, b; init a; trans a -> b { effect flag = 1; },\n"
                     "                                      b -> a { effect flag = 0; }; }\n"
                     "system async;\n"});
}

std::string error_of(const System& system, const std::string& group) {
  try {
    measure_groups(system, ErrorSemantics::stop, {{"--group", group}});
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(MeasureGroups, AreEverySlotOnItsOwnOrWhatIsAskedFor) {
  const System system = model().system;
  const auto all = measure_groups(system, ErrorSemantics::stop, {});
  EXPECT_GE(all.size(), 3u);
  const auto one = measure_groups(system, ErrorSemantics::stop, {{"--group", "x, flag"}});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].name(system), "x, flag");
  EXPECT_TRUE(one[0].is_cyclic());
}

TEST(MeasureGroups, AreOfVariablesAndProcesses) {
  EXPECT_EQ(error_of(model().system, "x + 1"), "error: --group x + 1: 'x + 1' is not a variable or process");
  EXPECT_NE(error_of(model().system, "y").find("--group:1:1"), std::string::npos);
}

TEST(Proposals, AGivenMeasureIsTriedInsteadOfOthers) {
  const Model m = model();
  Settings settings;
  settings.measure = SourceText{"measure", "x"};
  Budget budget;
  const Proposals proposals = propose_measures(m, nullptr, settings, {.measured = 1}, {}, budget);
  ASSERT_EQ(proposals.candidates.size(), 1u);
  EXPECT_EQ(proposals.candidates[0].trial.measure.text(), "x");
  ASSERT_TRUE(proposals.candidates[0].measured);
  EXPECT_EQ(proposals.candidates[0].measured->expansions, 8u);
  EXPECT_TRUE(proposals.whole);
  EXPECT_EQ(proposals.sample_states, 8u);
}

}  // namespace
}  // namespace tideline
