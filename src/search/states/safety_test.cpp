// check_safety on a small system: a counter x from 0 to 9 and a flag that can be set once. All reachable
// states are known, so verdicts, reasons, runs and figures can be given exactly.
#include "search/states/safety.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "exec/interpreter.hpp"
#include "search/states/atoms.hpp"

namespace tideline {
namespace {

Expr number(std::int64_t value) {
  return Expr::constant(value);
}

// Slots: 0 is x, 1 is flag, 2 is unused (always 0).
constexpr SlotId x = 0, flag = 1, unused = 2;
constexpr ActionId count_up = 0, set_flag = 1, divide = 2, impossible = 3;

Expr is(Op op, SlotId slot, std::int64_t value) {
  return Expr::binary(op, Expr::load(slot), number(value));
}

Action action(std::string label, Expr guard, SlotId target, Expr value) {
  Action result;
  result.label = std::move(label);
  result.guard = std::move(guard);
  Assignment effect;
  effect.slot = target;
  effect.value = std::move(value);
  result.effects.push_back(std::move(effect));
  return result;
}

/// x counts to 9; the flag may be set at any time before. 20 states; a deadlock in (9, set). With `errors`,
/// an action divides by zero where x is 7 and the flag is set.
System counter(bool errors) {
  System system;
  system.name = "counter";
  for (const char* name : {"x", "flag", "unused"}) {
    Variable variable;
    variable.name = name;
    system.add_variable(variable, {0, 9}, {0});
  }
  system.actions.push_back(
      action("count", is(Op::lt, x, 9), x, Expr::binary(Op::add, Expr::load(x), number(1))));
  system.actions.push_back(action("set", is(Op::eq, flag, 0), flag, number(1)));
  const Expr seven = conjunction(is(Op::eq, x, 7), is(Op::eq, flag, 1));
  system.actions.push_back(
      action("divide", errors ? seven : number(0), x, Expr::binary(Op::div, number(1), Expr::load(unused))));
  system.actions.push_back(action("impossible", is(Op::eq, unused, 1), x, number(0)));
  complete(system);
  return system;
}

Property property(std::string name, PropertyKind kind, Expr expr = number(1)) {
  Property result;
  result.name = std::move(name);
  result.kind = kind;
  result.expr = std::move(expr);
  return result;
}

Outcome check(const System& system, const std::vector<Property>& properties, SafetyOptions options = {}) {
  Budget budget;
  return check_safety(system, properties, options, budget);
}

std::uint64_t figure(const Outcome& outcome, Stat stat) {
  const Statistics::Value* value = outcome.statistics.find(stat);
  return value ? std::get<std::uint64_t>(*value) : ~std::uint64_t{0};
}

// Takes the run step by step through the interpreter; the values of the last state.
std::vector<std::int32_t> replay(const System& system, const Path& path) {
  const auto program = Program::compile(system, ErrorSemantics::stop);
  Interpreter interpreter(program);
  std::vector<std::byte> state(program->initial_state(), program->initial_state() + program->state_size());
  EXPECT_EQ(path.states.at(0), state);
  EXPECT_EQ(path.states.size(), path.actions.size() + 1);
  for (std::size_t i = 0; i < path.actions.size(); ++i) {
    bool found = false;
    interpreter.successors(path.states[i].data(), [&](const Step& step) {
      found = found || (step.action == path.actions[i] && step.state &&
                        std::equal(path.states[i + 1].begin(), path.states[i + 1].end(), step.state));
    });
    EXPECT_TRUE(found) << "step " << i;
  }
  return program->layout().unpack(path.states.back().data());
}

class EveryEngine : public testing::TestWithParam<StateEngine> {
 protected:
  SafetyOptions options() const {
    SafetyOptions result;
    result.engine = GetParam();
    result.bits = 16;
    return result;
  }
  bool complete() const { return GetParam() == search_bfs || GetParam() == search_dfs; }
  bool shortest() const { return GetParam() == search_bfs; }
};

TEST_P(EveryEngine, FindsWhatIsThereWithRunsThatReplay) {
  const System system = counter(true);
  SafetyOptions until_the_end = options();
  until_the_end.exhaustive = true;
  const Outcome outcome = check(system,
                                {property("no deadlock", PropertyKind::deadlock),
                                 property("small", PropertyKind::invariant, is(Op::lt, x, 6)),
                                 property("asserted", PropertyKind::assertion, is(Op::lt, x, 8)),
                                 property("three", PropertyKind::reach, is(Op::eq, x, 3)),
                                 property("no error", PropertyKind::model_error)},
                                until_the_end);
  ASSERT_EQ(outcome.results.size(), 5u);
  const Verdict expected[] = {Verdict::violated, Verdict::violated, Verdict::violated, Verdict::holds,
                              Verdict::violated};
  const std::size_t shortest_runs[] = {10, 6, 8, 3, 8};
  for (std::size_t i = 0; i < 5; ++i) {
    SCOPED_TRACE(outcome.results[i].property.name);
    ASSERT_EQ(outcome.results[i].verdict, expected[i]);
    const Path path = outcome.results[i].path();
    replay(system, path);
    EXPECT_GE(path.actions.size(), shortest_runs[i]);
    if (shortest()) {
      EXPECT_EQ(path.actions.size(), shortest_runs[i]);
    }
  }
  EXPECT_EQ(replay(system, outcome.results[0].path()), (std::vector<std::int32_t>{9, 1, 0}));
  EXPECT_EQ(replay(system, outcome.results[1].path())[x], 6);
  EXPECT_EQ(replay(system, outcome.results[3].path())[x], 3);
  EXPECT_EQ(outcome.results[4].path().failing_action, divide);
  EXPECT_EQ(replay(system, outcome.results[4].path()), (std::vector<std::int32_t>{7, 1, 0}));
}

TEST_P(EveryEngine, ClaimsAbsenceOnlyAfterACompleteSearch) {
  const System system = counter(false);
  const Outcome outcome = check(system,
                                {property("range", PropertyKind::invariant, is(Op::le, x, 9)),
                                 property("asserted", PropertyKind::assertion, is(Op::ne, flag, 2)),
                                 property("twelve", PropertyKind::reach, is(Op::eq, x, 12)),
                                 property("no error", PropertyKind::model_error)},
                                options());
  EXPECT_EQ(outcome.complete, complete());
  const Verdict if_complete[] = {Verdict::holds, Verdict::holds, Verdict::violated, Verdict::holds};
  for (std::size_t i = 0; i < 4; ++i) {
    const PropertyResult& result = outcome.results[i];
    SCOPED_TRACE(result.property.name);
    EXPECT_EQ(result.verdict, complete() ? if_complete[i] : Verdict::unknown);
    EXPECT_EQ(result.reason.empty(), complete());
    EXPECT_FALSE(result.path);
  }
  if (complete()) {
    EXPECT_EQ(figure(outcome, "states"), 20u);
    EXPECT_EQ(figure(outcome, "transitions"), 28u);
    EXPECT_EQ(figure(outcome, "deadlocks"), 1u);
    EXPECT_EQ(outcome.never_enabled, (std::vector<ActionId>{divide, impossible}));
  } else {
    EXPECT_TRUE(outcome.never_enabled.empty());
    EXPECT_TRUE(outcome.warnings.empty());
  }
  EXPECT_EQ(figure(outcome, "state_bytes"), 3u);
}

TEST(Safety, StatesOnDiskGiveTheSameAnswer) {
  const System system = counter(true);
  const std::vector<Property> properties{property("no deadlock", PropertyKind::deadlock),
                                         property("small", PropertyKind::invariant, is(Op::lt, x, 6)),
                                         property("three", PropertyKind::reach, is(Op::eq, x, 3)),
                                         property("no error", PropertyKind::model_error)};
  for (const unsigned threads : {1u, 2u}) {
    SafetyOptions options;
    options.exhaustive = true;
    options.threads = threads;
    const Outcome in_memory = check(system, properties, options);
    options.store = Store::disk;
    const Outcome on_disk = check(system, properties, options);
    for (std::size_t i = 0; i < properties.size(); ++i) {
      EXPECT_EQ(on_disk.results[i].verdict, in_memory.results[i].verdict);
      const Path path = on_disk.results[i].path();
      replay(system, path);
      EXPECT_EQ(path.actions.size(), in_memory.results[i].path().actions.size());
    }
    EXPECT_EQ(on_disk.level_sizes, in_memory.level_sizes);
    for (const Stat stat :
         {Stat("states"), Stat("transitions"), Stat("deadlocks"), Stat("depth"), Stat("levels")})
      EXPECT_EQ(figure(on_disk, stat), figure(in_memory, stat));
    EXPECT_GT(figure(on_disk, "disk_bytes"), 0u);
    EXPECT_EQ(figure(on_disk, "disk_runs"), 0u);  // there is room for all
    EXPECT_EQ(figure(in_memory, "disk_bytes"), ~std::uint64_t{0});
  }
}

// Where actions share the label of one event, the label counts.
TEST(Safety, LabelsThatAreNeverEnabledAreListedOnce) {
  System system = counter(false);
  system.labels_say_moves = false;
  const auto noted = [&] {
    return check(system, {property("range", PropertyKind::invariant, is(Op::le, x, 9))}, {}).never_enabled;
  };
  EXPECT_EQ(noted(), (std::vector<ActionId>{divide, impossible}));
  system.actions[impossible].label = system.actions[divide].label;
  EXPECT_EQ(noted(), (std::vector<ActionId>{divide}));
  system.actions[impossible].label = system.actions[divide].label = system.actions[count_up].label;
  EXPECT_TRUE(noted().empty());
}

TEST_P(EveryEngine, SaysUnknownWhenInterrupted) {
  const System system = counter(false);
  const std::atomic<bool> interrupted = true;
  Budget::Limits limits;
  limits.interrupted = &interrupted;
  Budget budget(limits);
  const Outcome outcome =
      check_safety(system, {property("nine", PropertyKind::reach, is(Op::eq, x, 9))}, options(), budget);
  EXPECT_FALSE(outcome.complete);
  EXPECT_EQ(outcome.results[0].verdict, Verdict::unknown);
  EXPECT_EQ(outcome.results[0].reason, "interrupted");
}

TEST_P(EveryEngine, LeavesPropertyAutomataToOthers) {
  const System system = counter(false);
  const Outcome outcome = check(system, {property("P", PropertyKind::automaton)}, options());
  EXPECT_EQ(outcome.results[0].verdict, Verdict::unknown);
  EXPECT_NE(outcome.results[0].reason.find("infinite runs"), std::string::npos);
}

std::string name_of(const testing::TestParamInfo<StateEngine>& engine) {
  constexpr const char* names[] = {"bfs", "dfs", "bitstate", "walk"};
  return names[engine.index];
}

INSTANTIATE_TEST_SUITE_P(Safety, EveryEngine,
                         testing::Values(search_bfs, search_dfs, search_bitstate, search_walk), name_of);

TEST(Safety, EndsWhenEverythingIsDecidedUnlessExhaustive) {
  const System system = counter(false);
  const std::vector<Property> properties{property("two", PropertyKind::reach, is(Op::eq, x, 2))};
  const Outcome early = check(system, properties);
  EXPECT_FALSE(early.complete);
  EXPECT_LT(figure(early, "states"), 20u);

  SafetyOptions options;
  options.exhaustive = true;
  const Outcome all = check(system, properties, options);
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(all.results[0].verdict, Verdict::holds);
  EXPECT_EQ(figure(all, "states"), 20u);
  EXPECT_EQ(all.level_sizes, (std::vector<std::uint64_t>{1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1}));
  EXPECT_EQ(figure(all, "levels"), 11u);
  EXPECT_EQ(figure(check(system, {}), "states"), 20u) << "nothing asked: count everything";
}

TEST(Safety, ModelErrorsAloneKeepNoSearchGoing) {
  const System system = counter(true);
  const Property two = property("two", PropertyKind::reach, is(Op::eq, x, 2));
  const Property no_error = property("no error", PropertyKind::model_error);
  const Outcome beside = check(system, {two, no_error});
  EXPECT_EQ(beside.results[0].verdict, Verdict::holds);
  EXPECT_EQ(beside.results[1].verdict, Verdict::unknown);
  EXPECT_FALSE(beside.results[1].reason.empty());
  EXPECT_EQ(check(system, {no_error}).results[0].verdict, Verdict::violated)
      << "unless nothing else is asked";
}

TEST(Safety, ADepthBoundThatCutsSomethingOffMakesAbsenceUnknown) {
  const System system = counter(false);
  SafetyOptions options;
  options.depth = 4;
  const std::vector<Property> properties{property("three", PropertyKind::reach, is(Op::eq, x, 3)),
                                         property("nine", PropertyKind::reach, is(Op::eq, x, 9))};
  for (const StateEngine engine : {search_bfs, search_dfs}) {
    options.engine = engine;
    const Outcome outcome = check(system, properties, options);
    EXPECT_EQ(outcome.results[0].verdict, Verdict::holds);
    EXPECT_EQ(outcome.results[1].verdict, Verdict::unknown);
    EXPECT_TRUE(outcome.results[1].reason.starts_with("depth bound of 4 reached"));
  }
  options.engine = search_bfs;
  options.depth = 11;
  EXPECT_EQ(check(system, {properties[1], property("ten", PropertyKind::reach, is(Op::eq, x, 10))}, options)
                .results[1]
                .verdict,
            Verdict::violated)
      << "nothing lies beyond the bound";
}

TEST(Safety, WarnsAboutAtomsThatNeverChange) {
  const System system = counter(false);
  const Expr formula =
      Expr::binary(Op::imply, conjunction(is(Op::eq, x, 12), Expr::unary(Op::logic_not, Expr::load(flag))),
                   Expr::binary(Op::logic_or, is(Op::ge, x, 5), is(Op::le, x, 9)));
  const Outcome outcome = check(system, {property("p", PropertyKind::invariant, formula)});
  EXPECT_EQ(outcome.warnings,
            (std::vector<std::string>{"atom `x == 12` of property p is false in every reachable state",
                                      "atom `x <= 9` of property p is true in every reachable state"}));
}

TEST(Safety, WarnsOnlyAboutAtomsThatTheVerdictDoesNotImply) {
  const System system = counter(false);
  const Expr often = is(Op::le, x, 9), never = is(Op::eq, x, 12);
  const auto warnings = [&](PropertyKind kind, const Expr& formula) {
    return check(system, {property("p", kind, formula)}).warnings.size();
  };
  EXPECT_EQ(warnings(PropertyKind::invariant, often), 0u);
  EXPECT_EQ(warnings(PropertyKind::invariant, Expr::unary(Op::logic_not, never)), 0u);
  EXPECT_EQ(warnings(PropertyKind::invariant, conjunction(often, Expr::unary(Op::logic_not, never))), 0u);
  EXPECT_EQ(warnings(PropertyKind::reach, never), 0u);
  EXPECT_EQ(warnings(PropertyKind::reach, Expr::binary(Op::imply, often, never)), 0u);
  EXPECT_EQ(warnings(PropertyKind::invariant, Expr::binary(Op::imply, never, is(Op::eq, x, 1))), 1u)
      << "it holds for no reason that the author can have had in mind";
  EXPECT_EQ(warnings(PropertyKind::reach, conjunction(never, is(Op::eq, x, 1))), 1u);
  Expr expanded = Expr::binary(Op::logic_or, never, is(Op::eq, x, 13));
  expanded.expanded = true;
  EXPECT_EQ(warnings(PropertyKind::invariant, Expr::binary(Op::imply, expanded, is(Op::eq, x, 1))), 0u);
}

TEST(Safety, APropertyWithoutAValueSomewhereIsViolated) {
  const System system = counter(false);
  // 6 / (x - 3) has no value where x is 3; it is -2 where x is 0.
  const Expr difference = Expr::binary(Op::sub, Expr::load(x), number(3));
  const Expr quotient = Expr::binary(Op::div, number(6), difference);
  const Expr fits = Expr::binary(Op::le, quotient, number(6)),
             starts = Expr::binary(Op::eq, quotient, number(-2));
  const Expr guarded = Expr::binary(Op::imply, is(Op::ne, x, 3), fits);
  const std::vector<Property> properties{
      property("invariant", PropertyKind::invariant, fits), property("reach", PropertyKind::reach, starts),
      property("guarded", PropertyKind::invariant, guarded),
      property("guarded reach", PropertyKind::reach, conjunction(is(Op::ne, x, 3), starts))};
  const std::string reason = "the property has no value in a reachable state: division by zero";
  for (const StateEngine engine :
       {search_bfs, search_dfs, search_cache, search_sweep, search_bitstate, search_walk}) {
    SafetyOptions options;
    options.engine = engine;
    const Outcome outcome = check(system, properties, options);
    for (const std::size_t i : {0u, 1u}) {
      EXPECT_EQ(outcome.results[i].verdict, Verdict::violated);
      EXPECT_EQ(outcome.results[i].reason, reason);
    }
    const bool complete = engine != search_bitstate && engine != search_walk;
    for (const std::size_t i : {2u, 3u})
      EXPECT_EQ(outcome.results[i].verdict, complete ? Verdict::holds : Verdict::unknown);
  }
}

TEST(Safety, WithoutTracesThereAreVerdictsAndNoRuns) {
  const System system = counter(true);
  SafetyOptions options;
  options.traces = false;
  const Outcome outcome = check(
      system, {property("d", PropertyKind::deadlock), property("e", PropertyKind::model_error)}, options);
  for (const PropertyResult& result : outcome.results) {
    EXPECT_EQ(result.verdict, Verdict::violated);
    EXPECT_FALSE(result.path);
  }
}

TEST(Safety, AnActionThatFailsIsEnabledButLeadsNowhere) {
  System system = counter(true);
  system.actions[divide].guard = is(Op::eq, x, 9);  // the failing action is all there is in (9, set)
  complete(system);
  SafetyOptions options;
  options.exhaustive = true;
  const Outcome outcome = check(system, {property("d", PropertyKind::deadlock)}, options);
  // No deadlock was found, but what would come after the error is not known.
  EXPECT_EQ(outcome.results[0].verdict, Verdict::unknown);
  EXPECT_NE(outcome.results[0].reason.find("model error"), std::string::npos);
  EXPECT_EQ(figure(outcome, "deadlocks"), 0u);
  EXPECT_EQ(figure(outcome, "states"), 20u);
  EXPECT_EQ(figure(outcome, "transitions"), 30u);
}

TEST(Safety, BitstateWantsATableOfSensibleSize) {
  const System system = counter(false);
  SafetyOptions options;
  options.engine = search_bitstate;
  options.bits = 63;
  EXPECT_THROW(check(system, {}, options), Error);
}

TEST(Atoms, AreMaximalAndNamedOnce) {
  const Expr compared = is(Op::eq, x, 1);
  Expr elsewhere = compared;
  elsewhere.where = {3, 4};
  const Expr formula =
      Expr::binary(Op::logic_or, conjunction(compared, number(0)),
                   Expr::unary(Op::logic_not, Expr::binary(Op::imply, elsewhere, Expr::load(flag))));
  EXPECT_EQ(atoms_of(formula), (std::vector<Expr>{compared, Expr::load(flag)}));
}

}  // namespace
}  // namespace tideline
