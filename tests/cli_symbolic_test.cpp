// Decision diagrams from the command line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

/// Counts to five, and stops.
const std::string counting_alone = R"(byte n;
process Counter {
  state idle, busy;
  init idle;
  trans
    idle -> busy { guard n < 5; effect n = n + 1; },
    busy -> idle {};
}
system async;
)";

Result symbolic(const std::string& command, const std::string& model, std::vector<std::string> options) {
  options.insert(options.begin(), {command, model, "--engine", "symbolic"});
  return run(options);
}

TEST(Symbolic, CountsAreThoseOfBreadthFirstSearch) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting_alone);
  for (const std::string order : {"best", "declared", "force", "sloan"}) {
    const Result r = symbolic("explore", model, {"--order", order, "--json", "-"});
    ASSERT_EQ(r.exit_code, 0) << r.err;
    const json found = json::parse(r.out)["statistics"];
    const json expected = json::parse(run({"explore", model, "--json", "-"}).out)["statistics"];
    for (const char* name : {"states", "transitions", "deadlocks", "state_bytes"})
      EXPECT_EQ(found[name], expected[name]) << name;
  }
}

TEST(Symbolic, CountsBeyond64BitsAreDigits) {
  const Folder folder;
  const std::string model = folder.write("m.dve", switches(70));
  const Result r = symbolic("explore", model, {"--json", "-"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json statistics = json::parse(r.out)["statistics"];
  EXPECT_EQ(statistics["states"], "1180591620717411303424");
  EXPECT_EQ(statistics["transitions"], "82641413450218791239680");
  EXPECT_EQ(statistics["deadlocks"], 0);
  EXPECT_TRUE(has(symbolic("explore", model, {}).out, "1,180,591,620,717,411,303,424"));
  EXPECT_TRUE(has(symbolic("check", model, {"--deadlock"}).out, "1,180,591,620,717,411,303,424 states"));
}

TEST(Symbolic, PropertiesHaveRuns) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting_alone);
  const Result violated = symbolic("check", model, {"--invariant", "n < 4"});
  EXPECT_EQ(violated.exit_code, 1) << violated.err;
  EXPECT_TRUE(has(violated.out, "counterexample of 7 steps")) << violated.out;
  EXPECT_TRUE(has(violated.out, "n: 3 -> 4")) << violated.out;
  const Result holds = symbolic("check", model, {"--invariant", "n <= 5", "--reach", "n == 5"});
  EXPECT_EQ(holds.exit_code, 0) << holds.out << holds.err;
  EXPECT_TRUE(has(holds.out, "witness of 9 steps")) << holds.out;
  const Result deadlock = symbolic("check", model, {"--deadlock"});
  EXPECT_EQ(deadlock.exit_code, 1) << deadlock.out;
  EXPECT_TRUE(has(deadlock.out, "counterexample of 10 steps")) << deadlock.out;
  EXPECT_FALSE(has(symbolic("check", model, {"--deadlock", "--no-trace"}).out, "counterexample"));
}

TEST(Symbolic, InfiniteRunsHaveLassos) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting_alone);
  for (const std::string words : {"", "no-recurring", "no-abstraction,no-increments", "exact"}) {
    const auto check = [&](std::vector<std::string> options) {
      if (!words.empty()) options.insert(options.end(), {"--hybrid", words});
      return symbolic("check", model, options);
    };
    // The counter stops, and its last state repeats.
    const Result stops = check({"--ltl", "G F Counter.busy"});
    EXPECT_EQ(stops.exit_code, 1) << stops.out << stops.err;
    EXPECT_TRUE(has(stops.out, "(deadlock: the state repeats)")) << stops.out;
    EXPECT_EQ(check({"--ltl", "F G \"n == 5\""}).exit_code, 0);
    EXPECT_EQ(check({"--ltl", "G(\"n == 3\" -> F \"n == 4\")"}).exit_code, 0);
  }
  const std::string many = folder.write("many.dve", switches(70));
  const Result cycle = symbolic("check", many, {"--ltl", "F G S3.on"});
  EXPECT_EQ(cycle.exit_code, 1) << cycle.out << cycle.err;
  EXPECT_TRUE(has(cycle.out, "for ever")) << cycle.out;
  EXPECT_EQ(symbolic("check", many, {"--ltl", "G(S3.on -> !S3.off)"}).exit_code, 0);
  EXPECT_TRUE(has(run({"check", model, "--deadlock", "--hybrid", "exact"}).err, "--hybrid has no effect"));
}

TEST(Symbolic, ModelErrorsAreFound) {
  const Folder folder;
  const std::string model = folder.write("m.dve", R"(byte n = 250;
byte a[3];
process P { state s; init s; trans s -> s { effect n = n + 1; }, s -> s { guard n == 252; effect a[n] = 1; }; }
system async;
)");
  const Result r = symbolic("check", model, {"--invariant", "n < 255", "--reach", "n == 3"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "model-errors: violated")) << r.out;
  EXPECT_TRUE(has(r.out, "reach: unknown")) << r.out;
}

TEST(Symbolic, CtlIsDecidedAsByLabelling) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting_alone);
  for (const std::string formula : {"AG EF Counter.idle", "AF \"n == 5\"", "EG \"n < 5\"", "AG AX true",
                                    "AG(\"n < 5\" -> EX Counter.busy)"})
    for (const std::string paths : {"stutter", "maximal"}) {
      const std::vector<std::string> options{"--ctl", formula, "--deadlock-paths", paths};
      std::vector<std::string> labelling{"check", model, "--engine", "ctl"};
      labelling.insert(labelling.end(), options.begin(), options.end());
      const Result found = symbolic("check", model, options);
      EXPECT_EQ(found.exit_code, run(labelling).exit_code) << formula << found.out << found.err;
    }
  const Result run_shown = symbolic("check", model, {"--ctl", "AG EF \"n == 0\"", "--deadlock"});
  EXPECT_EQ(run_shown.exit_code, 1) << run_shown.err;
  EXPECT_TRUE(has(run_shown.out, "from the last state no state with \"n == 0\" can be reached"))
      << run_shown.out;
  EXPECT_TRUE(has(run_shown.out, "counterexample of 10 steps")) << run_shown.out;
}

TEST(Symbolic, CtlLeavesOpenWhatFollowsAModelError) {
  const Folder folder;
  const std::string model = folder.write("m.dve", R"(byte n = 250;
process P { state s; init s; trans s -> s { effect n = n + 1; }; }
system async;
)");
  const Result r = symbolic("check", model, {"--ctl", "EF \"n == 3\"", "--ctl", "EF \"n == 255\""});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "ctl: unknown")) << r.out;
  EXPECT_TRUE(has(r.out, "ctl-2: holds")) << r.out;
  EXPECT_TRUE(has(r.out, "model-errors: violated")) << r.out;
}

TEST(Symbolic, WhatItCannotDoIsRefused) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting_alone);
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--deadlock", "--model-errors", "divine"},
        {"--ltl", "G F Counter.idle", "--fair", "weak"},
        {"--ltl", "G F Counter.idle", "--shortest"},
        {"--ltl", "G F Counter.idle", "--hybrid", "none"},
        {"--deadlock", "--order", "none"}})
    EXPECT_EQ(symbolic("check", model, options).exit_code, 2) << options.back();
  EXPECT_TRUE(has(run({"check", model, "--deadlock", "--engine", "bfs", "--order", "force"}).err,
                  "--order has no effect"));
}

TEST(Symbolic, AnswersAreTheSameWithSeveralThreads) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting_alone);
  const std::vector<std::string> questions{"--deadlock",         "--ctl",   "EF Counter.idle",  "--ctl",
                                           "AG AF Counter.idle", "--reach", "Counter.idle",     "--ltl",
                                           "G F Counter.idle",   "--ltl",   "F G Counter.idle", "--ltl",
                                           "G !Counter.idle"};
  const auto answer = [&](const std::string& threads) {
    std::vector<std::string> options = questions;
    options.insert(options.end(), {"--threads", threads, "--json", "-", "--quiet"});
    json found = json::parse(symbolic("check", model, options).out);
    std::vector<json> answers;
    for (const json& property : found["properties"])
      answers.push_back({property["name"], property["verdict"]});
    for (const json& search : found["searches"]) {
      EXPECT_EQ(search["statistics"]["threads"], std::stoi(threads));
      answers.push_back({search["properties"], search["statistics"]["order"]});
    }
    answers.push_back(found["statistics"]["states"]);
    return answers;
  };
  const std::vector<json> expected = answer("1");
  EXPECT_GT(expected.size(), 10u);
  for (const std::string threads : {"2", "3", "4"}) EXPECT_EQ(answer(threads), expected);
}

/// Finding the deadlock takes no time, walking there does.
constexpr const char* far_away = R"(int x, y;
process P { state s; init s; trans s -> s { guard x < 30000; effect x = x + 1; }; }
process Q { state s; init s; trans s -> s { guard y < 30000; effect y = y + 1; }; }
system async;
)";

// Whenever the limit comes: a violation has its run, or the reason why there is none.
TEST(Symbolic, AViolationWithoutARunSaysWhy) {
  const Folder folder;
  const std::string model = folder.write("m.dve", far_away);
  for (const std::string time : {"0.2", "0.5", "0.8"})
    for (const std::vector<std::string>& asked :
         {std::vector<std::string>{"--deadlock"}, {"--reach", "y / (x - 29999) < 100"}}) {
      std::vector<std::string> arguments{"--time", time, "--json", "-"};
      arguments.insert(arguments.begin(), asked.begin(), asked.end());
      const json answer = json::parse(symbolic("check", model, arguments).out);
      const json& result = answer["properties"][0];
      if (result["verdict"] != "violated" || !result["trace"].is_null()) continue;
      const std::string reason = result["reason"];
      EXPECT_TRUE(has(reason, "the run ")) << reason;
      if (asked[0] == "--reach") {
        EXPECT_TRUE(has(reason, "no value")) << reason;
      }
    }
}

TEST(Symbolic, LimitsEndInUnknown) {
  const Folder folder;
  const std::string model = folder.write("m.dve", mixed_up);
  const Result r = symbolic("check", model, {"--deadlock", "--memory", "16M"});
  EXPECT_EQ(r.exit_code, 3) << r.out;
  EXPECT_TRUE(has(r.out, "memory limit of 16.0 MiB reached")) << r.out;
  const Result ctl = symbolic("check", model, {"--ctl", "AG EF \"a == 3\"", "--memory", "16M"});
  EXPECT_EQ(ctl.exit_code, 3) << ctl.out;
  EXPECT_TRUE(has(ctl.out, "memory limit of 16.0 MiB reached")) << ctl.out;
}

}  // namespace
}  // namespace tideline::test
