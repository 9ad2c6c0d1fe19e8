// Writing and reading HOA, DOT, never claims, and descriptions of automata.
#include "logic/hoa.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "logic/automaton_text.hpp"
#include "logic/translate.hpp"
#include "testing/ltl.hpp"

namespace tideline {
namespace {

Automaton translated(const std::string& formula, AutomatonKind kind = AutomatonKind::buchi) {
  LtlPool pool;
  return translate(pool, parse_ltl(pool, {"--ltl", formula}), {.kind = kind});
}

std::string hoa_error(const std::string& text) {
  try {
    read_hoa({"a.hoa", text});
  } catch (const Error& error) {
    const Diagnostic& d = error.diagnostics().at(0);
    return std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + " " + d.message;
  }
  return "no error";
}

std::string small_hoa(const std::string& header, const std::string& body) {
  return "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\n" + header + "\n--BODY--\n" + body + "\n--END--\n";
}
const std::string buchi_header = "Acceptance: 1 Inf(0)";

TEST(Hoa, WritesWhatOthersRead) {
  EXPECT_EQ(
      to_hoa(translated("G F \"x == 1\"")),
      "HOA: v1\nname: \"GF \\\"x == 1\\\"\"\ntool: \"tideline\"\nStates: 2\nStart: 0\nAP: 1 \"x == 1\"\n"
      "acc-name: Buchi\nAcceptance: 1 Inf(0)\n"
      "properties: trans-labels explicit-labels state-acc complete deterministic\n--BODY--\n"
      "State: 0 {0}\n[0] 0\n[!0] 1\nState: 1\n[0] 0\n[!0] 1\n--END--\n");
  EXPECT_EQ(to_hoa(translated("G F a && G F b", AutomatonKind::generalised)),
            "HOA: v1\nname: \"GF a && GF b\"\ntool: \"tideline\"\nStates: 1\nStart: 0\nAP: 2 \"a\" \"b\"\n"
            "acc-name: generalized-Buchi 2\nAcceptance: 2 Inf(0)&Inf(1)\n"
            "properties: trans-labels explicit-labels trans-acc complete deterministic\n--BODY--\n"
            "State: 0\n[!0&!1] 0\n[0&!1] 0 {0}\n[!0&1] 0 {1}\n[0&1] 0 {0 1}\n--END--\n");
}

TEST(Hoa, SaysWhatKindAnAutomatonIs) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(describe(translated("F a")), (Words{"deterministic", "complete", "terminal"}));
  EXPECT_EQ(describe(translated("G a")), (Words{"deterministic", "weak", "safety"}));
  EXPECT_EQ(describe(translated("F G a")), (Words{"nondeterministic", "weak"}));
  EXPECT_EQ(describe(translated("G F a")), (Words{"deterministic", "complete"}));
  EXPECT_EQ(describe(translated("false")), (Words{"deterministic", "terminal", "safety", "empty"}));
  EXPECT_EQ(describe(translated("true")), (Words{"deterministic", "complete", "terminal", "safety"}));
}

TEST(Hoa, ReadsStateLabelsImplicitLabelsAndAliases) {
  const auto same = [](const Automaton& a, const Automaton& b) {
    return a.edges == b.edges && a.sets == b.sets;
  };
  const Automaton plain = read_hoa({"", small_hoa(buchi_header, "State: 0 [0&!1] 1\nState: 1 {0} [0&!1] 1")});
  EXPECT_EQ(plain.edges.size(), 2u);
  EXPECT_TRUE(plain.state_based);
  EXPECT_TRUE(
      same(plain, read_hoa({"", small_hoa(buchi_header, "State: [0&!1] 0 \"x\" 1\nState: [0&!1] 1 {0} 1")})));
  EXPECT_TRUE(same(plain, read_hoa({"", small_hoa("Alias: @x 0&!1\n" + buchi_header,
                                                  "State: 0 [@x] 1\nState: 1 {0} [@x] 1")})));
  const Automaton implicit =
      read_hoa({"", small_hoa(buchi_header, "State: 0 0 1 0 0\nState: 1 {0} /* c /* d */ */ 1 1 1 1")});
  ASSERT_EQ(implicit.edges.size(), 8u);
  EXPECT_EQ(implicit.edges[1], (AutomatonEdge{0, 1, Cube{1, 2}, 0}));
}

TEST(Hoa, ReadsConditionsThatAreConjunctionsOfInf) {
  const auto marks = [](const std::string& condition) {
    const Automaton a =
        read_hoa({"", small_hoa("Acceptance: 3 " + condition, "State: 0 [t] 1 {0 2}\nState: 1")});
    return std::pair{a.sets, a.edges[0].marks};
  };
  EXPECT_EQ(marks("Inf(0)&Inf(1)&Inf(2)"), (std::pair{3u, 5u}));
  EXPECT_EQ(marks("(Inf(2) & (Inf(1)))"), (std::pair{2u, 2u}));
  EXPECT_EQ(marks("t"), (std::pair{0u, 0u}));
  EXPECT_EQ(marks("f"), (std::pair{1u, 0u}));
}

TEST(Hoa, SeveralInitialStatesBecomeOne) {
  const Automaton a =
      read_hoa({"", small_hoa("Start: 1\n" + buchi_header, "State: 0 {0} [0] 0\nState: 1 {0} [1] 1")});
  EXPECT_EQ(a.states, 3u);
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_TRUE(testing::accepts(a, {{1}, 0}, names));
  EXPECT_TRUE(testing::accepts(a, {{2}, 0}, names));
  EXPECT_FALSE(testing::accepts(a, {{1, 2}, 1}, names));
}

TEST(Hoa, RefusesOthersWithTheirPlace) {
  const auto with = [](const std::string& condition) {
    return hoa_error(small_hoa("Acceptance: 2 " + condition, ""));
  };
  const std::string alternating = "alternating automata cannot be read; autfilt -B may be able to convert it";
  EXPECT_EQ(with("Inf(0)&Few(1)"),
            "5:22 expected Inf, Fin, t, f or '(' in the acceptance condition, not 'Few'");
  EXPECT_EQ(with("Inf(2)"), "5:19 there are only 2 acceptance sets");
  EXPECT_EQ(with("(Inf(0)"), "6:1 expected ')', not '--BODY--'");
  EXPECT_EQ(hoa_error(small_hoa(buchi_header, "State: 0 [t] 0&1")), "7:15 " + alternating);
  EXPECT_EQ(hoa_error(small_hoa("Start: 0&1\n" + buchi_header, "")), "5:9 " + alternating);
  EXPECT_EQ(hoa_error(small_hoa("properties: univ-branch\n" + buchi_header, "")), "5:13 " + alternating);
  EXPECT_EQ(hoa_error(small_hoa(buchi_header, "State: 0 [t] 7")), "7:14 there are only 2 states");
  EXPECT_EQ(hoa_error(small_hoa(buchi_header, "State: 0 [2] 1")), "7:11 there are only 2 atoms");
  EXPECT_EQ(hoa_error(small_hoa(buchi_header, "State: 0 [t] 1 {1}")),
            "7:17 there are only 1 acceptance sets");
  EXPECT_EQ(hoa_error(small_hoa(buchi_header, "State: 0\nState: 0")), "8:8 state 0 comes twice");
  EXPECT_EQ(hoa_error(small_hoa("Weird: 1\n" + buchi_header, "")).substr(0, 12), "5:1 'Weird:'");
  EXPECT_EQ(hoa_error("never { }"), "1:1 this is not an HOA automaton: expected 'HOA: v1'");
  EXPECT_EQ(hoa_error(small_hoa(buchi_header, "") + small_hoa(buchi_header, "")),
            "9:1 there is more than one automaton");
  EXPECT_EQ(hoa_error("HOA: v1 /* open"), "1:9 this comment is not closed");
  EXPECT_EQ(hoa_error(small_hoa(buchi_header, "State: 0 [" + std::string(5000, '(') + "0] 1")).substr(0, 2),
            "7:");
}

TEST(Hoa, ConditionsWithTooManyWaysNameAnotherTool) {
  std::string pairs = "Acceptance: 14 t";  // Streett with seven pairs has 2^7 ways
  for (int i = 0; i < 14; i += 2) pairs += fmt::format(" & (Fin({}) | Inf({}))", i, i + 1);
  EXPECT_NE(hoa_error(small_hoa(pairs, "")).find("autfilt -B converts the automaton"), std::string::npos);
}

TEST(Hoa, ReadsVersion11) {
  const std::string body = "State: 0 [0] 1\nState: 1 {0} [1] 1";
  std::string text =
      small_hoa("spot.highlight.states: 0 5\nproperties: !univ-branch !complete\n" + buchi_header, body);
  text.replace(5, 2, "v1.1");
  EXPECT_EQ(to_hoa(read_hoa({"", text})), to_hoa(read_hoa({"", small_hoa(buchi_header, body)})));
  EXPECT_EQ(hoa_error("HOA: v2\n"), "1:6 versions v1 and v1.1 of HOA can be read, not 'v2'");
  EXPECT_EQ(hoa_error("HOA: v1.2\n"), "1:6 versions v1 and v1.1 of HOA can be read, not 'v1.2'");
}

TEST(Hoa, AliasesMayComeBeforeTheAtoms) {
  const auto with = [](const std::string& alias) {
    return fmt::format(
        "HOA: v1\nAlias: @x {}\nStates: 1\nStart: 0\nAP: 2 \"a\" \"b\"\n{}\n--BODY--\nState: 0 {{0}} [@x] 0\n"
        "--END--\n",
        alias, buchi_header);
  };
  EXPECT_EQ(read_hoa({"", with("0&!1")}).edges, (std::vector<AutomatonEdge>{{0, 0, Cube{1, 2}, 1}}));
  EXPECT_EQ(hoa_error(with("0 | 5")), "2:15 there are only 2 atoms");
}

RC_GTEST_PROP(Hoa, RoundTrip, ()) {
  LtlPool pool;
  const Ltl f = testing::random_formula(pool, *rc::gen::inRange(0, 9), {"a", "b", "c"});
  const auto kind = *rc::gen::element(AutomatonKind::generalised, AutomatonKind::buchi);
  const Automaton written = translate(pool, f, {.kind = kind});
  const Automaton read = read_hoa({"", to_hoa(written)});
  RC_ASSERT(to_hoa(read) == to_hoa(written));
  RC_ASSERT(read.edge_count() == written.edge_count());
  RC_ASSERT(describe(read) == describe(written));
}

TEST(AutomatonText, NeverClaimsBeginWithTheInitialState) {
  const std::string claim = to_never_claim(translated("!G(p -> F \"x == 1\")"));
  EXPECT_EQ(claim,
            "never { /* !G(p -> F \"x == 1\") */\nT0_init:\n  if\n  :: (true) -> goto T0_init\n"
            "  :: ((p) && !(x == 1)) -> goto accept_S1\n  fi;\naccept_S1:\n  if\n"
            "  :: (!(x == 1)) -> goto accept_S1\n  fi;\n}\n");
  EXPECT_THROW(to_never_claim(translated("GF a && GF b", AutomatonKind::generalised)), Error);
}

TEST(AutomatonText, DotDrawsAcceptingStatesTwice) {
  const std::string dot = to_dot(translated("F \"a \\\"b\""));
  EXPECT_NE(dot.find("peripheries=2"), std::string::npos);
  EXPECT_NE(dot.find("(a \\\"b)"), std::string::npos);
}

}  // namespace
}  // namespace tideline
