#include "trace/show.hpp"

#include <gtest/gtest.h>

#include "testing/two_counters.hpp"

namespace tideline {
namespace {

using namespace two_counters;

TEST(Show, PrintsTheInitialStateAndThenDifferences) {
  const System s = system();
  EXPECT_EQ(show_run(s, run(s, {raise, once, pass})),
            "  0  initial state\n"
            "       turn = 0, flag = [0, 0]\n"
            "       A at idle\n"
            "       B at only, x = -7\n"
            "  1  A: idle -> work    flag[0]: 0 -> 1\n"
            "  2  B: only -> only    B.x: -7 -> 300\n"
            "  3  A: work -> idle    turn: 0 -> 1\n");
}

TEST(Show, PrintsWholeStatesOnDemand) {
  const System s = system();
  EXPECT_EQ(show_run(s, run(s, {raise}), {.full = true}),
            "  0  initial state\n"
            "       turn = 0, flag = [0, 0]\n"
            "       A at idle\n"
            "       B at only, x = -7\n"
            "  1  A: idle -> work\n"
            "       turn = 0, flag = [1, 0]\n"
            "       A at work\n"
            "       B at only, x = -7\n");
}

TEST(Show, EndsWithTheModelErrorAndItsPlace) {
  const System s = system();
  const Trace failing = replay(s, ErrorSemantics::stop, failing_path(s));
  const SourceText source{"m.dve", "one\n  flag[turn] = 1;\n"};
  const std::string text = show_run(s, failing, {.full = false, .source = &source});
  EXPECT_NE(text.find("  5  A: idle -> work\n"
                      "     m.dve:2:3: error: index 2 is outside flag[0..1]\n"
                      "          2 |   flag[turn] = 1;\n"
                      "            |   ^\n"),
            std::string::npos)
      << text;
  EXPECT_NE(show_run(s, failing).find("model error: index 2"), std::string::npos);
}

TEST(Show, LoopSaysWhereItReturns) {
  System s = system();
  s.actions[once].guard = Expr::constant(1);
  Path p = path(s, {once});
  p.actions.push_back(once);
  p.loop = 1;
  const std::string text = show_run(s, replay(s, ErrorSemantics::stop, p));
  EXPECT_NE(text.find("and on from state 1 for ever"), std::string::npos) << text;
}

TEST(Show, LongArraysAndLongLinesStayReadable) {
  System s;
  s.add_variable({.name = "buffer", .length = 40, .is_array = true}, byte_range, {7, 7, 3});
  for (int i = 0; i < 30; ++i) s.add_variable({.name = "variable" + std::to_string(i)}, byte_range, {});
  const std::string text = show_state(s, s.initial, 4);
  EXPECT_EQ(text.find("    buffer = [7, 7, 3, 0 x 37], variable0 = 0, "), 0U) << text;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 100U);
    begin = end + 1;
  }
}

TEST(Show, MovesThatTheLabelDoesNotSayAreShown) {
  System s = system();
  s.actions[once].effects.push_back({.slot = loc_a, .value = Expr::constant(1)});
  EXPECT_NE(show_run(s, run(s, {once})).find("A: idle -> work"), std::string::npos);
}

}  // namespace
}  // namespace tideline
