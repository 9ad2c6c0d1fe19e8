// The interpreter against the reference semantics, on random systems and random walks through them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "exec/interpreter.hpp"
#include "exec/predicate.hpp"
#include "exec/reference.hpp"
#include "testing/random_system.hpp"

namespace tideline {
namespace {

using Move = std::tuple<ActionId, ModelErrorKind, Values>;

std::vector<Move> reference_moves(const System& system, ErrorSemantics errors, const Values& state) {
  const Reference reference(system, errors);
  std::vector<Move> moves;
  for (ActionId a : reference.enabled(state)) {
    auto [successor, error] = reference.fire(a, state);
    if (errors == ErrorSemantics::error_state) error.kind = ModelErrorKind::none;
    if (error.kind != ModelErrorKind::none) successor.clear();
    moves.emplace_back(a, error.kind, successor);
  }
  return moves;
}

std::vector<Move> interpreter_moves(Interpreter& interpreter, const Values& state) {
  const Layout& layout = interpreter.program().layout();
  std::vector<std::byte> packed(layout.size());
  layout.pack(state, packed.data());
  std::vector<Move> moves;
  interpreter.successors(packed.data(), [&](const Step& step) {
    moves.emplace_back(step.action, step.error, step.state ? layout.unpack(step.state) : Values{});
  });
  std::sort(moves.begin(), moves.end());
  return moves;
}

void compare_on_walks(const System& system, ErrorSemantics errors, std::uint64_t seed) {
  Interpreter interpreter(Program::compile(system, errors));
  std::mt19937_64 random(seed);
  for (int walk = 0; walk < 4; ++walk) {
    Values state = system.initial;
    for (int step = 0; step < 25; ++step) {
      const auto expected = reference_moves(system, errors, state);
      ASSERT_EQ(interpreter_moves(interpreter, state), expected);
      std::vector<Values> next;
      for (const auto& [action, error, successor] : expected)
        if (!successor.empty()) next.push_back(successor);
      if (next.empty()) break;
      state = next[std::uniform_int_distribution<std::size_t>(0, next.size() - 1)(random)];
    }
  }
}

RC_GTEST_PROP(Interpreter, AgreesWithTheReferenceSemantics, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    const System system = RandomSystem(seed + i).take();
    compare_on_walks(system, ErrorSemantics::stop, seed);
    compare_on_walks(system, ErrorSemantics::error_state, seed);
  }
  RC_ASSERT(!::testing::Test::HasFailure());
}

RC_GTEST_PROP(Predicate, AgreesWithTheReferenceSemantics, (std::uint64_t seed)) {
  const System system = RandomSystem(seed).take();
  const Layout layout(system);
  const Reference reference(system);
  std::vector<std::byte> packed(layout.size());
  layout.pack(system.initial, packed.data());
  for (const Action& action : system.actions) {
    const auto expected = reference.evaluate(action.guard, system.initial);
    ModelErrorKind error;
    RC_ASSERT(Predicate(system, layout, action.guard).evaluate(packed.data(), error) == expected.value);
    RC_ASSERT(error == expected.error.kind);
  }
}

TEST(Predicate, SurvivesExpressionsNestedToTheRight) {
  System system;
  system.add_variable({.name = "x"}, byte_range, {1});
  const Layout layout(system);
  Expr sum = Expr::load(0);
  for (int i = 0; i < 3000; ++i)
    sum = Expr::binary(Op::add, Expr::table(0, Expr::constant(0)), std::move(sum));
  system.tables.push_back({1});
  std::vector<std::byte> state(1, std::byte{1});
  ModelErrorKind error;
  EXPECT_EQ(Predicate(system, layout, sum).evaluate(state.data(), error), 3001);
  for (int i = 0; i < 3000; ++i) sum = Expr::unary(Op::negate, std::move(sum));
  EXPECT_THROW(Predicate(system, layout, sum), Error);
}

TEST(Reference, ExplainsModelErrors) {
  System system;
  system.add_variable({.name = "a", .length = 3, .is_array = true}, byte_range, {7, 8, 9});
  const Reference reference(system);
  const Expr bad = Expr::load_array(0, 3, Expr::constant(3), {4, 9});
  const auto result = reference.evaluate(bad, system.initial);
  EXPECT_EQ(result.error.kind, ModelErrorKind::index_out_of_bounds);
  EXPECT_EQ(result.error.message, "index 3 is outside a[0..2]");
  EXPECT_EQ(result.error.where, (SourcePoint{4, 9}));

  Action action{.label = "overflow"};
  action.effects.push_back({.slot = 1, .value = Expr::constant(256), .where = {5, 2}});
  system.actions.push_back(action);
  const auto firing = reference.fire(0, system.initial);
  EXPECT_EQ(firing.error.message, "value 256 does not fit a[1] (0..255)");
  EXPECT_EQ(firing.error.where, (SourcePoint{5, 2}));
}

TEST(Program, RefusesAnErrorStateTheLanguageDoesNotDefine) {
  System system;
  system.name = "m";
  EXPECT_THROW(Program::compile(system, ErrorSemantics::error_state), Error);
}

}  // namespace
}  // namespace tideline
