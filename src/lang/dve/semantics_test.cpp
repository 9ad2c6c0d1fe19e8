// docs/semantics-dve.md, sections 1 to 5 line by line: the test of line 4.3 is Dve.S4_3_...
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "testing/dve_steps.hpp"
#include "testing/models.hpp"

namespace tideline::dve {
namespace {

// A system to evaluate expressions in.
const System& arena() {
  static const System system = system_of(R"(
    byte b = 7; int i = -5; byte a[3] = {4, 5, 6}; const int K = 9; const byte T[3] = {1, 2, 3};
    process P { int x = 3; byte y[2] = {8, 9}; state s, t; init t; }
    process Q { state s; init s; trans s -> s {}; }
    system async;)");
  return system;
}
using dve::value_of;
std::int64_t value_of(const std::string& expression) {
  return value_of(expression, arena());
}

// --- 1 Values and expressions ---------------------------------------------------------------------------

TEST(Dve, S1_1_ByteAndIntRanges) {
  const System system = system_of(one_step("byte b; int i;", ""));
  EXPECT_EQ(system.slots[*system.find_slot("b")].range, (Range{0, 255}));
  EXPECT_EQ(system.slots[*system.find_slot("i")].range, (Range{-32768, 32767}));
}

TEST(Dve, S1_2_ExpressionsAreWide) {
  const System system =
      system_of(one_step("byte b = 200;", "effect b = b * 1000 * 1000 * 1000 / 1000000000;"));
  EXPECT_EQ(slot_in(system, after_one_step(system), "b"), 200);
}

TEST(Dve, S1_3_Precedence) {
  EXPECT_EQ(value_of("0 imply 0 and 0"), 1);  // 0 imply (0 and 0)
  EXPECT_EQ(value_of("1 || 0 & 0"), 1);       // 1 || (0 & 0)
  EXPECT_EQ(value_of("6 & 3 == 3"), 0);       // 6 & (3 == 3)
  EXPECT_EQ(value_of("2 == 1 < 2"), 0);       // 2 == (1 < 2)
  EXPECT_EQ(value_of("1 < 1 << 1"), 1);       // 1 < (1 << 1)
  EXPECT_EQ(value_of("1 << 1 + 1"), 4);       // 1 << (1 + 1)
  EXPECT_EQ(value_of("2 + 3 * 4"), 14);       // 2 + (3 * 4)
  EXPECT_EQ(value_of("not 0 * 5"), 5);        // (not 0) * 5
  EXPECT_EQ(value_of("-2 + 3"), 1);           // (-2) + 3
  EXPECT_EQ(value_of("~0 & 6"), 6);           // (~0) & 6
  EXPECT_EQ(value_of("!0 + !!7"), 2);         // (!0) + (!(!7))
}

TEST(Dve, S1_4_LeftAssociative) {
  EXPECT_EQ(value_of("10 - 4 + 3"), 9);
  EXPECT_EQ(value_of("100 / 10 * 5"), 50);
  EXPECT_EQ(value_of("1 or 1 and 0"), 0);
  EXPECT_EQ(value_of("1 || 0 && 0"), 0);
  EXPECT_EQ(value_of("1 | 3 ^ 2 & 1"), 1);
  EXPECT_EQ(value_of("0 imply 1 imply 0"), 0);
  EXPECT_EQ(value_of("3 > 2 > 1"), 0);
  EXPECT_EQ(value_of("64 >> 2 >> 1"), 8);
}

TEST(Dve, S1_5_TruthIsOneAndAnythingButZeroIsTrue) {
  EXPECT_EQ(value_of("5 and 7"), 1);
  EXPECT_EQ(value_of("5 or 0"), 1);
  EXPECT_EQ(value_of("not 5"), 0);
  EXPECT_EQ(value_of("5 imply 3"), 1);
  EXPECT_EQ(value_of("5 imply 0"), 0);
  EXPECT_EQ(value_of("b == 7"), 1);
}

TEST(Dve, S1_6_RightSideOnlyWhenItMatters) {
  for (const char* text : {"0 and 1/(b-7)", "1 or 1/(b-7)", "0 imply 1/(b-7)"}) {
    const Expr expr = parse_expression(arena(), text, "test");
    EXPECT_EQ(Reference(arena()).evaluate(expr, arena().initial).error.kind, ModelErrorKind::none) << text;
  }
  const Expr expr = parse_expression(arena(), "b and 1/(b-7)", "test");
  EXPECT_EQ(Reference(arena()).evaluate(expr, arena().initial).error.kind, ModelErrorKind::division_by_zero);
}

TEST(Dve, S1_7_DivisionTruncates) {
  EXPECT_EQ(value_of("i / 2"), -2);
  EXPECT_EQ(value_of("i % 2"), -1);
  EXPECT_EQ(value_of("5 % -2"), 1);
}

TEST(Dve, S1_8_ShiftRightKeepsTheSign) {
  EXPECT_EQ(value_of("i >> 1"), -3);
}

TEST(Dve, S1_9_StateTestsAreNumbers) {
  EXPECT_EQ(value_of("P.s"), 0);
  EXPECT_EQ(value_of("P.t"), 1);
  EXPECT_EQ(value_of("P.t + Q.s"), 2);
}

TEST(Dve, S1_10_ForeignVariables) {
  EXPECT_EQ(value_of("P->x + P->y[1]"), 12);
  const System system = system_of(
      "byte g; process A { byte x = 5; state s; init s; } "
      "process B { state s; init s; trans s -> s { guard A->x == 5; effect g = A->x; }; } "
      "system async;");
  EXPECT_EQ(slot_in(system, after_one_step(system), "g"), 5);
}

TEST(Dve, S1_11_LocalBeforeGlobal) {
  const System system = system_of(one_step("byte x = 1; byte g;", "effect g = x;", "byte x = 2;"));
  EXPECT_EQ(slot_in(system, after_one_step(system), "g"), 2);
  EXPECT_EQ(warnings_with(system, "hides a global name"), 1u);
}

TEST(Dve, S1_12_TrueAndFalse) {
  EXPECT_EQ(value_of("true * 2 + false"), 2);
}

TEST(Dve, S1_13_AnArrayWithoutAnIndexIsItsFirstElement) {
  const System system = system_of(
      "byte e[3] = {5, 6, 7}, list[2]; const byte T[2] = {9, 8}; channel c; "
      "process P { byte l[2] = {4, 3}; state s, t; init s; "
      "trans s -> t { guard e == 5 and T == 9; sync c?e; effect list[1] = e, l = T; }; } "
      "process Q { byte x = 0; state s, t; init s; trans s -> t { guard P->l == 4; sync c!11; effect x = "
      "P->l; }; } "
      "system async;");
  const Values state = after_one_step(system);
  EXPECT_EQ(slot_in(system, state, "e[0]"), 11);
  EXPECT_EQ(slot_in(system, state, "e[1]"), 6);
  EXPECT_EQ(slot_in(system, state, "list[0]"), 0);
  EXPECT_EQ(slot_in(system, state, "list[1]"), 11);
  EXPECT_EQ(slot_in(system, state, "P.l[0]"), 9);
  EXPECT_EQ(slot_in(system, state, "P.l[1]"), 3);
  EXPECT_EQ(slot_in(system, state, "Q.x"), 9);
  EXPECT_EQ(warnings_with(system, "has no index here"), 8u);
  EXPECT_THROW(value_of("a == 4"), Error);
}

TEST(Dve, S1_14_NamesMayHaveSigns) {
  const System system = system_of(one_step("byte a$1 = 3, a#2;", "effect a#2 = a$1;"));
  EXPECT_EQ(slot_in(system, after_one_step(system), "a#2"), 3);
}

// --- 2 Declarations and states --------------------------------------------------------------------------

TEST(Dve, S2_1_ZeroByDefault) {
  const System system = system_of(one_step("byte g; int a[2];", "", "byte l;"));
  for (const char* name : {"g", "a[0]", "a[1]", "P.l"}) EXPECT_EQ(slot_in(system, system.initial, name), 0);
}

TEST(Dve, S2_2_ShortInitialiser) {
  const System system = system_of(one_step("byte a[3] = {7};", ""));
  EXPECT_EQ(system.initial, (Values{7, 0, 0, 0}));
}

TEST(Dve, S2_3_LongInitialiser) {
  const System zeros = system_of(one_step("byte a[2] = {1, 2, 0, 0};", ""));
  EXPECT_EQ(zeros.initial, (Values{1, 2, 0}));
  EXPECT_TRUE(zeros.warnings.empty());
  const System more = system_of(one_step("byte a[2] = {1, 2, 3, 4};", ""));
  EXPECT_EQ(more.initial, (Values{1, 2, 0}));
  EXPECT_EQ(warnings_with(more, "has only 2 elements"), 1u);
}

TEST(Dve, S2_4_InitialisersUseWhatIsKnown) {
  const System system =
      system_of(one_step("const byte N = 2; const int T[2] = {-1, 5}; byte x = N + 1; byte a[N] = {x, T[1]}; "
                         "int y = a[0] - a[1];",
                         "", "int z = y * N;"));
  EXPECT_EQ(slot_in(system, system.initial, "a[0]"), 3);
  EXPECT_EQ(slot_in(system, system.initial, "a[1]"), 5);
  EXPECT_EQ(slot_in(system, system.initial, "y"), -2);
  EXPECT_EQ(slot_in(system, system.initial, "P.z"), -4);
  EXPECT_NE(error_of(one_step("byte x = later; byte later = 1;", "")).find("unknown variable 'later'"),
            std::string::npos);
}

TEST(Dve, S2_5_InitialValueMustFit) {
  EXPECT_NE(error_of(one_step("byte x = 256;", "")).find("initial value 256 does not fit 'x' (0..255)"),
            std::string::npos);
  EXPECT_NE(error_of(one_step("int x = -32769;", "")).find("does not fit"), std::string::npos);
  EXPECT_NE(error_of(one_step("const byte K = -1;", "")).find("does not fit"), std::string::npos);
}

TEST(Dve, S2_6_ConstantsAreNotState) {
  const System system =
      system_of(one_step("const byte K = 3; const byte T[3] = {1, 2, 3}; byte i = 2; byte g;",
                         "effect g = T[i] * 10 + T[0] + K;"));
  EXPECT_EQ(system.slots.size(), 3u);  // i, g and the location
  EXPECT_EQ(slot_in(system, after_one_step(system), "g"), 34);
}

TEST(Dve, S2_7_GlobalsBetweenProcesses) {
  const System system = system_of(
      "process A { state s; init s; trans s -> s { guard g == 4; }; } byte g = 4; channel c; "
      "process B { state s; init s; } system async;");
  EXPECT_EQ(Reference(system).enabled(system.initial).size(), 1u);
}

TEST(Dve, S2_8_OrderOfSlots) {
  const System system = system_of(
      "byte x; channel {byte} c[2]; process A { byte p; state s; init s; } byte y[2]; "
      "process B { int q; state s; init s; } system async;");
  std::vector<std::string> names;
  for (const Slot& slot : system.slots) names.push_back(slot.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "c.length", "c.items[0]", "c.items[1]", "y[0]", "y[1]", "A",
                                             "A.p", "B", "B.q"}));
}

TEST(Dve, S2_9_InitialLocation) {
  EXPECT_EQ(value_of("P.t"), 1);
}

// --- 3 Transitions --------------------------------------------------------------------------------------

TEST(Dve, S3_1_Enabled) {
  const auto count = [](const std::string& body) {
    const System system = system_of(one_step("byte g = 2;", body));
    return Reference(system).enabled(system.initial).size();
  };
  EXPECT_EQ(count(""), 1u);
  EXPECT_EQ(count("guard g;"), 1u);
  EXPECT_EQ(count("guard g == 3;"), 0u);
  const System elsewhere = system_of("process P { state s, t; init t; trans s -> t {}; } system async;");
  EXPECT_EQ(Reference(elsewhere).enabled(elsewhere.initial).size(), 0u);
}

TEST(Dve, S3_2_ClausesInAnyOrder) {
  for (const char* body : {"guard g == 0; sync c!; effect g = 1;", "effect g = 1; sync c!; guard g == 0;",
                           "sync c!; effect g = 1; guard g == 0;"}) {
    const System system =
        system_of(std::string("byte g; channel c; process P { state s, t; init s; trans s -> t { ") + body +
                  " }; } process Q { state s; init s; trans s -> s { sync c?; }; } system async;");
    EXPECT_EQ(after_one_step(system), (Values{1, 1, 0})) << body;
  }
}

TEST(Dve, S3_3_EffectsInOrder) {
  const System system =
      system_of(one_step("byte x = 1, y = 2, a[3];", "effect x = y, y = x, a[x] = 9, x = a[2];"));
  const Values state = after_one_step(system);
  EXPECT_EQ(slot_in(system, state, "y"), 2);
  EXPECT_EQ(slot_in(system, state, "a[2]"), 9);
  EXPECT_EQ(slot_in(system, state, "x"), 9);
}

TEST(Dve, S3_4_EffectsSeeTheTarget) {
  const System system = system_of(one_step("byte x;", "effect x = P.t * 10 + P.s;"));
  EXPECT_EQ(slot_in(system, after_one_step(system), "x"), 10);
}

TEST(Dve, S3_5_OmittedSource) {
  const System system = system_of(
      "process P { state a, b, c; init b; trans b -> a {}, -> b {}, -> c {}, c -> a {}, -> b {}; } system "
      "async;");
  EXPECT_EQ(Reference(system).enabled(system.initial).size(), 3u);
  EXPECT_EQ(system.actions[4].label, "P: c -> b");
}

TEST(Dve, S3_6_Interleaving) {
  // Two counters modulo 3 and 4: 12 states; one of them has a twin edge in every state.
  const System system = system_of(
      "byte x, y; process A { state s; init s; trans s -> s { effect x = (x + 1) % 3; }; } "
      "process B { state s; init s; trans s -> s { effect y = (y + 1) % 4; }, s -> s { effect y = (y + 1) % "
      "4; }; } "
      "system async;");
  const StateSpace space = explore(system);
  EXPECT_EQ(space.states.size(), 12u);
  EXPECT_EQ(space.edges, 36u);
  EXPECT_EQ(space.deadlocks, 0u);
  EXPECT_EQ(system.actions[1].label, "B: s -> s");
  EXPECT_EQ(system.actions[2].label, "B: s -> s #2");
}

TEST(Dve, S3_7_Deadlock) {
  // Two independent steps: 4 states, 4 edges, one end.
  const System system = system_of(
      "process A { state s, t; init s; trans s -> t {}; } "
      "process B { state s, t; init s; trans s -> t {}; } system async;");
  const StateSpace space = explore(system);
  EXPECT_EQ(space.states.size(), 4u);
  EXPECT_EQ(space.edges, 4u);
  EXPECT_EQ(space.deadlocks, 1u);
}

TEST(Dve, S3_8_AllOfAListOfGuards) {
  // Each part is read as if it stood in parentheses.
  const auto enabled = [](const std::string& guard) {
    const System system = system_of(one_step("byte x = 1;", "guard " + guard + ";"));
    return Reference(system).enabled(system.initial).size();
  };
  EXPECT_EQ(enabled("x == 1, x < 2, 1"), 1u);
  EXPECT_EQ(enabled("x == 1, x > 1"), 0u);
  EXPECT_EQ(enabled("x == 2, x == 1"), 0u);
  EXPECT_EQ(enabled("0, 1 or 1"), 0u);
  EXPECT_EQ(enabled("x == 2 imply x == 3, x == 1 imply x == 1"), 1u);
}

TEST(Dve, S3_9_CommasAndTheLastSemicolonMayBeMissing) {
  const std::string process = "process P { state s, t; init s; trans ";
  const System strict = system_of(process + "s -> t {}, t -> s {}, -> t {}; } system async;");
  const System loose = system_of(process + "s -> t {} t -> s {} -> t {} } system async;");
  ASSERT_EQ(loose.actions.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(loose.actions[i].label, strict.actions[i].label);
  EXPECT_EQ(warnings_with(loose, "missing ','"), 1u);
  EXPECT_EQ(warnings_with(strict, "missing ','"), 0u);
}

// --- 4 Rendezvous ---------------------------------------------------------------------------------------

TEST(Dve, S4_1_PairsOfDifferentProcesses) {
  // A can send and receive, but not with itself: A->B, A->C, B->A, and no process alone.
  const System system = system_of(
      "channel c; process A { state s; init s; trans s -> s { sync c!; }, s -> s { sync c?; }; } "
      "process B { state s; init s; trans s -> s { sync c?; }, s -> s { sync c!; }; } "
      "process C { state s; init s; trans s -> s { sync c?; }; } system async;");
  std::vector<std::string> labels;
  for (const Action& action : system.actions) labels.push_back(action.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"A: s -> s, B: s -> s (c)", "A: s -> s, C: s -> s (c)",
                                              "B: s -> s, A: s -> s (c)", "B: s -> s, C: s -> s (c)"}));
  EXPECT_EQ(Reference(system).enabled(system.initial).size(), 4u);
  EXPECT_EQ(
      explore(system_of("channel c; process A { state s; init s; trans s -> s { sync c!; }; } system async;"))
          .deadlocks,
      1u);
}

std::string pair_of(const std::string& declarations, const std::string& sender, const std::string& receiver) {
  return declarations + " process S { state s, t; init s; trans s -> t { " + sender +
         " }; } process R { byte l = 1; state s, t; init s; trans s -> t { " + receiver +
         " }; } system async;";
}

TEST(Dve, S4_2_GuardsInTheStateBefore) {
  const auto enabled = [](const std::string& sender, const std::string& receiver) {
    const System system = system_of(pair_of("byte x; channel c;", sender, receiver));
    return Reference(system).enabled(system.initial).size();
  };
  EXPECT_EQ(enabled("sync c!1;", "guard x == 1; sync c?x;"), 0u);
  EXPECT_EQ(enabled("sync c!1; effect x = 5;", "guard x == 0; sync c?x;"), 1u);
  EXPECT_EQ(enabled("guard x == 1; sync c!1;", "sync c?x;"), 0u);
}

TEST(Dve, S4_3_OrderOfARendezvous) {
  // The message is x before, the receiver reads its new l and doubles x, then the sender adds to
  // what it finds.
  const System system =
      system_of(pair_of("byte x = 3, y; channel c;", "sync c!(x + 1); effect y = y * 10 + R.t, x = x + 1;",
                        "sync c?l; effect x = l * 2, y = 5 + R.t + S.t;"));
  const Values state = after_one_step(system);
  EXPECT_EQ(slot_in(system, state, "R.l"), 4);
  EXPECT_EQ(slot_in(system, state, "x"), 9);
  EXPECT_EQ(slot_in(system, state, "y"), 61);
}

TEST(Dve, S4_3_SeveralValuesAreComputedBeforeAnyIsAssigned) {
  const System system =
      system_of(pair_of("byte x = 1, y = 2; channel c;", "sync c!{y, x};", "sync c?{x, y};"));
  const Values state = after_one_step(system);
  EXPECT_EQ(slot_in(system, state, "x"), 2);
  EXPECT_EQ(slot_in(system, state, "y"), 1);
}

TEST(Dve, S4_4_TargetIndexInTheStateBefore) {
  const System system = system_of(pair_of("byte i, a[3]; channel c;", "sync c!{2, 7};", "sync c?{i, a[i]};"));
  const Values state = after_one_step(system);
  EXPECT_EQ(slot_in(system, state, "i"), 2);
  EXPECT_EQ(slot_in(system, state, "a[0]"), 7);
}

TEST(Dve, S4_5_NumberOfValues) {
  EXPECT_EQ(error_of(pair_of("byte x; channel c;", "sync c!{1, 2, 3};", "sync c?{x, l, x};")), "");
  EXPECT_NE(error_of(pair_of("byte x; channel c;", "sync c!1;", "sync c?;"))
                .find("this receives 0 values over channel 'c', but it has 1 in line 1, column "),
            std::string::npos);
  EXPECT_NE(error_of(pair_of("byte x; channel {byte, byte} c[0];", "sync c!{1, 2};", "sync c?x;"))
                .find("this receives 1 value over channel 'c', but its messages have 2"),
            std::string::npos);
}

TEST(Dve, S4_6_UntypedChannelsCarryAnything) {
  const System fits = system_of(pair_of("int x; channel c;", "sync c!(0 - 3);", "sync c?x;"));
  EXPECT_EQ(slot_in(fits, after_one_step(fits), "x"), -3);
  EXPECT_EQ(error_of_step(system_of(pair_of("channel c;", "sync c!256;", "sync c?l;"))),
            ModelErrorKind::value_out_of_range);
}

TEST(Dve, S4_7_TypedRendezvous) {
  const std::string text = pair_of("int x, v = 300; channel {byte} c[0];", "sync c!v;", "sync c?x;");
  EXPECT_EQ(error_of_step(system_of(text)), ModelErrorKind::value_out_of_range);
  const System wrapped = system_of(text, {.property_file = {}, .wrap_messages = true});
  EXPECT_EQ(slot_in(wrapped, after_one_step(wrapped), "x"), 44);
  const System fits = system_of(pair_of("int x, v = 255; channel {byte} c[0];", "sync c!v;", "sync c?x;"));
  EXPECT_EQ(slot_in(fits, after_one_step(fits), "x"), 255);
  const std::string wide = pair_of("int x, v = 32767; channel {int} c[0];", "sync c!(v + 1);", "sync c?x;");
  EXPECT_EQ(error_of_step(system_of(wide)), ModelErrorKind::value_out_of_range);
  const System negative = system_of(wide, {.property_file = {}, .wrap_messages = true});
  EXPECT_EQ(slot_in(negative, after_one_step(negative), "x"), -32768);
}

TEST(Dve, S4_8_TheSenderComesLast) {
  const System system =
      system_of(pair_of("byte x; channel c;", "sync c!1; effect x = 3;", "sync c?x; effect x = 2;"));
  EXPECT_EQ(slot_in(system, after_one_step(system), "x"), 3);
  EXPECT_EQ(warnings_with(system, "'x' is changed here and by the receiver"), 1u);
}

// --- 5 Buffers ------------------------------------------------------------------------------------------

TEST(Dve, S5_1_RoomAndMessages) {
  // The buffer holds 0, 1 or 2 equal messages: three states.
  const System system = system_of(
      "channel {byte} c[2]; process S { state s; init s; trans s -> s { sync c!7; }; } "
      "process R { byte x = 7; state s; init s; trans s -> s { sync c?x; }; } system async;");
  const StateSpace space = explore(system);
  EXPECT_EQ(space.states.size(), 3u);
  EXPECT_EQ(space.edges, 4u);
  const System guarded = system_of(
      "channel {byte} c[2]; process S { state s; init s; trans s -> s { guard 0; sync c!7; }; } system "
      "async;");
  EXPECT_EQ(Reference(guarded).enabled(guarded.initial).size(), 0u);
}

TEST(Dve, S5_2_FirstInFirstOut) {
  const System system = system_of(
      "channel {byte, int} c[3]; byte a[3]; int b[3]; process P { byte n; state s, r, e; init s; "
      "trans s -> s { guard n < 3; sync c!{n + 1, -n}; effect n = n + 1; }, s -> r { guard n == 3; effect n "
      "= 0; }, "
      "r -> r { guard n < 3; sync c?{a[n], b[n]}; effect n = n + 1; }, r -> e { guard n == 3; }; } system "
      "async;");
  const StateSpace space = explore(system);
  EXPECT_EQ(space.states.size(), 9u);
  for (const Values& state : space.states) {
    if (slot_in(system, state, "P") != 2) continue;
    EXPECT_EQ(slot_in(system, state, "a[0]") * 100 + slot_in(system, state, "a[1]") * 10 +
                  slot_in(system, state, "a[2]"),
              123);
    EXPECT_EQ(slot_in(system, state, "b[2]"), -2);
  }
}

TEST(Dve, S5_3_TheMessageMovesFirst) {
  const System send =
      system_of(one_step("byte x = 3; channel {byte} c[2];", "effect x = 9; sync c!(x * 10 + P.s);"));
  EXPECT_EQ(slot_in(send, after_one_step(send), "c.items[0]"), 31);
  const System receive = system_of(
      "byte i, a[4], seen; channel {byte, byte} c[1]; process P { state s, m, t; init s; "
      "trans s -> m { sync c!{3, 8}; }, m -> t { sync c?{i, a[i]}; effect seen = i * 10 + P.t; }; } system "
      "async;");
  const Values middle = after_one_step(receive);
  const Reference reference(receive);
  const auto enabled = reference.enabled(middle);
  ASSERT_EQ(enabled.size(), 1u);
  const Values end = reference.fire(enabled[0], middle).state;
  EXPECT_EQ(slot_in(receive, end, "a[0]"), 8);
  EXPECT_EQ(slot_in(receive, end, "i"), 3);
  EXPECT_EQ(slot_in(receive, end, "seen"), 31);
}

TEST(Dve, S5_4_UnusedEntriesAreZero) {
  const System system = system_of(
      "channel {byte, byte} c[3]; process S { state s; init s; trans s -> s { sync c!{1, 2}; }; } "
      "process R { byte x, y; state s; init s; trans s -> s { sync c?{x, y}; effect x = 0, y = 0; }; } "
      "system async;");
  const StateSpace space = explore(system);
  EXPECT_EQ(space.states.size(), 4u);
  for (const Values& state : space.states)
    for (std::int32_t i = slot_in(system, state, "c.length"); i < 3; ++i) {
      EXPECT_EQ(slot_in(system, state, "c.0[" + std::to_string(i) + "]"), 0);
      EXPECT_EQ(slot_in(system, state, "c.1[" + std::to_string(i) + "]"), 0);
    }
}

TEST(Dve, S5_5_BufferedValuesMustFit) {
  const std::string text = one_step("int v = -1; channel {byte} c[2];", "sync c!v;");
  EXPECT_EQ(error_of_step(system_of(text)), ModelErrorKind::value_out_of_range);
  const System wrapped = system_of(text, {.property_file = {}, .wrap_messages = true});
  EXPECT_EQ(slot_in(wrapped, after_one_step(wrapped), "c.items[0]"), 255);
}

TEST(Dve, S5_6_BothEndsOfABuffer) {
  const System system = system_of(
      "channel {byte} c[1]; process P { byte x; state s, t; init s; "
      "trans s -> t { sync c!5; }, t -> s { sync c?x; }; } system async;");
  EXPECT_EQ(explore(system).states.size(), 4u);  // empty or full, before and after x = 5
}

TEST(Dve, S5_7_BuffersAreData) {
  const System one = system_of(one_step("channel {byte} c[2];", "sync c!5;"));
  const System two = system_of(one_step("channel {byte, int} c[2];", "sync c!{5, -6};"));
  const auto after = [](const System& system, const std::string& text) {
    const Values state = after_one_step(system);
    return Reference(system).evaluate(parse_expression(system, text, "test"), state).value;
  };
  EXPECT_EQ(after(one, "c.length * 10 + c.items[0]"), 15);
  EXPECT_EQ(after(two, "c.0[0] * 10 + c.1[c.length - 1]"), 44);
}

}  // namespace
}  // namespace tideline::dve
