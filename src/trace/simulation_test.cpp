#include "trace/simulation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "testing/random_system.hpp"
#include "testing/two_counters.hpp"
#include "trace/itf.hpp"

namespace tideline {
namespace {

using namespace two_counters;

TEST(Simulation, GoesBackAndForwardOnOneTimeline) {
  const System s = system();
  Simulation simulation(s, {});
  EXPECT_EQ(simulation.enabled(), (std::vector<ActionId>{raise, once}));
  for (const ActionId action : {raise, once, pass}) simulation.take(action);
  const Values last = simulation.state();
  EXPECT_TRUE(simulation.back());
  EXPECT_TRUE(simulation.back());
  EXPECT_EQ(simulation.position(), 1U);
  EXPECT_EQ(simulation.length(), 3U);
  EXPECT_EQ(simulation.run().actions, (std::vector<ActionId>{raise}));
  EXPECT_EQ(simulation.state_at(3), last);
  simulation.take(once);  // what was taken before: the rest is kept
  EXPECT_TRUE(simulation.forward());
  EXPECT_EQ(simulation.state(), last);
  EXPECT_FALSE(simulation.forward());
  simulation.go_to(1);
  simulation.take(pass);  // another way: the rest is forgotten
  EXPECT_FALSE(simulation.forward());
  EXPECT_EQ(simulation.length(), 2U);
  simulation.go_to(0);
  EXPECT_EQ(simulation.state(), s.initial);
  EXPECT_FALSE(simulation.back());
}

TEST(Simulation, StaysWhereAnActionFailsAndTheRunSaysSo) {
  const System s = system();
  Simulation simulation(s, {});
  for (const ActionId action : {raise, pass, raise, pass}) simulation.take(action);
  EXPECT_EQ(simulation.take(raise).kind, ModelErrorKind::index_out_of_bounds);
  EXPECT_EQ(simulation.position(), 4U);
  EXPECT_EQ(simulation.run().failing_action, raise);
  simulation.back();
  EXPECT_FALSE(simulation.run().fails());
  simulation.forward();
  EXPECT_TRUE(simulation.run().fails());
  simulation.take(once);  // one can choose another action
  EXPECT_FALSE(simulation.run().fails());
}

TEST(Simulation, ALassoGoesRoundAndIsALassoWhereverItEnds) {
  // Two switches of one process: on, off, on, ...
  System s;
  s.components.push_back({.name = "P", .locations = {{"a"}, {"b"}, {"c"}}, .edges = {}});
  s.add_variable({.name = "P", .owner = 0, .is_location = true}, {0, 2}, {0});
  s.components[0].location_slot = 0;
  for (const auto& [from, to] : {std::pair{0U, 1U}, {1U, 2U}, {2U, 1U}, {1U, 1U}}) {
    Action action{.label = "move", .participants = {{.component = 0, .from = from, .to = to}}};
    action.effects.push_back({.slot = 0, .value = Expr::constant(to)});
    s.actions.push_back(action);
  }
  complete(s);
  Simulation simulation(s, {});
  simulation.load({.states = {{0}, {1}, {2}}, .actions = {0, 1, 2}, .loop = 1});
  EXPECT_EQ(simulation.position(), 3U);
  EXPECT_EQ(simulation.state(), Values{1});  // the loop's first
  for (std::size_t round = 1; round <= 5; ++round) {
    const Trace run = simulation.run();
    ASSERT_TRUE(run.loop);
    EXPECT_EQ(*run.loop, round);
    EXPECT_EQ(run.actions.size(), run.states.size());
    EXPECT_FALSE(check_against(s, read_itf(to_itf(s, run, {}), "run")).failure);
    EXPECT_TRUE(simulation.forward());
  }
  simulation.back();
  EXPECT_FALSE(simulation.run().loop);
  simulation.forward();
  simulation.take(simulation.state() == Values{1} ? 1 : 2);  // round by hand
  EXPECT_TRUE(simulation.run().loop);
  simulation.go_to(3);
  simulation.take(3);  // away from the loop
  EXPECT_FALSE(simulation.run().loop);
  EXPECT_FALSE(simulation.forward());
}

TEST(Simulation, TheSameSeedGivesTheSameRun) {
  const System s = system();
  const auto states = [&](std::uint64_t seed, bool keep_run) {
    Simulation simulation(s, {.seed = seed, .keep_run = keep_run});
    std::vector<Values> all;
    while (!simulation.enabled().empty() &&
           simulation.take(simulation.random_action()).kind == ModelErrorKind::none)
      all.push_back(simulation.state());
    EXPECT_EQ(simulation.position(), all.size());
    EXPECT_EQ(simulation.run().actions.empty(), !keep_run);
    return all;
  };
  EXPECT_EQ(states(7, true), states(7, true));
  EXPECT_EQ(states(7, true), states(7, false));
}

// Whatever is done, the run replays, and states seen again are the same.
RC_GTEST_PROP(Simulation, EveryWalkLeavesARunThatReplays, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const System s = RandomSystem(random()).take();
  Simulation simulation(s, {.seed = seed});
  for (int i = 0; i < 60; ++i) {
    switch (random() % 6) {
      case 0:
        simulation.back();
        break;
      case 1:
        simulation.forward();
        break;
      case 2:
        simulation.go_to(random() % (simulation.length() + 1));
        break;
      default:
        if (!simulation.enabled().empty()) simulation.take(simulation.random_action());
    }
    RC_ASSERT(simulation.state() == simulation.state_at(simulation.position()));
    if (i % 10 != 9) continue;
    const Trace run = simulation.run();
    const ItfCheck check = check_against(s, read_itf(to_itf(s, run, {}), "run"));
    RC_ASSERT(!check.failure);
    RC_ASSERT(check.run.states.back() == simulation.state());
    RC_ASSERT(check.run.fails() == run.fails());
  }
}

}  // namespace
}  // namespace tideline
