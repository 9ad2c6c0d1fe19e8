// The checker's steps against the reference semantics, from one state to any other.
#include "steps.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
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
    std::vector<std::byte> packed(steps.layout().size());
    steps.layout().pack(state, packed.data());
    steps.go_to(packed.data());
    EXPECT_EQ(steps.values(), state);
    const bool any = steps.successors([&](ActionId action, const std::byte* next) {
      moves.emplace_back(action, steps.layout().unpack(next));
    });
    EXPECT_EQ(any, !moves.empty());
  } catch (const Wrong&) {
    return std::nullopt;
  }
  return moves;
}

struct TooMany {};

/// Likewise, where steps go through states in which the transient slot is not 0. Throws TooMany.
std::optional<std::set<std::pair<ActionId, Values>>> whole_steps_by_reference(const System& system,
                                                                              ErrorSemantics errors,
                                                                              const Values& state) {
  std::set<std::pair<ActionId, Values>> steps;
  const auto first = moves_by_reference(system, errors, state);
  if (!first) return std::nullopt;
  for (const auto& [action, next] : *first) {
    std::set<Values> known{next};
    std::vector<Values> open{next};
    bool ends = false;
    while (!open.empty()) {
      const Values at = std::move(open.back());
      open.pop_back();
      if (at[system.transient] == 0) {
        ends = true;
        steps.emplace(action, at);
        continue;
      }
      const auto moves = moves_by_reference(system, errors, at);
      if (!moves) return std::nullopt;
      for (const auto& [part, after] : *moves)
        if (known.insert(after).second) open.push_back(after);
      if (known.size() > 200) throw TooMany{};
    }
    if (!ends) return std::nullopt;
  }
  return steps;
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

RC_GTEST_PROP(Steps, GoOnWhereNobodySeesThem, (std::uint64_t seed)) {
  for (const ErrorSemantics errors : {ErrorSemantics::stop, ErrorSemantics::error_state}) {
    System system = RandomSystem(seed).take();
    system.transient = *system.find_slot("bit");
    system.initial[system.transient] = 0;
    system.error_state = system.initial;
    Steps steps(system, errors);
    std::mt19937_64 random(seed);
    std::vector<Values> states{system.initial};
    for (int step = 0; step < 40; ++step) {
      Values state = near(system, states[random() % states.size()], random);
      state[system.transient] = 0;
      try {
        const auto expected = whole_steps_by_reference(system, errors, state);
        const auto moves = moves_of(steps, state);
        RC_ASSERT(moves.has_value() == expected.has_value());
        if (!moves) continue;
        const std::set<std::pair<ActionId, Values>> found(moves->begin(), moves->end());
        RC_ASSERT(found == *expected);
        for (const auto& [action, next] : found) states.push_back(next);
      } catch (const TooMany&) {
      }
    }
  }
}

}  // namespace
}  // namespace tideline::certify
