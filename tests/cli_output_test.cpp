// What programs and terminals see: JSON against its schema, JUnit, limits, signals, the status line.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "schema.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

json answer_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = arguments;
  all.insert(all.end(), {"--json", "-"});
  const Result r = run(all);
  json answer = json::parse(r.out, nullptr, false);
  EXPECT_FALSE(answer.is_discarded()) << r.out << r.err;
  EXPECT_EQ(answer["exit_code"], r.exit_code);
  return answer;
}

TEST(Json, OfAReducedNet) {
  const std::string model = std::string(TIDELINE_DOCS) + "/../models/philosophers.pnml";
  const json answer = answer_of({"check", model, "--deadlock", "--ltl", "G F \"Eats > 0\"", "--reduce-net"});
  EXPECT_EQ(schema_errors(answer), "");
  EXPECT_EQ(answer["statistics"]["given_places"], 24);
}

TEST(Json, OnlyWorkOfSeveralSearchesIsAddedUp) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  const json whole = answer_of({"explore", model})["statistics"];
  const json answer = answer_of({"check", model, "--engine", "sweep", "--progress", "turn", "--deadlock",
                                 "--ltl", "G F P_0.CS", "--ctl", "AG EF P_0.CS"});
  EXPECT_EQ(schema_errors(answer), "");
  const json &searches = answer["searches"], &all = answer["statistics"];
  ASSERT_EQ(searches.size(), 3U);
  EXPECT_EQ(searches[0]["properties"], (json{"deadlock", "model-errors"}));
  EXPECT_EQ(searches[1]["properties"], json{"ltl"});
  for (const json& search : searches) {
    EXPECT_TRUE(search["statistics"].contains("visited"));
    EXPECT_GE(all["threads"], search["statistics"]["threads"]);
    EXPECT_GE(all["time_s"], search["statistics"]["time_s"]);
  }
  for (const char* name : {"visited", "stored_peak", "sweeps", "layers", "expansions", "product_transitions"})
    EXPECT_FALSE(all.contains(name)) << name;

  const json symbolic =
      answer_of({"check", model, "--engine", "symbolic", "--deadlock", "--ltl", "G F P_0.CS"});
  EXPECT_EQ(schema_errors(symbolic), "");
  ASSERT_EQ(symbolic["searches"].size(), 2U);
  std::uint64_t lookups = 0;
  for (const json& search : symbolic["searches"])
    lookups += search["statistics"]["cache_lookups"].get<std::uint64_t>();
  EXPECT_EQ(symbolic["statistics"]["cache_lookups"], lookups) << "work can be added up";

  const json several = answer_of({"check", model, "--deadlock", "--invariant", "P_0.CS || !P_0.CS", "--ltl",
                                  "G F P_0.CS", "--ctl", "AG EF P_0.CS"});
  EXPECT_EQ(schema_errors(several), "");
  EXPECT_EQ(several["searches"].size(), 3U);
  for (const char* name : {"states", "transitions", "deadlocks"})
    EXPECT_EQ(several["statistics"][name], whole[name]) << "of the model, not of its searches: " << name;

  // When no search has visited all states, their number is unknown.
  const json partly =
      answer_of({"check", model, "--invariant", "!P_0.want", "--engine", "bfs", "--ltl", "G !P_0.want"});
  EXPECT_EQ(partly["searches"].size(), 2U);
  EXPECT_FALSE(partly["statistics"].contains("states"));
}

TEST(Text, EverySearchHasALineOfItsOwn) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  const Result r = run({"check", model, "--deadlock", "--ltl", "G F P_0.CS", "--ctl", "AG EF P_0.CS"});
  EXPECT_TRUE(has(r.out, "\nbfs for deadlock, model-errors: 20 states, 34 transitions,")) << r.out;
  EXPECT_TRUE(has(r.out, "\nscc for ltl: ")) << r.out;
  EXPECT_TRUE(has(r.out, "\nctl for ctl: 20 states, 34 transitions, ")) << r.out;
  EXPECT_TRUE(has(r.out, "\nall together: ")) << r.out;
}

TEST(Json, AnUnfinishedSweepDoesNotKnowHowManyStatesThereAre) {
  const Folder folder;
  const json answer = answer_of({"check", folder.write("m.dve", endless), "--deadlock", "--engine", "sweep",
                                 "--progress", "0", "--time", "1", "--quiet"});
  ASSERT_EQ(answer["complete"], false);
  EXPECT_EQ(schema_errors(answer), "");
  EXPECT_TRUE(answer["statistics"].contains("stored_peak"));
  EXPECT_FALSE(answer["statistics"].contains("states")) << "more are stored than were visited";
}

TEST(Json, SymbolicAnswersFitTheSchema) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  EXPECT_EQ(schema_errors(answer_of({"check", model, "--engine", "symbolic", "--deadlock"})), "");
  EXPECT_EQ(schema_errors(answer_of({"check", model, "--engine", "symbolic", "--ctl", "AG EF true"})), "");
  EXPECT_EQ(schema_errors(answer_of({"explore", model, "--engine", "symbolic"})), "");
  EXPECT_EQ(schema_errors(answer_of({"check", model, "--engine", "symbolic", "--ltl", "G F P_0.CS"})), "");
  std::string many = "system async;\n";
  for (int i = 0; i < 70; ++i)
    many = "process S" + std::to_string(i) +
           " { state off, on; init off; trans off -> on {}, on -> off {}; }\n" + many;
  const json large = answer_of({"explore", folder.write("large.dve", many), "--engine", "symbolic"});
  EXPECT_EQ(schema_errors(large), "");
  EXPECT_TRUE(large["statistics"]["states"].is_string());
}

TEST(Json, TimeForTheMeasureIsPartOfTheTime) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"check", model, "--deadlock"}, {"explore", model}}) {
    std::vector<std::string> sweep = command;
    sweep.insert(sweep.end(), {"--engine", "sweep"});
    const json with = answer_of(sweep)["statistics"];
    EXPECT_GT(with["measure_time_s"], 0);
    EXPECT_LT(with["measure_time_s"], with["time_s"]);
    EXPECT_FALSE(answer_of(command)["statistics"].contains("measure_time_s"));
  }
}

TEST(Json, RealAnswersFollowTheSchema) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson), bad = folder.write("o.dve", overflow),
                    dead = folder.write("s.dve", stuck), huge = folder.write("h.dve", endless);
  // A property process that moves along with the system.
  std::string with_process = stuck;
  with_process.replace(with_process.find("system async;"), 13,
                       "process Never {\n  state q;\n  init q;\n  accept q;\n  trans q -> q {};\n}\n"
                       "system async property Never;");
  const std::string product = folder.write("p.dve", with_process);
  const std::string unbounded =
      folder.write("u.pnml",
                   "<pnml><net id='n' type='ptnet'><page id='g'><place id='y'/><transition id='t'/>"
                   "<arc id='a' source='t' target='y'/></page></net></pnml>");
  const std::vector<std::vector<std::string>> commands{
      {"check", model},
      {"check", model, "--all"},
      {"check", model, "--deadlock", "--engine", "dfs"},
      {"check", model, "--deadlock", "--engine", "bitstate", "--bits", "20"},
      {"check", model, "--deadlock", "--engine", "walk", "--walks", "2"},
      {"check", bad},
      {"check", bad, "--model-errors", "divine", "--deadlock"},
      {"check", dead, "--no-trace"},
      {"check", huge, "--time", "0.05s"},
      {"explore", model, "--levels"},
      {"explore", dead, "--engine", "dfs"},
      {"explore", huge, "--memory", "16M"},
      {"explore", unbounded},
      {"check", unbounded, "--deadlock", "--engine", "symbolic"},
      {"explore", product, "--product"},
      {"explore", product, "--product", "--threads", "2"},
      {"explore", huge, "--memory", "16M", "--threads", "2"},
      {"check", product},
      {"check", model, "--deadlock", "--ltl", "GF P_0.CS", "--ltl", "G !P_0.CS", "--threads", "2"},
      {"check", model, "--ltl", "GF P_0.CS", "--fair", "weak", "--shortest"},
      {"check", huge, "--ltl", "GF true", "--engine", "owcty", "--threads", "2", "--time", "0.05s"},
      {"check", model, "--deadlock", "--ctl", "AG EF P_0.CS", "--ctl", "AG AF P_0.CS", "--deadlock-paths",
       "maximal"},
      {"check", huge, "--ctl", "AG EF true", "--time", "0.05s"},
      {"check", model, "--deadlock", "--engine", "sweep", "--progress", "P_0"},
      {"check", model, "--ltl", "GF P_0.CS", "--ltl", "G !P_0.CS", "--engine", "sweep", "--progress", "P_0"},
      {"check", model, "--ctl", "AG EF P_0.CS", "--engine", "sweep", "--progress", "P_0"},
      {"check", huge, "--deadlock", "--engine", "sweep", "--progress", "0", "--time", "0.05s"},
      {"explore", model, "--engine", "sweep", "--progress", "P_0", "--threads", "2"},
      {"explore", product, "--product", "--engine", "sweep"},
      {"check", product, "--engine", "cndfs"},
      {"check", product, "--engine", "map"}};
  for (const auto& command : commands)
    EXPECT_EQ(schema_errors(answer_of(command)), "") << command[1] << command.size();
}

TEST(Json, BrokenAnswersFailTheSchema) {
  const Folder folder;
  const json good = answer_of({"check", folder.write("o.dve", overflow)});
  ASSERT_EQ(schema_errors(good), "");
  for (const auto& [key, value] : good.items()) {
    json broken = good;
    broken.erase(key);
    EXPECT_NE(schema_errors(broken), "") << "without " << key;
    broken = good;
    broken[key] = json::object({{"x", nullptr}});
    EXPECT_NE(schema_errors(broken), "") << "mistyped " << key;
  }
  const auto broken_at = [&](const char* pointer, const json& value) {
    json broken = good;
    broken[json::json_pointer(pointer)] = value;
    return schema_errors(broken);
  };
  EXPECT_NE(broken_at("/extra", 1), "");
  EXPECT_NE(broken_at("/properties/0/verdict", "maybe"), "");
  EXPECT_NE(broken_at("/properties/0/expected", "holds"), "");
  EXPECT_NE(broken_at("/properties/1/trace/length", "3"), "");
  EXPECT_NE(broken_at("/properties/1/trace/states/0/x", 1.5), "");
  EXPECT_NE(broken_at("/properties/1/trace/states", json::array()), "");
  EXPECT_NE(broken_at("/properties/1/trace/failure/line", -1), "");
  EXPECT_NE(broken_at("/statistics/states", -1), "");
  EXPECT_NE(broken_at("/exit_code", 2), "");
}

TEST(Json, FileAndTextTogether) {
  const Folder folder;
  const Result r = run({"check", folder.write("m.dve", stuck), "--deadlock", "--reach", "x == 5", "--json",
                        folder.path("a.json")});
  EXPECT_TRUE(has(r.out, "deadlock: violated")) << r.out;
  const json answer = json::parse(folder.read("a.json"));
  EXPECT_EQ(answer["properties"][0]["trace"]["length"], 1);
  EXPECT_EQ(answer["properties"][0]["trace"]["states"][1]["x"], 7);
  EXPECT_EQ(answer["never_enabled"], json::array({"P: t -> s"}));
  EXPECT_EQ(answer["statistics"]["states"], 2);
}

TEST(Cards, SeveralVisitWhatOneSearchDoes) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  const json alone = answer_of({"explore", model, "--engine", "bfs", "--quiet"});
  const json spread =
      answer_of({"explore", model, "--engine", "gpu", "--device", "cpu", "--cards", "3", "--quiet"});
  EXPECT_EQ(spread["statistics"]["cards"], 3);
  for (const char* figure : {"states", "transitions", "levels"})
    EXPECT_EQ(spread["statistics"][figure], alone["statistics"][figure]) << figure;
  const json swept =
      answer_of({"explore", model, "--engine", "sweep", "--device", "cpu", "--cards", "2", "--quiet"});
  EXPECT_EQ(swept["statistics"]["cards"], 2);
  EXPECT_EQ(swept["statistics"]["states"], alone["statistics"]["states"]);
  const json lasso = answer_of({"check", model, "--ltl", "G F \"P_0.CS\"", "--engine", "owcty", "--device",
                                "cpu", "--cards", "2", "--quiet"});
  EXPECT_EQ(lasso["properties"][0]["verdict"], "violated");
  EXPECT_EQ(run({"explore", model, "--engine", "gpu", "--device", "cpu", "--cards", "17"}).exit_code, 2);
  EXPECT_TRUE(has(run({"explore", model, "--engine", "bfs", "--cards", "2"}).err, "--cards has no effect"));
}

TEST(Junit, CountsFailuresAgainstExpectations) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  EXPECT_EQ(run({"check", model, "--all", "--junit", folder.path("j.xml")}).exit_code, 0);
  EXPECT_TRUE(has(folder.read("j.xml"), "tests=\"5\" failures=\"0\" errors=\"0\"")) << folder.read("j.xml");
  run({"check", model, "--invariant", "!P_0.CS", "--deadlock", "--depth", "4", "--junit",
       folder.path("j.xml")});
  const std::string xml = folder.read("j.xml");
  EXPECT_TRUE(has(xml, "failures=\"1\" errors=\"")) << xml;
  EXPECT_TRUE(has(xml, "<failure message=\"violated, expected holds\" type=\"invariant\">")) << xml;
  EXPECT_TRUE(has(xml, "<error message=\"unknown, expected holds: depth bound")) << xml;
}

TEST(Limits, TimeAndMemoryEndInUnknownWithStatistics) {
  const Folder folder;
  const std::string model = folder.write("m.dve", endless);
  const std::vector<std::pair<std::vector<std::string>, std::string>> limits{
      {{"--time", "0.05s"}, "time limit of 0.05 s reached"},
      {{"--memory", "16M"}, "memory limit of 16.0 MiB reached"}};
  for (const auto& [option, reason] : limits)
    for (const std::string command : {"check", "explore"}) {
      std::vector<std::string> arguments{command, model, "--por=off"};
      if (command == "check") arguments.insert(arguments.end(), {"--invariant", "a < 256"});
      arguments.insert(arguments.end(), option.begin(), option.end());
      const Result r = run(arguments);
      EXPECT_EQ(r.exit_code, 3) << r.err;
      EXPECT_TRUE(has(r.out + r.err, reason)) << r.out << r.err;
      EXPECT_TRUE(has(r.out, "state")) << r.out;
      EXPECT_TRUE(has(r.out, "transition")) << r.out;
    }
}

Result run_in_96_mb(const std::vector<std::string>& arguments) {
  return run(arguments, {.in_child = [] {
               const rlimit limit{96 << 20, 96 << 20};
               ::setrlimit(RLIMIT_AS, &limit);
             }});
}

TEST(Limits, MemoryOfTheMachineIsALimitToo) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need a large address space";
#endif
  const Folder folder;
  const std::string model = folder.write("m.dve", endless);
  const Result r = run_in_96_mb({"check", model, "--por=off", "--engine", "bfs"});
  EXPECT_EQ(r.exit_code, 3) << r.err;
  EXPECT_TRUE(has(r.out + r.err, "out of memory")) << r.out << r.err;
  const Result threads = run_in_96_mb({"check", model, "--por=off", "--engine", "bfs", "--threads", "2"});
  EXPECT_EQ(threads.exit_code, 3) << threads.err;
  EXPECT_TRUE(has(threads.out, "deadlock: unknown")) << threads.out << threads.err;
}

TEST(Signals, InterruptEndsWithStatistics) {
  if (!terminals_available()) GTEST_SKIP() << "there are no pseudo-terminals";
  const Folder folder;
  const std::string model = folder.write("m.dve", endless);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    OnTerminal program({"check", model, "--por=off", "--json", folder.path("a.json")});
    ASSERT_TRUE(program.wait_for(" states, ")) << "no status line";
    program.send(signal);
    const Result r = program.finish();
    EXPECT_EQ(r.exit_code, 3);
    EXPECT_TRUE(has(r.out, "deadlock: unknown  (deadlock)\n  interrupted\n")) << r.out;
    EXPECT_TRUE(has(r.out, "(not complete)")) << r.out;
    EXPECT_EQ(schema_errors(json::parse(folder.read("a.json"))), "");
  }
}

// As nohup starts programs.
TEST(Signals, AHangupThatIsIgnoredStaysIgnored) {
  if (!terminals_available()) GTEST_SKIP() << "there are no pseudo-terminals";
  const Folder folder;
  const std::string model = folder.write("m.dve", endless);
  const auto before = std::signal(SIGHUP, SIG_IGN);
  OnTerminal program({"check", model, "--invariant", "a < 256", "--por=off", "--time", "1s"});
  std::signal(SIGHUP, before);
  ASSERT_TRUE(program.wait_for(" states, ")) << "no status line";
  program.send(SIGHUP);
  const Result r = program.finish();
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_TRUE(has(r.out, "time limit of 1 s reached")) << r.out;
}

TEST(Signals, TheAnswerIsWrittenToItsFileWhenTheTerminalIsGone) {
  if (!terminals_available()) GTEST_SKIP() << "there are no pseudo-terminals";
  const Folder folder;
  RunOptions gone;
  gone.in_child = [] {
    int terminal = -1, side = -1;
    if (::openpty(&terminal, &side, nullptr, nullptr, nullptr) != 0) ::_exit(1);
    ::dup2(side, STDOUT_FILENO);
    ::close(side);
    ::close(terminal);
  };
  const Result r =
      run({"check", folder.write("m.dve", peterson), "--deadlock", "--json", folder.path("a.json")}, gone);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(schema_errors(json::parse(folder.read("a.json"))), "");
}

TEST(Progress, IsErasedOnATerminalAndAbsentElsewhere) {
  if (!terminals_available()) GTEST_SKIP() << "there are no pseudo-terminals";
  const Folder folder;
  const std::string model = folder.write("m.dve", endless);
  OnTerminal program({"explore", model, "--time", "0.6s"});
  EXPECT_TRUE(program.wait_for(" states, "));
  const Result r = program.finish();
  const auto last = r.err.rfind("\r\x1b[K");
  ASSERT_NE(last, std::string::npos);
  EXPECT_GT(last, r.err.rfind(" states, "));
  const Result piped = run({"explore", model, "--time", "0.6s"});
  EXPECT_FALSE(has(piped.err, "frontier")) << piped.err;
  OnTerminal quiet({"explore", model, "--time", "0.6s", "--quiet"});
  EXPECT_EQ(quiet.finish().err, "");
  OnTerminal none({"explore", model, "--time", "0.6s", "--status", "none"});
  EXPECT_FALSE(has(none.finish().err, "frontier"));
}

TEST(Stdout, AReaderThatLeavesIsNotAnError) {
  const Folder folder;
  const std::string model = folder.write("m.dve", stuck);
  const Result r = run({"check", model, "--deadlock", "--quiet"}, {.in_child = [] {
                         int ends[2];
                         if (::pipe(ends) != 0) ::_exit(99);
                         ::close(ends[0]);
                         ::dup2(ends[1], 1);
                       }});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.err, "");
}

TEST(Stdout, FullDiskIsAnError) {
  const Folder folder;
  const Result r = run({"check", folder.write("m.dve", stuck), "--quiet"}, {.stdout_path = "/dev/full"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_EQ(r.err, "error: cannot write to standard output: No space left on device\n");
}

TEST(Stdout, ATraceThatDoesNotFitIsNotLeftHalfWritten) {
  const Folder folder;
  const std::string model = folder.write("m.dve", overflow);
  const Result r = run({"check", model, "--trace", folder.path("t.json")}, {.in_child = [] {
                         const rlimit limit{100, 100};
                         ::setrlimit(RLIMIT_FSIZE, &limit);
                       }});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "cannot write")) << r.err;
  EXPECT_EQ(folder.files(), std::vector<std::string>{"m.dve"});
}

TEST(Limits, HoldWhereAStateHasManySuccessors) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  // A hundred senders and a hundred receivers on one channel: ten thousand successors, each a long state.
  const Folder folder;
  std::string text = "channel c;\n";
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    text += "process S" + n +
            " { byte a[20]; byte k; state s; init s; trans s -> s { sync c!; effect k = k + 1, a[k % 20] = "
            "k; }; }\n";
    text += "process R" + n +
            " { byte k; state s; init s; trans s -> s { sync c?; effect k = (k + 1) % 200; }; }\n";
  }
  const std::string model = folder.write("m.dve", text + "system async;\n");
  for (const std::string engine : {"bfs", "dfs"}) {
    const json answer = answer_of({"explore", model, "--engine", engine, "--memory", "100M"});
    EXPECT_EQ(answer["exit_code"], 3) << engine;
    EXPECT_LT(answer["statistics"]["peak_rss_bytes"], 200'000'000) << engine;
  }
}

TEST(Stdout, ASimulationEndsWhenItsReaderLeaves) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  // The shell's exit code is that of head; a simulation that continued would never let it return.
  const std::string command = std::string(TIDELINE_PROGRAM) + " simulate '" + model +
                              "' --random --steps 100000000000 | head -n 2 > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace tideline::test
