// Coloured nets: unfolding against an independent simulator of coloured nets.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "exec/reference.hpp"
#include "testing/nets.hpp"

namespace tideline::pnml {
namespace {

// ---- a small world of coloured nets: sorts A = {a0 a1 a2} (cyclic), B = 5..6, A x B and the dot; variables
// x and y of A and z of B

enum class TheSort { dot, a, b, ab };
constexpr int size_a = 3, size_b = 2;

struct Binding3 {
  int x = 0, y = 0, z = 0;
};
using Colours2 = std::pair<int, int>;  ///< of A and of B; 0 where the sort has no such part
using ColourBag = std::map<Colours2, int>;

/// A term with its PNML and its meaning.
template <class Value>
struct Meant {
  std::string text;
  std::function<Value(const Binding3&)> value;
  std::set<char> variables = {};
};

struct SimArc {
  int place;
  Meant<ColourBag> bag;
};
struct SimTransition {
  std::vector<SimArc> consumes, produces;
  Meant<bool> guard;
  std::set<char> variables() const {
    std::set<char> all = guard.variables;
    for (const auto* list : {&consumes, &produces})
      for (const SimArc& arc : *list) all.insert(arc.bag.variables.begin(), arc.bag.variables.end());
    return all;
  }
};
struct SimNet {
  std::vector<TheSort> places;
  std::vector<ColourBag> marking;
  std::vector<std::string> marking_text;
  std::vector<SimTransition> transitions;
};

std::string element(const std::string& tag, const std::string& inside) {
  return "<" + tag + ">" + inside + "</" + tag + ">";
}
std::string subterm(const std::string& inside) {
  return element("subterm", inside);
}

class SymmetricNetGenerator {
 public:
  explicit SymmetricNetGenerator(std::uint64_t seed) : random_(seed) {}

  SimNet net() {
    SimNet net;
    for (int p = 0, count = 2 + below(3); p < count; ++p) {
      net.places.push_back(static_cast<TheSort>(below(4)));
      constants_only_ = true;
      const Meant<ColourBag> marking = bag(net.places.back());
      constants_only_ = false;
      net.marking.push_back(marking.value({}));
      net.marking_text.push_back(marking.text);
    }
    for (int t = 0, count = 1 + below(3); t < count; ++t) {
      SimTransition transition;
      const int places = static_cast<int>(net.places.size());
      for (int i = below(5) == 0 ? 0 : 1 + below(2); i > 0; --i)
        transition.consumes.push_back(arc(net, below(places)));
      for (int i = below(3); i > 0; --i) transition.produces.push_back(arc(net, below(places)));
      transition.guard = guard(2);
      net.transitions.push_back(std::move(transition));
    }
    return net;
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  SimArc arc(const SimNet& net, int place) {
    return {place, bag(net.places[static_cast<std::size_t>(place)])};
  }

  Meant<int> term_a(int depth = 2) {
    if (depth > 0 && below(3) == 0) {
      const bool next = below(2) == 0;
      Meant<int> inner = term_a(depth - 1);
      return {element(next ? "successor" : "predecessor", subterm(inner.text)),
              [=](const Binding3& b) { return (inner.value(b) + (next ? 1 : size_a - 1)) % size_a; },
              inner.variables};
    }
    const int choice = constants_only_ ? 2 : below(3);
    if (choice == 0) return {"<variable refvariable=\"x\"/>", [](const Binding3& b) { return b.x; }, {'x'}};
    if (choice == 1) return {"<variable refvariable=\"y\"/>", [](const Binding3& b) { return b.y; }, {'y'}};
    const int c = below(size_a);
    return {fmt::format("<useroperator declaration=\"A{}\"/>", c), [=](const Binding3&) { return c; }};
  }

  Meant<int> term_b() {
    if (!constants_only_ && below(2) == 0)
      return {"<variable refvariable=\"z\"/>", [](const Binding3& b) { return b.z; }, {'z'}};
    const int c = below(size_b);
    return {"<finiteintrangeconstant value=\"" + std::to_string(c + 5) +
                "\"><finiteintrange start=\"5\" end=\"6\"/></finiteintrangeconstant>",
            [=](const Binding3&) { return c; }};
  }

  /// A part of a tuple: a term, or all.
  Meant<std::vector<int>> part(bool of_a) {
    if (below(4) == 0) {
      std::vector<int> all;
      for (int i = 0; i < (of_a ? size_a : size_b); ++i) all.push_back(i);
      return {std::string("<all><usersort declaration=\"") + (of_a ? "A" : "B") + "\"/></all>",
              [=](const Binding3&) { return all; }};
    }
    const Meant<int> one = of_a ? term_a() : term_b();
    return {one.text, [=](const Binding3& b) { return std::vector<int>{one.value(b)}; }, one.variables};
  }

  Meant<ColourBag> single(TheSort sort) {
    if (sort == TheSort::dot)
      return {"<dotconstant/>", [](const Binding3&) { return ColourBag{{{0, 0}, 1}}; }};
    const bool has_a = sort != TheSort::b, has_b = sort != TheSort::a;
    const auto none = Meant<std::vector<int>>{"", [](const Binding3&) { return std::vector<int>{0}; }};
    const auto a = has_a ? part(true) : none;
    const auto b = has_b ? part(false) : none;
    Meant<ColourBag> result{a.text + b.text, [=](const Binding3& binding) {
                              ColourBag bag;
                              for (const int i : a.value(binding))
                                for (const int j : b.value(binding)) ++bag[{i, j}];
                              return bag;
                            }};
    if (has_a && has_b) result.text = element("tuple", subterm(a.text) + subterm(b.text));
    result.variables = a.variables;
    result.variables.insert(b.variables.begin(), b.variables.end());
    return result;
  }

  Meant<ColourBag> bag(TheSort sort) {
    if (sort == TheSort::a && below(4) == 0) {
      const Meant<int> without = term_a();
      return {
          element("subtract", subterm("<all><usersort declaration=\"A\"/></all>") + subterm(without.text)),
          [=](const Binding3& b) {
            ColourBag all;
            for (int i = 0; i < size_a; ++i)
              if (i != without.value(b)) all[{i, 0}] = 1;
            return all;
          },
          without.variables};
    }
    Meant<ColourBag> result = single(sort);
    if (below(2) == 0) {
      const int count = 1 + below(2);
      const Meant<ColourBag> inner = result;
      result = {element("numberof", subterm("<numberconstant value=\"" + std::to_string(count) +
                                            "\"><positive/></numberconstant>") +
                                        subterm(inner.text)),
                [=](const Binding3& b) {
                  ColourBag all = inner.value(b);
                  for (auto& entry : all) entry.second *= count;
                  return all;
                },
                inner.variables};
    }
    if (below(4) == 0) {
      const Meant<ColourBag> left = result, right = single(sort);
      result = {element("add", subterm(left.text) + subterm(right.text)),
                [=](const Binding3& b) {
                  ColourBag all = left.value(b);
                  for (const auto& [colour, count] : right.value(b)) all[colour] += count;
                  return all;
                },
                left.variables};
      result.variables.insert(right.variables.begin(), right.variables.end());
    }
    return result;
  }

  Meant<bool> guard(int depth) {
    if (depth == 0 || below(2) == 0) return comparison();
    const Meant<bool> left = guard(depth - 1);
    if (below(4) == 0)
      return {element("not", subterm(left.text)), [=](const Binding3& b) { return !left.value(b); },
              left.variables};
    const Meant<bool> right = guard(depth - 1);
    const int choice = below(3);
    Meant<bool> result{element(std::array{"and", "or", "imply"}[static_cast<std::size_t>(choice)],
                               subterm(left.text) + subterm(right.text)),
                       [=](const Binding3& b) {
                         const bool l = left.value(b), r = right.value(b);
                         return choice == 0 ? l && r : choice == 1 ? l || r : !l || r;
                       },
                       left.variables};
    result.variables.insert(right.variables.begin(), right.variables.end());
    return result;
  }

  Meant<bool> comparison() {
    if (below(3) == 0) return {"<booleanconstant value=\"true\"/>", [](const Binding3&) { return true; }};
    const bool of_a = below(3) > 0;
    const Meant<int> left = of_a ? term_a() : term_b(), right = of_a ? term_a() : term_b();
    const int choice = below(6);
    constexpr std::array tags = {"equality",        "inequality",  "lessthan",
                                 "lessthanorequal", "greaterthan", "greaterthanorequal"};
    Meant<bool> result{
        element(tags[static_cast<std::size_t>(choice)], subterm(left.text) + subterm(right.text)),
        [=](const Binding3& b) {
          const int l = left.value(b), r = right.value(b);
          return std::array{l == r, l != r, l<r, l <= r, l> r, l >= r}[static_cast<std::size_t>(choice)];
        },
        left.variables};
    result.variables.insert(right.variables.begin(), right.variables.end());
    return result;
  }

  std::mt19937_64 random_;
  bool constants_only_ = false;
};

const std::string declarations =
    "<declaration><structure><declarations>"
    "<namedsort id=\"AB\" name=\"AB\"><productsort><usersort declaration=\"A\"/><usersort declaration=\"B\"/>"
    "</productsort></namedsort>"
    "<namedsort id=\"A\" name=\"A\"><cyclicenumeration><feconstant id=\"A0\" name=\"a0\"/>"
    "<feconstant id=\"A1\" name=\"a1\"/><feconstant id=\"A2\" name=\"a2\"/></cyclicenumeration></namedsort>"
    "<namedsort id=\"B\" name=\"B\"><finiteintrange start=\"5\" end=\"6\"/></namedsort>"
    "<namedsort id=\"D\" name=\"D\"><dot/></namedsort>"
    "<variabledecl id=\"x\" name=\"x\"><usersort declaration=\"A\"/></variabledecl>"
    "<variabledecl id=\"y\" name=\"y\"><usersort declaration=\"A\"/></variabledecl>"
    "<variabledecl id=\"z\" name=\"z\"><usersort declaration=\"B\"/></variabledecl>"
    "</declarations></structure></declaration>";

std::string structure(const std::string& tag, const std::string& inside) {
  return element(tag, element("structure", inside));
}

std::string text_of(const SimNet& net) {
  constexpr std::array sorts = {"D", "A", "B", "AB"};
  std::string page;
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    const std::string sort = sorts[static_cast<std::size_t>(net.places[p])];
    page += fmt::format("<place id=\"P{}\">", p) +
            structure("type", "<usersort declaration=\"" + sort + "\"/>") +
            structure("hlinitialMarking", net.marking_text[p]) + "</place>\n";
  }
  for (std::size_t t = 0; t < net.transitions.size(); ++t) {
    const std::string id = fmt::format("T{}", t);
    page += "<transition id=\"" + id + "\">" + structure("condition", net.transitions[t].guard.text) +
            "</transition>\n";
    for (const bool produces : {false, true})
      for (const SimArc& arc : produces ? net.transitions[t].produces : net.transitions[t].consumes) {
        const std::string place = fmt::format("P{}", arc.place);
        page += "<arc id=\"a\" source=\"" + (produces ? id : place) + "\" target=\"" +
                (produces ? place : id) + "\">" + structure("hlinscription", arc.bag.text) + "</arc>\n";
      }
  }
  return document(page, "symmetricnet", declarations);
}

/// The tokens of each place and colour, by the name it has when unfolded; none are left out.
using NamedMarking = std::map<std::string, std::int64_t>;

NamedMarking named(const SimNet& net, const std::vector<ColourBag>& marking) {
  NamedMarking result;
  for (std::size_t p = 0; p < marking.size(); ++p)
    for (const auto& [colour, count] : marking[p]) {
      std::string name = fmt::format("P{}", p);
      const TheSort sort = net.places[p];
      if (sort == TheSort::a || sort == TheSort::ab) name += fmt::format("_a{}", colour.first);
      if (sort == TheSort::b || sort == TheSort::ab) name += fmt::format("_{}", colour.second + 5);
      if (count != 0) result[name] = count;
    }
  return result;
}

NamedMarking named(const System& system, const Values& state) {
  NamedMarking result;
  for (SlotId s = 0; s < state.size(); ++s)
    if (state[s] != 0) result[system.slots[s].name] = state[s];
  return result;
}

/// Every way in which a transition can fire: its number and the marking after it.
std::vector<std::pair<std::size_t, std::vector<ColourBag>>> moves(const SimNet& net,
                                                                  const std::vector<ColourBag>& marking) {
  std::vector<std::pair<std::size_t, std::vector<ColourBag>>> result;
  for (std::size_t t = 0; t < net.transitions.size(); ++t) {
    const auto variables = net.transitions[t].variables();
    for (int x = 0; x < (variables.contains('x') ? size_a : 1); ++x)
      for (int y = 0; y < (variables.contains('y') ? size_a : 1); ++y)
        for (int z = 0; z < (variables.contains('z') ? size_b : 1); ++z) {
          const Binding3 binding{x, y, z};
          if (!net.transitions[t].guard.value(binding)) continue;
          std::vector<ColourBag> next = marking;
          bool enabled = true;
          for (const SimArc& arc : net.transitions[t].consumes)
            for (const auto& [colour, count] : arc.bag.value(binding))
              enabled &= (next[static_cast<std::size_t>(arc.place)][colour] -= count) >= 0;
          if (!enabled) continue;
          for (const SimArc& arc : net.transitions[t].produces)
            for (const auto& [colour, count] : arc.bag.value(binding))
              next[static_cast<std::size_t>(arc.place)][colour] += count;
          result.emplace_back(t, std::move(next));
        }
  }
  return result;
}

RC_GTEST_PROP(Unfolding, BehavesAsTheColouredNet, (std::uint64_t seed)) {
  const SimNet net = SymmetricNetGenerator(seed).net();
  const std::string text = text_of(net);
  const System system = read_model({"test.pnml", text}, {}).system;
  const Reference reference(system, ErrorSemantics::stop);
  std::vector<std::size_t> family(system.actions.size());
  for (std::size_t t = 0; t < net.transitions.size(); ++t)
    for (const Alias& alias : system.aliases)
      if (alias.name == fmt::format("T{}", t))
        for (const ActionId a : alias.actions) family[a] = t;

  std::map<std::string, SlotId> slots;
  for (SlotId s = 0; s < system.slots.size(); ++s) slots[system.slots[s].name] = s;
  RC_ASSERT(slots.size() == system.slots.size());

  using Move = std::pair<std::size_t, NamedMarking>;
  std::vector<std::pair<std::vector<ColourBag>, Values>> open{{net.marking, system.initial}};
  RC_ASSERT(named(net, net.marking) == named(system, system.initial));
  std::set<NamedMarking> seen{named(system, system.initial)};
  for (std::size_t at = 0; at < open.size() && at < 60; ++at) {
    const auto [marking, state] = open[at];
    std::multiset<Move> expected, found;
    const auto simulated = moves(net, marking);
    for (const auto& [t, next] : simulated) expected.insert({t, named(net, next)});
    for (const ActionId a : reference.enabled(state)) {
      const auto fired = reference.fire(a, state);
      RC_ASSERT(fired.error.kind == ModelErrorKind::none);
      found.insert({family[a], named(system, fired.state)});
    }
    if (found != expected) RC_FAIL(text);
    for (const auto& [t, next] : simulated)
      if (seen.insert(named(net, next)).second) {
        Values values(system.slots.size());
        for (const auto& [name, count] : named(net, next))
          values[slots.at(name)] = static_cast<std::int32_t>(count);
        open.emplace_back(next, std::move(values));
      }
  }
}

// ---- by hand

std::string place(const std::string& id, const std::string& sort, const std::string& marking = "") {
  return "<place id=\"" + id + "\">" + structure("type", "<usersort declaration=\"" + sort + "\"/>") +
         (marking.empty() ? "" : structure("hlinitialMarking", marking)) + "</place>\n";
}
std::string arc(const std::string& from, const std::string& to, const std::string& bag) {
  return "<arc id=\"a\" source=\"" + from + "\" target=\"" + to + "\">" + structure("hlinscription", bag) +
         "</arc>\n";
}
std::string coloured(const std::string& page) {
  return document(page, "symmetricnet", declarations);
}
const std::string x = "<variable refvariable=\"x\"/>", all_a = "<all><usersort declaration=\"A\"/></all>";

TEST(Unfolding, KeepsWhatEachNodeHasBecome) {
  const std::string text = coloured(place("P", "A", all_a) + place("Q", "A") + place("P_a0", "D") +
                                    "<transition id=\"t\"/><transition id=\"never\"/>" + arc("P", "t", x) +
                                    arc("t", "Q", x) + arc("P_a0", "never", "<dotconstant/>"));
  const System system = read_model({"test.pnml", text}, {}).system;
  std::vector<std::string> names;
  for (const Slot& slot : system.slots) names.push_back(slot.name);
  // P_a0 is a place of the coloured net (which is never marked), so that the colour of P gets another name.
  EXPECT_EQ(names, (std::vector<std::string>{"P_a0'", "P_a1", "P_a2", "Q_a0", "Q_a1", "Q_a2"}));
  EXPECT_EQ(system.actions.size(), 3u);
  EXPECT_EQ(system.actions[1].label, "t_a1");
  const auto shown = [&](const std::string& e) {
    return to_string(parse_expression(system, e, "test"), system);
  };
  EXPECT_EQ(shown("P"), "(P_a0' + P_a1) + P_a2");
  EXPECT_EQ(shown("P_a0"), "0");
  EXPECT_EQ(shown("fireable(never)"), "0");
  EXPECT_EQ(shown("fireable(t)"), "((P_a0' >= 1) || (P_a1 >= 1)) || (P_a2 >= 1)");
  EXPECT_EQ(shown("fireable(t_a1)"), "P_a1 >= 1");
  EXPECT_EQ(shown("tokens(P, Q_a2)"), "(P_a0' + P_a1) + (P_a2 + Q_a2)");
}

TEST(Unfolding, KnowsPartitionsAndTruthValues) {
  const std::string more =
      "<partition id=\"halves\" name=\"halves\"><usersort declaration=\"A\"/><partitionelement id=\"low\" "
      "name=\"low\">"
      "<useroperator declaration=\"A0\"/></partitionelement><partitionelement id=\"high\" name=\"high\">"
      "<useroperator declaration=\"A1\"/><useroperator declaration=\"A2\"/></partitionelement></partition>";
  std::string declared = declarations;
  declared.insert(declared.find("<variabledecl"), more);
  const std::string guard =
      structure("condition", element("equality", subterm("<partitionelementof refpartition=\"halves\">" +
                                                         subterm(x) + "</partitionelementof>") +
                                                     subterm("<useroperator declaration=\"high\"/>")));
  const Net net = net_of(
      document(place("P", "A", all_a) + "<transition id=\"t\">" + guard + "</transition>" + arc("P", "t", x),
               "symmetricnet", declared));
  ASSERT_EQ(net.transitions.size(), 2u);
  EXPECT_EQ(net.transitions[0].id, "t_a1");
}

TEST(Unfolding, SaysWhatIsWrongWithTerms) {
  const auto error = [](const std::string& page, LoadOptions options = {}) {
    const auto errors = errors_in(coloured(page), options);
    return errors.size() == 1 ? errors[0].substr(errors[0].find(' ') + 1)
                              : std::to_string(errors.size()) + " errors";
  };
  const std::string t = "<transition id=\"t\"/>";
  EXPECT_EQ(error("<place id=\"P\"/>"), "the place 'P' has no type");
  EXPECT_EQ(error("<transition id=\"t\"><condition><text>x = y</text></condition></transition>"),
            "this has no 'structure'");
  EXPECT_EQ(error(place("P", "C")), "there is no sort 'C'");
  EXPECT_EQ(error(place("P", "A", x)), "an initial marking cannot contain variables");
  EXPECT_EQ(error(place("P", "A", "<dotconstant/>")), "expected 'A', found 'dot'");
  EXPECT_EQ(error(place("P", "A", "<useroperator declaration=\"A7\"/>")), "there is no constant 'A7'");
  EXPECT_EQ(error(place("P", "AB", element("tuple", subterm(x)))), "expected 'A x 5..6', found a tuple of 1");
  EXPECT_EQ(error(place("P", "A") + t + arc("P", "t", "<variable refvariable=\"w\"/>")),
            "there is no variable 'w'");
  EXPECT_EQ(error(place("P", "A") + t + arc("P", "t", element("subtract", subterm(x) + subterm(all_a)))),
            "more of 'a1' is subtracted than is there");
  EXPECT_EQ(error(place("P", "A") + t + "<arc id=\"a\" source=\"P\" target=\"t\"/>"),
            "this arc has no inscription");
  EXPECT_EQ(error(place("P", "A") + t + arc("P", "t", "<lambda/>")), "term 'lambda' is not supported here");
  EXPECT_EQ(error(place("P", "A", all_a) + t + arc("P", "t", x), {.most_unfolded = 8}),
            "unfolded, the net has more than 8 places, transitions and arcs");
  std::string deep = x;
  for (int i = 0; i < 300; ++i) deep = subterm(deep);
  EXPECT_EQ(error(place("P", "A", deep)), "terms are nested deeper than 200");
}

TEST(Unfolding, RefusesSortsThatCannotBe) {
  const auto error = [](const std::string& sorts) {
    const auto errors = errors_in(document(
        "", "symmetricnet",
        "<declaration><structure><declarations>" + sorts + "</declarations></structure></declaration>"));
    return errors.empty() ? "" : errors[0].substr(errors[0].find(' ') + 1);
  };
  const auto sort = [](const std::string& id, const std::string& inside) {
    return "<namedsort id=\"" + id + "\" name=\"" + id + "\">" + inside + "</namedsort>";
  };
  EXPECT_EQ(error(sort("S", "<usersort declaration=\"S\"/>")), "the sort 'S' contains itself");
  EXPECT_EQ(error(sort("S", "<finiteintrange start=\"3\" end=\"2\"/>")), "the range 3..2 is empty");
  EXPECT_EQ(error(sort("S", "<dot/>") + sort("S", "<dot/>")), "sort 'S' is already declared");
  EXPECT_EQ(error(sort("S", "<cyclicenumeration/>")), "an enumeration has at least one constant");
  EXPECT_EQ(
      error(
          sort("R", "<finiteintrange start=\"1\" end=\"2000000000\"/>") +
          sort("S", "<productsort><usersort declaration=\"R\"/><usersort declaration=\"R\"/></productsort>")),
      "a sort of more than 4000000000 colours is not supported");
  EXPECT_EQ(error("<namedoperator id=\"f\" name=\"f\"/>"), "declaration 'namedoperator' is not supported");
}

}  // namespace
}  // namespace tideline::pnml
