// Fairness of lassos, on three processes around one variable.
#include "trace/fairness.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tideline {
namespace {

constexpr ComponentId A = 0, B = 1, C = 2;
constexpr ActionId up = 0, down = 1, meet = 2, fail = 3;

Expr x_equals(int value) {
  return Expr::binary(Op::eq, Expr::load(0), Expr::constant(value));
}

/// x is in 0..3. A makes it 1 when it is 0 (up), 0 when it is 1 (down), and together with B, when it is 1, 0
/// as well (meet). C, when x is 2, makes it 9, which is an error (fail); with x at 3 all is over. An error
/// leads to 3.
System three_processes() {
  System system;
  system.add_variable({.name = "x"}, {0, 3}, {0});
  for (const char* name : {"A", "B", "C"}) {
    const auto id = static_cast<ComponentId>(system.components.size());
    system.components.push_back({.name = name, .location_slot = id + 1, .locations = {{.name = "l"}}});
    system.add_variable({.name = name, .owner = id, .is_location = true}, {0, 1}, {0});
  }
  const auto add = [&](const char* label, const std::vector<ComponentId>& who, int from, int to) {
    Action action{.label = label, .guard = x_equals(from)};
    for (const ComponentId c : who) action.participants.push_back({.component = c});
    action.effects.push_back({.slot = 0, .value = Expr::constant(to)});
    system.actions.push_back(action);
  };
  add("up", {A}, 0, 1);
  add("down", {A}, 1, 0);
  add("meet", {A, B}, 1, 0);
  add("fail", {C}, 2, 9);
  system.error_state = Values{3, 0, 0, 0};
  complete(system);
  return system;
}

Trace lasso(const std::vector<int>& x, const std::vector<ActionId>& actions, std::size_t loop) {
  Trace run;
  for (const int value : x) run.states.push_back({value, 0, 0, 0});
  run.actions = actions;
  run.loop = loop;
  return run;
}

/// All three processes do something, so that they are the parties of the same numbers.
std::optional<std::size_t> starved(const System& system, const Trace& run, Fairness fairness,
                                   ErrorSemantics errors = ErrorSemantics::stop) {
  return starved_party(system, errors, run, fairness, fair_parties(system));
}

TEST(FairLasso, WeakAsksForProcessesThatAreAlwaysEnabled) {
  const System system = three_processes();
  // B is enabled in every second state: weakly fair, but not strongly.
  const Trace run = lasso({0, 1}, {up, down}, 0);
  EXPECT_EQ(starved(system, run, Fairness::none), std::nullopt);
  EXPECT_EQ(starved(system, run, Fairness::weak), std::nullopt);
  EXPECT_EQ(starved(system, run, Fairness::strong), B);
  EXPECT_TRUE(is_fair(system, ErrorSemantics::stop, run, Fairness::weak, fair_parties(system)));
  EXPECT_FALSE(is_fair(system, ErrorSemantics::stop, run, Fairness::strong, fair_parties(system)));
}

TEST(FairLasso, AJointStepIsAStepOfAllParticipants) {
  const System system = three_processes();
  EXPECT_EQ(starved(system, lasso({0, 1}, {up, meet}, 0), Fairness::strong), std::nullopt);
}

TEST(FairLasso, IsAboutTheCycleAndNotThePrefix) {
  const System system = three_processes();
  // B moves before the cycle, which does not help; and is enabled before another one, which does no harm.
  EXPECT_EQ(starved(system, lasso({0, 1, 0, 1}, {up, meet, up, down}, 2), Fairness::strong), B);
  EXPECT_EQ(starved(system, lasso({1, 3}, {down, no_action}, 1), Fairness::strong), std::nullopt);
  // A is enabled in the whole cycle and moves only before it.
  EXPECT_EQ(starved(system, lasso({0, 1, 1}, {up, no_action, no_action}, 1), Fairness::weak), A);
}

TEST(FairLasso, ToStayInADeadlockIsFair) {
  const System system = three_processes();
  EXPECT_EQ(starved(system, lasso({3}, {no_action}, 0), Fairness::strong), std::nullopt);
}

TEST(FairLasso, AnActionThatWouldFailIsEnabled) {
  const System system = three_processes();
  const Trace run = lasso({2}, {up}, 0);
  EXPECT_EQ(starved(system, run, Fairness::weak), C);
  EXPECT_EQ(starved(system, run, Fairness::weak, ErrorSemantics::error_state), C);
}

TEST(FairLasso, GuardsWithoutAValueFollowTheSemanticsOfErrors) {
  System system = three_processes();
  // A guard that fails and has the value 0: true when errors stop, false when they lead to the error state.
  system.actions[fail].guard =
      Expr::binary(Op::div, Expr::constant(0), Expr::binary(Op::sub, Expr::load(0), Expr::load(0)));
  const Trace run = lasso({0, 1}, {up, meet}, 0);
  EXPECT_EQ(starved(system, run, Fairness::weak, ErrorSemantics::stop), C);
  EXPECT_EQ(starved(system, run, Fairness::weak, ErrorSemantics::error_state), std::nullopt);
}

TEST(FairLasso, PartiesMayBeSetsOfActions) {
  const System system = three_processes();
  const Trace run = lasso({0, 1}, {up, down}, 0);
  const auto starved_of = [&](Fairness fairness, const std::vector<std::string>& patterns) {
    return starved_party(system, ErrorSemantics::stop, run, fairness, fair_parties(system, patterns));
  };
  EXPECT_EQ(starved_of(Fairness::strong, {"up", "meet"}), 1u);
  EXPECT_EQ(starved_of(Fairness::weak, {"up", "meet"}), std::nullopt);
  EXPECT_EQ(starved_of(Fairness::strong, {"*e*", "down"}), 0u);  // meet alone; fail is not enabled
  EXPECT_EQ(starved_of(Fairness::strong, {"*o*"}), std::nullopt);
  EXPECT_THROW(fair_parties(system, {"upp"}), Error);
}

TEST(FairLasso, ARunWithoutALoopIsNotFair) {
  const System system = three_processes();
  Trace run = lasso({0, 1}, {up}, 0);
  run.loop.reset();
  for (const Fairness fairness : {Fairness::none, Fairness::weak, Fairness::strong})
    EXPECT_FALSE(is_fair(system, ErrorSemantics::stop, run, fairness, fair_parties(system)));
}

}  // namespace
}  // namespace tideline
