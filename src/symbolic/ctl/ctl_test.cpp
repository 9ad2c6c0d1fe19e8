// CTL on decision diagrams against the explicit engine: on random nets and systems with random formulas,
// verdicts are the same, and runs replay and show what they should.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>

#include "exec/interpreter.hpp"
#include "exec/predicate.hpp"
#include "search/ctl/labelling.hpp"
#include "symbolic/ctl/check.hpp"
#include "symbolic/ctl/run.hpp"
#include "testing/ctl_systems.hpp"
#include "testing/few_states.hpp"
#include "testing/net_families.hpp"
#include "testing/random_system.hpp"
#include "testing/skip_case.hpp"
#include "trace/replay.hpp"

namespace tideline::symbolic {
namespace {

using test::arbitrary_paths;
using test::names;
using test::property_of;
using test::system_of;
using tideline::testing::random_ctl;
using tideline::testing::Structure;

/// A comparison of a slot with one of the first numbers, so that it is sometimes true.
Expr random_atom(const System& system, std::mt19937& random) {
  const auto slot = static_cast<SlotId>(random() % system.slots.size());
  const auto op = static_cast<Op>(static_cast<std::uint32_t>(Op::eq) + random() % 6);
  Expr atom = Expr::binary(op, Expr::load(slot), Expr::constant(static_cast<std::int64_t>(random() % 3)));
  if (random() % 3 != 0) return atom;
  return Expr::binary(Op::logic_or, std::move(atom), random_atom(system, random));
}

Property random_property(const System& system, DeadlockPaths paths, std::mt19937& random) {
  CtlPool pool;
  const Ctl f = random_ctl(pool, tideline::testing::pick(1, 7), names);
  CtlFormula core = ctl_core(pool, tideline::testing::pick(0, 2) == 1 ? simplify(pool, f, paths) : f);
  for (std::size_t i = 0; i < core.atom_names.size(); ++i) core.atoms.push_back(random_atom(system, random));
  return {.name = "f",
          .kind = PropertyKind::ctl,
          .formula = to_string(pool, f),
          .ctl = std::make_shared<CtlFormula>(std::move(core)),
          .deadlock_paths = paths};
}

StateSpaceOptions random_options(std::uint32_t seed) {
  constexpr OrderName orders[] = {OrderName::best, OrderName::declared, OrderName::force, OrderName::sloan};
  StateSpaceOptions options;
  options.order = orders[seed % 4];
  options.grouping = seed / 4 % 2 == 0;
  options.forest.collect_always = seed / 8 % 2 == 0;
  return options;
}

/// The run passes the checks that are made before it is shown.
void check_run(const System& system, const Property& property, CtlValues& values, Verdict verdict) {
  const CtlRun run = ctl_run(values, verdict == Verdict::holds);
  if (run.found) replay_proof(system, ErrorSemantics::stop, property, run.path, verdict);
}

/// Several formulas share one space, and so its caches.
void check_system(const System& system, const StateSpaceOptions& options, std::uint32_t seed) {
  if (test::skip_case(!test::has_few_states(system, 500))) RC_SUCCEED("too large");
  std::mt19937 random(seed);
  StateSpace space(system, options);
  space.explore();
  if (seed / 16 % 2 == 0) space = space.copy(options.forest);
  CtlSets sets(space);
  for (int round = 0; round < 6; ++round) {
    const Property property = random_property(system, arbitrary_paths(), random);
    Budget budget;
    const Outcome expected = check_ctl(system, {property}, {.traces = false}, budget);
    RC_ASSERT(sets.met_errors() == expected.model_errors);
    CtlValues values(sets, *property.ctl, property.deadlock_paths);
    const Verdict verdict = values.verdict();
    RC_ASSERT(verdict == expected.results[0].verdict);
    RC_ASSERT(verdict == ctl_verdict(sets, *property.ctl, property.deadlock_paths));
    if (verdict != Verdict::unknown) check_run(system, property, values, verdict);
  }
}

RC_GTEST_PROP(SymbolicCtl, AgreesWithLabellingOnNets, (std::uint32_t seed)) {
  check_system(random_net(seed), random_options(seed), seed);
}

RC_GTEST_PROP(SymbolicCtl, AgreesWithLabellingOnSystems, (std::uint32_t seed)) {
  check_system(RandomSystem(seed).take(), random_options(seed), seed);
}

/// Structures have cycles, ways into them and deadlocks in any shape.
RC_GTEST_PROP(SymbolicCtl, AgreesWithLabellingOnStructures, (std::uint32_t seed)) {
  check_system(system_of(tideline::testing::random_structure(12, names.size())), random_options(seed), seed);
}

RC_GTEST_PROP(SymbolicCtl, SurvivesACollectionAtEveryNode, (std::uint32_t seed)) {
  StateSpaceOptions options = random_options(seed);
  options.forest.collect_always = true;
  check_system(random_joins(seed, 4), options, seed);
}

/// Not only in the initial state: the sets of all parts, on both sides.
RC_GTEST_PROP(SymbolicCtl, SetsAreThoseOfLabelling, (std::uint32_t seed)) {
  const System system = seed % 2 == 0 ? random_net(seed) : RandomSystem(seed).take();
  if (test::skip_case(!test::has_few_states(system, 500))) RC_SUCCEED("too large");
  std::mt19937 random(seed);
  const Property property = random_property(system, arbitrary_paths(), random);
  const CtlFormula& formula = *property.ctl;
  Interpreter interpreter(Program::compile(system, ErrorSemantics::stop));
  std::vector<Predicate> predicates;
  for (const Expr& atom : formula.atoms)
    predicates.emplace_back(system, interpreter.program().layout(), atom);
  const LabelledGraph expected = ctl_labels(interpreter, predicates, formula, property.deadlock_paths);
  StateSpace space(system, random_options(seed));
  space.explore();
  CtlSets sets(space);
  CtlValues values(sets, formula, property.deadlock_paths);
  for (StateId state = 0; state < expected.graph.size(); ++state) {
    const auto vector = space.levels().find_vector(expected.graph.state(state));
    RC_ASSERT(vector.has_value());
    RC_ASSERT(space.sets().contains(values.set(Side::certain, formula.root()), *vector) ==
              expected.certain.test(state));
    RC_ASSERT(space.sets().contains(values.set(Side::possible, formula.root()), *vector) ==
              expected.possible.test(state));
  }
}

RC_GTEST_PROP(SymbolicCtl, AnswersDoNotDependOnTheNumberOfThreads, (std::uint32_t seed)) {
  const System system = seed % 2 == 0 ? random_net(seed) : RandomSystem(seed).take();
  if (test::skip_case(!test::has_few_states(system, 500))) RC_SUCCEED("too large");
  std::mt19937 random(seed);
  std::vector<Property> properties{{.name = "dead", .kind = PropertyKind::deadlock, .formula = ""},
                                   {.name = "errors", .kind = PropertyKind::model_error, .formula = ""}};
  for (const PropertyKind kind : {PropertyKind::reach, PropertyKind::invariant})
    properties.push_back({.name = "state", .kind = kind, .formula = "", .expr = random_atom(system, random)});
  for (int i = 0; i < 4; ++i) properties.push_back(random_property(system, arbitrary_paths(), random));
  Budget budget;
  const Outcome expected = check_symbolic(system, properties, {}, budget);
  const Outcome found = check_symbolic(system, properties, {.threads = 2 + seed % 3}, budget);
  RC_ASSERT(found.complete);
  RC_ASSERT(found.warnings == expected.warnings);
  RC_ASSERT(found.never_enabled == expected.never_enabled);
  for (const Stat stat :
       {Stat("states"), Stat("transitions"), Stat("deadlocks"), Stat("nodes"), Stat("order")})
    RC_ASSERT(*found.statistics.find(stat) == *expected.statistics.find(stat));
  for (std::size_t i = 0; i < properties.size(); ++i) {
    const PropertyResult &result = found.results[i], &alone = expected.results[i];
    RC_ASSERT(result.verdict == alone.verdict);
    RC_ASSERT(result.reason == alone.reason);
    RC_ASSERT(static_cast<bool>(result.path) == static_cast<bool>(alone.path));
    if (!result.path) continue;
    RC_ASSERT(result.path().states == alone.path().states);
    replay_proof(system, ErrorSemantics::stop, properties[i], result.path(), result.verdict);
  }
}

TEST(SymbolicCtl, ALimitEndsAllFormulasForTheSameReason) {
  CtlPool pool;
  const System system = slotted_ring(9);
  CtlFormula core = ctl_core(pool, parse_ctl(pool, {"", "EG(EF(p && EX EG p) && EF EG !p)"}));
  for (std::size_t i = 0; i < core.atom_names.size(); ++i) core.atoms.push_back(Expr::load(0));
  const auto ctl = std::make_shared<CtlFormula>(std::move(core));
  const std::vector<Property> properties(6,
                                         {.name = "f", .kind = PropertyKind::ctl, .formula = "", .ctl = ctl});
  for (const unsigned threads : {1u, 2u, 4u})
    for (const int most : {1, 3, 5, 7, 9}) {
      std::atomic<int> looks = 0;
      Budget budget({.may_go_on = [&] { return ++looks < most; }});
      const Outcome outcome = check_symbolic(system, properties, {.threads = threads}, budget);
      for (const PropertyResult& result : outcome.results)
        EXPECT_TRUE(result.verdict != Verdict::unknown || result.reason == budget.reason()) << result.reason;
    }
}

/// 0 -> 1 -> 2 -> 1, 0 -> 3 -> 4, 4 ends. p: 0, 1; q: 2, 3
const Structure ladder{.next = {{1, 3}, {2}, {1}, {4}, {}}, .labels = {1, 1, 2, 2, 0}};

/// "holds 0 1 (2 3)": the verdict and the run with its loop in parentheses.
std::string found(const std::string& text, DeadlockPaths paths = DeadlockPaths::stutter) {
  CtlPool pool;
  const Property property = property_of(ladder, pool, parse_ctl(pool, {"", text}), paths);
  const System system = system_of(ladder);
  Budget budget;
  const Outcome outcome = check_symbolic(system, {property}, {}, budget);
  const PropertyResult& result = outcome.results[0];
  std::string answer(to_string(result.verdict));
  if (result.path) {
    const Trace run = replay_proof(system, ErrorSemantics::stop, property, result.path(), result.verdict);
    for (std::size_t i = 0; i < run.states.size(); ++i)
      answer += fmt::format(" {}{}", run.loop && *run.loop == i ? "(" : "", run.states[i][0]);
    if (run.loop) answer += ')';
  }
  return result.reason.empty() ? answer : fmt::format("{}: {}", answer, result.reason);
}

TEST(SymbolicCtl, RunsLeadToWhatTheyAreToShow) {
  EXPECT_EQ(found("AG p"), "violated 0 3");
  EXPECT_EQ(found("AG(p || q)"), "violated 0 3 4");
  EXPECT_EQ(found("E(p U q)"), "holds 0 3");
  EXPECT_EQ(found("AX p"), "violated 0 3");
  EXPECT_EQ(found("q"), "violated 0");
  EXPECT_EQ(found("EF(p && q)"), "violated");
  EXPECT_EQ(found("EG(p || q)"), "holds 0 (1 2): p || q is true all the way");
  EXPECT_EQ(found("AG AF p"), "violated 0 3 (4): from step 1 on !p is true all the way");
  EXPECT_EQ(found("AG EF p"), "violated 0 3: from the last state no state with p can be reached");
  EXPECT_EQ(found("EF q && AF !p"), "holds 0 3: in the initial state AF !p is true");
}

TEST(SymbolicCtl, ADeadlockRepeatsOrEndsTheRun) {
  EXPECT_EQ(found("EX EX EX !p"), "holds 0 3 4 4");
  EXPECT_EQ(found("EX(q && EX AX p)"), "violated");
  EXPECT_EQ(found("EX(q && EX AX p)", DeadlockPaths::maximal), "holds 0 3 4: in the last state AX p is true");
  EXPECT_EQ(found("AG AF p", DeadlockPaths::maximal),
            "violated 0 3 4: from step 1 on !p is true all the way");
}

/// 0 -> ... -> 5 -> 0, and 3 -> 6, which goes round by itself: where p ends, one state after the other on the
/// way there is found not to have a run with p all the way.
TEST(SymbolicCtl, AWayThatLeadsOutIsTakenBackStepByStep) {
  CtlPool pool;
  const Structure structure{.next = {{1}, {2}, {3}, {4, 6}, {5}, {0}, {6}}, .labels = {1, 1, 1, 1, 1, 0, 0}};
  const Property property =
      property_of(structure, pool, parse_ctl(pool, {"", "EG p"}), DeadlockPaths::stutter);
  const System system = system_of(structure);
  Budget budget;
  EXPECT_EQ(check_symbolic(system, {property}, {}, budget).results[0].verdict, Verdict::violated);
  StateSpace space(system, {});
  space.explore();
  CtlSets sets(space);
  CtlValues values(sets, *property.ctl, property.deadlock_paths);
  EXPECT_EQ(values.set(Side::certain, property.ctl->root()), empty);
}

TEST(SymbolicCtl, AtomsThatAreTheSameEverywhereAreNamed) {
  CtlPool pool;
  const Structure structure{.next = {{1}, {0}}, .labels = {1, 1}};
  const Property property =
      property_of(structure, pool, parse_ctl(pool, {"", "EF(p && q)"}), DeadlockPaths::stutter);
  Budget budget;
  const Outcome outcome = check_symbolic(system_of(structure), {property}, {}, budget);
  EXPECT_EQ(outcome.warnings,
            (std::vector<std::string>{"atom `p` of property f is true in every reachable state",
                                      "atom `q` of property f is false in every reachable state"}));
}

TEST(SymbolicCtl, LimitsMakeItUnknown) {
  CtlPool pool;
  const Property property = property_of(ladder, pool, parse_ctl(pool, {"", "EF q"}), DeadlockPaths::stutter);
  std::atomic<bool> interrupted = true;
  Budget budget(
      {.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}, .may_go_on = {}});
  const Outcome outcome = check_symbolic(system_of(ladder), {property}, {}, budget);
  EXPECT_EQ(outcome.results[0].verdict, Verdict::unknown);
  EXPECT_EQ(outcome.results[0].reason, "interrupted");
}

/// Far more states than any explicit engine could label.
TEST(SymbolicCtl, LargeNetsAreDecided) {
  const System system = philosophers(40);
  StateSpace space(system, {});
  space.explore();
  space.run([&] {
    CtlSets sets(space);
    const auto verdict = [&](const std::string& text) {
      CtlPool pool;
      CtlFormula core = ctl_core(pool, parse_ctl(pool, {"", text}));
      for (const std::string& name : core.atom_names) {
        const auto slot = std::find_if(system.variables.begin(), system.variables.end(),
                                       [&](const Variable& v) { return v.name == name; });
        core.atoms.push_back(Expr::load(slot->first));
      }
      return ctl_verdict(sets, core, DeadlockPaths::maximal);
    };
    const std::string first = system.variables[0].name;
    EXPECT_EQ(verdict("AG EX true"), Verdict::violated);
    EXPECT_EQ(verdict("AG EF " + first), Verdict::violated);
    EXPECT_EQ(verdict("EF EG " + first), Verdict::holds);
    EXPECT_EQ(verdict("EF AG !" + first), Verdict::holds);
    EXPECT_EQ(verdict("EG EX true"), Verdict::holds);
    EXPECT_EQ(verdict("AF !" + first), Verdict::violated);
  });
}

}  // namespace
}  // namespace tideline::symbolic
