// Decisions give back what was remembered for the same answers, and nothing else.
#include "reduce/decisions.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

namespace tideline::por {
namespace {

constexpr Question questions = 40;

/// A made-up way to decide: which question comes next follows from the answers before, and so does the result.
struct Decided {
  std::vector<Answer> answers = {};
  bool is_reduced = false, is_complete = false;
  std::vector<std::uint32_t> places = {};

  bool operator==(const Decided& other) const {
    return is_reduced == other.is_reduced && is_complete == other.is_complete && places == other.places;
  }
};

using State = std::vector<std::int32_t>;  ///< the answer to each question

Decided decide(const std::vector<ActionId>& enabled, const State& state) {
  Decided result;
  std::uint64_t mixed = enabled.size();
  for (const ActionId action : enabled) mixed = mixed * 31 + action;
  const std::size_t length = 1 + mixed % 25;
  Question question = static_cast<Question>(mixed % questions);
  for (std::size_t i = 0; i < length; ++i) {
    result.answers.push_back({question, state[question]});
    mixed = (mixed ^ static_cast<std::uint64_t>(state[question])) * 0x9e3779b97f4a7c15U;
    question = (question + 1 + static_cast<Question>(mixed >> 63U)) % questions;
  }
  result.is_reduced = mixed % 3 != 0;
  result.is_complete = mixed % 2 != 0;
  for (std::uint32_t place = 0; result.is_reduced && place < enabled.size(); ++place)
    if ((mixed >> (8 + place) & 1U) != 0) result.places.push_back(place);
  return result;
}

/// How many of the states were known; each answer has one of so many values.
std::size_t known_of(std::size_t states, int values) {
  std::mt19937 random(7);  // NOLINT: the same every time
  Decisions decisions(questions);
  std::size_t known = 0;
  for (std::size_t i = 0; i < states; ++i) {
    std::vector<ActionId> enabled;
    for (ActionId a = 0; a < 6; ++a)
      if (random() % 2 == 0) enabled.push_back(a * 1000 + 7);
    State state(questions);
    // Most questions have an answer that seldom changes, as in states that follow each other.
    for (std::int32_t& value : state)
      value =
          random() % 16 == 0 ? static_cast<std::int32_t>(random() % static_cast<unsigned>(values)) - 1 : 0;
    const Decided expected = decide(enabled, state);
    const auto* const choice = decisions.find(enabled, [&](Question question) { return state[question]; });
    if (choice == nullptr) {
      decisions.remember(expected.answers, expected.is_reduced, expected.is_complete, expected.places);
      continue;
    }
    ++known;
    const auto places = decisions.places(*choice);
    const Decided found{{}, choice->is_reduced, choice->is_complete, {places.begin(), places.end()}};
    EXPECT_EQ(found, expected) << i;
  }
  return known;
}

TEST(Decisions, AreFoundForTheSameAnswers) {
  EXPECT_GT(known_of(20'000, 2), 10'000u);
}

// So many that what there is has to be forgotten several times.
TEST(Decisions, AreRightAfterForgetting) {
  EXPECT_GT(known_of(400'000, 5), 100'000u);
}

// Where hardly any state is like another one they are given up.
TEST(Decisions, AreGivenUpWhereNothingIsAlike) {
  EXPECT_LT(known_of(100'000, 1'000'000), 30'000u);
}

}  // namespace
}  // namespace tideline::por
