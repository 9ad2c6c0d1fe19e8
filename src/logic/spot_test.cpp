// Running ltl2tgba, with stand-in programs of that name.
#include "logic/spot.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tideline {
namespace {

namespace fs = std::filesystem;

/// A folder with a program ltl2tgba in it, which is all of the PATH while the test runs.
class SpotTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
    std::string name = (fs::temp_directory_path() / "tideline-spot-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    ::setenv("PATH", folder_.c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    fs::remove_all(folder_);
  }

  void install(const std::string& script) {
    const fs::path program = folder_ / "ltl2tgba";
    std::ofstream(program) << "#!/bin/sh\n" << script;
    fs::permissions(program, fs::perms::owner_all);
  }

  static Automaton run(const std::string& formula) {
    LtlPool pool;
    return translate_with_spot(pool, parse_ltl(pool, {"--ltl", formula}), AutomatonKind::buchi);
  }
  static std::string error_of(const std::string& formula) {
    try {
      run(formula);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

 private:
  std::string path_;
  fs::path folder_;
};

TEST_F(SpotTest, AtomsGetTheirNamesBack) {
  install(
      "test \"$*\" = '-B --hoaf -f G(p0 -> F p1)' || exit 1\n"
      "echo 'HOA: v1 States: 1 Start: 0 AP: 2 \"p1\" \"p0\" Acceptance: 1 Inf(0) --BODY-- State: 0 {0} "
      "[0&!1] 0 "
      "--END--'\n");
  const Automaton automaton = run("G(\"x == 1\" -> F P.done)");
  EXPECT_EQ(automaton.atoms, (std::vector<std::string>{"P.done", "x == 1"}));
  EXPECT_EQ(automaton.name, "G(\"x == 1\" -> F P.done)");
}

// The stand-in knows the options of versions before and since 2.10: -B and --ba ask for acceptance on states
// in both, --buchi means it before and leaves acceptance on edges since.
TEST_F(SpotTest, AcceptanceIsOnStatesWhateverTheVersion) {
  const std::string on_states =
      "HOA: v1 States: 2 Start: 0 AP: 1 \"p0\" Acceptance: 1 Inf(0) --BODY-- "
      "State: 0 {0} [0] 0 [!0] 1 State: 1 [0] 0 [!0] 1 --END--";
  const std::string on_edges =
      "HOA: v1.1 States: 1 Start: 0 AP: 1 \"p0\" Acceptance: 1 Inf(0) properties: !terminal --BODY-- "
      "State: 0 [0] 0 {0} [!0] 0 --END--";
  for (const std::string& of_buchi : {on_states, on_edges}) {
    install(fmt::format("case \"$1\" in -B|--ba) echo '{}' ;; --buchi) echo '{}' ;; *) exit 2 ;; esac\n",
                        on_states, of_buchi));
    const Automaton automaton = run("GF a");
    EXPECT_EQ(automaton.sets, 1u);
    EXPECT_TRUE(automaton.state_based);
    EXPECT_EQ(automaton.states, 2u);
  }
  // Any answer is converted to what the engines need.
  install(fmt::format("echo '{}'\n", on_edges));
  EXPECT_TRUE(run("GF a").state_based);
  EXPECT_EQ(run("GF a").states, 2u);
}

TEST_F(SpotTest, SaysWhenItIsNotInstalledOrFails) {
  EXPECT_EQ(error_of("a"), "error: translation by Spot: ltl2tgba is not installed (it is not in the PATH)");
  install("exit 3\n");
  EXPECT_EQ(error_of("a"), "error: translation by Spot: ltl2tgba failed with exit code 3");
  install("echo nonsense\n");
  EXPECT_NE(error_of("a").find("the output of ltl2tgba:1:1: error: this is not an HOA"), std::string::npos);
}

}  // namespace
}  // namespace tideline
