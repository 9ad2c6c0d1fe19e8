// What people see: colours, which only repeat what the words say, and runs that were made shorter.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.hpp"

namespace tideline::test {
namespace {

using Strings = std::vector<std::string>;

/// Without what marks words, and without the carriage returns of a terminal.
std::string plain(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\x1b')
      i = text.find_first_of("mK", i);
    else if (text[i] != '\r')
      result += text[i];
  return result;
}

bool has_colours(const std::string& text) {
  return has(text, "\x1b[1;");
}

class Colours : public testing::Test {
 protected:
  void SetUp() override {
    if (!terminals_available()) GTEST_SKIP() << "there are no pseudo-terminals";
  }

  Result on_terminal(Strings more, const TerminalOptions& options) {
    Strings arguments{"check", model_,    "--property", "alone",    "--engine",
                      "bfs",   "--depth", "9",          "--status", "none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    OnTerminal program(arguments, options);
    return program.finish();
  }

  Folder folder_;
  std::string model_ = folder_.write("m.dve", peterson);
};

TEST_F(Colours, AppearOnATerminalAndChangeNoWord) {
  const Result shown = on_terminal({}, {.with_stdout = true});
  EXPECT_TRUE(has(shown.err, "alone: \x1b[1;31mviolated\x1b[0m  (")) << shown.err;
  EXPECT_TRUE(has(shown.err, "flag[1]: 0 -> \x1b[36m1\x1b[0m")) << shown.err;
  const Result in_pipe = run({"check", model_, "--property", "alone", "--engine", "bfs", "--depth", "9"});
  EXPECT_FALSE(has(in_pipe.out + in_pipe.err, "\x1b"));
  const auto before_figures = [](const std::string& text) { return text.substr(0, text.find("bfs: ")); };
  EXPECT_EQ(before_figures(plain(shown.err)), before_figures(in_pipe.out));
  EXPECT_EQ(shown.exit_code, in_pipe.exit_code);
}

TEST_F(Colours, AreDecidedForStdoutAndStderrEach) {
  const Strings broken{"check", folder_.write("bad.dve", "byte x = ;\n"), "--deadlock"};
  OnTerminal messages(broken);
  const Result shown = messages.finish();
  EXPECT_TRUE(has(shown.err, ": \x1b[1;31merror:\x1b[0m ")) << shown.err;
  const Result only_messages = on_terminal({"--fair", "none"}, {});
  EXPECT_FALSE(has(only_messages.out, "\x1b")) << "stdout is a pipe";
  EXPECT_TRUE(has(only_messages.err, "\x1b[1;36mnote:\x1b[0m --fair has no effect")) << only_messages.err;
  const Result only_answers = on_terminal({"--fair", "none"}, {.with_stdout = true, .with_stderr = false});
  EXPECT_TRUE(has_colours(only_answers.err));
  EXPECT_TRUE(has(only_answers.out, "note: --fair")) << "stderr is a pipe: " << only_answers.out;
}

TEST_F(Colours, AreRefusedByTheEnvironment) {
  for (const std::string setting : {"NO_COLOR=1", "NO_COLOR=yes", "TERM=dumb", "TERM="})
    EXPECT_FALSE(has(on_terminal({}, {.environment = {setting}, .with_stdout = true}).err, "\x1b"))
        << setting;
  EXPECT_TRUE(has_colours(on_terminal({}, {.environment = {"NO_COLOR="}, .with_stdout = true}).err))
      << "an empty value does not count";
}

TEST_F(Colours, AreAsTheOptionSays) {
  const TerminalOptions both{.environment = {"NO_COLOR=1"}, .with_stdout = true};
  EXPECT_FALSE(has_colours(on_terminal({"--color", "auto"}, both).err));
  EXPECT_TRUE(has_colours(on_terminal({"--color", "always"}, both).err)) << "the option wins";
  EXPECT_FALSE(has_colours(on_terminal({"--color=never"}, {.with_stdout = true}).err));
  EXPECT_TRUE(has_colours(run({"check", model_, "--property", "alone", "--color=always"}).out));
  EXPECT_TRUE(has_colours(run({"check", folder_.path("none.dve"), "--color", "always"}).err));
  EXPECT_TRUE(has_colours(run({"check", "--color=always", "--nope"}).err)) << "options that cannot be read";
  const Result r = run({"check", model_, "--color", "sometimes"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "--color: 'sometimes' is not one of auto, always, never")) << r.err;
}

TEST_F(Colours, AreNeverInFiles) {
  const std::string trace = folder_.path("t.json");
  run({"check", model_, "--property", "alone", "--color=always", "--json", folder_.path("a.json"), "--trace",
       trace, "--junit", folder_.path("j.xml")});
  for (const std::string name : {"a.json", "t.json", "j.xml"}) {
    EXPECT_FALSE(folder_.read(name).empty());
    EXPECT_FALSE(has(folder_.read(name), "\x1b")) << name;
    EXPECT_FALSE(has(folder_.read(name), "\\u001b")) << name;
  }
  EXPECT_TRUE(has(run({"trace", trace, "--color=always"}).out, "-> \x1b[36m"));
  EXPECT_FALSE(has(run({"trace", trace}).out, "\x1b"));
}

TEST_F(Colours, EveryCommandTakesTheOption) {
  for (const std::string command : {"check", "explore", "mcc", "progress", "explain-por", "resume",
                                    "simulate", "trace", "automaton", "engines"})
    EXPECT_FALSE(has(run({command, "--color", "never", "--nope"}).err, "'--color'")) << command;
  EXPECT_EQ(run({"automaton", "G p", "--color=never"}).exit_code, 0);
}

// --- Shorter runs

nlohmann::json property_of(const Result& r) {
  return nlohmann::json::parse(r.out)["properties"][0];
}

TEST(Shortening, ChangesNothingButTheRun) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  const std::vector<Strings> questions{{"--ltl", "G F P_0.CS", "--engine", "scc"},
                                       {"--ltl", "G F P_0.CS", "--engine", "ndfs", "--fair", "none"},
                                       {"--ltl", "F G !P_0.CS", "--engine", "scc", "--fair", "weak"},
                                       {"--reach", "P_0.CS", "--engine", "dfs"},
                                       {"--invariant", "!P_1.CS", "--engine", "walk"}};
  for (Strings arguments : questions) {
    arguments.insert(arguments.begin(), {"check", model, "--json", "-"});
    const Result shorter = run(arguments);
    arguments.emplace_back("--no-shorten");
    const Result found = run(arguments);
    EXPECT_EQ(shorter.exit_code, found.exit_code);
    const auto after = property_of(shorter), before = property_of(found);
    EXPECT_EQ(after["verdict"], before["verdict"]);
    EXPECT_EQ(after["reason"], before["reason"]);
    EXPECT_FALSE(before.contains("shortened_from"));
    ASSERT_FALSE(after["trace"].is_null());
    EXPECT_LE(after["trace"]["length"], before["trace"]["length"]);
    if (after.contains("shortened_from")) {
      EXPECT_LT(after["trace"]["length"], after["shortened_from"]);
    }
  }
}

TEST(Shortening, IsSaidInTheText) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  const Result r = run({"check", model, "--ltl", "G F P_0.CS", "--engine", "scc"});
  EXPECT_TRUE(has(r.out, "  counterexample of 4 steps, shortened from ")) << r.out;
  EXPECT_TRUE(has(r.out, "     the cycle begins here: steps 1 to 4 are repeated for ever\n  1| ")) << r.out;
  EXPECT_TRUE(has(r.out, "     and on from state 0 for ever\n")) << r.out;
  EXPECT_EQ(run({"check", model, "--ltl", "G p", "--shortest", "--no-shorten"}).exit_code, 2);
}

}  // namespace
}  // namespace tideline::test
