#include "report/answer.hpp"

#include <gtest/gtest.h>

#include "testing/two_counters.hpp"

namespace tideline {
namespace {

std::vector<PropertyResult> verdicts(std::initializer_list<std::pair<Verdict, std::optional<Verdict>>> list) {
  std::vector<PropertyResult> results;
  for (const auto& [verdict, expected] : list) {
    results.push_back({.property = {.name = "p", .kind = PropertyKind::invariant, .formula = ""},
                       .verdict = verdict,
                       .reason = "",
                       .path = {}});
    results.back().property.expected = expected;
  }
  return results;
}

constexpr auto holds = Verdict::holds, violated = Verdict::violated, unknown = Verdict::unknown;
constexpr std::optional<Verdict> none = std::nullopt;

TEST(Judge, TheWorstOneDecides) {
  EXPECT_EQ(judge({}), Judgement::good);
  EXPECT_EQ(judge(verdicts({{holds, none}, {holds, holds}})), Judgement::good);
  EXPECT_EQ(judge(verdicts({{holds, none}, {unknown, none}})), Judgement::undecided);
  EXPECT_EQ(judge(verdicts({{unknown, none}, {violated, none}, {holds, none}})), Judgement::bad);
}

TEST(Judge, WhatIsExpectedIsGood) {
  EXPECT_EQ(judge(verdicts({{violated, violated}, {holds, none}, {holds, holds}})), Judgement::good);
  EXPECT_EQ(judge(verdicts({{violated, violated}, {unknown, none}})), Judgement::undecided);
  EXPECT_EQ(judge(verdicts({{unknown, none}, {holds, violated}})), Judgement::bad);
  EXPECT_EQ(judge(verdicts({{unknown, unknown}})), Judgement::good);
}

TEST(Warnings, OfTheFrontEndComeFirstAndSayWhereTheyAre) {
  System s = two_counters::system();
  s.warnings.push_back({.message = "strange", .file = "m.dve", .where = {2, 3}});
  s.warnings.push_back({.message = "very strange"});
  Outcome outcome;
  outcome.warnings = {"of the engine"};
  add_model_warnings(s, outcome);
  EXPECT_EQ(outcome.warnings,
            (std::vector<std::string>{"m.dve:2:3: strange", "very strange", "of the engine"}));
}

TEST(ReplayAll, OnlyRunsThatProveTheirPropertyPass) {
  using namespace two_counters;
  const System s = system();
  auto results = verdicts({{violated, none}, {holds, none}});
  results[0].property.expr = Expr::binary(Op::eq, Expr::load(turn), Expr::constant(0));
  results[0].path = [&] { return path(s, {raise, pass}); };
  Budget budget;
  const auto traces = replay_all(s, ErrorSemantics::stop, results, budget);
  ASSERT_EQ(traces.size(), 2U);
  EXPECT_EQ(traces[0]->length(), 2U);
  EXPECT_FALSE(traces[1]);
  results[0].path = [&] { return path(s, {raise}); };
  EXPECT_THROW(replay_all(s, ErrorSemantics::stop, results, budget), Error);
}

TEST(ReplayAll, RunsThatExceedTheBudgetAreLeftOut) {
  using namespace two_counters;
  const System s = system();
  auto results = verdicts({{violated, none}});
  results[0].property.expr = Expr::binary(Op::eq, Expr::load(turn), Expr::constant(0));
  results[0].path = PathBuilder([&](Budget& budget) {
    budget.require();
    return path(s, {raise, pass});
  });
  Budget over;
  over.exhaust("time limit of 1 s reached");
  EXPECT_FALSE(replay_all(s, ErrorSemantics::stop, results, over)[0]);
  EXPECT_EQ(results[0].verdict, violated);
  EXPECT_EQ(results[0].reason, "the run is not shown: time limit of 1 s reached");
}

}  // namespace
}  // namespace tideline
