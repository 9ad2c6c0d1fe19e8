// LTSs: files, minimisation, and composition against products built straight from the definition.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "exec/reference.hpp"
#include "lang/lts/aut.hpp"
#include "lang/lts/bisimulation.hpp"
#include "lang/lts/files.hpp"
#include "lang/lts/network.hpp"
#include "lang/lts/product.hpp"
#include "testing/skip_case.hpp"

namespace tideline::lts {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(engine_);
  }

  /// Labels "a", "b", ...: `label_count` of them beside the internal action.
  Lts lts(std::uint32_t states, std::uint32_t label_count, std::uint32_t transitions) {
    Lts result{.initial = below(states), .states = states};
    for (std::uint32_t l = 0; l < label_count; ++l)
      result.labels.intern(std::string(1, static_cast<char>('a' + l)));
    for (std::uint32_t t = 0; t < transitions; ++t)
      result.transitions.push_back({below(states), below(label_count + 1), below(states)});
    result.normalise();
    return result;
  }

 private:
  std::mt19937_64 engine_;
};

// --- Aldebaran ------------------------------------------------------------------------------------------

Lts read(std::string text, std::string_view internal = "tau") {
  return read_aut({"x.aut", std::move(text)}, internal);
}

/// Transitions with the names of their labels.
std::vector<std::tuple<StateId, std::string, StateId>> named(const Lts& lts) {
  std::vector<std::tuple<StateId, std::string, StateId>> result;
  for (const Transition& t : lts.transitions) result.emplace_back(t.from, lts.labels.name(t.label), t.to);
  std::sort(result.begin(), result.end());
  return result;
}

RC_GTEST_PROP(Aut, RoundTrip, (std::uint64_t seed)) {
  Random random(seed);
  Lts lts = random.lts(1 + random.below(8), 3, random.below(20));
  const std::string parts[] = {"\"", "\\", ",", " ", "(", ")", "x", "!1", "des", "\t", "é"};
  for (LabelId l = 0; l < 4; ++l) {
    std::string label;
    for (std::uint32_t i = random.below(5) + 1; i > 0; --i) label += parts[random.below(std::size(parts))];
    const LabelId fresh = lts.labels.intern(fmt::format("k{}", label));
    for (Transition& t : lts.transitions)
      if (t.label == l) t.label = fresh;
  }
  lts.normalise();
  const std::string text = to_aut(lts);
  const Lts again = read(text);
  RC_ASSERT(again.initial == lts.initial);
  RC_ASSERT(again.states == lts.states);
  RC_ASSERT(named(again) == named(lts));
  // Labels may be numbered in another order, which the order of transitions follows.
  RC_ASSERT(named(read(to_aut(again))) == named(lts));
}

TEST(Aut, TakesWhatOthersWrite) {
  const Lts lts =
      read("\ndes(1,5,3)\r\n(0,a,1)\r\n\n ( 1 , \"b,c !(2)\" ,2 )  \n(2,b, c,0)\n(2, i, 2)\n(2, tau, 1)\n");
  EXPECT_EQ(lts.initial, 1U);
  EXPECT_EQ(lts.states, 3U);
  using Triple = std::tuple<StateId, std::string, StateId>;
  EXPECT_EQ(named(lts), (std::vector<Triple>{
                            {0, "a", 1}, {1, "b,c !(2)", 2}, {2, "b, c", 0}, {2, "i", 2}, {2, "tau", 1}}));
  const auto is_internal = [](const Lts& l, StateId to) {
    return std::any_of(l.transitions.begin(), l.transitions.end(),
                       [&](const Transition& t) { return t.label == internal_label && t.to == to; });
  };
  EXPECT_TRUE(is_internal(lts, 1));
  EXPECT_FALSE(is_internal(lts, 2));
  EXPECT_TRUE(is_internal(read("des (0, 1, 3)\n(0, \"i\", 2)\n", "i"), 2));
}

TEST(Aut, Errors) {
  const auto error_of = [](const std::string& text) {
    try {
      read(text);
      return std::string("fine");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      const Diagnostic& d = error.diagnostics().front();
      return std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": " + d.message;
    }
  };
  EXPECT_EQ(error_of(""), "1:1: expected 'des (first, transitions, states)'");
  EXPECT_EQ(error_of("abc"), "1:1: expected 'des', found 'a'");
  EXPECT_EQ(error_of("des (0, 1)"), "1:10: expected ',', found ')'");
  EXPECT_EQ(error_of("des (x, 1, 1)"), "1:6: expected the initial state, found 'x'");
  EXPECT_EQ(error_of("des (2, 0, 2)"), "1:6: states are numbered 0 to 1");
  EXPECT_EQ(error_of("des (0, 0, 0)"), "1:11: an LTS has at least one state");
  EXPECT_EQ(error_of("des (0, 0, 999999999999)"), "1:11: more than 10000000 states are not supported");
  EXPECT_EQ(error_of("des (0, 0, 99999999999999999999999)"), "1:12: the number of states is too large");
  EXPECT_EQ(error_of("des (0, 0, 1) 7"), "1:15: expected the end of the line, found '7'");
  EXPECT_EQ(error_of("des (0, 1, 2)\n(0, a, 2)"), "2:8: states are numbered 0 to 1");
  EXPECT_EQ(error_of("des (0, 1, 2)\n(0, a 1)"), "2:9: expected ',' after the label");
  EXPECT_EQ(error_of("des (0, 1, 2)\n(0, , 1)"), "2:5: expected a label before ','");
  EXPECT_EQ(error_of("des (0, 1, 2)\n(0, \"a, 1)"), "2:5: this quote is not closed");
  EXPECT_EQ(error_of("des (0, 1, 2)\n(0, \"a\" b, 1)"), "2:8: expected ',' after the closing quote");
  EXPECT_EQ(error_of("des (0, 1, 2)\n(0, a, 1"), "2:9: expected ')', found the end of the line");
  EXPECT_EQ(error_of("des (0, 2, 2)\n(0, a, 1)\n"), "1:1: this announces 2 transitions, but 1 follow");
  EXPECT_EQ(error_of("des (0, 0, 2)\n(0, a, 1)\n"),
            "2:1: line 1 announces 0 transitions, but this is one more");
}

// --- Bisimulation ---------------------------------------------------------------------------------------

/// Splits by what states can do until nothing changes.
std::vector<StateId> naive_classes(const Lts& lts) {
  std::vector<StateId> classes(lts.states, 0);
  for (;;) {
    std::map<std::pair<StateId, std::set<std::pair<LabelId, StateId>>>, StateId> numbers;
    std::vector<std::set<std::pair<LabelId, StateId>>> moves(lts.states);
    for (const Transition& t : lts.transitions) moves[t.from].emplace(t.label, classes[t.to]);
    std::vector<StateId> next;
    for (StateId s = 0; s < lts.states; ++s)
      next.push_back(numbers.emplace(std::pair(classes[s], moves[s]), static_cast<StateId>(numbers.size()))
                         .first->second);
    if (next == classes) return classes;
    classes = std::move(next);
  }
}

RC_GTEST_PROP(Bisimulation, AgreesWithNaiveRefinement, (std::uint64_t seed)) {
  Random random(seed);
  const std::uint32_t states = 1 + random.below(30);
  const Lts lts = random.lts(states, 1 + random.below(3), random.below(3 * states));
  const Quotient quotient = minimise(lts);
  // Both number classes in the order of their smallest members.
  RC_ASSERT(quotient.class_of == naive_classes(lts));
  RC_ASSERT(quotient.lts.initial == quotient.class_of[lts.initial]);
  std::set<Transition> expected;
  for (const Transition& t : lts.transitions)
    expected.insert({quotient.class_of[t.from], t.label, quotient.class_of[t.to]});
  RC_ASSERT(std::vector<Transition>(expected.begin(), expected.end()) == quotient.lts.transitions);
  RC_ASSERT(minimise(quotient.lts).lts.states == quotient.lts.states);
}

TEST(Bisimulation, ALongChainStaysAndALongCycleCollapses) {
  Lts chain{.states = 100'000};
  chain.labels.intern("a");
  for (StateId s = 0; s + 1 < chain.states; ++s) chain.transitions.push_back({s, 1, s + 1});
  EXPECT_EQ(minimise(chain).lts.states, chain.states);
  chain.transitions.push_back({chain.states - 1, 1, 0});
  EXPECT_EQ(minimise(chain).lts.states, 1U);
}

// --- Composition ----------------------------------------------------------------------------------------

using Tuple = std::vector<StateId>;

/// An LTS over tuples of local states with an alphabet, and the operators by their definitions.
struct Naive {
  Tuple initial;
  std::set<std::string> alphabet = {};
  std::set<std::tuple<Tuple, std::string, Tuple>> transitions = {};
  std::set<Tuple> states = {};
};

constexpr const char* internal = "tau";

Tuple joined(Tuple a, const Tuple& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Naive naive_leaf(const Lts& lts, const std::set<std::string>& extension) {
  Naive result{.initial = {lts.initial}, .alphabet = extension};
  for (StateId s = 0; s < lts.states; ++s) result.states.insert({s});
  for (LabelId l = 1; l < lts.labels.size(); ++l) result.alphabet.insert(lts.labels.name(l));
  for (const Transition& t : lts.transitions)
    result.transitions.emplace(Tuple{t.from}, lts.labels.name(t.label), Tuple{t.to});
  return result;
}

Naive naive_parallel(const Naive& a, const Naive& b) {
  Naive result{.initial = joined(a.initial, b.initial), .alphabet = a.alphabet};
  result.alphabet.insert(b.alphabet.begin(), b.alphabet.end());
  for (const Tuple& x : a.states)
    for (const Tuple& y : b.states) result.states.insert(joined(x, y));
  for (const auto& [from, label, to] : a.transitions) {
    if (label == internal || !b.alphabet.contains(label)) {
      for (const Tuple& y : b.states) result.transitions.emplace(joined(from, y), label, joined(to, y));
    } else {
      for (const auto& [from2, label2, to2] : b.transitions)
        if (label == label2) result.transitions.emplace(joined(from, from2), label, joined(to, to2));
    }
  }
  for (const auto& [from, label, to] : b.transitions)
    if (label == internal || !a.alphabet.contains(label))
      for (const Tuple& x : a.states) result.transitions.emplace(joined(x, from), label, joined(x, to));
  return result;
}

/// A rule with the names of its labels: the sides that take part, their own labels, and the label
/// of the step.
struct NaiveRule {
  std::string label = {};
  std::map<std::size_t, std::string> takers = {};  ///< by side
};

/// All sides, which take one step together for each rule, or an internal one alone.
Naive naive_synchronised(const std::vector<Naive>& sides, const std::vector<NaiveRule>& rules) {
  Naive result{.initial = {}, .states = {{}}};
  for (const Naive& side : sides) {
    result.initial = joined(result.initial, side.initial);
    std::set<Tuple> states;
    for (const Tuple& x : result.states)
      for (const Tuple& y : side.states) states.insert(joined(x, y));
    result.states = std::move(states);
  }
  for (const NaiveRule& rule : rules)
    if (rule.label != internal) result.alphabet.insert(rule.label);
  std::vector<NaiveRule> all = rules;
  for (std::size_t i = 0; i < sides.size(); ++i) all.push_back({internal, {{i, internal}}});
  for (const NaiveRule& rule : all) {
    std::vector<std::pair<Tuple, Tuple>> steps{{}};
    for (std::size_t i = 0; i < sides.size(); ++i) {
      std::vector<std::pair<Tuple, Tuple>> longer;
      const auto taker = rule.takers.find(i);
      for (const auto& [from, to] : steps) {
        if (taker == rule.takers.end())
          for (const Tuple& s : sides[i].states) longer.emplace_back(joined(from, s), joined(to, s));
        else
          for (const auto& [from2, label, to2] : sides[i].transitions)
            if (label == taker->second) longer.emplace_back(joined(from, from2), joined(to, to2));
      }
      steps = std::move(longer);
    }
    for (const auto& [from, to] : steps) result.transitions.emplace(from, rule.label, to);
  }
  return result;
}

template <class Images>
Naive naive_relabelled(const Naive& a, const Images& images) {
  Naive result{.initial = a.initial, .states = a.states};
  for (const std::string& label : a.alphabet)
    for (const std::string& image : images(label))
      if (image != internal) result.alphabet.insert(image);
  for (const auto& [from, label, to] : a.transitions)
    for (const std::string& image : label == internal ? std::vector<std::string>{internal} : images(label))
      result.transitions.emplace(from, image, to);
  return result;
}

std::set<std::tuple<Tuple, std::string, Tuple>> reachable(const Naive& a) {
  std::map<Tuple, std::vector<std::pair<std::string, Tuple>>> successors;
  for (const auto& [from, label, to] : a.transitions) successors[from].emplace_back(label, to);
  std::set<std::tuple<Tuple, std::string, Tuple>> result;
  std::set<Tuple> seen{a.initial};
  std::vector<Tuple> open{a.initial};
  while (!open.empty()) {
    const Tuple from = std::move(open.back());
    open.pop_back();
    for (const auto& [label, to] : successors[from]) {
      result.emplace(from, label, to);
      if (seen.insert(to).second) open.push_back(to);
    }
  }
  return result;
}

std::set<std::tuple<Tuple, std::string, Tuple>> reachable(const System& system) {
  const Reference reference(system);
  const auto tuple = [](const Values& v) { return Tuple(v.begin(), v.end()); };
  std::set<std::tuple<Tuple, std::string, Tuple>> result;
  std::set<Values> seen{system.initial};
  std::vector<Values> open{system.initial};
  while (!open.empty()) {
    const Values from = std::move(open.back());
    open.pop_back();
    for (const ActionId a : reference.enabled(from)) {
      const auto firing = reference.fire(a, from);
      EXPECT_EQ(firing.error.kind, ModelErrorKind::none) << firing.error.message;
      result.emplace(tuple(from), system.actions[a].label, tuple(firing.state));
      if (seen.insert(firing.state).second) open.push_back(firing.state);
    }
  }
  return result;
}

/// A random composition, built both ways at once.
class RandomNetwork {
 public:
  explicit RandomNetwork(std::uint64_t seed, std::uint32_t leaves, std::uint32_t transitions)
      : random_(seed), transitions_(transitions) {
    auto [composite, naive] = build(leaves);
    network.vectors = std::move(composite.vectors);
    expected = std::move(naive);
  }

  Network network;
  Naive expected;

 private:
  using Both = std::pair<Composite, Naive>;

  Both leaf() {
    const auto id = static_cast<ComponentId>(network.components.size());
    NetworkComponent component{.name = fmt::format("P{}", id),
                               .lts = random_.lts(2 + random_.below(2), 3, random_.below(transitions_) + 2)};
    std::vector<LabelId> names;
    for (LabelId l = 0; l < component.lts.labels.size(); ++l)
      names.push_back(network.labels.intern(component.lts.labels.name(l)));
    std::set<std::string> extension;
    if (random_.below(3) == 0) extension.insert("d");
    std::vector<LabelId> alphabet;
    for (const std::string& label : extension) alphabet.push_back(network.labels.intern(label));
    Both result{alone(id, names, std::move(alphabet)), naive_leaf(component.lts, extension)};
    network.components.push_back(std::move(component));
    return result;
  }

  /// Leaves that synchronise by random rules.
  Both by_rules(std::uint32_t leaves) {
    std::vector<Composite> sides;
    std::vector<Naive> naive_sides;
    const auto first = static_cast<ComponentId>(network.components.size());
    for (std::uint32_t i = 0; i < leaves; ++i) {
      Both side = leaf();
      sides.push_back(std::move(side.first));
      naive_sides.push_back(std::move(side.second));
    }
    std::vector<Rule> rules;
    std::vector<NaiveRule> naive_rules;
    for (std::uint32_t r = random_.below(6) + 1; r > 0; --r) {
      NaiveRule& naive = naive_rules.emplace_back();
      naive.label =
          random_.below(5) == 0 ? internal : std::string(1, static_cast<char>('a' + random_.below(5)));
      Rule& rule = rules.emplace_back(Rule{.label = network.labels.intern(naive.label)});
      // From the last to the first: the order of parts does not matter.
      for (std::uint32_t i = leaves; i-- > 0;) {
        if (random_.below(2) == 0 && !(i == 0 && rule.takers.empty())) continue;
        const std::string label(1, static_cast<char>('a' + random_.below(4)));
        naive.takers[i] = label;
        rule.takers.push_back({i, first + i, network.labels.intern(label)});
      }
    }
    return {synchronised(sides, rules).composite, naive_synchronised(naive_sides, naive_rules)};
  }

  Both build(std::uint32_t leaves) {
    if (leaves == 1) return leaf();
    if (random_.below(3) == 0) return by_rules(leaves);
    const std::uint32_t left = 1 + random_.below(leaves - 1);
    Both a = build(left);
    Both b = build(leaves - left);
    std::vector<Composite> sides{std::move(a.first), std::move(b.first)};
    Both result{parallel(sides).composite, naive_parallel(a.second, b.second)};
    const std::string chosen(1, static_cast<char>('a' + random_.below(4)));
    const LabelId id = network.labels.intern(chosen);
    switch (random_.below(4)) {
      case 0:
        result.first = hidden(std::move(result.first), [&](LabelId l) { return l == id; });
        result.second = naive_relabelled(result.second, [&](const std::string& l) {
          return std::vector<std::string>{l == chosen ? internal : l};
        });
        break;
      case 1: {
        const std::vector<std::string> images{std::string(1, static_cast<char>('a' + random_.below(4))), "e"};
        std::vector<LabelId> ids;
        for (const std::string& image : images) ids.push_back(network.labels.intern(image));
        result.first = renamed(std::move(result.first),
                               [&](LabelId l) { return l == id ? ids : std::vector<LabelId>{}; });
        result.second = naive_relabelled(result.second, [&](const std::string& l) {
          return l == chosen ? images : std::vector<std::string>{l};
        });
        break;
      }
      default:
        break;
    }
    return result;
  }

  Random random_;
  std::uint32_t transitions_;
};

RC_GTEST_PROP(Composition, AgreesWithTheNaiveProduct, (std::uint64_t seed)) {
  const RandomNetwork random(seed, 1 + static_cast<std::uint32_t>(seed % 4), 12);
  const System system = to_system(random.network, "psl", {"x", ""});
  RC_ASSERT(reachable(system) == reachable(random.expected));
}

/// Numbers its reachable states, the initial one 0.
Lts numbered(const Naive& naive) {
  std::map<Tuple, StateId> numbers{{naive.initial, 0}};
  Lts result;
  for (const auto& [from, label, to] : reachable(naive)) {
    const StateId source = numbers.emplace(from, static_cast<StateId>(numbers.size())).first->second;
    const StateId target = numbers.emplace(to, static_cast<StateId>(numbers.size())).first->second;
    result.transitions.push_back({source, result.labels.intern(label), target});
  }
  result.states = static_cast<std::uint32_t>(numbers.size());
  result.normalise();
  return result;
}

Product product_of(const Network& network, const ProductLimits& limits) {
  std::vector<const Lts*> parts;
  for (const NetworkComponent& component : network.components) parts.push_back(&component.lts);
  return product(parts, network.vectors, network.labels, limits);
}

RC_GTEST_PROP(Composition, BuiltAsOneItIsTheNaiveProduct, (std::uint64_t seed)) {
  const RandomNetwork random(seed, 1 + static_cast<std::uint32_t>(seed % 4), 12);
  const Product built = product_of(random.network, {1000, 100'000, 1'000'000});
  RC_ASSERT(built.exceeded.empty());
  const Lts expected = numbered(random.expected);
  RC_ASSERT(built.lts.states == expected.states);
  RC_ASSERT(built.lts.transitions.size() == expected.transitions.size());
  // Side by side in one LTS, both initial states are bisimilar.
  Lts both = expected;
  both.states += built.lts.states;
  for (const Transition& t : built.lts.transitions)
    both.transitions.push_back({expected.states + t.from, both.labels.intern(built.lts.labels.name(t.label)),
                                expected.states + t.to});
  both.normalise();
  const auto classes = naive_classes(both);
  RC_ASSERT(classes[0] == classes[expected.states + built.lts.initial]);
  RC_ASSERT(minimise(built.lts).lts.states == minimise(expected).lts.states);

  const std::size_t states = built.lts.states;
  RC_ASSERT(product_of(random.network, {states, 100'000, 1'000'000}).exceeded.empty());
  if (states > 1)
    RC_ASSERT(product_of(random.network, {states - 1, 100'000, 1'000'000}).exceeded == "states");
}

bool has_tables(const System& system) {
  return std::any_of(system.actions.begin(), system.actions.end(), [](const Action& a) {
    return std::any_of(a.participants.begin(), a.participants.end(),
                       [](const Participant& p) { return p.from == any_location; });
  });
}

// Many local transitions: the part that is not multiplied out. Also what analyses rely on.
RC_GTEST_PROP(Composition, TablesAgreeWithTheNaiveProduct, (std::uint64_t seed)) {
  const auto network = [&] { return RandomNetwork(seed, 5, 30); };
  const auto compiled = [](const Network& n) { return to_system(n, "psl", {"x", ""}); };
  for (int tries = 1; tries < 8 && !has_tables(compiled(network().network)); ++tries) ++seed;
  const RandomNetwork random = network();
  const System system = compiled(random.network);
  test::skip_case(!has_tables(system));
  RC_ASSERT(reachable(system) == reachable(random.expected));

  std::vector<std::set<std::pair<StateId, StateId>>> taken(system.components.size());
  for (const SyncVector& vector : random.network.vectors) {
    const auto moves = [&](const Part& part) {
      std::set<std::pair<StateId, StateId>> result;
      for (const Transition& t : random.network.components[part.component].lts.transitions)
        if (t.label == part.label) result.emplace(t.from, t.to);
      return result;
    };
    if (std::any_of(vector.parts.begin(), vector.parts.end(),
                    [&](const Part& p) { return moves(p).empty(); }))
      continue;
    for (const Part& part : vector.parts) taken[part.component].merge(moves(part));
  }
  for (ComponentId c = 0; c < system.components.size(); ++c) {
    std::set<std::pair<StateId, StateId>> edges;
    for (const ControlEdge& edge : system.components[c].edges) edges.emplace(edge.from, edge.to);
    RC_ASSERT(edges == taken[c]);
  }
  for (const Action& action : system.actions) {
    std::set<SlotId> slots;
    for (const Participant& p : action.participants)
      slots.insert(system.components[p.component].location_slot);
    RC_ASSERT(std::vector<SlotId>(slots.begin(), slots.end()) == action.reads);
    RC_ASSERT(action.reads == action.writes);
  }
}

TEST(Composition, TablesKeepTheNumberOfActionsSmall) {
  Network network;
  const LabelId all = network.labels.intern("all");
  SyncVector vector{.label = all};
  for (ComponentId c = 0; c < 9; ++c) {
    NetworkComponent component{.name = fmt::format("V{}", c), .lts = {.states = 4}};
    component.lts.labels.intern("all");
    for (StateId s = 0; s < 4; ++s) component.lts.transitions.push_back({s, 1, (s + 1) % 4});
    network.components.push_back(std::move(component));
    vector.parts.push_back({c, 1});
  }
  network.vectors.push_back(vector);
  const System system = to_system(network, "psl", {"x", ""});
  EXPECT_LE(system.actions.size(), most_pairs);
  EXPECT_TRUE(has_tables(system));
  EXPECT_EQ(reachable(system).size(), 4U);
}

TEST(Composition, ALargeComponentIsATable) {
  Network network;
  const LabelId step = network.labels.intern("step"), rare = network.labels.intern("rare");
  NetworkComponent component{.name = "C", .lts = {.states = 10'000}};
  component.lts.labels.intern("step");
  component.lts.labels.intern("rare");
  for (StateId s = 0; s < 10'000; ++s) component.lts.transitions.push_back({s, 1, (s + 7) % 10'000});
  component.lts.transitions.push_back({77, 2, 0});
  component.lts.normalise();
  network.components.push_back(std::move(component));
  network.vectors = {{step, {{0, 1}}}, {rare, {{0, 2}}}};
  const System system = to_system(network, "psl", {"x", ""});
  EXPECT_EQ(system.actions.size(), 2U);
  EXPECT_EQ(system.actions[0].participants[0].from, any_location);
  EXPECT_EQ(system.actions[1].participants[0].from, 77U);
  EXPECT_EQ(system.components[0].edges.size(), 10'001U);
  EXPECT_EQ(reachable(system).size(), 10'001U);
}

TEST(Composition, RefusesTooManyCombinations) {
  Network network;
  const LabelId all = network.labels.intern("all");
  SyncVector vector{.label = all};
  // Every component can go anywhere from anywhere: tables do not help.
  for (ComponentId c = 0; c < 8; ++c) {
    NetworkComponent component{.name = fmt::format("V{}", c), .lts = {.states = 8}};
    component.lts.labels.intern("all");
    for (StateId s = 0; s < 64; ++s) component.lts.transitions.push_back({s / 8, 1, s % 8});
    network.components.push_back(std::move(component));
    vector.parts.push_back({c, 1});
  }
  network.vectors.push_back(vector);
  try {
    to_system(network, "psl", {"x.psl", ""});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "x.psl: error: 'all' of V0, V1, V2, V3, V4, V5, V6, V7 has too many combinations of local "
                 "transitions");
  }
}

// --- Files ----------------------------------------------------------------------------------------------

class NetFiles : public testing::Test {
 protected:
  NetFiles() {
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("lts_test_{}_{}", std::random_device{}(), std::random_device{}());
    std::filesystem::create_directory(folder_);
    write("p.aut", "des (0, 2, 2)\n(0, \"put\", 1)\n(1, \"think\", 0)\n");
    write("b.aut", "des (0, 3, 2)\n(0, \"in\", 1)\n(1, \"out\", 0)\n(0, tau, 0)\n");
    write("c.aut", "des (0, 2, 2)\n(0, \"put\", 1)\n(1, \"put\", 0)\n");
  }
  ~NetFiles() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  System net(const std::string& text) { return read_net_model({(folder_ / "m.net").string(), text}, {}); }
  std::string error_of(const std::string& text) {
    try {
      net(text);
      return "fine";
    } catch (const Error& error) {
      const Diagnostic& d = error.diagnostics().front();
      return std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": " + d.message;
    }
  }

  std::filesystem::path folder_;
};

TEST_F(NetFiles, Vectors) {
  const System system = net(
      "# comment\ncomponent P \"p.aut\"\ncomponent B \"b.aut\"\n\n"
      "sync \"move\" = P \"put\", B \"in\"\nsync \"x\" = B \"out\"\nsync \"t\" = P \"think\"\nhide \"x\"\n");
  using Edge = std::tuple<Tuple, std::string, Tuple>;
  EXPECT_EQ(reachable(system), (std::set<Edge>{{{0, 0}, "move", {1, 1}},
                                               {{0, 0}, "tau", {0, 0}},
                                               {{1, 1}, "tau", {1, 0}},
                                               {{1, 1}, "t", {0, 1}},
                                               {{1, 0}, "tau", {1, 0}},
                                               {{1, 0}, "t", {0, 0}},
                                               {{0, 1}, "tau", {0, 0}}}));
  EXPECT_EQ(system.components[1].locations[1].name, "s1");
}

TEST_F(NetFiles, ParallelAndMinimised) {
  const System system = net("component P \"p.aut\"\ncomponent C \"c.aut\" minimised\nparallel\n");
  EXPECT_EQ(system.components[1].locations.size(), 1U);
  EXPECT_EQ(reachable(system).size(), 2U);
  const System alone = read_aut_model({"dir/7-up.aut", "des (1, 1, 2)\n(1, \"a\", 0)\n"}, {});
  EXPECT_EQ(alone.components[0].name, "_7_up");
  EXPECT_EQ(alone.initial, (Values{1}));
}

TEST_F(NetFiles, Errors) {
  const std::string two = "component P \"p.aut\"\ncomponent B \"b.aut\"\n";
  EXPECT_EQ(error_of("what"), "1:1: expected 'component', 'parallel', 'sync' or 'hide', found 'what'");
  EXPECT_EQ(error_of("parallel\n"), "0:0: the network has no component");
  EXPECT_EQ(error_of(two),
            "0:0: nothing says how the components synchronise: write 'parallel' or 'sync' lines");
  EXPECT_EQ(error_of(two + "parallel\nsync \"a\" = P \"put\"\n"),
            "0:0: a network has either a 'parallel' line or 'sync' lines");
  EXPECT_EQ(error_of(two + "sync \"a\" = Q \"put\"\n"), "3:12: unknown component 'Q'");
  EXPECT_EQ(error_of(two + "sync \"a\" = P \"pot\"\n"), "3:14: 'P' has no label 'pot'; did you mean 'put'?");
  EXPECT_EQ(error_of(two + "sync \"a\" = B \"tau\"\n"), "3:14: the internal action cannot synchronise");
  EXPECT_EQ(error_of(two + "sync \"a\" = P \"put\", P \"think\"\n"), "3:21: 'P' can take part only once");
  EXPECT_EQ(error_of(two + "sync \"a\" P\n"), "3:10: expected '='");
  EXPECT_EQ(error_of(two + "sync \"a\n"), "3:6: this quote is not closed");
  EXPECT_EQ(error_of(two + "component P \"b.aut\"\n"), "3:11: component 'P' is already declared");
  EXPECT_EQ(error_of("component P p.aut\n"), "1:13: expected the name of an .aut file in quotes");
  EXPECT_EQ(error_of("component P \"p.aut\" small\n"), "1:21: expected 'minimised' or the end of the line");
  EXPECT_NE(error_of("component P \"none.aut\"\n").find("cannot read"), std::string::npos);
}

}  // namespace
}  // namespace tideline::lts
