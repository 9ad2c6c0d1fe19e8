// Infinite runs from the command line: property processes, lassos, and saved traces of them.
#include <gtest/gtest.h>

#include "program.hpp"

namespace tideline::test {
namespace {

/// x counts 0, 1, 2 and then goes round or stops; L accepts runs on which x is 0 only finitely often.
std::string counter(const std::string& at_two) {
  return "byte x; process P { state s; init s; trans s -> s { guard x < 2; effect x = x + 1; }" + at_two +
         "; } process L { state wait, never; init wait; accept never; trans wait -> wait {}, "
         "wait -> never { guard x != 0; }, never -> never { guard x != 0; }; } system async property L;";
}

TEST(Liveness, APropertyProcessIsChecked) {
  const Folder folder;
  const std::string good = folder.write("good.dve", counter(", s -> s { guard x == 2; effect x = 0; }"));
  const std::string bad = folder.write("bad.dve", counter(", s -> s { guard x == 2; effect x = 1; }"));
  for (const std::string engine : {"auto", "scc", "ndfs"}) {
    Result r = run({"check", good, "--engine", engine});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "L: holds  (automaton)")) << r.out;
    r = run({"check", bad, "--engine", engine});
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

TEST(Liveness, EnginesForStatesAreRefused) {
  const Folder folder;
  const Result r = run({"check", folder.write("m.dve", counter("")), "--engine", "bfs"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "infinite runs need ndfs or scc")) << r.err;
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
  EXPECT_TRUE(has(r.out, "bfs+scc:")) << r.out;
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
  for (const std::string edge : {"effect n = n + 1;", "guard 1 / n == 0;"}) {
    const std::string model = folder.write(
        "m.dve",
        "process P { state a; init a; trans a -> a {}; } process L { byte n; state q; init q; accept q; "
        "trans q -> q { " +
            edge + " }; } system async property L;");
    for (const std::string engine : {"scc", "ndfs"}) {
      const Result r = run({"check", model, "--engine", engine});
      EXPECT_EQ(r.exit_code, 3) << r.out;
      EXPECT_TRUE(has(r.out, "L: unknown")) << r.out;
    }
  }
}

TEST(Ltl, FormulasHoldOrComeWithALasso) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  for (const std::string engine : {"auto", "scc", "ndfs"}) {
    Result r = run({"check", model, "--ltl", "[](P_0.wait -> <> P_0.CS)", "--engine", engine});
    EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
    EXPECT_TRUE(has(r.out, "ltl: holds  (ltl, G(P_0.wait -> F P_0.CS))")) << r.out;
    r = run({"check", model, "--ltl", "G F \"turn == 1\"", "--engine", engine});
    EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
    EXPECT_TRUE(has(r.out, "for ever")) << r.out;
  }
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
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "live: holds")) << r.out;
  EXPECT_TRUE(has(r.out, "often: violated")) << r.out;
  // A trace is judged by what the model says of the property now.
  const std::string trace = folder.path("often.json");
  ASSERT_EQ(run({"check", good, "--property", "often", "--trace", trace}).exit_code, 1);
  EXPECT_EQ(run({"trace", trace}).exit_code, 0);
  folder.write("p.props", "property often ltl G true\n");
  EXPECT_EQ(run({"trace", trace}).exit_code, 1);
  // Here the processes that the formulas speak of do not exist.
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
  hoa.replace(hoa.find("turn"), 4, "tune");
  r = run({"check", model, "--automaton", folder.write("b.hoa", hoa)});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "did you mean 'turn'")) << r.err;
}

}  // namespace
}  // namespace tideline::test
