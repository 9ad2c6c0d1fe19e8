// Patterns, templates, constants and models from the command line, and properties of what happens.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "schema.hpp"

namespace tideline::test {
namespace {

/// Peterson's algorithm again, as a template.
const char* const templated =
    "const byte N = 2; byte flag[N]; byte turn;\n"
    "process P[i < N] { state idle, raised, waiting, critical; init idle; trans\n"
    "  idle -> raised { effect flag[i] = 1; }, raised -> waiting { effect turn = 1 - i; },\n"
    "  waiting -> critical { guard flag[1 - i] == 0; }, waiting -> critical { guard turn == i; },\n"
    "  critical -> idle { effect flag[i] = 0; }; }\n"
    "system async;\n";

/// Counts to N - 1 and stops.
const char* const counting =
    "const byte N = 3; byte x;\n"
    "process P { state s; init s; trans s -> s { guard x < N - 1; effect x = x + 1; }; }\n"
    "system async;\n";

/// With one blank where there are several.
std::string squeezed(std::string text) {
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
             text.end());
  return text;
}

TEST(Patterns, AreCheckedAndShownAsLtl) {
  const Folder folder;
  const std::string model = folder.write("m.dve", templated);
  Result r = run({"check", model, "--pattern", "response(P_0.waiting, P_0.critical)", "--json", "-"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const auto json = nlohmann::json::parse(r.out);
  EXPECT_EQ(schema_errors(json), "");
  EXPECT_EQ(json["properties"][0]["formula"], "G(P_0.waiting -> F P_0.critical)");
  EXPECT_EQ(json["properties"][0]["pattern"], "response(P_0.waiting, P_0.critical)");
  folder.write("m.props",
               "property alone expect violated pattern absence(P_1.critical) before P_0.critical\n");
  r = run({"check", model, "--all", "--quiet"});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_TRUE(
      has(r.out, "alone: violated  (ltl, F P_0.critical -> !P_1.critical U P_0.critical, pattern absence("))
      << r.out;
  r = run({"check", model, "--pattern", "absence(P_9.critical)"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "--pattern:1:9: error: in the atom 'P_9.critical': unknown process")) << r.err;
  EXPECT_EQ(run({"automaton", "--pattern", "response(p, s)"}).out, run({"automaton", "G(p -> F s)"}).out);
}

TEST(Templates, AreTheModelWrittenOut) {
  const Folder folder;
  const std::string model = folder.write("m.dve", templated), written = folder.write("w.dve", peterson);
  Result r = run({"explore", model, "--quiet"});
  EXPECT_TRUE(has(squeezed(r.out), "states 20\n")) << r.out;
  EXPECT_EQ(run({"check", model, "--invariant", "!(P[0].critical && P_1.critical)"}).exit_code, 0);
  r = run({"check", model, "--strict"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "m.dve:2:11: error: a template of processes is an extension of DVE, which --strict"))
      << r.err;
  EXPECT_EQ(run({"check", written, "--strict"}).exit_code, 0);
}

TEST(Constants, AreGivenAndRemembered) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting), file = folder.path("run.json");
  for (const std::string command : {"explore", "progress", "simulate", "explain-por"}) {
    const Result r = run({command, model, "--define", "N=5", "--quiet"}, {.input = "quit\n"});
    EXPECT_TRUE(r.exit_code == 0 || command == "simulate") << command << r.err;
  }
  EXPECT_TRUE(has(squeezed(run({"explore", model, "--define", "N=5", "--quiet"}).out), "states 5\n"));
  Result r = run({"check", model, "--define", "N=7", "--reach", "x == 6", "--trace", file, "--json", "-"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const auto json = nlohmann::json::parse(r.out);
  EXPECT_EQ(schema_errors(json), "");
  EXPECT_EQ(json["defines"], nlohmann::json({"N=7"}));
  r = run({"trace", file});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  for (const std::string wrong : {"N", "N=x", "M=1", "N=300", "x=1"}) {
    r = run({"check", model, "--define", wrong});
    EXPECT_EQ(r.exit_code, 2) << wrong;
    EXPECT_TRUE(has(r.err, "--define")) << r.err;
  }
}

TEST(Promela, FormulasThatSpinGroupsOtherwiseGetANote) {
  const Folder folder;
  const std::string model = folder.write("m.pml", "bit p, q, r; init { p = 1 }");
  const auto said = [&](const std::string& formula) { return run({"check", model, "--ltl", formula}).err; };
  EXPECT_TRUE(has(said("p -> q -> r"), "write the parentheses"));
  EXPECT_TRUE(has(said("G (p U q W r)"), "write the parentheses"));
  EXPECT_FALSE(has(said("p -> (q -> r)"), "write the parentheses"));
  EXPECT_FALSE(has(said("p U q && q U r || p && q && r"), "write the parentheses"));
}

TEST(StandardInput, HasAModelOfAnyLanguage) {
  Result r = run({"check", "-", "--language", "dve", "--invariant", "x < 3"}, {.input = counting});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  r = run({"explore", "-", "--language", "psl", "--quiet"},
          {.input = "process P { S = a -> T; T = b -> S; } system = P;"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(has(squeezed(r.out), "states 2\n")) << r.out;
  for (const std::string language : {"promela", "pml"}) {
    r = run({"explore", "-", "--language", language, "--quiet"}, {.input = "active proctype P() { skip }"});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_TRUE(has(squeezed(r.out), "states 3\n")) << r.out;
  }
  r = run({"check", "-"}, {.input = counting});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "needs --language")) << r.err;
  r = run({"check", "-", "--language", "dve"}, {.input = "byte x\n"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "-:2:1: error: expected ';'")) << r.err;
  EXPECT_EQ(run({"simulate", "-", "--language", "dve"}, {.input = counting}).exit_code, 2);
  EXPECT_EQ(run({"simulate", "-", "--language", "dve", "--random"}, {.input = counting}).exit_code, 0);
  const Folder folder;
  r = run({"check", "-", "--language", "dve", "--checkpoint", folder.path("c"), "--engine", "sweep"},
          {.input = counting});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "the model cannot come from the standard input")) << r.err;
}

/// A message is sent, and lost or delivered.
const char* const lossy =
    "channel lose, deliver;\n"
    "process S { state ready, sent; init ready;\n"
    "  trans ready -> sent { }, sent -> ready { sync deliver!; }, sent -> ready { sync lose!; }; }\n"
    "process R { state idle, got; init idle; trans idle -> got { sync deliver?; }, got -> idle { }; }\n"
    "process Sink { state s; init s; trans s -> s { sync lose?; }; }\n"
    "system async;\n";

TEST(Actions, AreAtomsOfFormulas) {
  const Folder folder;
  const std::string model = folder.write("m.dve", lossy), file = folder.path("run.json");
  Result r = run({"check", model, "--ltl", "G F act(deliver)", "--trace", file});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "ltl: violated  (ltl, GF act(deliver))")) << r.out;
  EXPECT_FALSE(has(r.out, "act(deliver) =")) << r.out;
  EXPECT_FALSE(has(folder.read("run.json"), "\"act(deliver)\"")) << "a monitor in the file";
  r = run({"trace", file});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_EQ(
      run({"check", model, "--ltl", "G(act(deliver) -> R.got)", "--ltl", "!R.got W act(deliver)"}).exit_code,
      0);
  EXPECT_EQ(
      run({"check", model, "--ctl", "AG EF act(deliver)", "--ctl", "AG (act(lose) -> S.ready)"}).exit_code,
      0);
  EXPECT_EQ(run({"check", model, "--pattern", "precedence(act(S: ready -> sent), act(deliver))"}).exit_code,
            0);
  r = run({"check", model, "--ltl", "G F act(delivers)"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "--ltl:1:5: error: the model has no action 'delivers'; did you mean 'deliver'?"))
      << r.err;
  EXPECT_EQ(run({"check", model, "--ltl", "F act(lose)", "--model-errors", "divine"}).exit_code, 2);
}

TEST(Actions, AreTreatedFairly) {
  const Folder folder;
  const std::string model = folder.write("m.dve", lossy), file = folder.path("run.json");
  const auto verdict = [&](const std::vector<std::string>& fair) {
    std::vector<std::string> arguments{"check", model, "--ltl", "G F act(deliver)", "--quiet", "--no-trace"};
    for (const std::string& kind : fair) arguments.insert(arguments.end(), {"--fair", kind});
    return run(arguments).out;
  };
  EXPECT_TRUE(
      has(verdict({"strong: deliver", "strong: R: got -> idle"}),
          "holds  (ltl, GF act(deliver), runs that are strongly fair to deliver and R: got -> idle)"));
  EXPECT_TRUE(has(verdict({"weak: deliver"}),
                  "violated  (ltl, GF act(deliver), runs that are weakly fair to deliver)"));
  ASSERT_EQ(run({"check", model, "--ltl", "G F R.got", "--fair", "strong: lose", "--trace", file}).exit_code,
            1);
  EXPECT_TRUE(has(folder.read("run.json"), "\"fair_actions\":[\"lose\"]"));
  EXPECT_EQ(run({"trace", file}).exit_code, 0);
  const auto refused = [&](const std::vector<std::string>& fair) {
    std::vector<std::string> arguments{"check", model, "--ltl", "G F R.got"};
    for (const std::string& kind : fair) arguments.insert(arguments.end(), {"--fair", kind});
    const Result r = run(arguments);
    return r.exit_code == 2 && has(r.err, "--fair");
  };
  EXPECT_TRUE(refused({"often"}));
  EXPECT_TRUE(refused({"weak: "}));
  EXPECT_TRUE(refused({"none: lose"}));
  EXPECT_TRUE(refused({"weak: nothing"}));
  EXPECT_TRUE(refused({"weak", "strong"}));
  EXPECT_TRUE(refused({"weak: lose", "strong: deliver"}));
}

TEST(EndStates, AreNoDeadlocks) {
  const Folder folder;
  const auto check = [&](const std::string& end, const std::string& engine) {
    const std::string model =
        folder.write("m.dve", "channel c; process P { state s, t; init s; " + end +
                                  " trans s -> t { }, t -> s { sync c?; }; } system async;");
    return run({"check", model, "--deadlock", "--engine", engine}).exit_code;
  };
  for (const std::string engine : {"auto", "bfs", "dfs", "symbolic", "sweep"}) {
    EXPECT_EQ(check("", engine), 1) << engine;
    EXPECT_EQ(check("end s;", engine), 1) << engine;
    EXPECT_EQ(check("end t;", engine), 0) << engine;
  }
}

TEST(PromelaModels, AnAssertionInsideAnAtomicSequenceIsReportedWithItsRun) {
  const Folder folder;
  const std::string model =
      folder.write("m.pml", "byte x; active [2] proctype A() { atomic { x++; assert(x < 2); skip } }\n");
  const Result r = run({"check", model});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "model-errors: violated")) << r.out;
  EXPECT_TRUE(has(r.out, "assertion violated")) << r.out;
  EXPECT_FALSE(has(r.err, "never enabled")) << r.err;
}

/// A toggles y again and again, in one step of three actions; B can move where y is 0.
std::string toggling(const Folder& folder) {
  return folder.write("m.pml",
                      "byte x, y;\n"
                      "active proctype A() { do :: atomic { x = 1; x = 0; y = 1 - y } od }\n"
                      "active proctype B() { do :: y == 0 -> x = 2; x = 3 od }\n");
}

TEST(PromelaModels, AnAtomicSequenceIsFairToAllWhoTakePart) {
  const Folder folder;
  const std::string model = toggling(folder);
  const auto check = [&](const std::string& formula, const std::string& fair) {
    return run({"check", model, "--ltl", formula, "--fair", fair, "--quiet"}).exit_code;
  };
  EXPECT_EQ(run({"check", model, "--ltl", "GF act(A*)", "--quiet"}).exit_code, 1);
  EXPECT_EQ(check("GF act(A*)", "weak"), 0);
  EXPECT_EQ(check("GF act(B*: x = 2)", "weak"), 1);  // inside of A's step B waits for nothing
  EXPECT_EQ(check("GF act(B*: x = 2)", "strong"), 0);
  EXPECT_EQ(check("GF act(B*)", "weak: B*"), 1);
  EXPECT_EQ(check("GF act(B*)", "strong: B*"), 0);
  // The receiver moves in the sender's step only.
  const std::string rendezvous = folder.write(
      "r.pml",
      "chan c = [0] of { bit }; byte n; active proctype S() { do :: atomic { n = 1; c!0; n = 0 } od }\n"
      "active proctype R() { do :: c?_ :: n == 2 -> n = 3 od }\n");
  EXPECT_EQ(run({"check", rendezvous, "--ltl", "GF act(*c!*)", "--fair", "weak", "--quiet"}).exit_code, 0);
}

TEST(PromelaModels, AStepHasAllActionsOfItsAtomicSequence) {
  const Folder folder;
  const std::string model = toggling(folder);
  for (const std::string engine : {"scc", "ndfs", "owcty-map", "symbolic"}) {
    const auto check = [&](const std::string& formula) {
      return run({"check", model, "--ltl", formula, "--engine", engine, "--quiet"}).exit_code;
    };
    EXPECT_EQ(check("G(act(A*: x = 1) -> act(A*: x = 0))"), 0) << engine;
    EXPECT_EQ(check("G(act(A*) -> !act(B*))"), 0) << engine;
    EXPECT_EQ(check("G !act(*y = 1 - y*)"), 1) << engine;
    EXPECT_EQ(check("GF act(A*: x = *)"), 1) << engine;  // two actions of one class
  }
  for (const std::string engine : {"ctl", "symbolic"})
    for (const auto& [formula, code] : std::vector<std::pair<std::string, int>>{
             {"AG(act(*x = 1*) -> act(*x = 0*))", 0}, {"AG EX act(A*)", 0}, {"AG AX act(A*)", 1}})
      EXPECT_EQ(run({"check", model, "--ctl", formula, "--engine", engine, "--quiet"}).exit_code, code)
          << engine << ' ' << formula;
}

TEST(PromelaModels, DiagramsPassOverInnerStates) {
  const Folder folder;
  const std::string model = toggling(folder);
  const auto check = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"check", model});
    words.insert(words.end(), {"--engine", "symbolic", "--quiet"});
    return run(words).exit_code;
  };
  EXPECT_EQ(check({"--invariant", "x != 1"}), 0);  // it is 1 inside of the sequence only
  EXPECT_EQ(check({"--reach", "x == 1"}), 1);
  EXPECT_EQ(check({"--reach", "x == 2"}), 0);
  EXPECT_EQ(check({"--ctl", "EX(\"y == 1\" && EX \"y == 0\")"}), 0);
  EXPECT_EQ(check({"--ltl", "G \"x != 1\""}), 0);
  // A loop that ends, and one that may not.
  for (const auto& [text, code] : std::vector<std::pair<std::string, int>>{{"do :: x = 1 - x :: break od", 0},
                                                                           {"do :: x = 1 - x od", 3}}) {
    const std::string loop =
        folder.write("l.pml", "byte x; active proctype A() { atomic { x = 0; " + text + " } }\n");
    const Result r = run({"check", loop, "--invariant", "true", "--engine", "symbolic"});
    EXPECT_EQ(r.exit_code, code) << r.out;
    EXPECT_EQ(has(r.out, "go round for ever"), code == 3) << r.out;
  }
}

TEST(PromelaModels, StepsThroughAtomicSequencesAreLeftOutByReduction) {
  const Folder folder;
  const std::string model = folder.write("m.pml",
                                         "active [4] proctype A() { byte i; do :: i < 3 -> atomic { i++; "
                                         "skip } :: else -> break od; i == 9 }\n");
  const auto states = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"explore", model, "--engine", "bfs", "--json", "-"};
    words.insert(words.end(), options.begin(), options.end());
    return nlohmann::json::parse(run(words).out)["statistics"];
  };
  const auto all = states({}), reduced = states({"--por"});
  EXPECT_EQ(all["deadlocks"], reduced["deadlocks"]);
  EXPECT_LT(10 * reduced["states"].get<int>(), all["states"].get<int>());
}

}  // namespace
}  // namespace tideline::test
