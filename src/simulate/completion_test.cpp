#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "testing/conversation.hpp"

namespace tideline {
namespace {

using test::Conversation;

using Words = std::vector<std::string>;

class Completing : public ::testing::Test {
 protected:
  Words words(const std::string& line) { return talk.session.complete(line).words; }
  Conversation talk{test::two_processes};
};

TEST_F(Completing, ALineBeginsWithACommandOrALabel) {
  EXPECT_EQ(words("wa"), Words{"watch"});
  EXPECT_EQ(words("re"), Words{"reset"});
  EXPECT_EQ(words("P_"), (Words{"P_0: idle -> want", "P_1: idle -> want"}));
  EXPECT_EQ(words("P_0: "), Words{"P_0: idle -> want"});
  EXPECT_EQ(words("list; wa"), Words{"watch"});
  EXPECT_EQ(talk.session.complete("list; wa").begin, 6U);
  EXPECT_GT(words("").size(), 20U);
  EXPECT_TRUE(words("xyz").empty());
}

TEST_F(Completing, ACommandHasWhatItTakes) {
  EXPECT_EQ(words("help un"), Words{"until"});
  EXPECT_EQ(words("take P_1"), Words{"P_1: idle -> want"});
  EXPECT_EQ(words("why P_1: w"), (Words{"P_1: wait -> CS", "P_1: want -> wait"}));
  EXPECT_EQ(words("break on P_1: w"), (Words{"P_1: wait -> CS", "P_1: want -> wait"}));
  EXPECT_EQ(words("back "), Words{});
}

TEST_F(Completing, NamesInExpressions) {
  EXPECT_EQ(words("eval fl"), Words{"flag"});
  EXPECT_EQ(words("eval turn == 1 && P_0.w"), (Words{"P_0.wait", "P_0.want"}));
  EXPECT_EQ(talk.session.complete("eval turn == 1 && P_0.w").begin, 18U);
  EXPECT_EQ(words("break !(t"), Words{"turn"});
  EXPECT_EQ(words("find P_1-"), Words{"P_1->visits"});
  EXPECT_EQ(words("find P_1->v"), Words{"P_1->visits"});
  EXPECT_EQ(words("watch flag[tu"), Words{"turn"});
  EXPECT_EQ(words("ev t"), Words{"turn"});
  EXPECT_TRUE(words("ev P_0.tu").empty());
  EXPECT_TRUE(words("ev xyz").empty());
  EXPECT_EQ(words("ev P_0"), (Words{"P_0", "P_0.CS", "P_0.idle", "P_0.wait", "P_0.want"}));
}

TEST_F(Completing, NamesOfProcessesWithParameters) {
  Conversation network(
      R"(process Voter(i: 0..1) { Ready = yes[i] -> Yes | no[i] -> No; Yes = stop; No = stop; }
system = Voter(0) || Voter(1);
)",
      "m.psl");
  EXPECT_EQ(network.session.complete("eval !(Voter(0).R").words, Words{"Voter(0).Ready"});
  EXPECT_EQ(network.session.complete("eval !(Voter(0).R").begin, 7U);
  EXPECT_EQ(network.session.complete("find V").words, (Words{"Voter(0)", "Voter(1)"}));
}

TEST_F(Completing, FilesAndFolders) {
  const auto folder = std::filesystem::temp_directory_path() / ("completing" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "runs");
  std::ofstream(folder / "run.json") << "{}";
  std::ofstream(folder / ".hidden") << "{}";
  EXPECT_EQ(words("load " + folder.string() + "/"),
            (Words{folder / "run.json", (folder / "runs").string() + "/"}));
  EXPECT_EQ(words("save " + folder.string() + "/.h"), Words{folder / ".hidden"});
  EXPECT_TRUE(words("load /no/such/folder/").empty());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tideline
