// Reading and printing formulas: what is read as what, and where errors point.
#include "logic/ltl.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "logic/ltl_facts.hpp"
#include "testing/ltl.hpp"
#include "testing/skip_case.hpp"

namespace tideline {
namespace {

std::string canonical_ltl(const std::string& text) {
  LtlPool pool;
  return to_string(pool, parse_ltl(pool, {"--ltl", text}));
}

/// The message of the only error, with line:column before it.
std::string ltl_error(const std::string& text) {
  LtlPool pool;
  try {
    parse_ltl(pool, {"--ltl", text});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(error.diagnostics().size(), 1u);
    const Diagnostic& d = error.diagnostics()[0];
    return std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + " " + d.message;
  }
  return "no error";
}

std::string repeat(const std::string& text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

TEST(Ltl, SpinAndSpotSpellingsAreTheSame) {
  EXPECT_EQ(canonical_ltl("[](p -> <>q)"), "G(p -> F q)");
  EXPECT_EQ(canonical_ltl("G(p => Fq)"), "G(p -> F q)");
  EXPECT_EQ(canonical_ltl("a V b"), canonical_ltl("a R b"));
  EXPECT_EQ(canonical_ltl("~a /\\ not b \\/ c and d or e"), "!a && !b || c && d || e");
  EXPECT_EQ(canonical_ltl("a & b | c"), canonical_ltl("a && b || c"));
  EXPECT_EQ(canonical_ltl("a <=> b"), "a <-> b");
  EXPECT_EQ(canonical_ltl("a ^ b"), "a xor b");
  EXPECT_EQ(canonical_ltl("true U 0 | 1 & false"), "true U false || true && false");
  EXPECT_EQ(canonical_ltl("X !a M b W c"), "X !a M (b W c)");
}

TEST(Ltl, PrecedenceIsSpots) {
  EXPECT_EQ(canonical_ltl("a -> b -> c"), canonical_ltl("a -> (b -> c)"));
  EXPECT_EQ(canonical_ltl("a -> b <-> c"), canonical_ltl("a -> (b <-> c)"));
  EXPECT_EQ(canonical_ltl("a || b -> c"), canonical_ltl("(a || b) -> c"));
  EXPECT_EQ(canonical_ltl("a xor b || c"), canonical_ltl("(a xor b) || c"));
  EXPECT_EQ(canonical_ltl("a && b xor c"), canonical_ltl("(a && b) xor c"));
  EXPECT_EQ(canonical_ltl("a xor b xor c"), canonical_ltl("(a xor b) xor c"));
  EXPECT_EQ(canonical_ltl("a U b && c"), canonical_ltl("(a U b) && c"));
  EXPECT_EQ(canonical_ltl("a U b R c"), canonical_ltl("a U (b R c)"));
  EXPECT_EQ(canonical_ltl("F a U b"), canonical_ltl("(F a) U b"));
  EXPECT_EQ(canonical_ltl("!a U b"), canonical_ltl("(!a) U b"));
  EXPECT_NE(canonical_ltl("a -> (b -> c)"), canonical_ltl("(a -> b) -> c"));
  EXPECT_EQ(canonical_ltl("(a -> b) -> c"), "(a -> b) -> c");
  EXPECT_EQ(canonical_ltl("a xor (b xor c)"), "a xor (b xor c)");
  EXPECT_EQ(canonical_ltl("a && (b && c) && d"), "a && b && c && d");
}

TEST(Ltl, OperatorsMayBeGluedToNames) {
  EXPECT_EQ(canonical_ltl("GF someoneincs"), "GF someoneincs");
  EXPECT_EQ(canonical_ltl("GFp"), "GF p");
  EXPECT_EQ(canonical_ltl("XXG!p0"), "XXG !p0");
  EXPECT_EQ(canonical_ltl("!p1U(p1U(p2))"), "!p1 U p1 U p2");
  EXPECT_EQ(canonical_ltl("aU !b"), "a U !b");
  EXPECT_EQ(canonical_ltl("aU[]b"), "a U G b");
  EXPECT_EQ(canonical_ltl("aR\"x == 1\""), "a R \"x == 1\"");
  EXPECT_EQ(canonical_ltl("F1"), "F true");
  // No operator: it is not at an end, or what follows is an operator or a word.
  EXPECT_EQ(canonical_ltl("aUb"), "aUb");
  EXPECT_EQ(canonical_ltl("aU && b"), "aU && b");
  EXPECT_EQ(canonical_ltl("P_0.CS || ALU"), "P_0.CS || ALU");
  EXPECT_EQ(canonical_ltl("G2 && X_1"), "G2 && X _1");
}

TEST(Ltl, SpinsWordsAreOperatorsWhereANameCannotBe) {
  EXPECT_EQ(canonical_ltl("always (p implies eventually q)"), canonical_ltl("G(p -> F q)"));
  EXPECT_EQ(canonical_ltl("p until q weakuntil r"), canonical_ltl("p U q W r"));
  EXPECT_EQ(canonical_ltl("next always !p release q"), canonical_ltl("(X G !p) R q"));
  EXPECT_EQ(canonical_ltl("(p) equivalent true"), canonical_ltl("p <-> true"));
  EXPECT_EQ(canonical_ltl("G next"), "G next");
  EXPECT_EQ(canonical_ltl("next U until"), "next U until");
  EXPECT_EQ(canonical_ltl("always && p"), "always && p");
}

TEST(Ltl, AComparisonWithoutQuotesIsShownWithThem) {
  EXPECT_EQ(ltl_error("G (turn == 0)"),
            "1:9 '=' does not belong to LTL; put an expression of the model in quotes: \"turn == 0\"");
  EXPECT_EQ(ltl_error("G (p -> (a[1] < 2))").substr(0, 6), "1:11 '");
  EXPECT_EQ(ltl_error("F[1..3] p").substr(0, 43), "1:2 bounds such as X[2] and F[1..3] are not");
}

TEST(Ltl, GluedOperatorsAreRemembered) {
  LtlPool pool;
  parse_ltl(pool, {"--ltl", "a && GFork.ready"});
  ASSERT_EQ(pool.atoms().size(), 2u);
  EXPECT_EQ(pool.atoms()[1].name, "ork.ready");
  EXPECT_EQ(pool.atoms()[1].glued, "GF");
  EXPECT_EQ(pool.atoms()[1].where, (SourcePoint{1, 8}));
}

TEST(Ltl, QuotedAtomsAreTakenAsTheyAre) {
  EXPECT_EQ(canonical_ltl("G \"P->x == 1 && y[0] < 2\""), "G \"P->x == 1 && y[0] < 2\"");
  EXPECT_EQ(canonical_ltl("\"p\" U p"), "p U p");
  EXPECT_EQ(canonical_ltl("\"Fork\""), "\"Fork\"");
  EXPECT_EQ(canonical_ltl("\"AG\""), "\"AG\"");
  EXPECT_EQ(canonical_ltl("\"a \\\"b\\\" \\\\\""), "\"a \\\"b\\\" \\\\\"");
}

TEST(Ltl, ErrorsPointIntoTheFormula) {
  EXPECT_EQ(ltl_error(""), "1:1 the formula is empty");
  EXPECT_EQ(ltl_error("(a && b"), "1:1 this '(' is not closed");
  EXPECT_EQ(ltl_error("a && b)"), "1:7 this ')' closes nothing");
  EXPECT_EQ(ltl_error("a &&"), "1:5 expected a formula after '&&', not the end");
  EXPECT_EQ(ltl_error("a U && b"), "1:5 expected a formula after 'U', not '&&'");
  EXPECT_EQ(ltl_error("&& b"), "1:1 expected a formula before '&&'");
  EXPECT_EQ(ltl_error("a b"), "1:3 expected an operator before 'b'");
  EXPECT_EQ(ltl_error("a ! b"), "1:3 expected an operator with two sides before '!'");
  EXPECT_EQ(ltl_error("(a b)"), "1:4 expected an operator or ')' before 'b'");
  EXPECT_EQ(ltl_error("f(a)"), "1:2 expected an operator between 'f' and '('");
  EXPECT_EQ(ltl_error("G \"a"), "1:3 this quote is not closed");
  EXPECT_EQ(ltl_error("G \" \""), "1:3 there is nothing between these quotes");
  EXPECT_EQ(ltl_error("G\n  (p ->\n  # q)"), "3:3 '#' does not belong to LTL");
  EXPECT_EQ(ltl_error("G(x == 1)").substr(0, 30), "1:5 '=' does not belong to LTL");
  EXPECT_EQ(ltl_error("G p[0]").substr(0, 30), "1:4 '[' does not belong to LTL");
  EXPECT_EQ(ltl_error("a && 2"), "1:6 '2' is not a name");
}

TEST(Ltl, CtlIsRefusedByName) {
  EXPECT_EQ(ltl_error("AG p").substr(0, 31), "1:1 'AG' is an operator of CTL,");
  EXPECT_EQ(ltl_error("p && EF q").substr(0, 31), "1:6 'EF' is an operator of CTL,");
  EXPECT_EQ(ltl_error("A(p U q)").substr(0, 30), "1:1 'A' is an operator of CTL,");
}

TEST(Ltl, LongFormulasAreReadAndDeepOnesRefused) {
  const std::string long_one = "a" + repeat(" && (b U c)", 1000);
  EXPECT_EQ(canonical_ltl(long_one), "a" + repeat(" && b U c", 1000));
  EXPECT_EQ(canonical_ltl(repeat("X", 1000) + " a"), repeat("X", 1000) + " a");
  EXPECT_EQ(canonical_ltl(repeat("(", 900) + "a" + repeat(")", 900)), "a");
  for (const std::string& text :
       {repeat("!", 10000) + "a", repeat("(", 10000) + "a", repeat("a U ", 10000) + "a",
        repeat("a xor ", 10000) + "a", repeat("X(", 5000) + "a" + repeat(")", 5000)})
    EXPECT_NE(ltl_error(text).find("nested deeper than 2000"), std::string::npos) << text.substr(0, 10);
}

RC_GTEST_PROP(Ltl, PrintedFormulasAreReadBack, ()) {
  const std::vector<std::string> names = {"a",  "b1",    "P_0.CS", "x == 1", "Fork",
                                          "pU", "\"q\\", "U",      "true",   "AG"};
  LtlPool pool;
  const Ltl f = testing::random_formula(pool, *rc::gen::inRange(0, 30), names);
  RC_LOG() << to_string(pool, f);
  RC_ASSERT(parse_ltl(pool, {"--ltl", to_string(pool, f)}) == f);
}

/// Two formulas, of which the first mostly implies the second.
std::pair<Ltl, Ltl> related_formulas(LtlPool& pool, const std::vector<std::string>& names) {
  const Ltl f = testing::random_formula(pool, *rc::gen::inRange(0, 6), names);
  const Ltl g = testing::random_formula(pool, *rc::gen::inRange(0, 6), names);
  switch (*rc::gen::element(0, 1, 2, 3, 4, 5, 6)) {
    case 0:
      return {f, g};
    case 1:
      return {f, pool.binary(LtlOp::or_, g, f)};
    case 2:
      return {pool.binary(LtlOp::and_, g, f), f};
    case 3:
      return {f, pool.unary(LtlOp::eventually, f)};
    case 4:
      return {pool.unary(LtlOp::always, f), f};
    case 5:
      return {f, pool.binary(LtlOp::until, g, f)};
    default:
      return {pool.binary(LtlOp::release, g, f), f};
  }
}

void require_sound_facts() {
  const std::vector<std::string> names = {"a", "b"};
  LtlPool pool;
  LtlFacts facts(pool);
  auto [f, g] = related_formulas(pool, names);
  f = facts.negation_normal_form(f);
  g = facts.negation_normal_form(g);
  const bool implied = facts.implies(f, g), eventual = facts.is_eventual(f),
             universal = facts.is_universal(f);
  if (test::skip_case(!implied && !eventual && !universal)) return;
  for (int i = 0; i < 30; ++i) {
    const testing::Lasso lasso = testing::random_lasso();
    const auto f_true = testing::truth(pool, f, lasso, names), g_true = testing::truth(pool, g, lasso, names);
    RC_LOG() << to_string(pool, f) << "  and  " << to_string(pool, g) << " on " << testing::to_string(lasso);
    for (std::size_t at = 0; at < f_true.size(); ++at) {
      RC_ASSERT(!implied || !f_true[at] || g_true[at]);
      RC_ASSERT(!eventual || !f_true[lasso.next(at)] || f_true[at]);
      RC_ASSERT(!universal || !f_true[at] || f_true[lasso.next(at)]);
    }
  }
}

RC_GTEST_PROP(Ltl, ImplicationIsSound, ()) {
  for (int i = 0; i < 10; ++i) require_sound_facts();
}

/// Fields of a line of CSV, where quotes may surround a field and are doubled within one.
std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

TEST(Ltl, FormulasOfBeemAreRead) {
  const char* given = std::getenv("TIDELINE_BENCHMARKS");
  const std::filesystem::path table =
      std::filesystem::path(given != nullptr ? given : TIDELINE_SOURCE_DIR "/../shared/benchmarks") /
      "beem/beem.csv";
  std::ifstream file(table);
  if (!file) GTEST_SKIP() << "no table of BEEM at " << table;
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    const auto fields = csv_fields(line);
    if (fields.size() < 9 || fields[6] != "LTL") continue;
    ++count;
    LtlPool pool;
    ASSERT_NO_THROW(parse_ltl(pool, {"beem", fields[7]})) << fields[7];
    // The column after it defines the atoms, "name := expression; ...": they are all there is.
    for (const LtlAtom& atom : pool.atoms())
      EXPECT_NE(("; " + fields[8]).find("; " + atom.name + " :="), std::string::npos) << fields[7];
  }
  EXPECT_GT(count, 100u);
}

}  // namespace
}  // namespace tideline
