// Reading, printing and simplifying CTL, and the form that engines evaluate.
#include "logic/ctl.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "logic/ctl_simplify.hpp"
#include "testing/ctl.hpp"
#include "testing/skip_case.hpp"

namespace tideline {
namespace {

using testing::CtlMeaning;
using testing::has_one_operand;
using testing::pick;
using testing::random_ctl;
using testing::random_operator;
using testing::random_structure;

std::string canonical_ctl(const std::string& text) {
  CtlPool pool;
  return to_string(pool, parse_ctl(pool, {"--ctl", text}));
}

std::string simplified(const std::string& text, DeadlockPaths paths = DeadlockPaths::maximal) {
  CtlPool pool;
  return to_string(pool, simplify(pool, parse_ctl(pool, {"--ctl", text}), paths));
}

/// The message of the only error, with line:column before it.
std::string ctl_error(const std::string& text) {
  CtlPool pool;
  try {
    parse_ctl(pool, {"--ctl", text});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(error.diagnostics().size(), 1u);
    const Diagnostic& d = error.diagnostics()[0];
    return std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + " " + d.message;
  }
  return "no error";
}

TEST(Ctl, SpellingsAreTheSame) {
  EXPECT_EQ(canonical_ctl("AG EF p"), "AG EF p");
  EXPECT_EQ(canonical_ctl("AGEF p"), "AG EF p");
  EXPECT_EQ(canonical_ctl("A G E F p"), "AG EF p");
  EXPECT_EQ(canonical_ctl("A[] E<> p"), "AG EF p");
  EXPECT_EQ(canonical_ctl("A(G E(F p))"), "AG EF p");
  EXPECT_EQ(canonical_ctl("AG(p => AF q)"), "AG(p -> AF q)");
  EXPECT_EQ(canonical_ctl("A[p U q]"), "A(p U q)");
  EXPECT_EQ(canonical_ctl("E [ p U A(q V r) ]"), "E(p U A(q R r))");
  EXPECT_EQ(canonical_ctl("A(p W q) || E(p M q) xor ~r"), "A(p W q) || E(p M q) xor !r");
  EXPECT_EQ(canonical_ctl("AX EX AF EG !p"), "AX EX AF EG !p");
  EXPECT_EQ(canonical_ctl("EF true && AG 0"), "EF true && AG false");
  EXPECT_EQ(canonical_ctl("a -> b -> c <-> d"), "a -> b -> (c <-> d)");
  EXPECT_EQ(canonical_ctl("(a -> b) -> c"), "(a -> b) -> c");
  EXPECT_EQ(canonical_ctl("A((p && q) U (r -> s))"), "A((p && q) U (r -> s))");
  EXPECT_EQ(canonical_ctl("E(!p U EX q)"), "E(!p U EX q)");
}

TEST(Ctl, NamesAndQuotes) {
  EXPECT_EQ(canonical_ctl("AG \"x == 1 && y[0] < 2\""), "AG \"x == 1 && y[0] < 2\"");
  EXPECT_EQ(canonical_ctl("EF \"P_0.CS\""), "EF P_0.CS");
  EXPECT_EQ(canonical_ctl("AG Fork.ready"), "AG Fork.ready");  // F, G and X are not glued to names here
  EXPECT_EQ(canonical_ctl("\"Xa\" && Xa"), "Xa && Xa");
  EXPECT_EQ(canonical_ctl("EXIT || AGE"), "EXIT || AGE");
  EXPECT_EQ(canonical_ctl("A.idle && E"), "A.idle && \"E\"");
  EXPECT_EQ(canonical_ctl("\"AG\" && \"A\" && \"AGEX\" && \"U\" && \"a\\\"b\""),
            "\"AG\" && \"A\" && \"AGEX\" && \"U\" && \"a\\\"b\"");
}

TEST(Ctl, ErrorsPointAtThePlace) {
  EXPECT_EQ(ctl_error(""), "1:1 the formula is empty");
  EXPECT_EQ(ctl_error("AG(p"), "1:3 this '(' is not closed");
  EXPECT_EQ(ctl_error("E[p U q"), "1:2 this '[' is not closed");
  EXPECT_EQ(ctl_error("E[p U q)"), "1:8 expected ']', not ')': it closes '['");
  EXPECT_EQ(ctl_error("p)"), "1:2 this ')' closes nothing");
  EXPECT_EQ(ctl_error("G p"), "1:1 'G' needs a path quantifier: AG or EG");
  EXPECT_EQ(ctl_error("p && GF q"),
            "1:6 'GF' is LTL, but this is a CTL formula: each operator needs a path quantifier, as "
            "in AG AF "
            "(an atom of that name needs quotes)");
  for (const std::string follows : {"(q)", "!q", "\"q\"", "true", "AG q", "F q"})
    EXPECT_NE(ctl_error("FG " + follows).find("1:1 'FG' is LTL"), std::string::npos) << follows;
  EXPECT_EQ(ctl_error("FG || \"GF\" && GX"), "no error");  // atoms of that name
  EXPECT_EQ(ctl_error("p && <> q"), "1:6 '<>' needs a path quantifier: AF or EF");
  EXPECT_EQ(ctl_error("p U q"), "1:3 a formula with 'U' needs a path quantifier: A(p U q) or E(p U q)");
  EXPECT_EQ(ctl_error("A(p)"), "1:4 expected U, R, W or M before ')': 'A' takes a path, as in A(p U q)");
  EXPECT_EQ(ctl_error("A(p && q U r)"),
            "1:5 the left side of U, R, W or M needs parentheses: A((p && q) U r)");
  EXPECT_EQ(ctl_error("E(p U q -> r)"),
            "1:9 the right side of a temporal operator needs parentheses: E(p U (q -> r))");
  EXPECT_EQ(ctl_error("E(p U q U r)"), "1:9 'E' takes one temporal operator");
  EXPECT_EQ(ctl_error("A(G p && q)"),
            "1:7 the right side of a temporal operator needs parentheses: A(p U (q && r))");
  EXPECT_EQ(ctl_error("AG"), "1:3 expected a formula after 'G', not the end");
  EXPECT_EQ(ctl_error("AG p q"), "1:6 expected an operator before 'q'");
  EXPECT_EQ(ctl_error("AG p EF q"), "1:6 expected an operator before 'E'");
  EXPECT_EQ(ctl_error("AG x == 1"),
            "1:6 '=' does not belong to CTL; put an expression of the model in quotes: \"x == 1\"");
  EXPECT_EQ(ctl_error("AG y[0]"),
            "1:5 '[' does not belong to CTL; put an expression of the model in quotes: \"x == 1\"");
  EXPECT_EQ(ctl_error("AG\n  (p ||"), "2:8 expected a formula after '||', not the end");
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "AX ";
  EXPECT_NE(ctl_error(deep + "p").find("nested deeper"), std::string::npos);
}

RC_GTEST_PROP(Ctl, WhatIsPrintedReadsBack, ()) {
  for (int i = 0; i < 20; ++i) {
    CtlPool pool;
    const Ctl f = random_ctl(pool, 12, {"p", "q", "x == 1", "E", "AG", "EXa"});
    RC_ASSERT(parse_ctl(pool, {"", to_string(pool, f)}) == f);
  }
}

TEST(Ctl, Simplification) {
  EXPECT_EQ(simplified("AG AG p && EF EF q"), "AG p && EF q");
  EXPECT_EQ(simplified("!!p"), "p");
  EXPECT_EQ(simplified("!EF !p"), "AG p");
  EXPECT_EQ(simplified("!EX !(p && p)"), "AX p");
  EXPECT_EQ(simplified("EF AF p"), "EF p");
  EXPECT_EQ(simplified("AF EF p"), "EF p");
  EXPECT_EQ(simplified("EG AG p"), "AG p");
  EXPECT_EQ(simplified("E(true U p) && A(false R q)"), "EF p && AG q");
  EXPECT_EQ(simplified("p && true && !p"), "false");
  EXPECT_EQ(simplified("A(p U (q || true))"), "true");
  EXPECT_EQ(simplified("E(q U AF p) && A(q U AF p)"), "E(q U AF p) && AF p");
  EXPECT_EQ(simplified("EX true"), "EX true");
  EXPECT_EQ(simplified("AX false"), "AX false");
  EXPECT_EQ(simplified("EX true", DeadlockPaths::stutter), "true");
  EXPECT_EQ(simplified("EX false || AX false", DeadlockPaths::stutter), "false");
}

const std::vector<std::string> pqr{"p", "q", "r"};

/// Sequences of operators, which the laws are about; their other operands are small, and often the same.
Ctl nested_formula(CtlPool& pool) {
  const auto small = [&] { return random_ctl(pool, pick(0, 5) == 0 ? 1 : 0, {"p", "q"}); };
  Ctl f = random_ctl(pool, pick(0, 3), pqr);
  for (int i = pick(0, 4); i > 0; --i) {
    const CtlOp op = random_operator();
    if (has_one_operand(op))
      f = pool.unary(op, f);
    else
      f = pick(0, 2) == 0 ? pool.binary(op, small(), f) : pool.binary(op, f, small());
  }
  return f;
}

RC_GTEST_PROP(Ctl, SimplificationPreservesTheMeaning, (bool maximal)) {
  const DeadlockPaths paths = maximal ? DeadlockPaths::maximal : DeadlockPaths::stutter;
  for (int i = 0; i < 100; ++i) {
    CtlPool pool;
    const Ctl f = nested_formula(pool);
    const Ctl simple = simplify(pool, f, paths);
    for (int j = 0; j < 5; ++j) {
      const auto structure = random_structure(6, pqr.size());
      const CtlMeaning meaning(pool, structure, pqr, paths);
      RC_ASSERT(meaning.of(f) == meaning.of(simple));
    }
    RC_ASSERT(to_string(pool, simple).size() <= to_string(pool, f).size());
  }
}

/// The core, printed as a formula and read again, has the meaning of the formula.
RC_GTEST_PROP(Ctl, TheCoreHasTheSameMeaning, (bool maximal, bool value)) {
  for (int i = 0; i < 20; ++i) {
    CtlPool pool;
    const Ctl f = random_ctl(pool, pick(0, 6), pqr);
    const CtlFormula core = ctl_core(pool, f);
    for (CtlFormula::NodeId id = 0; id < core.nodes.size(); ++id) {
      const auto& [op, left, right] = core.nodes[id];
      if (op == CtlFormula::Op::true_ || op == CtlFormula::Op::atom) continue;
      RC_ASSERT(left < id && right < id);
    }
    const std::string text = to_string(core, core.root(), value);
    if (test::skip_case(text.size() > 200)) continue;  // cut off
    const Ctl again = parse_ctl(pool, {"", text});
    const auto structure = random_structure(8, pqr.size());
    const CtlMeaning meaning(pool, structure, pqr, maximal ? DeadlockPaths::maximal : DeadlockPaths::stutter);
    const auto expected = meaning.of(f);
    const auto found = meaning.of(again);
    for (std::size_t s = 0; s < expected.size(); ++s) RC_ASSERT(found[s] == (expected[s] == value));
  }
}

CtlFormula core_of(const std::string& text) {
  CtlPool pool;
  return ctl_core(pool, simplify(pool, parse_ctl(pool, {"", text}), DeadlockPaths::maximal));
}

std::string shown(const std::string& text) {
  const CtlFormula core = core_of(text);
  const auto form = always_form(core);
  if (!form) return "no";
  const char* const start = form->kind == AlwaysForm::Kind::possible ? "AG EF " : "AG AF ";
  return start + to_string(core, form->node, form->value);
}

TEST(Ctl, FormsWithAlgorithmsOfTheirOwnAreRecognised) {
  EXPECT_EQ(shown("AG EF p"), "AG EF p");
  EXPECT_EQ(shown("AG AF p"), "AG AF p");
  EXPECT_EQ(shown("AG AG EF EF (p && !q)"), "AG EF p && !q");
  EXPECT_EQ(shown("!EF EG !p"), "AG AF p");
  EXPECT_EQ(shown("!EF !EF !p"), "AG EF !p");
  EXPECT_EQ(shown("AG A(true U (p || q))"), "AG AF p || q");
  EXPECT_EQ(shown("AG E(true U p)"), "AG EF p");
  EXPECT_EQ(shown("AG EG AF p"), "AG AF p");
  EXPECT_EQ(shown("AG EF EX p"), "no");
  EXPECT_EQ(shown("EF AG p"), "no");
  EXPECT_EQ(shown("AG p"), "no");
  EXPECT_EQ(shown("AG E(q U p)"), "no");
  EXPECT_EQ(shown("AG(q -> EF p)"), "no");
  EXPECT_EQ(shown("p"), "no");
  EXPECT_EQ(shown("true"), "no");
}

TEST(Ctl, SharedPartsAreThereOnce) {
  EXPECT_EQ(core_of("EF p && AX !EF p").nodes.size(), 6u);  // true, p, EF p, EX EF p, its negation, &&
  // Each level needs its operand three times; written out this would be larger than any memory.
  std::string text = "p";
  for (int i = 0; i < 60; ++i) text = "A((" + text + ") U q)";
  EXPECT_LT(core_of(text).nodes.size(), 1000u);
  EXPECT_LT(to_string(core_of(text), core_of(text).root(), true).size(), 210u);
}

TEST(Ctl, LongFormulasAreNotDeep) {
  std::string text = "EF p0";
  for (int i = 1; i < 100'000; ++i) text += " && EF p" + std::to_string(i);
  const CtlFormula core = core_of(text);
  std::vector<int> depth(core.nodes.size(), 1);
  for (std::size_t id = 0; id < core.nodes.size(); ++id)
    if (core.nodes[id].op == CtlFormula::Op::and_)
      depth[id] = 1 + std::max(depth[core.nodes[id].left], depth[core.nodes[id].right]);
  EXPECT_LT(depth.back(), 20);
}

}  // namespace
}  // namespace tideline
