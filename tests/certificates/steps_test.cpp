// The checker's steps against the reference semantics, from one state to any other.
#include "steps.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "testing/random_system.hpp"

namespace tideline::certify {
namespace {

using Moves = std::vector<std::pair<ActionId, Values>>;

/// Nothing: one of them ends in a model error, and errors stop.
std::optional<Moves> moves_by_reference(const System& system, ErrorSemantics errors, const Values& state) {
  const Reference reference(system, errors);
  Moves moves;
  for (const ActionId action : reference.enabled(state)) {
    auto [successor, error] = reference.fire(action, state);
    if (error.kind != ModelErrorKind::none && errors == ErrorSemantics::stop) return std::nullopt;
    moves.emplace_back(action, std::move(successor));
  }
  return moves;
}

std::optional<Moves> moves_of(Steps& steps, const Values& state) {
  Moves moves;
  try {
    const bool any = steps.successors(state, [&](ActionId action, const Writes& writes) {
      moves.emplace_back(action, state);
      for (const auto& [slot, value] : writes) moves.back().second[slot] = value;
    });
    EXPECT_EQ(any, !moves.empty());
  } catch (const Wrong&) {
    return std::nullopt;
  }
  return moves;
}

/// A few slots have other values.
Values near(const System& system, Values state, std::mt19937_64& random) {
  for (auto changes = random() % 3; changes != 0; --changes) {
    const std::size_t slot = random() % state.size();
    const Range range = system.slots[slot].range;
    const std::int64_t most = std::min<std::int64_t>(range.high - std::int64_t{range.low}, 4);
    state[slot] =
        range.low < 0 && random() % 2 == 0 ? range.low : static_cast<std::int32_t>(random() % (most + 1));
  }
  return state;
}

RC_GTEST_PROP(Steps, AreThoseOfTheReferenceSemantics, (std::uint64_t seed)) {
  for (const ErrorSemantics errors : {ErrorSemantics::stop, ErrorSemantics::error_state})
    for (int i = 0; i < 5; ++i) {
      const System system = RandomSystem(seed + static_cast<std::uint64_t>(i)).take();
      Steps steps(system, errors);
      std::mt19937_64 random(seed);
      std::vector<Values> states{system.initial};
      for (int step = 0; step < 60; ++step) {
        const Values state = near(system, states[random() % states.size()], random);
        const auto expected = moves_by_reference(system, errors, state);
        RC_ASSERT(moves_of(steps, state) == expected);
        for (const auto& [action, next] : expected.value_or(Moves{})) states.push_back(next);
      }
    }
}

}  // namespace
}  // namespace tideline::certify
