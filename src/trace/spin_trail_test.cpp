// Trails of SPIN: what is written is read back as the same run, and what a person sees of a Promela run.
#include "trace/spin_trail.hpp"

#include <gtest/gtest.h>

#include "lang/lang.hpp"
#include "trace/itf.hpp"
#include "trace/replay.hpp"
#include "trace/show.hpp"
#include "trace/simulation.hpp"

namespace tideline {
namespace {

const char* const program = R"(mtype = { ask, grant };
chan q = [2] of { mtype, byte };
chan r = [0] of { mtype };
byte done;
active [2] proctype P() {
  q!ask(_pid);
  atomic { r?grant; done++; printf("served %d %e\n", done, grant) };
  d_step { done > 0; done = done * 1; if :: done == 2 -> done = 0 :: else fi }
}
active proctype S() {
  byte who;
end: do :: q?ask(who) -> printf("MSC: %d\n", who); r!grant od
}
)";

Trace random_run(const System& system, std::uint64_t seed, std::size_t steps) {
  Simulation simulation(system, {.seed = seed});
  for (std::size_t i = 0; i < steps && !simulation.enabled().empty(); ++i)
    simulation.take(simulation.random_action());
  // SPIN takes a d_step as a whole: the run ends where one does.
  while (system.transient != no_slot && simulation.state()[system.transient] != 0)
    simulation.take(simulation.random_action());
  return simulation.run();
}

TEST(SpinTrail, WhatIsWrittenIsReadBackAsTheSameRun) {
  const Model model = read_model({"m.pml", program});
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Trace run = random_run(model.system, seed, 4 * seed % 23);
    const SpinTrail trail = read_spin_trail(to_spin_trail(model.system, run), "m.pml.trail");
    EXPECT_EQ(follow_spin_trail(model.system, trail).states.back(), run.states.back()) << seed;
  }
}

TEST(SpinTrail, ARunIntoAnEndlessStepReplaysFromItsFile) {
  const Model model =
      read_model({"m.pml", "byte y; active proctype A() { if :: y = 1 :: atomic { do :: y = 3 od } fi }"});
  const System& system = model.system;
  const Reference reference(system);
  Trace run;
  run.states.push_back(system.initial);
  std::string failures;
  for (ActionId action = 0; action < system.actions.size(); ++action) {
    ModelError ignored;
    if (!reference.enabled(action, system.initial, ignored)) continue;
    run.failing_action = action;
    run.error = endless_step(system, reference, action, system.initial);
    const ItfCheck check = check_against(system, read_itf(to_itf(system, run, {.model = "m.pml"}), "t"));
    failures += system.actions[action].label + (check.failure ? ": no; " : ": yes; ");
  }
  EXPECT_EQ(failures, "A[0]: y = 1: no; A[0]: y = 3: yes; ");
}

TEST(SpinTrail, ProcessesOfTrailsWithAClaimAreNumberedFromOne) {
  const Model model = read_model({"m.pml", program});
  const SpinTrail plain = read_spin_trail("0:0:0\n1:1:0\n", "a.trail");
  const SpinTrail claimed = read_spin_trail("-2:2:-2\n-4:-4:-4\n0:0:44\n1:1:0\n2:0:44\n3:2:0\n", "b.trail");
  EXPECT_TRUE(claimed.merged);
  EXPECT_EQ(follow_spin_trail(model.system, plain).states, follow_spin_trail(model.system, claimed).states);
}

TEST(SpinTrail, MergedStatementsOfAnAtomicSequenceAreTakenBeforeAnotherProcessMoves) {
  const Model model = read_model(
      {"m.pml",
       "byte b, x; active proctype P() { x = 1 } active proctype Q() { atomic { b = 1; b = 2; b = 3 } }"});
  const Trace run = follow_spin_trail(model.system, read_spin_trail("-4:-4:-4\n0:1:2\n1:0:0\n", "m.trail"));
  EXPECT_EQ(run.actions.size(), 4U);
  EXPECT_EQ(run.states.back()[*model.system.find_slot("b")], 3);
  EXPECT_EQ(run.states.back()[*model.system.find_slot("x")], 1);
}

TEST(SpinTrail, ALoopIsOneWhereTheStateReturns) {
  const Model model = read_model({"m.pml", "bit b; active proctype P() { do :: b = 1 :: b = 0 od }"});
  const Trace run =
      follow_spin_trail(model.system, read_spin_trail("0:0:0\n-1:-1:-1\n1:0:1\n2:0:0\n", "m.trail"));
  ASSERT_TRUE(run.loop);
  EXPECT_EQ(*run.loop, 1U);
  EXPECT_EQ(run.actions.size(), 3U);
  EXPECT_EQ(to_spin_trail(model.system, run), "0:0:0\n-1:-1:-1\n1:0:1\n2:0:0\n");
}

TEST(SpinTrail, WrongTrailsAreRefusedWithTheStep) {
  const Model model = read_model({"m.pml", program});
  const auto message = [&](const char* text) {
    try {
      follow_spin_trail(model.system, read_spin_trail(text, "m.trail"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(message("0:2:0\n").find("process 2 cannot take statement 0 as step 1"), std::string::npos);
  EXPECT_NE(message("0:2\n").find("expected three numbers"), std::string::npos);
  EXPECT_NE(message("-5:1:2\n").find("changed order"), std::string::npos);
  EXPECT_FALSE(is_spin_trail("run.itf.json", "{ }"));
  EXPECT_TRUE(is_spin_trail("m.pml.trail", ""));
  EXPECT_TRUE(is_spin_trail("some file", "-4:-4:-4\n0:0:1\n"));
  const Model other = read_model({"m.dve", "process P { state s; init s; }\nsystem async;"});
  EXPECT_THROW(require_trace_format("m.trail", other.system), Error);
}

TEST(SpinTrail, RunsOfPromelaShowPlacesNamesAndOutput) {
  const Model model = read_model({"dir/m.pml", program});
  const Trace run = follow_spin_trail(
      model.system, read_spin_trail("0:1:0\n1:2:14\n2:2:15\n3:2:16\n4:1:1\n5:1:2\n6:1:3\n", "m.trail"));
  const std::string text = show_run(model.system, run, {.source = &model.source});
  EXPECT_NE(text.find("P[1] m.pml:6: q!ask(_pid) (q!ask(1))"), std::string::npos) << text;
  EXPECT_NE(text.find("q: [] -> [ask(1)]"), std::string::npos) << text;
  EXPECT_NE(text.find("MSC: 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("S[2] m.pml:12: r!grant / P[1] m.pml:7: r?grant"), std::string::npos) << text;
  EXPECT_NE(text.find("output: served 1 grant\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("_exclusive"), std::string::npos) << text;
  EXPECT_EQ(text.find("_nr_pr"), std::string::npos) << text;
}

}  // namespace
}  // namespace tideline
