// The answers of the commands: verdicts, runs, exit codes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

/// The value of a row "name   value" of a table; empty when there is none.
std::string row(const std::string& table, const std::string& name) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + "  ")) return line.substr(line.rfind(' ') + 1);
  return "";
}

TEST(Help, FitsAScreenAndHasTwoExamples) {
  const std::vector<std::string> commands{"",         "check",       "explore",   "mcc",
                                          "progress", "explain-por", "resume",    "simulate",
                                          "trace",    "report",      "automaton", "engines"};
  for (const std::string& command : commands) {
    std::vector<std::string> arguments;
    if (!command.empty()) arguments.push_back(command);
    arguments.push_back("--help");
    const Result r = run(arguments);
    EXPECT_EQ(r.exit_code, 0);
    EXPECT_EQ(r.err, "");
    std::istringstream lines(r.out);
    std::size_t count = 0, examples = 0;
    bool in_examples = false;
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_LE(line.size(), 80U) << command << ": " << line;
      if (line == "Examples")
        in_examples = true;
      else if (in_examples)
        examples += line.starts_with("  tideline ");
    }
    EXPECT_LE(count, 24U) << command;
    EXPECT_EQ(examples, 2U) << command;
  }
}

TEST(Help, IsACommandToo) {
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  for (const std::string command : {"check", "explore", "mcc", "progress", "explain-por", "resume",
                                    "simulate", "trace", "automaton", "engines"}) {
    const Result r = run({"help", command});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_EQ(r.out, run({command, "--help"}).out);
    EXPECT_TRUE(has(run({"--help"}).out, "\n  " + command + " ")) << command;
  }
  for (const Arguments& arguments : {Arguments{"-h"}, Arguments{"help", "help"}})
    EXPECT_EQ(run(arguments).out, run({"--help"}).out);
  EXPECT_TRUE(has(run({"help", "chekc"}).err, "did you mean 'check'?"));
  EXPECT_EQ(run({"help", "check", "explore"}).exit_code, 2);
}

TEST(Version, HasShortNames) {
  for (const std::string option : {"-v", "-V"}) {
    const Result r = run({option});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_EQ(r.out, run({"--version"}).out);
  }
}

TEST(Version, IsANumber) {
  const Result r = run({"--version"});
  EXPECT_EQ(r.exit_code, 0);
  const std::string number = r.out.substr(0, r.out.find('\n'));
  EXPECT_TRUE(number.starts_with("tideline ")) << r.out;
  EXPECT_EQ(number.find_first_not_of("0123456789.", 9), std::string::npos) << r.out;
  EXPECT_EQ(std::count(number.begin(), number.end(), '.'), 2) << r.out;
}

TEST(Usage, ErrorsAreOneLineWithAHint) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "a command is missing"},
      {{"chekc"}, "unknown command 'chekc'; did you mean 'check'?"},
      {{"hlep"}, "did you mean 'help'?"},
      {{"sim"}, "did you mean 'simulate'?"},
      {{"CHECK"}, "did you mean 'check'?"},
      {{"version"}, "did you mean '--version'?"},
      {{"frobnicate"},
       "check, explore, mcc, progress, explain-por, resume, simulate, trace, report, automaton, engines and "
       "help"},
      {{"--nope"}, "unknown option '--nope'"},
      {{"--verison"}, "unknown option '--verison'; did you mean '--version'?"},
      {{"check"}, "MODEL is required"},
      {{"check", "--nope", "m.dve"}, "unknown option '--nope' (see tideline check --help)"},
      {{"check", "--dedlock"}, "unknown option '--dedlock'; did you mean '--deadlock'?"},
      {{"check", "m.dve", "--dedlock"}, "unknown option '--dedlock'; did you mean '--deadlock'?"},
      {{"check", "m.dve", "--dead"}, "did you mean '--deadlock'?"},
      {{"check", "m.dve", "-deadlock"}, "did you mean '--deadlock'?"},
      {{"explore", "m.dve", "--engin=bfs"}, "unknown option '--engin'; did you mean '--engine'?"},
      {{"mcc", "d", "UpperBounds", "--tmie", "3s"}, "did you mean '--time'?"},
      {{"progress", "m.dve", "--jsn", "-"}, "did you mean '--json'?"},
      {{"explain-por", "m.dve", "--proces", "P"}, "did you mean '--process'?"},
      {{"resume", "d", "--memry", "1G"}, "did you mean '--memory'?"},
      {{"simulate", "m.dve", "--sead", "1"}, "did you mean '--seed'?"},
      {{"simulate", "m.dve", "--ltl", "G p"},
       "unknown option '--ltl'; it is an option of check, explore, progress, explain-por"},
      {{"trace", "t.json", "--modle", "m.dve"}, "did you mean '--model'?"},
      {{"automaton", "G p", "--negat"}, "did you mean '--negate'?"},
      {{"check", "m.dve", "x=1"}, "unexpected argument 'x=1'"},
      {{"check", "m.dve", "--depth"}, "--depth needs a value"},
      {{"check", "m.dve", "--engine", "swep"}, "--engine: 'swep' is not one of auto, portfolio, bfs"},
      {{"check", "m.dve", "--engine", "swep"}, "did you mean 'sweep'?"},
      {{"explore", "m.dve", "--order", "slaon"}, "did you mean 'sloan'?"},
      {{"check", "m.dve", "--engine", "magic"}, "magic"},
      {{"check", "m.dve", "--depth", "-1"}, "--depth"},
      {{"check", "m.dve", "--memory", "lots"}, "'lots' is not a size"},
      {{"check", "m.dve", "--memory", "512"}, "512 B is too little to work with; the smallest limit is 16M"},
      {{"check", "m.dve", "--memory", "0"}, "the smallest limit is 16M"},
      {{"check", "m.dve", "--memory", ""}, "'' is not a size"},
      {{"check", "m.dve", "--time", ""}, "'' is not a duration"},
      {{"check", "m.dve", "--memory", "15m"}, "15.0 MiB is too little"},
      {{"check", "m.dve", "--time", "soon"}, "'soon' is not a duration"},
      {{"check", "m.dve", "--time", "0"}, "'0' is not a duration longer than 0"},
      {{"explore", "m.dve", "--time", "1S", "--memory", "16mb"}, "cannot read"},
      {{"check", "m.dve", "--threads", "0"}, "a number from 1 to 256"},
      {{"check", "m.dve", "--map-values", "4"}, "--map-values: '4' is not a number from 0 to 3"},
      {{"check", "m.dve", "--bits", "x"}, "--bits: 'x' is not a number from 10 to 44"},
      {{"check", "m.dve", "--json", "-", "--junit", "-"}, "only one output"},
      {{"check", "m.dve", "--trace", "t.json", "--no-trace"}, "exclude each other"},
      {{"explore", "m.dve", "--engine", "walk"}, "walk"},
      {{"explore", "m.dve", "--engine", "sweep", "--trace-dir", "d"}, "--trace-dir"},
      {{"explore", "m.dve", "--layers", "l.csv"}, "only engine sweep"},
      {{"progress", "m.dve", "--limit", "0"}, "--limit 0: measures are tried on at least one state"},
      {{"trace"}, "FILE is required"}};
  for (const auto& [arguments, part] : cases) {
    const Result r = run(arguments);
    EXPECT_EQ(r.exit_code, 2) << part;
    EXPECT_EQ(r.out, "");
    EXPECT_TRUE(has(r.err, part)) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
}

TEST(Check, HoldsAndViolatedInOnePass) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  const Result r = run({"check", model, "--deadlock", "--invariant", "!(P_0.CS && P_1.CS)", "--invariant",
                        "!P_1.CS", "--reach", "P_0.wait && P_1.wait"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(has(r.out, "deadlock: holds  (deadlock)\n")) << r.out;
  EXPECT_TRUE(has(r.out, "invariant: holds  (invariant, !(P_0.CS && P_1.CS))\n")) << r.out;
  EXPECT_TRUE(has(r.out, "invariant-2: violated  (invariant, !P_1.CS)\n  counterexample of 3 steps:\n"))
      << r.out;
  EXPECT_TRUE(has(r.out, "  3  P_1: wait -> CS\n")) << r.out;
  EXPECT_TRUE(has(r.out, "reach: holds  (reach, P_0.wait && P_1.wait)\n  witness of 4 steps:\n")) << r.out;
  EXPECT_TRUE(has(r.out, "bfs: 20 states, 34 transitions")) << r.out;
  EXPECT_TRUE(has(r.err, "engine bfs")) << r.err;
}

TEST(Check, ExitCodeFollowsTheWorstVerdict) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  EXPECT_EQ(run({"check", model, "--deadlock"}).exit_code, 0);
  EXPECT_EQ(run({"check", model, "--reach", "P_0.CS && P_1.CS"}).exit_code, 1);
  EXPECT_EQ(run({"check", model, "--deadlock", "--depth", "2"}).exit_code, 3);
  EXPECT_EQ(run({"check", model, "--deadlock", "--invariant", "P_0.NCS", "--depth", "2"}).exit_code, 1);
  EXPECT_EQ(run({"check", model, "--deadlock", "--engine", "dfs"}).exit_code, 0);
  EXPECT_EQ(run({"check", model, "--deadlock", "--engine", "walk", "--walks", "3"}).exit_code, 3);
  EXPECT_EQ(run({"check", model, "--deadlock", "--engine", "bitstate", "--bits", "20"}).exit_code, 3);
  EXPECT_EQ(run({"check", model, "--deadlock", "--engine", "cache", "--cache", "30"}).exit_code, 0);
  const Result small = run({"check", model, "--deadlock", "--engine", "cache", "--cache", "3"});
  EXPECT_EQ(small.exit_code, 3);
  EXPECT_TRUE(has(small.out, "all 3 states of the cache are on the stack")) << small.out;
  EXPECT_EQ(run({"check", model, "--engine", "cache", "--replace", "newest"}).exit_code, 2);
  EXPECT_EQ(run({"check", model, "--reach", "P_0.CS", "--engine", "bitstate", "--bits", "20"}).exit_code, 0);
  const auto by_hashes = run({"check", model, "--deadlock", "--engine", "bfs", "--store", "hash"});
  EXPECT_EQ(by_hashes.exit_code, 3);
  EXPECT_NE(by_hashes.out.find("probability at most"), std::string::npos) << by_hashes.out;
  EXPECT_EQ(run({"check", model, "--reach", "P_0.CS", "--engine", "dfs", "--store", "hash"}).exit_code, 0);
  EXPECT_EQ(run({"check", model, "--deadlock", "--store", "hash"}).exit_code, 2);
  EXPECT_EQ(run({"check", model, "--deadlock", "--engine", "bfs", "--store", "tree"}).exit_code, 0);
}

TEST(Check, NamedPropertiesAndExpectations) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  Result r = run({"check", model, "--all"});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "alone: violated  (invariant, !P_1.CS), as expected\n")) << r.out;

  r = run({"check", model, "--property", "alone"});
  EXPECT_EQ(r.exit_code, 0) << "one rule for --property and --all";
  EXPECT_TRUE(has(r.out, "as expected")) << r.out;
  EXPECT_FALSE(has(r.out, "mutex")) << r.out;

  r = run({"check", model, "--property", "none"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "no property 'none' (it has mutex, alone, together, quiet)")) << r.err;

  std::string wrong = peterson;
  wrong.replace(wrong.find("alone expect violated"), 21, "alone expect holds");
  wrong.replace(wrong.find("mutex expect holds"), 18, "mutex expect violated");
  folder.write("w.dve", wrong);
  r = run({"check", folder.path("w.dve"), "--all"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(has(r.out, "alone: violated  (invariant, !P_1.CS), EXPECTED holds\n")) << r.out;

  // Nothing wrong, but not everything decided.
  EXPECT_EQ(run({"check", model, "--all", "--depth", "3"}).exit_code, 3);
  EXPECT_EQ(run({"check", folder.write("s.dve", stuck), "--all"}).exit_code, 2);
}

TEST(Check, ExitCodeAndJUnitFollowOneRule) {
  const Folder folder;
  std::string wrong = peterson;
  wrong.replace(wrong.find("mutex expect holds"), 18, "mutex expect violated");
  const std::string model = folder.write("m.dve", wrong);
  const auto check = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"check", model, "--quiet", "--junit", folder.path("j.xml")});
    return run(options).exit_code;
  };
  EXPECT_EQ(check({"--property", "alone"}), 0) << "violated, as expected";
  EXPECT_TRUE(has(folder.read("j.xml"), "failures=\"0\" errors=\"0\""));
  EXPECT_EQ(check({"--property", "mutex"}), 1) << "holds, and should not";
  EXPECT_TRUE(has(folder.read("j.xml"), "failures=\"1\" errors=\"0\""));
  EXPECT_EQ(check({"--all"}), 1);
  EXPECT_TRUE(has(folder.read("j.xml"), "failures=\"1\" errors=\"0\""));
  EXPECT_EQ(check({}), 1) << "also when properties come with the model unasked";
  EXPECT_TRUE(has(folder.read("j.xml"), "failures=\"1\" errors=\"0\""));
  EXPECT_EQ(check({"--property", "alone", "--depth", "1"}), 3);
  EXPECT_TRUE(has(folder.read("j.xml"), "failures=\"0\" errors=\"2\"")) << "it and model errors";
}

TEST(Check, PropertyFilesBesideAndNamed) {
  const Folder folder;
  const std::string model = folder.write("m.dve", stuck);
  folder.write("m.props", "property seven expect holds reach x == 7\n");
  folder.write("other.props", "property nine expect holds reach x == 9\n");
  Result r = run({"check", model, "--all"});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "seven: holds")) << r.out;
  r = run({"check", model, "--all", "--properties", folder.path("other.props")});
  EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "nine: violated")) << r.out;
}

TEST(Check, WithoutPropertiesLooksForDeadlocks) {
  const Folder folder;
  const Result r = run({"check", folder.write("m.dve", stuck)});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(has(r.err, "checking freedom from deadlock")) << r.err;
  EXPECT_TRUE(has(r.out, "deadlock: violated  (deadlock)\n  counterexample of 1 step:\n")) << r.out;
}

TEST(Check, SaysWhichActionsAreNeverEnabledAfterACompleteSearch) {
  const Folder folder;
  const Result r = run({"check", folder.write("m.dve", stuck), "--reach", "x == 5"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(has(r.err, "1 action is never enabled:\n    P: t -> s")) << r.err;
  EXPECT_FALSE(has(r.err, "atom")) << "that x is never 5 is what the verdict says: " << r.err;
  const Result both = run({"check", folder.path("m.dve"), "--reach", "x == 5 && P.t"});
  EXPECT_TRUE(has(both.err, "warning: atom `x == 5` of property reach is false in every reachable state"))
      << both.err;
}

TEST(Check, DefaultsAreAssertionsAndNamedProperties) {
  const Folder folder;
  std::string text = stuck;
  text.insert(text.find("  trans"), "  assert t: x == 8;\n");
  const std::string model = folder.write("m.dve", "//@ property five reach x == 5\n" + text);
  const Result r = run({"check", model});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "violated  (assertion, x == 8)")) << r.out;
  EXPECT_TRUE(has(r.out, "five: violated  (reach, x == 5)")) << r.out;
  EXPECT_FALSE(has(r.out, "deadlock:")) << r.out;
}

TEST(Check, ModelErrorsAreViolationsWithTheirPlace) {
  const Folder folder;
  const std::string model = folder.write("m.dve", overflow);
  Result r = run({"check", model, "--deadlock"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(has(r.out, "model-errors: violated  (model-error)\n  counterexample of 3 steps:\n")) << r.out;
  EXPECT_TRUE(has(r.out, "m.dve:6:21: error: value 256 does not fit x (0..255)\n")) << r.out;
  EXPECT_TRUE(has(r.out, "    s -> s { effect x = x + 1; };\n")) << r.out;
  r = run({"check", model, "--reach", "x == 255", "--model-errors", "divine"});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_FALSE(has(r.out, "model-errors")) << r.out;
}

// Model errors must not keep a search going once its questions are answered.
TEST(Check, EndsWhenEverythingAskedIsDecided) {
  const Folder folder;
  const std::string model = folder.write("m.dve", endless);
  Result r = run({"check", model, "--reach", "a == 2"});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_FALSE(has(r.out, "model-errors")) << r.out;
  r = run({"check", model, "--invariant", "a < 2"});
  EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
}

TEST(Check, FullPrintsWholeStatesAndQuietOnlyVerdicts) {
  const Folder folder;
  const std::string model = folder.write("m.dve", stuck);
  EXPECT_TRUE(has(run({"check", model, "--deadlock", "--full"}).out,
                  "  1  P: s -> t\n       x = 7\n       P at t\n"));
  const Result r = run({"check", model, "--deadlock", "--invariant", "x < 8", "--quiet"});
  EXPECT_EQ(r.out,
            "deadlock: violated  (deadlock)\ninvariant: holds  (invariant, x < 8)\nmodel-errors: holds  "
            "(model-error)\n");
  EXPECT_EQ(r.err, "");
  EXPECT_FALSE(has(run({"check", model, "--deadlock", "--no-trace"}).out, "counterexample"));
}

TEST(Explore, CountsAndLevels) {
  const Folder folder;
  const Result r = run({"explore", folder.write("m.dve", peterson), "--levels"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(row(r.out, "states"), "20") << r.out;
  EXPECT_EQ(row(r.out, "transitions"), "34") << r.out;
  EXPECT_EQ(row(r.out, "deadlocks"), "0") << r.out;
  EXPECT_EQ(row(r.out, "levels"), "7") << r.out;
  EXPECT_EQ(row(r.out, "level 1"), "2") << r.out;
}

TEST(Explore, WritesWhatTheLinePasses) {
  const Folder folder;
  const std::string model = folder.write("m.dve", R"(
byte x, y;
process P { state s; init s; trans
  s -> s { guard x < 2; effect x = x + 1; }, s -> s { guard y < 3; effect y = y + 1; },
  s -> s { guard x == 2; effect x = 0; }; }
system async;
)");
  const Result result =
      run({"explore", model, "--engine", "sweep", "--progress", "x", "--quiet", "--layers", "-"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out,
            "sweep,progress,expanded,stored,persistent\n"
            "1,0,4,8,0\n1,1,4,8,0\n1,2,4,8,4\n2,0,4,8,4\n2,1,4,12,4\n2,2,4,8,4\n");
  EXPECT_EQ(run({"explore", model, "--layers", "-"}).exit_code, 2);
}

TEST(Explore, WarnsOfModelErrorsAndActionsThatAreNeverEnabled) {
  const Folder folder;
  Result r = run({"explore", folder.write("m.dve", overflow)});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(has(r.err, "a model error is reachable")) << r.err;
  r = run({"explore", folder.write("s.dve", stuck)});
  EXPECT_TRUE(has(r.err, "1 action is never enabled:\n    P: t -> s")) << r.err;
}

TEST(Explore, WritesGraphsAndRefusesLargeOnes) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  const std::string aut = folder.path("g.aut"), dot = folder.path("g.dot");
  Result r = run({"explore", model, "--aut", aut, "--dot", dot, "--max-states", "20"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(folder.read("g.aut").find("des (0, 34, 20)\n"), 0U);
  EXPECT_TRUE(folder.read("g.dot").starts_with("digraph "));

  const Folder other;
  r = run({"explore", model, "--aut", other.path("g.aut"), "--max-states", "19"});
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_TRUE(has(r.err, "more than 19 states")) << r.err;
  EXPECT_TRUE(other.files().empty());
}

TEST(Trace, ReplaysWhatCheckSaved) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  ASSERT_EQ(run({"check", model, "--invariant", "!P_0.CS", "--trace", folder.path("t.itf.json")}).exit_code,
            1);
  Result r = run({"trace", folder.path("t.itf.json")});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "replays: 3 steps, a run that violates invariant (invariant, !P_0.CS)\n")) << r.out;

  // A model that moved with its trace is found beside it.
  json trace = json::parse(folder.read("t.itf.json"));
  trace["#meta"]["model"] = "/no/such/folder/m.dve";
  r = run({"trace", folder.write("moved.json", trace.dump())});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  trace["#meta"]["model"] = "elsewhere.dve";
  EXPECT_EQ(run({"trace", folder.write("lost.json", trace.dump())}).exit_code, 2);
  EXPECT_EQ(run({"trace", folder.path("lost.json"), "--model", model}).exit_code, 0);
  trace["#meta"].erase("model");
  r = run({"trace", folder.write("none.json", trace.dump())});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "does not name a model")) << r.err;
}

TEST(Trace, SaysWhereItFailsAndWhatIsNotProved) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  run({"check", model, "--invariant", "!P_0.CS", "--trace", folder.path("t.itf.json")});
  const json good = json::parse(folder.read("t.itf.json"));
  json bad = good;
  bad["states"][2]["turn"] = 0;
  Result r = run({"trace", folder.write("bad.json", bad.dump())});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(
      has(r.out,
          "does not replay: step 2: action 'P_0: want -> wait' leads to another state: turn is 1, the "
          "trace says 0\n"))
      << r.out;
  bad = good;
  bad["states"].erase(3);
  r = run({"trace", folder.write("short.json", bad.dump())});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(
      has(r.out,
          "replays: 2 steps, but not a run that violates invariant (invariant, !P_0.CS): !P_0.CS is true "
          "in the last state"))
      << r.out;
}

TEST(Trace, EveryKindOfRunReplays) {
  const Folder folder;
  std::string asserting = stuck;
  asserting.insert(asserting.find("  trans"), "  assert t: x == 8;\n");
  const std::string model = folder.write("m.dve", asserting);
  run({"check", model, "--deadlock", "--reach", "x == 7", "--assertions", "--trace",
       folder.path("t.itf.json")});
  const auto files = folder.files();
  EXPECT_EQ(files.size(), 4U);
  std::size_t traces = 0;
  for (const std::string& file : files) {
    if (!file.ends_with(".itf.json")) continue;
    ++traces;
    const Result r = run({"trace", folder.path(file)});
    EXPECT_EQ(r.exit_code, 0) << file << r.out << r.err;
  }
  EXPECT_EQ(traces, 3U);
  EXPECT_TRUE(std::count(files.begin(), files.end(), "t-deadlock.itf.json"));

  run({"check", folder.write("o.dve", overflow), "--trace", folder.path("o.json")});
  EXPECT_EQ(run({"trace", folder.path("o.json")}).exit_code, 0);
  run({"check", folder.path("o.dve"), "--model-errors", "divine", "--reach", "x == 255", "--trace",
       folder.path("d.json")});
  EXPECT_EQ(run({"trace", folder.path("d.json")}).exit_code, 0);
}

TEST(Check, AStepToTheErrorStateIsShownAsOne) {
  const Folder folder;
  const Result r = run({"check", folder.write("m.dve", overflow), "--model-errors", "divine", "--deadlock"});
  EXPECT_TRUE(has(r.out, "-> <error>")) << r.out;
}

TEST(Check, WarnsOfAtomsThatAreConstantInTheText) {
  const Folder folder;
  const std::string model = folder.write("m.dve", std::string("const byte N = 2;\n") + peterson);
  const Result r = run({"check", model, "--invariant", "N == 2 || P_0.CS"});
  EXPECT_TRUE(has(r.err, "atom `2 == 2` of property invariant is true in every reachable state")) << r.err;
}

}  // namespace
}  // namespace tideline::test
