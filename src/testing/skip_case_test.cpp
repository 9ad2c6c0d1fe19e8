#include "testing/skip_case.hpp"

#include <gtest/gtest-spi.h>

namespace tideline::test {
namespace {

void judge(CaseCount& count) {
  count.OnTestEnd(*::testing::UnitTest::GetInstance()->current_test_info());
}

TEST(CaseCount, AFifthMayBeSkipped) {
  CaseCount count;
  judge(count);
  for (int i = 0; i < 10; ++i) count.add(i < 2);
  judge(count);
}

TEST(CaseCount, MoreThanAFifthIsAFailure) {
  CaseCount count;
  for (int i = 0; i < 9; ++i) count.add(i < 2);
  EXPECT_NONFATAL_FAILURE(judge(count), "2 of 9 cases were skipped");
  judge(count);  // the next test starts from nothing
}

TEST(CaseCount, KnowsWhatIsSkipped) {
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(skip_case(false));
  EXPECT_TRUE(skip_case(true));
}

}  // namespace
}  // namespace tideline::test
