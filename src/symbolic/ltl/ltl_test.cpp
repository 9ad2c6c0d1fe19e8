// LTL by decision diagrams against the explicit search for SCCs, on random systems and formulas.
#include "testing/ltl.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <random>

#include "logic/property_process.hpp"
#include "logic/translate.hpp"
#include "search/lassos/liveness.hpp"
#include "symbolic/ltl/check.hpp"
#include "symbolic/space/parts.hpp"
#include "testing/few_states.hpp"
#include "testing/net_families.hpp"
#include "testing/random_system.hpp"
#include "testing/skip_case.hpp"
#include "trace/replay.hpp"

namespace tideline::symbolic {
namespace {

/// The runs that violate a formula, over atoms with these meanings.
Property property_of(LtlPool& pool, Ltl f, const std::vector<std::string>& names,
                     const std::vector<Expr>& meanings) {
  const Automaton automaton = translate(pool, pool.unary(LtlOp::not_, f), {.kind = AutomatonKind::buchi});
  std::vector<Expr> atoms;
  for (const std::string& atom : automaton.atoms)
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == atom) atoms.push_back(meanings[i]);
  return {.name = "p",
          .kind = PropertyKind::ltl,
          .formula = to_string(pool, f),
          .process = std::make_shared<PropertyProcess>(to_property_process(automaton, atoms))};
}

const std::vector<std::string> names{"a", "b", "c"};

/// Comparisons of a slot or of sums of slots with each other and with small numbers.
std::vector<Expr> random_atoms(const System& system, std::mt19937& random) {
  const auto slot = [&] { return Expr::load(static_cast<SlotId>(random() % system.slots.size())); };
  const auto sum = [&] { return random() % 2 == 0 ? slot() : Expr::binary(Op::add, slot(), slot()); };
  std::vector<Expr> atoms;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto op = static_cast<Op>(static_cast<int>(Op::eq) + random() % 6);
    Expr right = random() % 2 == 0 ? sum() : Expr::constant(random() % 3);
    atoms.push_back(Expr::binary(op, sum(), std::move(right)));
  }
  return atoms;
}

std::vector<LtlOptions> all_variants(bool collect_always) {
  std::vector<LtlOptions> result;
  result.push_back({.exact = true, .collect_always = collect_always});
  for (unsigned bits = 0; bits < 8; ++bits)
    result.push_back(
        {.hybrid = {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}, .collect_always = collect_always});
  return result;
}

void check_system(const System& system, const Property& property, std::uint32_t seed,
                  const std::vector<LtlOptions>& variants) {
  if (test::skip_case(!test::has_few_states(system, 200))) RC_SUCCEED("too large");
  Budget explicit_budget;
  const Outcome truth = check_liveness(system, property, {}, explicit_budget);
  const Verdict expected = truth.results[0].verdict;
  RC_CLASSIFY(expected == Verdict::violated, "violated");
  RC_CLASSIFY(expected == Verdict::holds, "holds");
  for (LtlOptions options : variants) {
    constexpr OrderName orders[] = {OrderName::best, OrderName::declared, OrderName::force, OrderName::sloan};
    options.order = orders[seed / 4 % 4];
    options.grouping = seed / 16 % 2 == 0;
    Budget budget;
    const Outcome outcome = check_symbolic_ltl(system, property, options, budget);
    RC_LOG() << property.formula << ": exact " << options.exact << ", recurring " << options.hybrid.recurring
             << ", abstraction " << options.hybrid.abstraction << ", incremental "
             << options.hybrid.incremental << ": " << to_string(outcome.results[0].verdict) << ", expected "
             << to_string(expected) << "\n";
    RC_ASSERT(outcome.results[0].verdict == expected);
    RC_ASSERT(static_cast<bool>(outcome.results[0].path) == (expected == Verdict::violated));
    if (outcome.results[0].path)
      replay_proof(system, ErrorSemantics::stop, property, outcome.results[0].path());
  }
}

RC_GTEST_PROP(SymbolicLtl, AgreesWithExplicitSearchOnNets, (std::uint32_t seed)) {
  const System system = random_net(seed, seed % 3 != 0);
  std::mt19937 random(seed);
  const std::vector<Expr> atoms = random_atoms(system, random);
  for (int i = 0; i < 3; ++i) {
    LtlPool pool;
    const Ltl f = testing::random_formula(pool, 1 + static_cast<int>(random() % 7), names);
    const std::uint32_t number = seed + static_cast<std::uint32_t>(i);
    check_system(system, property_of(pool, f, names, atoms), number, all_variants(number % 4 == 0));
  }
}

RC_GTEST_PROP(SymbolicLtl, AgreesWithExplicitSearchOnSystems, (std::uint32_t seed)) {
  const System system = RandomSystem(seed).take();
  std::mt19937 random(seed);
  const std::vector<Expr> atoms = random_atoms(system, random);
  LtlPool pool;
  const Ltl f = testing::random_formula(pool, 1 + static_cast<int>(random() % 7), names);
  check_system(system, property_of(pool, f, names, atoms), seed, all_variants(seed % 4 == 0));
}

RC_GTEST_PROP(SymbolicLtl, SurvivesACollectionAtEveryNode, (std::uint32_t seed)) {
  const System system = random_joins(seed, 3);
  std::mt19937 random(seed);
  const std::vector<Expr> atoms = random_atoms(system, random);
  LtlPool pool;
  const Ltl f = testing::random_formula(pool, 1 + static_cast<int>(random() % 7), names);
  check_system(system, property_of(pool, f, names, atoms), seed,
               {{.exact = true, .collect_always = true}, {.collect_always = true}});
}

RC_GTEST_PROP(SymbolicLtl, SeveralPropertiesHaveTheSameAnswersWithAnyNumberOfThreads, (std::uint32_t seed)) {
  const System system = seed % 2 == 0 ? random_net(seed) : RandomSystem(seed).take();
  if (test::skip_case(!test::has_few_states(system, 200))) RC_SUCCEED("too large");
  std::mt19937 random(seed);
  const std::vector<Expr> atoms = random_atoms(system, random);
  LtlPool pool;
  std::vector<Property> properties;
  for (int i = 0; i < 5; ++i)
    properties.push_back(property_of(
        pool, testing::random_formula(pool, 1 + static_cast<int>(random() % 7), names), names, atoms));
  Budget budget;
  const std::vector<Outcome> outcomes =
      check_symbolic_ltl(system, properties, {.threads = 1 + seed % 4}, budget);
  RC_ASSERT(outcomes.size() == properties.size());
  for (std::size_t i = 0; i < properties.size(); ++i) {
    const Outcome alone = check_symbolic_ltl(system, properties[i], {}, budget);
    const PropertyResult& result = outcomes[i].results.front();
    RC_ASSERT(result.property.formula == properties[i].formula);
    RC_ASSERT(result.verdict == alone.results.front().verdict);
    RC_ASSERT(result.verdict != Verdict::unknown || outcomes[i].model_errors);
    for (const Stat stat : {Stat("order"), Stat("nodes_peak"), Stat("cache_lookups")})
      RC_ASSERT(*outcomes[i].statistics.find(stat) == *alone.statistics.find(stat));
    if (result.path) replay_proof(system, ErrorSemantics::stop, properties[i], result.path());
  }
}

// --- easy mistakes -----------------------------------------------------------------------------------------

Property formula_over(const std::string& formula, const Expr& a) {
  LtlPool pool;
  return property_of(pool, parse_ltl(pool, {"formula", formula}), names, {a, a, a});
}

Expr marked(SlotId place) {
  return Expr::binary(Op::ge, Expr::load(place), Expr::constant(1));
}

std::uint64_t figure(const Outcome& outcome, Stat stat) {
  return std::get<std::uint64_t>(*outcome.statistics.find(stat));
}

void expect_all(const System& system, const Property& property, Verdict expected) {
  for (LtlOptions options : all_variants(true)) {
    options.order = OrderName::declared;
    options.grouping = false;
    Budget budget;
    const Outcome outcome = check_symbolic_ltl(system, property, options, budget);
    EXPECT_EQ(outcome.results[0].verdict, expected);
    if (outcome.results[0].path)
      replay_proof(system, ErrorSemantics::stop, property, outcome.results[0].path());
  }
}

// One step of the ring belongs to the highest level; the others lie between its target and its source, and
// some lead on to where no cycle is.
TEST(SymbolicLtl, MostOfACycleMayBeStepsOfLowerLevels) {
  NetBuilder net("ring");
  const SlotId high = net.place("high", 1);
  std::vector<SlotId> ring;
  for (int i = 0; i < 6; ++i) ring.push_back(net.place("p" + std::to_string(i), i == 0));
  const SlotId end = net.place("end", 0), last = net.place("last", 0);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const SlotId next = ring[(i + 1) % ring.size()];
    if (i == 0)
      net.transition("high", {high, ring[i]}, {high, next});
    else
      net.transition("t" + std::to_string(i), {ring[i]}, {next});
  }
  net.transition("leave", {high, ring[3]}, {high, end});
  net.transition("end", {high, end}, {high, last});
  const System system = net.take();
  expect_all(system, formula_over("F G !a", marked(ring[3])), Verdict::violated);
  expect_all(system, formula_over("F G !a", marked(last)), Verdict::violated);
  expect_all(system, formula_over("G(a -> F !a)", marked(ring[3])), Verdict::holds);
}

// The target of the highest level's only step is new when the step is taken, and what was known before is met
// only after a step of a lower level. Every state is left once: nothing else recurs.
TEST(SymbolicLtl, ACycleMayCloseByAStepOfALowerLevel) {
  NetBuilder net("there and back");
  const SlotId high = net.place("high", 1);
  const SlotId there = net.place("there", 0), here = net.place("here", 1), never = net.place("never", 0);
  net.transition("go", {high, here}, {high, there});
  net.transition("return", {there}, {here});
  expect_all(net.take(), formula_over("F a", marked(never)), Verdict::violated);
}

// a -> b and b <-> c by events of the same level: c is not a direct target from what was there
// at the beginning.
TEST(SymbolicLtl, ACycleMayCloseAmongStatesThatAreAllNew) {
  NetBuilder net("new");
  const SlotId high = net.place("high", 1);
  const SlotId a = net.place("a", 1), b = net.place("b", 0), c = net.place("c", 0);
  net.transition("ab", {high, a}, {high, b});
  net.transition("bc", {high, b}, {high, c});
  net.transition("cb", {high, c}, {high, b});
  const System system = net.take();
  expect_all(system, formula_over("F G !a", marked(c)), Verdict::violated);
  expect_all(system, formula_over("F G !a", marked(a)), Verdict::holds);
}

// Were s and x marked together, tokens would pile up in x. They never are, but by firing `vanish` such a
// state leads to one that is reached: a search that goes one step back from the reached states must not
// continue from there.
TEST(SymbolicLtl, CyclesAreSearchedForAmongReachedStatesOnly) {
  NetBuilder net("pile");
  const SlotId high = net.place("high", 1);
  const SlotId s = net.place("s", 1), x = net.place("x", 0, {0, 50}), a = net.place("a", 0, {0, 50});
  const SlotId never = net.place("never", 0);
  net.transition("begin", {high, s}, {high, a});
  net.transition("vanish", {high, s}, {high});
  net.transition("fill", {high, a}, {high, x});
  net.transition("drain", {high, x}, {high, a});
  net.transition("pile", {s, x}, {s, x, x});
  Budget budget;
  const Outcome outcome =
      check_symbolic_ltl(net.take(), formula_over("F a", marked(never)),
                         {.order = OrderName::declared, .grouping = false, .traces = false}, budget);
  EXPECT_EQ(outcome.results[0].verdict, Verdict::violated);
  EXPECT_EQ(figure(outcome, "hull_searches"), 1u);
  EXPECT_LT(figure(outcome, "nodes_peak"), 100u);
}

// A switch that the property does not look at goes round while the automaton stays.
TEST(SymbolicLtl, TheAbstractionCanBeSure) {
  NetBuilder net("switch");
  const SlotId on = net.place("on", 1), off = net.place("off", 0), other = net.place("other", 0);
  net.transition("down", {on}, {off});
  net.transition("up", {off}, {on});
  const System system = net.take();
  Budget budget;
  const Outcome outcome = check_symbolic_ltl(system, formula_over("F a", marked(other)), {}, budget);
  EXPECT_EQ(outcome.results[0].verdict, Verdict::violated);
  EXPECT_EQ(figure(outcome, "sure_cycles"), 1u);
  EXPECT_EQ(figure(outcome, "hull_searches"), 0u);
}

TEST(SymbolicLtl, ALimitEndsAllPropertiesForTheSameReason) {
  const System system = slotted_ring(60);
  const std::vector<Property> properties(3, formula_over("G(a -> F !a)", marked(0)));
  for (const unsigned threads : {1u, 2u, 4u}) {
    std::atomic<int> looks = 0;
    Budget budget({.may_go_on = [&] { return ++looks < 20; }});
    for (const Outcome& outcome : check_symbolic_ltl(system, properties, {.threads = threads}, budget)) {
      EXPECT_EQ(outcome.results.front().verdict, Verdict::unknown);
      EXPECT_EQ(outcome.results.front().reason, "another engine was first");
    }
    EXPECT_EQ(budget.reason(), "another engine was first");
  }
}

// 10^62 markings; the cycle is found in a part of them, and the run goes through that part alone.
TEST(SymbolicLtl, ViolationsAreFoundEarly) {
  const System system = philosophers(100);
  const Property property = formula_over("F a", marked(*system.find_slot("has_left7")));
  Budget budget;
  const Outcome outcome = check_symbolic_ltl(system, property, {}, budget);
  EXPECT_EQ(outcome.results[0].verdict, Verdict::violated);
  EXPECT_EQ(figure(outcome, "early"), 1u);
  replay_proof(system, ErrorSemantics::stop, property, outcome.results[0].path());
}

}  // namespace
}  // namespace tideline::symbolic
