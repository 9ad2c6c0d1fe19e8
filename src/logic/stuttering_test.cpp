// Whether properties see repetitions: formulas against automata, and both against words.
#include "logic/stuttering.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "logic/property_process.hpp"
#include "logic/translate.hpp"
#include "testing/ltl.hpp"

namespace tideline {

void PrintTo(Stuttering stuttering, std::ostream* out) {
  *out << reason(stuttering);
}

namespace {

using testing::Lasso;

const std::vector<std::string> two_atoms = {"a", "b"};
const std::vector<std::string> three_atoms = {"a", "b", "c"};

/// By the formula, and by automata of it and of its negation, which must agree.
Stuttering stuttering_by_all(LtlPool& pool, Ltl f) {
  const Stuttering by_formula = stuttering_of(pool, f);
  for (const AutomatonKind kind : {AutomatonKind::generalised, AutomatonKind::buchi})
    for (const Ltl g : {f, pool.unary(LtlOp::not_, f)})
      EXPECT_EQ(stuttering_of(translate(pool, g, {.kind = kind})), by_formula) << to_string(pool, g);
  return by_formula;
}

/// The word with the letter at a position repeated; in the loop, each time.
Lasso with_repetition(Lasso lasso, std::size_t position) {
  lasso.letters.insert(lasso.letters.begin() + static_cast<std::ptrdiff_t>(position),
                       lasso.letters[position]);
  if (position < lasso.loop) ++lasso.loop;
  return lasso;
}

/// A word among these for which it matters that one letter is repeated.
template <class Accepts>
bool shows_a_difference(const std::vector<Lasso>& lassos, Accepts accepts) {
  return std::ranges::any_of(lassos, [&](const Lasso& lasso) {
    const bool expected = accepts(lasso);
    for (std::size_t position = 0; position < lasso.letters.size(); ++position)
      if (accepts(with_repetition(lasso, position)) != expected) return true;
    return false;
  });
}

TEST(Stuttering, KnownFormulas) {
  struct Known {
    const char* formula;
    bool is_invariant;
  };
  for (const auto& [formula, is_invariant] : {
           // What only looks at changes, or says nothing by its X.
           Known{"F(a && X(!a && b))", true},
           Known{"F((a && X !a) || (!a && X a))", true},
           Known{"G((a && X !a) -> X b)", true},
           Known{"G((a && X !a) -> b)", true},
           Known{"a U (a && X(!a && G b))", true},
           Known{"G F X a", true},
           Known{"G X F a", true},
           Known{"G a && X G a", true},
           Known{"G F(a <-> X F b)", true},
           Known{"X(a || !a)", true},
           Known{"F X a || a", true},
           // Etessami's form of X b where b is met at the next change: either nothing changes any more, or
           // a or b does.
           Known{"(G a && b) || (G !a && b) || (a U (a && X(!a && b))) || (!a U (!a && X(a && b)))", true},
           // Without X, and beyond what simulation finds.
           Known{"G F a <-> F b", true},
           Known{"(a U b) <-> G c", true},
           // What counts.
           Known{"X a", false},
           Known{"X X a", false},
           Known{"F(a && X a)", false},
           Known{"a && X !a", false},
           Known{"G(a -> X b)", false},
           Known{"G(a <-> X !a)", false},
           Known{"X F a", false},
           Known{"X G a", false},
           Known{"a U X b", false},
           Known{"G F(a && X a)", false},
           Known{"F G(a || X a)", false},
           Known{"G F(a && X(b && X c))", false},
           // Two acceptance sets: one or the other would be G F a.
           Known{"G F(a && X a) && G F(a && X !a)", false},
           // Only the first letter counts, and only in words whose middle is neither it nor the loop.
           Known{"a && !b && X G !a && F(b && X G !b)", false},
       }) {
    LtlPool pool;
    EXPECT_EQ(stuttering_by_all(pool, parse_ltl(pool, {"test", formula})),
              is_invariant ? Stuttering::invariant : Stuttering::sensitive)
        << formula;
  }
}

// Translated automata decide early; in a deterministic one the mark may be at the repetition itself.
TEST(Stuttering, RemovalKeepsTheMarksOfAllRepetitions) {
  const Cube a{1, 0}, not_a{0, 1};
  const Automaton twice{.atoms = {"a"},
                        .states = 2,
                        .sets = 1,
                        .edges = {{0, 1, a, 0}, {0, 0, not_a, 0}, {1, 1, a, 1}, {1, 0, not_a, 0}}};
  LtlPool pool;
  const Automaton complement = translate(pool, parse_ltl(pool, {"test", "F G(a -> X !a)"}));
  EXPECT_EQ(stuttering_of(twice, complement), Stuttering::sensitive);
  EXPECT_EQ(stuttering_of(twice), Stuttering::sensitive);
}

/// A random formula without X.
Ltl random_without_next(LtlPool& pool, int size, const std::vector<std::string>& names) {
  std::function<Ltl(Ltl)> without = [&](Ltl f) {
    std::vector<Ltl> operands(pool.operands(f).begin(), pool.operands(f).end());
    for (Ltl& operand : operands) operand = without(operand);
    if (pool.op(f) == LtlOp::next) return operands[0];
    if (operands.empty()) return f;
    if (operands.size() == 1) return pool.unary(pool.op(f), operands[0]);
    return operands.size() == 2 ? pool.binary(pool.op(f), operands[0], operands[1])
                                : pool.many(pool.op(f), operands);
  };
  return without(testing::random_formula(pool, size, names));
}

RC_GTEST_PROP(Stuttering, AutomataOfFormulasWithoutNextAreInvariant, ()) {
  LtlPool pool;
  const Ltl f = random_without_next(pool, *rc::gen::inRange(0, 10), three_atoms);
  RC_ASSERT(stuttering_by_all(pool, f) == Stuttering::invariant);
}

RC_GTEST_PROP(Stuttering, NextAcrossAChangeIsInvariant, ()) {
  LtlPool pool;
  const auto random = [&] { return random_without_next(pool, *rc::gen::inRange(0, 3), three_atoms); };
  const Ltl a = pool.atom("a"), not_a = pool.unary(LtlOp::not_, a);
  const Ltl after = pool.unary(LtlOp::next, pool.binary(LtlOp::and_, not_a, random()));
  const Ltl change = pool.binary(LtlOp::and_, pool.binary(LtlOp::and_, a, random()), after);
  const Ltl f = *rc::gen::arbitrary<bool>() ? pool.unary(LtlOp::eventually, change)
                                            : pool.binary(LtlOp::until, a, change);
  RC_LOG() << to_string(pool, f) << "\n";
  RC_ASSERT(stuttering_by_all(pool, f) == Stuttering::invariant);
}

// Small formulas: if a repetition matters, then in a short word.
RC_GTEST_PROP(Stuttering, SensitiveFormulasAreThoseWithADifference, ()) {
  static const std::vector<Lasso> lassos = testing::all_lassos(2, 3, 2);
  LtlPool pool;
  const Ltl f = testing::random_formula(pool, *rc::gen::inRange(1, 4), two_atoms);
  const bool differs = shows_a_difference(
      lassos, [&](const Lasso& lasso) { return testing::holds(pool, f, lasso, two_atoms); });
  RC_LOG() << to_string(pool, f) << "\n";
  RC_ASSERT(stuttering_by_all(pool, f) == (differs ? Stuttering::sensitive : Stuttering::invariant));
}

RC_GTEST_PROP(Stuttering, RepetitionsThatMatterMakeLargeFormulasSensitive, ()) {
  LtlPool pool;
  const Ltl f = testing::random_formula(pool, *rc::gen::inRange(5, 11), three_atoms);
  std::vector<Lasso> lassos;
  for (int i = 0; i < 30; ++i) lassos.push_back(testing::random_lasso());
  const bool differs = shows_a_difference(
      lassos, [&](const Lasso& lasso) { return testing::holds(pool, f, lasso, three_atoms); });
  const Stuttering found = stuttering_by_all(pool, f);
  RC_LOG() << to_string(pool, f) << "\n";
  RC_ASSERT(found == Stuttering::sensitive || (found == Stuttering::invariant && !differs));
}

/// Few states, one atom, up to two acceptance sets on edges.
Automaton random_automaton(std::uint32_t states) {
  Automaton automaton{.atoms = {"a"}, .states = states, .sets = *rc::gen::inRange(0u, 3u)};
  for (std::uint32_t from = 0; from < states; ++from) {
    const auto count = *rc::gen::inRange(1, 4);
    for (int i = 0; i < count; ++i)
      automaton.edges.push_back({from, *rc::gen::inRange(0u, states),
                                 *rc::gen::element(Cube{}, Cube{1, 0}, Cube{0, 1}),
                                 *rc::gen::inRange(0u, automaton.all_marks() + 1)});
  }
  return automaton;
}

// Automata that no formula has made.
RC_GTEST_PROP(Stuttering, SensitiveAutomataAreThoseWithADifference, ()) {
  static const std::vector<Lasso> lassos = testing::all_lassos(1, 3, 4);
  const Automaton automaton = random_automaton(*rc::gen::inRange(1u, 4u));
  const bool differs = shows_a_difference(
      lassos, [&](const Lasso& lasso) { return testing::accepts(automaton, lasso, {"a"}); });
  RC_ASSERT(stuttering_of(automaton) == (differs ? Stuttering::sensitive : Stuttering::invariant));
}

TEST(Stuttering, AgreesWithSpot) {
  if (std::system("ltlfilt --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "ltlfilt of Spot is not installed (it is not in the PATH)";
  rc::check("ltlfilt --stutter-invariant says the same", [] {
    LtlPool pool;
    const Ltl f = testing::random_formula(pool, *rc::gen::inRange(0, 9), three_atoms);
    const std::string command =
        fmt::format("ltlfilt --quiet --stutter-invariant -f '{}' 2>/dev/null", to_string(pool, f));
    const bool is_invariant = std::system(command.c_str()) == 0;
    RC_ASSERT(stuttering_of(pool, f) == (is_invariant ? Stuttering::invariant : Stuttering::sensitive));
  });
}

TEST(Stuttering, GivesUpOnAutomataThatAreTooLarge) {
  // A chain that no two states of which are alike.
  Automaton chain{.atoms = {"a"}, .states = 100};
  for (std::uint32_t state = 0; state < chain.states; ++state)
    chain.edges.push_back({state, (state + 1) % chain.states, state == 0 ? Cube{1, 0} : Cube{}});
  EXPECT_EQ(stuttering_of(chain), Stuttering::unknown_too_large);
  LtlPool pool;
  std::string many = "X p0";
  for (int i = 1; i <= 64; ++i) many += fmt::format(" && p{}", i);
  EXPECT_EQ(stuttering_of(pool, parse_ltl(pool, {"test", many})), Stuttering::unknown_too_large);
}

// ---- property processes ----

Expr compare(Op op, SlotId slot, std::int64_t value) {
  return Expr::binary(op, Expr::load(slot), Expr::constant(value));
}

PropertyProcess process_with(std::vector<Expr> guards) {
  PropertyProcess process{
      .name = "test", .initial = 0, .locations = {}, .accepting = {}, .edges = {}, .slots = {}};
  process.locations.resize(guards.size());
  for (LocationId i = 0; i < guards.size(); ++i)
    process.edges.push_back(
        {.from = i, .to = (i + 1) % static_cast<LocationId>(guards.size()), .guard = guards[i]});
  return process;
}

std::int64_t value_in(const std::vector<std::int64_t>& state, const Expr& expr) {
  if (expr.op == Op::constant) return expr.value;
  if (expr.op == Op::load) return state[expr.slot];
  if (expr.args.size() == 1) return apply_unary(expr.op, value_in(state, expr.args[0]));
  ModelErrorKind error{};
  return apply_binary(expr.op, value_in(state, expr.args[0]), value_in(state, expr.args[1]), error);
}

Expr random_guard(int size) {
  if (size == 0) {
    if (*rc::gen::inRange(0, 6) == 0) return Expr::load(0);
    Expr left = Expr::load(*rc::gen::inRange(0u, 2u)), right = Expr::constant(*rc::gen::inRange(0, 3));
    if (*rc::gen::arbitrary<bool>()) std::swap(left, right);
    return Expr::binary(*rc::gen::element(Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge), left, right);
  }
  const Op op = *rc::gen::element(Op::logic_not, Op::logic_and, Op::logic_or, Op::imply);
  if (op == Op::logic_not) return Expr::unary(op, random_guard(size - 1));
  return Expr::binary(op, random_guard(size / 2), random_guard(size - 1 - size / 2));
}

RC_GTEST_PROP(Stuttering, GuardsTakenApartMeanTheSame, ()) {
  const PropertyProcess process = process_with({random_guard(*rc::gen::inRange(0, 8))});
  const auto taken_apart = to_automaton(process);
  RC_ASSERT(taken_apart.has_value());
  for (std::int64_t x = 0; x < 3; ++x)
    for (std::int64_t y = 0; y < 3; ++y) {
      std::uint64_t valuation = 0;
      for (std::size_t i = 0; i < taken_apart->atoms.size(); ++i)
        if (value_in({x, y}, taken_apart->atoms[i]) != 0) valuation |= std::uint64_t{1} << i;
      const bool enabled = std::ranges::any_of(taken_apart->automaton.edges, [&](const AutomatonEdge& edge) {
        return edge.label.matches(valuation);
      });
      RC_ASSERT(enabled == (value_in({x, y}, process.edges[0].guard) != 0));
    }
}

TEST(Stuttering, ComplementaryComparisonsAreOneAtom) {
  const auto atoms = [](std::vector<Expr> guards) {
    return to_automaton(process_with(guards))->atoms.size();
  };
  const Expr one_is_x = Expr::binary(Op::eq, Expr::constant(1), Expr::load(0, {7, 9}));
  EXPECT_EQ(atoms({compare(Op::eq, 0, 1), compare(Op::ne, 0, 1), one_is_x}), 1u);
  const Expr two_is_more = Expr::binary(Op::gt, Expr::constant(2), Expr::load(0));
  EXPECT_EQ(atoms({compare(Op::lt, 0, 2), compare(Op::ge, 0, 2), two_is_more}), 1u);
  EXPECT_EQ(atoms({compare(Op::lt, 0, 2), compare(Op::le, 0, 2), compare(Op::lt, 1, 2)}), 3u);
}

RC_GTEST_PROP(Stuttering, ProcessesAcceptWhatTheirAutomataDo, ()) {
  LtlPool pool;
  const Ltl f = testing::random_formula(pool, *rc::gen::inRange(0, 8), three_atoms);
  const auto kind = *rc::gen::element(AutomatonKind::generalised, AutomatonKind::buchi);
  const Automaton automaton = translate(pool, f, {.kind = kind});
  std::vector<Expr> atoms;
  for (const std::string& name : automaton.atoms)
    atoms.push_back(Expr::load(static_cast<SlotId>(name[0] - 'a')));
  const PropertyProcess process = to_property_process(automaton, atoms);
  auto back = to_automaton(process);
  RC_ASSERT(back.has_value());
  for (std::size_t i = 0; i < back->atoms.size(); ++i)
    back->automaton.atoms[i] = three_atoms[back->atoms[i].slot];
  for (int i = 0; i < 20; ++i) {
    const Lasso lasso = testing::random_lasso();
    RC_ASSERT(testing::accepts(back->automaton, lasso, three_atoms) ==
              testing::holds(pool, f, lasso, three_atoms));
  }
  RC_ASSERT(stuttering_of(process) == stuttering_of(pool, f));
}

TEST(Stuttering, VariablesOfTheAutomatonLeaveItUnknown) {
  PropertyProcess process = process_with({Expr::constant(1)});
  EXPECT_EQ(stuttering_of(process), Stuttering::invariant);
  process.slots = {3};
  EXPECT_EQ(stuttering_of(process), Stuttering::unknown_with_variables);
  process.slots.clear();
  process.edges[0].effects.push_back({.slot = 3, .value = Expr::constant(1)});
  EXPECT_EQ(stuttering_of(process), Stuttering::unknown_with_variables);
}

TEST(Stuttering, TooManyAtomsLeaveItUnknown) {
  Expr all = Expr::constant(1);
  for (SlotId slot = 0; slot < 65; ++slot) all = conjunction(std::move(all), Expr::load(slot));
  EXPECT_EQ(stuttering_of(process_with({all})), Stuttering::unknown_too_large);
  EXPECT_EQ(stuttering_of(process_with({all.args[0]})), Stuttering::invariant);
}

}  // namespace
}  // namespace tideline
