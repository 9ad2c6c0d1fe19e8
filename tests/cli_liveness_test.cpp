// Infinite runs from the command line: property processes, lassos, and saved traces of them.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>

#include "program.hpp"

namespace tideline::test {
namespace {

/// x counts 0, 1, 2 and then goes round or stops; L accepts runs on which x is 0 only finitely often.
std::string counter(const std::string& at_two) {
  return "byte x; process P { state s; init s; trans s -> s { guard x < 2; effect x = x + 1; }" + at_two +
         "; } process L { state wait, never; init wait; accept never; trans wait -> wait {}, "
         "wait -> never { guard x != 0; }, never -> never { guard x != 0; }; } system async property L;";
}

/// Every way to look for lassos.
const std::vector<std::vector<std::string>> engines{
    {},
    {"--engine", "scc"},
    {"--engine", "ndfs"},
    {"--engine", "cndfs"},
    {"--engine", "map"},
    {"--engine", "owcty"},
    {"--engine", "owcty-map"},
    {"--threads", "2"},
    {"--engine", "cndfs", "--threads", "3"},
    {"--engine", "map", "--threads", "2", "--worker-order", "dfs"},
    {"--engine", "owcty", "--threads", "2"},
    {"--engine", "owcty-map", "--threads", "2", "--map-values", "3", "--map-choice", "largest"},
    {"--engine", "owcty-map", "--map-values", "2", "--map-choice", "masks"},
    {"--engine", "owcty-map", "--map-values", "3", "--map-choice", "paper"},
    {"--engine", "sweep"},
    {"--engine", "sweep", "--threads", "2"},
    {"--engine", "sweep", "--sweep", "paper"},
    {"--engine", "sweep", "--sweep", "paper,offline"},
    {"--engine", "sweep", "--sweep", "paper,prune,order-progress"},
    {"--engine", "ndfs", "--ndfs", "classic", "--regions", "off"},
    {"--engine", "map", "--regions", "off"},
    {"--engine", "sweep", "--sweep", "trimming,no-owners,automaton-first"}};

Result run_with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments);
}

TEST(Liveness, APropertyProcessIsChecked) {
  const Folder folder;
  const std::string good = folder.write("good.dve", counter(", s -> s { guard x == 2; effect x = 0; }"));
  const std::string bad = folder.write("bad.dve", counter(", s -> s { guard x == 2; effect x = 1; }"));
  for (const auto& engine : engines) {
    Result r = run_with({"check", good}, engine);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "L: holds  (automaton)")) << r.out;
    r = run_with({"check", bad}, engine);
    EXPECT_EQ(r.exit_code, 1) << r.err;
    EXPECT_TRUE(has(r.out, "for ever")) << r.out;
  }
}

TEST(Liveness, ADeadlockRepeatsForEver) {
  const Folder folder;
  const Result r = run({"check", folder.write("m.dve", counter(""))});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "(deadlock: the state repeats)")) << r.out;
}

TEST(Liveness, LassosAreSavedAndReplayed) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter("")), file = folder.path("t.itf.json");
  ASSERT_EQ(run({"check", model, "--trace", file}).exit_code, 1);
  Result r = run({"trace", file});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "a run that violates L (automaton)")) << r.out;
  // The same run proves nothing about a model whose property process accepts nothing.
  std::string text = counter("");
  text.replace(text.find("accept never"), 12, "accept genbuchi ()");
  r = run({"trace", file, "--model", folder.write("other.dve", text)});
  EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "the property automaton does not accept it")) << r.out;
}

TEST(Liveness, AnEngineAnswersWhatItCan) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  const std::vector<std::string> asked{
      "--invariant", "!(P_0.CS && P_1.CS)", "--ltl", "G (P_0.wait -> F P_0.CS)", "--ctl", "AG EF P_0.CS"};
  const auto check = [&](const std::string& engine, std::vector<std::string> more) {
    more.insert(more.begin(), {"check", model, "--engine", engine});
    return run(more);
  };
  for (const std::string engine :
       {"bfs", "dfs", "cache", "scc", "ndfs", "owcty", "ctl", "sweep", "symbolic"}) {
    const Result r = check(engine, asked);
    EXPECT_EQ(r.exit_code, 0) << engine << r.out << r.err;
    const bool of_states = engine == "bfs" || engine == "dfs" || engine == "cache",
               all = engine == "sweep" || engine == "symbolic";
    const bool of_runs = engine == "scc" || engine == "ndfs" || engine == "owcty";
    EXPECT_EQ(has(r.err, "note: engine bfs for states: " + engine), !of_states && !all) << engine << r.err;
    EXPECT_EQ(has(r.err, "note: engine scc for ltl: engine " + engine), !of_runs && !all) << engine << r.err;
    EXPECT_EQ(has(r.err, "note: engine ctl for CTL: " + engine), engine != "ctl" && !all) << engine << r.err;
  }
  EXPECT_EQ(check("walk", asked).exit_code, 3) << "what it answers itself is unknown";
  // Fairness is for scc alone; a sweep does the rest. CTL knows none.
  std::vector<std::string> fair = asked;
  fair.insert(fair.end(), {"--fair", "weak"});
  const Result unfair = check("auto", fair);
  EXPECT_EQ(unfair.exit_code, 2) << unfair.out;
  EXPECT_TRUE(has(unfair.err, "CTL is checked over all runs, not over fair ones")) << unfair.err;
  std::erase(fair, "--ctl");
  std::erase(fair, "AG EF P_0.CS");
  const Result r = check("sweep", fair);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "note: engine scc for ltl: engine sweep does not support fairness")) << r.err;
  // An engine that can answer none of the questions is refused.
  for (const auto& [engine, option, names] :
       {std::tuple{"ndfs", "--deadlock", "properties of states need bfs"},
        {"ctl", "--deadlock", "properties of states need bfs"}}) {
    const Result refused = check(engine, {option});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_TRUE(has(refused.err, names)) << refused.err;
  }
  for (const std::string engine : {"dfs", "ndfs"}) {
    const Result refused = check(engine, {"--ctl", "AG EF P_0.CS"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_TRUE(has(refused.err, "CTL needs ctl, sweep or symbolic")) << refused.err;
  }
}

TEST(Liveness, EnginesForStatesAreRefused) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter(""));
  Result r = run({"check", model, "--engine", "walk"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(
      has(r.err, "infinite runs need scc, ndfs, cndfs, map, owcty, gpu-owcty, owcty-map, sweep or symbolic"))
      << r.err;
  r = run({"check", model, "--engine", "bfs"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "engine bfs decides safety properties")) << r.err;
}

TEST(Liveness, EnginesWithOneThreadNameTheOthers) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter(""));
  for (const std::string engine : {"scc", "ndfs"}) {
    const Result r = run({"check", model, "--engine", engine, "--threads", "2"});
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_TRUE(has(
        r.err, "property L: engine " + engine +
                   " uses one thread; cndfs, map, owcty, gpu-owcty, owcty-map, sweep and symbolic take more"))
        << r.err;
  }
  for (const std::string engine : {"dfs", "bitstate", "walk"}) {
    const Result r = run({"check", model, "--deadlock", "--engine", engine, "--threads", "2"});
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_TRUE(has(
        r.err, "engine " + engine + " uses one thread; bfs, gpu, sweep, gpu-sweep and symbolic take more"))
        << r.err;
  }
}

TEST(Liveness, OptionsWithoutEffectAreNoticed) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter(""));
  const auto notes = [&](std::vector<std::string> options) {
    return run_with({"check", model}, options).err;
  };
  EXPECT_TRUE(has(notes({"--map-values", "2"}), "--map-values has no effect"));
  EXPECT_TRUE(has(notes({"--deadlock", "--fair", "weak"}), "--fair has no effect"));
  EXPECT_TRUE(has(notes({"--deadlock", "--bits", "20"}), "--bits has no effect"));
  EXPECT_FALSE(has(notes({"--engine", "owcty-map", "--map-values", "2"}), "no effect"));
  EXPECT_FALSE(has(notes({"--deadlock", "--engine", "bitstate", "--bits", "20"}), "no effect"));
}

TEST(Liveness, LimitsHoldWhileARunIsBuilt) {
  // After the first step that is wrong there are 900 million states before anything repeats.
  const Folder folder;
  const std::string model = folder.write(
      "m.dve",
      "int x, y; process P { state a; init a; trans a -> a { guard x < 30000; effect x = x + 1; }, "
      "a -> a { guard x == 30000 and y < 30000; effect x = 0, y = y + 1; }, "
      "a -> a { guard y == 30000; effect x = 32767, x = x + 1; }; } system async;");
  for (const std::string threads : {"1", "2"}) {
    const Result r = run({"check", model, "--ltl", "G \"x < 5\"", "--time", "0.2s", "--threads", threads});
    EXPECT_EQ(r.exit_code, 3) << r.out << r.err;
    EXPECT_TRUE(has(r.out, "time limit of 0.2 s reached")) << r.out;
  }
}

TEST(Liveness, AThreadThatCannotBeStartedEndsTheRun) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need a large address space";
#endif
  const Folder folder;
  const Result r = run({"check", folder.write("m.dve", counter("")), "--engine", "owcty", "--threads", "64"},
                       {.in_child = [] {
                         const rlimit few{400u << 20, 400u << 20};  // stacks of 8 MiB each do not fit
                         setrlimit(RLIMIT_AS, &few);
                       }});
  EXPECT_EQ(r.exit_code, 3) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "threads could be started")) << r.out;
}

TEST(Liveness, AutoSaysWhatItTakesAndWhy) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  EXPECT_TRUE(has(run({"check", model, "--ltl", "GF P_0.CS"}).err, "engine scc for ltl"));
  EXPECT_TRUE(has(run({"check", model, "--ltl", "GF P_0.CS", "--threads", "2"}).err,
                  "engine cndfs for ltl: for several threads; the automaton is weak"));
  EXPECT_TRUE(has(run({"check", model, "--ltl", "FG P_0.CS", "--threads", "2"}).err,
                  "engine owcty-map for ltl: for several threads"));
  EXPECT_TRUE(has(run({"check", model, "--ltl", "G !P_0.CS"}).err, "engine bfs for ltl: a safety property"));
}

TEST(Ltl, SafetyFormulasHaveShortestViolations) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  for (const std::string threads : {"1", "2"}) {
    // The same bad prefix as the invariant's run, which breadth-first search finds.
    const Result formula = run({"check", model, "--ltl", "G !P_1.CS", "--threads", threads});
    EXPECT_EQ(formula.exit_code, 1) << formula.err;
    EXPECT_TRUE(has(formula.out, "for ever")) << formula.out;
    EXPECT_EQ(run({"check", model, "--ltl", "G !(P_0.CS && P_1.CS)", "--threads", threads}).exit_code, 0);
  }
}

TEST(Liveness, GeneralisedAcceptanceNeedsTheRightEngine) {
  const Folder folder;
  std::string text = counter("");
  text.replace(text.find("accept never"), 12, "accept genbuchi (never), (never)");
  const std::string model = folder.write("m.dve", text);
  EXPECT_EQ(run({"check", model}).exit_code, 1);
  const Result r = run({"check", model, "--engine", "ndfs"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "use scc")) << r.err;
}

TEST(Liveness, SafetyAndLivenessTogether) {
  const Folder folder;
  const std::string model =
      folder.write("m.dve", "//@ property small expect holds invariant x <= 2\n" + counter(""));
  const Result r = run({"check", model});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "small: holds")) << r.out;
  EXPECT_TRUE(has(r.out, "L: violated")) << r.out;
  EXPECT_TRUE(has(r.out, "bfs for small, model-errors: ")) << r.out;
  EXPECT_TRUE(has(r.out, "scc for L: ")) << r.out;
}

TEST(Liveness, RunsThatEndInModelErrorsAreReportedAsSuch) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter(", s -> s { guard x == 2; effect x = 256; }"));
  const Result r = run({"check", model});
  EXPECT_EQ(r.exit_code, 1) << r.out;
  EXPECT_TRUE(has(r.out, "L: unknown")) << r.out;
  EXPECT_TRUE(has(r.out, "model-errors: violated")) << r.out;
}

TEST(Liveness, ErrorsOfThePropertyProcessNeverMakeItHold) {
  const Folder folder;
  for (const bool guard : {false, true}) {
    const std::string edge = guard ? "guard 1 / n == 0;" : "effect n = n + 1;";
    const std::string model = folder.write(
        "m.dve",
        "process P { state a; init a; trans a -> a {}; } process L { byte n; state q; init q; accept q; "
        "trans q -> q { " +
            edge + " }; } system async property L;");
    for (const auto& engine : engines) {
      const Result r = run_with({"check", model}, engine);
      EXPECT_EQ(r.exit_code, guard ? 1 : 3) << r.out;
      EXPECT_TRUE(has(r.out, guard ? "L: violated" : "L: unknown")) << r.out;
    }
  }
}

TEST(Ltl, FormulasHoldOrComeWithALasso) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  for (const auto& engine : engines) {
    Result r = run_with({"check", model, "--ltl", "[](P_0.wait -> <> P_0.CS)"}, engine);
    EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
    EXPECT_TRUE(has(r.out, "ltl: holds  (ltl, G(P_0.wait -> F P_0.CS))")) << r.out;
    r = run_with({"check", model, "--ltl", "G F \"turn == 1\""}, engine);
    EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
    EXPECT_TRUE(has(r.out, "for ever")) << r.out;
  }
}

/// A sets x to 0 and 1 in turn until B, which can move while x is 1, stops it.
const char* const stopper =
    "byte x, stop; process A { state s; init s; trans s -> s { guard stop == 0; effect x = 1 - x; }; } "
    "process B { state s, t; init s; trans s -> t { guard x == 1; effect stop = 1; }; } system async;";

TEST(Fairness, DecidesWhichRunsCount) {
  const Folder folder;
  const std::string model = folder.write("m.dve", stopper);
  const auto verdict = [&](const std::string& kind) {
    return run({"check", model, "--ltl", "F B.t", "--fair", kind}).out;
  };
  // B is enabled again and again, but not all the time.
  EXPECT_TRUE(has(verdict("none"), "ltl: violated  (ltl, F B.t)"));
  EXPECT_TRUE(has(verdict("weak"), "ltl: violated  (ltl, F B.t, weakly fair runs)"));
  EXPECT_TRUE(has(verdict("strong"), "ltl: holds  (ltl, F B.t, strongly fair runs)"));
  // Where x stays 1, B is enabled all the time.
  const std::string steady =
      folder.write("steady.dve",
                   "byte y; process A { state s; init s; trans s -> s { effect y = 1 - y; }; } "
                   "process B { state s, t; init s; trans s -> t {}; } system async;");
  EXPECT_EQ(run({"check", steady, "--ltl", "F B.t"}).exit_code, 1);
  EXPECT_EQ(run({"check", steady, "--ltl", "F B.t", "--fair", "weak"}).exit_code, 0);
}

TEST(Fairness, IsPartOfWhatATraceProves) {
  const Folder folder;
  const std::string model = folder.write("m.dve", stopper), file = folder.path("t.json");
  ASSERT_EQ(run({"check", model, "--ltl", "F B.t", "--fair", "weak", "--trace", file}).exit_code, 1);
  EXPECT_EQ(run({"trace", file}).exit_code, 0);
  std::string text = folder.read("t.json");
  ASSERT_TRUE(has(text, "\"fairness\":\"weak\"")) << text;
  text.replace(text.find("\"weak\""), 6, "\"strong\"");
  const Result r = run({"trace", folder.write("edited.json", text)});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(has(r.out, "it is not fair to B")) << r.out;
}

TEST(Fairness, NeedsTheRightEngine) {
  const Folder folder;
  const std::string model = folder.write("m.dve", stopper);
  Result r = run({"check", model, "--ltl", "F B.t", "--fair", "weak", "--engine", "ndfs"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "engine ndfs does not support fairness; scc does")) << r.err;
  EXPECT_EQ(run({"check", model, "--ltl", "F B.t", "--fair", "weak", "--threads", "2"}).exit_code, 1);
  r = run({"check", model, "--ltl", "F B.t", "--fair", "weak", "--threads", "2", "--engine", "scc"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "fairness needs engine scc, which uses one thread")) << r.err;
}

TEST(Ltl, ShortestLassos) {
  const Folder folder;
  // The first thing that depth-first search meets is the long way round.
  const std::string model = folder.write(
      "m.dve",
      "byte x; process P { state s, t; init s; trans s -> s { guard x < 50; effect x = x + 1; }, "
      "s -> s { guard x == 50; effect x = 0; }, s -> t { guard x == 1; }, t -> t {}; } system async;");
  for (const auto& engine : engines) {
    const Result r = run_with({"check", model, "--ltl", "GF \"x == 7\"", "--shortest"}, engine);
    if (engine.size() > 1 && engine[1] == "sweep") {
      EXPECT_EQ(r.exit_code, 2);
      EXPECT_TRUE(has(r.err, "engine sweep does not find shortest runs; scc")) << r.err;
      continue;
    }
    EXPECT_EQ(r.exit_code, 1) << r.err;
    EXPECT_TRUE(has(r.out, "counterexample of 3 steps")) << r.out;
  }
}

TEST(Ltl, LassosOfTheModelMayBeShorterThanThoseOfTheProduct) {
  const Folder folder;
  const Result r = run({"check", folder.write("m.dve", peterson), "--ltl", "GF P_0.CS", "--shortest"});
  EXPECT_TRUE(has(r.out, "counterexample of 4 steps")) << r.out;
  EXPECT_TRUE(has(r.out, "and on from state 0 for ever")) << r.out;
}

TEST(Ltl, ProductsAreCounted) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  const std::string hoa = run({"automaton", "--negate", "--tgba", "GF \"turn == 1\""}).out;
  const Result formula = run({"explore", model, "--product", "--ltl", "GF \"turn == 1\""});
  const Result automaton =
      run({"explore", model, "--product", "--automaton", folder.write("a.hoa", hoa), "--threads", "2"});
  EXPECT_EQ(formula.exit_code, 0) << formula.err;
  EXPECT_EQ(automaton.exit_code, 0) << automaton.err;
  for (const std::string& out : {formula.out, automaton.out})
    EXPECT_TRUE(has(out, " 33\nproduct transitions")) << out;
}

TEST(Ltl, TracesAreJudgedByTheFormula) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson), file = folder.path("t.json");
  ASSERT_EQ(run({"check", model, "--ltl", "GF P_1.CS", "--trace", file}).exit_code, 1);
  EXPECT_EQ(run({"trace", file}).exit_code, 0);
  std::string text = folder.read("t.json");
  const std::string formula = "\"formula\":\"GF P_1.CS\"";
  ASSERT_TRUE(has(text, formula)) << text;
  text.replace(text.find(formula), formula.size(), "\"formula\":\"G true\"");
  const Result r = run({"trace", folder.write("edited.json", text)});
  EXPECT_EQ(r.exit_code, 1) << r.out;
  EXPECT_TRUE(has(r.out, "does not accept it")) << r.out;
}

TEST(Ltl, NamedFormulasWithExpectations) {
  const Folder folder;
  const std::string model = folder.write(
      "m.dve",
      std::string("//@ define in0 = P_0.CS\n//@ property live expect holds ltl G(P_0.wait -> F in0)\n"
                  "//@ property starve expect violated ltl G F in0\n") +
          stuck);
  const std::string good = folder.write("p.dve", peterson);
  folder.write("p.props",
               "define in0 = P_0.CS\nproperty live expect holds ltl G(P_0.wait -> F in0)\n"
               "property often expect violated ltl GF in0\n");
  const Result r = run({"check", good, "--property", "live", "--property", "often"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "live: holds")) << r.out;
  EXPECT_TRUE(has(r.out, "often: violated")) << r.out;
  // A trace is judged by what the model now says about the property.
  const std::string trace = folder.path("often.json");
  ASSERT_EQ(run({"check", good, "--property", "often", "--trace", trace}).exit_code, 0);
  EXPECT_EQ(run({"trace", trace}).exit_code, 0);
  folder.write("p.props", "property often ltl G true\n");
  EXPECT_EQ(run({"trace", trace}).exit_code, 1);
  // Here the processes in the formulas do not exist.
  const Result bad = run({"check", model, "--all"});
  EXPECT_EQ(bad.exit_code, 2);
}

TEST(Ltl, ErrorsPointIntoTheFormula) {
  const Folder folder;
  const std::string model = folder.write("m.dve", "byte GFx;\n" + std::string(stuck));
  const auto error = [&](const std::string& formula) {
    const Result r = run({"check", model, "--ltl", formula});
    EXPECT_EQ(r.exit_code, 2) << formula << r.out;
    return r.err;
  };
  EXPECT_TRUE(has(error("G(x -> F nothing)"), "--ltl:1:10: error: in the atom 'nothing'"));
  EXPECT_TRUE(has(error("G (x"), "^"));
  EXPECT_TRUE(has(error("AG x"), "^"));
  EXPECT_TRUE(has(error("GFx"), "can be read as 'GF x' and as a name of the model"));
}

TEST(Ltl, AutomataFromFiles) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  std::string hoa = run({"automaton", "FG !p"}).out;
  const auto at = hoa.find("\"p\"");
  ASSERT_NE(at, std::string::npos) << hoa;
  hoa.replace(at, 3, "\"turn == 1\"");
  const std::string file = folder.write("a.hoa", hoa), trace = folder.path("t.json");
  Result r = run({"check", model, "--automaton", file, "--trace", trace});
  EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
  EXPECT_EQ(run({"trace", trace}).exit_code, 0);
  // Several acceptance sets on edges; for engines that do not support them it is converted.
  std::string two = run({"automaton", "--tgba", "GF p && GF q"}).out;
  ASSERT_TRUE(has(two, "Acceptance: 2")) << two;
  two.replace(two.find("\"p\""), 3, "\"P_0.CS\"");
  two.replace(two.find("\"q\""), 3, "\"P_1.CS\"");
  for (const auto& engine : engines) {
    r = run_with({"check", model, "--automaton", folder.write("two.hoa", two)}, engine);
    EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
  }
  hoa.replace(hoa.find("turn"), 4, "tune");
  r = run({"check", model, "--automaton", folder.write("b.hoa", hoa)});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "did you mean 'turn'")) << r.err;
}

TEST(Ltl, AutomataOfAnyAcceptanceFromFiles) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  // An atom that no label mentions need not mean anything in the model.
  const auto file = [&](const std::string& name, const std::string& atom, const std::string& condition) {
    std::string hoa = R"(HOA: v1.1 Alias: @x 1 States: 1 Start: 0 AP: 2 "no such thing" ")";
    hoa += atom + R"(" Acceptance: 2 )" + condition;
    return folder.write(name, hoa + " --BODY-- State: 0 [@x] 0 {0} [!@x] 0 {1} --END--");
  };
  const std::string co_buchi = file("a.hoa", "turn == 1", "Fin(0)");
  const std::string rabin = file("b.hoa", "P_0.CS && P_1.CS", "(Fin(1) & Inf(0)) | (Fin(0) & Fin(1))");
  for (const auto& engine : engines) {
    Result r = run_with({"check", model, "--automaton", co_buchi}, engine);
    EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
    r = run_with({"check", model, "--automaton", rabin}, engine);
    EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  }
}

TEST(Ltl, SpotsAutomataServeEveryEngine) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  // As Spot since 2.10: acceptance of G F !p0 is on states when -B asks for it, and on edges otherwise.
  const std::string program = folder.write("ltl2tgba", R"(#!/bin/sh
echo 'HOA: v1 Start: 0 AP: 1 "p0" Acceptance: 1 Inf(0) --BODY--'
if test "$1" = -B
then echo 'State: 0 {0} [!0] 0 [0] 1 State: 1 [!0] 0 [0] 1 --END--'
else echo 'State: 0 [!0] 0 {0} [0] 0 --END--'
fi
)");
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  const RunOptions with_spot{.in_child = [&] { ::setenv("PATH", folder.path().c_str(), 1); }};
  for (const auto& engine : engines) {
    std::vector<std::string> arguments{"check", model, "--ltl", "FG P_1.CS", "--translator", "spot"};
    arguments.insert(arguments.end(), engine.begin(), engine.end());
    const Result r = run(arguments, with_spot);
    EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
  }
}

}  // namespace
}  // namespace tideline::test
