// The two programs: what they say, their exit codes, and the manual page of the checker.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

#include "options.hpp"
#include "written.hpp"

namespace tideline::certify {
namespace {

struct Result {
  int exit_code = -1;
  std::string output;  ///< stdout and stderr
};

Result run(const std::string& command) {
  Result result;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
    result.output.append(buffer, got);
  result.exit_code = WEXITSTATUS(::pclose(pipe));
  return result;
}

Result check(const std::string& arguments) {
  return run(TIDELINE_PROGRAM " check --no-trace " + arguments);
}
Result certify(const std::string& arguments) {
  return run(TIDELINE_CERTIFY " " + arguments);
}

const std::string peterson = TIDELINE_SOURCE_DIR "/models/peterson.dve ";

TEST(Programs, WriteAndAccept) {
  const ScratchFile file;
  const Result written =
      check(peterson + "--deadlock --ltl 'G(P_0.waiting -> F P_0.critical)' --certificate " + file.path());
  EXPECT_EQ(written.exit_code, 0);
  EXPECT_NE(written.output.find("the certificate is in"), std::string::npos) << written.output;
  const Result accepted =
      certify(peterson + "--deadlock --ltl 'G(P_0.waiting -> F P_0.critical)' --threads 2 " + file.path());
  EXPECT_EQ(accepted.exit_code, 0);
  EXPECT_NE(accepted.output.find("accepted"), std::string::npos) << accepted.output;
}

TEST(Programs, SayWhatIsWrong) {
  const ScratchFile file;
  check(peterson + "--deadlock --certificate " + file.path());
  const Result wrong = certify(peterson + "--invariant 'not P_0.critical' " + file.path());
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_NE(wrong.output.find("refused: state"), std::string::npos) << wrong.output;
  EXPECT_NE(wrong.output.find("P_0 = critical"), std::string::npos) << wrong.output;
  EXPECT_EQ(certify(peterson + peterson).exit_code, 1);  // not a certificate
  EXPECT_EQ(certify(peterson + "/no/such/file").exit_code, 2);
  EXPECT_EQ(certify("/no/such/model " + file.path()).exit_code, 2);
  EXPECT_EQ(certify(peterson + "--nonsense " + file.path()).exit_code, 2);
  EXPECT_EQ(certify(peterson + "--memory much " + file.path()).exit_code, 2);
  EXPECT_EQ(certify(peterson + "--assertions " + file.path()).exit_code, 2);  // it has none
}

TEST(Programs, NameTheActionThatLeavesTheSet) {
  const ScratchFile file;
  check(peterson + "--deadlock --certificate " + file.path());
  const auto without_one =
      changed(bytes_of(file.path()), [](std::vector<Record>& records) { records.pop_back(); });
  std::ofstream(file.path(), std::ios::binary)
      .write(reinterpret_cast<const char*>(without_one.data()),
             static_cast<std::streamsize>(without_one.size()));
  const Result wrong = certify(peterson + "--deadlock " + file.path());
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_NE(wrong.output.find("which is not in the certificate"), std::string::npos) << wrong.output;
  EXPECT_NE(wrong.output.find("action 'P_"), std::string::npos) << wrong.output;
}

TEST(Programs, RefuseWhatCannotBeCertifiedBeforeTheSearch) {
  const ScratchFile file;
  for (const char* options :
       {"--deadlock --por", "--deadlock --engine bitstate", "--deadlock --certificate -",
        "--ltl 'G F P_0.critical' --fair weak", "--ltl 'G F act(P_0: *)'",
        "--engine sweep --deadlock --checkpoint /tmp/none"}) {
    const Result refused = check(peterson + "--certificate " + file.path() + " " + options);
    EXPECT_EQ(refused.exit_code, 2) << options << refused.output;
  }
  EXPECT_TRUE(bytes_of(file.path()).empty());
}

TEST(Programs, WriteNothingAboutAViolation) {
  const ScratchFile file;
  const Result violated = check(peterson + "--invariant 'not P_0.critical' --certificate " + file.path());
  EXPECT_EQ(violated.exit_code, 1);
  EXPECT_NE(violated.output.find("there is no certificate"), std::string::npos) << violated.output;
  EXPECT_TRUE(bytes_of(file.path()).empty());
}

TEST(Programs, ManualPageOfTheCheckerHasItsOptions) {
  CLI::App app;
  Options options;
  options.add_to(app);
  std::set<std::string> taken, listed;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) taken.insert(name);
  std::ifstream manual(TIDELINE_SOURCE_DIR "/docs/tideline-certify.1");
  for (std::string line; std::getline(manual, line);) {
    if (!line.starts_with(".It ")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;)
      if (word.size() > 1 && word.starts_with('-')) listed.insert(word.substr(1));
  }
  EXPECT_EQ(listed, taken);
  std::istringstream help(app.help());
  std::size_t lines = 0;
  for (std::string line; std::getline(help, line); ++lines) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_LE(lines, 24U);
}

}  // namespace
}  // namespace tideline::certify
