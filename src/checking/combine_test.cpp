// What the searches of a check say together.
#include "checking/combine.hpp"

#include <gtest/gtest.h>

namespace tideline {
namespace {

using Value = Statistics::Value;

constexpr std::uint64_t unit = 1;

struct Entry {
  Stat stat;
  Value value;
};

Outcome search(const std::string& engine, bool complete, const std::vector<Entry>& entries) {
  Outcome outcome;
  outcome.engine = engine;
  outcome.complete = complete;
  for (const auto& [stat, value] : entries) outcome.statistics.set(stat, value);
  return outcome;
}

Statistics together(const std::vector<Outcome>& searches) {
  CombinedOutcome outcome;
  for (const Outcome& part : searches) append(outcome, part);
  return outcome.statistics;
}

/// -1: there is no value.
std::int64_t count(const Statistics& statistics, Stat stat) {
  const Value* value = statistics.find(stat);
  return value ? static_cast<std::int64_t>(std::get<std::uint64_t>(*value)) : -1;
}

TEST(Combine, SizesOfTheModelAreThoseOfTheFirstCompleteSearch) {
  const Outcome part = search("bfs", false, {{"states", 7 * unit}, {"deadlocks", 2 * unit}});
  const Outcome product = search("scc", true, {{"product_states", 90 * unit}});
  const Outcome whole = search("bfs", true, {{"states", 20 * unit}, {"transitions", 34 * unit}});
  const Outcome again = search("ctl", true, {{"states", 21 * unit}, {"deadlocks", 1 * unit}});
  const Statistics statistics = together({part, product, whole, again});
  EXPECT_EQ(count(statistics, "states"), 20);
  EXPECT_EQ(count(statistics, "transitions"), 34);
  EXPECT_EQ(count(statistics, "deadlocks"), -1) << "sizes of one model come from one search";
  EXPECT_EQ(count(together({part, product}), "states"), -1) << "nobody knows how many there are";
}

TEST(Combine, OfPeaksTheLargestCounts) {
  const Statistics statistics =
      together({search("bfs", true, {{"threads", 4 * unit}}), search("scc", true, {}),
                search("ctl", true, {{"threads", 2 * unit}})});
  EXPECT_EQ(count(statistics, "threads"), 4);
}

TEST(Combine, OnlyWhatAllSearchesHaveIsAddedUp) {
  const Outcome first = search("symbolic", true, {{"tuples", 3 * unit}, {"hull_time_s", 0.5}});
  const Outcome second = search("symbolic", true, {{"tuples", 4 * unit}, {"hull_time_s", 0.25}});
  const Statistics statistics = together({first, second});
  EXPECT_EQ(count(statistics, "tuples"), 7);
  EXPECT_EQ(std::get<double>(*statistics.find("hull_time_s")), 0.75);
  const Statistics mixed = together({first, search("bfs", true, {{"states", unit}}), second});
  EXPECT_EQ(count(mixed, "tuples"), -1) << "the sum would be about two of three searches";
}

TEST(Combine, WhatIsOfOneSearchIsLeftToIt) {
  const Outcome sweep = search("sweep", true, {{"visited", 9 * unit}, {"time_s", 0.5}});
  CombinedOutcome outcome;
  append(outcome, sweep);
  EXPECT_EQ(count(outcome.statistics, "visited"), 9) << "a single search speaks for the whole";
  EXPECT_FALSE(outcome.statistics.find("time_s")) << "which the command measures itself";
  append(outcome, sweep);
  EXPECT_TRUE(outcome.statistics.entries().empty());
  ASSERT_EQ(outcome.searches.size(), 2U);
  EXPECT_EQ(count(outcome.searches[1].statistics, "visited"), 9);
}

}  // namespace
}  // namespace tideline
