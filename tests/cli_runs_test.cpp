// tideline check --explain and --runs, and tideline trace --explain.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "program.hpp"
#include "schema.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

/// Two processes add 1 to a counter, each in two steps; a third one is idle.
const std::string losing_update = R"(byte count = 0;
byte idle = 0;
process C { state a; init a; trans a -> a { guard idle < 20; effect idle = idle + 1; }; }
process A { byte seen; state start, read, done; init start;
  trans start -> read { effect seen = count; }, read -> done { effect count = seen + 1; }; }
process B { byte seen; state start, read, done; init start;
  trans start -> read { effect seen = count; }, read -> done { effect count = seen + 1; }; }
system async;
)";
const std::string both_counted = "!(A.done && B.done) || count == 2";

json explained_answer(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "check");
  arguments.insert(arguments.end(), {"--json", "-"});
  const Result r = run(arguments);
  const json answer = json::parse(r.out);
  EXPECT_EQ(schema_errors(answer, "tideline-answer"), "");
  return answer;
}

TEST(CliExplain, ShortensARunAndSaysWhatMatters) {
  const Folder folder;
  const std::string model = folder.write("m.dve", losing_update);
  const std::string file = folder.path("t.json");
  const json answer = explained_answer(
      {model, "--invariant", both_counted, "--engine", "dfs", "--no-shorten", "--explain", "--trace", file});
  const json& property = answer["properties"][0];
  const json& explanation = property["explanation"];
  EXPECT_EQ(property["trace"]["length"], 4);
  EXPECT_EQ(explanation["length_before"], 24);
  EXPECT_EQ(explanation["order"].size(), 4U);
  const json variables = explanation["variables"];
  EXPECT_NE(std::find(variables.begin(), variables.end(), "count"), variables.end());
  EXPECT_EQ(std::find(variables.begin(), variables.end(), "idle"), variables.end());
  EXPECT_EQ(variables.size(), explanation["slots"].size());
  EXPECT_NE(explanation["text"].get<std::string>().find("before step"), std::string::npos) << explanation;
  // What is saved is the run that is explained.
  const Result saved = run({"trace", file});
  EXPECT_EQ(saved.exit_code, 0) << saved.err;
  EXPECT_NE(saved.out.find("replays: 4 steps"), std::string::npos) << saved.out;
}

TEST(CliExplain, SavedRunsAreExplained) {
  const Folder folder;
  const std::string model = folder.write("m.dve", losing_update);
  const std::string file = folder.path("t.json");
  run({"check", model, "--invariant", both_counted, "--engine", "dfs", "--trace", file});
  const Result r = run({"trace", file, "--explain"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_NE(r.out.find("variables that matter: count"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(" *  4    "), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("idle"), std::string::npos) << r.out;
  EXPECT_NE(run({"trace", file, "--explain", "--full"}).out.find("idle = 0"), std::string::npos);
}

TEST(CliExplain, OfCtlTheAnswerSaysThatItIsNotExplained) {
  const Folder folder;
  const json answer =
      explained_answer({folder.write("m.dve", losing_update), "--ctl", "EF A.done", "--explain"});
  const json& property = answer["properties"][0];
  EXPECT_FALSE(property.contains("explanation"));
  EXPECT_NE(property["reason"].get<std::string>().find("is not explained"), std::string::npos) << property;
}

TEST(CliExplain, WhatHoldsHasNothingToExplain) {
  const Folder folder;
  const Result r =
      run({"check", folder.write("m.dve", losing_update), "--invariant", "count < 3", "--explain"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out.find("matter"), std::string::npos) << r.out;
}

TEST(CliExplain, InfiniteRunsAndModelErrors) {
  const Folder folder;
  const std::string model = folder.write("m.dve", losing_update);
  const json lasso = explained_answer({model, "--ltl", "F \"count == 2\"", "--explain"})["properties"][0];
  EXPECT_EQ(lasso["verdict"], "violated");
  EXPECT_NE(lasso["explanation"]["text"].get<std::string>().find("is never true"), std::string::npos)
      << lasso["explanation"];
  const std::string fails = folder.write("f.dve", R"(byte x = 250; byte y;
process P { state a, b; init a; trans a -> b { effect y = 9; }, b -> b { effect x = x + y; }; }
system async;
)");
  const json error = explained_answer({fails, "--invariant", "x < 256", "--explain"})["properties"].back();
  EXPECT_EQ(error["kind"], "model-error");
  EXPECT_EQ(error["explanation"]["steps"], json::array({1, 2}));
  EXPECT_NE(error["explanation"]["text"].get<std::string>().find("y = 9 since step 1"), std::string::npos)
      << error["explanation"];
}

const std::string ten_values = R"(byte x = 0;
process P { state a; init a; trans a -> a { guard x < 9; effect x = x + 1; }; }
process Q { state a, b; init a; trans a -> b { guard x > 3; }; }
system async;
)";

TEST(CliRuns, LeadToDifferentStates) {
  const Folder folder;
  const std::string model = folder.write("m.dve", ten_values);
  for (const std::vector<std::string>& engine :
       std::vector<std::vector<std::string>>{{},
                                             {"--engine", "bfs", "--threads", "2"},
                                             {"--engine", "dfs"},
                                             {"--engine", "sweep", "--progress", "x"},
                                             {"--engine", "walk"}}) {
    std::vector<std::string> arguments{model, "--invariant", "x < 5", "--runs", "3", "--explain"};
    arguments.insert(arguments.end(), engine.begin(), engine.end());
    const json property = explained_answer(arguments)["properties"][0];
    ASSERT_EQ(property["traces"].size(), 2U) << property;
    EXPECT_EQ(property["explanations"].size(), 2U);
    std::set<int> values{property["trace"]["states"].back()["x"].get<int>()};
    for (const json& trace : property["traces"]) values.insert(trace["states"].back()["x"].get<int>());
    EXPECT_EQ(values.size(), 3U) << property;
  }
}

TEST(CliRuns, AreNumberedAndWrittenToFilesOfTheirOwn) {
  const Folder folder;
  const std::string model = folder.write("m.dve", ten_values);
  const Result r =
      run({"check", model, "--invariant", "x < 8", "--runs", "4", "--trace", folder.path("t.itf.json")});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_NE(r.out.find("2 of 4 runs found, and there are no others"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("counterexample 2 of 2, of 9 steps"), std::string::npos) << r.out;
  for (const char* name : {"t-invariant.itf.json", "t-invariant-2.itf.json"})
    EXPECT_EQ(run({"trace", folder.path(name)}).exit_code, 0) << name;
}

TEST(CliRuns, AreRefusedWhereThereIsOnlyOne) {
  const Folder folder;
  const std::string model = folder.write("m.dve", ten_values);
  const auto refusal = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"check", model, "--runs", "2"});
    const Result r = run(arguments);
    EXPECT_EQ(r.exit_code, 2) << r.out;
    return r.err;
  };
  EXPECT_NE(refusal({"--ltl", "F \"x == 9\""}).find("several runs are found of properties of states only"),
            std::string::npos);
  EXPECT_NE(refusal({"--invariant", "x < 5", "--engine", "symbolic"}).find("engine symbolic finds one run"),
            std::string::npos);
  EXPECT_NE(refusal({"--invariant", "x < 5", "--no-trace"}).find("--runs needs runs"), std::string::npos);
  EXPECT_EQ(run({"check", model, "--invariant", "x < 5", "--runs", "0"}).exit_code, 2);
  const Result both = run({"check", model, "--invariant", "x < 5", "--ltl", "F \"x == 9\"", "--runs", "2"});
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_NE(both.err.find("one run of ltl"), std::string::npos) << both.err;
}

}  // namespace
}  // namespace tideline::test
