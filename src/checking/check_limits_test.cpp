// Limits between and within the searches of a check: what one search has found stays found.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allocation/allocation_guard.hpp"
#include "checking/check.hpp"
#include "checking/share_time.hpp"

namespace tideline {
namespace {

/// Two counters; x == 2 is near, and nothing keeps x from staying where it is.
Model counters() {
  return read_model({"counters.dve",
                     "byte x, y;\n"
                     "process P { state q; init q; trans q -> q { guard x < 3; effect x = x + 1; },\n"
                     "                                   q -> q { guard x == 3; effect x = 0; }; }\n"
                     "process Q { state q; init q; trans q -> q { effect y = 1 - y; }; }\n"
                     "system async;\n"});
}

Property near_invariant(const Model& model) {
  return {.name = "near",
          .kind = PropertyKind::invariant,
          .formula = "x < 2",
          .expr = parse_expression(model.system, "x < 2", "test")};
}

Property always_again() {
  return {.name = "again", .kind = PropertyKind::ltl, .formula = "G F \"x == 0\""};
}

// Every allocation of the second search fails in turn, wherever it is: while a reduction is prepared, an automaton
// is searched or relations are built. That is how a limit ends what does not look at it.
TEST(CheckLimits, KeepWhatAnEarlierSearchHasFound) {
  const Model model = counters();
  for (const char* engine : {"auto", "scc", "symbolic"}) {
    std::uint64_t ended_within = 0;
    for (std::uint64_t at = 1;; at += 1 + at / 50) {
      Settings settings;
      settings.engine = find_engine(engine);
      settings.reduction = por::Method::stubborn;
      Check check(model, {near_invariant(model), always_again()}, settings);
      const FailingAllocation* failing = nullptr;
      std::uint64_t second_began = 0;
      bool seeks_cycles = false;
      Budget::Limits limits;
      limits.on_status = [&](const RunStatus& status) {
        if (seeks_cycles || status.phase != Phase::seeking_cycles || status.ended) return;
        seeks_cycles = true;
        second_began = failing->count();
      };
      Budget budget(limits);
      bool over = false, whole = false;
      {
        const FailingAllocation fails(at);
        failing = &fails;
        whole = within_limits(budget, [&] { check.run(limits, budget); });
        over = fails.count() < at;
      }
      for (const PropertyResult& result : check.result().outcome.results) {
        if (result.property.name == "model-errors" || result.verdict == Verdict::unknown) continue;
        EXPECT_EQ(result.verdict, Verdict::violated) << engine << " at " << at;
      }
      if (over) break;
      if (!seeks_cycles || !whole || at <= second_began) continue;
      ++ended_within;
      ASSERT_FALSE(check.result().outcome.results.empty());
      EXPECT_EQ(check.result().outcome.results.front().verdict, Verdict::violated) << engine << " at " << at;
      EXPECT_EQ(check.result().searches.size(), 2u) << engine << " at " << at;
    }
    EXPECT_GT(ended_within, 10u) << engine;
  }
}

TEST(CheckLimits, AnInterruptInALaterSearchLosesNothing) {
  const Model model = counters();
  for (const char* engine : {"auto", "scc", "symbolic", "sweep"}) {
    Settings settings;
    settings.engine = find_engine(engine);
    Check check(model, {near_invariant(model), always_again()}, settings);
    std::atomic<bool> interrupted = false;
    Budget::Limits limits;
    limits.interrupted = &interrupted;
    limits.on_status = [&](const RunStatus& status) {
      if (status.phase == Phase::seeking_cycles && !status.ended) interrupted = true;
    };
    Budget budget(limits);
    within_limits(budget, [&] { check.run(limits, budget); });
    const CheckResult& result = check.result();
    ASSERT_GE(result.outcome.results.size(), 2u) << engine;  // some have looked for model errors as well
    EXPECT_EQ(result.outcome.results.back().property.name, "again") << engine;
    EXPECT_EQ(result.outcome.results[0].verdict, Verdict::violated) << engine;
    EXPECT_TRUE(result.outcome.results[0].path) << engine;
    ASSERT_EQ(result.searches.size(), 2u) << engine;
    EXPECT_TRUE(result.searches[0].statistics.find("states")) << engine;
  }
}

/// Outcomes of searches that are only told about.
CombinedOutcome outcome_of(const char* name, Verdict verdict) {
  Outcome outcome;
  outcome.engine = "none";
  outcome.results.push_back({{.name = name, .kind = PropertyKind::ltl, .formula = ""}, verdict, {}, {}});
  CombinedOutcome result;
  append(result, std::move(outcome));
  return result;
}

class SharedTime : public testing::Test {
 protected:
  /// Takes all the time that it is given.
  TimedSearch never_ends(const Budget& clock, double limit) {
    return [this, &clock, limit](std::optional<double> until) {
      calls.emplace_back(until ? "slow, a turn" : "slow");
      while (clock.seconds() < until.value_or(limit)) {
      }
      return outcome_of("slow", Verdict::unknown);
    };
  }
  TimedSearch quick() {
    return [this](std::optional<double> until) {
      calls.emplace_back(until ? "quick, a turn" : "quick");
      return outcome_of("quick", Verdict::violated);
    };
  }
  using Calls = std::vector<std::string>;
  Calls calls;
};

TEST_F(SharedTime, GivesEachAShortTurnFirst) {
  constexpr double limit = 0.2;
  const Budget clock;
  const auto outcomes = share_time({never_ends(clock, limit), quick()}, clock, limit);
  EXPECT_EQ(calls, (Calls{"slow, a turn", "quick, a turn", "slow"}));
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].results.front().verdict, Verdict::unknown);
  EXPECT_EQ(outcomes[1].results.front().verdict, Verdict::violated);
}

TEST_F(SharedTime, HasNoTurnsWithoutALimitOrWithoutOthers) {
  const Budget clock;
  share_time({quick(), quick()}, clock, std::nullopt);
  EXPECT_EQ(calls, (Calls{"quick", "quick"}));
  calls.clear();
  share_time({quick()}, clock, 1);
  EXPECT_EQ(calls, Calls{"quick"});
}

// A search of several properties may decide one of them in its turn, and not get that far the second time.
TEST_F(SharedTime, WhatATurnHasDecidedStaysDecided) {
  const Budget clock;
  int call = 0;
  const auto outcomes = share_time({[&](std::optional<double> until) {
                                      CombinedOutcome outcome =
                                          outcome_of("a", call++ == 0 ? Verdict::violated : Verdict::unknown);
                                      append(outcome, outcome_of("b", Verdict::unknown));
                                      while (until && clock.seconds() < *until) {
                                      }
                                      return outcome;
                                    },
                                    quick()},
                                   clock, 0.1);
  EXPECT_EQ(call, 2);
  EXPECT_EQ(outcomes[0].results[0].verdict, Verdict::violated);
  EXPECT_EQ(outcomes[0].results[1].verdict, Verdict::unknown);
}

TEST(CheckLimits, FormulasReadAlikeWhateverASearchCameTo) {
  const Model model = counters();
  const std::atomic<bool> interrupted = true;
  Budget::Limits limits;
  limits.interrupted = &interrupted;
  Budget budget(limits);
  Property ctl{.name = "ctl", .kind = PropertyKind::ctl, .formula = "AG(AF  \"x == 0\")"};
  Check check(model, {always_again(), std::move(ctl)}, {});
  within_limits(budget, [&] { check.run(limits, budget); });
  std::vector<std::string> formulas;
  for (const PropertyResult& result : check.result().outcome.results)
    if (result.property.name != "model-errors") formulas.push_back(result.property.formula);
  EXPECT_EQ(formulas, (std::vector<std::string>{"GF \"x == 0\"", "AG AF \"x == 0\""}));
}

}  // namespace
}  // namespace tideline
