// The data of a report page: what it says about a model and its runs, and that nothing can break the page.
#include "report/page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "report/page_model.hpp"
#include "report/page_notes.hpp"
#include "report/saved_answer.hpp"
#include "testing/models.hpp"
#include "testing/random_system.hpp"
#include "testing/two_counters.hpp"
#include "trace/itf_system.hpp"

namespace tideline {
namespace {

using PageJson = nlohmann::json;

constexpr std::string_view small_page =
    "<!doctype html><html><head><title>t</title></head><body>"
    "<script type=\"application/json\" id=\"tideline-data\">@TIDELINE_DATA@</script></body></html>";

/// A random walk as a run that was replayed; it may end in a model error.
Trace random_run(const System& system, std::uint64_t seed, std::size_t length) {
  std::mt19937_64 random(seed);
  const Reference reference(system);
  Trace run{.states = {system.initial}, .actions = {}};
  while (run.actions.size() < length) {
    const auto enabled = reference.enabled(run.states.back());
    if (enabled.empty()) break;
    const ActionId action = enabled[random() % enabled.size()];
    const auto firing = reference.fire(action, run.states.back());
    if (firing.error.kind != ModelErrorKind::none) {
      run.failing_action = action;
      run.error = firing.error;
      break;
    }
    run.actions.push_back(action);
    run.states.push_back(firing.state);
  }
  return run;
}

PageJson run_json(const System& system, const Trace& run) {
  JsonText text;
  write_run(text, system, {.title = "r", .run = run});
  return PageJson::parse(text.take());
}

/// The states that a page gets by taking the steps.
std::vector<Values> states_of(const PageJson& run) {
  std::vector<Values> states{run["initial"].get<Values>()};
  for (const PageJson& step : run["steps"]) {
    Values next = states.back();
    const PageJson& changes = step["c"];
    for (std::size_t i = 0; i < changes.size(); i += 2)
      next.at(changes[i].get<std::size_t>()) = changes[i + 1].get<std::int32_t>();
    states.push_back(next);
  }
  return states;
}

TEST(PageRuns, ChangesReplayToTheStatesOfTheRun) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const System system = RandomSystem(seed).take();
    const Trace run = random_run(system, seed, 50);
    const PageJson data = run_json(system, run);
    EXPECT_EQ(states_of(data), run.states) << seed;
    EXPECT_EQ(data.contains("failure"), run.fails());
    if (run.fails()) {
      EXPECT_EQ(data["failure"]["action"], run.failing_action);
    }
  }
}

TEST(PageRuns, TheLastStepOfALassoLeadsBack) {
  const System system = dve::system_of(
      "byte x; process P { state s; init s; trans s -> s { effect x = (x + 1) % 3; }; } system async;");
  Trace run = random_run(system, 1, 3);
  run.states.pop_back();
  run.loop = 0;
  const PageJson data = run_json(system, run);
  EXPECT_EQ(data["loop"], 0);
  EXPECT_EQ(states_of(data).back(), run.states.front());
  EXPECT_EQ(data["kind"], "counterexample") << "as the caller says";
  EXPECT_EQ(page_run_kind(Verdict::violated, run), PageRunKind::lasso);
  EXPECT_EQ(page_run_kind(Verdict::holds, run), PageRunKind::witness);
}

TEST(PageRuns, ADeadlockThatRepeatsIsNoAction) {
  const System system = dve::system_of("process P { state s; init s; } system async;");
  const PageJson data = run_json(system, {.states = {system.initial}, .actions = {no_action}, .loop = 0});
  EXPECT_EQ(data["steps"], PageJson::parse(R"([{"a": -1, "c": []}])"));
}

TEST(PageRuns, StepsSayWhatTravels) {
  const System system = dve::system_of(
      "channel r; channel {byte, byte} q[2]; byte x = 4;\n"
      "process A { state s, t, u; init s; trans s -> t { sync r!x + 1; }, t -> u { sync q!{7, x}; }; }\n"
      "process B { byte y, z; state s, t, u; init s; trans s -> t { sync r?y; }, t -> u { sync q?{y, z}; }; "
      "}\n"
      "system async;");
  const PageJson run = run_json(system, random_run(system, 1, 10));
  std::vector<std::string> messages;
  for (const PageJson& step : run["steps"]) messages.push_back(step.value("m", "-"));
  EXPECT_EQ(messages, (std::vector<std::string>{"5", "7, 4", "7, 4"}));
}

TEST(PageRuns, VeryLongRunsAreShort) {
  const System system = dve::system_of(
      "byte x; process P { state s; init s; trans s -> s { effect x = (x + 1) % 200; }; } system async;");
  JsonText text;
  write_run(text, system, {.title = "r", .run = random_run(system, 1, 100'000)});
  EXPECT_LT(text.size(), 3'000'000u);
}

TEST(PageModel, HasWhatPeopleSee) {
  const Model model = dve::model_of(
      "channel {byte} q[2]; byte turn; byte flag[2];\n"
      "process P { byte y = 3; state idle, busy; init idle; commit busy;\n"
      "trans idle -> busy { guard turn == 0; sync q!y; effect flag[1] = 1; },\n"
      "busy -> idle {};\n} system async;");
  const PageJson data = PageJson::parse(page_model(model, "a/b.dve"));
  EXPECT_EQ(data["path"], "a/b.dve");
  EXPECT_EQ(data["language"], "dve");
  EXPECT_EQ(data["source"], model.source.text);
  ASSERT_EQ(data["components"].size(), 1u);
  const PageJson& p = data["components"][0];
  EXPECT_EQ(p["name"], "P");
  EXPECT_EQ(p["locations"][1]["name"], "busy");
  EXPECT_EQ(p["locations"][1]["committed"], true);
  EXPECT_FALSE(p["locations"][0].contains("committed"));
  ASSERT_EQ(p["edges"].size(), 2u);
  EXPECT_EQ(p["edges"][1]["line"], 4);
  ASSERT_EQ(data["slots"].size(), model.system.slots.size());
  EXPECT_EQ(data["slots"][*model.system.find_slot("P")]["kind"], "location");
  EXPECT_EQ(data["slots"][*model.system.find_slot("P.y")]["component"], 0);
  EXPECT_FALSE(data["slots"][*model.system.find_slot("turn")].contains("component"));
  const PageJson& flag =
      data["variables"][data["slots"][*model.system.find_slot("flag[1]")]["variable"].get<std::size_t>()];
  EXPECT_EQ(flag["name"], "flag");
  EXPECT_EQ(flag["length"], 2);
  EXPECT_EQ(flag["array"], true);
  ASSERT_EQ(data["channels"].size(), 1u);
  EXPECT_EQ(data["channels"][0]["capacity"], 2);
  const PageJson& send = data["actions"][0];
  EXPECT_EQ(send["message"], PageJson::parse(R"({"channel": 0, "kind": "send", "sender": 0})"));
  EXPECT_NE(send["guard"].get<std::string>().find("turn == 0"), std::string::npos);
  EXPECT_EQ(data["actions"][1]["guard"], "");
  EXPECT_EQ(send["participants"], PageJson::parse(R"([{"component": 0, "line": 3}])"));
}

TEST(PageModel, LongTextsAreLeftOutOrCut) {
  const Model model =
      dve::model_of("byte x; process P { state s; init s; trans s -> s { guard x < 100; }; } system async;");
  const PageJson data = PageJson::parse(page_model(model, "m", {.source_bytes = 10, .guard_bytes = 4}));
  EXPECT_FALSE(data.contains("source"));
  EXPECT_EQ(data["actions"][0]["guard"].get<std::string>().substr(4), " ...");
}

TEST(PageModel, OfRandomSystems) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Model model;
    model.system = RandomSystem(seed).take();
    const PageJson data = PageJson::parse(page_model(model, "m"));
    EXPECT_EQ(data["actions"].size(), model.system.actions.size());
    EXPECT_GE(page_parts(model.system), model.system.slots.size() + model.system.actions.size());
  }
}

// --- The page ----------------------------------------------------------------------------------------------

TEST(PageHtml, NoTextCanBreakIt) {
  const std::string evil =
      "</script><script>alert(1)</script><!-- \"\\\n\t\x01 \xff\xfe \xe2\x80\xa8 @TIDELINE_DATA@ $& ]]>";
  PageData data{.created = "now", .command = {evil}, .notes = {evil}};
  data.answer = empty_page_answer(evil, "1", evil);
  const std::string html = page_html(small_page, page_json(data));
  const std::size_t begin = html.find("tideline-data\">") + 15, end = html.find("</script>");
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(html.find("<script", begin), std::string::npos);
  EXPECT_EQ(html.find("<!--", begin), std::string::npos);
  EXPECT_EQ(html.find("</script>", end + 1), std::string::npos) << "only the page's own";
  const PageJson read = PageJson::parse(html.substr(begin, end - begin));
  const std::string back = read["notes"][0];
  EXPECT_EQ(back.substr(0, 33), evil.substr(0, 33));
  EXPECT_NE(back.find("\xef\xbf\xbd"), std::string::npos) << "odd bytes are replaced";
  EXPECT_EQ(read["answer"]["model"].get<std::string>().substr(0, 9), "</script>");
}

TEST(PageHtml, ALivePageSaysWhereItsDataIs) {
  const std::string html = page_html(small_page, "{}", "data.json");
  EXPECT_NE(html.find("<head><meta name=\"tideline-live\" content=\"data.json\"><title>"), std::string::npos);
  EXPECT_EQ(page_html(small_page, "{}").find("tideline-live"), std::string::npos);
  EXPECT_THROW(page_html("<html></html>", "{}"), Error);
}

TEST(PageJsonText, OfAnAnswerWithRuns) {
  using namespace two_counters;
  const System s = system();
  Answer answer{.command = "check", .version = "9", .model = "m.dve", .outcome = {}, .traces = {}};
  answer.outcome.engine = "bfs";
  answer.outcome.results.push_back(
      {.property = {.name = "quiet", .kind = PropertyKind::deadlock, .formula = ""},
       .verdict = Verdict::unknown,
       .reason = "time limit of 1 s reached",
       .path = {}});
  answer.outcome.results.push_back(
      {.property = {.name = "low",
                    .kind = PropertyKind::invariant,
                    .formula = "turn < 1",
                    .expr = Expr::binary(Op::lt, Expr::load(turn), Expr::constant(1))},
       .verdict = Verdict::violated,
       .reason = "",
       .path = [&s] {
         return path(s, {raise, pass});
       }});
  Budget budget;
  answer.traces = replay_all(s, ErrorSemantics::stop, answer.outcome.results, budget);
  Model model;
  model.system = s;
  PageData data{
      .notes = page_notes(answer, s), .system = &s, .model = page_model(model, "m.dve"), .of = &answer};
  add_answer(data, answer, s);
  const PageJson page = PageJson::parse(page_json(data));
  EXPECT_EQ(page["answer"]["properties"][0]["trace"], nullptr);
  EXPECT_EQ(page["answer"]["properties"][1]["trace"], PageJson::parse(R"({"length": 2, "run": 0})"));
  ASSERT_EQ(page["runs"].size(), 1u);
  EXPECT_EQ(page["runs"][0]["title"], "low");
  EXPECT_EQ(page["runs"][0]["property"], 1);
  EXPECT_EQ(page["runs"][0]["steps"].size(), 2u);
  EXPECT_EQ(page["notes"][0], "1 property is violated, 1 is unknown.");
  EXPECT_FALSE(page.contains("exploration"));

  PageData without{.system = &s, .of = &answer};  // of a model that is too large for a page
  add_answer(without, answer, s);
  const PageJson small = PageJson::parse(page_json(without));
  EXPECT_EQ(small["answer"]["properties"][1]["trace"], nullptr)
      << "a run that is not there is not referred to";
  EXPECT_EQ(small["answer"]["properties"][1]["reason"],
            "the run is not shown: the model is not in this page");
  EXPECT_EQ(small["runs"], PageJson::array());
}

TEST(PageJsonText, LimitsEndLongRuns) {
  const System system = dve::system_of(
      "byte x; process P { state s; init s; trans s -> s { effect x = (x + 1) % 200; }; } system async;");
  const std::atomic<bool> interrupted = true;
  Budget::Limits limits;
  limits.interrupted = &interrupted;
  Budget budget(limits);
  JsonText text;
  EXPECT_THROW(write_run(text, system, {.title = "r", .run = random_run(system, 1, 1000)}, &budget),
               LimitReached);
}

// --- What was explored ---------------------------------------------------------------------------------------

TEST(PageExploration, SaysWhatComesFromWhere) {
  Answer answer{.command = "check", .version = "9", .model = "m", .outcome = {}, .traces = {}};
  answer.outcome.engine = "bfs";
  answer.outcome.complete = true;
  answer.outcome.level_sizes = {1, 4};
  answer.outcome.statistics.set("states", std::uint64_t{5});
  answer.outcome.never_enabled = {1};
  System system;
  system.actions.resize(3);
  PageExploration exploration;
  exploration.survey = Survey{
      .ended_by = "the limit on states", .states = 3, .actions = {2, 0, 0}, .levels = {1, 2}, .profiled = 3};
  const auto written = [&] {
    JsonText text;
    write_exploration(text, system, exploration, &answer);
    return PageJson::parse(text.take());
  };
  PageJson data = written();
  EXPECT_EQ(data["levels"], (PageJson{1, 4})) << "of the engine, which saw all";
  EXPECT_EQ(data["never_enabled"], PageJson{1});
  EXPECT_EQ(data["never_enabled_is_proven"], false) << "the third action may be taken later";
  EXPECT_EQ(data["how"],
            "Counted by a breadth-first pass over the first 3 states, ended by the limit on states; the "
            "model may have "
            "more, and what they do is not in these figures. The search by bfs saw all states: it knows of 1 "
            "action "
            "that is never enabled. The sizes of levels are those of the search.");

  answer.outcome.never_enabled = {1, 2};
  EXPECT_EQ(written()["never_enabled_is_proven"], true);

  answer.outcome.statistics.set("reduction", std::string("stubborn sets"));
  EXPECT_EQ(written()["levels"], (PageJson{1, 2})) << "a reduced search has other levels";

  exploration.survey->complete = true;
  data = written();
  EXPECT_EQ(data["levels"], (PageJson{1, 2}));
  EXPECT_FALSE(data.contains("never_enabled"));
  EXPECT_EQ(data["how"], "Counted by a breadth-first pass over all 3 states.");

  exploration.survey.reset();
  exploration.timeline.push_back({.states = 7, .engine = "bfs", .seconds = 0.5});
  data = written();
  EXPECT_EQ(data["states"], 0);
  EXPECT_EQ(data["timeline"][0]["states"], 7);
  EXPECT_EQ(data["timeline"][0]["t"], 0.5);
}

// --- Long lists, thinned -------------------------------------------------------------------------------------

TEST(Thinned, KeepsAnEvenChoiceAndTheLast) {
  for (const int count : {0, 1, 2, 9, 10, 11, 99, 1000, 12345}) {
    Thinned<int> list(10);
    for (int i = 0; i < count; ++i) list.add(i);
    const std::vector<int> items = list.items();
    EXPECT_LE(items.size(), 10u) << count;
    EXPECT_GE(items.size(), std::min<std::size_t>(static_cast<std::size_t>(count), 5)) << count;
    if (count == 0) continue;
    EXPECT_EQ(items.front(), 0);
    EXPECT_EQ(items.back(), count - 1);
    for (std::size_t i = 2; i + 1 < items.size(); ++i)
      EXPECT_EQ(items[i] - items[i - 1], items[1] - items[0]) << count;
  }
}

TEST(Timeline, OthersAreToldAsOftenAsBefore) {
  std::vector<double> shown;
  Budget::Limits limits;
  limits.status_every = 1;
  limits.on_status = [&](const RunStatus& status) { shown.push_back(status.seconds); };
  Timeline timeline;
  timeline.watch(limits);
  EXPECT_LT(limits.status_every, 1);
  for (int i = 1; i <= 50; ++i) limits.on_status({.seconds = i * 0.1});
  limits.on_status({.ended = true, .seconds = 5.05});
  EXPECT_EQ(timeline.points().size(), 51u);
  EXPECT_LE(shown.size(), 6u);
  EXPECT_GE(shown.size(), 5u);
  EXPECT_EQ(shown.back(), 5.05) << "the end of a phase always";
}

// --- What was saved ------------------------------------------------------------------------------------------

TEST(SavedAnswer, WhatIsNotOneIsRefused) {
  EXPECT_FALSE(looks_like_answer("not JSON"));
  EXPECT_FALSE(looks_like_answer("[]"));
  EXPECT_FALSE(looks_like_answer(R"({"vars": [], "states": []})"));
  EXPECT_TRUE(looks_like_answer(R"({"tool": 1, "properties": 2})"));
  for (
      const char* text :
      {"", "[]", R"({"tool": 1, "properties": 2})",
       R"({"tool": "tideline", "version": "1", "command": "check", "model": "m", "engine": "bfs", "complete": true,
            "properties": [{"name": "p", "verdict": "maybe"}], "statistics": {}, "never_enabled": [], "warnings": []})",
       R"({"tool": "tideline", "version": "1", "command": "check", "model": "m", "engine": "bfs", "complete": true,
            "properties": [7], "statistics": {}, "never_enabled": [], "warnings": []})"})
    EXPECT_THROW(read_answer(text, "a.json"), Error) << text;
}

TEST(TraceWithoutModel, IsShownAsItsFileTellsIt) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const System system = RandomSystem(seed).take();
    const Trace run = random_run(system, seed, 20);
    const ItfTrace file = read_itf(to_itf(system, run, {}), "t.json");
    const System told = system_from({file});
    const Trace shown = unchecked_run(told, file);
    ASSERT_EQ(shown.states.size(), run.states.size());
    ASSERT_EQ(shown.actions.size(), run.actions.size());
    for (std::size_t i = 0; i < run.actions.size(); ++i)
      EXPECT_EQ(step_label(told, shown.actions[i]), step_label(system, run.actions[i]));
    for (std::size_t i = 0; i < run.states.size(); ++i)
      for (SlotId slot = 0; slot < system.slots.size(); ++slot)
        EXPECT_EQ(told.show_value(*told.find_slot(system.slots[slot].name),
                                  shown.states[i][*told.find_slot(system.slots[slot].name)]),
                  system.show_value(slot, run.states[i][slot]));
  }
}

}  // namespace
}  // namespace tideline
