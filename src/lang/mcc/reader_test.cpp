// Property files of the contest: random formulas are written as XML and read back; errors point at the text.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "exec/predicate.hpp"
#include "lang/mcc/mcc.hpp"
#include "logic/ctl.hpp"
#include "logic/ltl.hpp"
#include "model/layout.hpp"
#include "testing/nets.hpp"
#include "testing/skip_case.hpp"

namespace tideline::mcc {
namespace {

using pnml::Marking;
using pnml::Net;

std::string file_of(const std::string& formula) {
  return "<?xml version=\"1.0\"?>\n<property-set xmlns=\"http://mcc.lip6.fr/\">\n<property>\n<id>one</id>\n"
         "<description>d</description>\n<formula>" +
         formula + "</formula>\n</property>\n</property-set>\n";
}

std::string element(const std::string& tag, const std::string& inside) {
  return fmt::format("<{0}>{1}</{0}>", tag, inside);
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

PropertySet read(const std::string& text, const System& system, Logic both = Logic::ctl) {
  return read_property_set({"test.xml", text}, system, both);
}

Property only(const PropertySet& set) {
  EXPECT_EQ(set.properties.size(), 1u);
  return set.properties.at(0);
}

/// "line:column: message" of every error in the text.
std::vector<std::string> errors_in(const std::string& text, const System& system) {
  std::vector<std::string> list;
  try {
    read(text, system);
  } catch (const Error& error) {
    for (const Diagnostic& d : error.diagnostics())
      list.push_back(fmt::format("{}:{}: {}", d.where.line, d.where.column, d.message));
  }
  return list;
}

/// A formula as XML, with its value in a marking by the simplest means.
struct Random {
  const Net& net;
  std::mt19937_64 source;
  std::string xml = {};

  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(source() % n); }

  using Value = std::function<std::int64_t(const Marking&)>;

  Value number() {
    if (below(3) == 0) {
      const std::int64_t value = below(4);
      xml += element("integer-constant", fmt::format(" {} ", value));
      return [=](const Marking&) { return value; };
    }
    std::vector<std::uint32_t> places(1 + below(3));
    xml += "<tokens-count>";
    for (std::uint32_t& p : places) {
      p = below(net.places.size());
      xml += element("place", escaped(net.places[p].id));
    }
    xml += "</tokens-count>";
    return [=](const Marking& m) {
      std::int64_t sum = 0;
      for (const std::uint32_t p : places) sum += m[p];
      return sum;
    };
  }

  Value two(const std::string& tag, int depth, std::function<bool(std::int64_t, std::int64_t)> join) {
    xml += fmt::format("<{}>", tag);
    const Value left = depth < 0 ? number() : state(depth), right = depth < 0 ? number() : state(depth);
    xml += fmt::format("</{}>", tag);
    return [=](const Marking& m) { return join(left(m), right(m)); };
  }

  Value fireable() {
    std::vector<pnml::Transition> transitions;
    xml += "<is-fireable>";
    for (std::uint32_t i = 1 + below(2); i > 0; --i) {
      transitions.push_back(net.transitions[below(net.transitions.size())]);
      xml += element("transition", escaped(transitions.back().id));
    }
    xml += "</is-fireable>";
    return [=](const Marking& m) {
      return std::ranges::any_of(transitions, [&](const auto& t) { return fire(t, m).has_value(); });
    };
  }

  Value state(int depth) {
    switch (below(depth == 0 ? 3 : 9)) {
      case 0:
        return two("integer-le", -1, std::less_equal<>());
      case 1:
        return two("integer-gt", -1, std::greater<>());
      case 2:
        return fireable();
      case 3: {
        xml += "<negation>";
        const Value inside = state(depth - 1);
        xml += "</negation>";
        return [=](const Marking& m) { return !inside(m); };
      }
      case 4:
        return two("conjunction", depth - 1, std::logical_and<>());
      case 5:
        return two("disjunction", depth - 1, std::logical_or<>());
      case 6:
        return two("implication", depth - 1, std::less_equal<>());
      case 7:
        return two("equivalence", depth - 1, std::equal_to<>());
      default:
        return two("exclusive-disjunction", depth - 1, std::not_equal_to<>());
    }
  }
};

RC_GTEST_PROP(ContestFormulas, OfMarkingsHaveTheRightValue, (std::uint32_t seed)) {
  Net net = pnml::random_net(seed);
  for (int p = 0; p < 4; ++p) net.places.push_back({.id = fmt::format("more{}", p)});
  const System system = to_system(net);
  Random random{net, std::mt19937_64(seed)};
  const auto value = random.state(4);
  const bool reach = seed % 2 == 0;
  const Property property = only(read(file_of(element(reach ? "exists-path" : "all-paths",
                                                      element(reach ? "finally" : "globally", random.xml))),
                                      system));
  RC_ASSERT(property.kind == (reach ? PropertyKind::reach : PropertyKind::invariant));
  const Layout layout(system);
  const Predicate predicate(system, layout, property.expr);
  std::vector<std::byte> packed(layout.size());
  for (int round = 0; round < 10; ++round) {
    Marking marking;
    std::vector<std::int32_t> values;
    for (const Slot& slot : system.slots) {
      values.push_back(
          static_cast<std::int32_t>(std::min<std::int64_t>(slot.range.high, std::int64_t{random.below(4)})));
      marking.push_back(values.back());
    }
    layout.pack(values, packed.data());
    ModelErrorKind error = ModelErrorKind::none;
    RC_ASSERT((predicate.evaluate(packed.data(), error) != 0) == (value(marking) != 0));
  }
}

/// A random formula of LTL or CTL as XML and in a pool. The atoms are "a <= 1" and the like.
template <class Pool, class Formula, class Op>
struct RandomTemporal {
  Pool& pool;
  std::mt19937_64 source;
  std::string xml = {};

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(source() % n); }

  Formula atom() {
    const std::string place(1, static_cast<char>('a' + below(3)));
    const std::uint32_t limit = below(2);
    xml += element("integer-le", element("tokens-count", element("place", place)) +
                                     element("integer-constant", std::to_string(limit)));
    return pool.atom(fmt::format("tokens({}) <= {}", place, limit));
  }

  Formula inside(const std::string& tag, int depth) {
    xml += fmt::format("<{}>", tag);
    const Formula f = formula(depth);
    xml += fmt::format("</{}>", tag);
    return f;
  }

  Formula temporal(std::uint32_t which, const Op (&ops)[4], int depth) {
    constexpr const char* tags[] = {"next", "finally", "globally"};
    if (which < 3) return pool.unary(ops[which], inside(tags[which], depth));
    xml += "<until>";
    const Formula left = inside("before", depth), right = inside("reach", depth);
    xml += "</until>";
    return pool.binary(ops[3], left, right);
  }

  Formula formula(int depth) {
    if (depth == 0) return atom();
    const std::uint32_t which = below(7);
    if (which == 0) return pool.unary(Op::not_, inside("negation", depth - 1));
    if (which <= 2) {
      const bool both = which == 1;
      xml += both ? "<conjunction>" : "<disjunction>";
      const Formula left = formula(depth - 1), right = formula(depth - 1);
      xml += both ? "</conjunction>" : "</disjunction>";
      return pool.binary(both ? Op::and_ : Op::or_, left, right);
    }
    if constexpr (std::is_same_v<Op, LtlOp>) {
      return temporal(which - 3, {Op::next, Op::eventually, Op::always, Op::until}, depth - 1);
    } else {
      const bool all = below(2) == 0;
      const char* const tag = all ? "all-paths" : "exists-path";
      xml += fmt::format("<{}>", tag);
      const Formula f = all ? temporal(which - 3, {Op::ax, Op::af, Op::ag, Op::au}, depth - 1)
                            : temporal(which - 3, {Op::ex, Op::ef, Op::eg, Op::eu}, depth - 1);
      xml += fmt::format("</{}>", tag);
      return f;
    }
  }
};

System abc() {
  return pnml::to_system({.id = "n",
                          .places = {{.id = "a"}, {.id = "b"}, {.id = "c"}},
                          .transitions = {{.id = "t", .consumes = {{0, 1}}}, {.id = "u"}}});
}

RC_GTEST_PROP(ContestFormulas, OfLtlAreReadBack, (std::uint32_t seed)) {
  LtlPool pool;
  RandomTemporal<LtlPool, Ltl, LtlOp> random{pool, std::mt19937_64(seed)};
  const Ltl formula = random.formula(1 + static_cast<int>(seed % 5));
  const Property property = only(read(file_of(element("all-paths", random.xml)), abc(), Logic::ltl));
  if (test::skip_case(property.kind == PropertyKind::invariant)) RC_SUCCEED("a formula about markings");
  RC_ASSERT(property.kind == PropertyKind::ltl);
  RC_ASSERT(parse_ltl(pool, {"", property.formula}) == formula);
  for (const LtlAtom& atom : pool.atoms())
    RC_ASSERT(std::ranges::find(property.atoms, atom.name, &Proposition::name) != property.atoms.end());
}

RC_GTEST_PROP(ContestFormulas, OfCtlAreReadBack, (std::uint32_t seed)) {
  CtlPool pool;
  RandomTemporal<CtlPool, Ctl, CtlOp> random{pool, std::mt19937_64(seed)};
  const Ctl formula = random.formula(1 + static_cast<int>(seed % 5));
  const Property property = only(read(file_of(random.xml), abc()));
  if (test::skip_case(property.kind != PropertyKind::ctl)) RC_SUCCEED("a formula about markings");
  RC_ASSERT(parse_ctl(pool, {"", property.formula}) == formula);
  RC_ASSERT(property.deadlock_paths == DeadlockPaths::maximal);
}

const std::string atom = "<is-fireable><transition>t</transition></is-fireable>";

TEST(ContestFormulas, WhatIsCtlAndLtlIsWhatTheCallerSays) {
  const std::string both = file_of(element("all-paths", element("next", atom)));
  EXPECT_EQ(only(read(both, abc(), Logic::ltl)).kind, PropertyKind::ltl);
  EXPECT_EQ(only(read(both, abc(), Logic::ltl)).formula, "X(\"fireable(t)\")");
  EXPECT_EQ(only(read(both, abc(), Logic::ctl)).kind, PropertyKind::ctl);
  const std::string ltl = file_of(element("all-paths", element("finally", element("globally", atom))));
  EXPECT_EQ(only(read(ltl, abc(), Logic::ctl)).kind, PropertyKind::ltl);
  EXPECT_EQ(logic_of_file("dir/LTLCardinality.xml"), Logic::ltl);
  EXPECT_EQ(logic_of_file("LTL/CTLCardinality.xml"), Logic::ctl);
}

TEST(ContestFormulas, BoundsListPlaces) {
  const PropertySet set =
      read(file_of("<place-bound><place>c</place> <place>a</place></place-bound>"), abc());
  ASSERT_EQ(set.bounds.size(), 1u);
  EXPECT_EQ(set.bounds[0].name, "one");
  EXPECT_EQ(set.bounds[0].places, (std::vector<SlotId>{2, 0}));
}

TEST(ContestFormulas, ColouredNamesStandForAllColours) {
  System system = abc();
  system.aliases.push_back({.name = "ab", .slots = {0, 1}});
  const PropertySet set = read(file_of("<place-bound><place>ab</place></place-bound>"), system);
  EXPECT_EQ(set.bounds.at(0).places, (std::vector<SlotId>{0, 1}));
}

TEST(ContestFormulas, DifferentAtomsThatReadTheSameStayApart) {
  const System system =
      pnml::to_system({.id = "n", .places = {{.id = "x, y"}, {.id = "x"}, {.id = "y"}, {.id = "x', 'y"}}});
  const auto le = [](const std::string& places) {
    return element("integer-le", element("tokens-count", places) + element("integer-constant", "1"));
  };
  const Property property = only(
      read(file_of(element("conjunction", le("<place>x', 'y</place>") + le("<place>x, y</place>"))), system));
  EXPECT_EQ(property.atoms.size(), 2u);
}

TEST(ContestFormulas, ErrorsPointAtTheText) {
  const auto errors = [](const std::string& formula) { return errors_in(file_of(formula), abc()); };
  const auto one = [](const std::string& message) { return std::vector<std::string>{message}; };
  EXPECT_EQ(errors("\n<is-fireable>\n <transition>tt</transition></is-fireable>"),
            one("8:2: there is no transition 'tt'; did you mean 't'?"));
  EXPECT_EQ(errors("<tokens-count><place>a</place></tokens-count>"),
            one("6:10: 'tokens-count' is not a formula"));
  EXPECT_EQ(errors("<place-bound><place>zzz</place><place>yyy</place></place-bound>"),
            (std::vector<std::string>{"6:23: there is no place 'zzz'", "6:41: there is no place 'yyy'"}));
  EXPECT_EQ(errors("<negation/>"), one("6:10: 'negation' has 1 part, not 0"));
  EXPECT_EQ(errors("<is-fireable/>"), one("6:10: 'is-fireable' has at least 1 part, not 0"));
  EXPECT_EQ(errors(element("integer-le", "<integer-constant>x</integer-constant>" + atom)),
            one("6:22: 'x' is not a number from -2147483647 to 2147483647"));
  EXPECT_EQ(errors(element("integer-le", "<integer-constant>1</integer-constant>" + atom)),
            one("6:60: 'is-fireable' is not a number"));
  EXPECT_EQ(errors(""), one("6:1: 'formula' has 1 part, not 0"));
  EXPECT_EQ(errors(element("exists-path", element("finally", element("globally", atom)))).size(), 1u);
  EXPECT_EQ(errors_in("<properties/>", abc()), one("1:1: expected 'property-set', found 'properties'"));
  EXPECT_EQ(errors_in("<property-set/>", abc()), one("1:1: there are no properties in this file"));
  EXPECT_EQ(errors_in("<property-set><property><id>x</id></property></property-set>", abc()),
            one("1:15: this property has no 'formula'"));
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<negation>";
  EXPECT_EQ(errors(deep).size(), 1u);
}

TEST(ContestFormulas, AnIdIsThereOnce) {
  std::string text = file_of(atom);
  const std::size_t begin = text.find("<property>"), end = text.find("</property-set>");
  text.insert(end, text.substr(begin, end - begin));
  EXPECT_EQ(errors_in(text, abc()),
            (std::vector<std::string>{"9:1: property 'one' is already defined in line 4"}));
}

// A few changes to a good text: it is read, and its formulas can be, or it is refused with an error.
RC_GTEST_PROP(ContestFormulas, AnyTextIsReadOrRefused, (std::uint32_t seed)) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  CtlPool pool;
  RandomTemporal<CtlPool, Ctl, CtlOp> formula{pool, std::mt19937_64(seed)};
  formula.formula(3);
  std::string text = file_of(formula.xml);
  for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
    const std::size_t at = below(text.size()), length = below(30);
    if (below(2) == 0)
      text.erase(at, length);
    else
      text.insert(below(text.size()), text.substr(at, length));
  }
  try {
    for (const Property& property : read(text, abc()).properties) {
      if (property.kind == PropertyKind::ctl) parse_ctl(pool, {"", property.formula});
      LtlPool ltl;
      if (property.kind == PropertyKind::ltl) parse_ltl(ltl, {"", property.formula});
    }
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

}  // namespace
}  // namespace tideline::mcc
