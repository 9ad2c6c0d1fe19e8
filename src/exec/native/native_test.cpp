// Native code against the interpreter, step by step and in the same order, and against the reference semantics
// where single expressions are concerned.
#include "exec/native/native.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "exec/reference.hpp"
#include "lang/lang.hpp"
#include "testing/beem.hpp"
#include "testing/native_steps.hpp"
#include "testing/random_system.hpp"

namespace tideline {
namespace {

#define SKIP_WITHOUT_NATIVE_CODE() \
  if (!native::unavailable().empty()) GTEST_SKIP() << native::unavailable()

void compare(System& system, ErrorSemantics errors, std::uint64_t seed, int states) {
  std::mt19937_64 random(seed);
  ASSERT_EQ(test::native_difference(system, errors, random, states), "");
}

RC_GTEST_PROP(Native, TakesTheStepsOfTheInterpreterInItsOrder, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 5; ++i) {
    System system = RandomSystem(seed + i).take();
    compare(system, ErrorSemantics::stop, seed, 60);
    compare(system, ErrorSemantics::error_state, seed, 60);
  }
  RC_ASSERT(!::testing::Test::HasFailure());
}

/// x and y in all widths, and an array of each width.
System of_all_widths() {
  System system;
  const std::vector<Range> ranges = {
      {0, 1},
      {0, 200},
      {0, 255},
      {-7, 5},
      {-30000, 30000},
      {-70000, 70000},
      {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()}};
  for (const Range& range : ranges)
    for (const char* name : {"x", "y"})
      system.add_variable({.name = name + std::to_string(system.slots.size())}, range,
                          {std::max(range.low, 0)});
  return system;
}

Expr random_expression(const System& system, std::mt19937_64& random, int depth) {
  const auto slot = static_cast<SlotId>(random() % system.slots.size());
  if (depth == 0 || random() % 5 == 0) {
    static constexpr std::int64_t constants[] = {0,
                                                 1,
                                                 -1,
                                                 2,
                                                 7,
                                                 63,
                                                 64,
                                                 127,
                                                 128,
                                                 255,
                                                 256,
                                                 -128,
                                                 32767,
                                                 -32768,
                                                 65536,
                                                 2147483647,
                                                 -2147483648LL,
                                                 4294967296LL,
                                                 std::numeric_limits<std::int64_t>::max(),
                                                 std::numeric_limits<std::int64_t>::min()};
    if (random() % 2 == 0) return Expr::load(slot);
    return Expr::constant(constants[random() % std::size(constants)]);
  }
  const auto part = [&] { return random_expression(system, random, depth - 1); };
  switch (random() % 8) {
    case 0:
      return Expr::unary(random() % 2 == 0 ? Op::wrap_byte : Op::wrap_int16, part());
    case 1:
      return Expr::unary(static_cast<Op>(static_cast<int>(Op::negate) + random() % 3), part());
    case 2:
      return Expr::table(0, part());
    case 3:
      return Expr::load_array(slot / 2 * 2, 2, part());
    default: {
      constexpr int first = static_cast<int>(Op::add), last = static_cast<int>(Op::imply);
      return Expr::binary(static_cast<Op>(first + static_cast<int>(random() % (last - first + 1))), part(),
                          part());
    }
  }
}

RC_GTEST_PROP(Native, EvaluatesEveryOperatorAsTheReferenceDoes, (std::uint64_t seed)) {
  if (!native::unavailable().empty()) return;
  std::mt19937_64 random(seed);
  System system = of_all_widths();
  system.tables.push_back({5, -3, std::numeric_limits<std::int64_t>::max()});
  const Layout layout(system);
  const Reference reference(system);
  for (int i = 0; i < 20; ++i) {
    const Expr expr = random_expression(system, random, 1 + static_cast<int>(random() % 5));
    const auto code = native::compile_value(system, layout, expr);
    RC_ASSERT(code.has_value());
    for (int s = 0; s < 10; ++s) {
      const test::Packed state = test::random_state(system, layout, random);
      const auto expected = reference.evaluate(expr, layout.unpack(state.data()));
      const native::Value value = code->function(state.data());
      RC_ASSERT((value.gave_up != 0) == (expected.error.kind != ModelErrorKind::none));
      if (value.gave_up == 0) RC_ASSERT(value.value == expected.value);
    }
  }
}

RC_GTEST_PROP(Native, AssignsEveryWidthAsTheInterpreterDoes, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  System system = of_all_widths();
  system.tables.push_back({5, -3, 255});
  for (int a = 0; a < 12; ++a) {
    Action action{.label = "a" + std::to_string(a)};
    if (random() % 2 == 0) action.guard = random_expression(system, random, 2);
    for (std::uint64_t n = 1 + random() % 4; n != 0; --n) {
      const auto slot = static_cast<SlotId>(random() % system.slots.size());
      Expr value = random_expression(system, random, 2);
      if (random() % 2 == 0) value = before_effects(std::move(value));
      if (random() % 3 == 0)
        action.effects.push_back({.slot = slot / 2 * 2,
                                  .length = 2,
                                  .index = random_expression(system, random, 1),
                                  .value = std::move(value)});
      else
        action.effects.push_back({.slot = slot, .value = std::move(value)});
    }
    system.actions.push_back(std::move(action));
  }
  complete(system);
  compare(system, ErrorSemantics::stop, seed, 60);
  RC_ASSERT(!::testing::Test::HasFailure());
}

/// Transitions that move a token from one place to the next, with more places than fit vector registers.
TEST(Native, TakesStepsOfWideStates) {
  for (const std::uint32_t places : {1U, 15U, 16U, 17U, 64U, 255U, 257U, 1000U, 5000U})
    for (const Range range : {Range{0, 1}, Range{0, 9}}) {
      System system;
      for (std::uint32_t p = 0; p < places; ++p)
        system.add_variable({.name = "p" + std::to_string(p)}, range, {p % 3 == 0 ? range.high : 0});
      for (SlotId p = 0; p + 1 < places; ++p) {
        Action action{.label = "t" + std::to_string(p)};
        action.guard = Expr::binary(Op::ge, Expr::load(p), Expr::constant(1));
        action.effects.push_back(
            {.slot = p, .value = Expr::binary(Op::sub, Expr::load(p), Expr::constant(1))});
        action.effects.push_back(
            {.slot = p + 1, .value = Expr::binary(Op::add, Expr::load(p + 1), Expr::constant(1))});
        system.actions.push_back(std::move(action));
      }
      complete(system);
      compare(system, ErrorSemantics::stop, places, 20);
    }
}

TEST(Native, SurvivesExpressionsNestedToTheRight) {
  SKIP_WITHOUT_NATIVE_CODE();
  System system;
  system.add_variable({.name = "x"}, byte_range, {1});
  system.tables.push_back({1});
  Expr sum = Expr::load(0);
  for (int i = 0; i < 3000; ++i)
    sum = Expr::binary(Op::add, Expr::table(0, Expr::constant(0)), std::move(sum));
  const auto code = native::compile_value(system, Layout(system), sum);
  ASSERT_TRUE(code);
  const std::byte state{1};
  EXPECT_EQ(code->function(&state).value, 3001);
}

/// Each in a page of its own, hundreds of them would be in the same lines of the caches.
TEST(Native, SmallFunctionsShareMemoryAndLeaveItOneByOne) {
  SKIP_WITHOUT_NATIVE_CODE();
  const System system = RandomSystem(1).take();
  const Layout layout(system);
  std::vector<native::NativeValue> values;
  for (int i = 0; i < 100; ++i)
    values.push_back(native::compile_value(system, layout, Expr::constant(i)).value());
  std::set<std::uintptr_t> pages;
  for (const native::NativeValue& value : values)
    pages.insert(reinterpret_cast<std::uintptr_t>(value.function) / 4096);
  EXPECT_LT(pages.size(), 20U);
  const std::vector<std::byte> state(native::padded(layout.size()));
  for (int i = 0; i < 99; ++i) {
    values.erase(values.begin());
    for (std::size_t left = 0; left < values.size(); ++left)
      EXPECT_EQ(values[left].function(state.data()).value, i + 1 + static_cast<int>(left));
  }
}

TEST(Native, IsNotMadeWhereItIsNotWanted) {
  System system = RandomSystem(1).take();
  system.execution = Execution::interpreter;
  const Layout layout(system);
  native::Supply supply(system, layout);
  EXPECT_EQ(supply.steps(), nullptr);
}

TEST(Native, IsMadeInTheBackground) {
  SKIP_WITHOUT_NATIVE_CODE();
  const System system = RandomSystem(1).take();
  const Layout layout(system);
  native::Supply supply(system, layout);
  while (supply.steps() == nullptr) std::this_thread::yield();
}

TEST(Native, StopsWhenNobodyWaitsForIt) {
  for (int i = 0; i < 20; ++i) {
    const System system = RandomSystem(static_cast<std::uint64_t>(i)).take();
    const Layout layout(system);
    native::Supply supply(system, layout);
    supply.steps();
  }
}

/// Models of other people: the first states of a search, then random walks. TIDELINE_NATIVE_STEPS sets how many.
void compare_on_model(const std::filesystem::path& path) {
  const char* wanted = std::getenv("TIDELINE_NATIVE_STEPS");
  Model model = load_model(path.string());
  SCOPED_TRACE(path.string());
  const bool divine = model.system.error_state.has_value();
  compare(model.system, divine ? ErrorSemantics::error_state : ErrorSemantics::stop, 1,
          wanted != nullptr ? std::atoi(wanted) : 200);
}

TEST(NativeBenchmarks, StepsOfEveryModelOfBeem) {
  if (!std::filesystem::is_directory(dve::beem_folder()))
    GTEST_SKIP() << "no BEEM models at " << dve::beem_folder();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dve::beem_folder()))
    if (entry.path().extension() == ".dve" && entry.path().string().find(".prop") == std::string::npos)
      compare_on_model(entry.path());
}

TEST(NativeBenchmarks, StepsOfEveryNet) {
  const auto folder = dve::beem_folder().parent_path() / "mcc";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no nets at " << folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".pnml") compare_on_model(entry.path());
}

}  // namespace
}  // namespace tideline
