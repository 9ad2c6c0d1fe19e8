#include "trace/simulation.hpp"

#include <gtest/gtest.h>

#include "testing/two_counters.hpp"

namespace tideline {
namespace {

using namespace two_counters;

const SourceText source{"m.dve", "one\n  flag[turn] = 1;\n"};

TEST(Simulation, ObeysNumbersAndLetters) {
  const System s = system();
  Simulation simulation(s, source, {});
  EXPECT_EQ(simulation.actions_text(), "    1)  A: idle -> work\n    2)  B: only -> only\n");
  EXPECT_EQ(simulation.obey(" 2\r").text,
            "  1  B: only -> only    B.x: -7 -> 300\n    1)  A: idle -> work\n");
  EXPECT_EQ(simulation.obey("b").text, "back in state 0\n    1)  A: idle -> work\n    2)  B: only -> only\n");
  EXPECT_EQ(simulation.obey("b").text, "this is the initial state\n");
  EXPECT_EQ(simulation.obey("h").text, Simulation::commands_text);
  EXPECT_EQ(simulation.obey("").text, "");
  EXPECT_EQ("  0  initial state\n" + simulation.obey("s").text, simulation.initial_text());
  EXPECT_TRUE(simulation.run().actions.empty());
  EXPECT_FALSE(simulation.obey("q").goes_on);
}

TEST(Simulation, RefusesWhatIsNotACommand) {
  const System s = system();
  Simulation simulation(s, source, {});
  for (const char* word : {"0", "3", "1x", "-1", "18446744073709551617", "x"}) {
    const Simulation::Reply reply = simulation.obey(word);
    EXPECT_TRUE(reply.text.starts_with("'" + std::string(word) + "' is not one of these")) << reply.text;
    EXPECT_TRUE(reply.goes_on);
  }
  EXPECT_TRUE(simulation.run().actions.empty());
}

TEST(Simulation, StaysWhereAnActionFails) {
  const System s = system();
  Simulation simulation(s, source, {});
  for (int i = 0; i < 4; ++i) simulation.obey("1");
  const Simulation::Reply reply = simulation.obey("1");
  EXPECT_TRUE(reply.text.starts_with("  5  A: idle -> work\n")) << reply.text;
  EXPECT_NE(reply.text.find("index 2 is outside flag[0..1]"), std::string::npos) << reply.text;
  EXPECT_EQ(simulation.run().actions.size(), 4u);
  EXPECT_FALSE(simulation.run().fails());  // by hand one can choose another action
  EXPECT_TRUE(simulation.obey("b").text.starts_with("back in state 3\n"));
}

TEST(Simulation, RandomStepsEndInTheModelErrorAndTheRunSaysSo) {
  const System s = system();
  Simulation simulation(s, source, {.seed = 7});
  int steps = 0;
  while (simulation.step_at_random().goes_on) ASSERT_LT(++steps, 100);
  EXPECT_EQ(simulation.run().failing_action, raise);
  EXPECT_EQ(simulation.run().actions.size() + 1, simulation.run().states.size());
}

TEST(Simulation, TheSameSeedGivesTheSameRun) {
  const System s = system();
  const auto text = [&](std::uint64_t seed, bool keep_run) {
    Simulation simulation(s, source, {.seed = seed, .keep_run = keep_run});
    std::string all;
    for (Simulation::Reply reply; reply.goes_on; all += reply.text) reply = simulation.step_at_random();
    EXPECT_EQ(simulation.run().states.size() > 1, keep_run);
    return all;
  };
  EXPECT_EQ(text(7, true), text(7, true));
  EXPECT_EQ(text(7, true), text(7, false));
}

}  // namespace
}  // namespace tideline
