// The Model Checking Contest from the command line: examinations, their lines, files of formulas, bad input.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "program.hpp"

namespace tideline::test {
namespace {

/// A folder with the net p -> t -> q -> u -> r that is a deadlock after two steps, and `files` of formulas.
/// The place s has a token all the time.
class Instance {
 public:
  Instance() {
    std::filesystem::create_directory(folder_.path("Chain-PT-1"));
    folder_.write("Chain-PT-1/model.pnml",
                  "<pnml><net id='n' type='ptnet'><page id='g'>"
                  "<place id='p'><initialMarking><text>1</text></initialMarking></place>"
                  "<place id='q'/><place id='r'/>"
                  "<place id='s'><initialMarking><text>1</text></initialMarking></place>"
                  "<transition id='t'/><transition id='u'/>"
                  "<arc id='a' source='p' target='t'/><arc id='b' source='t' target='q'/>"
                  "<arc id='c' source='q' target='u'/><arc id='d' source='u' target='r'/>"
                  "</page></net></pnml>");
  }

  std::string write(const std::string& file, const std::vector<std::string>& formulas) const {
    std::string text = "<property-set>\n";
    for (std::size_t i = 0; i < formulas.size(); ++i)
      text += "<property><id>f" + std::to_string(i) + "</id><formula>\n" + formulas[i] +
              "\n</formula></property>\n";
    return folder_.write("Chain-PT-1/" + file, text + "</property-set>\n");
  }

  std::string path(const std::string& name = "") const { return folder_.path("Chain-PT-1/" + name); }

 private:
  Folder folder_;
};

/// The lines without techniques, in any order.
std::set<std::string> answers(const Result& r) {
  std::set<std::string> lines;
  std::istringstream stream(r.out);
  for (std::string line; std::getline(stream, line);) lines.insert(line.substr(0, line.find(" TECHNIQUES ")));
  return lines;
}

std::string in(const std::string& tag, const std::string& inside) {
  return "<" + tag + ">" + inside + "</" + tag + ">";
}

std::string tokens(const std::string& place) {
  return in("integer-le", in("integer-constant", "1") + in("tokens-count", in("place", place)));
}

using Lines = std::set<std::string>;

TEST(Contest, EveryEngineAnswersAboutTheNet) {
  const Instance instance;
  for (const char* engine : {"auto", "symbolic", "explicit"})
    for (const auto& [examination, answer] : {std::pair("ReachabilityDeadlock", "TRUE"),
                                              {"OneSafe", "TRUE"},
                                              {"StableMarking", "TRUE"},
                                              {"QuasiLiveness", "TRUE"},
                                              {"Liveness", "FALSE"}}) {
      const Result r = run({"mcc", instance.path(), examination, "--engine", engine});
      EXPECT_EQ(r.exit_code, 0) << r.err;
      EXPECT_EQ(answers(r), Lines{std::string("FORMULA Chain-PT-1-") + examination + " " + answer}) << engine;
    }
}

TEST(Contest, StateSpacesAreCounted) {
  const Instance instance;
  for (const char* engine : {"symbolic", "explicit"})
    EXPECT_EQ(answers(run({"mcc", instance.path(), "StateSpace", "--engine", engine})),
              (Lines{"STATE_SPACE STATES 3", "STATE_SPACE TRANSITIONS 2", "STATE_SPACE MAX_TOKEN_IN_PLACE 1",
                     "STATE_SPACE MAX_TOKEN_PER_MARKING 2"}));
}

TEST(Contest, BoundsAreSums) {
  const Instance instance;
  instance.write("UpperBounds.xml", {in("place-bound", "<place>p</place><place>s</place>"),
                                     in("place-bound", "<place>p</place><place>r</place>")});
  for (const char* engine : {"symbolic", "explicit"})
    EXPECT_EQ(answers(run({"mcc", instance.path(), "UpperBounds", "--engine", engine})),
              (Lines{"FORMULA f0 2", "FORMULA f1 1"}));
}

TEST(Contest, FormulasOfMarkings) {
  const Instance instance;
  instance.write("ReachabilityCardinality.xml",
                 {in("exists-path", in("finally", tokens("r"))), in("all-paths", in("globally", tokens("p"))),
                  in("exists-path", in("finally", in("conjunction", tokens("p") + tokens("r")))),
                  in("all-paths", in("globally", tokens("s")))});
  for (const char* engine : {"auto", "symbolic", "explicit"})
    EXPECT_EQ(answers(run({"mcc", instance.path(), "ReachabilityCardinality", "--engine", engine})),
              (Lines{"FORMULA f0 TRUE", "FORMULA f1 FALSE", "FORMULA f2 FALSE", "FORMULA f3 TRUE"}));
}

// The questions need only a part of the net.
TEST(Contest, QuestionsAboutMarkingsAreAskedOfASmallerNet) {
  const Instance instance;
  instance.write("ReachabilityCardinality.xml", {in("exists-path", in("finally", tokens("r"))),
                                                 in("all-paths", in("globally", tokens("r")))});
  for (const char* engine : {"auto", "symbolic", "explicit"}) {
    const Result r = run({"mcc", instance.path(), "ReachabilityCardinality", "--engine", engine});
    EXPECT_EQ(answers(r), (Lines{"FORMULA f0 TRUE", "FORMULA f1 FALSE"}));
    EXPECT_TRUE(has(r.out, "STRUCTURAL_REDUCTION")) << r.out;
  }
}

// The third state is a deadlock: in LTL X is about a run that repeats it, in CTL about no run.
TEST(Contest, DeadlocksRepeatInLtlAndEndRunsInCtl) {
  const Instance instance;
  const auto next = [](const std::string& f) { return in("next", f); };
  const auto all = [](const std::string& f) { return in("all-paths", f); };
  const auto some = [](const std::string& f) { return in("exists-path", f); };
  instance.write("LTLCardinality.xml",
                 {all(next(next(next(tokens("r"))))), all(next(next(next(tokens("p")))))});
  for (const char* engine : {"auto", "symbolic", "explicit"})
    EXPECT_EQ(answers(run({"mcc", instance.path(), "LTLCardinality", "--engine", engine})),
              (Lines{"FORMULA f0 TRUE", "FORMULA f1 FALSE"}))
        << engine;
  instance.write("CTLCardinality.xml",
                 {all(next(all(next(all(next(tokens("r"))))))), all(next(all(next(all(next(tokens("p"))))))),
                  some(next(some(next(some(next(tokens("r")))))))});
  for (const char* engine : {"auto", "symbolic", "explicit"})
    EXPECT_EQ(answers(run({"mcc", instance.path(), "CTLCardinality", "--engine", engine})),
              (Lines{"FORMULA f0 TRUE", "FORMULA f1 TRUE", "FORMULA f2 FALSE"}))
        << engine;

  const std::string file = instance.path("CTLCardinality.xml");
  const Result maximal = run({"check", instance.path("model.pnml"), "--formulas", file, "--quiet"});
  EXPECT_TRUE(has(maximal.out, "f1: holds  (ctl, AX AX AX \"1 <= tokens(p)\", maximal runs)"))
      << maximal.out << maximal.err;
  EXPECT_TRUE(has(maximal.out, "f2: violated")) << maximal.out;
  EXPECT_EQ(maximal.exit_code, 1);
  const Result stutter = run(
      {"check", instance.path("model.pnml"), "--formulas", file, "--quiet", "--deadlock-paths", "stutter"});
  EXPECT_TRUE(has(stutter.out, "f1: violated")) << stutter.out;
  EXPECT_TRUE(has(stutter.out, "f2: holds")) << stutter.out;
  const Result ltl = run(
      {"check", instance.path("model.pnml"), "--formulas", instance.path("LTLCardinality.xml"), "--quiet"});
  EXPECT_TRUE(has(ltl.out, "f1: violated  (ltl, XXX \"1 <= tokens(p)\")")) << ltl.out << ltl.err;
}

// A machine that is switched on and writes to a log for ever.
TEST(Contest, OfUnboundedNetsWhatIsFiniteIsAnswered) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  const Folder folder;
  std::filesystem::create_directory(folder.path("Log-PT-1"));
  folder.write("Log-PT-1/model.pnml",
               "<pnml><net id='n' type='ptnet'><page id='g'>"
               "<place id='off'><initialMarking><text>1</text></initialMarking></place>"
               "<place id='idle'/><place id='busy'/><place id='log'/>"
               "<transition id='boot'/><transition id='begin'/><transition id='finish'/>"
               "<arc id='a' source='off' target='boot'/><arc id='b' source='boot' target='idle'/>"
               "<arc id='c' source='idle' target='begin'/><arc id='d' source='begin' target='busy'/>"
               "<arc id='e' source='busy' target='finish'/><arc id='f' source='finish' target='idle'/>"
               "<arc id='h' source='finish' target='log'/></page></net></pnml>");
  const auto bound = [](const std::string& id, const std::string& place) {
    return "<property><id>" + id + "</id><formula>" + in("place-bound", in("place", place)) +
           "</formula></property>";
  };
  folder.write("Log-PT-1/UpperBounds.xml",
               in("property-set", bound("grows", "log") + bound("does-not", "busy")));
  for (const char* engine : {"auto", "symbolic", "explicit"}) {
    const auto exam = [&](const char* name) {
      return run({"mcc", folder.path("Log-PT-1"), name, "--engine", engine, "--memory", "64M"});
    };
    for (const auto& [examination, answer] : {std::pair("OneSafe", "FALSE"),
                                              {"StableMarking", "FALSE"},
                                              {"QuasiLiveness", "TRUE"},
                                              {"ReachabilityDeadlock", "FALSE"}}) {
      const Result r = exam(examination);
      EXPECT_EQ(r.exit_code, 0) << engine << examination << r.err;
      EXPECT_EQ(answers(r), Lines{std::string("FORMULA Log-PT-1-") + examination + " " + answer}) << engine;
    }
    const Result space = exam("StateSpace");
    EXPECT_EQ(space.exit_code, 3);
    EXPECT_EQ(space.out, "CANNOT_COMPUTE\n") << engine;
    EXPECT_TRUE(
        has(space.err, "note: the net is unbounded: after boot the sequence begin, finish can be repeated"))
        << space.err;
    const Result bounds = exam("UpperBounds");
    EXPECT_EQ(bounds.exit_code, 3) << engine;
    EXPECT_EQ(answers(bounds), Lines{"FORMULA does-not 1"}) << engine;
  }
}

TEST(Contest, UnansweredQuestionsAreReported) {
  const Instance instance;
  instance.write("CTLCardinality.xml", {in("all-paths", in("next", tokens("p")))});
  const Result nothing = run({"mcc", instance.path(), "CTLCardinality", "--time", "0.000001ms"});
  EXPECT_EQ(nothing.out, "CANNOT_COMPUTE\n");
  EXPECT_EQ(nothing.exit_code, 3);
  const Result unknown = run({"mcc", instance.path(), "Elegance"});
  EXPECT_EQ(unknown.out, "DO_NOT_COMPETE\n");
  EXPECT_EQ(unknown.exit_code, 3);
}

// An automaton has at most 64 atoms. The other formulas are still answered.
TEST(Contest, AFormulaThatIsTooLargeIsSkipped) {
  const Instance instance;
  std::string many;
  for (int i = 0; i < 70; ++i)
    many += in("finally", in("integer-le", in("integer-constant", std::to_string(i)) +
                                               in("tokens-count", in("place", "p"))));
  instance.write("LTLCardinality.xml",
                 {in("all-paths", in("conjunction", many)), in("all-paths", in("next", tokens("q")))});
  const Result r = run({"mcc", instance.path(), "LTLCardinality"});
  EXPECT_EQ(answers(r), Lines{"FORMULA f1 TRUE"});
  EXPECT_TRUE(has(r.err, "note: f0: ")) << r.err;
  EXPECT_EQ(r.exit_code, 3);
}

TEST(Contest, BadInput) {
  const Instance instance;
  const Result missing = run({"mcc", instance.path(), "UpperBounds"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_TRUE(has(missing.err, "UpperBounds.xml': No such file or directory")) << missing.err;
  instance.write("UpperBounds.xml", {in("place-bound", "<place>pp</place>")});
  const Result wrong = run({"mcc", instance.path(), "UpperBounds"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.out, "");
  EXPECT_TRUE(has(wrong.err, "UpperBounds.xml:3:14: error: there is no place 'pp'; did you mean 'p'?"))
      << wrong.err;
  const Result bound = run({"check", instance.path("model.pnml"), "--formulas",
                            instance.write("bound.xml", {in("place-bound", "<place>p</place>")})});
  EXPECT_EQ(bound.exit_code, 2);
  EXPECT_TRUE(has(bound.err, "'f0' asks for a bound")) << bound.err;
  const Folder folder;
  const Result no_net =
      run({"check", folder.write("m.dve", peterson), "--formulas", instance.path("bound.xml")});
  EXPECT_EQ(no_net.exit_code, 2);
  EXPECT_TRUE(has(no_net.err, "files of formulas are about Petri nets")) << no_net.err;
  EXPECT_EQ(run({"mcc", folder.path(), "StateSpace"}).exit_code, 2);
  EXPECT_EQ(run({"mcc", instance.path()}).exit_code, 2);
}

// The net claims to be safe, and is not: what follows from that claim is not answered.
TEST(Contest, ModelErrorsProveNothing) {
  const Folder folder;
  folder.write("model.pnml",
               "<pnml><net id='n' type='ptnet'><page id='g'>"
               "<place id='p'><initialMarking><text>1</text></initialMarking></place><place id='q'/>"
               "<transition id='t'/><arc id='a' source='t' target='q'/>"
               "</page><toolspecific tool='nupn' version='1.1'><size places='2' transitions='1' arcs='1'/>"
               "<structure units='1' root='u' safe='true'><unit id='u'><places>p q</places><subunits/></unit>"
               "</structure></toolspecific></net></pnml>");
  for (const char* engine : {"symbolic", "explicit"})
    for (const char* examination : {"StateSpace", "OneSafe", "Liveness"}) {
      const Result r = run({"mcc", folder.path(), examination, "--engine", engine});
      EXPECT_EQ(r.out, "CANNOT_COMPUTE\n") << engine << examination;
      EXPECT_EQ(r.exit_code, 3);
    }
}

}  // namespace
}  // namespace tideline::test
