// Tasks side by side: each is done once or left to the caller, whatever happens to the others.
#include "run/side_by_side.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tideline {
namespace {

/// How often each task was done and dropped.
struct Log {
  static constexpr std::size_t count = 20;
  std::array<std::atomic<int>, count> done = {}, dropped = {};

  /// `work` does a task, and returns whether it is the last that is needed.
  void run(unsigned threads, Budget& budget, const std::function<bool(std::size_t, Budget&)>& work) {
    run_side_by_side(threads,
                     {.count = count,
                      .run =
                          [&](std::size_t task, Budget& own) {
                            const bool is_last = work(task, own);
                            ++done[task];
                            return is_last;
                          },
                      .drop = [&](std::size_t task) { ++dropped[task]; }},
                     budget);
  }
};

/// Returns when the budget is exhausted, as a task does that checks it again and again.
bool wait_for_the_end(Budget& own) {
  while (!own.exhausted({})) std::this_thread::yield();
  return false;
}

TEST(SideBySide, DoesEveryTaskOnce) {
  for (const unsigned threads : {2u, 3u, 8u, 40u}) {
    Log log;
    Budget budget;
    log.run(threads, budget, [](std::size_t, Budget&) { return false; });
    for (std::size_t i = 0; i < Log::count; ++i) {
      EXPECT_EQ(log.done[i], 1);
      EXPECT_EQ(log.dropped[i], 0);
    }
    EXPECT_TRUE(budget.reason().empty());
  }
}

TEST(SideBySide, LeavesEverythingToTheCallerWithoutThreadsOrMemory) {
  Budget unlimited, full({.memory_bytes = resident_bytes()});
  for (auto [threads, budget] : {std::pair(1u, &unlimited), std::pair(4u, &full)}) {
    Log log;
    log.run(threads, *budget, [](std::size_t, Budget&) { return false; });
    for (std::size_t i = 0; i < Log::count; ++i) EXPECT_EQ(log.done[i] + log.dropped[i], 0);
  }
}

TEST(SideBySide, TasksAfterTheLastOneThatIsNeededAreDroppedAndThoseBeforeItAreDone) {
  Log log;
  Budget budget;
  constexpr std::size_t last = 2;
  log.run(6, budget,
          [](std::size_t task, Budget& own) { return task > last ? wait_for_the_end(own) : task == last; });
  for (std::size_t i = 0; i < Log::count; ++i) {
    EXPECT_EQ(log.dropped[i], i > last && log.done[i] != 0) << i;
    EXPECT_TRUE(i > last || log.done[i] == 1) << i;
  }
  EXPECT_TRUE(budget.reason().empty());
}

TEST(SideBySide, ATaskThatThrowsIsDroppedAndTheOthersAreDone) {
  Log log;
  Budget budget;
  log.run(3, budget, [](std::size_t task, Budget&) {
    if (task % 7 == 3) throw std::runtime_error("three");
    return false;
  });
  for (std::size_t i = 0; i < Log::count; ++i) {
    EXPECT_EQ(log.done[i], i % 7 != 3);
    EXPECT_EQ(log.dropped[i], i % 7 == 3);
  }
}

TEST(SideBySide, WithoutMemoryTheFirstGoesOnAndTheOthersAreDropped) {
  Log log;
  Budget budget;
  std::atomic<int> begun = 0;
  log.run(4, budget, [&](std::size_t task, Budget& own) {
    ++begun;
    while (begun < 4) std::this_thread::yield();
    if (task == 3) throw std::bad_alloc();
    if (task != 0) return wait_for_the_end(own);
    while (log.dropped[1] + log.dropped[2] + log.dropped[3] < 3) EXPECT_FALSE(own.exhausted({}));
    return false;
  });
  EXPECT_EQ(begun, 4);
  EXPECT_EQ(log.done[0], 1);
  EXPECT_EQ(log.dropped[0], 0);
}

TEST(SideBySide, ALimitEndsAllAndDropsNone) {
  std::atomic<bool> interrupted = false;
  Log log;
  Budget budget({.interrupted = &interrupted});
  log.run(3, budget, [&](std::size_t task, Budget& own) {
    if (task == 2) interrupted = true;
    return wait_for_the_end(own);
  });
  EXPECT_EQ(budget.reason(), "interrupted");
  for (std::size_t i = 0; i < Log::count; ++i) {
    EXPECT_EQ(log.done[i], i < 3);
    EXPECT_EQ(log.dropped[i], 0);
  }
}

TEST(SideBySide, ALimitOfOneTaskIsLeftToTheCaller) {
  Log log;
  Budget budget;
  log.run(2, budget, [](std::size_t task, Budget& own) {
    if (task == 5) own.exhaust("too many values");
    return false;
  });
  EXPECT_TRUE(budget.reason().empty());
  for (std::size_t i = 0; i < Log::count; ++i) EXPECT_EQ(log.dropped[i], i == 5);
}

TEST(SideBySide, OnlyTheCallersThreadReports) {
  const auto caller = std::this_thread::get_id();
  std::atomic<int> reports = 0;
  Budget budget({.on_status =
                     [&](const RunStatus&) {
                       EXPECT_EQ(std::this_thread::get_id(), caller);
                       ++reports;
                     },
                 .status_every = 0});
  std::atomic<bool> enough = false;
  Log log;
  log.run(3, budget, [&](std::size_t, Budget& own) {
    while (!enough) {
      own.exhausted({});
      if (reports > 3) enough = true;
    }
    return false;
  });
  EXPECT_GT(reports, 3);
}

}  // namespace
}  // namespace tideline
