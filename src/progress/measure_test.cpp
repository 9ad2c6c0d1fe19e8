// Measures: packing against plain comparison of tuples, intervals against evaluation, text there and back.
#include "progress/measure.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "exec/interpreter.hpp"
#include "exec/reference.hpp"
#include "lang/expression.hpp"
#include "lang/lang.hpp"
#include "model/interval.hpp"
#include "model/value_condition.hpp"
#include "progress/measured.hpp"
#include "progress/parse_measure.hpp"

namespace tideline {
namespace {

static_assert(ProgressGraph<Measured<Interpreter>>);

constexpr const char* model_text = R"(byte b; int i; byte a[4]; const int T[3] = {5, -2, 9};
process P { byte x; int y; state idle, busy, done; init idle;
  trans idle -> busy { effect x = x + 1; }, busy -> done {}; }
process Q { state one, two; init one; trans one -> two {}; }
system async;
)";

System test_system() {
  return read_model({"test.dve", model_text}).system;
}

ExpressionReader reader_of(const System& system) {
  return [&system](std::string_view text, SourcePoint start, const SourceText& source) {
    Diagnostics diagnostics(source);
    return read_expression(system, text, start, diagnostics);
  };
}

Measure parse(const System& system, const std::string& text) {
  return parse_measure(system, {"--progress", text}, reader_of(system), ErrorSemantics::stop);
}

std::string error_of(const std::string& text) {
  try {
    const System system = test_system();
    parse(system, text);
    return "";
  } catch (const Error& error) {
    EXPECT_NE(error.kind(), ErrorKind::internal);
    return error.what();
  }
}

/// Values of all slots, each in its range; small ones are more likely.
Values arbitrary_values(const System& system) {
  Values values;
  for (const Slot& slot : system.slots) {
    const bool small = *rc::gen::arbitrary<bool>();
    const std::int32_t high = small ? std::min(slot.range.low + 3, slot.range.high) : slot.range.high;
    values.push_back(*rc::gen::resize(1000, rc::gen::inRange<std::int32_t>(slot.range.low, high + 1)));
  }
  return values;
}

std::vector<std::byte> packed(const System& system, const Values& values) {
  const Layout layout(system);
  std::vector<std::byte> state(layout.size());
  layout.pack(values, state.data());
  return state;
}

Expr arbitrary_expr(const System& system, int depth) {
  if (depth == 0 || *rc::gen::inRange(0, 4) == 0) {
    if (*rc::gen::inRange(0, 3) == 0)
      return Expr::constant(*rc::gen::element<std::int64_t>(
          0, 1, -1, 2, 3, 7, 64, -300, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::min()));
    return Expr::load(*rc::gen::inRange<SlotId>(0, static_cast<SlotId>(system.slots.size())));
  }
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      return Expr::unary(
          *rc::gen::element(Op::negate, Op::bit_not, Op::logic_not, Op::wrap_byte, Op::wrap_int16),
          arbitrary_expr(system, depth - 1));
    case 1:
      return Expr::load_array(*system.find_slot("a[0]"), 4, arbitrary_expr(system, depth - 1));
    case 2:
      return Expr::table(0, arbitrary_expr(system, depth - 1));
    default: {
      const auto op = static_cast<Op>(static_cast<int>(Op::add) + *rc::gen::inRange(0, 19));
      Expr left = arbitrary_expr(system, depth - 1);
      return Expr::binary(op, std::move(left), arbitrary_expr(system, depth - 1));
    }
  }
}

RC_GTEST_PROP(Interval, HoldsEveryValue, ()) {
  const System system = test_system();
  const Expr expr = arbitrary_expr(system, 4);
  const Interval interval = interval_of(expr, system);
  for (int i = 0; i < 20; ++i) {
    const auto [value, error] = Reference(system).evaluate(expr, arbitrary_values(system));
    if (error.kind != ModelErrorKind::none)
      RC_ASSERT(interval.may_fail);
    else
      RC_ASSERT(interval.contains(value));
  }
}

RC_GTEST_PROP(ValueCondition, IsTrueExactlyWhereThereIsAValue, ()) {
  const System system = test_system();
  const Expr expr = arbitrary_expr(system, 4);
  const Expr condition = value_condition(expr, system), everywhere = with_value_everywhere(expr, system);
  const Reference reference(system);
  for (int i = 0; i < 20; ++i) {
    const Values state = arbitrary_values(system);
    const auto [value, error] = reference.evaluate(expr, state);
    const bool has_value = error.kind == ModelErrorKind::none;
    for (const Expr& total : {condition, everywhere})
      RC_ASSERT(reference.evaluate(total, state).error.kind == ModelErrorKind::none);
    RC_ASSERT((reference.evaluate(condition, state).value != 0) == has_value);
    RC_ASSERT((reference.evaluate(everywhere, state).value != 0) == (has_value && value != 0));
  }
}

TEST(Interval, IsNarrow) {
  const System system = test_system();
  const auto interval = [&](const std::string& text) {
    const Interval i = interval_of(parse_expression(system, text, "test"), system);
    return std::tuple{i.low, i.high, i.may_fail};
  };
  using Expected = std::tuple<std::int64_t, std::int64_t, bool>;
  EXPECT_EQ(interval("b + 1"), Expected(1, 256, false));
  EXPECT_EQ(interval("-b - i"), Expected(-255 - 32767, 32768, false));
  EXPECT_EQ(interval("b * b"), Expected(0, 65025, false));
  EXPECT_EQ(interval("b / 10"), Expected(0, 25, false));
  EXPECT_EQ(interval("b % 8"), Expected(0, 7, false));
  EXPECT_EQ(interval("b & 15"), Expected(0, 15, false));
  EXPECT_EQ(interval("b >> 4"), Expected(0, 15, false));
  EXPECT_EQ(interval("b > i"), Expected(0, 1, false));
  EXPECT_EQ(interval("a[b]"), Expected(0, 255, true));
  EXPECT_EQ(interval("T[b % 3]"), Expected(-2, 9, false));
  EXPECT_EQ(interval("1 / b"), Expected(-1, 1, true));
  EXPECT_EQ(interval("a[b % 4]"), Expected(0, 255, false));
  EXPECT_EQ(interval("a[b % 5]"), Expected(0, 255, true));
  EXPECT_EQ(interval("1 << (b % 64)"), Expected(std::numeric_limits<std::int64_t>::min(),
                                                std::numeric_limits<std::int64_t>::max(), false));
  EXPECT_EQ(interval("b << (b % 3 - 1)"), Expected(0, 510, true));
}

/// A term's value as a plain number, worked out from its definition.
std::int64_t plain_value(const System& system, const Summand& summand, const Values& values) {
  if (summand.slots.empty()) {
    const auto [value, error] = Reference(system).evaluate(summand.expr, values);
    return error.kind == ModelErrorKind::none ? value : 0;
  }
  if (summand.order.empty()) return values[summand.slots[0]];
  Values tuple;
  for (const SlotId slot : summand.slots) tuple.push_back(values[slot]);
  for (std::size_t place = 0; place < summand.order.size(); ++place) {
    const auto& tuples = summand.order[place];
    for (auto at = tuples.begin(); at != tuples.end(); at += static_cast<std::ptrdiff_t>(tuple.size()))
      if (std::equal(tuple.begin(), tuple.end(), at)) return static_cast<std::int64_t>(place);
  }
  return static_cast<std::int64_t>(summand.order.size());
}

std::int64_t plain_value(const System& system, const MeasureTerm& term, const Values& values) {
  std::int64_t sum = 0;
  for (const Summand& summand : term.summands) sum += summand.weight * plain_value(system, summand, values);
  return sum;
}

RC_GTEST_PROP(Measure, OrdersStatesAsTheirTuplesAreOrdered, ()) {
  const System system = test_system();
  static const std::vector<std::string> terms{
      "b", "-b", "i", "-i", "a[2]", "P.x", "-P.y", "P", "Q", "b + P.x", "b % 3", "a[b]", "T[P.x] + b",
      "b > 7", "P.busy", "P {done < idle}", "P {done < idle} + Q", "-P {done < idle} + 3 * Q {two < one}",
      "2 * b - i", "Q + b {3 < 1 = 0 < 2} - 5 * P.x", "Q {two < one}", "b {3 < 1 = 0 < 2}", "i {-2 < 7 = -1}",
      "-(b / 2)", "7 / P.x", "(P, Q) {(done, two) < (idle, one) = (busy, one)}",
      "-(P.x, i) {(0, -3) < (2, 1) = (1, 0)}", "2 * (b, P) {(0, idle) < (1, idle)} + Q",
      // The box is too large for a table.
      "(a[0], P.x, i) {(0, 0, 0) < (255, 255, 100) < (1, 1, -32768)}",
      // All tuples are named.
      "(Q, P) {(one, idle) = (one, done) < (two, done) < (one, busy)"
      " < (two, idle) = (two, busy)}"};
  std::string text;
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + *rc::gen::elementOf(terms);
  const Measure measure = parse(system, text);
  for (int i = 0; i < 10; ++i) {
    const Values first = arbitrary_values(system), second = arbitrary_values(system);
    std::vector<std::int64_t> a, b;
    for (const MeasureTerm& term : measure.terms()) {
      a.push_back(plain_value(system, term, first));
      b.push_back(plain_value(system, term, second));
    }
    const Progress x = measure(packed(system, first).data()), y = measure(packed(system, second).data());
    RC_ASSERT((x < y) == (a < b));
    RC_ASSERT((x == y) == (a == b));
    if (measure.bits() < 64) RC_ASSERT(x >> measure.bits() == 0U);
    // The parts of the tuple are what the whole is made of.
    const auto split = static_cast<std::size_t>(*rc::gen::inRange(0, count + 1));
    const Measure upper = measure.prefix(split), lower = measure.suffix(split);
    RC_ASSERT(upper.bits() + lower.bits() == measure.bits());
    const Progress high = upper(packed(system, first).data()), low = lower(packed(system, first).data());
    RC_ASSERT(x == (lower.bits() == 64 ? low : high << lower.bits() | low));
  }
}

RC_GTEST_PROP(Measure, ReadsBackAsItIsWritten, ()) {
  const System system = test_system();
  static const std::vector<std::string> terms{"b",
                                              "-P->x",
                                              " ( b+1 )*2",
                                              "a[1+1]",
                                              "P {idle<busy = done}",
                                              "monotone Q",
                                              "-Q",
                                              "-a[2]",
                                              "monotone i {3 < -4}",
                                              "P.idle && b > 1",
                                              "a[b % 4]",
                                              "T[1] + b",
                                              "(P,a[1+1]) {(idle, 3) <( busy,4)=(done,5)}",
                                              "b - 3*( P , Q ) {(idle,one)<(done,one)}",
                                              "sccs(P)",
                                              "tree(P, P.x)",
                                              "sccs(P, Q) + 2 * tree(Q)"};
  std::string text;
  const int count = *rc::gen::inRange(1, 4);
  bool may_claim = true;
  for (int i = 0; i < count; ++i) {
    std::string term = *rc::gen::elementOf(terms);
    if (!may_claim && term.starts_with("monotone ")) term.erase(0, 9);
    may_claim = may_claim && (term.starts_with("monotone ") || term.starts_with("sccs(P)"));
    text += (i == 0 ? "" : ",\n  ") + term;
  }
  const Measure measure = parse(system, text);
  const Measure again = parse(system, measure.text());
  RC_ASSERT(again.text() == measure.text());
  RC_ASSERT(again.bits() == measure.bits());
  for (int i = 0; i < 10; ++i) {
    const auto state = packed(system, arbitrary_values(system));
    RC_ASSERT(again(state.data()) == measure(state.data()));
  }
}

RC_GTEST_PROP(Measure, ReadsBackWhicheverTermsAreKnownToBeMonotone, ()) {
  const System system = test_system();
  std::vector<MeasureTerm> terms;
  const int count = *rc::gen::inRange(1, 6);
  std::size_t leading = 0;
  for (int i = 0; i < count; ++i) {
    terms.push_back(slot_term(system, *system.find_slot(*rc::gen::element("b", "P", "Q", "P.x"))));
    terms.back().monotone = *rc::gen::arbitrary<bool>();
    if (terms.back().monotone && leading + 1 == terms.size()) ++leading;
  }
  const Measure measure(system, terms);
  RC_ASSERT(measure.monotone_terms() == leading);
  const Measure again = parse(system, measure.text());
  RC_ASSERT(again.text() == measure.text());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    RC_ASSERT(measure.terms()[i].monotone == (i < leading));
    RC_ASSERT(again.terms()[i].monotone == (i < leading));
  }
}

TEST(Measure, TextIsCanonical) {
  const System system = test_system();
  EXPECT_EQ(parse(system, "P->x,a[1+1] , -(b) # a comment\n,  P{idle<done=busy}").text(),
            "P.x, a[2], -b, P {idle < done = busy}");
  EXPECT_EQ(parse(system, "monotone b, i").text(), "monotone b, i");
  EXPECT_FALSE(parse(system, "monotone b, i").claimed_monotone());
  EXPECT_EQ(parse(system, "monotone b, i, Q").monotone_terms(), 1U);
  EXPECT_THROW(parse(system, "monotone b, i, monotone Q"), Error);  // it would not be checked
  EXPECT_TRUE(parse(system, "monotone b, monotone -i").claimed_monotone());
  EXPECT_EQ(parse(system, "(P, a[1+1]){( idle,3 )<(done , 5)=(busy,4)}-Q").text(),
            "(P, a[2]) {(idle, 3) < (done, 5) = (busy, 4)} - Q");
}

TEST(Measure, RunsOfNumbersAreShort) {
  const System system = test_system();
  const auto order = [&](const std::string& text) {
    return parse(system, text).terms()[0].summands[0].order;
  };
  EXPECT_EQ(parse(system, "b {0 < 1 = 2 = 3 = 4 = 5 < 9}").text(), "b {0 < 1 = .. = 5 < 9}");
  EXPECT_EQ(parse(system, "b {0 < 1 < 2 < 3 < 4 = 5 = 6}").text(), "b {0 < .. < 4 = 5 = 6}");
  EXPECT_EQ(parse(system, "b {0 < 1 < 2 < 3}").text(), "b {0 < 1 < 2 < 3}");
  EXPECT_EQ(order("b {9 < 2 = .. = 5}"), order("b {9 < 2 = 3 = 4 = 5}"));
  EXPECT_EQ(order("b {7 < .. < 4}"), order("b {7 < 6 < 5 < 4}"));
  EXPECT_EQ(order("i {-2 = .. = 1 < 5}"), order("i {-2 = -1 = 0 = 1 < 5}"));
}

RC_GTEST_PROP(Measure, OrdersOfNumbersAreReadBack, ()) {
  const System system = test_system();
  const auto values = *rc::gen::unique<std::vector<std::int32_t>>(rc::gen::inRange(0, 12));
  RC_PRE(!values.empty());
  ProgressOrder order;
  for (const std::int32_t value : values) {
    if (order.empty() || *rc::gen::arbitrary<bool>()) order.emplace_back();
    order.back().push_back(value);
  }
  if (*rc::gen::arbitrary<bool>()) std::ranges::sort(order);
  for (auto& place : order)
    if (*rc::gen::arbitrary<bool>()) std::ranges::sort(place);
  const Measure measure(system, {slot_term(system, *system.find_slot("b"), order)});
  const Measure again = parse(system, measure.text());
  RC_ASSERT(again.terms()[0].summands[0].order == order);
  RC_ASSERT(again.text() == measure.text());
}

TEST(Measure, OrdersNameValuesAsTheModelDoes) {
  const System system = read_model({"test.pml", R"(mtype = { stop, slow, go };
mtype light = stop;
active proctype Lamp() { light = slow; light = go }
)"})
                            .system;
  const Measure measure = parse(system, "light {stop < slow < go}");
  EXPECT_EQ(parse(system, measure.text()).text(), measure.text());
  EXPECT_EQ(measure.terms()[0].summands[0].order, (ProgressOrder{{3}, {2}, {1}}));
}

TEST(Measure, OrdersOfLocalGraphsAreWrittenOut) {
  const System system = read_model({"test.dve", R"(byte round, clock, b;
process P { byte x; state idle, busy, done; init idle;
  trans idle -> busy { effect x = 1; }, busy -> done {}, done -> busy { guard x < 2; effect x = x + 1; }; }
process Q { state one, two; init one; trans one -> two { effect clock = clock + 1; }, two -> one { effect round = round + 1; }; }
system async;
)"})
                            .system;
  const auto text = [&](const std::string& measure) { return parse(system, measure).text(); };
  EXPECT_EQ(text("sccs(P)"), "monotone P {idle < busy = done}");
  EXPECT_EQ(text("tree(P)"), "P");
  EXPECT_EQ(text("sccs(P, P.x)"),
            "monotone (P, P.x) {(idle, 0) < (busy, 1) < (done, 1) < (busy, 2) < (done, 2)}");
  EXPECT_EQ(text("sccs(P) + 2 * sccs(P.x)"), "monotone P {idle < busy = done} + 2 * P.x {0 < 1 = 2}");
  // What is added or comes before may go back.
  EXPECT_EQ(text("sccs(P) + tree(Q)"), "P {idle < busy = done} + Q");
  EXPECT_EQ(text("-sccs(P)"), "-P {idle < busy = done}");
  EXPECT_EQ(text("tree(Q), sccs(P)"), "Q, P {idle < busy = done}");
  EXPECT_EQ(text("monotone sccs(P)"), text("sccs(P)"));
  try {
    parse(system, "b, sccs(round, clock)");
    ADD_FAILURE() << "65,536 values are too many";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("1:4: error: (round, clock) has too many values"),
              std::string::npos)
        << error.what();
  }
}

TEST(Measure, LocationsWithoutANameAreLeftOut) {
  const System system = test_system();
  const SlotId slot = *system.find_slot("P");
  const auto locations = static_cast<std::int32_t>(system.components[0].locations.size());
  const Measure measure(system, {slot_term(system, slot, {{1}, {locations}, {0, locations}, {2}})});
  EXPECT_EQ(parse(system, measure.text()).text(), measure.text());
  EXPECT_EQ(measure.terms()[0].summands[0].order, (std::vector<std::vector<std::int32_t>>{{1}, {0}, {2}}));
}

TEST(Measure, AVariableMayBeCalledMonotone) {
  const System system =
      read_model({"test.dve",
                  "byte monotone; process P { state s; init s; trans s -> s { effect monotone = 1; }; } "
                  "system async;"})
          .system;
  EXPECT_EQ(parse(system, "monotone").text(), "monotone");
  EXPECT_FALSE(parse(system, "monotone").claimed_monotone());
  EXPECT_EQ(parse(system, "monotone - 1").terms()[0].summands[0].expr.op, Op::sub);
}

TEST(Measure, ShowsValuesToPeople) {
  const System system = test_system();
  const Measure measure = parse(system, "P, -b, P {done < idle}, i");
  Values values = system.initial;
  values[*system.find_slot("P")] = 1;
  values[*system.find_slot("b")] = 5;
  values[*system.find_slot("i")] = -7;
  EXPECT_EQ(measure.show(measure(packed(system, values).data())), "(busy, -5, other, -7)");
  const Measure groups = parse(system, "(P, b) {(idle, 0) < (busy, 5)}, (P, b) {(idle, 0) < (busy, 6)}");
  EXPECT_EQ(groups.show(groups(packed(system, values).data())), "((busy, 5), other)");
}

TEST(Measure, ErrorsPointAtThePlace) {
  EXPECT_NE(error_of("b, c").find("--progress:1:4: error: unknown variable 'c'"), std::string::npos)
      << error_of("b, c");
  EXPECT_NE(
      error_of("b,\n  P {idle < busyy}").find("--progress:2:13: error: process 'P' has no state 'busyy'"),
      std::string::npos)
      << error_of("b,\n  P {idle < busyy}");
  EXPECT_NE(error_of("b {1 < 2 < 1}").find("1:12: error: '1' is already in the order"), std::string::npos);
  EXPECT_NE(error_of("b {1 < x}").find("1:8: error: expected a number"), std::string::npos);
  EXPECT_NE(error_of("b {1 < 256}").find("outside 0..255"), std::string::npos);
  EXPECT_NE(error_of("b {1 < 2").find("expected '}'"), std::string::npos);
  EXPECT_NE(error_of("b {1 < }").find("expected a value of b"), std::string::npos);
  EXPECT_NE(error_of("b {1 < .. < 2}").find("1:13: error: no number lies between 1 and 2"),
            std::string::npos);
  EXPECT_NE(error_of("b {3 < 1 < .. < 5}").find("1:17: error: '3' is already in the order"),
            std::string::npos);
  for (const std::string order : {"b {.. < 2}", "b {1 < ..}", "b {1 < .. = 5}", "b {1 < .. < .. < 5}",
                                  "P {idle < .. < done}", "(b, P) {(0, idle) < .. < (3, idle)}"})
    EXPECT_NE(error_of(order).find("'..' stands between two numbers"), std::string::npos) << order;
  EXPECT_NE(error_of("b + 1 {1 < 2}").find("only variables and processes"), std::string::npos);
  EXPECT_NE(error_of("(b, c) {(0, 0)}").find("1:5: error: unknown variable 'c'"), std::string::npos);
  EXPECT_NE(error_of("(b, P) {(0, idle) < (1, gone)}").find("1:25: error: process 'P' has no state 'gone'"),
            std::string::npos);
  EXPECT_NE(error_of("(b, P) {(0, idle) < (0, idle)}").find("1:21: error: '(0, idle)' is already"),
            std::string::npos);
  EXPECT_NE(error_of("(b, P) {(0, idle) < 1}").find("1:21: error: expected 2 values in brackets"),
            std::string::npos);
  EXPECT_NE(error_of("(b, P) {(0, idle, 1)}").find("1:9: error: expected 2 values in brackets"),
            std::string::npos);
  EXPECT_NE(error_of("(b, b) {(0, 0)}").find("1:5: error: 'b' is already in the group"), std::string::npos);
  EXPECT_NE(error_of("(b, P)").find("1:1: error: a group of variables needs an order"), std::string::npos);
  EXPECT_NE(error_of("(b, P.x + 1) {(0, 0)}").find("1:5: error: only variables and processes"),
            std::string::npos);
  EXPECT_NE(error_of("P, tree(b, )").find("1:11: error: expected a variable or a process"),
            std::string::npos);
  EXPECT_NE(error_of("b,,i").find("1:3: error: expected a term"), std::string::npos);
  EXPECT_NE(error_of("").find("expected a progress measure"), std::string::npos);
  EXPECT_NE(error_of("monotone").find("expected a term"), std::string::npos);
}

TEST(Measure, TooManyBitsAreNamed) {
  const std::string error = error_of("i, P.y, i * 2, b * b, b");
  EXPECT_NE(error.find("needs 73 bits but has only 64"), std::string::npos) << error;
  EXPECT_NE(error.find("i (16), P.y (16), i * 2 (17), b * b (16), b (8)"), std::string::npos) << error;
  EXPECT_EQ(error_of("i, P.y, i, P.y"), "");
  EXPECT_EQ(error_of("i * i * i * i * i"), "");  // may overflow: 64 bits, alone
  EXPECT_NE(error_of("i * i * i * i * i, b"), "");
}

}  // namespace
}  // namespace tideline
