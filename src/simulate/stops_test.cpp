#include <gtest/gtest.h>

#include "testing/conversation.hpp"

namespace tideline {
namespace {

using test::Conversation;
using test::two_processes;

TEST(Stops, ABreakpointStopsWhereItBecomesTrue) {
  Conversation talk(two_processes);
  EXPECT_EQ(talk("break P_0.CS"), "breakpoint 1: P_0.CS\n");
  for (int i = 0; i < 5; ++i) {
    EXPECT_NE(talk("continue").find("breakpoint 1: P_0.CS\n"), std::string::npos) << talk.said;
    EXPECT_EQ(talk("eval P_0.CS"), "true\n");
  }
  // It is true here, and is not reached by a step that leaves it true.
  const std::size_t here = talk.simulation().position();
  talk("goto 0");
  EXPECT_NE(talk("random 1000").find("breakpoint 1"), std::string::npos);
  EXPECT_LT(talk.simulation().position(), here);
}

TEST(Stops, ABreakpointOnAnActionStopsAfterIt) {
  Conversation talk(two_processes);
  EXPECT_EQ(talk("break on P_1 CS"), "breakpoint 1: on P_1 CS\n");
  EXPECT_NE(talk("c").find("P_1: wait -> CS    P_1.visits: 0 -> 1\nbreakpoint 1: on P_1 CS\n"),
            std::string::npos)
      << talk.said;
}

TEST(Stops, StepsByHandMentionBreakpointsAndGoOn) {
  Conversation talk(two_processes);
  talk("break turn == 1");
  EXPECT_EQ(
      talk("1*3"),
      "  1  P_0: idle -> want    flag[0]: 0 -> 1\n  2  P_0: want -> wait    turn: 0 -> 1\n"
      "breakpoint 1: turn == 1\n  3  P_0: wait -> CS\n    1)  P_0: CS -> idle\n    2)  P_1: idle -> want\n");
}

TEST(Stops, WatchesShowChangesWhereverYouGo) {
  Conversation talk(two_processes);
  EXPECT_EQ(talk("watch turn + 1"), "watch 1: turn + 1 = 1\n");
  EXPECT_EQ(talk("watch P_0.idle"), "watch 2: P_0.idle = true\n");
  EXPECT_NE(talk("1").find("       P_0.idle: true -> false\n"), std::string::npos);
  EXPECT_NE(talk("1").find("       turn + 1: 1 -> 2\n"), std::string::npos);
  EXPECT_EQ(
      talk("b"),
      "back in state 1\n       turn + 1: 2 -> 1\n    1)  P_0: want -> wait\n    2)  P_1: idle -> want\n");
  EXPECT_NE(talk("f").find("       turn + 1: 1 -> 2\n"), std::string::npos);
  EXPECT_NE(talk("g 0").find("       turn + 1: 2 -> 1\n       P_0.idle: false -> true\n"), std::string::npos)
      << talk.said;
}

TEST(Stops, AreListedAndDeleted) {
  Conversation talk(two_processes);
  EXPECT_EQ(talk("break"), "there are no breakpoints\n");
  EXPECT_EQ(talk("watch"), "no expression is watched\n");
  talk("break turn == 1; watch turn; break on P_0; break turn == 0");
  EXPECT_EQ(talk("break"), "    1)  turn == 1 = false\n    3)  on P_0\n    4)  turn == 0 = true\n");
  EXPECT_EQ(talk("delete 3; delete 2; watch"), "no expression is watched\n");
  EXPECT_EQ(talk("delete 3"), "refused: there is no breakpoint or watch 3");
  EXPECT_EQ(talk("delete all; break"), "there are no breakpoints\n");
  EXPECT_EQ(talk("watch turn"), "watch 5: turn = 0\n");  // numbers are not used again
}

}  // namespace
}  // namespace tideline
