// docs/semantics-dve.md, sections 6 to 10 line by line: the test of line 7.3 is Dve.S7_3_...
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "testing/dve_steps.hpp"
#include "testing/models.hpp"

namespace tideline::dve {
namespace {

// --- What is known of channels ---------------------------------------------------------------------------

TEST(Dve, ActionsSayWhatTheySendAndReceive) {
  const System system = system_of(
      "channel r; channel {byte, byte} q[2]; byte x;\n"
      "process A { state s, t; init s; trans s -> t { sync r!x + 1; }, t -> s { sync q!{7, x}; }; }\n"
      "process B { byte y, z; state s; init s;\n"
      "trans s -> s { sync r?y; }, s -> s { sync q?{y, z}; }; } system async;");
  ASSERT_EQ(system.channels.size(), 2u);
  EXPECT_EQ(system.channels[0].capacity, 0u);
  EXPECT_EQ(system.channels[1].capacity, 2u);
  EXPECT_EQ(system.slots[system.channels[1].length_slot].name, "q.length");
  EXPECT_EQ(system.slots[system.channels[1].fields[1]].name, "q.1[0]");
  std::vector<std::string> seen;
  for (const Action& action : system.actions) {
    ASSERT_TRUE(action.message.has_value());
    const Message& message = *action.message;
    const auto name = [&](ComponentId id) { return id == no_component ? "-" : system.components[id].name; };
    std::string text = name(message.sender) + " " + system.channels[message.channel].name;
    for (const Expr& value : message.values) text += " " + to_string(value, system);
    seen.push_back(text + " " + name(message.receiver));
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<std::string>{"- q q.0[0] q.1[0] B", "A q 7 x -", "A r x + 1 B"}));
  const auto& both = system.actions[0].participants;
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].where.line, 2u);
  EXPECT_EQ(both[1].where.line, 4u);
}

// --- 6 Committed states ---------------------------------------------------------------------------------

TEST(Dve, S6_1_CommittedGoFirst) {
  // Without commit 9 states; with it B cannot move while A is in m.
  const std::string a = "process A { state s, m, t; init s; trans s -> m {}, m -> t {}; ";
  const std::string b = "process B { state s, m, t; init s; trans s -> m {}, m -> t {}; } system async;";
  EXPECT_EQ(explore(system_of(a + "} " + b)).states.size(), 9u);
  const StateSpace space = explore(system_of(a + "commit m; } " + b));
  EXPECT_EQ(space.states.size(), 9u);
  EXPECT_EQ(space.edges, 3u * 2 + 2 * 2);  // A's six edges, B's edges only with A in s or t
}

TEST(Dve, S6_2_SeveralCommitted) {
  const System system = system_of(
      "process A { state s, t; commit s; init s; trans s -> t {}; } process B { state s, t; commit s; init "
      "s; "
      "trans s -> t {}; } process C { state s, t; init s; trans s -> t {}; } system async;");
  EXPECT_EQ(Reference(system).enabled(system.initial).size(), 2u);
  EXPECT_EQ(explore(system).states.size(), 5u);
}

TEST(Dve, S6_3_RendezvousNeedsBothCommitted) {
  const auto enabled = [](const std::string& sender, const std::string& receiver) {
    const System system = system_of("channel c; process A { state s; " + sender +
                                    " init s; trans s -> s { sync c!; }; } process B { state s; " + receiver +
                                    " init s; trans s -> s { sync c?; }; } process C { state s; init s; "
                                    "trans s -> s {}; } system async;");
    return Reference(system).enabled(system.initial).size();
  };
  EXPECT_EQ(enabled("", ""), 2u);
  EXPECT_EQ(enabled("commit s;", "commit s;"), 1u);
  EXPECT_EQ(enabled("commit s;", ""), 0u);
  EXPECT_EQ(enabled("", "commit s;"), 0u);
}

TEST(Dve, S6_4_CommittedCanBlock) {
  const System system = system_of(
      "process A { state s; commit s; init s; trans s -> s { guard 0; }; } "
      "process B { state s; init s; trans s -> s {}; } system async;");
  EXPECT_EQ(explore(system).deadlocks, 1u);
}

// --- 7 system sync --------------------------------------------------------------------------------------

TEST(Dve, S7_1_EveryProcessMoves) {
  // Counters modulo 2 and 3 in step: 6 states in a ring, two edges each.
  const System system = system_of(
      "byte x, y; process A { state s; init s; trans s -> s { effect x = (x + 1) % 2; }; } "
      "process B { state s; init s; trans s -> s { effect y = (y + 1) % 3; }, s -> s { effect y = (y + 1) % "
      "3; }; } "
      "system sync;");
  const StateSpace space = explore(system);
  EXPECT_EQ(space.states.size(), 6u);
  EXPECT_EQ(space.edges, 12u);
  EXPECT_EQ(system.actions[0].label, "A: s -> s | B: s -> s");
  EXPECT_EQ(system.actions[1].label, "A: s -> s | B: s -> s #2");
}

TEST(Dve, S7_2_OneStopsAll) {
  const System system = system_of(
      "process A { state s, t; init s; trans s -> t {}; } "
      "process B { state s; init s; trans s -> s {}; } system sync;");
  const StateSpace space = explore(system);
  EXPECT_EQ(space.states.size(), 2u);
  EXPECT_EQ(space.deadlocks, 1u);
  const System none = system_of(
      "process A { state s; init s; trans s -> s {}; } process B { state s; init s; } system sync;");
  EXPECT_EQ(explore(none).deadlocks, 1u);
}

TEST(Dve, S7_3_ReadsTheStateBefore) {
  // They swap x and y, and A sees its own assignment but neither B's nor B's move.
  const System system = system_of(
      "byte x = 1, y = 2, z, a[2]; process A { state s, t; init s; trans s -> t { effect a[1] = x, x = y, z "
      "= x * 100 + B.s * 10 + A.t + a[1]; }; } "
      "process B { state s, t; init s; trans s -> t { effect y = x; }; } system sync;");
  const Values state = after_one_step(system);
  EXPECT_EQ(slot_in(system, state, "x"), 2);
  EXPECT_EQ(slot_in(system, state, "y"), 1);
  EXPECT_EQ(slot_in(system, state, "z"), 212);
}

TEST(Dve, S7_4_Conflicts) {
  const auto kind = [](const std::string& a, const std::string& b) {
    return error_of_step(system_of(
        "byte x, v[2]; process A { byte l; state s; init s; trans s -> s { effect " + a +
        "; }; } process B { byte l; state s; init s; trans s -> s { effect " + b + "; }; } system sync;"));
  };
  EXPECT_EQ(kind("x = 1", "x = 1"), ModelErrorKind::conflicting_assignment);
  EXPECT_EQ(kind("v[0] = 1", "v[1] = 1"), ModelErrorKind::conflicting_assignment);
  EXPECT_EQ(kind("x = 1, x = 2", "v[0] = 1"), ModelErrorKind::none);
  EXPECT_EQ(kind("l = 1", "l = 1"), ModelErrorKind::none);
}

TEST(Dve, S7_5_NoChannelsAndNoCommit) {
  EXPECT_NE(error_of("channel c; process A { state s; init s; } system sync;").find("cannot have channels"),
            std::string::npos);
  const System system = system_of(
      "process A { state s; commit s; init s; trans s -> s {}; } "
      "process B { state s; init s; trans s -> s {}; } system sync;");
  EXPECT_EQ(warnings_with(system, "'commit' has no effect"), 1u);
  EXPECT_EQ(Reference(system).enabled(system.initial).size(), 1u);
}

TEST(Dve, S7_6_TooManyCombinations) {
  std::string text;
  for (int p = 0; p < 18; ++p)
    text += "process P" + std::to_string(p) + " { state s; init s; trans s -> s {}, s -> s {}; } ";
  EXPECT_NE(error_of(text + "system sync;").find("more than 200000 combinations"), std::string::npos);
}

// --- 8 Assertions ---------------------------------------------------------------------------------------

TEST(Dve, S8_1_Assertions) {
  const System system = system_of(
      "byte x = 1;\nprocess P { byte l; state s, t; init s;\n"
      "assert t: x  == 1 and l == 0, s: true;\ntrans s -> t { effect x = 2; }; } system async;");
  ASSERT_EQ(system.assertions.size(), 2u);
  const Assertion& assertion = system.assertions[0];
  EXPECT_EQ(assertion.name, "P.t:3");
  EXPECT_EQ(assertion.text, "x  == 1 and l == 0");
  const Reference reference(system);
  EXPECT_NE(reference.evaluate(assertion.condition, system.initial).value, 0);
  EXPECT_EQ(reference.evaluate(assertion.condition, after_one_step(system)).value, 0);
  EXPECT_NE(reference.evaluate(system.assertions[1].condition, system.initial).value, 0);
}

// --- 9 The property process -----------------------------------------------------------------------------

std::string watched(const std::string& accept, const std::string& body = "", const std::string& locals = "") {
  return "byte g; channel c; process L { " + locals + " state a, b, d; init b; " + accept +
         " trans a -> b { " + body +
         " }; } process P { byte x; state s, t; init s; trans s -> t {}; } system async property L;";
}

TEST(Dve, S9_1_ThePropertyIsNoComponent) {
  const System system = system_of(watched("accept a;", "guard P.t && P->x == g;"));
  ASSERT_EQ(system.components.size(), 1u);
  EXPECT_EQ(system.components[0].name, "P");
  EXPECT_EQ(system.slots.size(), 3u);
  EXPECT_EQ(system.actions.size(), 1u);
  ASSERT_TRUE(system.property.has_value());
  EXPECT_EQ(system.property->name, "L");
  EXPECT_EQ(system.property->initial, 1u);
  ASSERT_EQ(system.property->edges.size(), 1u);
  EXPECT_EQ(system.property->edges[0].from, 0u);
  EXPECT_EQ(system.property->edges[0].to, 1u);
  EXPECT_EQ(Reference(system).evaluate(system.property->edges[0].guard, system.initial).value, 0);
  EXPECT_EQ(Reference(system).evaluate(system.property->edges[0].guard, after_one_step(system)).value, 1);
}

using Sets = std::vector<std::vector<LocationId>>;

TEST(Dve, S9_2_Buchi) {
  EXPECT_EQ(system_of(watched("accept a, d;")).property->accepting, (Sets{{0, 2}}));
  EXPECT_EQ(system_of(watched("accept buchi a, d;")).property->accepting, (Sets{{0, 2}}));
}

TEST(Dve, S9_3_GeneralisedBuchi) {
  EXPECT_EQ(system_of(watched("accept genbuchi (a, b), (d);")).property->accepting, (Sets{{0, 1}, {2}}));
  EXPECT_NE(error_of(watched("accept rabin (a);")).find("acceptance 'rabin' is not supported"),
            std::string::npos);
}

TEST(Dve, S9_4_NothingAccepted) {
  const System system = system_of(watched(""));
  EXPECT_EQ(system.property->accepting, (Sets{{}}));
  EXPECT_EQ(warnings_with(system, "accepts nothing"), 1u);
}

TEST(Dve, S9_5_OwnVariables) {
  const System system = system_of(watched("accept a;", "guard n < 3; effect n = n + 1, v[n] = P->x;",
                                          "byte n = 2; int v[4]; const byte K = 1;"));
  const PropertyProcess& property = *system.property;
  ASSERT_EQ(property.slots.size(), 5u);
  EXPECT_EQ(system.slots[property.slots[0]].name, "L.n");
  EXPECT_EQ(system.slots[property.slots[4]].name, "L.v[3]");
  EXPECT_EQ(system.slots[property.slots[0]].owner, no_component);
  EXPECT_EQ(system.initial[property.slots[0]], 2);
  EXPECT_EQ(property.edges[0].effects.size(), 2u);
  EXPECT_EQ(value_of("L.n + L->n", system), 4);
  EXPECT_NE(error_of(watched("accept a;", "effect g = 1;")).find("only its own variables"),
            std::string::npos);
  EXPECT_NE(error_of(watched("accept a;", "sync c!;")).find("cannot use channels"), std::string::npos);
}

TEST(Dve, S9_6_AcceptElsewhere) {
  const System system = system_of("process P { state s; init s; accept s; trans s -> s {}; } system async;");
  EXPECT_EQ(warnings_with(system, "'accept' is ignored"), 1u);
  EXPECT_FALSE(system.property.has_value());
}

// --- 10 Model errors ------------------------------------------------------------------------------------

TEST(Dve, S10_1_ValueOutOfRange) {
  EXPECT_EQ(error_of_step(system_of(one_step("byte x = 255;", "effect x = x + 1;"))),
            ModelErrorKind::value_out_of_range);
  EXPECT_EQ(error_of_step(system_of(one_step("byte x;", "effect x = x - 1;"))),
            ModelErrorKind::value_out_of_range);
  EXPECT_EQ(error_of_step(system_of(one_step("int x = 32767;", "effect x = x + 1, x = 0;"))),
            ModelErrorKind::value_out_of_range);
}

TEST(Dve, S10_2_IndexOutOfBounds) {
  for (const char* effect :
       {"x = a[2]", "x = a[x - 1]", "a[2] = 0", "a[x + 2] = 0", "x = T[x + 2]", "x = T[2]"})
    EXPECT_EQ(error_of_step(system_of(one_step("byte x, a[2]; const byte T[2] = {1, 2};",
                                               std::string("effect ") + effect + ";"))),
              ModelErrorKind::index_out_of_bounds)
        << effect;
}

TEST(Dve, S10_3_DivisionByZero) {
  for (const char* effect : {"x = 1 / x", "x = 1 % x", "x = 1 / 0"})
    EXPECT_EQ(error_of_step(system_of(one_step("byte x;", std::string("effect ") + effect + ";"))),
              ModelErrorKind::division_by_zero)
        << effect;
}

TEST(Dve, S10_4_ShiftOutOfRange) {
  EXPECT_EQ(error_of_step(system_of(one_step("byte x = 64;", "effect x = 0 << x;"))),
            ModelErrorKind::shift_out_of_range);
  EXPECT_EQ(error_of_step(system_of(one_step("byte x = 1;", "effect x = 1 >> -x;"))),
            ModelErrorKind::shift_out_of_range);
}

const char* const overflowing = R"(
  byte x = 254, y = 3;
  process A { state s, t; init t; trans t -> t { effect x = x + 1; }; }
  process B { byte l = 1; state s, t; init t; trans t -> t { guard y > 3; }, s -> t { guard not A.s && not A.t; effect y = 7; }; }
  system async;)";

TEST(Dve, S10_5_ErrorsStopByDefault) {
  const StateSpace space = explore(system_of(overflowing));
  EXPECT_EQ(space.states.size(), 2u);
  ASSERT_EQ(space.errors.size(), 1u);
  EXPECT_EQ(space.errors[0].kind, ModelErrorKind::value_out_of_range);
  EXPECT_EQ(space.errors[0].where.line, 3u);
}

TEST(Dve, S10_6_GuardsWithoutAValueAreFound) {
  EXPECT_EQ(error_of_step(system_of(one_step("byte x;", "guard 1 / x == 1;"))),
            ModelErrorKind::division_by_zero);
  const auto errors_with = [](const std::string& clauses, const std::string& other) {
    return explore(system_of("byte x; channel c; channel {byte} full[1]; process A { state s; init s; trans "
                             "s -> s { guard 1 / x; " +
                             clauses + " }; } process B { state s, t; " + other + " } system async;"))
        .errors.size();
  };
  EXPECT_EQ(errors_with("sync c!;", "init s; trans s -> s { sync c?; };"), 1u);
  EXPECT_EQ(errors_with("sync c!;", "init s; trans s -> s { guard x; sync c?; };"), 0u);
  EXPECT_EQ(errors_with("sync full?x;", "init s;"), 0u);
  EXPECT_EQ(errors_with("", "init s;"), 1u);
  EXPECT_EQ(errors_with("", "commit s; init s;"), 0u);
}

TEST(Dve, S10_7_TheErrorState) {
  const System system = system_of(overflowing);
  const StateSpace space = explore(system, ErrorSemantics::error_state);
  ASSERT_TRUE(system.error_state.has_value());
  EXPECT_EQ(*system.error_state, (Values{0, 0, 2, 0, 0}));  // x, y, A, B, B.l
  EXPECT_TRUE(space.states.contains(*system.error_state));
}

TEST(Dve, S10_8_OthersGoOn) {
  const System system = system_of(overflowing);
  const StateSpace space = explore(system, ErrorSemantics::error_state);
  // Two before the error, the error state, and B's move from there, after which B may go round.
  EXPECT_EQ(space.states.size(), 4u);
  EXPECT_TRUE(space.states.contains(Values{0, 7, 2, 1, 0}));
  EXPECT_EQ(system.show_value(*system.find_slot("A"), 2), "<error>");
}

TEST(Dve, S10_9_GuardErrorsUnderDivine) {
  const System holds = system_of(one_step("byte x;", "guard 1 / x == 0;"));
  const Reference reference(holds, ErrorSemantics::error_state);
  const auto enabled = reference.enabled(holds.initial);
  ASSERT_EQ(enabled.size(), 1u);
  EXPECT_EQ(reference.fire(enabled[0], holds.initial).state, *holds.error_state);
  const System fails = system_of(one_step("byte x;", "guard 1 / x == 1;"));
  EXPECT_TRUE(Reference(fails, ErrorSemantics::error_state).enabled(fails.initial).empty());
}

}  // namespace
}  // namespace tideline::dve
