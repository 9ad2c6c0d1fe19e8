// Partial order reduction through the command line: the same answers, fewer states, runs of the model.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

/// Three processes that count to two on their own, and one that waits for all of them.
const std::string workers = [] {
  std::string text = "byte done;\n";
  for (const char* name : {"A", "B", "C"})
    text += std::string("process ") + name +
            " { byte x; state s, t; init s; trans s -> s { guard x < 2; effect x = x + 1; },"
            " s -> t { guard x == 2; effect done = done + 1; }; }\n";
  return text + "process Last { state s, t; init s; trans s -> t { guard done == 3; }; }\nsystem async;\n";
}();

json checked(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "-"});
  const Result result = run(arguments);
  EXPECT_LT(result.exit_code, 2) << result.err;
  return json::parse(result.out);
}

TEST(PartialOrder, EveryEngineThatVisitsStatesTakesIt) {
  const Folder folder;
  const std::string model = folder.write("m.dve", workers), trace = folder.path("run.itf.json");
  const std::vector<std::vector<std::string>> searches{
      {"bfs"},   {"bfs", "--threads", "2"},     {"bfs", "--store", "disk"}, {"dfs"},
      {"cache"}, {"sweep", "--progress", "A.x"}};
  for (const auto& search : searches) {
    std::vector<std::string> arguments{"check",   model, "--invariant", "A.x < 3",
                                       "--reach", "A.t", "--engine"};
    arguments.insert(arguments.end(), search.begin(), search.end());
    const json whole = checked(arguments);
    arguments.push_back("--por");
    const json reduced = checked(arguments);
    ASSERT_EQ(reduced["properties"].size(), whole["properties"].size()) << search[0];
    for (std::size_t i = 0; i < whole["properties"].size(); ++i)
      EXPECT_EQ(reduced["properties"][i]["verdict"], whole["properties"][i]["verdict"]) << search[0];
    EXPECT_LT(reduced["statistics"]["transitions"], whole["statistics"]["transitions"]) << search[0];
    EXPECT_EQ(reduced["statistics"].contains("reduced_states"), search[0] != "sweep") << search[0];
    arguments.insert(arguments.end(), {"--trace", trace});
    run(arguments);
    EXPECT_EQ(run({"trace", trace, "--model", model}).exit_code, 0) << search[0];
  }
}

TEST(PartialOrder, KeepsDeadlocksWhenStatesAreCounted) {
  const Folder folder;
  const std::string model = folder.write("m.dve", workers);
  const json whole = checked({"explore", model, "--engine", "bfs"});
  const json reduced = checked({"explore", model, "--engine", "bfs", "--por"});
  EXPECT_EQ(reduced["statistics"]["deadlocks"], whole["statistics"]["deadlocks"]);
  EXPECT_LT(reduced["statistics"]["states"], whole["statistics"]["states"]);
  EXPECT_TRUE(reduced["never_enabled"].empty());  // it does not know
}

TEST(PartialOrder, EveryEngineForInfiniteRunsTakesIt) {
  const Folder folder;
  const std::string model = folder.write("m.dve", workers), trace = folder.path("run.itf.json");
  const std::vector<std::vector<std::string>> searches{{"scc"},
                                                       {"ndfs"},
                                                       {"cndfs", "--threads", "2"},
                                                       {"map", "--threads", "2"},
                                                       {"owcty"},
                                                       {"owcty-map", "--threads", "2"},
                                                       {"sweep", "--progress", "A.x"}};
  for (const std::string formula : {"F Last.t", "F G A.s"})
    for (const auto& search : searches) {
      std::vector<std::string> arguments{"check", model, "--ltl", formula, "--engine"};
      arguments.insert(arguments.end(), search.begin(), search.end());
      const json whole = checked(arguments);
      arguments.push_back("--por");
      const json reduced = checked(arguments);
      const auto verdict = whole["properties"][0]["verdict"];
      EXPECT_EQ(verdict, formula == "F Last.t" ? "holds" : "violated");
      EXPECT_EQ(reduced["properties"][0]["verdict"], verdict) << search[0];
      EXPECT_GT(reduced["statistics"]["reduced_expansions"], 0) << search[0];
      if (verdict == "holds") {
        EXPECT_LT(reduced["statistics"]["product_transitions"], whole["statistics"]["product_transitions"])
            << search[0];
        continue;
      }
      arguments.insert(arguments.end(), {"--trace", trace});
      run(arguments);
      EXPECT_EQ(run({"trace", trace, "--model", model}).exit_code, 0) << search[0];
    }
}

TEST(PartialOrder, SaysWhichEnginesDoNotTakeIt) {
  const Folder folder;
  const std::string model = folder.write("m.dve", workers);
  for (const std::string engine : {"walk", "symbolic"}) {
    const Result result = run({"check", model, "--invariant", "A.x < 3", "--engine", engine, "--por"});
    EXPECT_TRUE(has(result.err, "--por has no effect")) << engine << result.err;
    EXPECT_FALSE(has(result.out, "stubborn")) << engine << result.out;
  }
}

/// Processes that go round for ever, each for itself.
std::string loops(int processes) {
  std::string text;
  for (int i = 0; i < processes; ++i)
    text += "process P" + std::to_string(i) +
            " { state s, t, u; init s; trans s -> t {}, t -> u {}, u -> s {}; }\n";
  return text + "system async;\n";
}

TEST(PartialOrder, ShortestLassosAreShortestOfAll) {
  const Folder folder;
  const std::string model = folder.write("m.dve", loops(4));
  const auto length = [&](const std::string& por) {
    const json answer = checked({"check", model, "--ltl", "G F P3.u", "--engine", "scc", "--shortest", por});
    const json& trace = answer["properties"][0]["trace"];
    EXPECT_FALSE(trace.is_null());
    return trace.at("length").get<int>();
  };
  EXPECT_EQ(length("--por"), length("--por=off"));
}

TEST(PartialOrder, SaysWhereItLeavesNothingOut) {
  const Folder folder;
  const std::string model = folder.write("m.dve", workers);
  const auto note = [&](const std::vector<std::string>& question) {
    std::vector<std::string> arguments{"check", model, "--por"};
    arguments.insert(arguments.end(), question.begin(), question.end());
    const Result result = run(arguments);
    EXPECT_LT(result.exit_code, 2) << result.err;
    return result.err;
  };
  const std::string without = "is searched without partial order reduction: ";
  EXPECT_TRUE(has(note({"--ltl", "F (A.t && X A.t)"}), without + "the property sees how often"));
  EXPECT_FALSE(has(note({"--ltl", "F (A.t && X !A.t)"}), without));
  EXPECT_TRUE(has(note({"--ltl", "F A.t", "--fair", "weak"}), without + "fairness"));
  EXPECT_TRUE(has(note({"--ctl", "AF A.t"}), without + "CTL"));
}

TEST(PartialOrder, IsChosenWhereItPays) {
  const Folder folder;
  const std::string small = folder.write("small.dve", loops(3)), large = folder.write("large.dve", loops(30));
  const std::string chosen = "partial order reduction";
  for (const auto& question : std::vector<std::vector<std::string>>{
           {"--invariant", "!(P0.t && P1.t && P2.u)"}, {"--ltl", "G F P0.t"}}) {
    const auto ask = [&](const std::string& model, const std::vector<std::string>& more) {
      std::vector<std::string> arguments{"check", model, "--time", "5s"};
      arguments.insert(arguments.end(), question.begin(), question.end());
      arguments.insert(arguments.end(), more.begin(), more.end());
      return run(arguments);
    };
    EXPECT_FALSE(has(ask(small, {}).err, chosen));
    const Result result = ask(large, {});
    EXPECT_EQ(result.exit_code, 1) << result.out;
    EXPECT_TRUE(has(result.err, chosen)) << result.err;
    EXPECT_FALSE(has(ask(large, {"--por=off"}).err, chosen));
  }
}

TEST(PartialOrder, HasAmpleSetsToo) {
  const Folder folder;
  const std::string model = folder.write("m.dve", loops(5));
  const auto states = [&](const std::string& option) {
    return checked({"check", model, "--deadlock", "--engine", "bfs", option})["statistics"]["states"]
        .get<int>();
  };
  EXPECT_EQ(states("--por=off"), 243);
  EXPECT_LT(states("--por=ample"), 243);
  EXPECT_LE(states("--por=stubborn"), states("--por=ample"));
  const Result result = run({"check", model, "--por=best"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(has(result.err, "stubborn, ample, auto, off")) << result.err;
}

}  // namespace
}  // namespace tideline::test
