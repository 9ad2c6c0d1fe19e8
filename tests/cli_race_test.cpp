// Engines auto and portfolio from the command line.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

/// A clock that runs once: one state after the other.
const std::string clock_model = R"(byte h; byte m; byte s;
process Clock {
  state tick;
  init tick;
  trans
    tick -> tick { guard s < 199; effect s = s + 1; },
    tick -> tick { guard s == 199 && m < 199; effect s = 0, m = m + 1; },
    tick -> tick { guard s == 199 && m == 199 && h < 49; effect s = 0, m = 0, h = h + 1; };
}
system async;
)";

TEST(Races, DiagramsAnswerWhereThereAreTooManyStates) {
  const Folder folder;
  const std::string model = folder.write("m.dve", switches(70));
  for (const std::string engine : {"auto", "portfolio"}) {
    const Result r = run({"check", model, "--engine", engine, "--por=off", "--deadlock", "--ctl",
                          "AG EF S1.on", "--json", "-"});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_TRUE(
        has(r.err, engine == "auto" ? "engine symbolic takes turns" : "engine symbolic runs beside it"))
        << r.err;
    EXPECT_TRUE(has(r.err, "symbolic was first")) << r.err;
    EXPECT_EQ(json::parse(r.out)["engine"], "symbolic");
  }
}

TEST(Races, SmallModelsAreForExplicitSearch) {
  const Folder folder;
  const std::string model = folder.write("m.dve", switches(3));
  const Result r =
      run({"check", model, "--invariant", "!(S0.on && S1.on)", "--ltl", "G F S2.on", "--ctl", "AF S0.on"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  for (const char* search : {"bfs for invariant", "scc for ltl:", "ctl for ctl:"})
    EXPECT_TRUE(has(r.out, search)) << r.out;
  EXPECT_FALSE(has(r.err, "symbolic")) << r.err;
}

TEST(Races, WhatDiagramsCannotDoIsLeftToExplicitSearch) {
  const Folder folder;
  const std::string model = folder.write("m.dve", switches(3));
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--ltl", "G F S0.on", "--fair", "weak"},
        {"--ltl", "G F S0.on", "--shortest"},
        {"--deadlock", "--model-errors", "divine"},
        {"--deadlock", "--depth", "2"},
        {"--deadlock", "--threads", "2"}}) {
    std::vector<std::string> arguments{"check", model, "--engine", "portfolio"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Result r = run(arguments);
    EXPECT_TRUE(r.exit_code != 2 && r.exit_code != 4) << options[2] << r.err;
  }
}

TEST(Races, WhatIsEasyToMeetIsFoundInALargeModel) {
  const Folder folder;
  // Far more states than a search can visit, and every long run ends in the same one.
  const std::string model = folder.write("m.dve", R"(byte n;
process P[i < 12] {
  byte x;
  state s;
  init s;
  trans s -> s { guard x < 100; effect x = x + 1, n = (n + x) % 7; };
}
system async;
)");
  // Without diagrams: they do not follow model errors.
  const Result r = run({"check", model, "--deadlock", "--model-errors", "divine", "--por=off", "--time", "6s",
                        "--no-shorten"});
  EXPECT_EQ(r.exit_code, 1) << r.out;
  EXPECT_TRUE(has(r.err, "note: engine walk has the answer")) << r.err;
  EXPECT_TRUE(has(r.out, "counterexample of 1,200 steps")) << r.out;
  // What is not there is not found, and nothing is proved by that.
  const Result proof = run({"check", model, "--invariant", "n < 7", "--model-errors", "divine", "--por=off",
                            "--time", "1s", "--quiet"});
  EXPECT_EQ(proof.exit_code, 3) << proof.out;
  EXPECT_FALSE(has(proof.err, "walk")) << proof.err;
}

TEST(Races, ASweepTakesOverWhereMemoryEnds) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  const Folder folder;
  const std::string model = folder.write("m.dve", clock_model);
  // Without diagrams: they do not follow model errors.
  const Result r = run({"check", model, "--invariant", "h < 50", "--model-errors", "divine", "--por=off",
                        "--memory", "48M", "--progress", "h, m", "--trace-dir", folder.path()});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_TRUE(has(r.err, "; a sweep, which deletes states, goes on from there, by the measure h, m"))
      << r.err;
  EXPECT_TRUE(has(r.out, "sweep: 2,000,000 states")) << r.out;
}

TEST(Races, ASweepThatTakesOverGoesOnReducing) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  const Folder folder;
  std::string text = clock_model;
  for (const char* name : {"A", "B", "C"})
    text.insert(text.find("system"),
                std::string("process ") + name + " { state s, t; init s; trans s -> t {}; }\n");
  const Result r = run({"check", folder.write("m.dve", text), "--invariant", "h < 49", "--model-errors",
                        "divine", "--por", "--memory", "48M", "--no-trace", "--progress", "h, m"});
  EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
  EXPECT_TRUE(has(r.err, "; a sweep, which deletes states, goes on from there, by the measure h, m"))
      << r.err;
  EXPECT_TRUE(has(r.out, "stubborn sets")) << r.out;
}

TEST(Races, WideStatesKeepToTheMemoryLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  const Folder folder;
  const std::string model = folder.write("m.dve", R"(int a[12000];
process P {
  int i;
  state s;
  init s;
  trans s -> s { guard i < 11999; effect a[i] = 1, i = i + 1; }, s -> s { guard i < 11999; effect i = i + 1; };
}
system async;
)");
  const Result r =
      run({"check", model, "--deadlock", "--memory", "100M", "--time", "2s", "--no-trace", "--json", "-"});
  EXPECT_EQ(r.exit_code, 3) << r.err;
  const std::uint64_t most = std::uint64_t{110 + 50} << 20;
  EXPECT_LT(json::parse(r.out)["statistics"]["peak_rss_bytes"], most);
}

TEST(Races, LimitsEndInUnknown) {
  const Folder folder;
  const std::string model = folder.write("m.dve", mixed_up);
  const Result r = run({"check", model, "--deadlock", "--memory", "16M"});
  EXPECT_EQ(r.exit_code, 3) << r.out;
  EXPECT_TRUE(has(r.out, "memory limit of")) << r.out;
}

TEST(Races, ModelErrorsAreReportedOnce) {
  const Folder folder;
  const std::string model = folder.write("m.dve", R"(byte n = 250;
process P { state s; init s; trans s -> s { effect n = n + 1; }; }
system async;
)");
  const Result r = run({"check", model, "--ltl", "G \"n > 3\"", "--ltl", "G \"n > 4\"", "--ctl",
                        "AG \"n > 5\"", "--json", "-"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  const json properties = json::parse(r.out)["properties"];
  EXPECT_EQ(std::ranges::count_if(properties, [](const json& p) { return p["name"] == "model-errors"; }), 1)
      << r.out;
}

TEST(Races, WithoutThreadsExplicitSearchIsAlone) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need a large address space";
#endif
  const Folder folder;
  const Result r = run({"check", folder.write("m.dve", switches(3)), "--deadlock"}, {.in_child = [] {
                         const rlimit space{400u << 20, 400u << 20}, stack{1u << 30, 1u << 30};
                         setrlimit(RLIMIT_AS, &space);  // less than the stack of a thread
                         setrlimit(RLIMIT_STACK, &stack);
                       }});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "bfs: 8 states")) << r.out;
}

}  // namespace
}  // namespace tideline::test
