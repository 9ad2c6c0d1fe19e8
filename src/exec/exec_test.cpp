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

namespace tideline {
namespace {

/// Random systems with every feature of the model: three widths, odd ranges, arrays, constant arrays,
/// components with and without control, actions of zero to three participants, loads of the state before.
class RandomSystem {
 public:
  explicit RandomSystem(std::uint64_t seed) : random_(seed) {
    system_.name = "random";
    system_.tables.push_back({3, -1, 70000, 0});
    for (int i = 0; i < 3; ++i) add_component("P" + std::to_string(i));
    add_variable("b", byte_range, 1, false);
    add_variable("i", int16_range, 1, false);
    add_variable("w", {-100000, 100000}, 1, false);
    add_variable("small", {0, 3}, 1, false);
    add_variable("ba", byte_range, 3, true);
    add_variable("ia", int16_range, 2, true);
    add_variable("wa", {-70000, 70000}, 2, true);
    for (int i = 0; i < 14; ++i) add_action(i);
    system_.error_state = system_.initial;
    complete(system_);
  }
  System take() { return std::move(system_); }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  void add_component(const std::string& name) {
    const auto id = static_cast<ComponentId>(system_.components.size());
    Component component{.name = name, .location_slot = static_cast<SlotId>(system_.slots.size())};
    for (const char* l : {"x", "y", "z"}) component.locations.push_back({.name = l});
    system_.components.push_back(std::move(component));
    system_.add_variable({.name = name, .owner = id, .is_location = true}, {0, 3}, {});
  }

  void add_variable(const std::string& name, Range range, std::uint32_t length, bool is_array) {
    std::vector<std::int32_t> values;
    for (std::uint32_t i = 0; i < length; ++i) values.push_back(below(3));
    system_.add_variable({.name = name, .length = length, .is_array = is_array}, range, values);
  }

  const Variable& pick(bool array) {
    for (;;) {
      const Variable& v =
          system_.variables[static_cast<std::size_t>(below(static_cast<int>(system_.variables.size())))];
      if (v.is_array == array && !v.is_location) return v;
    }
  }

  Expr leaf() {
    Expr e;
    switch (below(4)) {
      case 0:
        return Expr::constant(below(5) - 1);
      case 1:
        return Expr::constant(std::vector<std::int64_t>{255, 65536, std::int64_t{1} << 40}[below(3)]);
      default:
        e = Expr::load(pick(false).first);
    }
    e.before = below(3) == 0;
    return e;
  }

  Expr expr(int depth) {
    if (depth == 0) return leaf();
    switch (below(8)) {
      case 0:
        return leaf();
      case 1: {
        const Variable& v = pick(true);
        Expr e = Expr::load_array(v.first, v.length, expr(depth - 1));
        e.before = below(3) == 0;
        return e;
      }
      case 2:
        return Expr::table(0, expr(depth - 1));
      case 3: {
        const Op ops[] = {Op::negate, Op::bit_not, Op::logic_not, Op::wrap_byte, Op::wrap_int16};
        return Expr::unary(ops[below(5)], expr(depth - 1));
      }
      default: {
        const auto op = static_cast<Op>(static_cast<int>(Op::add) + below(19));
        return Expr::binary(op, expr(depth - 1), expr(depth - 1));
      }
    }
  }

  void add_action(int number) {
    Action action{.label = "a" + std::to_string(number)};
    std::vector<ComponentId> order{0, 1, 2};
    std::shuffle(order.begin(), order.end(), random_);
    const int count = below(4);
    for (int i = 0; i < count; ++i) {
      Participant p{.component = order[static_cast<std::size_t>(i)],
                    .from = static_cast<LocationId>(below(3)),
                    .to = static_cast<LocationId>(below(3))};
      if (below(2)) p.guard = expr(2);
      action.effects.push_back(
          {.slot = system_.components[p.component].location_slot, .value = Expr::constant(p.to)});
      action.participants.push_back(std::move(p));
    }
    if (below(2) || count == 0) action.guard = expr(2);
    // Same first participant as the action before: they share an entry of the program.
    if (count > 1 && !system_.actions.empty() && system_.actions.back().participants.size() > 1 &&
        system_.actions.back().participants[0].component == action.participants[0].component)
      action.participants[0] = system_.actions.back().participants[0];
    const int effects = below(7);
    for (int i = 0; i < effects; ++i) {
      const bool array = below(2) == 0;
      const Variable& v = pick(array);
      Assignment a{.slot = v.first, .length = v.length, .value = below(2) ? leaf() : expr(3)};
      if (array) a.index = below(2) ? Expr::constant(below(2)) : expr(1);
      action.effects.push_back(std::move(a));
    }
    system_.actions.push_back(std::move(action));
  }

  std::mt19937_64 random_;
  System system_;
};

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

RC_GTEST_PROP(Interpreter, agrees_with_the_reference_semantics, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    const System system = RandomSystem(seed + i).take();
    compare_on_walks(system, ErrorSemantics::stop, seed);
    compare_on_walks(system, ErrorSemantics::error_state, seed);
  }
  RC_ASSERT(!::testing::Test::HasFailure());
}

RC_GTEST_PROP(Predicate, agrees_with_the_reference_semantics, (std::uint64_t seed)) {
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

TEST(Predicate, survives_expressions_nested_to_the_right) {
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

TEST(Reference, explains_model_errors) {
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

TEST(Program, refuses_an_error_state_the_language_does_not_define) {
  System system;
  system.name = "m";
  EXPECT_THROW(Program::compile(system, ErrorSemantics::error_state), Error);
}

}  // namespace
}  // namespace tideline
