#include "checking/measure_search.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "lang/lang.hpp"

namespace tideline {
namespace {

System system_that_counts() {
  return read_model({"counter.dve",
                     "byte x;\n"
                     "process P { state q; init q; trans q -> q { guard x < 3; effect x = x + 1; }; }\n"
                     "system async;\n"})
      .system;
}

TEST(MeasureSearch, ItsNotesAreToldOnceByWhoTakesTheMeasure) {
  const System system = system_that_counts();
  MeasureSearch search(
      [&](SampleBudget&, const Notes& notes) {
        notes("found");
        return Measure(system, {slot_term(system, 0)});
      },
      {}, 0);
  std::vector<std::string> told;
  const Notes tell = [&](const std::string& note) { told.push_back(note); };
  EXPECT_EQ(search.take(tell).terms().size(), 1u);
  EXPECT_EQ(search.take(tell).terms().size(), 1u);
  EXPECT_EQ(told, std::vector<std::string>{"found"});
}

TEST(MeasureSearch, ThrowsWhatTheSearchHasThrown) {
  MeasureSearch search(
      [](SampleBudget&, const Notes&) -> Measure { throw Error(ErrorKind::usage, "no such term"); }, {}, 0);
  EXPECT_THROW(search.take({}), Error);
  EXPECT_THROW(search.take({}), Error);
}

TEST(MeasureSearch, KeepsToTheLimitsOfTheRun) {
  std::atomic<bool> interrupted = true;
  MeasureSearch search([](SampleBudget&, const Notes&) { return Measure{}; },
                       {.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}}, 0);
  EXPECT_THROW(search.take({}), LimitReached);
}

TEST(MeasureSearch, EndsWhenNobodyWantsItAnyMore) {
  std::atomic<bool> ended = false;
  {
    MeasureSearch search(
        [&](SampleBudget& budget, const Notes&) {
          while (!budget.budget.exhausted({})) std::this_thread::yield();
          ended = true;
          return Measure{};
        },
        {}, 0);
  }
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace tideline
