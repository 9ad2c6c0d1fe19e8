#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/numbers.hpp"
#include "report/status.hpp"
#include "report/text.hpp"
#include "testing/two_counters.hpp"

namespace tideline {
namespace {

using namespace two_counters;

Answer example(const System& s) {
  Answer answer{.command = "check", .version = "9", .model = "a&b.dve", .outcome = {}, .traces = {}};
  Outcome& o = answer.outcome;
  o.engine = "bfs";
  o.results.push_back({.property = {.name = "low",
                                    .kind = PropertyKind::invariant,
                                    .formula = "turn < 1",
                                    .expr = Expr::binary(Op::lt, Expr::load(turn), Expr::constant(1)),
                                    .expected = Verdict::violated},
                       .verdict = Verdict::violated,
                       .reason = "",
                       .path = [&s] {
                         return path(s, {raise, pass});
                       }});
  o.results.push_back({.property = {.name = "late", .kind = PropertyKind::reach, .formula = "\"x\""},
                       .verdict = Verdict::unknown,
                       .reason = "time limit of 1 s reached",
                       .path = {}});
  o.statistics.set("states", std::uint64_t{1234567});
  o.statistics.set("time_s", 0.25);
  o.statistics.set("peak_rss_bytes", std::uint64_t{3 << 20});
  o.never_enabled = {once};
  o.warnings = {"careful"};
  Budget budget;
  answer.traces = replay_all(s, ErrorSemantics::stop, o.results, budget);
  answer.exit_code = 3;
  return answer;
}

TEST(Text, SaysVerdictReasonRunAndStatistics) {
  const System s = system();
  EXPECT_EQ(check_text(example(s), s, {}),
            "low: violated  (invariant, turn < 1), as expected\n"
            "  counterexample of 2 steps:\n"
            "  0  initial state\n"
            "       turn = 0, flag = [0, 0]\n"
            "       A at idle\n"
            "       B at only, x = -7\n"
            "  1  A: idle -> work    flag[0]: 0 -> 1\n"
            "  2  A: work -> idle    turn: 0 -> 1\n"
            "late: unknown  (reach, \"x\")\n"
            "  time limit of 1 s reached\n"
            "bfs: 1,234,567 states, 0.250 s, 3.0 MiB (not complete)\n");
}

TEST(Text, ShowsTheInitialStateOnceAndHowLongARunWas) {
  const System s = system();
  Answer answer = example(s);
  answer.traces[1] = answer.traces[0];
  answer.traces[1]->length_before = 1234;
  const std::string text = check_text(answer, s, {});
  EXPECT_NE(text.find("  counterexample of 2 steps, shortened from 1,234:\n"
                      "  0  initial state, as above\n"
                      "  1  A: idle -> work    flag[0]: 0 -> 1\n"),
            std::string::npos)
      << text;
  const auto json = nlohmann::json::parse(answer_json(answer, s));
  EXPECT_FALSE(json["properties"][0].contains("shortened_from"));
  EXPECT_EQ(json["properties"][1]["shortened_from"], 1234);
}

/// Without what marks words.
std::string plain(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\x1b')
      i = text.find('m', i);
    else
      result += text[i];
  return result;
}

TEST(Text, ColoursMarkWordsAndChangeNone) {
  const System s = system();
  Answer answer = example(s);
  answer.outcome.results[0].property.expected = Verdict::holds;
  for (const bool full : {false, true}) {
    const std::string text = check_text(answer, s, {.full = full, .palette = Palette::coloured()});
    EXPECT_EQ(plain(text), check_text(answer, s, {.full = full}));
    EXPECT_NE(text.find("low: \x1b[1;31mviolated\x1b[0m  ("), std::string::npos) << text;
    EXPECT_NE(text.find("late: \x1b[1;33munknown\x1b[0m  ("), std::string::npos) << text;
    EXPECT_NE(text.find("\x1b[1;31mEXPECTED holds\x1b[0m"), std::string::npos) << text;
    EXPECT_NE(text.find(full ? "\x1b[36mflag = [1, 0]\x1b[0m" : "flag[0]: 0 -> \x1b[36m1\x1b[0m"),
              std::string::npos)
        << text;
  }
}

TEST(Text, SeveralSearchesHaveALineEach) {
  const System s = system();
  Answer answer = example(s);
  answer.outcome.results.clear();
  SearchReport bfs{.engine = "bfs", .properties = {"a", "b", "c", "d"}, .complete = true, .statistics = {}};
  bfs.statistics.set("states", std::uint64_t{1});
  bfs.statistics.set("visited", std::uint64_t{1});
  bfs.statistics.set("time_s", 0.125);
  SearchReport sweep{.engine = "sweep", .properties = {"e"}, .complete = false, .statistics = {}};
  sweep.statistics.set("stored_peak", std::uint64_t{12});
  sweep.statistics.set("visited", std::uint64_t{2345});
  sweep.statistics.set("sweeps", std::uint64_t{1});
  sweep.statistics.set("automaton", std::string("weak"));
  answer.searches = {bfs, sweep};
  EXPECT_EQ(check_text(answer, s, {}),
            "bfs for a, b, c and 1 more: 1 state, 0.125 s (complete)\n"
            "sweep for e: weak automaton, 1 sweep, 2,345 visits, at most 12 states stored (not complete)\n"
            "all together: 0.250 s, 3.0 MiB\n");
}

TEST(Text, QuietIsVerdictsAlone) {
  const System s = system();
  Answer answer = example(s);
  answer.outcome.results[0].property.expected = Verdict::holds;
  EXPECT_EQ(check_text(answer, s, {.quiet = true}),
            "low: violated  (invariant, turn < 1), EXPECTED holds\n"
            "late: unknown  (reach, \"x\")\n");
}

TEST(Text, ExploreIsATable) {
  const System s = system();
  Answer answer = example(s);
  answer.outcome.complete = true;
  answer.level_sizes = true;
  answer.outcome.level_sizes = {1, 1200};
  EXPECT_EQ(explore_text(answer, {}),
            "engine             bfs\n"
            "complete           yes\n"
            "states       1,234,567\n"
            "time           0.250 s\n"
            "peak memory    3.0 MiB\n"
            "level 0              1\n"
            "level 1          1,200\n");
}

TEST(Text, NeverEnabledIsCutShort) {
  const System s = system();
  Outcome o;
  EXPECT_EQ(never_enabled_text(o, s, 10), "");
  o.never_enabled = {once};
  EXPECT_EQ(never_enabled_text(o, s, 10), "1 action is never enabled:\n    B: only -> only");
  o.never_enabled = {raise, pass, once};
  EXPECT_EQ(never_enabled_text(o, s, 1), "3 actions are never enabled:\n    A: idle -> work\n    and 2 more");
  System placed = s;
  placed.runs_show_places = true;
  placed.actions[once].participants[0].where = {2, 1};
  o.never_enabled = {once};
  const SourceText source{"dir/m.pml", "\nB: skip"};
  EXPECT_EQ(never_enabled_text(o, placed, 10, &source),
            "1 action is never enabled:\n    B m.pml:2: only -> only");
  EXPECT_EQ(never_enabled_text(o, placed, 10), "1 action is never enabled:\n    B: only -> only");
}

TEST(Json, CarriesEverything) {
  const System s = system();
  const auto json = nlohmann::json::parse(answer_json(example(s), s));
  EXPECT_EQ(json["tool"], "tideline");
  EXPECT_EQ(json["model"], "a&b.dve");
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["exit_code"], 3);
  EXPECT_EQ(json["warnings"][0], "careful");
  EXPECT_EQ(json["never_enabled"][0], "B: only -> only");
  EXPECT_EQ(json["statistics"]["states"], 1234567);
  const auto& low = json["properties"][0];
  EXPECT_EQ(low["expected"], "violated");
  EXPECT_EQ(low["as_expected"], true);
  EXPECT_EQ(low["trace"]["length"], 2);
  EXPECT_EQ(low["trace"]["states"][2]["turn"], 1);
  const auto& late = json["properties"][1];
  EXPECT_TRUE(late["trace"].is_null());
  EXPECT_FALSE(late.contains("expected"));
  EXPECT_EQ(late["reason"], "time limit of 1 s reached");
}

TEST(Json, BytesThatAreNotTextDoNotCostTheAnswer) {
  const System s = system();
  Answer answer = example(s);
  answer.model = "caf\xe9.dve";
  EXPECT_EQ(nlohmann::json::parse(answer_json(answer, s))["model"], "caf\xef\xbf\xbd.dve");
}

TEST(Junit, FailsWhatIsNotExpectedAndErrsOnUnknown) {
  const System s = system();
  Answer answer = example(s);
  std::string xml = answer_junit(answer, s, nullptr);
  EXPECT_NE(xml.find("tests=\"2\" failures=\"0\" errors=\"1\" time=\"0.250\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("<testcase classname=\"a&amp;b.dve\" name=\"low\"></testcase>"), std::string::npos)
      << xml;
  EXPECT_NE(xml.find("<error message=\"unknown, expected holds: time limit of 1 s reached\" type=\"reach\">"),
            std::string::npos)
      << xml;
  answer.outcome.results[0].property.expected.reset();
  xml = answer_junit(answer, s, nullptr);
  EXPECT_NE(xml.find("failures=\"1\" errors=\"1\""), std::string::npos);
  EXPECT_NE(xml.find("A: idle -&gt; work"), std::string::npos);
}

TEST(Junit, EscapesMarkupAndWhatXmlCannotHold) {
  EXPECT_EQ(xml_escaped("<a b=\"c\">'&'\n"), "&lt;a b=&quot;c&quot;&gt;&apos;&amp;&apos;\n");
  EXPECT_EQ(xml_escaped(std::string_view("\0\x1b", 2)), "??");
  EXPECT_EQ(xml_escaped("\xe9"), "\xef\xbf\xbd");
  EXPECT_EQ(xml_escaped("\xc3\xa9"), "\xc3\xa9");
}

TEST(Numbers, AreReadable) {
  EXPECT_EQ(show_count(0), "0");
  EXPECT_EQ(show_count(999), "999");
  EXPECT_EQ(show_count(1000), "1,000");
  EXPECT_EQ(show_count(18446744073709551615U), "18,446,744,073,709,551,615");
  EXPECT_EQ(show_seconds(0.0042), "0.004 s");
  EXPECT_EQ(show_seconds(99.9), "99.9 s");
  EXPECT_EQ(show_seconds(99.96), "1 min 40 s");
  EXPECT_EQ(show_seconds(3599.6), "1 h 00 min");
  EXPECT_EQ(show_statistic("state_bytes", std::uint64_t{17}), "17");
  EXPECT_EQ(show_statistic("peak_rss_bytes", std::uint64_t{2048}), "2.0 KiB");
  EXPECT_EQ(show_statistic("bytes_per_state", 17.256), "17.26");
  EXPECT_EQ(show_statistic("bytes_per_state", 14540.4), "14,540");
  EXPECT_EQ(show_statistic("states", std::string(21, '1')), "111,111,111,111,111,111,111");
  EXPECT_EQ(show_statistic("order", std::string("1234")), "1234") << "a text, whatever it looks like";
  EXPECT_EQ(show_plural(1, "step"), "1 step");
}

TEST(Status, IsALineForPeople) {
  const RunStatus found{.states = 10000,
                        .frontier = 20,
                        .depth = 3,
                        .engine = "bfs",
                        .seconds = 4,
                        .phase_seconds = 2,
                        .memory_bytes = 1 << 20};
  EXPECT_EQ(status_line({.status = found}),
            "exploring (bfs): 10,000 states, 5,000/s, frontier 20, depth 3, 1.0 MiB, 4.0 s");
  EXPECT_EQ(status_line({.status = found, .states_per_second = 7.5}),
            "exploring (bfs): 10,000 states, 7/s, frontier 20, depth 3, 1.0 MiB, 4.0 s");
  const Completion completion{.part = 0.384, .least = 0.3, .most = 0.5, .seconds_left = 12.4};
  EXPECT_TRUE(status_line({.status = {.states = 1, .completion = completion}})
                  .starts_with("exploring: 38% (30-50), about 12 s left, 1 state, "));
  EXPECT_TRUE(status_line({.status = {.sweep = 1, .completion = completion}})
                  .starts_with("exploring, sweep 1 of ?: 38% (30-50), about"))
      << "more sweeps will follow";
  EXPECT_TRUE(
      status_line({.status = {.states = 1, .sweep = 2}}).starts_with("exploring, sweep 2 of ?: 1 state"))
      << "no false percentage";
  EXPECT_EQ(status_line({.status = {.phase = Phase::reading, .seconds = 62}}),
            "reading the model: 0 B, 1 min 02 s");
  EXPECT_EQ(status_line({.status = {.nodes = 1234, .phase = Phase::seeking_cycles, .engine = "symbolic"}}),
            "searching for cycles (symbolic): 1,234 nodes, 0 B, 0.0 s");
}

TEST(Status, ALineThatDoesNotFitLosesWhatMattersLeast) {
  const StatusView view{.status = {.states = 10000,
                                   .frontier = 20,
                                   .depth = 3,
                                   .completion = Completion{.part = 0.5, .least = 0.25, .most = 0.75},
                                   .engine = "sweep",
                                   .seconds = 4,
                                   .memory_bytes = 1 << 20}};
  const std::string whole = status_line(view);
  for (std::size_t width = 0; width <= whole.size() + 1; ++width) {
    const std::string line = status_line(view, width);
    EXPECT_LE(line.size(), width);
    EXPECT_TRUE(width < 24 || line.ends_with(", 4.0 s") || line.ends_with(": 4.0 s")) << line;
  }
  EXPECT_EQ(status_line(view, whole.size()), whole);
  EXPECT_EQ(
      status_line(view, whole.size() - 1),
      "exploring (sweep): 50% (25-75), about 0 s left, 10,000 states, 0/s, frontier 20, 1.0 MiB, 4.0 s");
  EXPECT_EQ(status_line(view, 40), "exploring (sweep): 50% (25-75), 4.0 s");
  EXPECT_EQ(status_line(view, 12), "exploring (s");
}

TEST(Status, TheRateIsThatOfTheLastSeconds) {
  RateMeter rate;
  EXPECT_FALSE(rate.per_second());
  rate.add(0, 0);
  EXPECT_FALSE(rate.per_second());
  rate.add(0, 50);
  EXPECT_FALSE(rate.per_second()) << "no time has passed";
  for (int i = 1; i <= 100; ++i) rate.add(0.1 * i, static_cast<std::uint64_t>(1000 * i));
  EXPECT_NEAR(*rate.per_second(), 10000, 1);
  for (int i = 1; i <= 100; ++i) rate.add(10 + 0.1 * i, static_cast<std::uint64_t>(100000 + 10 * i));
  EXPECT_NEAR(*rate.per_second(), 100, 1) << "what was before does not count";
  for (int i = 1; i <= 100; ++i) rate.add(20 + 0.1 * i, 101000);
  EXPECT_EQ(*rate.per_second(), 0);
  rate.add(30.5, 10);
  EXPECT_FALSE(rate.per_second()) << "another search has begun";
}

TEST(Status, IsAnObjectForPrograms) {
  RunStatus status{.states = 10000,
                   .transitions = 30000,
                   .frontier = 20,
                   .depth = 3,
                   .sweep = 2,
                   .completion = Completion{.part = 0.5, .least = 0.25, .most = 0.75, .seconds_left = 12.5},
                   .engine = "sweep",
                   .seconds = 4,
                   .phase_seconds = 2,
                   .memory_bytes = 4096};
  EXPECT_EQ(status_json({.status = status}),
            R"({"phase":"searching","ended":false,"engine":"sweep","time_s":4.0,"phase_time_s":2.0,)"
            R"("memory_bytes":4096,"states":10000,"transitions":30000,"states_per_s":5000,"frontier":20,)"
            R"("depth":3,"sweep":2,"completion":{"done":0.5,"least":0.25,"most":0.75,"time_left_s":12.5}})");
  const auto json = nlohmann::json::parse(status_json({.status = {.phase = Phase::reading, .ended = true}}));
  EXPECT_EQ(json["phase"], "reading the model");
  EXPECT_EQ(json["ended"], true);
  for (const char* absent : {"engine", "nodes", "sweep", "completion"}) EXPECT_FALSE(json.contains(absent));
}

}  // namespace
}  // namespace tideline
