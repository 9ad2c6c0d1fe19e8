// Automata accept what their formulas mean: on lassos, against direct evaluation, after every stage
// of the translation.
#include "logic/translate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "logic/ltl_simplify.hpp"
#include "logic/prune.hpp"
#include "testing/ltl.hpp"

namespace tideline {
namespace {

using testing::Lasso;

const std::vector<std::string> abc = {"a", "b", "c"};

std::vector<TranslationOptions> stages(AutomatonKind kind) {
  std::vector<TranslationOptions> result;
  for (const bool simplify : {false, true})
    for (const bool reduce : {false, true})
      for (const bool minimise : {false, true})
        for (const bool by_cover : {false, true})
          result.push_back({kind, simplify, reduce, minimise, by_cover});
  return result;
}

void check_partition(LtlPool& pool, Ltl f, const std::vector<Lasso>& lassos) {
  const Ltl negated = pool.unary(LtlOp::not_, f);
  for (const AutomatonKind kind : {AutomatonKind::generalised, AutomatonKind::buchi})
    for (const TranslationOptions& options : stages(kind)) {
      const Automaton yes = translate(pool, f, options), no = translate(pool, negated, options);
      if (kind == AutomatonKind::buchi) RC_ASSERT(yes.sets == 1u && yes.state_based);
      for (const Lasso& lasso : lassos) {
        const bool expected = testing::holds(pool, f, lasso, abc);
        const auto stage = [&] {
          return "kind " + std::to_string(static_cast<int>(kind)) + " simplify " +
                 std::to_string(options.simplify_formula) + " reduce " +
                 std::to_string(options.reduce_automaton) + " minimise " +
                 std::to_string(options.minimise_obligations) + " on " + testing::to_string(lasso);
        };
        if (testing::accepts(yes, lasso, abc) != expected) RC_FAIL(to_string(pool, f) + ": " + stage());
        if (testing::accepts(no, lasso, abc) == expected)
          RC_FAIL("!(" + to_string(pool, f) + "): " + stage());
      }
    }
}

RC_GTEST_PROP(Translate, FormulaAndNegationPartitionLassos, ()) {
  LtlPool pool;
  const Ltl f = testing::random_formula(pool, *rc::gen::inRange(0, 9), abc);
  std::vector<Lasso> lassos;
  for (int i = 0; i < 25; ++i) lassos.push_back(testing::random_lasso());
  check_partition(pool, f, lassos);
}

RC_GTEST_PROP(Translate, PartitionsAllSmallLassos, ()) {
  static const std::vector<Lasso> lassos = testing::all_lassos(2, 1, 2);
  LtlPool pool;
  check_partition(pool, testing::random_formula(pool, *rc::gen::inRange(0, 6), {"a", "b"}), lassos);
}

/// A formula that only the far end of a word decides, with another one inside.
Ltl random_recurrence(LtlPool& pool) {
  const Ltl inner = testing::random_formula(pool, *rc::gen::inRange(0, 6), abc);
  const Ltl other = testing::random_formula(pool, *rc::gen::inRange(0, 4), abc);
  const auto unary = [&](LtlOp op, Ltl f) { return pool.unary(op, f); };
  const auto outer = *rc::gen::element(LtlOp::always, LtlOp::eventually);
  const auto dual = outer == LtlOp::always ? LtlOp::eventually : LtlOp::always;
  const auto joint = *rc::gen::element(LtlOp::and_, LtlOp::or_);
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return unary(outer, unary(dual, inner));
    case 1:
      return unary(outer, unary(dual, pool.binary(joint, inner, unary(LtlOp::next, other))));
    case 2:
      return unary(outer, pool.binary(joint, other, unary(LtlOp::next, unary(dual, inner))));
    default:
      return pool.binary(*rc::gen::element(LtlOp::until, LtlOp::release), unary(outer, unary(dual, inner)),
                         other);
  }
}

void check_lassos(LtlPool& pool, Ltl f, int count) {
  for (const AutomatonKind kind : {AutomatonKind::generalised, AutomatonKind::buchi}) {
    const Automaton automaton = translate(pool, f, {.kind = kind});
    for (int i = 0; i < count; ++i) {
      const Lasso lasso = testing::random_lasso();
      if (testing::accepts(automaton, lasso, abc) != testing::holds(pool, f, lasso, abc))
        RC_FAIL(fmt::format("{} on {}", to_string(pool, f), testing::to_string(lasso)));
    }
  }
}

RC_GTEST_PROP(Translate, WhatComesAgainAndAgainKeepsItsMeaning, ()) {
  LtlPool pool;
  Ltl f = random_recurrence(pool);
  if (*rc::gen::arbitrary<bool>()) f = pool.binary(LtlOp::and_, f, random_recurrence(pool));
  if (*rc::gen::arbitrary<bool>())
    f = pool.binary(LtlOp::and_, f, testing::random_formula(pool, *rc::gen::inRange(0, 5), abc));
  check_lassos(pool, f, 15);
}

RC_GTEST_PROP(Translate, LargeFormulasKeepTheirMeaning, ()) {
  LtlPool pool;
  check_lassos(pool, testing::random_formula(pool, *rc::gen::inRange(10, 22), abc), 15);
}

RC_GTEST_PROP(Translate, ToBuchiKeepsTheLanguage, ()) {
  LtlPool pool;
  const Ltl f = testing::random_formula(pool, *rc::gen::inRange(0, 9), abc);
  const Automaton generalised = translate(pool, f, {.kind = AutomatonKind::generalised});
  const Automaton buchi = to_buchi(generalised);
  RC_ASSERT(buchi.sets <= 1);
  RC_ASSERT(has_state_marks(buchi));
  for (int i = 0; i < 25; ++i) {
    const Lasso lasso = testing::random_lasso();
    RC_ASSERT(testing::accepts(buchi, lasso, abc) == testing::accepts(generalised, lasso, abc));
  }
}

RC_GTEST_PROP(Translate, NormalFormAndSimplificationKeepTheMeaning, ()) {
  LtlPool pool;
  const Ltl f = *rc::gen::arbitrary<bool>() ? testing::random_formula(pool, *rc::gen::inRange(0, 16), abc)
                                            : random_recurrence(pool);
  LtlFacts facts(pool);
  LtlSimplifier simplifier(facts);
  const Ltl normal = facts.negation_normal_form(f), negated = facts.negation(f);
  const Ltl simple = simplifier.simplify(normal), simple_negated = simplifier.simplify(negated);
  for (int i = 0; i < 50; ++i) {
    const Lasso lasso = testing::random_lasso();
    const bool expected = testing::holds(pool, f, lasso, abc);
    RC_LOG() << to_string(pool, f) << "\n"
             << to_string(pool, simple) << "\n"
             << testing::to_string(lasso) << "\n";
    RC_ASSERT(testing::holds(pool, normal, lasso, abc) == expected);
    RC_ASSERT(testing::holds(pool, negated, lasso, abc) != expected);
    RC_ASSERT(testing::holds(pool, simple, lasso, abc) == expected);
    RC_ASSERT(testing::holds(pool, simple_negated, lasso, abc) != expected);
  }
}

Automaton automaton_of(const std::string& formula, const TranslationOptions& options = {}) {
  LtlPool pool;
  return translate(pool, parse_ltl(pool, {"--ltl", formula}), options);
}

TEST(Translate, ReductionsDoWhatTheyAreFor) {
  const auto states = [](const std::string& formula, AutomatonKind kind) {
    return automaton_of(formula, {.kind = kind}).states;
  };
  // Known smallest sizes: a regression here is felt in every product.
  EXPECT_EQ(states("!G(p -> F q)", AutomatonKind::buchi), 2u);
  EXPECT_EQ(states("G F a && G F b && G F c", AutomatonKind::generalised), 1u);
  EXPECT_EQ(states("G F a && G F b && G F c", AutomatonKind::buchi), 4u);
  EXPECT_EQ(states("!(G F a -> G F b)", AutomatonKind::buchi), 3u);
  EXPECT_EQ(states("F(c || G !c)", AutomatonKind::buchi), 1u);
  EXPECT_EQ(states("(X a U X b) && !X(a U b)", AutomatonKind::buchi), 1u);
  EXPECT_EQ(automaton_of("(X a U X b) && !X(a U b)").edge_count(), 0u);
  // An obligation: the minimal weak deterministic automaton is the smallest.
  EXPECT_EQ(states("F p && F q || G(!p && !q)", AutomatonKind::buchi), 4u);
  EXPECT_TRUE(is_deterministic(automaton_of("F p && F q || G(!p && !q)")));
}

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

/// G(p0 && X F(p1 && X F(... p_last)))
std::string nested_fairness(int last) {
  std::string inner = fmt::format("p{}", last);
  for (int i = last - 1; i > 0; --i) inner = fmt::format("p{} && XF({})", i, inner);
  return fmt::format("G(p0 && XF({}))", inner);
}

/// f(0) = G F a0 U X^distance b, f(i) = G F ai U G f(i - 1) (Sickert, Esparza, Jaax, Kretinsky 2016).
std::string nested_untils(int depth, int distance) {
  std::string f = fmt::format("(GF a0) U ({} b)", repeated("X", distance));
  for (int i = 1; i <= depth; ++i) f = fmt::format("(GF a{}) U (G({}))", i, f);
  return f;
}

// Families that grow exponentially by unfolding alone. ltl2tgba -B of Spot takes 10 states for the first with
// ten atoms, 2n for the second, 1 for the third, 13 for the negation of f(2, 5) and 2 for the last.
TEST(Translate, FamiliesStaySmall) {
  const auto states = [](const std::string& formula) { return automaton_of(formula).states; };
  for (const int last : {2, 5, 9}) EXPECT_LE(states(nested_fairness(last)), last + 1u);
  for (const int n : {1, 2, 6, 12}) {
    EXPECT_LE(states(fmt::format("GF(a <-> {} a)", repeated("X", n))), 2u * n + 1);
    EXPECT_EQ(states(fmt::format("GF(a -> {} a)", repeated("X", n))), 1u);
  }
  EXPECT_LE(states(fmt::format("!({})", nested_untils(1, 5))), 12u);
  EXPECT_LE(states(fmt::format("!({})", nested_untils(2, 5))), 13u);
  EXPECT_LE(states(fmt::format("!({})", nested_untils(3, 5))), 15u);
  EXPECT_EQ(states("!(G(p1 xor XX(XXGp1 <-> F(Xp2 M Gp2))) U p1)"), 2u);
}

TEST(Prune, EqualSetsBecomeOneAndFullSetsNone) {
  BddManager bdds;
  const Bdd a = bdds.variable(0);
  SymbolicAutomaton twins;  // sets 0 and 1 are equal, set 2 is everything
  twins.sets = 3;
  twins.edges = {{{0, 0b111, a}, {0, 0b100, bdds.not_(a)}}};
  reduce_sets(twins);
  ASSERT_EQ(twins.sets, 1u);
  EXPECT_EQ(twins.edges[0][0].marks, 1u);
  EXPECT_EQ(twins.edges[0][1].marks, 0u);
}

TEST(Prune, MarksAreSaturatedOnCycles) {
  SymbolicAutomaton loop;  // 0 -> 1 -> 0, one of the edges is marked: both can be
  loop.sets = 1;
  loop.edges = {{{1, 1, 1}}, {{0, 0, 1}}};
  saturate_marks(loop, true);
  EXPECT_EQ(loop.edges[1][0].marks, 1u);
  loop.edges = {{{1, 1, 1}}, {{0, 0, 1}, {1, 0, 1}}};  // with a cycle that avoids the set
  saturate_marks(loop, true);
  EXPECT_EQ(loop.edges[1][0].marks, 1u);
  EXPECT_EQ(loop.edges[1][1].marks, 0u);
}

TEST(Translate, ManyAtomsAreUnfoldedByCover) {
  std::string formula;
  for (int i = 0; i < 30; ++i)
    formula += (i == 0 ? "" : " && ") + ("G(p" + std::to_string(i)) + " -> F q" + std::to_string(i) + ")";
  EXPECT_EQ(automaton_of("!(" + formula + ")").states, 31u);
}

std::string translation_error(const std::string& formula) {
  try {
    automaton_of(formula);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "no error";
}

TEST(Translate, WhatIsTooLargeIsRefused) {
  std::string fair = "GF p0", wide = "p0";
  for (int i = 1; i < 30; ++i) fair += " && GF p" + std::to_string(i);
  for (int i = 1; i < 65; ++i) wide += " && p" + std::to_string(i);
  EXPECT_EQ(translation_error(fair).substr(0, 49), "error: the automaton of this formula is too large");
  EXPECT_EQ(translation_error(wide), "error: the formula has 65 atoms; at most 64 can be handled");
}

TEST(Translate, CubesOfALabelAreDisjoint) {
  const Automaton automaton = automaton_of("G((a || b) && (b || c) && (a || c))");
  for (const AutomatonEdge& x : automaton.edges)
    for (const AutomatonEdge& y : automaton.edges) {
      if (&x == &y || x.from != y.from || x.to != y.to || x.marks != y.marks) continue;
      EXPECT_TRUE((x.label.positive & y.label.negative) != 0 || (x.label.negative & y.label.positive) != 0);
    }
}

}  // namespace
}  // namespace tideline
