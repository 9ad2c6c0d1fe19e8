// Petri nets through the command line: engines that agree, runs, names in quotes, errors with their places.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

namespace tideline::test {
namespace {

const std::string readers_writers = std::string(TIDELINE_DOCS) + "/../models/readers_writers.pnml";
const std::string philosophers = std::string(TIDELINE_DOCS) + "/../models/philosophers.pnml";

TEST(Nets, EveryEngineAgrees) {
  for (const auto& [model, states] : {std::pair(readers_writers, 23U), {philosophers, 198U}})
    for (const char* engine : {"bfs", "dfs", "sweep"}) {
      const Result r = run({"explore", model, "--engine", engine, "--quiet", "--json", "-"});
      EXPECT_EQ(r.exit_code, 0) << r.err;
      EXPECT_EQ(nlohmann::json::parse(r.out)["statistics"]["states"], states) << engine;
    }
}

TEST(Nets, RunsNameTransitionsAndPlaces) {
  const Result r = run({"check", philosophers, "--reach", "Eats == 3 && !fireable(take)"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "witness of 6 steps")) << r.out;
  EXPECT_TRUE(has(r.out, "take_other_1    HasOne_1: 1 -> 0, Eats_1: 0 -> 1, Fork_2: 1 -> 0\n")) << r.out;
}

TEST(Nets, NamesInQuotesAndFormulas) {
  const Folder folder;
  const std::string model = folder.write(
      "m.pnml",
      "<pnml><net id='n' type='ptnet'><page id='g'><place "
      "id='a-b'><initialMarking><text>1</text></initialMarking>"
      "</place><transition id='t-1'/><arc id='a' source='a-b' target='t-1'/></page></net></pnml>");
  EXPECT_EQ(run({"check", model, "--invariant", "'a-b' <= 1"}).exit_code, 0);
  EXPECT_EQ(run({"check", model, "--ltl", "F \"'a-b' == 0 && !fireable('t-1')\""}).exit_code, 0);
  EXPECT_EQ(run({"check", model, "--ctl", "AG \"'a-b' == 1\""}).exit_code, 1);
  EXPECT_EQ(run({"check", model, "--engine", "sweep", "--progress", "-\"a-b\"", "--deadlock"}).exit_code, 1);
  const Result r = run({"check", model, "--invariant", "a-b <= 1"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "there is no place 'a'")) << r.err;
}

TEST(Nets, ErrorsPointAtTheText) {
  const Folder folder;
  const Result r =
      run({"explore", folder.write("m.pnml", "<pnml>\n <net id='n' type='ptnet'>\n  <place/>\n")});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(
      has(r.err, "m.pnml:3:3: error: 'place' has no attribute 'id'\n     3 |   <place/>\n       |   ^\n"))
      << r.err;
  EXPECT_TRUE(has(r.err, "m.pnml:4:1: error: the text ends too early")) << r.err;
}

TEST(Nets, ManyTokensAreAModelError) {
  const Folder folder;
  const std::string model = folder.write(
      "m.pnml",
      "<pnml><net id='n' type='ptnet'><page id='g'><place id='p'><initialMarking><text>2000000000</text>"
      "</initialMarking></place><transition id='t'/><arc id='a' source='t' "
      "target='p'><inscription><text>100000000"
      "</text></inscription></arc></page></net></pnml>");
  const Result r = run({"check", model, "--deadlock"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "value 2200000000 does not fit p (0..2147483647)")) << r.out;
}

/// A place/transition net; `arcs` are "from to" with spaces between them, `marked` has a token at first.
std::string net_of(const std::vector<std::string>& places, const std::vector<std::string>& transitions,
                   const std::string& marked, const std::string& arcs) {
  std::string text = "<pnml><net id='n' type='ptnet'><page id='g'>";
  for (const std::string& place : places)
    text += "<place id='" + place + "'>" +
            (place == marked ? "<initialMarking><text>1</text></initialMarking>" : "") + "</place>";
  for (const std::string& transition : transitions) text += "<transition id='" + transition + "'/>";
  std::istringstream words(arcs);
  for (std::string from, to; words >> from >> to;)
    text += "<arc id='" + from + "-" + to + "' source='" + from + "' target='" + to + "'/>";
  return text + "</page></net></pnml>";
}

const std::string fills = net_of({"y"}, {"t"}, "", "t y");
/// Boots, and then works for ever; each piece of work leaves a log entry.
const std::string log_net =
    net_of({"off", "idle", "busy", "log"}, {"boot", "begin", "finish"}, "off",
           "off boot boot idle idle begin begin busy busy finish finish idle finish log");
const std::string why_logs =
    "the net is unbounded: after boot the sequence begin, finish can be repeated for ever, and adds tokens "
    "to "
    "log each time";

TEST(UnboundedNets, AreReportedByEveryEngine) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  const Folder folder;
  const std::string model = folder.write("m.pnml", log_net);
  for (const char* engine :
       {"auto", "portfolio", "bfs", "dfs", "bitstate", "walk", "cache", "sweep", "symbolic"}) {
    const Result r = run({"check", model, "--deadlock", "--engine", engine, "--memory", "64M", "--time", "1s",
                          "--json", folder.path("a.json")});
    EXPECT_EQ(r.exit_code, 3) << engine << r.err;
    EXPECT_TRUE(has(r.out, "deadlock: unknown  (deadlock)\n")) << engine << r.out;
    EXPECT_TRUE(has(r.out, why_logs + "\n")) << engine << r.out;
    const auto answer = nlohmann::json::parse(folder.read("a.json"));
    const nlohmann::json proof = {
        {"prefix", {"boot"}}, {"sequence", {"begin", "finish"}}, {"grows", {"log"}}};
    EXPECT_EQ(answer["unbounded"], proof) << engine;
    EXPECT_LT(answer["statistics"]["peak_rss_bytes"], 64 << 20) << engine;
  }
  for (const char* formula : {"--ctl", "--ltl"}) {
    const std::string text = formula[2] == 'c' ? "AG EF \"busy == 1\"" : "G F \"log > 0\"";
    for (const char* engine : {"auto", "symbolic", "sweep"}) {
      const Result r =
          run({"check", model, formula, text, "--engine", engine, "--memory", "64M", "--time", "1s"});
      EXPECT_EQ(r.exit_code, 3) << engine << formula << r.err;
      EXPECT_TRUE(has(r.out, why_logs)) << engine << formula << r.out;
    }
  }
}

TEST(UnboundedNets, ViolationsAndWitnessesAreStillAnswers) {
  const Folder folder;
  const std::string model = folder.write("m.pnml", log_net);
  for (const char* engine : {"auto", "bfs", "sweep"}) {
    EXPECT_EQ(run({"check", model, "--invariant", "log <= 20", "--engine", engine}).exit_code, 1) << engine;
    EXPECT_EQ(run({"check", model, "--reach", "log == 20", "--engine", engine}).exit_code, 0) << engine;
  }
  // Runs that violate it end at once: their product with the net is finite.
  EXPECT_EQ(run({"check", model, "--ltl", "X \"idle == 1\""}).exit_code, 0);
  const Result deep = run({"check", model, "--deadlock", "--depth", "30"});
  EXPECT_EQ(deep.exit_code, 3) << deep.err;
  EXPECT_TRUE(has(deep.out, "depth bound of 30 reached; " + why_logs)) << deep.out;
}

TEST(UnboundedNets, AreNotCounted) {
  const Folder folder;
  const std::string model = folder.write("m.pnml", fills);
  for (const char* engine : {"auto", "bfs", "dfs", "symbolic", "sweep"}) {
    const Result r = run({"explore", model, "--engine", engine, "--json", folder.path("a.json")});
    EXPECT_EQ(r.exit_code, 3) << engine << r.err;
    EXPECT_TRUE(
        has(r.err, "note: the net is unbounded: t can be repeated for ever, and adds tokens to y each time"))
        << r.err;
    EXPECT_EQ(nlohmann::json::parse(folder.read("a.json"))["unbounded"]["sequence"], nlohmann::json{"t"});
  }
  const Result graph = run({"explore", model, "--dot", folder.path("g.dot")});
  EXPECT_EQ(graph.exit_code, 3);
  EXPECT_TRUE(has(graph.err, "the graph is not written")) << graph.err;
}

// The place that grows does not matter to the property: without it the net is finite.
TEST(UnboundedNets, MayBeBoundedWhenTheyAreReduced) {
  const Folder folder;
  const std::string model = folder.write("m.pnml", log_net);
  EXPECT_EQ(run({"check", model, "--invariant", "busy <= 1", "--time", "1s"}).exit_code, 3);
  const Result r = run({"check", model, "--invariant", "busy <= 1", "--reduce-net"});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  const Result kept =
      run({"check", model, "--invariant", "log + busy >= 0", "--reduce-net", "--time", "1s", "--json", "-"});
  EXPECT_EQ(kept.exit_code, 3) << kept.out << kept.err;
  const auto proof = nlohmann::json::parse(kept.out)["unbounded"];
  EXPECT_EQ(proof["grows"], nlohmann::json{"log"}) << kept.out;
  for (const char* part : {"prefix", "sequence"})
    for (const std::string transition : proof[part])
      EXPECT_TRUE(transition == "boot" || transition == "begin" || transition == "finish") << transition;
}

TEST(UnboundedNets, ColouredOnesToo) {
  const Folder folder;
  std::ifstream file(philosophers);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // A philosopher who has eaten keeps the forks and gives them back as well.
  const auto arc = text.find("target=\"Fork\"");
  ASSERT_NE(arc, std::string::npos);
  const auto begin = text.rfind("<arc", arc), end = text.find("</arc>", arc) + 6;
  text.insert(end,
              text.substr(begin, end - begin).replace(text.substr(begin).find("id=\"") + 4, 0, "again_"));
  const Result r = run({"explore", folder.write("m.pnml", text)});
  EXPECT_EQ(r.exit_code, 3) << r.out << r.err;
  EXPECT_TRUE(has(r.err, "the net is unbounded: the sequence take_1, ")) << r.err;
}

TEST(Nets, ProgressMayBeLinear) {
  const Folder folder;
  const std::string model = folder.write("m.pnml",
                                         "<pnml><net id='n' type='ptnet'><page id='g'><place "
                                         "id='p'><initialMarking><text>9</text></initialMarking></place>"
                                         "<place id='q'/><place id='r'/><transition id='t'/><transition "
                                         "id='u'/><arc id='a' source='p' target='t'/>"
                                         "<arc id='b' source='t' target='q'/><arc id='c' source='q' "
                                         "target='u'/><arc id='d' source='u' target='r'/>"
                                         "</page></net></pnml>");
  const Result r = run({"progress", model, "--origin", "linear", "--quiet", "--json", "-"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const auto candidate = nlohmann::json::parse(r.out)["candidates"][0];
  EXPECT_EQ(candidate["origin"], "linear");
  EXPECT_EQ(candidate["measure"], "monotone -2 * p - q");
}

/// Two processes that take two locks in turns, with steps in between that matter little.
const char* const locks = R"(<pnml><net id='n' type='ptnet'><page id='g'>
<place id='a'><initialMarking><text>1</text></initialMarking></place>
<place id='b'><initialMarking><text>1</text></initialMarking></place>
<place id='p0'><initialMarking><text>1</text></initialMarking></place><place id='p1'/><place id='p2'/><place id='p3'/>
<place id='q0'><initialMarking><text>1</text></initialMarking></place><place id='q1'/><place id='q2'/><place id='q3'/>
<place id='count'/><place id='never'/>
<transition id='pa'/><transition id='pb'/><transition id='pwork'/><transition id='pend'/>
<transition id='qb'/><transition id='qa'/><transition id='qwork'/><transition id='qend'/><transition id='dead'/>
<arc id='1' source='p0' target='pa'/><arc id='2' source='a' target='pa'/><arc id='3' source='pa' target='p1'/>
<arc id='4' source='p1' target='pb'/><arc id='5' source='b' target='pb'/><arc id='6' source='pb' target='p2'/>
<arc id='7' source='p2' target='pwork'/><arc id='8' source='pwork' target='p3'/>
<arc id='10' source='p3' target='pend'/><arc id='11' source='pend' target='p0'/><arc id='12' source='pend' target='a'/>
<arc id='13' source='pend' target='b'/>
<arc id='21' source='q0' target='qb'/><arc id='22' source='b' target='qb'/><arc id='23' source='qb' target='q1'/>
<arc id='24' source='q1' target='qa'/><arc id='25' source='a' target='qa'/><arc id='26' source='qa' target='q2'/>
<arc id='27' source='q2' target='qwork'/><arc id='28' source='qwork' target='q3'/>
<arc id='30' source='q3' target='qend'/><arc id='31' source='qend' target='q0'/><arc id='32' source='qend' target='a'/>
<arc id='33' source='qend' target='b'/>
<arc id='41' source='never' target='dead'/><arc id='42' source='dead' target='a'/>
</page></net></pnml>)";

TEST(ReducedNets, AnswersAreTheSameAndRunsAreOfTheGivenNet) {
  const Folder folder;
  const std::string model = folder.write("m.pnml", locks), trace = folder.path("run.itf.json");
  const std::pair<std::vector<std::string>, std::vector<std::string>> questions[] = {
      {{"--deadlock"}, {"bfs", "dfs", "sweep", "symbolic"}},
      {{"--reach", "p3 == 1 && q0 == 1"}, {"bfs", "dfs", "sweep", "symbolic"}},
      {{"--invariant", "!fireable(pend, qend)"}, {"bfs", "symbolic"}},
      {{"--invariant", "p3 + q3 <= 1"}, {"bfs", "symbolic"}},
      {{"--ltl", "G F \"p0 == 1\""}, {"scc", "ndfs", "map", "sweep", "symbolic"}},
      {{"--ltl", "G !\"p3 == 1\""}, {"auto", "scc", "symbolic"}},
      {{"--ltl", "F \"p3 == 1\" || F \"q3 == 1\""}, {"scc", "owcty"}},
      {{"--ltl", "X \"p0 == 0\""}, {"scc", "symbolic"}},
      {{"--ctl", "AG EF \"p3 == 1\""}, {"ctl", "sweep", "symbolic"}},
      {{"--ctl", "EX EX \"p2 == 1\""}, {"ctl"}},
  };
  for (const auto& [question, names] : questions)
    for (const std::string& engine : names) {
      std::vector<std::string> arguments{"check", model, "--engine", engine};
      arguments.insert(arguments.end(), question.begin(), question.end());
      const Result given = run(arguments);
      arguments.insert(arguments.end(), {"--reduce-net", "--trace", trace});
      const Result reduced = run(arguments);
      EXPECT_LT(given.exit_code, 2) << given.err;
      EXPECT_EQ(reduced.exit_code, given.exit_code) << question[1 % question.size()] << engine << reduced.err;
      EXPECT_TRUE(has(reduced.err, "note: net reduced from 12 places, 9 transitions to ")) << reduced.err;
      const bool shown = has(reduced.out, "counterexample of") || has(reduced.out, "witness of");
      EXPECT_EQ(shown, has(given.out, "counterexample of") || has(given.out, "witness of"));
      if (!shown) continue;
      const Result replayed = run({"trace", trace, "--model", model});
      EXPECT_EQ(replayed.exit_code, 0) << replayed.out << replayed.err;
    }
}

TEST(ReducedNets, SaysWhatItDid) {
  const Folder folder;
  const std::string model = folder.write("m.pnml", locks);
  const Result r = run({"check", model, "--deadlock", "--reduce-net", "--json", folder.path("answer.json")});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(has(r.err, "1 dead transition, ")) << r.err;
  const auto answer = nlohmann::json::parse(folder.read("answer.json"));
  EXPECT_EQ(answer["statistics"]["given_places"], 12);
  EXPECT_EQ(answer["statistics"]["given_transitions"], 9);
  EXPECT_LT(answer["statistics"]["places_left"], 8);
  EXPECT_EQ(answer["properties"][0]["trace"]["vars"].size(), 12U);
  EXPECT_EQ(run({"check", model, "--deadlock", "--reduce-net", "--quiet"}).err, "");
}

TEST(ReducedNets, OnlyNetsAndNoMeasures) {
  const Folder folder;
  const Result process = run({"check", folder.write("m.dve", peterson), "--deadlock", "--reduce-net"});
  EXPECT_EQ(process.exit_code, 2);
  EXPECT_TRUE(has(process.err, "only Petri nets (.pnml) can be reduced")) << process.err;
  const Result measure = run({"check", folder.write("m.pnml", locks), "--deadlock", "--reduce-net",
                              "--engine", "sweep", "--progress", "p0"});
  EXPECT_EQ(measure.exit_code, 2);
  EXPECT_TRUE(has(measure.err, "leave the measure out")) << measure.err;
}

TEST(ReducedNets, DeadlocksAreThoseOfTheGivenNet) {
  // In the smaller net h waits for f, which never comes after bad; in the given net h can still be fired.
  const Folder folder;
  const std::string model = folder.write("m.pnml", R"(<pnml><net id='n' type='ptnet'><page id='g'>
<place id='a'><initialMarking><text>1</text></initialMarking></place><place id='b'/><place id='p'/>
<place id='x'><initialMarking><text>1</text></initialMarking></place><place id='k'/>
<place id='z'><initialMarking><text>1</text></initialMarking></place>
<transition id='h'/><transition id='f'/><transition id='good'/><transition id='bad'/><transition id='m'/>
<arc id='1' source='a' target='h'/><arc id='2' source='b' target='h'/><arc id='3' source='h' target='p'/>
<arc id='4' source='p' target='f'/><arc id='5' source='k' target='f'/><arc id='6' source='f' target='a'/>
<arc id='7' source='f' target='b'/><arc id='8' source='f' target='k'/><arc id='9' source='z' target='m'/>
<arc id='10' source='m' target='b'/><arc id='11' source='x' target='good'/><arc id='12' source='good' target='k'/>
<arc id='13' source='x' target='bad'/></page></net></pnml>)");
  for (const std::vector<std::string>& question :
       {std::vector<std::string>{"--deadlock"}, {"--ltl", "F \"k == 1\"", "--engine", "scc"}}) {
    std::vector<std::string> arguments{"check", model, "--reduce-net"};
    arguments.insert(arguments.end(), question.begin(), question.end());
    const Result r = run(arguments);
    EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
    EXPECT_TRUE(has(r.err, "1 pre-agglomeration")) << r.err;
    EXPECT_TRUE(has(r.out, "  3  h ")) << r.out;
  }
}

TEST(ReducedNets, LoopsGoRoundUntilTheyClose) {
  // Only the transition that empties s depends on it, so the smaller net is back after one round.
  const Folder folder;
  const std::string model = folder.write("m.pnml", R"(<pnml><net id='n' type='ptnet'><page id='g'>
<place id='a'><initialMarking><text>1</text></initialMarking></place><place id='b'/>
<place id='s'><initialMarking><text>1</text></initialMarking></place><transition id='t'/><transition id='u'/>
<arc id='1' source='a' target='t'/><arc id='2' source='t' target='b'/>
<arc id='3' source='s' target='t'><arctype><text>reset</text></arctype></arc>
<arc id='4' source='b' target='u'/><arc id='5' source='u' target='a'/></page></net></pnml>)");
  const Result r =
      run({"check", model, "--ltl", "F G \"a + b == 2\"", "--engine", "scc", "--reduce-net", "--no-shorten"});
  EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
  EXPECT_TRUE(has(r.err, "1 free place")) << r.err;
  EXPECT_TRUE(has(r.out, "and on from state 2 for ever")) << r.out;
}

TEST(ReducedNets, WrongClaimsAreNotHidden) {
  // The file claims that the net is safe, but a place that the smaller net does not have gets two tokens.
  const Folder folder;
  const std::string model = folder.write("m.pnml", R"(<pnml><net id='n' type='ptnet'><page id='g'>
<place id='a'><initialMarking><text>1</text></initialMarking></place><place id='b'/><place id='c'/>
<transition id='t'/><transition id='u'/>
<arc id='1' source='a' target='t'/><arc id='2' source='t' target='b'><inscription><text>2</text></inscription></arc>
<arc id='3' source='b' target='u'><inscription><text>2</text></inscription></arc><arc id='4' source='u' target='c'/>
<toolspecific tool='nupn' version='1.1'><structure units='1' root='r' safe='true'>
<unit id='r'><places>a b c</places><subunits/></unit></structure></toolspecific></page></net></pnml>)");
  const Result r = run({"check", model, "--reach", "c == 1", "--reduce-net"});
  EXPECT_EQ(r.exit_code, 3) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "runs that end in a model error were not followed")) << r.out;
}

}  // namespace
}  // namespace tideline::test
