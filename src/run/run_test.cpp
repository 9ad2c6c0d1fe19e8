#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "run/budget.hpp"
#include "run/outcome.hpp"

namespace tideline {
namespace {

TEST(Budget, SizesAndDurationsAreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_bytes("512"), 512u);
  EXPECT_EQ(parse_bytes("1.5K"), 1536u);
  EXPECT_EQ(parse_bytes("4G"), std::uint64_t{4} << 30);
  EXPECT_EQ(parse_bytes("4GiB"), std::uint64_t{4} << 30);
  EXPECT_EQ(parse_bytes("4GB"), std::uint64_t{4} << 30);
  EXPECT_EQ(parse_bytes("512B"), 512u);
  for (const char* same : {"4g", "4gb", "4gib", "4Gb", "4096m", "4194304k"})
    EXPECT_EQ(parse_bytes(same), std::uint64_t{4} << 30) << same;
  for (const char* bad : {"", "G", "-1", "4X", "1e300", "4 G", "nan", "4ib", "4bb", "4mgb", "4ggib"})
    EXPECT_FALSE(parse_bytes(bad)) << bad;
  EXPECT_EQ(parse_duration("90"), 90.0);
  EXPECT_EQ(parse_duration("1h30m"), 5400.0);
  EXPECT_EQ(parse_duration("250ms"), 0.25);
  EXPECT_EQ(parse_duration("1S"), 1.0);
  EXPECT_EQ(parse_duration("1H30Min"), 5400.0);
  for (const char* bad : {"", "s", "-3", "5x", "1h30", "0", "nan", "inf"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
  EXPECT_EQ(show_bytes(1000), "1000 B");
  EXPECT_EQ(show_bytes(1536), "1.5 KiB");
}

TEST(Budget, EndsForAnInterruptAndStaysEnded) {
  std::atomic<bool> flag{false};
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &flag, .on_status = {}});
  EXPECT_FALSE(budget.exhausted({}));
  flag = true;
  EXPECT_TRUE(budget.exhausted({}));
  flag = false;
  EXPECT_TRUE(budget.exhausted({}));
  EXPECT_EQ(budget.reason(), "interrupted");
}

TEST(Budget, EndsWhenMemoryOrTimeIsUsedUp) {
  Budget memory({.memory_bytes = 1, .seconds = {}, .interrupted = nullptr, .on_status = {}});
  EXPECT_TRUE(memory.exhausted({}));
  EXPECT_EQ(memory.reason(), "memory limit of 1 B reached");
  Budget time({.memory_bytes = {}, .seconds = 1e-9, .interrupted = nullptr, .on_status = {}});
  EXPECT_TRUE(time.exhausted({}));
  EXPECT_NE(time.reason().find("time limit"), std::string::npos);
  EXPECT_GT(resident_bytes(), 0u);
  EXPECT_GE(peak_resident_bytes(), resident_bytes() / 2);
}

/// What a budget reports, with nothing between two reports.
struct Reports {
  std::vector<RunStatus> seen = {};
  Budget budget =
      Budget({.on_status = [this](const RunStatus& status) { seen.push_back(status); }, .status_every = 0});
};

TEST(Budget, ReportsTheStatusWithItsPhase) {
  Reports reports;
  reports.budget.begin(Phase::searching, "bfs");
  ASSERT_EQ(reports.seen.size(), 1u) << "it begins";
  EXPECT_EQ(reports.seen.front().engine, "bfs");
  EXPECT_EQ(reports.seen.front().states, 0u);
  reports.budget.exhausted({.states = 7, .depth = 2});
  ASSERT_EQ(reports.seen.size(), 2u);
  const RunStatus& status = reports.seen.back();
  EXPECT_EQ(status.phase, Phase::searching);
  EXPECT_EQ(status.engine, "bfs");
  EXPECT_EQ(status.states, 7u);
  EXPECT_EQ(status.depth, 2u);
  EXPECT_FALSE(status.ended);
  EXPECT_GT(status.memory_bytes, 0u);
  EXPECT_LE(status.phase_seconds, status.seconds);
}

TEST(Budget, EveryPhaseEndsOnceAndThenIsSilent) {
  Reports reports;
  const auto ends = [&] {
    std::vector<std::pair<Phase, std::uint64_t>> result;
    for (const RunStatus& status : reports.seen)
      if (status.ended) result.emplace_back(status.phase, status.states);
    return result;
  };
  using Ends = std::vector<std::pair<Phase, std::uint64_t>>;
  Budget& budget = reports.budget;
  budget.end_phase();
  EXPECT_EQ(ends(), Ends{}) << "none has begun";
  budget.begin(Phase::reading);
  budget.begin(Phase::preparing);
  EXPECT_EQ(ends(), (Ends{{Phase::reading, 0}})) << "the next one has begun";
  budget.begin(Phase::preparing);
  EXPECT_EQ(ends().size(), 1u) << "it goes on";
  budget.exhausted({.states = 5});
  budget.end_phase();
  budget.end_phase();
  EXPECT_EQ(ends(), (Ends{{Phase::reading, 0}, {Phase::preparing, 5}})) << "with the latest numbers";
  const std::size_t before = reports.seen.size();
  budget.exhaust_memory();  // looks at the limits whatever the time is
  EXPECT_EQ(reports.seen.size(), before);
  EXPECT_EQ(budget.phase(), Phase::preparing) << "which a limit may blame";
  budget.begin(Phase::searching, "bfs");
  budget.begin(Phase::searching, "sweep");
  budget.end_phase({.states = 9});
  EXPECT_EQ(ends(),
            (Ends{{Phase::reading, 0}, {Phase::preparing, 5}, {Phase::searching, 0}, {Phase::searching, 9}}));
}

TEST(Budget, WhatFollowsASearchReportsItsOwnPhases) {
  Reports reports;
  reports.budget.begin(Phase::searching, "bfs");
  reports.budget.end_phase();
  const std::size_t before = reports.seen.size();
  Budget wrap_up = reports.budget.wrap_up();
  wrap_up.exhausted({});
  wrap_up.end_phase();
  EXPECT_EQ(reports.seen.size(), before) << "none has begun";
  wrap_up.begin(Phase::rebuilding);
  ASSERT_EQ(reports.seen.size(), before + 1);
  EXPECT_EQ(reports.seen.back().phase, Phase::rebuilding);
  EXPECT_EQ(reports.seen.back().engine, "");
}

TEST(Budget, APhaseWithoutAResultOfItsOwnEndsInAnException) {
  std::atomic<bool> flag{false};
  Budget budget({.interrupted = &flag});
  LimitCheck check_limits(&budget);
  for (int i = 0; i < 1000; ++i) EXPECT_NO_THROW(check_limits());
  flag = true;
  EXPECT_THROW(for (int i = 0; i < 256; ++i) check_limits(), LimitReached);
  try {
    budget.require();
    ADD_FAILURE() << "it goes on";
  } catch (const LimitReached& reached) {
    EXPECT_STREQ(reached.what(), "interrupted");
  }
  LimitCheck no_limits(nullptr);
  for (int i = 0; i < 1000; ++i) EXPECT_NO_THROW(no_limits());
}

TEST(Budget, SaysWhatEndedAPhaseEvenIfThatWasTheLimitOfAnother) {
  Budget budget;
  EXPECT_FALSE(within_limits(budget, [] { throw LimitReached("rank 1 has ended early: interrupted"); }));
  EXPECT_EQ(budget.reason(), "rank 1 has ended early: interrupted");
  EXPECT_FALSE(within_limits(budget, [] { throw LimitReached("another one"); }));
  EXPECT_EQ(budget.reason(), "rank 1 has ended early: interrupted");
}

TEST(Budget, AnAllocationThatFailsIsBlamedOnTheLimitThatWasReached) {
  std::atomic<bool> flag{true};
  Budget interrupted({.memory_bytes = std::uint64_t{1} << 50, .interrupted = &flag});
  interrupted.exhaust_memory();
  EXPECT_EQ(interrupted.reason(), "interrupted");
  const std::uint64_t near = 2 * peak_resident_bytes();
  Budget limited({.memory_bytes = near});
  limited.exhaust_memory();
  EXPECT_EQ(limited.reason(), fmt::format("memory limit of {} reached", show_bytes(near)));
  Budget far_away({.memory_bytes = std::uint64_t{1} << 50});
  far_away.exhaust_memory();
  EXPECT_EQ(far_away.reason(), "out of memory");
  Budget unlimited;
  unlimited.exhaust_memory();
  EXPECT_EQ(unlimited.reason(), "out of memory");
}

TEST(Budget, WhatFollowsASearchHasALittleMore) {
  std::atomic<bool> flag{true};
  Budget search({.seconds = 1e-9, .interrupted = &flag});
  EXPECT_TRUE(search.exhausted({}));
  EXPECT_FALSE(search.wrap_up().exhausted({}));  // the signal and the time are of the search
  Budget full({.memory_bytes = 1});
  EXPECT_TRUE(full.exhausted({}));
  Budget of_full = full.wrap_up();
  if (resident_bytes() < memory_ceiling(1)) {
    EXPECT_FALSE(of_full.exhausted({}));
  }
  of_full.exhaust_memory();
  EXPECT_EQ(of_full.reason(), "memory limit of 1 B reached");  // what the user asked for
  // A search that had its answer leaves what it did not use, and can still be interrupted.
  flag = false;
  Budget found({.seconds = 1000, .interrupted = &flag});
  Budget after = found.wrap_up();
  EXPECT_FALSE(after.exhausted({}));
  flag = true;
  EXPECT_TRUE(after.exhausted({}));
  EXPECT_EQ(after.reason(), "interrupted");
}

TEST(PathBuilder, BuildsWhenItIsAskedAndAsFarAsTheBudgetGoes) {
  const PathBuilder none;
  EXPECT_FALSE(none);
  const PathBuilder known(Path{.states = {{std::byte{7}}}, .actions = {}, .loop = {}});
  ASSERT_TRUE(known);
  EXPECT_EQ(known().states.size(), 1u);
  const PathBuilder built([](Budget& budget) {
    budget.require();
    return Path{};
  });
  EXPECT_TRUE(built().states.empty());
  Budget over;
  over.exhaust("enough");
  EXPECT_THROW(built(over), LimitReached);
}

TEST(Property, VerdictsHaveNamesBothWays) {
  for (Verdict v : {Verdict::holds, Verdict::violated, Verdict::unknown})
    EXPECT_EQ(verdict_from(to_string(v)), v);
  EXPECT_FALSE(verdict_from("true"));
}

TEST(Property, KindsHaveNamesBothWays) {
  for (const PropertyKind kind : {PropertyKind::deadlock, PropertyKind::model_error, PropertyKind::ctl})
    EXPECT_EQ(property_kind_from(to_string(kind)), kind);
  EXPECT_FALSE(property_kind_from("simulation"));
}

TEST(Property, SeveralOfOneNameAreNumberedFromTheSecondOn) {
  EXPECT_EQ(numbered("ltl", 0), "ltl");
  EXPECT_EQ(numbered("ltl", 1), "ltl-2");
}

}  // namespace
}  // namespace tideline
