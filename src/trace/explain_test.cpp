// Explained runs of random systems: they are runs that prove the same, they are never longer, and steps that do not
// matter keep the promise of slice.hpp.
#include "trace/explain.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "bind/bind.hpp"
#include "lang/lang.hpp"
#include "model/layout.hpp"
#include "search/lassos/liveness.hpp"
#include "search/states/safety.hpp"
#include "testing/net_families.hpp"
#include "testing/random_dve.hpp"
#include "testing/random_ltl.hpp"
#include "testing/random_system.hpp"
#include "testing/skip_case.hpp"
#include "trace/show_explained.hpp"
#include "trace/slice.hpp"

namespace tideline {
namespace {

struct Case {
  System system;
  Property property;
  Trace run = {};
  Verdict verdict = Verdict::violated;
  ErrorSemantics errors = ErrorSemantics::stop;
};

ExplainedRun explained(const Case& c, const ExplainOptions& options = {}) {
  return explain_run(c.system, c.errors, c.property, c.verdict, c.run, options);
}

bool is_place(const System& system, SlotId slot) {
  return system.variables[system.slots[slot].variable].is_location;
}

/// Takes the run again, while steps that do not matter move processes and write anything at all.
class Rerun {
 public:
  Rerun(const Case& c, const ExplainedRun& explained, std::uint64_t seed)
      : system_(c.system),
        errors_(c.errors),
        run_(explained.run),
        matters_(explained.explanation.matters),
        uses_(uses_of(c.system, c.errors, explained.run)),
        goal_(goal_of(c.system, c.errors, c.property, explained.run)),
        relevance_(relevant_steps(explained.run, uses_, goal_)),
        state_(explained.run.states.front()),
        random_(seed) {}

  void check() {
    RC_ASSERT(relevance_.steps == matters_);
    const std::size_t steps = run_.actions.size();
    see(0);
    for (std::size_t i = 0; i < steps; ++i) step(i);
    if (run_.loop)
      for (int round = 0; round < 2; ++round)
        for (std::size_t i = *run_.loop; i < steps; ++i) step(i);
    if (!run_.loop) require_same(goal_.at_end, run_.states.back());
    if (run_.fails()) require_same(uses_.back().reads, run_.states.back());
  }

 private:
  const Values& after(std::size_t i) const {
    return i + 1 < run_.states.size() ? run_.states[i + 1] : run_.states[*run_.loop];
  }

  void see(std::size_t i) {
    if (run_.loop)
      require_same(goal_.everywhere, i < run_.states.size() ? run_.states[i] : run_.states[*run_.loop]);
  }

  void require_same(const Slots& slots, const Values& expected) const {
    for (const SlotId slot : slots) RC_ASSERT(state_[slot] == expected[slot]);
  }

  std::int32_t anything(SlotId slot) {
    const Range range = system_.slots[slot].range;
    return std::uniform_int_distribution<std::int32_t>(range.low, range.high)(random_);
  }

  void step(std::size_t i) {
    const StepUse& use = uses_[i];
    const bool is_explained = matters_[i] && relevance_.levels[i] < relevance_.last_level;
    if (is_explained && run_.actions[i] != no_action) {
      require_same(use.tested, run_.states[i]);
      ModelError error;
      RC_ASSERT(Reference(system_, errors_).enabled(run_.actions[i], state_, error));
    }
    Values next = state_;
    for (const WrittenValue& write : use.writes) {
      const auto agrees = [&](SlotId slot) { return state_[slot] == run_.states[i][slot]; };
      const bool ends_here = matters_[i] && relevance_.levels[i] > 0 && !is_explained;
      const bool is_known = is_place(system_, write.slot) || ends_here ||
                            (matters_[i] && std::ranges::all_of(write.from, agrees));
      next[write.slot] = is_known ? after(i)[write.slot] : anything(write.slot);
    }
    state_ = std::move(next);
    see(i + 1);
  }

  const System& system_;
  ErrorSemantics errors_;
  const Trace& run_;
  const std::vector<bool>& matters_;
  std::vector<StepUse> uses_;
  Goal goal_;
  Relevance relevance_;
  Values state_;
  std::mt19937_64 random_;
};

void require_good(const Case& c, const ExplainedRun& result, std::uint64_t seed) {
  const RunExplanation& explanation = result.explanation;
  RC_ASSERT(!missing_proof(c.system, c.errors, c.property, result.run, c.verdict));
  RC_ASSERT(result.run.length() <= c.run.length());
  RC_ASSERT(result.run.loop.has_value() == c.run.loop.has_value());
  RC_ASSERT(explanation.length_before == c.run.length());
  RC_ASSERT(explanation.matters.size() == result.run.length());
  RC_ASSERT(explanation.order.size() == result.run.length());
  for (std::size_t i = 0; i < result.run.actions.size(); ++i)
    RC_ASSERT(result.run.actions[i] == c.run.actions[explanation.order[i] - 1]);
  std::vector<std::size_t> order = explanation.order;
  std::ranges::sort(order);
  RC_ASSERT(std::ranges::adjacent_find(order) == order.end());
  std::size_t grouped = 0;
  for (const StepGroup& group : explanation.groups) {
    RC_ASSERT(group.first == grouped);
    grouped += group.count;
  }
  RC_ASSERT(grouped == result.run.length());
  RC_ASSERT(!explanation.text.empty());
  show_explained(c.system, result.run, explanation);
  Rerun(c, result, seed).check();
}

Expr is_value(SlotId slot, std::int32_t value) {
  return Expr::binary(Op::eq, Expr::load(slot), Expr::constant(value));
}

/// Random steps, until one fails, or there are none.
Case walk(System system, std::uint64_t seed, std::size_t steps, ErrorSemantics errors) {
  Case c{.system = std::move(system),
         .property = {.name = "p", .kind = PropertyKind::deadlock, .formula = ""},
         .errors = errors};
  std::mt19937_64 random(seed);
  const Reference reference(c.system, errors);
  c.run.states = {c.system.initial};
  while (c.run.actions.size() < steps) {
    const auto enabled = reference.enabled(c.run.states.back());
    if (enabled.empty()) {
      c.property.kind = PropertyKind::deadlock;
      return c;
    }
    const ActionId action = enabled[random() % enabled.size()];
    auto [state, error] = reference.fire(action, c.run.states.back());
    if (error.kind != ModelErrorKind::none && errors == ErrorSemantics::stop) {
      c.run.failing_action = action;
      c.run.error = error;
      c.property.kind = PropertyKind::model_error;
      return c;
    }
    c.run.actions.push_back(action);
    c.run.states.push_back(std::move(state));
  }
  // The values of some slots are what the property is about.
  Expr expr = Expr::constant(1);
  for (std::size_t i = 0; i < 1 + random() % 3; ++i) {
    const auto slot = static_cast<SlotId>(random() % c.system.slots.size());
    expr = conjunction(std::move(expr), is_value(slot, c.run.states.back()[slot]));
  }
  c.property.kind = random() % 2 == 0 ? PropertyKind::reach : PropertyKind::invariant;
  const bool reach = c.property.kind == PropertyKind::reach;
  c.property.expr = reach ? std::move(expr) : negation_of(std::move(expr));
  if (reach) c.verdict = Verdict::holds;
  return c;
}

RC_GTEST_PROP(Explain, RandomWalksOfSystems, (std::uint64_t seed)) {
  const ErrorSemantics errors = seed % 4 == 0 ? ErrorSemantics::error_state : ErrorSemantics::stop;
  const Case c = walk(RandomSystem(seed).take(), seed, 1 + seed % 60, errors);
  require_good(c, explained(c), seed);
  require_good(c, explained(c, {.effort = seed % 50'000}), seed);
  const ExplainedRun same_end = explained(c, {.same_end = true});
  require_good(c, same_end, seed);
  if (!has_expression(c.property.kind)) return;
  Slots slots;
  collect_reads(c.property.expr, slots);
  for (const SlotId slot : slots) RC_ASSERT(same_end.run.states.back()[slot] == c.run.states.back()[slot]);
}

RC_GTEST_PROP(Explain, RandomWalksOfNets, (std::uint32_t seed)) {
  const Case c = walk(symbolic::random_net(seed, seed % 2 == 0), seed, 1 + seed % 40, ErrorSemantics::stop);
  const ExplainedRun result = explained(c);
  require_good(c, result, seed);
}

/// What a search of a random model finds, by an engine that does not care for short runs.
std::vector<Case> found_in(std::uint64_t seed) {
  testing::RandomDve random(seed,
                            seed % 2 == 0 ? testing::RandomDve::Kind::loose : testing::RandomDve::Kind::busy);
  const System system = read_model({"random.dve", random.take()}).system;
  std::vector<Property> properties{{.name = "deadlock", .kind = PropertyKind::deadlock, .formula = ""},
                                   {.name = "errors", .kind = PropertyKind::model_error, .formula = ""}};
  for (int i = 0; i < 2; ++i)
    properties.push_back(bind_expression(
        system,
        {.name = "p", .kind = PropertyKind::invariant, .formula = random.formula(), .origin = "test"}));
  Budget budget;
  const Outcome outcome =
      check_safety(system, properties, {.engine = search_dfs, .exhaustive = true}, budget);
  std::vector<Case> cases;
  for (const PropertyResult& result : outcome.results)
    if (result.path)
      cases.push_back({.system = system,
                       .property = result.property,
                       .run = replay_proof(system, ErrorSemantics::stop, result.property, result.path())});
  return cases;
}

RC_GTEST_PROP(Explain, RunsOfDepthFirstSearch, (std::uint64_t seed)) {
  const std::vector<Case> cases = found_in(seed);
  if (test::skip_case(cases.empty())) return;
  for (const Case& c : cases) require_good(c, explained(c), seed);
}

RC_GTEST_PROP(Explain, Lassos, (std::uint64_t seed)) {
  testing::RandomDve random(seed, testing::RandomDve::Kind::loose);
  const System system = read_model({"random.dve", random.take()}).system;
  bool found = false;
  for (int i = 0; i < 12; ++i) {
    const Property property = testing::random_property(random, system, true);
    Budget budget;
    const Outcome outcome = check_liveness(system, property, {}, budget);
    const PropertyResult& result = outcome.results.front();
    if (!result.path) continue;
    found = true;
    const Case c{.system = system,
                 .property = property,
                 .run = replay_proof(system, ErrorSemantics::stop, property, result.path())};
    require_good(c, explained(c), seed);
  }
  test::skip_case(!found);
}

// --- Examples.

Case found(const std::string& text, Property property, StateEngine engine = search_bfs) {
  Case c{.system = read_model({"model.dve", text}).system, .property = {}};
  c.property =
      has_expression(property.kind) ? bind_expression(c.system, std::move(property)) : std::move(property);
  Budget budget;
  const Outcome outcome = check_safety(c.system, {c.property}, {.engine = engine}, budget);
  c.verdict = outcome.results[0].verdict;
  c.run = replay_proof(c.system, c.errors, c.property, outcome.results[0].path(), c.verdict);
  return c;
}

constexpr const char* lost_update = R"(
byte count = 0;
byte idle = 0;
process C {
  state a;
  init a;
  trans a -> a { guard idle < 200; effect idle = idle + 1; };
}
process A {
  byte seen = 0;
  state start, read, done;
  init start;
  trans start -> read { effect seen = count; }, read -> done { effect count = seen + 1; };
}
process B {
  byte seen = 0;
  state start, read, done;
  init start;
  trans start -> read { effect seen = count; }, read -> done { effect count = seen + 1; };
}
system async;
)";

TEST(Explain, SaysWhereAnUpdateIsLost) {
  const Case c = found(lost_update,
                       {.name = "both",
                        .kind = PropertyKind::invariant,
                        .formula = "!(A.done && B.done) || count == 2",
                        .origin = "test"},
                       search_dfs);
  const ExplainedRun result = explained(c);
  EXPECT_EQ(result.run.length(), 4U);
  EXPECT_NE(result.explanation.text.find("count = 1 and B is at done since step 4 of B"), std::string::npos)
      << result.explanation.text;
  EXPECT_NE(result.explanation.text.find("reads count = 0 before step"), std::string::npos)
      << result.explanation.text;
  for (const SlotId slot : result.explanation.slots) EXPECT_NE(c.system.slots[slot].name, "idle");
  EXPECT_EQ(result.explanation.groups.size(), 3U);
}

TEST(Explain, LeavesOutRoundsThatLeadNowhere) {
  const Case c = found(
      lost_update,
      {.name = "late", .kind = PropertyKind::reach, .formula = "A.done && count == 1", .origin = "test"},
      search_dfs);
  const ExplainedRun result = explained(c);
  EXPECT_EQ(result.run.length(), 2U);
  EXPECT_LT(result.run.length(), c.run.length());
}

TEST(Explain, FoldsTheWayOfAProcess) {
  const Case c = found(R"(
byte x = 0;
process P {
  state a, b, c, d, e;
  init a;
  trans a -> b {}, b -> c {}, c -> d {}, d -> e { effect x = 1; };
}
system async;
)",
                       {.name = "x", .kind = PropertyKind::invariant, .formula = "x == 0", .origin = "test"});
  const ExplainedRun result = explained(c);
  EXPECT_EQ(result.explanation.steps(), std::vector<std::size_t>{4});
  const std::string text = show_explained(c.system, result.run, result.explanation);
  EXPECT_NE(text.find("... 3 steps that do not matter (1-3)"), std::string::npos) << text;
  EXPECT_NE(text.find(" *  4    P: d -> e"), std::string::npos) << text;
}

TEST(Explain, ARunWithoutSteps) {
  const Case c =
      found(lost_update,
            {.name = "zero", .kind = PropertyKind::invariant, .formula = "count != 0", .origin = "test"});
  const ExplainedRun result = explained(c);
  EXPECT_EQ(result.run.length(), 0U);
  EXPECT_TRUE(result.explanation.groups.empty());
  EXPECT_EQ(result.explanation.text,
            "`count != 0` is false in the initial state: count = 0 from the beginning.");
}

TEST(Explain, SaysWhatADeadlockWaitsFor) {
  const Case c = found(R"(
byte fork[2];
process P {
  state think, one, two;
  init think;
  trans think -> one { guard fork[0] == 0; effect fork[0] = 1; },
        one -> two { guard fork[1] == 0; effect fork[1] = 1; },
        two -> think { effect fork[0] = 0, fork[1] = 0; };
}
process Q {
  state think, one, two;
  init think;
  trans think -> one { guard fork[1] == 0; effect fork[1] = 1; },
        one -> two { guard fork[0] == 0; effect fork[0] = 1; },
        two -> think { effect fork[0] = 0, fork[1] = 0; };
}
system async;
)",
                       {.name = "deadlock", .kind = PropertyKind::deadlock, .formula = ""});
  const ExplainedRun result = explained(c);
  EXPECT_NE(result.explanation.text.find("P at one waits for `fork[1] == 0`"), std::string::npos)
      << result.explanation.text;
  EXPECT_NE(result.explanation.text.find("Q at one waits for `fork[0] == 0`"), std::string::npos);
}

TEST(Explain, OfCtlNothingIsSaid) {
  EXPECT_FALSE(why_not_explained({.name = "f", .kind = PropertyKind::ctl, .formula = ""}).empty());
  EXPECT_TRUE(why_not_explained({.name = "f", .kind = PropertyKind::ltl, .formula = ""}).empty());
}

}  // namespace
}  // namespace tideline
