// tideline automaton: formats, kinds and errors, as a user sees them.
#include <gtest/gtest.h>

#include <algorithm>

#include "program.hpp"

namespace tideline::test {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(AutomatonCommand, PrintsEachFormat) {
  const Result hoa = run({"automaton", "G(p -> F q)"});
  EXPECT_EQ(hoa.exit_code, 0);
  EXPECT_EQ(hoa.err, "");
  EXPECT_TRUE(hoa.out.starts_with("HOA: v1\nname: \"G(p -> F q)\"\n"));
  EXPECT_EQ(run({"automaton", "G(p -> F q)", "--hoa", "--ba"}).out, hoa.out);
  EXPECT_TRUE(run({"automaton", "F p", "--dot"}).out.starts_with("digraph"));
  EXPECT_TRUE(run({"automaton", "F p", "--never"}).out.starts_with("never { /* F p */\n"));
  EXPECT_TRUE(has(run({"automaton", "GF p && GF q", "--tgba"}).out, "acc-name: generalized-Buchi 2\n"));
}

TEST(AutomatonCommand, SaysSizeAndKind) {
  const Result r = run({"automaton", "[]p", "--negate", "--stats"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(r.out,
            "formula:     !G p\nstates:      2\nedges:       3\natoms:       1\nacceptance:  states, 1 set\n"
            "kind:        deterministic, complete, terminal\n");
}

TEST(AutomatonCommand, HelpFitsAScreen) {
  const Result r = run({"automaton", "--help"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_LE(std::count(r.out.begin(), r.out.end(), '\n'), 24);
  EXPECT_TRUE(has(r.out, "\nExamples\n"));
}

TEST(AutomatonCommand, ErrorsPointIntoTheFormula) {
  const Result r = run({"automaton", "G(p -> F q"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err, "FORMULA:1:2: error: this '(' is not closed\n     1 | G(p -> F q\n       |  ^\n");
  EXPECT_EQ(run({"automaton"}).exit_code, 2);
  EXPECT_EQ(run({"automaton", "p", "--dot", "--never"}).exit_code, 2);
  EXPECT_EQ(run({"automaton", "p", "--never", "--tgba"}).exit_code, 2);
  EXPECT_EQ(run({"automaton", "p", "--translator", "ltl3ba"}).exit_code, 2);
  EXPECT_EQ(run({"automaton", std::string(10000, '!') + "p"}).exit_code, 2);
}

}  // namespace
}  // namespace tideline::test
