// Networks of processes through the command line: sizes of our models, runs, graphs written and read back.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "program.hpp"

namespace tideline::test {
namespace {

std::string model_text(const std::string& name) {
  std::ifstream file(std::string(TIDELINE_DOCS) + "/../models/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::uint64_t states_of(const std::string& model, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"explore", model, "--quiet", "--json", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Result r = run(arguments);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  return nlohmann::json::parse(r.out)["statistics"]["states"];
}

// The sizes that Kristensen and Mailund print for their three examples.
TEST(Processes, SizesOfTheExamples) {
  const Folder folder;
  const auto with = [&](const std::string& name, const std::string& from, const std::string& to) {
    std::string text = model_text(name);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << name;
    text.replace(at, from.size(), to);
    return folder.write(name, text);
  };
  for (const auto& [jobs, states] : {std::pair("20", 126'976U), {"24", 159'744U}, {"40", 290'816U}})
    EXPECT_EQ(states_of(with("master_slave.psl", "Jobs = 20", std::string("Jobs = ") + jobs)), states);
  for (const auto& [voters, states] : {std::pair("6", 18'478U), {"7", 87'475U}, {"8", 420'988U}})
    EXPECT_EQ(states_of(with("two_phase_commit.psl", "N = 6", std::string("N = ") + voters)), states);
  for (const auto& [numbers, states] :
       {std::pair("20", 3'640U), {"30", 5'460U}, {"40", 7'280U}, {"50", 9'100U}})
    EXPECT_EQ(states_of(with("stop_and_wait_channels.psl", "K = 20", std::string("K = ") + numbers)), states);
}

TEST(Processes, EveryEngineAgrees) {
  const Folder folder;
  const std::string model = folder.write("mesi.psl", model_text("mesi.psl"));
  EXPECT_EQ(states_of(model), 18'541U);
  EXPECT_EQ(states_of(model, {"--engine", "dfs"}), 18'541U);
  EXPECT_EQ(states_of(model, {"--threads", "2"}), 18'541U);
  EXPECT_EQ(states_of(model, {"--engine", "sweep"}), 18'541U);
}

constexpr const char* lamp = R"(
process Lamp { Off(n: 0..1 = 0) = press -> On(n); On(n: 0..1) = press -> Off(1 - n) | tau -> Off(n); }
process User { Rest = press -> look -> Rest; }
system = (Lamp || User) hide {look};
)";

TEST(Processes, RunsShowWhoMoves) {
  const Folder folder;
  const std::string model = folder.write("lamp.psl", lamp), trace = folder.path("t.json");
  const Result r = run({"check", model, "--reach", "Lamp.Off(1) && User.Rest", "--trace", trace});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(has(r.out,
                  "  0  initial state\n       Lamp at Off(0)\n       User at Rest\n"
                  "  1  press    Lamp: Off(0) -> On(0), User: Rest -> Rest.1\n"
                  "  2  tau      User: Rest.1 -> Rest\n"
                  "  3  press    Lamp: On(0) -> Off(1), User: Rest -> Rest.1\n"
                  "  4  tau      User: Rest.1 -> Rest\n"))
      << r.out;
  EXPECT_EQ(run({"trace", trace, "--model", model}).exit_code, 0);
  EXPECT_EQ(run({"check", model, "--ltl", "G F Lamp.On"}).exit_code, 0);
  EXPECT_EQ(run({"check", model, "--ctl", "AG EF \"Lamp.On(1)\""}).exit_code, 0);
  EXPECT_EQ(run({"check", model, "--invariant", "Lamp.n + 1 == 1"}).exit_code, 1);
}

TEST(Processes, TheSimulatorDistinguishesActionsOfOneLabel) {
  const Folder folder;
  const Result r = run({"simulate", folder.write("lamp.psl", lamp)}, {.input = "1\nq\n"});
  EXPECT_TRUE(has(r.out, "    1)  press    Lamp: Off(0) -> On(0), User: Rest -> Rest.1\n")) << r.out;
  EXPECT_TRUE(has(r.out, ")  tau    Lamp: On(0) -> Off(0)\n")) << r.out;
  EXPECT_TRUE(has(r.out, ")  tau    User: Rest.1 -> Rest\n")) << r.out;
}

TEST(Processes, GraphsAreWrittenAndReadBack) {
  const Folder folder;
  const std::string model = folder.write("lamp.psl", lamp), graph = folder.path("g.aut");
  ASSERT_EQ(run({"explore", model, "--aut", graph, "--internal", "i", "--quiet"}).exit_code, 0);
  EXPECT_TRUE(has(folder.read("g.aut"), "(0, \"press\", 1)\n")) << folder.read("g.aut");
  EXPECT_TRUE(has(folder.read("g.aut"), ", \"i\", ")) << folder.read("g.aut");
  EXPECT_EQ(states_of(graph), states_of(model));
  EXPECT_EQ(run({"check", graph, "--reach", "g.s3"}).exit_code, 0);
  const std::string net =
      folder.write("two.net", "component A \"g.aut\"\ncomponent B \"g.aut\" minimised\nparallel\n");
  EXPECT_EQ(run({"explore", net, "--internal", "i"}).exit_code, 0);
  EXPECT_EQ(run({"explore", net, "--internal", ""}).exit_code, 2);
}

TEST(Processes, MistakesArePointedAt) {
  const Folder folder;
  Result r = run({"explore", folder.write("a.psl", "process P { A = a -> B; }\nsystem = P;")});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "a.psl:1:22: error: process 'P' has no state 'B'\n")) << r.err;
  EXPECT_TRUE(has(r.err, "       |                      ^")) << r.err;
  r = run({"explore", folder.write("b.aut", "des (0, 1, 1)\n(0, a, 1)\n")});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "b.aut:2:8: error: states are numbered 0 to 0\n")) << r.err;
  r = run({"explore", folder.write("c.net", "component P \"none.aut\"\n")});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "cannot read")) << r.err;
  r = run({"explore", folder.write("d.txt", "")});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "cannot tell the language of")) << r.err;
}

}  // namespace
}  // namespace tideline::test
