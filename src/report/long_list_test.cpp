// Long lists: whole elements, and all others are counted.
#include "report/long_list.hpp"

#include <gtest/gtest.h>

namespace tideline {
namespace {

TEST(LongList, ShowsWholeElementsAndCountsTheRest) {
  const std::string text = "a measure: first, second {0 < 1, 2}, third + fourth, fifth";
  EXPECT_EQ(shortened_list(text, text.size()), text);
  EXPECT_EQ(shortened_list(text, 50), "a measure: first, second {0 < 1, 2}, third ... and 2 more");
  EXPECT_EQ(shortened_list(text, 40), "a measure: first, second {0 < 1, 2} ... and 3 more");
  EXPECT_EQ(shortened_list(text, 30), "a measure: first ... and 4 more");
}

TEST(LongList, IsLeftAsItIsWhereLittleWouldBeLeft) {
  EXPECT_EQ(shortened_list("a, {b, c, d, e, f, g, h}, i", 20), "a, {b, c, d, e, f, g, h}, i");
  EXPECT_EQ(shortened_list("no list at all, however long it is", 10), "no list at all, however long it is");
  EXPECT_EQ(shortened_list("", 0), "");
}

}  // namespace
}  // namespace tideline
