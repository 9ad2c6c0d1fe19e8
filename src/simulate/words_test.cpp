#include "simulate/words.hpp"

#include <gtest/gtest.h>

#include "model/error.hpp"

namespace tideline {
namespace {

using Texts = std::vector<std::string_view>;

TEST(Words, ALineIsSplitAtSemicolonsOutsideQuotes) {
  EXPECT_EQ(commands_in(" a b ;; c;\"d;e\" ; "), (Texts{"a b", "c", "\"d;e\""}));
  EXPECT_EQ(commands_in(" \t\r"), Texts{});
  EXPECT_EQ(commands_in("a \"b; c"), Texts{"a \"b; c"});  // a quote that is not closed
}

TEST(Words, NumbersAreDigitsAndNothingElse) {
  EXPECT_EQ(number_from("18446744073709551615"), 18446744073709551615U);
  for (const char* word : {"", "-1", "+1", "1 ", "0x1", "18446744073709551616"})
    EXPECT_FALSE(number_from(word)) << word;
  EXPECT_EQ(number_or("", 7), 7U);
  EXPECT_THROW(number_or("x", 7), Error);
}

TEST(Words, FitsAreBetterWhereWordsAreWhole) {
  EXPECT_EQ(fit_of("P_7: a -> b", "P_7: a -> b"), Fit::whole);
  EXPECT_EQ(fit_of("P_7: a -> b", "P_7"), Fit::words);
  EXPECT_EQ(fit_of("P_7: a -> b", "7"), Fit::part);
  EXPECT_EQ(fit_of("P_7: a -> b", "P_7 b"), Fit::scattered);
  EXPECT_EQ(fit_of("P_7: a -> bc", "P_7 b"), Fit::parts);
  EXPECT_EQ(fit_of("P_70: a -> b", "P_7"), Fit::part);
  EXPECT_EQ(fit_of("P_70 P_7", "P_7"), Fit::words);  // not the first occurrence
  EXPECT_EQ(fit_of("P_7: a -> b", "p_7"), Fit::words);
  EXPECT_EQ(fit_of("p_7: a -> b", "P_7"), Fit::none);
  EXPECT_EQ(fit_of("P_7: a -> b", "c"), Fit::none);
  EXPECT_EQ(fit_of("", "c"), Fit::none);
}

TEST(Words, OnlyTheBestFitsAreMeant) {
  const std::vector<std::string> texts{"P_70", "P_7 a", "P_7 b", "xP_7"};
  const auto text = [&](std::size_t i) { return texts[i]; };
  EXPECT_EQ(best_fits(4, "P_7", text), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(best_fits(4, "P_7 a", text), (std::vector<std::size_t>{1}));
  EXPECT_EQ(best_fits(4, "_7", text), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_TRUE(best_fits(4, "", text).empty());
  EXPECT_TRUE(best_fits(4, "Q", text).empty());
}

}  // namespace
}  // namespace tideline
