#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "model/layout.hpp"
#include "model/system.hpp"

namespace tideline {
namespace {

TEST(Diagnostic, ShowsPlaceLineAndCaret) {
  const SourceText source{"m.dve", "byte x;\n\tguard turm == 1;\r\nend"};
  EXPECT_EQ(to_string(error_at(source, {2, 8}, "unknown variable 'turm'")),
            "m.dve:2:8: error: unknown variable 'turm'\n"
            "     2 |  guard turm == 1;\n"
            "       |        ^");
  EXPECT_EQ(to_string(warning_at(source, {}, "nothing to do")), "m.dve: warning: nothing to do");
  EXPECT_EQ(source.line(3), "end");
  EXPECT_EQ(source.line(4), "");
}

TEST(Diagnostic, CutsLongLinesAroundTheCaretAndHidesControlBytes) {
  SourceText source{"m", std::string(5000, 'a') + "\x1b!" + std::string(5000, 'b')};
  const std::string text = to_string(error_at(source, {1, 5001}, "here"));
  EXPECT_LT(text.size(), 300u);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const auto line = text.find("| a");
  const auto caret = text.find('^') - text.rfind("| ");
  EXPECT_EQ(text[line + caret], '?');
}

TEST(Error, JoinsItsDiagnostics) {
  const SourceText source{"f", "x\ny"};
  const Error error(ErrorKind::input, {error_at(source, {}, "one"), error_at(source, {}, "two")});
  EXPECT_STREQ(error.what(), "f: error: one\nf: error: two");
}

TEST(Expr, ArithmeticAtTheEdges) {
  const auto min = std::numeric_limits<std::int64_t>::min();
  ModelErrorKind error = ModelErrorKind::none;
  EXPECT_EQ(apply_binary(Op::div, min, -1, error), min);
  EXPECT_EQ(apply_binary(Op::mod, min, -1, error), 0);
  EXPECT_EQ(apply_binary(Op::div, -7, 2, error), -3);
  EXPECT_EQ(apply_binary(Op::mod, -7, 2, error), -1);
  EXPECT_EQ(apply_binary(Op::shift_right, -8, 1, error), -4);
  EXPECT_EQ(apply_binary(Op::shift_left, 1, 63, error), min);
  EXPECT_EQ(apply_unary(Op::negate, min), min);
  EXPECT_EQ(error, ModelErrorKind::none);
  EXPECT_EQ(apply_binary(Op::mod, 1, 0, error), 0);
  EXPECT_EQ(error, ModelErrorKind::division_by_zero);
  EXPECT_EQ(apply_binary(Op::shift_left, 1, 64, error), 0);
  EXPECT_EQ(error, ModelErrorKind::shift_out_of_range);
}

TEST(Expr, FoldingKeepsWhatHasNoValue) {
  const Expr x = Expr::load(0);
  const auto fold = [](Expr e) { return fold_constants(std::move(e), {{10, 20}}); };
  const Expr zero_division = Expr::binary(Op::div, Expr::constant(1), Expr::constant(0));
  EXPECT_EQ(fold(zero_division), zero_division);
  EXPECT_TRUE(fold(Expr::binary(Op::logic_and, Expr::constant(0), zero_division)).is_constant(0));
  EXPECT_TRUE(fold(Expr::binary(Op::imply, Expr::constant(0), x)).is_constant(1));
  EXPECT_EQ(fold(Expr::binary(Op::logic_and, x, Expr::constant(0))).op, Op::logic_and);
  EXPECT_EQ(fold(Expr::load_array(4, 3, Expr::constant(2))), Expr::load(6));
  EXPECT_EQ(fold(Expr::load_array(4, 3, Expr::constant(3))).op, Op::load_array);
  EXPECT_TRUE(fold(Expr::table(0, Expr::constant(1))).is_constant(20));
  EXPECT_TRUE(fold(before_effects(Expr::load_array(4, 3, Expr::constant(2)))).before);
}

/// A process P with locations a, b; x a byte; v an array of three.
System small_system() {
  System system;
  system.components.push_back({.name = "P", .location_slot = 0, .locations = {{.name = "a"}, {.name = "b"}}});
  system.add_variable({.name = "P", .owner = 0, .is_location = true}, {0, 2}, {});
  system.add_variable({.name = "x"}, byte_range, {5});
  system.add_variable({.name = "v", .owner = 0, .length = 3, .is_array = true}, int16_range, {1, -2});
  return system;
}

TEST(System, AccessSetsAreExactForConstantIndicesAndWholeArraysOtherwise) {
  System system = small_system();
  Action action{.label = "t"};
  action.participants.push_back({.component = 0, .from = 0, .to = 1});
  action.effects.push_back({.slot = 0, .value = Expr::constant(1)});
  action.effects.push_back({.slot = 3, .value = Expr::load(1)});
  system.actions.push_back(action);
  action.guard = Expr::load_array(2, 3, Expr::constant(0));
  action.effects.push_back({.slot = 2, .length = 3, .index = Expr::load(1), .value = Expr::constant(0)});
  system.actions.push_back(action);
  complete(system);
  EXPECT_EQ(system.actions[0].reads, (std::vector<SlotId>{0, 1}));
  EXPECT_EQ(system.actions[0].writes, (std::vector<SlotId>{0, 3}));
  EXPECT_EQ(system.actions[1].reads, (std::vector<SlotId>{0, 1, 2, 3, 4}));
  EXPECT_EQ(system.actions[1].writes, (std::vector<SlotId>{0, 2, 3, 4}));
  ASSERT_EQ(system.components[0].edges.size(), 2u);
  EXPECT_EQ(system.components[0].edges[1].action, 1u);
  EXPECT_EQ(system.components[0].edges[1].to, 1u);
}

TEST(System, NamesAndValuesReadAsInTheModel) {
  const System system = small_system();
  EXPECT_EQ(system.slots[4].name, "P.v[2]");
  EXPECT_EQ(system.initial, (std::vector<std::int32_t>{0, 5, 1, -2, 0}));
  EXPECT_EQ(system.show_value(0, 1), "b");
  EXPECT_EQ(system.show_value(0, 2), "<error>");
  EXPECT_EQ(system.find_slot("P.v[1]"), 3u);
  EXPECT_EQ(system.find_variable("v"), nullptr);
  EXPECT_EQ(system.find_variable("v", 0)->first, 2u);
  const Expr at_b = Expr::binary(Op::eq, Expr::load(0), Expr::constant(1));
  const Expr sum = Expr::binary(Op::add, Expr::load_array(2, 3, Expr::load(1)), at_b);
  EXPECT_EQ(to_string(Expr::binary(Op::lt, sum, Expr::constant(3)), system), "(P.v[x] + P.b) < 3");
}

TEST(Layout, GivesEachSlotTheBytesItsRangeNeeds) {
  System system = small_system();
  system.add_variable({.name = "w"}, {-1, 40000}, {});
  const Layout layout(system);
  EXPECT_EQ(layout.size(), 1u + 1u + 3 * 2u + 4u);
  EXPECT_EQ(layout.field(2).offset, 2u);
  EXPECT_EQ(layout.bits(), 0u);
}

TEST(Layout, PutsBitsFirst) {
  System system = small_system();
  for (int i = 0; i < 9; ++i) system.add_variable({.name = "bit"}, {0, 1}, {});
  const Layout layout(system);
  EXPECT_EQ(layout.bits(), 9u);
  EXPECT_EQ(layout.size(), 2u + 1u + 1u + 3 * 2u);
  EXPECT_EQ(layout.field(0).offset, 2u);
  EXPECT_EQ(layout.field(5).offset, 0u);
  std::vector<std::byte> packed(layout.size(), std::byte{0xff});
  layout.pack({{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1}}, packed.data());
  EXPECT_EQ(packed[0], std::byte{1});
  EXPECT_EQ(packed[1], std::byte{1});
}

RC_GTEST_PROP(Layout, UnpacksWhatItPacked,
              (std::vector<std::int32_t> wide, std::vector<std::uint8_t> narrow)) {
  System system;
  std::vector<std::int32_t> values;
  for (std::size_t i = 0; i < std::max(wide.size(), narrow.size()); ++i) {
    if (i < wide.size()) {
      const auto limit = std::numeric_limits<std::int32_t>::max();
      system.add_variable({.name = "w"}, {-limit - 1, limit}, {});
      values.push_back(wide[i]);
      system.add_variable({.name = "s"}, int16_range, {});
      values.push_back(static_cast<std::int16_t>(wide[i]));
    }
    if (i < narrow.size()) {
      system.add_variable({.name = "b"}, byte_range, {});
      values.push_back(narrow[i]);
      system.add_variable({.name = "bit"}, {0, 1}, {});
      values.push_back(narrow[i] & 1);
    }
  }
  const Layout layout(system);
  std::vector<std::byte> packed(layout.size());
  layout.pack(values, packed.data());
  RC_ASSERT(layout.unpack(packed.data()) == values);
}

}  // namespace
}  // namespace tideline
