// tideline explain-por: what keeps steps from being left out, for people and for programs.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"
#include "schema.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

/// A and B want the lock, Counter is on its own and may count past the range of x.
const std::string lockers = R"(byte lock;
process A { state out, in; init out;
  trans out -> in { guard lock == 0; effect lock = 1; }, in -> out { effect lock = 0; }; }
process B { state out, in; init out;
  trans out -> in { guard lock == 0; effect lock = 2; }, in -> out { effect lock = 0; }; }
process Counter { byte x; state s; init s; trans s -> s { effect x = x + 1; }; }
system async;
)";

json explanation_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "explain-por");
  arguments.insert(arguments.end(), {"--json", "-"});
  const Result r = run(arguments);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const json answer = json::parse(r.out);
  EXPECT_EQ(schema_errors(answer, "tideline-explain-por"), "");
  return answer;
}

TEST(ExplainPor, SaysWhoIsInWhoseWayAndOverWhat) {
  const Folder folder;
  const json answer = explanation_of({folder.write("m.dve", lockers)});
  EXPECT_EQ(answer["properties"], json::array({"deadlock"}));
  EXPECT_EQ(answer["actions"], 5);
  EXPECT_EQ(answer["processes"], 3);
  EXPECT_LT(answer["needed_in_sample"], 1);
  EXPECT_EQ(answer["pairs"], 8);  // 2 * 2 of A and B, 4 * 1 of these and Counter
  ASSERT_EQ(answer["between"].size(), 1U) << answer;
  const json& row = answer["between"][0];
  EXPECT_EQ(row["processes"], json::array({"A", "B"}));
  EXPECT_GT(row["conflicts"], 0);
  EXPECT_EQ(row["waits"], 2);  // each for the other to leave
  EXPECT_EQ(row["pairs"], 4);
  EXPECT_EQ(row["over"], json::array({"lock"}));
  ASSERT_EQ(answer["slots"].size(), 1U) << answer;
  EXPECT_EQ(answer["slots"][0]["readers"], 2);
  EXPECT_EQ(answer["slots"][0]["writers"], 4);
  EXPECT_EQ(answer["failing"], json::array({"Counter: s -> s"}));
  EXPECT_FALSE(answer.contains("visible"));
  EXPECT_FALSE(answer.contains("details"));
}

TEST(ExplainPor, DependsOnTheProperty) {
  const Folder folder;
  const std::string model = folder.write("m.dve", lockers);
  const json both_moves_of_a = json::array({"A: out -> in", "A: in -> out"});
  for (const std::vector<std::string>& property :
       {std::vector<std::string>{"--invariant", "not A.in"}, {"--reach", "A.in"}, {"--ltl", "G !A.in"}}) {
    const json answer = explanation_of({model, property[0], property[1]});
    EXPECT_EQ(answer["visible"], both_moves_of_a) << property[0];
    EXPECT_TRUE(answer.contains("leading_back")) << property[0];
    for (const json& label : answer["leading_back"])
      EXPECT_FALSE(label.get<std::string>().starts_with("A")) << property[0];
  }
  // The model's own property process is taken where there is one and nothing else is asked for.
  const std::string own = folder.write("own.dve", lockers.substr(0, lockers.find("system")) + R"(
process Never { state q0, q1; init q0; accept q1; trans q0 -> q1 { guard A.in; }, q1 -> q1 {}; }
system async property Never;
)");
  EXPECT_EQ(explanation_of({own})["visible"], both_moves_of_a);
  EXPECT_FALSE(explanation_of({own, "--deadlock"}).contains("visible"));
}

TEST(ExplainPor, LooksAtSomeProcessesAndAtEachAction) {
  const Folder folder;
  const std::string model = folder.write("m.dve", lockers);
  EXPECT_TRUE(explanation_of({model, "--process", "Counter"})["between"].empty());
  EXPECT_EQ(explanation_of({model, "--process", "Counter", "--process", "A"})["between"].size(), 1U);
  EXPECT_TRUE(explanation_of({model, "--process", "A"})["failing"].empty());

  const json details = explanation_of({model, "--process", "A", "--actions"})["details"];
  ASSERT_EQ(details.size(), 2U);
  EXPECT_EQ(details[0]["action"], "A: out -> in");
  const json over_lock = json::array({"lock"});
  EXPECT_EQ(details[0]["waits_for"], json::array({{{"action", "B: in -> out"}, {"over", over_lock}}}));
  EXPECT_TRUE(details[1]["waits_for"].empty());
  const Result r = run({"explain-por", model, "--process", "A", "--actions"});
  EXPECT_TRUE(has(r.out, "\nA: out -> in\n  in conflict with B: out -> in   over lock\n")) << r.out;
  EXPECT_TRUE(has(r.out, "\n  waits for B: in -> out   over lock\n")) << r.out;
}

TEST(ExplainPor, TextForPeople) {
  const Folder folder;
  const Result r = run({"explain-por", folder.write("m.dve", lockers), "--invariant", "not A.in"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(r.err, "");
  EXPECT_TRUE(r.out.starts_with("5 actions, 3 processes; property: invariant\n")) << r.out;
  EXPECT_TRUE(has(r.out, "% of the steps in a sample of states are needed\n")) << r.out;
  EXPECT_TRUE(has(r.out, "\n  neither: 2 pairs of processes\n")) << r.out;
  EXPECT_TRUE(has(r.out, "\nVisible: 2 of 5 actions (")) << r.out;
  EXPECT_TRUE(has(r.out, "\nMay end in a model error: 1 of 5 actions (")) << r.out;
  std::istringstream lines(r.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(ExplainPor, SaysWhenNothingIsLeftOut) {
  const Folder folder;
  const Result r = run({"explain-por", folder.write("m.dve", R"(byte x;
process A { state s; init s; trans s -> s { effect x = 1 - x; }; }
process B { state s; init s; trans s -> s { effect x = 1 - x; }; }
system async;
)")});
  EXPECT_TRUE(has(r.out, "every step is needed in a sample of states: nothing is left out\n")) << r.out;
  EXPECT_TRUE(has(r.out, "In conflict with nearly all other processes' actions\n  1 of 1  A: s -> s\n"))
      << r.out;
}

TEST(ExplainPor, NetsHavePlaces) {
  const Folder folder;
  const std::string net = folder.write("n.pnml", R"(<?xml version="1.0"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">
<place id="p"><initialMarking><text>1</text></initialMarking></place><place id="q"/>
<transition id="left"/><transition id="right"/>
<arc id="a" source="p" target="left"/><arc id="b" source="p" target="right"/>
<arc id="c" source="left" target="q"/><arc id="d" source="right" target="q"/>
</page></net></pnml>
)");
  const json answer = explanation_of({net});
  EXPECT_EQ(answer["processes"], 0);
  EXPECT_TRUE(answer["between"].empty());
  ASSERT_EQ(answer["slots"].size(), 1U) << answer;
  EXPECT_EQ(answer["slots"][0]["names"], json::array({"p"}));
  EXPECT_EQ(answer["conflicts"], 1);
  EXPECT_EQ(answer["pairs"], 1);
  const Result r = run({"explain-por", net});
  EXPECT_TRUE(r.out.starts_with("2 actions; property: deadlock\n")) << r.out;
  EXPECT_TRUE(has(r.out, "\nPlaces in most conflicts\n")) << r.out;
  EXPECT_FALSE(has(r.out, "Between processes")) << r.out;
  EXPECT_TRUE(has(run({"explain-por", net, "--process", "left"}).err, "the model has no processes"));
}

TEST(ExplainPor, RefusesWhatItCannotExplain) {
  const Folder folder;
  const std::string model = folder.write("m.dve", lockers);
  folder.write("m.props", "property leave ctl AG EF A.out\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--process", "D"}, "--process: the model has no process 'D' (it has A, B, Counter)"},
      {{"--process", "Countr"}, "did you mean 'Counter'?"},
      {{"--property", "nope"}, "the model has no property 'nope'"},
      {{"--property", "leave"}, "property leave is searched without reduction: CTL"},
      {{"--ltl", "G !A.in", "--deadlock"},
       "property ltl is about infinite runs: give no other one beside it"},
      {{"--invariant", "A.inn"}, "--invariant:1"},
      {{"--threads", "2"}, "unknown option '--threads'"}};
  for (const auto& [options, part] : cases) {
    std::vector<std::string> arguments{"explain-por", model};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Result r = run(arguments);
    EXPECT_EQ(r.exit_code, 2) << part;
    EXPECT_EQ(r.out, "");
    EXPECT_TRUE(has(r.err, part)) << r.err;
  }
}

}  // namespace
}  // namespace tideline::test
