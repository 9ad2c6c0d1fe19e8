// For tests with random cases: cases that test nothing are counted, and must be few.
//
// A generator makes a model that is too large to compare, or one without the thing that a test is about. The
// test skips such a case. A test that skips many passes without checking much, so one that skips more than a
// fifth of its cases fails. Fix the generator then, not the bound.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

namespace tideline::test {

/// Counts the cases of the test that runs, and judges them at its end.
class CaseCount : public ::testing::EmptyTestEventListener {
 public:
  static constexpr std::uint64_t most_skipped = 5;  ///< at most one case in this many

  /// The one of this program; it listens from the first call on.
  static CaseCount& of_running_test() {
    static CaseCount& count = []() -> CaseCount& {
      auto listener = std::make_unique<CaseCount>();
      CaseCount& result = *listener;
      ::testing::UnitTest::GetInstance()->listeners().Append(listener.release());  // which owns it now
      return result;
    }();
    return count;
  }

  void add(bool skipped) {
    ++cases_;
    if (skipped) ++skipped_;
  }

  void OnTestEnd(const ::testing::TestInfo&) override {
    if (cases_ == 0) return;
    ::testing::Test::RecordProperty("cases", std::to_string(cases_));
    ::testing::Test::RecordProperty("skipped_cases", std::to_string(skipped_));
    EXPECT_LE(skipped_ * most_skipped, cases_)
        << skipped_ << " of " << cases_ << " cases were skipped; at most one in " << most_skipped
        << " may be. Make the generator produce fewer cases that say nothing.";
    cases_ = skipped_ = 0;
  }

 private:
  std::uint64_t cases_ = 0, skipped_ = 0;
};

/// Counts a case; returns whether it is to be skipped. Call it once for every case of a test.
inline bool skip_case(bool says_nothing) {
  CaseCount::of_running_test().add(says_nothing);
  return says_nothing;
}

}  // namespace tideline::test
