// tideline progress: candidates, given measures, what is saved and what programs read.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "schema.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

/// A counter to 50, and a light that blinks: 102 states. `n` is the measure to find.
const std::string counter = R"(byte n;
process Counter { state s; init s; trans s -> s { guard n < 50; effect n = n + 1; }; }
process Light { state off, on; init off; trans off -> on {}, on -> off {}; }
system async;
)";

json measures_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "progress");
  arguments.insert(arguments.end(), {"--json", "-"});
  const Result r = run(arguments);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const json answer = json::parse(r.out);
  EXPECT_EQ(schema_errors(answer, "tideline-progress"), "");
  return answer;
}

TEST(Progress, FindsTheMeasureAndMeasuresIt) {
  const Folder folder;
  const json answer = measures_of({folder.write("m.dve", counter), "--measure", "1"});
  EXPECT_EQ(answer["sample"]["states"], 102);
  EXPECT_EQ(answer["sample"]["whole"], true);
  const json& best = answer["candidates"][0];
  EXPECT_EQ(best["measure"], "monotone n");  // as its own changes show
  EXPECT_EQ(best["predicted"]["sweeps"], 1);
  EXPECT_EQ(best["predicted"]["regress_edges"], 0);
  EXPECT_EQ(best["measured"]["stored_peak"], best["predicted"]["stored_peak"]);
  EXPECT_EQ(best["measured"]["visited"], 102);
}

TEST(Progress, AGivenMeasureIsTriedAlone) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter);
  const json answer = measures_of({model, "--progress", "Light {on < off}, -n"});
  ASSERT_EQ(answer["candidates"].size(), 1U);
  EXPECT_EQ(answer["candidates"][0]["measure"], "Light {on < off}, -n");
  EXPECT_EQ(answer["candidates"][0]["predicted"]["layers"], 102);
  EXPECT_EQ(answer["candidates"][0]["regressing"].size(), 2U);

  const std::string file = folder.write("m.measure", "# mine\nLight {on < off}, # first\n  -n\n");
  EXPECT_EQ(measures_of({model, "--progress-file", file})["candidates"], answer["candidates"]);
}

TEST(Progress, WhatIsSavedIsReadAgain) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter);
  EXPECT_EQ(run({"progress", model, "--save", folder.path("m.measure")}).exit_code, 0);
  const std::string saved = folder.read("m.measure");
  EXPECT_TRUE(saved.starts_with("# Progress measure for ")) << saved;
  EXPECT_TRUE(saved.ends_with("\nmonotone n\n")) << saved;
  EXPECT_EQ(measures_of({model, "--progress-file", folder.path("m.measure")})["candidates"][0]["measure"],
            "monotone n");
}

TEST(Progress, PartsOnTheirOwn) {
  const Folder folder;
  const std::string model = folder.write("m.dve", R"(byte n;
process Counter { state up, wait; init up;
  trans up -> wait { guard n < 9; effect n = n + 1; }, wait -> up {}; }
process Light { state off, on, broken; init off; trans off -> on {}, on -> off {}, on -> broken {}; }
system async;
)");
  const json answer = measures_of({model});
  const auto local = [&](const std::string& slot) {
    for (const json& entry : answer["locals"])
      if (entry["slot"] == slot) return entry;
    return json{};
  };
  EXPECT_EQ(
      local("n"),
      (json{
          {"slot", "n"}, {"values", 10}, {"places", 10}, {"monotone", true}, {"regressing", json::array()}}));
  EXPECT_EQ(local("Counter")["places"], 1);
  EXPECT_EQ(local("Light")["places"], 2);
  EXPECT_EQ(local("Light")["regressing"], json::array({"Light: on -> off"}));
  EXPECT_TRUE(
      has(run({"progress", model}).out, "2   Light\n                       goes back by Light: on -> off"));

  const json groups = measures_of({model, "--group", "Counter, n", "--group", "Light"})["locals"];
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0], (json{{"slot", "Counter, n"},
                             {"values", 19},
                             {"places", 19},
                             {"monotone", true},
                             {"regressing", json::array()}}));
  EXPECT_EQ(groups[1], local("Light"));
  EXPECT_EQ(run({"progress", model, "--group", "n / 2"}).exit_code, 2);
  EXPECT_EQ(run({"progress", model, "--group", "nothing"}).exit_code, 2);

  EXPECT_EQ(run({"progress", model, "--dot", folder.path("parts.dot")}).exit_code, 0);
  const std::string dot = folder.read("parts.dot");
  EXPECT_TRUE(has(dot, "label=\"n, monotone\"")) << dot;
  EXPECT_TRUE(has(dot, "color=red")) << dot;

  for (const char* origin : {"learnt", "composed"}) {
    const json proposed = measures_of({model, "--origin", origin});
    for (const json& candidate : proposed["candidates"]) {
      EXPECT_EQ(candidate["composed"], std::string(origin) == "composed");
      const bool claims = has(candidate["measure"].get<std::string>(), "monotone ");
      EXPECT_EQ(claims, std::string(origin) == "composed");
    }
  }
}

TEST(Progress, TheModelsOwnMeasureIsTriedToo) {
  const Folder folder;
  const json answer = measures_of({folder.write("m.dve", counter + "//@ progress monotone n, Light\n")});
  bool found = false;
  for (const json& candidate : answer["candidates"])
    found = found || candidate["measure"] == "monotone n, Light";
  EXPECT_TRUE(found) << answer;
}

TEST(Progress, TextForPeople) {
  const Folder folder;
  const Result r =
      run({"progress", folder.write("m.dve", counter), "--progress", "Light, n", "--measure", "1"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(has(r.out, "tried on 102 states, 202 transitions: all there are\n")) << r.out;
  EXPECT_TRUE(has(r.out, "   predicted\n")) << r.out;
  EXPECT_TRUE(has(r.out, "   measured in ")) << r.out;
  EXPECT_TRUE(has(r.out, "\n   Light, n\n   regress: Light: on -> off (51)\n")) << r.out;
}

TEST(Progress, SaysWhereNothingHelps) {
  const Folder folder;
  const std::string blinking =
      "process Light { state off, on; init off; trans off -> on {}, on -> off {}; } system async;";
  const Result r = run({"progress", folder.write("m.dve", blinking)});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(has(r.out, "no measure was found that helps")) << r.out;
  EXPECT_TRUE(has(r.err, "note: the sweep-line would save little")) << r.err;
}

TEST(Progress, OnTheProduct) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter);
  const json answer = measures_of({model, "--product", "--ltl", "G F Light.on"});
  EXPECT_EQ(answer["product"], true);
  EXPECT_GT(answer["sample"]["states"], 102);
  EXPECT_EQ(run({"progress", model, "--product"}).exit_code, 2);
}

TEST(Progress, ErrorsPointIntoTheMeasure) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter);
  const Result unknown = run({"progress", model, "--progress", "n, Light {of < on}"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(has(unknown.err,
                  "--progress:1:11: error: process 'Light' has no state 'of'\n"
                  "     1 | n, Light {of < on}\n"
                  "       |           ^"))
      << unknown.err;
  const Result file =
      run({"progress", model, "--progress-file", folder.write("f", "# a comment\nn,\n  m + 1\n")});
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_TRUE(has(file.err, "f:3:3: error: unknown variable 'm'")) << file.err;
  const Result clause = run({"progress", folder.write("c.dve", counter + "//@ progress n, m\n")});
  EXPECT_EQ(clause.exit_code, 2);
  EXPECT_TRUE(has(clause.err, "c.dve:5:17: error: unknown variable 'm'")) << clause.err;
  const Result twice = run({"progress", folder.write("t.dve", counter + "//@ progress n\n//@ progress n\n")});
  EXPECT_TRUE(has(twice.err, "t.dve:6:14: error: there is already a progress measure")) << twice.err;
}

TEST(Progress, ALimitEndsIt) {
  const Folder folder;
  const Result r = run({"progress", folder.write("m.dve", endless), "--limit", "1000000000", "--time",
                        "0.05s", "--json", "-"});
  EXPECT_EQ(r.exit_code, 3) << r.err;
  EXPECT_EQ(schema_errors(json::parse(r.out), "tideline-progress"), "");
}

TEST(Progress, MemoryBoundsTheSampleAndEndsTheSweep) {
  const Folder folder;
  const std::string model = folder.write("m.dve", endless);
  const json answer = measures_of({model, "--memory", "16M"});
  EXPECT_LT(answer["sample"]["states"], 30000);
  const Result r = run({"progress", model, "--memory", "16M", "--measure", "1", "--json", "-"});
  EXPECT_EQ(r.exit_code, 3) << r.err;
  EXPECT_TRUE(has(r.err, "memory limit")) << r.err;
}

TEST(Progress, ThreadsAreForMeasuring) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counter);
  EXPECT_TRUE(has(run({"progress", model, "--threads", "2"}).err, "--threads has no effect"));
  const json answer = measures_of({model, "--threads", "2", "--measure", "1"});
  EXPECT_EQ(answer["candidates"][0]["measured"]["visited"], 102);
}

}  // namespace
}  // namespace tideline::test
