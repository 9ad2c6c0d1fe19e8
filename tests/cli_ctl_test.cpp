// CTL from the command line: formulas, deadlocks, evidence, saved runs.
#include <gtest/gtest.h>

#include "program.hpp"

namespace tideline::test {
namespace {

/// x counts 0, 1, 2; from 1 it may go back to 0, at 2 it ends.
const char* const counter_model = R"(byte x;
process P { state s; init s;
  trans s -> s { guard x < 2; effect x = x + 1; }, s -> s { guard x == 1; effect x = 0; }; }
system async;
)";

TEST(CliCtl, FormulasAreChecked) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter_model);
  Result r =
      run({"check", model, "--ctl", "AG EF \"x == 2\"", "--ctl", "AG EF \"x == 0\"", "--ctl", "EG \"x<2\""});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "ctl: holds  (ctl, AG EF \"x == 2\")\n")) << r.out;
  EXPECT_TRUE(has(r.out,
                  "ctl-2: violated  (ctl, AG EF \"x == 0\")\n"
                  "  from the last state no state with \"x == 0\" can be reached\n"
                  "  counterexample of 2 steps:\n"))
      << r.out;
  EXPECT_TRUE(has(r.out,
                  "ctl-3: holds  (ctl, EG \"x<2\")\n"
                  "  \"x<2\" is true all the way\n"
                  "  witness of 2 steps:\n"))
      << r.out;
  EXPECT_TRUE(has(r.out, "ctl: 3 states, 3 transitions")) << r.out;
  EXPECT_TRUE(has(r.err, "note: engine ctl for CTL")) << r.err;
  r = run({"check", model, "--ctl", "AG EF \"x == 2\"", "--engine", "ctl"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.err, "");
}

TEST(CliCtl, TheSweepLineAnswersToo) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter_model);
  const auto check = [&](const std::string& progress, const std::string& formula) {
    return run({"check", model, "--engine", "sweep", "--progress", progress, "--ctl", formula});
  };
  Result r = check("monotone (x == 2)", "AG EF \"x == 0\"");
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out,
                  "ctl: violated  (ctl, AG EF \"x == 0\")\n"
                  "  from the last state no state with \"x == 0\" can be reached\n"
                  "  counterexample of 2 steps:\n"))
      << r.out;
  r = check("monotone (x == 2)", "AG AF \"x == 2\"");
  EXPECT_TRUE(has(r.out, "\"x == 2\"")) << r.out;
  EXPECT_EQ(r.exit_code, 1) << r.err;
  r = check("monotone (x == 2)", "AG(\"x == 1\" -> EX \"x == 0\")");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  r = check("x", "AG EF \"x == 2\"");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "the measure is not monotone for this model")) << r.err;
  r = check("monotone x", "EX EX \"x == 2\"");
  EXPECT_EQ(r.exit_code, 2) << r.err;
  EXPECT_TRUE(has(r.err, "the measure is not monotone as it claims")) << r.err;
  r = run(
      {"check", model, "--engine", "sweep", "--progress", "x", "--ctl", "AG EF \"x == 0\"", "--json", "-"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "\"engine\": \"sweep\"")) << r.out;
}

TEST(CliCtl, DeadlocksRepeatOrEndTheRun) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter_model);
  EXPECT_EQ(run({"check", model, "--ctl", "AG EX true"}).exit_code, 0);
  Result r = run({"check", model, "--ctl", "AG EX true", "--deadlock-paths", "maximal", "--json", "-"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "\"deadlock_paths\": \"maximal\"")) << r.out;
  r = run({"check", model, "--ctl", "AG EX true", "--deadlock-paths", "maximal"});
  EXPECT_TRUE(has(r.out, "ctl: violated  (ctl, AG EX true, maximal runs)")) << r.out;
  r = run({"check", model, "--ctl", "AF \"x == 0\" && EF EG \"x == 2\""});
  EXPECT_TRUE(has(r.out, "(deadlock: the state repeats)")) << r.out;
  r = run({"check", model, "--deadlock", "--deadlock-paths", "maximal"});
  EXPECT_TRUE(has(r.err, "note: --deadlock-paths has no effect")) << r.err;
}

TEST(CliCtl, ErrorsPointIntoTheFormula) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter_model);
  Result r = run({"check", model, "--ctl", "AG EF y"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "--ctl:1:7: error: in the atom 'y': unknown")) << r.err;
  EXPECT_TRUE(has(r.err, "     1 | AG EF y\n       |       ^")) << r.err;
  r = run({"check", model, "--ctl", "G EF x"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "--ctl:1:1: error: 'G' needs a path quantifier: AG or EG")) << r.err;
  // An atom that does not matter is still checked.
  EXPECT_EQ(run({"check", model, "--ctl", "EF(y || true)"}).exit_code, 2);
}

TEST(CliCtl, EnginesAreForTheirKindOfProperty) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter_model);
  Result r = run({"check", model, "--ctl", "EF x", "--engine", "scc"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "engine scc looks for infinite runs; CTL needs ctl, sweep or symbolic")) << r.err;
  r = run({"check", model, "--ltl", "F x", "--engine", "ctl"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "engine ctl decides CTL formulas; infinite runs need scc")) << r.err;
  for (const std::string engine : {"ctl", "symbolic"}) {
    r = run({"check", model, "--ctl", "EF x", "--engine", engine, "--threads", "2"});
    EXPECT_EQ(r.exit_code, 0) << r.err;
  }
  r = run({"check", model, "--deadlock", "--ctl", "EF x", "--engine", "ctl"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(has(r.err, "note: engine bfs for states: ctl decides CTL formulas")) << r.err;
}

TEST(CliCtl, WarningsDoNotRepeatTheVerdict) {
  const Folder folder;
  const std::string model = folder.write("m.dve", stuck);
  for (const std::string engine : {"ctl", "sweep", "symbolic"}) {
    const auto warnings = [&](const std::string& formula) {
      return run({"check", model, "--engine", engine, "--ctl", formula}).err;
    };
    for (const std::string formula : {"AG \"x <= 7\"", "EF \"x == 5\"", "!EF(\"x == 5\" || \"x == 6\")",
                                      "AG(\"x <= 7\" && !\"x == 5\") && EF \"x == 7\""})
      EXPECT_FALSE(has(warnings(formula), "every reachable state")) << engine << " " << formula;
    for (const std::string formula : {"AG(\"x == 5\" -> AX \"x == 7\")", "EG \"x <= 7\""})
      EXPECT_TRUE(has(warnings(formula), "in every reachable state")) << engine << " " << formula;
  }
}

TEST(CliCtl, NamedPropertiesHaveExpectations) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter_model);
  folder.write("m.props",
               "define two = x == 2\n"
               "property ends expect holds ctl AG EF two\n"
               "property must expect violated ctl AF two\n"
               "property never ctl \\\n  AG !two\n");
  Result r = run({"check", model, "--all", "--junit", folder.path("out.xml")});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "ends: holds  (ctl, AG EF two), as expected")) << r.out;
  EXPECT_TRUE(has(r.out, "must: violated  (ctl, AF two), as expected")) << r.out;
  EXPECT_TRUE(has(r.out, "never: violated  (ctl, AG !two)")) << r.out;
  EXPECT_TRUE(has(folder.read("out.xml"), "type=\"ctl\"")) << folder.read("out.xml");
  EXPECT_EQ(run({"check", model, "--property", "ends"}).exit_code, 0);
  folder.write("m.props", "property bad ctl AG(x\n");
  r = run({"check", model, "--all"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "property bad:1:3: error: this '(' is not closed")) << r.err;
}

TEST(CliCtl, RunsAreSavedAndReplayed) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter_model);
  const std::string file = folder.path("t.itf.json");
  for (const std::string formula :
       {"AG EF \"x == 0\"", "AF \"x == 2\"", "EF \"x == 2\"", "EX EX EX \"x == 2\""}) {
    run({"check", model, "--ctl", formula, "--trace", file});
    const Result r = run({"trace", file});
    EXPECT_EQ(r.exit_code, 0) << formula << r.out << r.err;
    EXPECT_TRUE(
        has(r.out, formula[0] == 'A' ? "a run that violates ctl (ctl, " : "a run that is a witness of ctl"))
        << r.out;
  }
  run({"check", model, "--ctl", "AG EX true", "--deadlock-paths", "maximal", "--trace", file});
  EXPECT_EQ(run({"trace", file}).exit_code, 0);
  // The same run does not show anything when the deadlock repeats.
  std::string text = folder.read("t.itf.json");
  const std::string meta = ",\"deadlock_paths\":\"maximal\"";
  const auto at = text.find(meta);
  ASSERT_NE(at, std::string::npos) << text;
  folder.write("t.itf.json", text.erase(at, meta.size()));
  const Result r = run({"trace", file});
  EXPECT_EQ(r.exit_code, 1) << r.out;
  EXPECT_TRUE(has(r.out, "but not a run that violates")) << r.out;
}

TEST(CliCtl, ModelErrorsLeaveVerdictsOpen) {
  const Folder folder;
  const std::string model = folder.write("m.dve", overflow);
  const Result r = run({"check", model, "--ctl", "EF \"x == 254\"", "--ctl", "AG EF \"x == 0\""});
  EXPECT_TRUE(has(r.out, "ctl: holds")) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "ctl-2: unknown")) << r.out;
  EXPECT_TRUE(has(r.out, "runs that end in a model error were not followed")) << r.out;
  EXPECT_TRUE(has(r.out, "model-errors: violated")) << r.out;
}

TEST(CliCtl, LimitsEndItAsUnknown) {
  const Folder folder;
  const std::string model = folder.write("m.dve", endless);
  Result r = run({"check", model, "--ctl", "AG EF true", "--time", "0.2"});
  EXPECT_EQ(r.exit_code, 3) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "time limit")) << r.out;
  r = run({"check", model, "--engine", "ctl", "--ctl", "EF EX true", "--memory", "50M"});
  EXPECT_EQ(r.exit_code, 3) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "memory limit")) << r.out;
}

TEST(CliCtl, NoTraceKeepsNoRuns) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter_model);
  const Result r = run({"check", model, "--ctl", "AG EF \"x == 0\"", "--no-trace"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_FALSE(has(r.out, "counterexample")) << r.out;
}

}  // namespace
}  // namespace tideline::test
