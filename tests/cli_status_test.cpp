// --status: what programs are told while a run works.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <sstream>
#include <utility>

#include "program.hpp"
#include "schema.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;
using Strings = std::vector<std::string>;

/// The objects on stderr, of which each is a line. Everything else goes to `rest`.
std::vector<json> objects_in(const std::string& err, std::string* rest = nullptr) {
  std::vector<json> objects;
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('{')) {
      if (rest) *rest += line + "\n";
      continue;
    }
    objects.push_back(json::parse(line));
    EXPECT_EQ(schema_errors(objects.back(), "tideline-status"), "") << line;
  }
  return objects;
}

/// The phases that have ended: "searching bfs".
Strings phases_in(const std::vector<json>& objects) {
  Strings phases;
  for (const json& object : objects) {
    if (!object["ended"]) continue;
    phases.push_back(object["phase"].get<std::string>() +
                     (object.contains("engine") ? " " + object["engine"].get<std::string>() : ""));
  }
  return phases;
}

Result run_with_status(Strings arguments) {
  arguments.insert(arguments.end(), {"--quiet", "--status", "json"});
  return run(arguments);
}

class StatusObjects : public testing::Test {
 protected:
  std::vector<json> objects_of(const Strings& arguments) {
    const Result r = run_with_status(arguments);
    std::string rest;
    auto objects = objects_in(r.err, &rest);
    EXPECT_EQ(rest, "") << "a quiet run says nothing else";
    return objects;
  }

  /// The object with which the last search ends.
  json last_search(const Strings& arguments) {
    json last;
    for (const json& object : objects_of(arguments))
      if (object["ended"] && object["phase"].get<std::string>().starts_with("searching")) last = object;
    return last;
  }

  Folder folder_;
  std::string model_ = folder_.write("m.dve", peterson);
  const std::string reading_ = "reading the model", preparing_ = "preparing the search",
                    measuring_ = "looking for a progress measure", answering_ = "writing the answer";
};

TEST_F(StatusObjects, NameThePhasesOfEveryCommand) {
  const std::string answer = folder_.path("a.json");
  const std::vector<std::pair<Strings, Strings>> cases = {
      {{"check", model_, "--deadlock", "--engine", "bfs"},
       {reading_, preparing_, "searching bfs", answering_}},
      {{"check", model_, "--deadlock", "--engine", "dfs"},
       {reading_, preparing_, "searching dfs", answering_}},
      {{"check", model_, "--deadlock", "--engine", "bitstate"},
       {reading_, preparing_, "searching bitstate", answering_}},
      {{"check", model_, "--deadlock", "--engine", "symbolic"},
       {reading_, preparing_, "searching symbolic", answering_}},
      {{"check", model_, "--deadlock", "--engine", "sweep"},
       {reading_, preparing_, measuring_, "searching sweep", answering_}},
      {{"check", model_, "--deadlock"},
       {reading_, preparing_, "searching bfs", "searching auto", answering_}},
      {{"check", model_, "--deadlock", "--ltl", "G F P_0.CS", "--ctl", "AG EF P_0.CS", "--engine", "sweep",
        "--json", answer},
       {reading_, preparing_, measuring_, "searching sweep", "searching for cycles sweep",
        "evaluating formulas sweep", "building the run", "shortening the run", answering_}},
      {{"check", model_, "--ltl", "G F P_0.CS", "--engine", "owcty", "--threads", "2", "--no-shorten"},
       {reading_, preparing_, "searching for cycles owcty", "building the run", answering_}},
      {{"check", model_, "--reach", "P_0.CS", "--engine", "bfs"},
       {reading_, preparing_, "searching bfs", "building the run", answering_}},
      {{"check", model_, "--reach", "P_0.CS", "--engine", "dfs", "--json", answer},
       {reading_, preparing_, "searching dfs", "building the run", "shortening the run", answering_}},
      {{"check", model_, "--reach", "P_0.CS", "--engine", "dfs"},  // nobody sees the run
       {reading_, preparing_, "searching dfs", "building the run", answering_}},
      {{"explore", model_}, {reading_, preparing_, "searching bfs", "searching auto"}},
      {{"explore", model_, "--engine", "sweep"}, {reading_, preparing_, measuring_, "searching sweep"}},
      {{"explore", model_, "--ltl", "G F P_0.CS", "--product"}, {reading_, preparing_, "searching bfs"}},
      {{"explore", model_, "--dot", folder_.path("g.dot")},
       {reading_, preparing_, "searching bfs", "writing the graph"}},
      {{"progress", model_}, {reading_, measuring_}},
      {{"progress", model_, "--progress", "turn", "--measure", "1"},
       {reading_, measuring_, "searching sweep"}},
      {{"explain-por", model_}, {reading_, "comparing actions"}},
  };
  for (const auto& [arguments, phases] : cases) {
    std::string command;
    for (const std::string& argument : arguments) command += argument + " ";
    EXPECT_EQ(phases_in(objects_of(arguments)), phases) << command;
  }
}

TEST_F(StatusObjects, EndASearchWithItsTotals) {
  for (const std::string engine : {"bfs", "dfs", "symbolic", "sweep", "auto"}) {
    const json last = last_search({"check", model_, "--deadlock", "--engine", engine});
    EXPECT_EQ(last["states"], 20) << engine;
    EXPECT_EQ(last["engine"], engine);
    EXPECT_EQ(last.contains("nodes"), engine == "symbolic") << engine;
  }
  const json product = last_search({"check", model_, "--ltl", "G F P_0.CS", "--engine", "scc"});
  EXPECT_GT(product["states"], 0);
  EXPECT_GT(product["transitions"], 0);
}

TEST_F(StatusObjects, LeaveStdoutToTheAnswer) {
  const Result r = run({"check", model_, "--deadlock", "--json", "-", "--status", "json"});
  EXPECT_EQ(schema_errors(json::parse(r.out)), "");
  std::string rest;
  EXPECT_EQ(phases_in(objects_in(r.err, &rest)).size(), 5u);
  EXPECT_TRUE(has(rest, "note: ")) << "as without them";
}

TEST_F(StatusObjects, EndTheLastPhaseWhenALimitDoes) {
  const std::string many = folder_.write("many.dve", endless);
  for (const std::string engine : {"bfs", "sweep", "auto"}) {
    const Result r =
        run_with_status({"check", many, "--deadlock", "--por=off", "--engine", engine, "--time", "1ms"});
    EXPECT_EQ(r.exit_code, 3) << r.out;
    const auto objects = objects_in(r.err);
    ASSERT_FALSE(objects.empty());
    EXPECT_EQ(objects.back()["ended"], true) << objects.back();
  }
}

TEST_F(StatusObjects, FollowAResumedRun) {
  const std::string many = folder_.write("many.dve", mixed_up), saved = folder_.path("saved");
  run({"check", many, "--deadlock", "--engine", "sweep", "--progress", "a", "--checkpoint", saved, "--time",
       "1ms"});
  const Result r = run_with_status({"resume", saved, "--time", "1ms"});
  EXPECT_EQ(r.exit_code, 3) << r.out << r.err;
  const Strings phases = phases_in(objects_in(r.err));
  ASSERT_FALSE(phases.empty()) << r.err;
  EXPECT_EQ(phases.front(), reading_);
}

TEST_F(StatusObjects, TellTheStagesOfTheContest) {
  std::filesystem::create_directory(folder_.path("net"));
  folder_.write("net/model.pnml", R"(<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
  <net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
    <place id="p"><initialMarking><text>1</text></initialMarking></place><place id="q"/>
    <transition id="t"/>
    <arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/>
  </page></net></pnml>)");
  const auto phases = phases_in(objects_of({"mcc", folder_.path("net"), "StateSpace"}));
  ASSERT_GE(phases.size(), 2u);
  EXPECT_EQ(phases[0], reading_);
  EXPECT_EQ(phases[1], "searching decision diagrams");
}

TEST(Status, ObjectsAppearWhileTheRunWorks) {
  if (!terminals_available()) GTEST_SKIP() << "there are no pseudo-terminals";
  const Folder folder;
  OnTerminal program({"check", folder.write("m.dve", endless), "--deadlock", "--por=off", "--engine", "bfs",
                      "--quiet", "--status", "json"});
  ASSERT_TRUE(program.wait_for(R"("phase":"searching","ended":false)"));
  program.send(SIGINT);
  const Result r = program.finish();
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_FALSE(has(r.err, "\x1b")) << "a terminal gets the same objects";
  bool rises = false;
  std::uint64_t before = 0;
  for (const json& object : objects_in(r.err))
    if (object["phase"] == "searching") {
      rises = object["states"] > before && object["transitions"] > 0;
      before = object["states"];
    }
  EXPECT_TRUE(rises) << r.err;
}

TEST(Status, TheFormThatIsAskedForWinsOverQuiet) {
  if (!terminals_available()) GTEST_SKIP() << "there are no pseudo-terminals";
  const Folder folder;
  OnTerminal program({"check", folder.write("m.dve", endless), "--por=off", "--quiet", "--status", "line"});
  EXPECT_TRUE(program.wait_for(" states, "));
  program.send(SIGINT);
  EXPECT_EQ(program.finish().exit_code, 3);
}

TEST(Status, EveryPhaseHasABeginning) {
  const Folder folder;
  const auto objects =
      objects_in(run_with_status({"check", folder.write("m.dve", peterson), "--engine", "bfs"}).err);
  ASSERT_GE(objects.size(), 2u);
  for (std::size_t i = 0; i < objects.size(); ++i)
    if (objects[i]["ended"]) {
      ASSERT_GT(i, 0u);
      EXPECT_EQ(objects[i - 1]["phase"], objects[i]["phase"]);
      EXPECT_EQ(objects[i - 1]["ended"], false);
    }
}

TEST(Status, TheLineNamesThePhaseAndTheEngineAndFitsTheWindow) {
  if (!terminals_available()) GTEST_SKIP() << "there are no pseudo-terminals";
  const Folder folder;
  const Strings arguments{"check", folder.write("m.dve", endless), "--deadlock", "--por=off", "--engine",
                          "bfs"};
  OnTerminal program(arguments, {.width = 60});
  ASSERT_TRUE(program.wait_for("\rexploring (bfs): "));
  ASSERT_TRUE(program.wait_for(" states, "));
  program.resize(30);
  ASSERT_TRUE(program.wait_for("\rexploring (bfs): 1")) << "it goes on";
  program.send(SIGINT);
  const Result r = program.finish();
  EXPECT_EQ(r.exit_code, 3);
  for (std::size_t at = r.err.find('\r'); at != std::string::npos; at = r.err.find('\r', at + 1)) {
    const std::size_t end = r.err.find_first_of("\r\n\x1b", at + 1);
    EXPECT_LT(end - at - 1, 60u);
  }
}

TEST(Status, ADumbTerminalHasNoLine) {
  if (!terminals_available()) GTEST_SKIP() << "there are no pseudo-terminals";
  const Folder folder;
  OnTerminal program({"check", folder.write("m.dve", endless), "--deadlock", "--por=off", "--time", "600ms"},
                     {.environment = {"TERM=dumb"}});
  EXPECT_FALSE(has(program.finish().err, "\x1b"));
}

TEST(Status, IsToldOnDemandWhateverItsForm) {
  if (!terminals_available()) GTEST_SKIP() << "there are no pseudo-terminals";
  const Folder folder;
  const std::string model = folder.write("m.dve", endless);
  for (const std::string form : {"none", "json", "line"}) {
    OnTerminal program({"check", model, "--invariant", "true", "--por=off", "--engine", "walk", "--walks",
                        "1000000000", "--status", form, "--fair", "none"});
    ASSERT_TRUE(program.wait_for("--fair has no effect")) << "the run has begun";
    program.send(SIGUSR1);
    ASSERT_TRUE(program.wait_for(" MiB, ")) << form;
    program.send(SIGINT);
    EXPECT_EQ(program.finish().exit_code, 3) << "it went on";
  }
}

TEST(Status, CommandsWithoutOneIgnoreTheRequest) {
  if (!terminals_available()) GTEST_SKIP() << "there are no pseudo-terminals";
  const Folder folder;
  OnTerminal program({"simulate", folder.write("m.dve", endless), "--random", "--steps", "1000000000"},
                     {.with_stdout = true});
  ASSERT_TRUE(program.wait_for("  1  "));
  program.send(SIGUSR1);
  program.send(SIGINT);
  EXPECT_EQ(program.finish().exit_code, 3);
}

TEST(Status, OtherFormsAreRefused) {
  const Folder folder;
  const Result r = run({"check", folder.write("m.dve", peterson), "--status", "jsn"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "--status: 'jsn' is not one of line, json, none; did you mean 'json'?")) << r.err;
}

}  // namespace
}  // namespace tideline::test
