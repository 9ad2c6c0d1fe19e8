// Explanations as people read them.
#include "report/explanation.hpp"

#include <gtest/gtest.h>

namespace tideline {
namespace {

TEST(SlotNames, JoinNeighboursOfAnArray) {
  System system;
  system.components.push_back({.name = "P"});
  system.add_variable({.name = "turn"}, byte_range, {});
  system.add_variable({.name = "flag", .length = 4, .is_array = true}, byte_range, {});
  system.add_variable({.name = "own", .owner = 0, .length = 2, .is_array = true}, byte_range, {});
  using Names = std::vector<std::string>;
  EXPECT_EQ(slot_names({}, system), Names{});
  EXPECT_EQ(slot_names({0, 1}, system), (Names{"turn", "flag[0]"}));
  EXPECT_EQ(slot_names({2, 3, 4, 5, 6}, system), (Names{"flag[1..3]", "P.own[0..1]"}));
  EXPECT_EQ(slot_names({1, 3, 2, 0}, system), (Names{"flag[0]", "flag[2]", "flag[1]", "turn"}));
}

/// Two hundred actions, all of which are visible.
TEST(Explanations, CutLongListsForPeopleOnly) {
  System system;
  ExplanationAnswer answer{.version = "1.2.3", .model = "m", .properties = {"p"}};
  for (ActionId a = 0; a < 200; ++a) {
    system.actions.push_back({.label = "a" + std::to_string(a / 2)});
    answer.explanation.visible.push_back(a);
  }
  answer.explanation.actions = 200;
  answer.explanation.has_property = true;
  const std::string text = explanation_text(answer, system), json = explanation_json(answer, system);
  EXPECT_NE(text.find("  a9 (2 actions)\n  and 90 more\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("a10"), std::string::npos) << text;
  EXPECT_NE(json.find("\"a99\""), std::string::npos);
}

}  // namespace
}  // namespace tideline
