#include "trace/show.hpp"

#include <gtest/gtest.h>

#include "testing/two_counters.hpp"
#include "trace/step_text.hpp"

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
  EXPECT_NE(text.find("  1  B: only -> only    B.x: -7 -> 300\n"
                      "     the cycle begins here: step 2 is repeated for ever\n"
                      "  2| B: only -> only\n"
                      "     and on from state 1 for ever\n"),
            std::string::npos)
      << text;
}

TEST(Show, ALoopFromTheInitialStateBeginsBeforeTheFirstStep) {
  System s = system();
  s.actions[once].guard = Expr::constant(1);
  s.initial[x] = 300;
  Path p = path(s, {});
  p.actions.push_back(once);
  p.loop = 0;
  const std::string text = show_run(s, replay(s, ErrorSemantics::stop, p));
  EXPECT_NE(text.find("       B at only, x = 300\n"
                      "     the cycle begins here: step 1 is repeated for ever\n"
                      "  1| B: only -> only\n"
                      "     and on from state 0 for ever\n"),
            std::string::npos)
      << text;
}

TEST(Show, TheInitialStateIsLeftOutWhereItIsKnown) {
  const System s = system();
  EXPECT_EQ(show_run(s, run(s, {raise}), {.initial_known = true}),
            "  0  initial state, as above\n"
            "  1  A: idle -> work    flag[0]: 0 -> 1\n");
}

/// Two buffers, one of them of pairs, and a rendezvous.
System with_channels() {
  System s;
  s.add_variable({.name = "c.length"}, {0, 3}, {2});
  s.add_variable({.name = "c.items", .length = 3, .is_array = true}, byte_range, {1, 3});
  s.add_variable({.name = "d.length"}, {0, 2}, {});
  s.add_variable({.name = "d.0", .length = 2, .is_array = true}, byte_range, {});
  s.add_variable({.name = "d.1", .length = 2, .is_array = true}, byte_range, {});
  s.add_variable({.name = "x"}, byte_range, {4});
  s.components.push_back({.name = "P", .location_slot = 9, .locations = {{"s"}}});
  s.add_variable({.name = "P", .owner = 0, .is_location = true}, {0, 0}, {});
  s.channels.push_back({.name = "c", .capacity = 3, .length_slot = 0, .fields = {1}});
  s.channels.push_back({.name = "d", .capacity = 2, .length_slot = 4, .fields = {5, 7}});
  s.channels.push_back({.name = "r"});
  const auto set = [](SlotId slot, std::int64_t value) {
    return Assignment{.slot = slot, .value = Expr::constant(value)};
  };
  const Expr there = Expr::binary(Op::gt, Expr::load(0), Expr::constant(0));
  const Expr large = Expr::binary(Op::gt, Expr::load(9), Expr::constant(2));
  s.actions.push_back({.label = "P: s -> s",
                       .participants = {{.component = 0, .guard = there, .where = {7, 1}}},
                       .effects = {set(0, 1), set(1, 3), set(2, 0)},
                       .message = Message{.channel = 0, .receiver = 0, .values = {Expr::load(1)}}});
  s.actions.push_back(
      {.label = "P: s -> s #2",
       .participants = {{.component = 0, .guard = large, .where = {9, 1}}},
       .effects = {set(4, 1), set(5, 4), set(7, 6)},
       .message = Message{.channel = 1, .sender = 0, .values = {Expr::load(9), Expr::constant(6)}}});
  s.actions.push_back(
      {.label = "P: s -> s, Q: s -> s (r)",
       .message = Message{.channel = 2, .sender = 0, .receiver = 0, .values = {Expr::load(9)}}});
  s.actions.push_back({.label = "P: s -> s, Q: s -> s (r) #2",
                       .message = Message{.channel = 2, .sender = 0, .receiver = 0},
                       .where = {12, 3}});
  s.slots[9].name = "x";
  complete(s);
  return s;
}

TEST(Show, ABufferIsAQueue) {
  System s = with_channels();
  EXPECT_EQ(show_state(s, s.initial, 2), "  c = [1, 3], d = [], x = 4\n  P at s\n");
  Values to = s.initial;
  to[0] = 1;
  to[1] = 3;
  to[2] = 0;
  EXPECT_EQ(StepText(s).name(0, s.initial), "P: s -> s (c?1)   (line 7)") << "that there is one is no news";
  EXPECT_EQ(show_changes(s, 0, s.initial, to), "c: [1, 3] -> [3]");
  Values sent = s.initial;
  sent[4] = 1;
  sent[5] = 4;
  sent[7] = 6;
  EXPECT_EQ(StepText(s).name(1, s.initial), "P: s -> s #2 (d!(4, 6))   (line 9: x > 2)");
  EXPECT_EQ(show_changes(s, 1, s.initial, sent), "d: [] -> [(4, 6)]");
  EXPECT_EQ(StepText(s).name(2, s.initial), "P: s -> s, Q: s -> s (r!4)");
  EXPECT_EQ(StepText(s).name(3, s.initial), "P: s -> s, Q: s -> s (r) #2   (line 12)") << "an empty message";
}

TEST(Show, ABufferOfEmptyMessagesIsCounted) {
  System s;
  s.add_variable({.name = "c.length"}, {0, 3}, {2});
  s.channels.push_back({.name = "c", .capacity = 3, .length_slot = 0});
  EXPECT_EQ(show_state(s, s.initial, 0), "c.length = 2\n");
  EXPECT_EQ(show_changes(s, no_action, {2}, {3}), "c.length: 2 -> 3");
}

TEST(Palette, WidthIsThatOfTheCharacters) {
  const Palette colours = Palette::coloured();
  EXPECT_EQ(shown_width("Büchi"), 5u);
  EXPECT_EQ(shown_width(colours(Ink::bad, "no") + " way"), 6u);
  EXPECT_EQ(colours(Ink::bad, ""), "") << "nothing to mark";
  EXPECT_EQ(Palette()(Ink::bad, "no"), "no");
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
