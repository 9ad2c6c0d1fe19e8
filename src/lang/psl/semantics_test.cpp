// What process models mean: components, their states and names, composition, and expressions over them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "lang/lts/bisimulation.hpp"
#include "testing/processes.hpp"

namespace tideline::psl {
namespace {

std::vector<std::string> names_of(const Component& component) {
  std::vector<std::string> names;
  for (const Location& location : component.locations) names.push_back(location.name);
  return names;
}

std::set<std::string> labels_of(const System& system) {
  std::set<std::string> labels;
  for (const Action& action : system.actions) labels.insert(action.label);
  return labels;
}

using Names = std::vector<std::string>;
using Labels = std::set<std::string>;

TEST(Psl, StatesAreNamedAndInTheOrderOfTheText) {
  const System system = system_of(R"(
    const K = 3;
    range Seq = 0..K - 1;
    process Sender {
      Ready(n: Seq = 1) = get[x: 0..1] -> send[n][x] -> Wait(n)
                        | off -> stop;
      Wait(n: Seq) = ack[n] -> Ready((n + 1) % K) | ack[m: Seq] when m != n -> Wait(n);
    }
    system = Sender;)");
  ASSERT_EQ(system.components.size(), 1U);
  EXPECT_EQ(system.components[0].name, "Sender");
  EXPECT_EQ(
      names_of(system.components[0]),
      (Names{"Ready(0)", "Ready(1)", "Ready(2)", "Ready.1(0, 0)", "Ready.1(0, 1)", "Ready.1(1, 0)",
             "Ready.1(1, 1)", "Ready.1(2, 0)", "Ready.1(2, 1)", "Wait(0)", "Wait(1)", "Wait(2)", "stop"}));
  EXPECT_EQ(system.show_value(0, system.initial[0]), "Ready(1)");
  EXPECT_EQ(labels_of(system),
            (Labels{"get[0]", "get[1]", "send[0][0]", "send[0][1]", "send[1][0]", "send[1][1]", "send[2][0]",
                    "send[2][1]", "ack[0]", "ack[1]", "ack[2]", "off"}));
  const auto space = explore(system);
  EXPECT_EQ(space.states.size(), 13U);
  EXPECT_EQ(space.edges, 3U * (3 + 2 + 3));
  EXPECT_EQ(space.deadlocks, 1U);
}

// A place between two actions remembers what is used after it, and nothing else.
TEST(Psl, PlacesForgetWhatIsNotUsed) {
  const System system = system_of(R"(
    process P(k: 0..9) {
      A = a[x: 0..4] -> b[y: 0..4] -> c[x + k] -> A;
    }
    system = P(7);)");
  EXPECT_EQ(system.components[0].locations.size(), 1U + 5 + 5);
  EXPECT_EQ(labels_of(system).size(), 15U);
  EXPECT_TRUE(labels_of(system).contains("c[11]"));
}

TEST(Psl, AStateMayIncludeAnother) {
  const System system = system_of(R"(
    process P {
      A(n: 0..1 = 0) = a -> A(n) | Common(n);
      Common(n: 0..1) = flip -> A(1 - n) | Rare when n == 1;
      Rare = end -> stop;
    }
    system = P;)");
  EXPECT_EQ(names_of(system.components[0]), (Names{"A(0)", "A(1)", "stop"}));
  EXPECT_EQ(explore(system).edges, 5U);
}

TEST(Psl, ProcessesSynchroniseOnWhatBothHave) {
  const std::string processes = R"(
    process P { A = a -> b -> A; }
    process Q { A = a -> c -> A; }
    process R { alphabet a; A = d -> A; }
    )";
  EXPECT_EQ(explore(system_of(processes + "system = P || Q;")).states.size(), 4U);
  // R has a in its alphabet and never takes it.
  EXPECT_EQ(explore(system_of(processes + "system = P || Q || R;")).states.size(), 1U);
  // A hidden a does not need the others.
  const System hidden = system_of(processes + "system = (P hide {a}) || Q;");
  EXPECT_EQ(labels_of(hidden), (Labels{"tau", "a", "b", "c"}));
  EXPECT_EQ(explore(hidden).states.size(), 4U);
  EXPECT_EQ(explore(hidden).edges, 8U);
  // Hiding both together hides the common step.
  const System common = system_of(processes + "system = (P || Q) hide {a};");
  EXPECT_EQ(labels_of(common), (Labels{"tau", "b", "c"}));
  EXPECT_EQ(explore(common).edges, 1U + 2 + 1 + 1);
}

TEST(Psl, TauNeverSynchronises) {
  const System system = system_of(R"(
    process P { A = tau -> B; B = x -> stop; }
    system = P as left || P as right;)");
  EXPECT_EQ(system.components[0].name, "left");
  const auto space = explore(system);
  EXPECT_EQ(space.states.size(), 5U);  // x is taken by both
}

TEST(Psl, RenamingKeepsFurtherIndices) {
  const std::string process = "process P { A = a[0][1] -> a[1][2] -> b -> A; }\n";
  EXPECT_EQ(labels_of(system_of(process + "system = P rename {a -> x};")),
            (Labels{"x[0][1]", "x[1][2]", "b"}));
  EXPECT_EQ(labels_of(system_of(process + "system = P rename {a[i: 0..1] -> x[1 - i][7]};")),
            (Labels{"x[1][7][1]", "x[0][7][2]", "b"}));
  // Several new labels are a choice, and two old ones may become one.
  EXPECT_EQ(labels_of(system_of(process + "system = P rename {b -> c, b -> d};")),
            (Labels{"a[0][1]", "a[1][2]", "c", "d"}));
  EXPECT_EQ(labels_of(system_of(process + "system = P rename {a[0][1] -> b};")), (Labels{"a[1][2]", "b"}));
  EXPECT_EQ(labels_of(system_of(process + "system = P hide {a[0..1]};")), (Labels{"tau", "b"}));
}

TEST(Psl, FamiliesAndNetworks) {
  const System system = system_of(R"(
    const N = 4;
    range Id = 0..N - 1;
    process Node(i: Id, has: 0..1) {
      Start = tau when has == 1 -> Holds | take[i] when has == 0 -> Holds;
      Holds = take[(i + 1) % N] -> Empty;
      Empty = take[i] -> Holds;
    }
    network Ring(first: Id) = forall i: Id { Node(i, i == first) };
    system = Ring(2);)");
  ASSERT_EQ(system.components.size(), 4U);
  EXPECT_EQ(system.components[2].name, "Node(2, 1)");
  EXPECT_EQ(labels_of(system), (Labels{"tau", "take[0]", "take[1]", "take[2]", "take[3]"}));
  const auto space = explore(system);
  EXPECT_EQ(space.deadlocks, 0U);
  EXPECT_EQ(space.states.size(), 1U + 4 + 3);  // the start, the first round, and rounds without a start
}

TEST(Psl, VectorsSayWhoMovesTogether) {
  const std::string processes = R"(
    process P { A = put[x: 0..1] -> A; }
    process B { E = in[x: 0..1] -> F(x); F(x: 0..1) = out[x] -> E | tau -> E; }
    )";
  const System system = system_of(processes + R"(
    system = (P || B) sync {P.put[x: 0..1] * B.in[1 - x] -> move[x], B.out[1] -> tau};)");
  EXPECT_EQ(labels_of(system), (Labels{"tau", "move[0]", "move[1]"}));
  const auto space = explore(system);
  EXPECT_EQ(space.states.size(), 3U);
  // out[0] is in no vector, and the internal action is still possible; with out[1] there are two ways back.
  EXPECT_EQ(space.edges, 2U + 1 + 2);

  // Vectors of a ring, against the same ring by shared labels.
  const std::string node = R"(
    range Id = 0..3;
    process Node(i: Id) {
      S = tau when i == 2 -> H | get[i] when i != 2 -> H;
      H = put[i] -> E;
      E = get[i] -> H;
    })";
  const System ring = system_of(node + R"(
    network Nodes = forall i: Id { Node(i) };
    system = Nodes sync {forall i: Id { Node(i).put[i] * Node((i + 1) % 4).get[(i + 1) % 4] -> pass[i] }};)");
  const System shared = system_of(node + R"(
    system = forall i: Id { Node(i) rename {put[i] -> pass[i], get[i] -> pass[(i + 3) % 4]} };)");
  EXPECT_EQ(labels_of(ring), labels_of(shared));
  EXPECT_EQ(explore(ring).states, explore(shared).states);
  EXPECT_EQ(explore(ring).edges, explore(shared).edges);
}

// A part of a vector means the steps of its side in which the component takes part, as the side shows them.
TEST(Psl, VectorsOverCompositions) {
  const std::string processes = R"(
    process P { A = a -> both -> A; }
    process Q { A = b -> both -> A; }
    process R { A = r -> A; }
    )";
  const std::string pair = "(P || Q) rename {a -> x, b -> x}";
  const System system =
      system_of(processes + "system = (" + pair + " || R) sync {P.x * R.r -> left, Q.both -> both};");
  // P goes on together with R; Q cannot, and so both cannot either.
  EXPECT_EQ(labels_of(system), (Labels{"left", "both"}));
  EXPECT_EQ(explore(system).states.size(), 2U);
  const System all = system_of(processes + "system = (" + pair +
                               " || R) sync {P.x * R.r -> left, Q.x -> right, P.both -> c};");
  EXPECT_EQ(explore(all).states.size(), 4U);
  EXPECT_EQ(explore(all).edges, 5U);
}

TEST(Psl, TheInternalActionsName) {
  LoadOptions options;
  options.internal_action = "i";
  EXPECT_EQ(model_of("process P { A = tau -> A; } system = P;", options).system.actions[0].label, "i");
}

TEST(Psl, MovesKnowTheLineTheyAreWrittenOn) {
  const System system = system_of(R"(process P {
  A = a -> B
    | b[n: 0..1] -> tau ->
        c -> A;
  B = b[0] -> A | D;
  D = d -> A;
}
process Q { S = a -> S | b[0..1] -> S; }
system = P || Q;)");
  std::set<std::tuple<std::string, std::string, std::uint32_t>> lines;
  for (const Action& action : system.actions) {
    EXPECT_EQ(action.where, action.participants[0].where) << action.label;
    for (const Participant& p : action.participants) {
      const std::string place = system.components[p.component].locations[p.from].name;
      lines.emplace(place, action.label, p.where.line);
    }
  }
  const std::set<std::tuple<std::string, std::string, std::uint32_t>> expected{
      {"A", "a", 2},    {"A", "b[0]", 3}, {"A", "b[1]", 3}, {"A.1", "tau", 3}, {"A.2", "c", 4},
      {"B", "b[0]", 5}, {"B", "d", 6},    {"S", "a", 8},    {"S", "b[0]", 8},  {"S", "b[1]", 8},
  };
  for (const auto& [place, label, line] : lines)
    EXPECT_TRUE(expected.contains({place, label, line})) << place << " " << label << " " << line;
  for (const Component& component : system.components)
    for (const ControlEdge& edge : component.edges)
      EXPECT_TRUE(expected.contains(
          {component.locations[edge.from].name, system.actions[edge.action].label, edge.line}));
}

TEST(Psl, MovesOfOneActionMayBeOnSeveralLines) {
  // Too many combinations to be multiplied out: the second and third process are tables.
  const System system = system_of(R"(range R = 0..9;
process P(i: 0..3) {
  A(n: R = 0) =
      go when n == 0 -> A(1)
    | go when n > 0 and n < 9 -> A(n + 1)
    | go when n == 9 -> A(0);
}
system = forall i: 0..3 { P(i) };)");
  bool any = false;
  for (const Action& action : system.actions)
    for (const Participant& p : action.participants) {
      if (p.from != any_location) continue;
      any = true;
      EXPECT_EQ(p.where.line, 0U);
    }
  EXPECT_TRUE(any);
  for (const Component& component : system.components)
    for (const ControlEdge& edge : component.edges)
      EXPECT_EQ(edge.line, edge.from == 0 ? 4U : edge.from == 9 ? 6U : 5U);
}

TEST(Psl, MinimisedComponents) {
  const std::string text = R"(
    process P { A = a -> B | c -> C; B = b -> A; C = b -> A; }
    )";
  const System full = system_of(text + "system = P;");
  const System small = system_of(text + "system = P minimised;");
  EXPECT_EQ(full.components[0].locations.size(), 3U);
  EXPECT_EQ(names_of(small.components[0]), (Names{"A", "{B, C}"}));
  EXPECT_EQ(labels_of(small), labels_of(full));
  EXPECT_NO_THROW(parse_expression(small, "P.A", "x"));
  try {
    parse_expression(small, "P.B", "x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'P' is minimised, and its state 'B' is merged with others"),
              std::string::npos);
  }
}

/// The states of a system as an LTS.
lts::Lts graph_of(const System& system) {
  const Reference reference(system);
  std::map<Values, lts::StateId> numbers{{system.initial, 0}};
  std::vector<Values> states{system.initial};
  lts::Lts result;
  for (lts::StateId s = 0; s < states.size(); ++s) {
    const Values from = states[s];
    for (const ActionId a : reference.enabled(from)) {
      const Values to = reference.fire(a, from).state;
      const auto [entry, fresh] = numbers.emplace(to, static_cast<lts::StateId>(states.size()));
      if (fresh) states.push_back(to);
      result.transitions.push_back({s, result.labels.intern(system.actions[a].label), entry->second});
    }
  }
  result.states = static_cast<std::uint32_t>(states.size());
  result.normalise();
  return result;
}

TEST(Psl, MinimisedCompositions) {
  const std::string text = R"(
    process Worker(i: 0..2) { Idle = start -> tau -> Busy; Busy = done[i] -> Rest; Rest = next -> Idle; }
    process Master { Ready = start -> Wait; Wait = done[0..2] -> Wait | next -> Ready | stop_all -> stop; }
    network Team = (forall i: 0..2 { Worker(i) }) rename {done[0..2] -> done} hide {next};
    )";
  for (const std::string master : {"Master", "(Master rename {done[0..2] -> done})"}) {
    const System full = system_of(text + "system = " + master + " || Team;");
    const System small = system_of(text + "system = " + master + " || Team minimised;");
    ASSERT_EQ(small.components.size(), 2U);
    EXPECT_EQ(small.components[1].name, "Team");
    EXPECT_EQ(names_of(small.components[1]).front(), "s0");
    EXPECT_EQ(small.initial[1], 0);
    EXPECT_EQ(labels_of(small), labels_of(full));
    const lts::Lts of_full = graph_of(full), of_small = graph_of(small);
    EXPECT_LT(of_small.states, of_full.states);
    EXPECT_EQ(lts::minimise(of_small).lts.states, lts::minimise(of_full).lts.states);
    EXPECT_EQ(explore(small).deadlocks > 0, explore(full).deadlocks > 0);
    EXPECT_EQ(explore(small).states.size(), of_small.states);
  }
  // It can be minimised again as a part of a larger one, and be a part of a vector.
  const System twice = system_of(text + "system = (Master || (Team as A minimised)) as B minimised;");
  EXPECT_EQ(twice.components.size(), 1U);
  EXPECT_EQ(graph_of(twice).states,
            lts::minimise(graph_of(system_of(text + "system = Master || Team;"))).lts.states);
  const System vectors =
      system_of(text + "system = (Master || Team minimised) sync {Master.start * Team.start -> go};");
  EXPECT_EQ(labels_of(vectors), (Labels{"tau", "go"}));
}

// --- Expressions ----------------------------------------------------------------------------------------

class PslExpressions : public testing::Test {
 protected:
  const System system_ = system_of(R"(
    const K = 3;
    process P(i: 0..1) {
      A(n: 0..K = 0) = up[i] when n < K -> A(n + 1) | go[i][x: 0..1] -> mid[i] -> B(n, x);
      B(n: 0..K, x: 0..1) = back[i] -> A(n);
    }
    system = forall i: 0..1 { P(i) };)");

  /// In how many of the reachable states is it true?
  std::size_t count(const std::string& text) const {
    const Expr expr = parse_expression(system_, text, "test");
    const Reference reference(system_);
    std::size_t result = 0;
    for (const Values& state : explore(system_).states) result += reference.evaluate(expr, state).value != 0;
    return result;
  }
  std::string error_of(const std::string& text) const {
    try {
      parse_expression(system_, text, "test");
      return "fine";
    } catch (const Error& error) {
      const Diagnostic& d = error.diagnostics().front();
      return std::to_string(d.where.column) + ": " + d.message;
    }
  }
};

// A component has 4 states A, 8 between (n and x are used later), and 8 states B.
TEST_F(PslExpressions, StatesParametersAndQuantifiers) {
  EXPECT_EQ(count("true"), 400U);
  EXPECT_EQ(count("P(0).A(2)"), 20U);
  EXPECT_EQ(count("P(0).A"), 4U * 20);
  EXPECT_EQ(count("P(1).B"), 8U * 20);
  EXPECT_EQ(count("P(1).A.1"), 8U * 20);
  EXPECT_EQ(count("P(0).A.1(2, 1)"), 20U);
  EXPECT_EQ(count("P(0).B(3, 1)"), 20U);
  EXPECT_EQ(count("P(0).A(7)"), 0U);
  EXPECT_EQ(count("P(0).n == K"), 3U * 20);
  EXPECT_EQ(count("P(0).x == 1"), 4U * 20);
  EXPECT_EQ(count("P(0).n == -1"), 8U * 20);
  EXPECT_EQ(count("all(i: 0..1, P(i).A)"), 16U);
  EXPECT_EQ(count("any(i: 0..1, P(i).A)"), 400U - 16 * 16);
  EXPECT_EQ(count("count(i: 0..1, P(i).A) == 1"), 2U * 4 * 16);
  EXPECT_EQ(count("all(i: 0..1, any(n: 1..K, P(i).A(n)))"), 9U);
  EXPECT_EQ(count("all(i: 1..0, false)"), 400U);
  EXPECT_EQ(count("P(0).A and not P(1).A or false"), 4U * 16);
  EXPECT_EQ(count("P(0).A imply P(0).n < 2"), 400U - 2 * 20);
  EXPECT_EQ(count("1 + 2 * 3 == 7 && -1 < 0 && 7 % 4 / 2 - 1 == 0"), 400U);
}

TEST_F(PslExpressions, LocationTestsReadBack) {
  const Expr expr = parse_expression(system_, "P(1).B(2, 0)", "test");
  EXPECT_EQ(to_string(expr, system_), "P(1).B(2, 0)");
}

TEST_F(PslExpressions, Errors) {
  EXPECT_EQ(error_of("Q(0).A"), "1: unknown component 'Q(0)'; did you mean 'P(0)'?");
  EXPECT_EQ(error_of("P(0).C"), "1: 'P(0)' has no state 'C'");
  EXPECT_EQ(error_of("P(0).C(1)"), "1: 'P(0)' has no state 'C(1)'; did you mean 'A(1)'?");
  EXPECT_EQ(error_of("K = 1"), "3: a comparison is written '=='");
  EXPECT_EQ(error_of("true && KK == 1"), "9: unknown name 'KK'; did you mean 'K'?");
  EXPECT_EQ(error_of("P(0)"), "5: expected '.' and a state of the component, found the end of the text");
  EXPECT_EQ(error_of("P(0).A()"), "6: a state without parameters is written without '()'");
  EXPECT_EQ(error_of("P(P(0).n).A"), "3: a constant value is expected here");
  EXPECT_EQ(error_of("K +"), "4: expected an expression, found the end of the text");
  EXPECT_EQ(error_of("K K"), "3: expected an operator or the end of the expression, found 'K'");
  EXPECT_EQ(error_of("(K"), "3: expected ')' to close '(' of line 1, column 1, found the end of the text");
  EXPECT_EQ(error_of("count(i: 0, true)"),
            "11: expected '..' between the first and the last value, found ','");
  EXPECT_EQ(error_of("count(i: 0..9999, true)"), "1: more than 500 values");
  EXPECT_EQ(error_of(std::string(5000, '(')), "501: expression is nested deeper than 500");
}

TEST(PslProperties, InCommentsAndWithDefinitions) {
  const Model model = model_of(R"(
    process P { A = a -> B; B = b -> A; }
    system = P;
    //@ define away = P.B
    //@ property goes expect holds reach away
    )");
  ASSERT_EQ(model.properties.size(), 1U);
  EXPECT_EQ(model.properties[0].name, "goes");
  EXPECT_EQ(model.system.propositions[0].name, "away");
  EXPECT_EQ(errors_in("process P { A = a -> A; } system = P;\n//@ define when = P.A"),
            (std::vector<std::string>{"2:12: 'when' is a reserved word"}));
}

TEST(Psl, AStateMayBeAnEnd) {
  const auto system = [](const std::string& first, const std::string& second) {
    return system_of("process P { " + first + " S = a -> T | b -> U; T = c -> T; U = stop; } process Q { " +
                     second + " W = c -> W; } system = P || Q;");
  };
  EXPECT_FALSE(system("", "").may_end);
  const auto may_end = [](const System& s, const std::string& p) {
    Values state = s.initial;
    state[s.components[0].location_slot] = static_cast<std::int32_t>(*s.find_location(0, p));
    return Reference(s).evaluate(*s.may_end, state).value != 0;
  };
  const System one = system("end", ""), both = system("end", "end");
  EXPECT_TRUE(one.components[0].locations[0].may_end);
  EXPECT_FALSE(may_end(one, "S"));  // Q is in a state that it can leave
  EXPECT_TRUE(may_end(both, "S"));
  EXPECT_FALSE(may_end(both, "T"));
  EXPECT_TRUE(may_end(both, "U"));
  EXPECT_EQ(system_of("process P { end = a -> end; } system = P;").components[0].locations[0].name, "end");
}

}  // namespace
}  // namespace tideline::psl
