#include "run/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace tideline {
namespace {

TEST(Statistics, KeepsTheOrderAndReplacesValues) {
  Statistics s;
  s.set("time_s", 0.5);
  s.set("states", std::uint64_t{1});
  s.set("states", std::uint64_t{2});
  ASSERT_EQ(s.entries().size(), 2u);
  EXPECT_TRUE(s.entries()[0].first == "time_s");
  EXPECT_EQ(std::get<std::uint64_t>(*s.find("states")), 2u);
  EXPECT_EQ(s.find("deadlocks"), nullptr);
}

TEST(Statistics, NamesFromFilesAreLookedUp) {
  ASSERT_TRUE(Stat::named("states"));
  EXPECT_TRUE(*Stat::named("states") == "states");
  EXPECT_FALSE(Stat::named("state"));
  EXPECT_FALSE(Stat::named(""));
  for (const Stat stat : Stat::all()) EXPECT_EQ(Stat::named(stat->name), stat);
}

TEST(StatisticRows, NamesAndLabelsAreUnique) {
  std::set<std::string_view> names, labels;
  for (const StatisticRow& row : statistic_rows) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(labels.insert(row.label).second) << row.label;
  }
}

TEST(StatisticRows, NamesSuitJsonAndLabelsSuitPeople) {
  for (const StatisticRow& row : statistic_rows) {
    EXPECT_FALSE(row.name.empty());
    EXPECT_TRUE(std::ranges::all_of(row.name, [](char c) { return c == '_' || std::islower(c); }))
        << row.name;
    EXPECT_FALSE(row.label.empty()) << row.name;
    EXPECT_EQ(row.label.find('_'), row.label.npos) << row.name;
  }
}

TEST(StatisticRows, TheNameTellsTheUnit) {
  for (const StatisticRow& row : statistic_rows) {
    EXPECT_EQ(row.name.ends_with("_bytes"), row.unit == Unit::bytes) << row.name;
    EXPECT_EQ(row.name.ends_with("_per_s"), row.unit == Unit::per_second) << row.name;
    EXPECT_EQ(row.name.ends_with("time_s"), row.unit == Unit::seconds) << row.name;
    EXPECT_TRUE(row.words.empty() || row.unit == Unit::text) << row.name;
  }
}

TEST(StatisticRows, MeaningsFitATableOfTheDocuments) {
  for (const StatisticRow& row : statistic_rows) {
    ASSERT_FALSE(row.meaning.empty()) << row.name;
    EXPECT_EQ(row.meaning.find_first_of("\n|"), row.meaning.npos) << row.name;
    EXPECT_EQ(row.meaning.find("  "), row.meaning.npos) << row.name;
    EXPECT_EQ(std::ranges::count(row.meaning, '`') % 2, 0) << row.name;
    const char last = row.meaning.back();
    EXPECT_TRUE(std::isalnum(last) || last == '`' || last == ')') << row.name;
  }
}

TEST(StatisticRows, PhrasesHaveAPlaceForTheValue) {
  for (const StatisticRow& row : statistic_rows) {
    if (row.phrase.empty()) continue;
    EXPECT_NE(row.phrase.find("{}"), row.phrase.npos) << row.name;
    EXPECT_EQ(std::ranges::count(row.phrase, '{'), 1) << row.name;
  }
}

TEST(StatisticRows, OnlyNumbersAreAddedUpOrCompared) {
  for (const StatisticRow& row : statistic_rows) {
    const bool can_be_added = row.unit == Unit::count || row.unit == Unit::seconds;
    EXPECT_TRUE(row.merge != Merge::sum || can_be_added) << row.name;
    EXPECT_TRUE(row.merge != Merge::largest || can_be_added || row.unit == Unit::bytes) << row.name;
  }
}

}  // namespace
}  // namespace tideline
