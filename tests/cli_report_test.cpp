// Report pages: what --report and tideline report write, compared with the answers for programs.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "report_page.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

std::string model_file(const std::string& name) {
  return std::string(TIDELINE_DOCS) + "/../models/" + name;
}

class Report : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_page()) GTEST_SKIP() << "the program was built without the report page";
  }

  /// Runs a check and returns the data of its page; `answer` is the answer for programs.
  json page_of(std::vector<std::string> arguments, json* answer = nullptr) {
    arguments.insert(arguments.end(), {"--report", folder_.path("r.html"), "--json", folder_.path("a.json")});
    result_ = run(arguments);
    if (answer) *answer = json::parse(folder_.read("a.json"));
    return page_data(folder_.read("r.html"));
  }

  Folder folder_;
  Result result_;
};

/// The values of every variable along a run, as a trace of an answer has them.
json states_of(const json& page, const json& run) {
  json states = json::array();
  std::vector<int> values = run["initial"];
  const auto state = [&] {
    json object = json::object();
    for (const json& variable : page["model"]["variables"]) {
      json list = json::array();
      for (int i = 0; i < variable["length"]; ++i) {
        const std::size_t slot = variable["first"].get<std::size_t>() + static_cast<std::size_t>(i);
        const json& about = page["model"]["slots"][slot];
        // In the error state of a language a process may be at no location: then there is a number.
        const json* locations =
            about["kind"] == "location"
                ? &page["model"]["components"][about["component"].get<std::size_t>()]["locations"]
                : nullptr;
        const auto value = static_cast<std::size_t>(values[slot]);
        if (locations && value < locations->size())
          list.push_back((*locations)[value]["name"]);
        else
          list.push_back(values[slot]);
      }
      object[variable["name"].get<std::string>()] = variable.value("array", false) ? list : list[0];
    }
    return object;
  };
  states.push_back(state());
  for (const json& step : run["steps"]) {
    for (std::size_t i = 0; i < step["c"].size(); i += 2)
      values.at(step["c"][i].get<std::size_t>()) = step["c"][i + 1];
    states.push_back(state());
  }
  if (run.contains("loop")) states.erase(states.size() - 1);  // the same state again
  return states;
}

/// The page has the answer, and its runs have the states and actions of the answer's traces.
void expect_same(const json& page, const json& answer) {
  ASSERT_TRUE(page.contains("answer")) << page.dump();
  for (const char* name : {"tool", "version", "command", "model", "engine", "complete", "never_enabled",
                           "warnings", "exit_code", "statistics"})
    EXPECT_EQ(page["answer"][name], answer[name]) << name;
  ASSERT_EQ(page["answer"]["properties"].size(), answer["properties"].size());
  for (std::size_t i = 0; i < answer["properties"].size(); ++i) {
    const json &shown = page["answer"]["properties"][i], &property = answer["properties"][i];
    EXPECT_EQ(shown["verdict"], property["verdict"]);
    const json& trace = property["trace"];
    ASSERT_EQ(shown["trace"].is_null(), trace.is_null());
    if (trace.is_null()) continue;
    const json& run = page["runs"][shown["trace"]["run"].get<std::size_t>()];
    EXPECT_EQ(run["title"], property["name"]);
    EXPECT_EQ(run["property"], i);
    json states = trace["states"];
    for (std::size_t s = 0; s < states.size(); ++s) {
      if (s > 0) {
        const json& action = run["steps"][s - 1]["a"];
        EXPECT_EQ(action, states[s]["#meta"].value("action_id", -1));
      }
      states[s].erase("#meta");
    }
    EXPECT_EQ(states_of(page, run), states) << property["name"];
    EXPECT_EQ(run.contains("failure"), trace.contains("failure"));
    EXPECT_EQ(run.value("loop", -1), trace.value("loop", -1));
  }
}

TEST_F(Report, ShowsWhatTheAnswerSays) {
  const std::vector<std::vector<std::string>> checks = {
      {"check", model_file("peterson-broken.dve"), "--all"},
      {"check", model_file("peterson.dve"), "--all"},
      {"check", model_file("abp-broken.dve"), "--all"},
      {"check", model_file("philosophers.pnml"), "--all"},
      {"check", model_file("token_ring.psl"), "--all"},
      {"check", model_file("stop_and_wait.dve"), "--all", "--engine", "sweep"},
      {"check", model_file("philosophers.pnml"), "--deadlock", "--reduce-net"},
      {"check", folder_.write("o.dve", overflow), "--deadlock"},
      {"check", folder_.write("s.dve", stuck), "--ltl", "G F P.s"},
      {"check", folder_.write("p.dve", peterson), "--deadlock", "--engine", "symbolic"},
  };
  for (const auto& arguments : checks) {
    SCOPED_TRACE(arguments[1]);
    json answer;
    const json page = page_of(arguments, &answer);
    expect_same(page, answer);
    EXPECT_EQ(page["command"][1], "check");
    EXPECT_EQ(page["command"][2], arguments[1]);
    EXPECT_FALSE(page["notes"].empty());
    EXPECT_TRUE(page["exploration"]["complete"]);
  }
}

TEST_F(Report, HasSeveralRunsAndWhatMattersInThem) {
  json answer;
  const json page =
      page_of({"check", model_file("philosophers.pnml"), "--reach", "Eats == 2", "--runs", "3", "--explain"},
              &answer);
  const json &property = answer["properties"][0], &shown = page["answer"]["properties"][0];
  ASSERT_EQ(property["traces"].size(), 2u);
  ASSERT_EQ(page["runs"].size(), 3u) << page.dump().substr(0, 300);
  EXPECT_EQ(shown["trace"]["run"], 0);
  EXPECT_EQ(shown["traces"][1]["run"], 2);
  EXPECT_EQ(page["runs"][1]["title"], "reach, run 2");
  EXPECT_EQ(page["runs"][2]["steps"].size(), property["traces"][1]["length"]);
  EXPECT_EQ(shown["explanation"], property["explanation"]);
  EXPECT_EQ(shown["explanations"], property["explanations"]);
}

TEST_F(Report, CountsTheEdgesOfControlGraphs) {
  // A step that all take together: too many combinations for an action each.
  const json page = page_of({"explore", folder_.write("go.psl", R"(process P(i: 0..3) {
  A(n: 0..9 = i) =
      go when n == 0 -> A(1)
    | go when n > 0 and n < 9 -> A(n + 1)
    | go when n == 9 -> Rest
    | own[i] when n == 2 -> A(3);
  Rest = go -> A(0);
}
system = forall i: 0..3 { P(i) };)")});
  const json &edges = page["exploration"]["edges"], &components = page["model"]["components"];
  ASSERT_EQ(edges.size(), components.size());
  // Counted again from the graph: an edge is taken where its action is and the component leaves its location.
  const auto& graph = page["graph"];
  ASSERT_TRUE(graph.is_object());
  std::map<std::tuple<std::size_t, std::size_t, int>, std::uint64_t> taken;
  std::vector<std::size_t> slot_of(components.size());
  for (std::size_t slot = 0; slot < page["model"]["slots"].size(); ++slot)
    slot_of[page["model"]["slots"][slot]["component"]] = slot;
  for (const json& edge : graph["edges"])
    for (const json& part : page["model"]["actions"][edge[1].get<std::size_t>()]["participants"]) {
      const std::size_t component = part["component"];
      ++taken[{component, edge[1], graph["states"][edge[0].get<std::size_t>()][slot_of[component]]}];
    }
  for (std::size_t c = 0; c < components.size(); ++c)
    for (std::size_t e = 0; e < components[c]["edges"].size(); ++e) {
      const json& edge = components[c]["edges"][e];
      EXPECT_EQ(edges[c][e], (taken[{c, edge["action"], edge["from"]}])) << c << " " << edge;
      EXPECT_GE(edge["line"], 3) << "a line of the state";
    }
  EXPECT_FALSE(page_of({"explore", model_file("peterson.dve")})["exploration"].contains("edges"));
}

TEST_F(Report, CountsAreThoseOfExplore) {
  for (const char* name :
       {"peterson.dve", "abp.dve", "philosophers.pnml", "token_ring.psl", "two_phase_commit.psl"}) {
    json answer;
    const json page = page_of({"explore", model_file(name)}, &answer);
    const json &counted = page["exploration"], &statistics = answer["statistics"];
    EXPECT_EQ(page["answer"]["command"], "explore");
    for (const char* figure : {"states", "transitions", "deadlocks"})
      EXPECT_EQ(counted[figure], statistics[figure]) << name << " " << figure;
    std::uint64_t taken = 0;
    for (const json& count : counted["actions"]) taken += count.get<std::uint64_t>();
    EXPECT_EQ(taken, statistics["transitions"]);
    EXPECT_EQ(counted["actions"].size(), page["model"]["actions"].size());
    EXPECT_EQ(counted["slots"].size(), page["model"]["slots"].size());
    EXPECT_TRUE(counted["never_enabled_is_proven"]);
    const bool small = statistics["states"].get<std::size_t>() * counted["slots"].size() <= 250'000 &&
                       statistics["transitions"] <= 50'000;
    EXPECT_EQ(page.contains("graph"), small) << name;
    if (small) {
      EXPECT_EQ(page["graph"]["states"].size(), statistics["states"]);
      EXPECT_EQ(page["graph"]["edges"].size(), statistics["transitions"]);
    }
  }
}

TEST_F(Report, SaysHowMuchWasCounted) {
  const std::string model = model_file("abp.dve");
  json page = page_of({"check", model, "--deadlock", "--engine", "bfs", "--report-states", "100"});
  EXPECT_FALSE(page["exploration"]["complete"]);
  EXPECT_GE(page["exploration"]["states"], 100);
  EXPECT_LT(page["exploration"]["states"], 200);
  EXPECT_TRUE(has(page["exploration"]["how"], "the limit on states")) << page["exploration"]["how"];
  std::uint64_t states = 0;
  for (const json& level : page["exploration"]["levels"]) states += level.get<std::uint64_t>();
  EXPECT_EQ(states, page["answer"]["statistics"]["states"])
      << "the search was complete, and knows its levels";

  page = page_of({"check", model, "--deadlock", "--report-states", "0"});
  EXPECT_EQ(page["exploration"]["states"], 0);
  EXPECT_FALSE(page["exploration"]["timeline"].empty());
}

TEST_F(Report, HasTheLayersOfASweep) {
  const json page = page_of(
      {"check", folder_.write("m.dve", peterson), "--deadlock", "--engine", "sweep", "--progress", "turn"});
  ASSERT_TRUE(page["exploration"].contains("layers"));
  EXPECT_EQ(page["exploration"]["layers"][0]["sweep"], 1);
}

TEST_F(Report, ALimitIsNoReasonForNoPage) {
  const std::string model = folder_.write("m.dve", test::endless);
  json answer;
  json page = page_of({"check", model, "--deadlock", "--engine", "bfs", "--time", "300ms"}, &answer);
  EXPECT_EQ(result_.exit_code, 3);
  expect_same(page, answer);
  EXPECT_TRUE(has(page["notes"].dump(), "deadlock is unknown: time limit of 0.3 s reached")) << page["notes"];
  EXPECT_FALSE(page["exploration"]["complete"]);

  page = page_of({"check", model, "--deadlock", "--engine", "bfs", "--memory", "48M"}, &answer);
  EXPECT_EQ(result_.exit_code, 3);
  expect_same(page, answer);

  page = page_of({"explore", model, "--time", "1ms"}, &answer);
  EXPECT_EQ(result_.exit_code, 3);
  expect_same(page, answer);
}

TEST_F(Report, AnInterruptIsNoReasonForNoPage) {
  if (!terminals_available()) GTEST_SKIP() << "no pseudo-terminals";
  OnTerminal program({"check", folder_.write("m.dve", test::endless), "--deadlock", "--engine", "bfs",
                      "--report", folder_.path("r.html")});
  ASSERT_TRUE(program.wait_for("states"));
  program.send(SIGINT);
  EXPECT_EQ(program.finish().exit_code, 3);
  const json page = page_data(folder_.read("r.html"));
  EXPECT_EQ(page["answer"]["properties"][0]["verdict"], "unknown");
}

TEST_F(Report, IsNeverHalfWritten) {
  const std::string model = folder_.write("m.dve", peterson);
  const Folder other;
  const std::string file = other.write("r.html", "old");
  const auto small_files = [] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Result r = run({"check", model, "--deadlock", "--report", file}, {.in_child = small_files});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.out, "deadlock: holds")) << "the answer is there all the same";
  EXPECT_EQ(other.read("r.html"), "old");
  EXPECT_EQ(other.files(), std::vector<std::string>{"r.html"});
}

TEST_F(Report, RefusesWhatCannotBe) {
  const std::string model = folder_.write("m.dve", peterson);
  for (const std::vector<std::string>& options : {
           std::vector<std::string>{"--report", model},
           {"--report", folder_.path("none/r.html")},
           {"--report", folder_.path("x"), "--json", folder_.path("x")},
           {"--report", "-", "--json", "-"},
           {"--report-states", "many"},
           {"--progress-port", "65536"},
           {"--progress-port", "-1"},
       }) {
    std::vector<std::string> arguments{"check", model, "--deadlock"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Result r = run(arguments);
    EXPECT_EQ(r.exit_code, 2) << options[0];
    EXPECT_EQ(r.out, "") << options[0];
    EXPECT_TRUE(has(r.err, "error: ")) << r.err;
  }
  EXPECT_EQ(folder_.files(), std::vector<std::string>{"m.dve"});
}

TEST_F(Report, GoesToStandardOutput) {
  const Result r = run({"check", folder_.write("m.dve", peterson), "--deadlock", "--report", "-", "--quiet"});
  EXPECT_EQ(page_data(r.out)["answer"]["properties"][0]["verdict"], "holds");
}

TEST_F(Report, NothingInAModelBreaksThePage) {
  const std::string model = folder_.write(
      "m.dve", std::string("// </script><script>alert(1)</script> <!-- \xff\xfe \xc3\xa4\n") + peterson);
  const json page = page_of({"check", model, "--invariant", "turn < 5 /* </script> */", "--deadlock"});
  ASSERT_TRUE(page.contains("model")) << page.dump();
  EXPECT_TRUE(has(page["model"]["source"], "</script><script>alert(1)"));
}

TEST_F(Report, OneRankWritesIt) {
  const Result alone = run({"check", model_file("peterson.dve"), "--deadlock", "--ranks", "2", "--engine",
                            "bfs", "--report", folder_.path("r.html")});
  if (alone.exit_code != 0) GTEST_SKIP() << alone.err;
  EXPECT_EQ(page_data(folder_.read("r.html"))["answer"]["properties"][0]["verdict"], "holds");
  EXPECT_EQ(alone.err.find("the report is in"), alone.err.rfind("the report is in")) << "said once";
}

// --- tideline report ---------------------------------------------------------------------------------------

class SavedReport : public Report {
 protected:
  /// Checks, saves, and makes a page of what was saved.
  json saved_page(const std::string& model, const std::vector<std::string>& options, const json* = nullptr) {
    std::vector<std::string> arguments{"check", model, "--json", folder_.path("a.json")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    run(arguments);
    result_ = run({"report", folder_.path("a.json"), "-o", folder_.path("r.html")});
    return page_data(folder_.read("r.html"));
  }
};

TEST_F(SavedReport, OfAnAnswerIsThatOfTheCheck) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> checks = {
      {model_file("peterson.dve"), {"--all"}},
      {model_file("philosophers.pnml"), {"--all"}},
      {model_file("token_ring.psl"), {"--all"}},
      {folder_.write("o.dve", overflow), {"--deadlock"}},
      {folder_.write("s.dve", stuck), {"--ltl", "G F P.s"}},
      {folder_.write("o2.dve", overflow), {"--ltl", "G false", "--model-errors", "divine"}},
  };
  for (const auto& [model, options] : checks) {
    SCOPED_TRACE(model);
    const json page = saved_page(model, options);
    EXPECT_EQ(result_.exit_code, 0) << result_.err;
    expect_same(page, json::parse(folder_.read("a.json")));
    EXPECT_TRUE(page.contains("exploration"));
  }
}

TEST_F(SavedReport, HasAllRunsOfAProperty) {
  const json page = saved_page(model_file("philosophers.pnml"), {"--reach", "Eats == 2", "--runs", "3"});
  EXPECT_EQ(result_.exit_code, 0) << result_.err;
  const json property = json::parse(folder_.read("a.json"))["properties"][0];
  const json& shown = page["answer"]["properties"][0];
  ASSERT_EQ(page["runs"].size(), 3u);
  ASSERT_EQ(shown["traces"].size(), 2u);
  for (std::size_t r = 0; r < 3; ++r) {
    const json& run = r == 0 ? shown["trace"] : shown["traces"][r - 1];
    EXPECT_EQ(run["run"], r);
    EXPECT_FALSE(run.contains("states"));
    EXPECT_EQ(page["runs"][r]["title"], "reach, run " + std::to_string(r + 1));
    EXPECT_EQ(page["runs"][r]["property"], 0);
    json states = (r == 0 ? property["trace"] : property["traces"][r - 1])["states"];
    for (json& state : states) state.erase("#meta");
    EXPECT_EQ(states_of(page, page["runs"][r]), states);
  }
}

TEST_F(SavedReport, OfTraces) {
  const std::string model = model_file("peterson.dve");
  run({"check", model, "--all", "--trace", folder_.path("t.json")});
  run({"simulate", model, "--random", "--steps", "30", "--trace", folder_.path("s.json")});
  result_ =
      run({"report", folder_.path("t-busy_0.json"), folder_.path("s.json"), "-o", folder_.path("r.html")});
  EXPECT_EQ(result_.exit_code, 0) << result_.err;
  const json page = page_data(folder_.read("r.html"));
  ASSERT_EQ(page["runs"].size(), 2u) << page.dump();
  EXPECT_EQ(page["runs"][0]["kind"], "lasso");
  EXPECT_EQ(page["runs"][0]["title"], "busy_0");
  EXPECT_EQ(page["runs"][1]["kind"], "simulation");
  EXPECT_EQ(page["runs"][1]["title"], "s.json");
  EXPECT_EQ(page["runs"][1]["steps"].size(), 30u);
  EXPECT_EQ(page["answer"]["properties"], json::array());
}

TEST_F(SavedReport, WithoutTheModelShowsWhatItCan) {
  const std::string model = folder_.write("m.dve", peterson);
  run({"check", model, "--reach", "P_0.CS", "--json", folder_.path("a.json")});
  std::filesystem::remove(model);
  result_ = run({"report", folder_.path("a.json")});
  EXPECT_EQ(result_.exit_code, 0);
  EXPECT_TRUE(has(result_.err, "cannot be read; the page is made without it")) << result_.err;
  const json page = page_data(folder_.read("a.html"));
  ASSERT_EQ(page["runs"].size(), 1u) << page.dump();
  EXPECT_FALSE(page["model"].contains("source"));
  json answer = json::parse(folder_.read("a.json"));
  json states = answer["properties"][0]["trace"]["states"];
  for (json& state : states) state.erase("#meta");
  EXPECT_EQ(states_of(page, page["runs"][0]), states);
  EXPECT_TRUE(has(page["notes"].dump(), "were not replayed"));
}

TEST_F(SavedReport, SaysWhichRunIsWrong) {
  const std::string model = folder_.write("m.dve", peterson);
  run({"check", model, "--reach", "P_0.CS", "--trace", folder_.path("t.json")});
  json trace = json::parse(folder_.read("t.json"));
  trace["states"].back()["turn"] = 17;
  folder_.write("t.json", trace.dump());
  result_ = run({"report", folder_.path("t.json")});
  EXPECT_EQ(result_.exit_code, 1);
  EXPECT_TRUE(has(result_.err, "does not replay")) << result_.err;
  EXPECT_TRUE(has(page_data(folder_.read("t.html"))["notes"].dump(), "does not replay"));
}

TEST_F(SavedReport, RefusesWhatIsNotSaved) {
  const std::string answer = folder_.path("a.json"), model = folder_.write("m.dve", peterson);
  run({"check", model, "--deadlock", "--json", answer});
  const std::string odd = folder_.write("odd.json", "{\"tool\": \"tideline\", \"properties\": 3}");
  for (const std::vector<std::string>& arguments : {
           std::vector<std::string>{"report"},
           {"report", folder_.path("none.json")},
           {"report", model},
           {"report", odd},
           {"report", folder_.write("empty.json", "")},
           {"report", folder_.write("list.json", "[]")},
           {"report", answer, answer},
           {"report", answer, "-o", answer},
           {"report", answer, "--model", folder_.path("none.dve")},
           {"report", answer, "--model", odd},
       }) {
    const Result r = run(arguments);
    EXPECT_EQ(r.exit_code, 2) << r.err;
    EXPECT_TRUE(has(r.err, "error")) << r.err;
  }
}

}  // namespace
}  // namespace tideline::test
