// The sweep-line from the command line.
#include <gtest/gtest.h>

#include <filesystem>

#include "program.hpp"

namespace tideline::test {
namespace {

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
  const Result r = sweep(folder.write("m.dve", counting), {"--invariant", "n <= 5"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "note: progress measure: ")) << r.err;
  EXPECT_TRUE(has(r.err, "note: on all ")) << r.err;
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

TEST(Sweep, MistakesArePointedAt) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting);
  const Result r = sweep(model, {"--deadlock", "--progress", "n, wrong"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "--progress:1:4: error: unknown variable 'wrong'")) << r.err;
  EXPECT_EQ(sweep(model, {"--deadlock", "--progress", "n", "--progress-file", "f"}).exit_code, 2);
  EXPECT_EQ(sweep(model, {"--deadlock", "--progress-file", folder.path("none")}).exit_code, 2);
  EXPECT_EQ(sweep(model, {"--deadlock", "--progress", "n", "--trace-dir", "/proc/nowhere"}).exit_code, 2);
  EXPECT_EQ(sweep(model, {"--ltl", "GF true", "--sweep", "backwards"}).exit_code, 2);
}

TEST(Sweep, OptionsForOtherEnginesAreNoticed) {
  const Folder folder;
  const std::string model = folder.write("m.dve", counting);
  const Result r = run({"check", model, "--deadlock", "--progress", "n"});
  EXPECT_TRUE(has(r.err, "--progress has no effect")) << r.err;
  EXPECT_TRUE(has(sweep(model, {"--deadlock", "--depth", "3"}).err, "--depth has no effect"));
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
