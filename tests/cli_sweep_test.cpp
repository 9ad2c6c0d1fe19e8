// The sweep-line from the command line.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

/// Counts to five, and stops; `turn` goes back and forth.
const std::string counting = R"(byte n, turn;
process Counter {
  state idle, busy;
  init idle;
  trans
    idle -> busy { guard n < 5; effect n = n + 1; },
    busy -> idle { effect turn = 1 - turn; };
}
system async;
)";

Result sweep(const std::string& model, std::vector<std::string> options) {
  options.insert(options.begin(), {"check", model, "--engine", "sweep"});
  return run(options);
}

// Where the system refuses threads, as here for want of addresses, those that there are do everything.
TEST(Sweep, FewerThreadsThanAskedForAreEnough) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need addresses of their own";
#endif
  const Folder folder;
  std::string text = "byte a, b, c, d;\n";
  for (const char variable : {'a', 'b', 'c', 'd'})
    text += std::string("process ") + static_cast<char>(variable - 'a' + 'P') +
            " { state s; init s; trans s -> s { guard " + variable + " < 20; effect " + variable + " = " +
            variable + " + 1; }; }\n";
  const std::string model = folder.write("m.dve", text + "system async;\n");
  RunOptions limited;
  limited.in_child = [] {
    const rlimit stack{300u << 20, 300u << 20},
        addresses{1000u << 20, 1000u << 20};  // for two or three threads
    ::setrlimit(RLIMIT_STACK, &stack);
    ::setrlimit(RLIMIT_AS, &addresses);
  };
  const Result result = run(
      {"explore", model, "--engine", "sweep", "--progress", "a", "--threads", "8", "--json", "-"}, limited);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["statistics"]["states"], 21 * 21 * 21 * 21);
}

TEST(Sweep, SafetyPropertiesHaveRuns) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting);
  for (const std::string measure : {"n", "turn", "-n", "monotone n", "Counter {busy < idle}, n"}) {
    const Result violated = sweep(model, {"--progress", measure, "--invariant", "n < 4"});
    EXPECT_EQ(violated.exit_code, 1) << violated.err;
    EXPECT_TRUE(has(violated.out, "n: 3 -> 4")) << violated.out;
    const Result holds = sweep(model, {"--progress", measure, "--invariant", "n <= 5", "--reach", "n == 5"});
    EXPECT_EQ(holds.exit_code, 0) << holds.out << holds.err;
    EXPECT_TRUE(has(holds.out, "(complete)")) << holds.out;
  }
}

TEST(Sweep, AMeasureIsFoundWhenNoneIsGiven) {
  const Folder folder;
  const Result r = sweep(folder.write("m.dve", counting), {"--invariant", "n <= 5", "--sweep-from", "0"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(has(r.err,
                  "note: progress measure, learnt from the sample (about as good as the best one "
                  "composed of what single parts can do): monotone n"))
      << r.err;
  EXPECT_TRUE(has(r.err, "note: on all ")) << r.err;
}

TEST(Sweep, StatesThatTakeLittleMemoryAreKept) {
  const Folder folder;
  const Result r = sweep(folder.write("m.dve", counting), {"--invariant", "n <= 5"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "note: all states take only ")) << r.err;
}

TEST(Sweep, ItBeginsBreadthFirstAndExpandsNoStateTwice) {
  const std::string model = std::string(TIDELINE_DOCS) + "/../models/stop_and_wait.dve";
  const auto statistics = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words = {"check", model, "--invariant", "true", "--quiet", "--json", "-"};
    words.insert(words.end(), options.begin(), options.end());
    return json::parse(run(words).out)["statistics"];
  };
  const json bfs = statistics({"--engine", "bfs"});
  for (const char* from : {"0", "1", "4K", "20K", "1G"}) {
    const json swept = statistics({"--engine", "sweep", "--sweep-from", from});
    for (const char* figure : {"states", "transitions", "deadlocks"})
      EXPECT_EQ(swept[figure], bfs[figure]) << from << ", " << figure;
  }
  EXPECT_EQ(run({"check", model, "--deadlock", "--engine", "sweep", "--sweep-from", "much"}).exit_code, 2);
}

/// Of an answer in JSON: what is not a time or the size of the process.
json counts_of(json statistics) {
  for (const char* const varies :
       {"time_s", "measure_time_s", "peak_rss_bytes", "states_per_s", "bytes_per_state"})
    statistics.erase(varies);
  return statistics;
}

// While it begins breadth-first a measure is looked for in another thread, which takes longer in one run than in another.
TEST(Sweep, TheSameCommandDoesTheSame) {
  const Folder folder;
  std::string text = "byte a, b, c, d;\n";
  for (const char slot : {'a', 'b', 'c', 'd'})
    text += std::string("process ") + static_cast<char>(slot - 'a' + 'P') +
            " { state s; init s; trans s -> s { guard " + slot + " < 20; effect " + slot + " = " + slot +
            " + 1; }, s -> s { guard " + slot + " == 20; effect " + slot + " = 5; }; }\n";
  const std::string model = folder.write("m.dve", text + "system async;\n");
  json first;
  for (int i = 0; i < 5; ++i) {
    const Result result =
        sweep(model, {"--invariant", "true", "--sweep-from", "700K", "--json", "-", "--quiet"});
    const json statistics = counts_of(json::parse(result.out)["statistics"]);
    EXPECT_LT(statistics["stored_peak"], 150'000) << statistics;  // it did become a sweep
    if (i == 0) first = statistics;
    EXPECT_EQ(statistics, first);
  }
  EXPECT_EQ(first["states"], 21 * 21 * 21 * 21);
}

TEST(Sweep, TheMeasureOfTheModelIsUsed) {
  const Folder folder;
  const std::string model = folder.write("m.dve", "//@ progress monotone turn\n" + counting);
  EXPECT_EQ(sweep(model, {"--deadlock"}).exit_code, 2);
  EXPECT_EQ(sweep(model, {"--deadlock", "--progress", "turn"}).exit_code, 1);
}

TEST(Sweep, AFalseClaimNamesTheAction) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting);
  for (const std::vector<std::string>& property :
       {std::vector<std::string>{"--deadlock"}, {"--ltl", "GF \"n > 7\""}}) {
    std::vector<std::string> options = property;
    options.insert(options.end(), {"--progress", "monotone turn"});
    const Result r = sweep(model, options);
    EXPECT_EQ(r.exit_code, 2) << r.out;
    EXPECT_TRUE(has(r.err, "`Counter: busy -> idle` takes it from (1) back to (0)")) << r.err;
  }
}

/// Without columns the destinations of regress edges are kept to the end, and answers are the same.
TEST(Sweep, WithoutColumnsMoreIsKept) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting);
  const std::string measure = "sccs(n), tree(turn), Counter {busy < idle}";
  const auto stored = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"explore", model, "--engine", "sweep", "--progress", measure});
    options.insert(options.end(), {"--json", "-", "--quiet"});
    const Result r = run(options);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return json::parse(r.out)["statistics"]["stored_peak"].get<int>();
  };
  EXPECT_LT(stored({}), stored({"--no-columns"}));
  EXPECT_LT(stored({"--product", "--ltl", "FG \"n > 7\""}),
            stored({"--product", "--ltl", "FG \"n > 7\"", "--no-columns"}));
  for (const auto& [option, formula, exit_code] :
       std::vector<std::tuple<std::string, std::string, int>>{{"--invariant", "n < 4", 1},
                                                              {"--invariant", "n < 6", 0},
                                                              {"--ltl", "FG \"turn == 1\"", 0},
                                                              {"--ltl", "G \"turn == 0\"", 1},
                                                              {"--ctl", "AG AF \"n == 5\"", 0},
                                                              {"--ctl", "AG AF \"n == 4\"", 1}})
    for (const std::string& terms : {measure, std::string("monotone n"), std::string("turn")})
      EXPECT_EQ(sweep(model, {option, formula, "--progress", terms, "--no-columns"}).exit_code, exit_code)
          << formula << " by " << terms;
  EXPECT_EQ(sweep(model, {"--deadlock", "--progress", "monotone turn", "--no-columns"}).exit_code, 2);
}

TEST(Sweep, MistakesArePointedAt) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting);
  const Result r = sweep(model, {"--deadlock", "--progress", "n, wrong"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "--progress:1:4: error: unknown variable 'wrong'")) << r.err;
  EXPECT_EQ(sweep(model, {"--deadlock", "--progress", "n", "--progress-file", "f"}).exit_code, 2);
  EXPECT_EQ(sweep(model, {"--deadlock", "--progress-file", folder.path("none")}).exit_code, 2);
  for (const std::string option : {"--progress", "--progress-file", "--trace-dir"}) {
    const Result empty = sweep(model, {"--deadlock", option, ""});
    EXPECT_EQ(empty.exit_code, 2) << option;
    EXPECT_TRUE(has(empty.err, option + ":")) << empty.err;
  }
  EXPECT_EQ(sweep(model, {"--ltl", "GF true", "--sweep", "backwards"}).exit_code, 2);
}

/// Mistakes are reported before time is spent on finding a measure.
TEST(Sweep, MistakesAreFoundFirst) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting);
  const Result log = sweep(model, {"--deadlock", "--trace-dir", "/proc/nowhere"});
  EXPECT_EQ(log.exit_code, 2);
  EXPECT_TRUE(has(log.err, "/proc/nowhere")) << log.err;
  EXPECT_FALSE(has(log.err, "looking for")) << log.err;

  const std::string wide =
      folder.write("w.dve",
                   "int a, b, c, d; process P { state s; init s; trans s -> s { guard a < 3; "
                   "effect a = a + 1; }; } system async;");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"check", wide, "--ltl", "G (\"a == 1\" -> F \"a == 3\")"},
        {"explore", wide, "--product", "--ltl", "G (\"a == 1\" -> F \"a == 3\")"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--engine", "sweep", "--progress", "a, b, c, d"});
    const Result r = run(arguments);
    EXPECT_EQ(r.exit_code, 2) << r.out;
    EXPECT_TRUE(has(r.err, "the measure needs 64 bits")) << r.err;
    EXPECT_TRUE(has(r.err, "--sweep automaton-none")) << r.err;
    EXPECT_FALSE(has(r.err, "note: on ")) << r.err;
    arguments.insert(arguments.end(), {"--sweep", "automaton-none"});
    EXPECT_EQ(run(arguments).exit_code, 0);
  }
}

/// The sample on which measures are tried would not fit, and the sweep does.
TEST(Sweep, TheSampleFitsTheMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  const Folder folder;
  const std::string model = folder.write("m.dve", R"(int n, wide[600];
byte hour;
process Counter { state s; init s; trans s -> s { guard n < 30000; effect n = n + 1; }; }
process Clock { state s; init s; trans s -> s { effect hour = (hour + 1) % 8; }; }
system async;
)");
  const Result r = sweep(model, {"--invariant", "n <= 30000", "--no-trace", "--memory", "256M"});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_TRUE(has(r.err, "note: on a sample of ")) << r.err;
  EXPECT_FALSE(has(r.err, "note: on a sample of 200,000 ")) << r.err;
}

/// A product does not follow steps that end in a model error, so these get a search of their own with
/// the same measure.
TEST(Sweep, ModelErrorsAreSweptForToo) {
  const Folder folder;
  const Result r =
      sweep(folder.write("m.dve", overflow), {"--ltl", "F \"x == 0\"", "--progress", "x", "--json", "-"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  const json searches = json::parse(r.out)["searches"];
  ASSERT_EQ(searches.size(), 2U) << r.out;
  EXPECT_EQ(searches[1]["properties"], json{"model-errors"});
  EXPECT_EQ(searches[1]["statistics"]["layers"], 3);
}

TEST(Sweep, TimeForTheMeasureCounts) {
  const Folder folder;
  const Result r = sweep(folder.write("m.dve", endless), {"--deadlock", "--time", "0.02s"});
  EXPECT_EQ(r.exit_code, 3) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "time limit of 0.02 s reached")) << r.out << r.err;
}

TEST(Sweep, OptionsForOtherEnginesAreNoticed) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting);
  const Result r = run({"check", model, "--engine", "bfs", "--deadlock", "--progress", "n"});
  EXPECT_TRUE(has(r.err, "--progress has no effect")) << r.err;
  EXPECT_TRUE(has(sweep(model, {"--deadlock", "--depth", "3"}).err, "--depth has no effect"));
  const std::string logs = folder.path("logs");
  const Result no_trace = sweep(model, {"--deadlock", "--no-trace", "--trace-dir", logs});
  EXPECT_TRUE(has(no_trace.err, "--trace-dir has no effect")) << no_trace.err;
  EXPECT_FALSE(has(sweep(model, {"--deadlock", "--trace-dir", logs}).err, "has no effect"));
}

TEST(Sweep, PublishedVariantsAreForTheirEnginesAndFormulas) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting);
  const auto ctl = [&](const std::string& formula, const std::string& words) {
    return sweep(model, {"--ctl", formula, "--progress", "n", "--sweep", words}).err;
  };
  const std::string always = "AG EF \"n > 7\"";
  EXPECT_TRUE(has(ctl(always, "nested"), "--sweep has no effect"));
  EXPECT_FALSE(has(ctl(always, "paper"), "--sweep"));
  EXPECT_TRUE(
      has(ctl("EX \"n > 7\"", "paper"), "--sweep every-scc (part of paper) does not apply to property ctl"));
  const Result idle = run({"check", model, "--engine", "scc", "--ltl", "GF \"n > 7\"", "--regions", "off"});
  EXPECT_TRUE(has(idle.err, "--regions has no effect")) << idle.err;
}

/// Whatever the automaton looks like: here it accepts nowhere behind the line, and we need no search at all.
TEST(Sweep, ThePublishedAlgorithmStartsFromAllPersistentStates) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting);
  const auto statistics = [&](const std::string& words) {
    const Result r =
        sweep(model, {"--ltl", "G \"n <= 255\"", "--progress", "turn", "--sweep", words, "--json", "-"});
    return json::parse(r.out)["statistics"];
  };
  for (const std::string words : {"paper", "paper,offline"}) {
    EXPECT_GT(statistics(words)["persistent"], 0) << words;
    EXPECT_EQ(statistics(words)["candidates"], statistics(words)["persistent"]) << words;
  }
  EXPECT_EQ(statistics("online")["candidates"], 0);
}

TEST(Sweep, ExploreNoticesThemToo) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting);
  const auto idle = [&](std::vector<std::string> options, const std::string& option) {
    options.insert(options.begin(), {"explore", model});
    const Result r = run(options);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return has(r.err, option + " has no effect");
  };
  EXPECT_TRUE(idle({"--levels", "--engine", "sweep"}, "--levels"));
  EXPECT_TRUE(idle({"--levels", "--engine", "dfs"}, "--levels"));
  EXPECT_FALSE(idle({"--levels"}, "--levels"));
  EXPECT_TRUE(idle({"--progress", "n"}, "--progress"));
  EXPECT_FALSE(idle({"--progress", "n", "--engine", "sweep"}, "--progress"));
  EXPECT_TRUE(idle({"--sweep", "online", "--engine", "sweep"}, "--sweep"));
  EXPECT_FALSE(
      idle({"--sweep", "automaton-first", "--engine", "sweep", "--product", "--ltl", "true"}, "--sweep"));
  EXPECT_TRUE(idle({"--max-states", "5"}, "--max-states"));
  EXPECT_FALSE(idle({"--levels", "--engine", "dfs", "--quiet"}, "--levels"));
}

TEST(Sweep, TheLogGoesUnlessItIsKept) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting), logs = folder.path("logs");
  EXPECT_EQ(sweep(model, {"--deadlock", "--trace-dir", logs}).exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(logs));
  EXPECT_EQ(sweep(model, {"--deadlock", "--trace-dir", logs, "--keep-trace-log"}).exit_code, 1);
  EXPECT_FALSE(std::filesystem::is_empty(logs));
}

TEST(Sweep, WithoutTracesThereAreNoRuns) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting);
  for (const std::vector<std::string>& property :
       {std::vector<std::string>{"--deadlock"}, {"--ltl", "GF \"n > 7\""}}) {
    std::vector<std::string> options = property;
    options.push_back("--no-trace");
    const Result r = sweep(model, options);
    EXPECT_EQ(r.exit_code, 1) << r.err;
    EXPECT_FALSE(has(r.out, "counterexample")) << r.out;
  }
}

}  // namespace
}  // namespace tideline::test
