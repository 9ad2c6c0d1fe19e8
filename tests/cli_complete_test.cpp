// Completing command lines: what may come next, and how bash asks for it.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>

#include "program.hpp"

namespace tideline::test {
namespace {

using Words = std::vector<std::string>;

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Words complete(Words words) {
  words.insert(words.begin(), "complete");
  const Result r = run(words);
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(r.err, "");
  return lines_of(r.out);
}

TEST(Complete, CommandsAndOptions) {
  EXPECT_EQ(complete({"ex"}), (Words{"explain-por", "explore"}));
  EXPECT_EQ(complete({"help", "re"}), (Words{"report", "resume"}));
  EXPECT_EQ(complete({"check", "--sh"}), (Words{"--shortest"}));
  EXPECT_EQ(complete({"check", "m.dve", "--deadlock", "--invari"}), (Words{"--invariant"}));
  EXPECT_EQ(complete({"--ver"}), (Words{"--version"}));
  EXPECT_EQ(complete({"chekc", "--"}), Words{});
}

TEST(Complete, ValuesOfAnOption) {
  EXPECT_EQ(complete({"check", "m.dve", "--engine", "sw"}), (Words{"sweep"}));
  EXPECT_EQ(complete({"check", "m.dve", "--engine=sw"}), (Words{"--engine=sweep"}));
  EXPECT_EQ(complete({"check", "--por=a"}), (Words{"--por=ample", "--por=auto"}));
  EXPECT_EQ(complete({"explore", "--engine", "scc"}), Words{}) << "it counts no states";
}

/// Then shells offer files.
TEST(Complete, NothingWhereAnythingMayCome) {
  EXPECT_EQ(complete({"check", ""}), Words{});
  EXPECT_EQ(complete({"check", "m.dve", "--ltl", ""}), Words{});
  EXPECT_EQ(complete({"check", "m.dve", "--ltl", "--"}), Words{}) << "the formula, and no option";
  EXPECT_EQ(complete({"check", "--por", "m"}), Words{}) << "a flag: the model comes next";
  EXPECT_EQ(complete({}), Words{});
}

TEST(Complete, EveryWordIsTaken) {
  for (const char* const option :
       {"--engine", "--exec", "--store", "--status", "--color", "--model-errors"}) {
    const Words values = complete({"explore", "m.dve", option, ""});
    EXPECT_GE(values.size(), 2U) << option;
    for (const std::string& value : values)
      EXPECT_FALSE(has(run({"explore", "absent.dve", option, value}).err, "is not one of")) << value;
  }
}

TEST(Complete, PropertiesOfTheModel) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  const std::string more = folder.write("more.txt", "property other invariant true\n");
  EXPECT_EQ(complete({"check", model, "--property", "mu"}), (Words{"mutex"}));
  EXPECT_EQ(complete({"check", "--time", "1s", model, "--property=mu"}), (Words{"--property=mutex"}));
  EXPECT_EQ(complete({"check", model, "--properties", more, "--property", "o"}), (Words{"other"}));
  EXPECT_EQ(complete({"check", model, "--properties=" + more, "--property", "o"}), (Words{"other"}));
  EXPECT_EQ(complete({"check", folder.path("absent.dve"), "--property", ""}), Words{});
  EXPECT_EQ(complete({"check", "-", "--property", ""}), Words{});
}

/// What bash would put in place of the last word, of the words as bash splits the line.
Words in_bash(const std::string& words, const std::string& begun) {
  const std::string script = "source " TIDELINE_COMPLETION "/tideline.bash; COMP_WORDS=(" + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tideline " TIDELINE_PROGRAM " '" +
                             begun + "' ''; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Folder folder;
  std::FILE* const pipe = ::popen(("bash " + folder.write("script", script)).c_str(), "r");
  std::string out;
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) out += part.data();
  EXPECT_EQ(::pclose(pipe), 0);
  return lines_of(out);
}

TEST(Complete, Bash) {
  EXPECT_EQ(in_bash("tideline exp", "exp"), (Words{"explain-por", "explore"}));
  EXPECT_EQ(in_bash("tideline check m.dve --engine sw", "sw"), (Words{"sweep"}));
  EXPECT_EQ(in_bash("tideline check m.dve --engine = sw", "sw"), (Words{"sweep"}));
  EXPECT_EQ(in_bash("tideline check m.dve --por =", ""), (Words{"ample", "auto", "off", "stubborn"}));
}

}  // namespace
}  // namespace tideline::test
