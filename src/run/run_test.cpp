#include <gtest/gtest.h>

#include "run/budget.hpp"
#include "run/outcome.hpp"

namespace tideline {
namespace {

TEST(Budget, sizes_and_durations_are_read_as_people_write_them) {
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

TEST(Budget, ends_for_an_interrupt_and_stays_ended) {
  std::atomic<bool> flag{false};
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &flag, .on_progress = {}});
  EXPECT_FALSE(budget.exhausted({}));
  flag = true;
  EXPECT_TRUE(budget.exhausted({}));
  flag = false;
  EXPECT_TRUE(budget.exhausted({}));
  EXPECT_EQ(budget.reason(), "interrupted");
}

TEST(Budget, ends_when_memory_or_time_is_used_up) {
  Budget memory({.memory_bytes = 1, .seconds = {}, .interrupted = nullptr, .on_progress = {}});
  EXPECT_TRUE(memory.exhausted({}));
  EXPECT_EQ(memory.reason(), "memory limit of 1 B reached");
  Budget time({.memory_bytes = {}, .seconds = 1e-9, .interrupted = nullptr, .on_progress = {}});
  EXPECT_TRUE(time.exhausted({}));
  EXPECT_NE(time.reason().find("time limit"), std::string::npos);
  EXPECT_GT(resident_bytes(), 0u);
  EXPECT_GE(peak_resident_bytes(), resident_bytes() / 2);
}

TEST(Statistics, keeps_the_order_and_replaces_values) {
  Statistics s;
  s.set("states", std::uint64_t{1});
  s.set("time_s", 0.5);
  s.set("states", std::uint64_t{2});
  ASSERT_EQ(s.entries().size(), 2u);
  EXPECT_EQ(std::get<std::uint64_t>(*s.find("states")), 2u);
  EXPECT_EQ(s.find("nothing"), nullptr);
}

TEST(Property, verdicts_have_names_both_ways) {
  for (Verdict v : {Verdict::holds, Verdict::violated, Verdict::unknown})
    EXPECT_EQ(verdict_from(to_string(v)), v);
  EXPECT_FALSE(verdict_from("true"));
}

}  // namespace
}  // namespace tideline
