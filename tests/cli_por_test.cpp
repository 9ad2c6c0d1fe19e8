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
      {"bfs"}, {"bfs", "--threads", "2"}, {"dfs"}, {"cache"}, {"sweep", "--progress", "A.x"}};
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

TEST(PartialOrder, HasNoEffectOnInfiniteRunsAndSaysSo) {
  const Folder folder;
  const std::string model = folder.write("m.dve", workers);
  const Result result = run({"check", model, "--ltl", "F Last.t", "--engine", "scc", "--por"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(has(result.err, "--por")) << result.err;
}

}  // namespace
}  // namespace tideline::test
