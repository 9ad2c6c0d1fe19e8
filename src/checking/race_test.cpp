// Races of engines: which one wins, which ones are stopped, and the answer when none wins.
#include "checking/race.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <string_view>

namespace tideline {
namespace {

/// What a limit ended.
Attempt attempt(const std::vector<Verdict>& verdicts) {
  Attempt result{.outcome = {}, .whole = false};
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    Property property{
        .name = std::string(1, static_cast<char>('a' + i)), .kind = PropertyKind::invariant, .formula = ""};
    result.outcome.results.push_back({property, verdicts[i], {}, {}});
  }
  return result;
}

Entrant decides(std::string name, Verdict verdict, std::atomic<bool>* began = nullptr) {
  return {.engine = std::move(name), .search = [=](const Budget::Limits&) {
            if (began) *began = true;
            return attempt({verdict});
          }};
}

/// Works until its budget ends it.
Entrant never_ends(std::string name, std::string* reason = nullptr) {
  return {.engine = std::move(name), .search = [=](const Budget::Limits& limits) {
            Budget budget(limits);
            while (!budget.exhausted({})) {
            }
            if (reason) *reason = budget.reason();
            return attempt({Verdict::unknown});
          }};
}

Budget::Limits a_moment() {
  Budget::Limits limits;
  limits.seconds = 0.02;
  return limits;
}

class Race : public testing::TestWithParam<RaceMode> {
 protected:
  RaceResult run(const std::vector<Entrant>& entrants, const Budget::Limits& limits = {}) {
    return race(entrants, limits, {.mode = GetParam(), .first_turn = 0.001});
  }
};

TEST_P(Race, TheFirstWithAnAnswerEndsIt) {
  for (const bool first : {true, false}) {
    std::string reason;
    std::vector<Entrant> entrants{never_ends("slow", &reason)};
    entrants.insert(first ? entrants.begin() : entrants.end(), decides("quick", Verdict::violated));
    const RaceResult result = run(entrants);
    EXPECT_EQ(result.winner, "quick");
    EXPECT_EQ(result.outcome.results.front().verdict, Verdict::violated);
    EXPECT_TRUE(reason.empty() || reason == "another engine was first") << reason;
  }
}

TEST(RaceInTurns, OthersDoNotBeginWhenTheFirstIsQuick) {
  std::atomic<bool> began = false;
  const RaceResult result =
      race({decides("quick", Verdict::holds), decides("other", Verdict::holds, &began)}, {}, {});
  EXPECT_EQ(result.winner, "quick");
  EXPECT_FALSE(began);
}

TEST(RaceInTurns, EveryoneReportsTheStatusAndAtOnceOnlyTheFirst) {
  const auto reports = [](std::string_view name) {
    return Entrant{.engine = std::string(name), .search = [name](const Budget::Limits& limits) {
                     Budget budget(limits);
                     budget.begin(Phase::searching, name);
                     budget.end_phase();
                     return attempt({Verdict::unknown});
                   }};
  };
  for (const RaceMode mode : {RaceMode::turns, RaceMode::at_once}) {
    std::set<std::string_view> seen;
    Budget::Limits limits;
    limits.on_status = [&](const RunStatus& status) { seen.insert(status.engine); };
    race({reports("one"), reports("two")}, limits, {.mode = mode});
    EXPECT_EQ(seen, mode == RaceMode::turns ? (std::set<std::string_view>{"one", "two"})
                                            : (std::set<std::string_view>{"one"}));
  }
}

TEST_P(Race, OneThatEndsWithoutAnAnswerLeavesTheOthersTheRest) {
  const Entrant gives_up{.engine = "gives up",
                         .search = [](const Budget::Limits&) { return attempt({Verdict::unknown}); }};
  const Entrant works{.engine = "works", .search = [](const Budget::Limits& limits) {
                        Budget budget(limits);
                        for (int i = 0; i < 1'000'000; ++i)
                          if (budget.exhausted({})) return attempt({Verdict::unknown});
                        return attempt({Verdict::holds});
                      }};
  EXPECT_EQ(run({gives_up, works, gives_up}).winner, "works");
}

TEST_P(Race, WithoutAWinnerWhatEachDecidedCounts) {
  const auto partly = [](std::string name, std::vector<Verdict> verdicts) {
    return Entrant{.engine = std::move(name),
                   .search = [=](const Budget::Limits&) { return attempt(verdicts); }};
  };
  using enum Verdict;
  const RaceResult result = run({partly("one", {unknown, unknown, holds, unknown}),
                                 partly("two", {violated, holds, unknown, unknown})});
  EXPECT_EQ(result.winner, "");
  std::vector<Verdict> verdicts;
  for (const PropertyResult& r : result.outcome.results) verdicts.push_back(r.verdict);
  EXPECT_EQ(verdicts, (std::vector{violated, holds, holds, unknown}));
}

TEST_P(Race, ASearchThatNoLimitEndedHasTheAnswer) {
  const Entrant whole{.engine = "whole", .search = [](const Budget::Limits&) {
                        Attempt result = attempt({Verdict::unknown});
                        result.whole = true;
                        return result;
                      }};
  EXPECT_EQ(run({never_ends("slow"), whole}).winner, "whole");
}

TEST_P(Race, FailuresCountWhenNobodyHasTheAnswer) {
  const Entrant fails{.engine = "fails", .search = [](const Budget::Limits&) -> Attempt {
                        throw std::runtime_error("no disk");
                      }};
  EXPECT_EQ(run({fails, decides("quick", Verdict::holds)}).winner, "quick");
  EXPECT_THROW(run({fails, never_ends("slow")}, a_moment()), std::runtime_error);
}

TEST_P(Race, OneThatCannotBeginHasNothingToSay) {
  const Entrant cannot{.engine = "cannot", .search = [](const Budget::Limits&) {
                         return Attempt{.outcome = {}, .whole = false};
                       }};
  const Entrant ends{.engine = "ends", .search = [](const Budget::Limits&) -> Attempt {
                       throw LimitReached("time limit reached");
                     }};
  EXPECT_THROW(run({ends, cannot}), LimitReached) << "not an answer without properties";
  const Entrant decides_some{.engine = "some", .search = [](const Budget::Limits&) {
                               return attempt({Verdict::unknown, Verdict::violated});
                             }};
  EXPECT_EQ(run({cannot, decides_some, ends}).outcome.results.size(), 2u);
}

TEST_P(Race, EntrantsOfARaceWithinARaceWaitForItsTurn) {
  // The inner race has the answer when the outer one gives it a turn again, and stops when it has lost.
  const Entrant race_within{.engine = "within", .search = [](const Budget::Limits& limits) {
                              RaceResult result =
                                  race({never_ends("slow"), decides("quick", Verdict::holds)}, limits,
                                       {.mode = RaceMode::turns, .first_turn = 0.005});
                              return Attempt{std::move(result.outcome), !result.winner.empty()};
                            }};
  EXPECT_EQ(run({race_within, never_ends("other")}).winner, "within");
  std::string reason;
  const Entrant lost{.engine = "lost", .search = [&](const Budget::Limits& limits) {
                       RaceResult result = race({never_ends("slow", &reason)}, limits, {});
                       return Attempt{std::move(result.outcome), !result.winner.empty()};
                     }};
  EXPECT_EQ(run({lost, decides("quick", Verdict::holds)}).winner, "quick");
  EXPECT_TRUE(reason.empty() || reason == "another engine was first") << reason;
}

TEST_P(Race, LimitsAndInterruptsEndAllOfThem) {
  std::string one, two;
  EXPECT_EQ(run({never_ends("one", &one), never_ends("two", &two)}, a_moment()).winner, "");
  EXPECT_TRUE(one.starts_with("time limit")) << one;
  EXPECT_TRUE(two.empty() || two.starts_with("time limit")) << two;
  const std::atomic<bool> interrupted = true;
  Budget::Limits limits;
  limits.interrupted = &interrupted;
  EXPECT_EQ(run({never_ends("one", &one), never_ends("two", &two)}, limits).winner, "");
  EXPECT_EQ(one, "interrupted");
  EXPECT_EQ(two, "interrupted");
}

INSTANTIATE_TEST_SUITE_P(Modes, Race, testing::Values(RaceMode::turns, RaceMode::at_once));

}  // namespace
}  // namespace tideline
