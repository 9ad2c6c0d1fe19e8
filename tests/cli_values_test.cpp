// Properties that have no value in some state: all engines against brute force on random models.
//
// A model is an explicit graph: a process whose states set x and y. Properties are made of divisions and
// array accesses that fail for some values. The oracle evaluates them the way docs/semantics-ctl-ltl.md says.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "program.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

struct Node {
  int x = 0, y = 0;
  std::vector<int> next = {};
};
using RandomGraph = std::vector<Node>;

/// A state formula with its text; it yields nothing where it has no value.
struct StateFormula {
  std::string text;
  std::function<std::optional<bool>(const Node&)> value;
};

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  RandomGraph graph() {
    RandomGraph nodes(static_cast<std::size_t>(2 + below(5)));
    for (Node& node : nodes) {
      node.x = below(4);
      node.y = below(4);
      for (int i = below(3); i > 0; --i) node.next.push_back(below(static_cast<int>(nodes.size())));
    }
    return nodes;
  }

  StateFormula formula(int depth) {
    if (depth == 0) return atom();
    StateFormula left = formula(depth - 1);
    if (below(4) == 0)
      return {"!(" + left.text + ")", [left](const Node& n) -> std::optional<bool> {
                const auto value = left.value(n);
                if (!value) return value;
                return !*value;
              }};
    StateFormula right = formula(depth - 1);
    const bool both = below(2) == 0;
    return {"(" + left.text + (both ? " && " : " || ") + right.text + ")", [=](const Node& n) {
              const auto value = left.value(n);
              return !value || *value != both ? value : right.value(n);
            }};
  }

 private:
  StateFormula atom() {
    const bool of_x = below(2) == 0;
    const std::string name = of_x ? "x" : "y";
    const int constant = below(4);
    const auto variable = [of_x](const Node& n) { return of_x ? n.x : n.y; };
    const std::string number = std::to_string(constant);
    switch (below(4)) {
      case 0:
        return {"6 / (" + name + " - " + number + ") < 3", [=](const Node& n) -> std::optional<bool> {
                  if (variable(n) == constant) return std::nullopt;
                  return 6 / (variable(n) - constant) < 3;
                }};
      case 1:
        return {"a[" + name + "] == " + number, [=](const Node& n) -> std::optional<bool> {
                  if (variable(n) >= 3) return std::nullopt;
                  return variable(n) == constant;
                }};
      default:
        return {name + " != " + number,
                [=](const Node& n) -> std::optional<bool> { return variable(n) != constant; }};
    }
  }

  std::mt19937 random_;
};

std::string dve(const RandomGraph& graph) {
  const auto set = [](const Node& n) {
    return "x = " + std::to_string(n.x) + ", y = " + std::to_string(n.y);
  };
  std::string text = "byte a[3] = {0, 1, 2};\nbyte x = " + std::to_string(graph[0].x) +
                     ", y = " + std::to_string(graph[0].y) + ";\nprocess P {\n  state ";
  for (std::size_t i = 0; i < graph.size(); ++i) text += (i == 0 ? "s" : ", s") + std::to_string(i);
  text += ";\n  init s0;\n";
  std::string steps;
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (const int to : graph[i].next)
      steps += (steps.empty() ? "" : ",\n") + std::string("    s") + std::to_string(i) + " -> s" +
               std::to_string(to) + " { effect " + set(graph[static_cast<std::size_t>(to)]) + "; }";
  if (!steps.empty()) text += "  trans\n" + steps + ";\n";
  return text + "}\nsystem async;\n";
}

/// Truths by node, on all nodes; a node without successors repeats.
class Oracle {
 public:
  using Set = std::vector<bool>;

  explicit Oracle(const RandomGraph& graph) : graph_(graph), reached_(graph.size()) { reach(0); }

  bool has_value(const StateFormula& f) const {
    for (std::size_t i = 0; i < graph_.size(); ++i)
      if (reached_[i] && !f.value(graph_[i])) return false;
    return true;
  }
  /// Where it has no value it counts as false.
  Set states(const StateFormula& f) const {
    return make([&](std::size_t i) { return f.value(graph_[i]).value_or(false); });
  }
  static Set negated(Set s) {
    s.flip();
    return s;
  }
  Set some_next(const Set& s) const {
    return make([&](std::size_t i) {
      for (const int to : graph_[i].next)
        if (s[static_cast<std::size_t>(to)]) return true;
      return graph_[i].next.empty() && s[i];
    });
  }
  Set all_next(const Set& s) const { return negated(some_next(negated(s))); }
  Set possible_until(const Set& f, const Set& g) const {
    return closed([&](const Set& s, std::size_t i) { return g[i] || (f[i] && some_next(s)[i]); });
  }
  Set inevitable_until(const Set& f, const Set& g) const {
    return closed([&](const Set& s, std::size_t i) { return g[i] || (f[i] && all_next(s)[i]); });
  }
  Set possible(const Set& g) const { return possible_until(everywhere(), g); }
  Set inevitable(const Set& g) const { return inevitable_until(everywhere(), g); }
  Set always(const Set& g) const { return negated(possible(negated(g))); }
  Set both(const Set& a, const Set& b) const {
    return make([&](std::size_t i) { return a[i] && b[i]; });
  }
  Set implies(const Set& a, const Set& b) const {
    return make([&](std::size_t i) { return !a[i] || b[i]; });
  }

 private:
  template <class F>
  Set make(const F& f) const {
    Set set(graph_.size());
    for (std::size_t i = 0; i < set.size(); ++i) set[i] = f(i);
    return set;
  }
  template <class F>
  Set closed(const F& f) const {
    Set set(graph_.size());
    for (std::size_t round = 0; round <= graph_.size(); ++round)
      set = make([&](std::size_t i) { return f(set, i); });
    return set;
  }
  Set everywhere() const { return Set(graph_.size(), true); }
  void reach(std::size_t i) {
    if (reached_[i]) return;
    reached_[i] = true;
    for (const int to : graph_[i].next) reach(static_cast<std::size_t>(to));
  }

  const RandomGraph& graph_;
  Set reached_;
};

struct Question {
  std::string option, formula;
  bool holds;
};

/// The same temporal formulas in both logics, of which the oracle knows one.
std::vector<Question> questions(Generator& random, const RandomGraph& graph) {
  const Oracle oracle(graph);
  const StateFormula p = random.formula(random.below(3)), q = random.formula(random.below(3));
  const StateFormula guarded{"", [&](const Node& n) {
                               const auto value = p.value(n);
                               return value && *value ? q.value(n) : value;
                             }};
  const Oracle::Set ps = oracle.states(p), qs = oracle.states(q);
  const bool p_has = oracle.has_value(p), both_have = p_has && oracle.has_value(q);
  const bool guarded_has = p_has && oracle.has_value(guarded);
  const std::string P = "\"" + p.text + "\"", Q = "\"" + q.text + "\"";
  std::vector<Question> all;
  const auto add = [&](const std::string& option, const std::string& formula, bool has_value,
                       const Oracle::Set& truth) {
    all.push_back({option, formula, has_value && truth[0]});
  };
  const auto always = oracle.always(ps), response = oracle.always(oracle.implies(ps, oracle.inevitable(qs)));
  add("--invariant", p.text, p_has, always);
  add("--reach", p.text, p_has, oracle.possible(ps));
  add("--ltl", "G " + P, p_has, always);
  add("--ltl", "F " + P, p_has, oracle.inevitable(ps));
  add("--ltl", "G (" + P + " -> F " + Q + ")", both_have, response);
  add("--ltl", P + " U " + Q, both_have, oracle.inevitable_until(ps, qs));
  const auto step = oracle.implies(ps, oracle.both(qs, oracle.all_next(ps)));
  add("--ltl", P + " -> (" + Q + " && X " + P + ")", guarded_has, step);
  add("--ctl", "AG " + P, p_has, always);
  add("--ctl", "EF " + P, p_has, oracle.possible(ps));
  add("--ctl", "AG (" + P + " -> AF " + Q + ")", both_have, response);
  add("--ctl", "AG EF " + P, p_has, oracle.always(oracle.possible(ps)));
  add("--ctl", "E(" + P + " U " + Q + ")", both_have, oracle.possible_until(ps, qs));
  add("--ctl", P + " -> (" + Q + " && AX " + P + ")", guarded_has, step);
  return all;
}

/// Properties given by options are called "ltl", "ltl-2", and so on.
void expect_verdicts(const std::vector<Question>& questions, const json& answer, bool may_be_unknown) {
  std::map<std::string, json> answers;
  for (const json& property : answer["properties"]) answers[property["name"]] = property;
  std::map<std::string, int> numbers;
  for (const Question& question : questions) {
    const std::string kind = question.option.substr(2);
    const int number = ++numbers[kind];
    const std::string name = number == 1 ? kind : kind + "-" + std::to_string(number);
    ASSERT_TRUE(answers.contains(name)) << name;
    const json& property = answers[name];
    const bool of_states = kind == "invariant" || kind == "reach";
    if (may_be_unknown && of_states && property["verdict"] == "unknown") continue;
    EXPECT_EQ(property["verdict"].get<std::string>(), question.holds ? "holds" : "violated")
        << name << " " << question.formula << "\n"
        << property["reason"];
  }
}

/// x counts from 0 to 5.
constexpr const char* counting_model = R"(byte x = 0;
byte a[3];
process P { state s; init s; trans s -> s { guard x < 5; effect x = x + 1; }; }
)";

std::string counter_model(const std::string& system = "system async;\n") {
  return counting_model + system;
}

TEST(Values, TheRunToTheStateIsTheEvidence) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter_model()), file = folder.path("t.json");
  for (const std::vector<std::string>& property :
       {std::vector<std::string>{"--invariant", "x / (x - 2) < 100"},
        {"--reach", "x / (x - 2) == 0"},
        {"--ltl", "F \"x / (x - 2) == 0\""},
        {"--ctl", "EF \"x / (x - 2) == 0\""},
        {"--invariant", "a[x + 1] == 0"}}) {
    SCOPED_TRACE(property[1]);
    const bool division = property[1].find('/') != std::string::npos;
    const std::string what = division ? "division by zero" : "array index out of bounds";
    Result r =
        run({"check", model, property[0], property[1], "--trace", file, "--junit", folder.path("j.xml")});
    EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
    EXPECT_TRUE(has(r.out, "\n  the property has no value in a reachable state: " + what + "\n")) << r.out;
    EXPECT_TRUE(has(r.out, "counterexample of 2 steps")) << r.out;
    EXPECT_TRUE(has(r.out, "the property has no value here: ")) << r.out;
    EXPECT_TRUE(has(folder.read("j.xml"), "violated, expected holds: the property has no value"))
        << folder.read("j.xml");
    const json meta = json::parse(folder.read("t.json"))["#meta"];
    EXPECT_EQ(meta["no_value"]["error"], what);
    r = run({"trace", file});
    EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
    EXPECT_TRUE(has(r.out, "the property has no value here: ")) << r.out;
    // Nothing of this needs the run.
    r = run({"check", model, property[0], property[1], "--no-trace"});
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_TRUE(has(r.out, "the property has no value in a reachable state: " + what)) << r.out;
    EXPECT_EQ(run({"check", model, property[0], property[1], "--quiet"}).exit_code, 1);
  }
  // A run to a state where the property has a value shows nothing.
  ASSERT_EQ(run({"check", model, "--reach", "6 / (x - 2) == 6", "--trace", file}).exit_code, 1);
  std::string edited = folder.read("t.json");
  edited.replace(edited.find("(x - 2) == 6"), 12, "(x - 4) == 6");
  const Result r = run({"trace", folder.write("edited.json", edited)});
  EXPECT_EQ(r.exit_code, 1) << r.out;
  EXPECT_TRUE(has(r.out, "has a value in the last state")) << r.out;
}

TEST(Values, GuardsProtectInEveryLogic) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter_model());
  const std::string text = "x == 2 || 10 / (x - 2) < 20";
  const Result r =
      run({"check", model, "--invariant", text, "--ltl", "G (\"x == 2\" || \"10 / (x - 2) < 20\")", "--ltl",
           "G (\"x != 2\" -> (\"10 / (x - 2) < 20\" && F \"x == 5\"))", "--ctl",
           "AG (\"x != 2\" -> \"10 / (x - 2) < 20\")", "--reach", "x != 2 && 10 / (x - 2) == 10"});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_FALSE(has(r.out, "no value")) << r.out;
}

TEST(Values, StepsThatAreNeverEnabledLeaveAnAtomItsValue) {
  const Folder folder;
  const std::string model = folder.write("m.dve", R"(byte arr[2]; byte a;
process P { byte i = 0; state s; init s; trans s -> s { guard a == 2; effect i = 1; }; }
process Q { byte j; state s, t; init s; trans t -> t { guard a > 0; effect j = 1; }, t -> s { effect a = a - 1; }; }
system async;
)");
  for (const std::string engine : {"scc", "symbolic"}) {
    const Result r = run({"check", model, "--engine", engine, "--ltl", "G \"arr[P->i] == 0\""});
    EXPECT_EQ(r.exit_code, 0) << engine << r.out << r.err;
  }
}

TEST(Values, AnAtomWithoutAValueSomewhereIsNotTheSameEverywhere) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter_model());
  for (const char* engine : {"bfs", "sweep"}) {
    const Result r = run({"check", model, "--invariant", "x == 2 || x / (x - 2) < 100", "--engine", engine});
    EXPECT_EQ(r.exit_code, 0) << r.out;
    EXPECT_FALSE(has(r.err, "in every reachable state")) << r.err;
  }
  for (const char* engine : {"ctl", "sweep", "symbolic"})
    EXPECT_FALSE(has(
        run({"check", model, "--ctl", "AG (\"x == 2\" || \"x / (x - 2) < 100\")", "--engine", engine}).err,
        "in every reachable state"))
        << engine;
}

TEST(Values, AWitnessIsNotEnoughWhenValuesMayBeMissing) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter_model());
  Result r =
      run({"check", model, "--reach", "x != 4 && 10 / (x - 4) == 0 - 2", "--engine", "bfs", "--depth", "2"});
  EXPECT_EQ(r.exit_code, 3) << r.out;
  EXPECT_TRUE(
      has(r.out,
          "a state where it is true was found, but in others it may have no value: depth bound of 2 reached"))
      << r.out;
  // What the types rule out is not looked for.
  r = run({"check", model, "--reach", "10 / (x + 1) == 10", "--engine", "bfs", "--depth", "2"});
  EXPECT_EQ(r.exit_code, 0) << r.out;
}

TEST(Values, PropertyProcessesFollowTheRule) {
  const Folder folder;
  const std::string model = folder.write(
      "m.dve", counter_model("process L { state q, bad; init q; accept bad;\n"
                             "  trans q -> q {}, q -> bad { guard 6 / (x - 2) == 100; }, bad -> bad {}; }\n"
                             "system async property L;\n"));
  for (const std::string engine : {"auto", "scc", "ndfs", "owcty", "sweep", "symbolic"}) {
    const Result r = run({"check", model, "--engine", engine, "--trace", folder.path("t.json")});
    EXPECT_EQ(r.exit_code, 1) << engine << r.out << r.err;
    EXPECT_TRUE(has(r.out, "L: violated")) << engine << r.out;
    EXPECT_TRUE(has(r.out, "counterexample of 2 steps")) << engine << r.out;
    EXPECT_EQ(run({"trace", folder.path("t.json")}).exit_code, 0) << engine;
  }
}

TEST(Values, EveryEngineFollowsOneRule) {
  const Folder folder;
  for (std::uint32_t seed = 0; seed < 25 && !testing::Test::HasFailure(); ++seed) {
    Generator random(seed);
    const RandomGraph graph = random.graph();
    const auto asked = questions(random, graph);
    const std::string model = folder.write("m.dve", dve(graph));
    for (const std::string engine :
         {"auto", "portfolio", "bfs", "dfs", "cache", "bitstate", "walk", "sweep", "scc", "ndfs", "cndfs",
          "map", "owcty", "owcty-map", "ctl", "symbolic"}) {
      SCOPED_TRACE(engine + " on seed " + std::to_string(seed) + "\n" + dve(graph));
      std::vector<std::string> arguments{"check", model, "--engine", engine, "--json", "-"};
      for (const Question& question : asked)
        arguments.insert(arguments.end(), {question.option, question.formula});
      const Result r = run(arguments);
      ASSERT_TRUE(r.exit_code == 0 || r.exit_code == 1 || r.exit_code == 3) << r.exit_code << r.err;
      expect_verdicts(asked, json::parse(r.out), engine == "bitstate" || engine == "walk");
    }
  }
}

}  // namespace
}  // namespace tideline::test
