// Petri nets through the command line: engines that agree, runs, names in quotes, errors with their places.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

}  // namespace
}  // namespace tideline::test
