// Conversations with a session: what is typed, and what is shown.
#include "simulate/session.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "simulate/commands.hpp"
#include "testing/conversation.hpp"

namespace tideline {
namespace {

using test::Conversation;
using test::dividing;
using test::two_processes;

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Session, ShowsWhereItIsAndTakesNumbers) {
  Conversation talk(two_processes);
  talk.session.show_start();
  EXPECT_EQ(talk.said,
            "  0  initial state\n       flag = [0, 0], turn = 0\n       P_0 at idle\n"
            "       P_1 at idle, visits = 0\n    1)  P_0: idle -> want\n    2)  P_1: idle -> want\n");
  EXPECT_EQ(
      talk(" 2\r"),
      "  1  P_1: idle -> want    flag[1]: 0 -> 1\n    1)  P_0: idle -> want\n    2)  P_1: want -> wait\n");
  EXPECT_EQ(talk("b"), "back in state 0\n    1)  P_0: idle -> want\n    2)  P_1: idle -> want\n");
  EXPECT_EQ(talk("b"), "this is the initial state\n");
  EXPECT_EQ(talk(""), "");
  EXPECT_EQ(talk("# not a command"), "");
  EXPECT_TRUE(talk.goes_on);
  EXPECT_EQ(talk("quit"), "");
  EXPECT_FALSE(talk.goes_on);
}

TEST(Session, TakesSeveralStepsInALine) {
  Conversation talk(two_processes);
  EXPECT_EQ(talk("1*2 2 r"),
            "  1  P_0: idle -> want    flag[0]: 0 -> 1\n  2  P_0: want -> wait    turn: 0 -> 1\n"
            "  3  P_1: idle -> want    flag[1]: 0 -> 1\n  4  P_1: want -> wait    turn: 1 -> 0\n"
            "    1)  P_0: wait -> CS\n");
  const std::string reply = talk("1*2 7 1");
  EXPECT_TRUE(says(reply, "refused: there is no action 7 after 2 steps; here they are numbered from 1 to 2"))
      << reply;
  EXPECT_EQ(talk.simulation().position(), 6U);
  EXPECT_TRUE(says(talk("back 2; list; state"), "P_1 at wait")) << talk.said;
  EXPECT_EQ(talk.simulation().position(), 4U);
}

TEST(Session, TakesPartsOfLabels) {
  Conversation talk(two_processes);
  EXPECT_TRUE(says(talk("P_0"), "  1  P_0: idle -> want"));
  EXPECT_TRUE(says(talk("take p_1"), "  2  P_1: idle -> want"));  // without capitals they do not matter
  const std::string several = talk("wait");
  EXPECT_TRUE(
      says(several,
           "refused: 'wait' fits 2 enabled actions; choose one by its number or by more of its label\n"
           "    1)  P_0: want -> wait\n    2)  P_1: want -> wait"))
      << several;
  EXPECT_TRUE(says(talk("P_1 wait"), "  3  P_1: want -> wait")) << talk.said;
  EXPECT_TRUE(says(talk("take \"P_0: want -> wait\""), "  4  P_0: want -> wait")) << talk.said;
  EXPECT_EQ(talk("P_0"),
            "refused: 'P_0' is a part of the labels of 4 actions, none of which is enabled; "
            "why P_0 says what keeps them");
  EXPECT_EQ(talk("P_0: wait -> CS"),
            "refused: 'P_0: wait -> CS' is not enabled: (flag[1] == 0) || (turn == 0) is false: flag[1] = 1, "
            "turn = 1");
}

TEST(Session, ALabelThatLooksLikeACommandIsTakenByTake) {
  Conversation talk(
      "byte x;\nprocess list { state s; init s; trans s -> s { effect x = 1 - x; }; }\nsystem async;\n");
  EXPECT_EQ(talk("list"), "    1)  list: s -> s\n");
  EXPECT_TRUE(says(talk("take list"), "  1  list: s -> s"));
  EXPECT_TRUE(says(talk("take \"1\""), "refused: no enabled action has '1' in its label")) << talk.said;
}

TEST(Session, RefusesWhatItDoesNotUnderstand) {
  Conversation talk(two_processes);
  EXPECT_EQ(talk("0"), "refused: there is no action 0; here they are numbered from 1 to 2");
  for (const char* line : {"-1",
                           "1x",
                           "18446744073709551617",
                           "1*",
                           "1*x",
                           "xyz 3",
                           "*",
                           "\"",
                           "back -1",
                           "goto",
                           "goto 1",
                           "goto x",
                           "seed",
                           "seed x",
                           "delete",
                           "delete 1",
                           "why",
                           "why xyz",
                           "eval",
                           "eval 1 +",
                           "watch xyz",
                           "break on",
                           "break on xyz",
                           "until",
                           "find (",
                           "state xyz",
                           "load",
                           "load /no/such/file",
                           "save",
                           "save /no/such/folder/x",
                           "help xyz",
                           "quit now",
                           "reset 1",
                           "changes 1",
                           "r 1 2",
                           "take",
                           "take 9"})
    EXPECT_TRUE(says(talk(line), "refused: ")) << line << ": " << talk.said;
  EXPECT_EQ(talk("bakc"),
            "refused: 'bakc' is not a command, nor a part of the label of an enabled action; did you mean "
            "'back'?; try help");
  EXPECT_EQ(talk("eval turm == 1"),
            "refused: unknown variable 'turm'; did you mean 'turn'?\n       turm == 1\n       ^");
  EXPECT_EQ(talk.simulation().length(), 0U);
}

TEST(Session, CommandsCanBeShortenedUnlessAnActionIsMeant) {
  Conversation talk(two_processes);
  EXPECT_EQ(talk("ev turn"), "0\n");
  EXPECT_EQ(talk("ch"), "this is the initial state\n");
  EXPECT_TRUE(says(talk("l2"), "refused: 'l2' is not a command"));
  EXPECT_TRUE(says(talk("wa"), "refused")) << talk.said;  // a part of "want"
}

TEST(Session, GoesBackForwardAndTo) {
  Conversation talk(two_processes);
  talk("1*3 2");
  EXPECT_TRUE(talk("back 3").starts_with("back in state 1\n"));
  EXPECT_TRUE(says(talk("run"), "     3 steps taken back; forward takes them again\n")) << talk.said;
  EXPECT_TRUE(talk("f 2").starts_with("  2  P_0: want -> wait    turn: 0 -> 1\n  3  P_0: wait -> CS\n"));
  EXPECT_TRUE(talk("goto 0").starts_with("  0  initial state\n"));
  EXPECT_TRUE(talk("goto 4").starts_with("  4  P_1: idle -> want\n       flag = [1, 1], turn = 1\n"));
  EXPECT_EQ(talk("goto 5"), "refused: the run has 4 steps; goto takes a number from 0 to 4");
  EXPECT_EQ(talk("forward"), "nothing was taken back: this is the end of the run\n");
  EXPECT_TRUE(talk("back 99999999999").starts_with("back in state 0\n"));
  const std::string first = talk("r 20");
  EXPECT_TRUE(talk("reset").starts_with("  0  initial state\n"));
  EXPECT_EQ(talk.simulation().length(), 20U);
  EXPECT_EQ(talk("r 20"), first);  // the same seed
}

TEST(Session, ShowsStatesChangesAndTheRun) {
  Conversation talk(two_processes);
  talk("1*3");
  EXPECT_EQ(talk("changes"), "       P_0: wait -> CS\n");
  EXPECT_EQ(talk("changes 0"), "       flag[0]: 0 -> 1, turn: 0 -> 1, P_0: idle -> CS\n");
  EXPECT_EQ(talk("changes 3"), "       nothing\n");
  EXPECT_EQ(talk("state P_1"), "       P_1 at idle, P_1.visits = 0\n");
  EXPECT_EQ(talk("state flag"), "       flag[0] = 1, flag[1] = 0\n");
  EXPECT_EQ(talk("eval flag"), "       flag[0] = 1, flag[1] = 0\n");
  EXPECT_TRUE(talk("run").starts_with("  0  initial state\n")) << talk.said;
  EXPECT_EQ(talk("run 1"), "  3  P_0: wait -> CS\n");
  EXPECT_EQ(talk("run 0"), "");
}

TEST(Session, EvaluatesExpressions) {
  Conversation talk(two_processes);
  EXPECT_EQ(talk("eval turn + 3"), "3\n");
  EXPECT_EQ(talk("e P_0.idle"), "true\n");
  EXPECT_EQ(talk("e P_0.CS && turn == 0"), "false\n");
  EXPECT_EQ(talk("e 1 / turn"), "no value (division by zero)\n");
  EXPECT_EQ(talk("e flag[turn + 5]"), "no value (index 5 is outside flag[0..1])\n");
}

TEST(Session, ModelErrorsAreAnswers) {
  Conversation talk(dividing);
  const std::string reply = talk("1*2 1 1");
  EXPECT_TRUE(says(reply, "  3  P: s -> t\nm.dve:8:27: error: division by zero")) << reply;
  EXPECT_FALSE(says(reply, "refused"));
  EXPECT_EQ(talk.simulation().position(), 2U);
  EXPECT_TRUE(talk.simulation().run().fails());
  EXPECT_TRUE(says(talk("run"), "division by zero"));
  EXPECT_TRUE(says(talk("forward"), "division by zero"));
  talk("reset");
  EXPECT_TRUE(says(talk("find error"), "division by zero")) << talk.said;
  EXPECT_TRUE(says(talk.said, "found in 3 steps; no way is shorter\n")) << talk.said;
  talk("reset");
  EXPECT_TRUE(says(talk("2"), "  1  P: s -> t    y: 0 -> 2\nno action is enabled: this is a deadlock\n"))
      << talk.said;
  EXPECT_EQ(talk("r"), "no action is enabled: this is a deadlock\n");
  EXPECT_EQ(talk("1"), "refused: there is no action 1: this is a deadlock");
}

TEST(Session, FindsTheShortestWayFromHere) {
  Conversation talk(two_processes);
  EXPECT_TRUE(says(talk("find P_0.CS && turn == 0"), "found in 5 steps; no way is shorter\n")) << talk.said;
  EXPECT_EQ(talk.simulation().position(), 5U);
  EXPECT_EQ(talk("find P_0.CS"), "it is true in this state already\n");
  EXPECT_TRUE(says(talk("find P_0.idle && P_1.visits == 2"), "found in ")) << talk.said;
  EXPECT_EQ(talk("find P_0.CS && P_1.CS").find("there is no way from here; all "), 0U) << talk.said;
  EXPECT_TRUE(says(talk("find deadlock"), "there is no way from here")) << talk.said;
  // Where it has no value it is not true, and that is all.
  EXPECT_TRUE(says(talk("find 1 / P_1->visits == 3"), "there is no way from here")) << talk.said;
}

TEST(Session, FindSaysThatItGaveUp) {
  SessionOptions options;
  options.find_seconds = 0;
  Conversation talk(
      "int x; int y;\nprocess P { state s; init s; trans s -> s { guard x < 30000; effect x = x + 1; },"
      " s -> s { guard y < 30000; effect y = y + 1; }; }\nsystem async;\n",
      "m.dve", options);
  EXPECT_TRUE(says(talk("find x == 29999 && y == 29999"), "not found in the first ")) << talk.said;
  EXPECT_TRUE(says(talk.said, "tideline check searches longer")) << talk.said;
  EXPECT_EQ(talk.simulation().position(), 0U);
}

TEST(Session, UntilAndContinueShowTheLastSteps) {
  SessionOptions options;
  options.lines = 6;
  Conversation talk(
      "int x;\nprocess P { state s; init s; trans s -> s { guard x < 20000; effect x = x + 1; }; }\nsystem "
      "async;\n",
      "m.dve", options);
  EXPECT_EQ(talk("until x == 100"),
            "     ... 97 steps before these\n 98  P: s -> s    x: 97 -> 98\n 99  P: s -> s    x: 98 -> 99\n"
            "100  P: s -> s    x: 99 -> 100\ntrue after 100 steps\n    1)  P: s -> s\n");
  EXPECT_EQ(talk("until x == 100"), "it is true in this state already\n");
  EXPECT_TRUE(says(talk("until x < 0"), "not true within 10,000 random steps\n")) << talk.said;
  EXPECT_TRUE(says(talk("c 10"), "stopped after 10 steps\n")) << talk.said;
  EXPECT_TRUE(says(talk("continue; continue"), "this is a deadlock\n")) << talk.said;
  EXPECT_EQ(talk.simulation().position(), 20000U);
}

TEST(Session, InterruptsEndACommandAndNotTheSession) {
  std::atomic<bool> interrupted = false;
  SessionOptions options;
  options.interrupted = &interrupted;
  const Model model = read_model({"m.dve", two_processes});
  std::size_t lines = 0;
  Session session(model, options, [&](std::string_view) {
    if (++lines == 100) interrupted = true;
    return true;
  });
  EXPECT_TRUE(session.obey("random 18446744073709551615; reset").goes_on);
  EXPECT_EQ(session.simulation().position(), 100U);
  interrupted = false;
  EXPECT_TRUE(session.obey("b").error.empty());
  EXPECT_EQ(session.simulation().position(), 99U);
}

TEST(Session, LongListsAndStatesAreCut) {
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += "process P_" + std::to_string(i) + " { state a, b; init a; trans a -> b {}, b -> a {}; }\n";
  Conversation talk(text + "system async;\n");
  const auto lines = [](const std::string& shown) { return std::count(shown.begin(), shown.end(), '\n'); };
  EXPECT_EQ(lines(talk("list")), 21);
  EXPECT_TRUE(says(talk.said, "     ... 280 more; 'list PATTERN'")) << talk.said;
  EXPECT_EQ(talk("list P_177"), "  178)  P_177: a -> b\n");
  EXPECT_EQ(lines(talk("list all")), 300);
  EXPECT_EQ(talk("list xyz"), "none of the 300 enabled actions is like 'xyz'\n");
  EXPECT_EQ(lines(talk("state")), 21);
  EXPECT_EQ(lines(talk("state all")), 300);
  EXPECT_EQ(lines(talk("state P_29")), 1);
  EXPECT_EQ(talk("state P_297"), "       P_297 at a\n");
  EXPECT_EQ(talk("state p_29").substr(0, 33), "       P_29 at a, P_290 at a, P_2");
  EXPECT_TRUE(talk("P_177").starts_with("  1  P_177: a -> b\n"));
  EXPECT_TRUE(talk("178").starts_with("  2  P_177: b -> a\n"));
  EXPECT_EQ(lines(talk.said), 1 + 6);  // nobody asked for the list
}

TEST(Session, ADeadRunOfALassoGoesRound) {
  const std::string file = std::filesystem::temp_directory_path() / ("lasso" + std::to_string(::getpid()));
  Conversation talk(two_processes);
  Trace lasso;
  lasso.states = {talk.model.system.initial};
  for (const ActionId action : {0U, 1U, 2U, 3U}) {
    lasso.actions.push_back(action);
    lasso.states.push_back(Reference(talk.model.system).fire(action, lasso.states.back()).state);
  }
  // From idle to idle with turn = 1; then once more, which is a loop.
  for (const ActionId action : {0U, 1U, 2U, 3U}) {
    lasso.actions.push_back(action);
    lasso.states.push_back(Reference(talk.model.system).fire(action, lasso.states.back()).state);
  }
  lasso.states.pop_back();
  lasso.loop = 4;
  std::ofstream(file) << to_itf(talk.model.system, lasso, {});
  EXPECT_TRUE(
      talk("load " + file)
          .starts_with(
              file +
              ": 8 steps, a lasso: state 8 is state 4 again, and forward goes round\n  8  P_0: CS -> idle\n"))
      << talk.said;
  EXPECT_TRUE(says(talk("f"), "     round the loop of 4 steps again\n  9  P_0: idle -> want")) << talk.said;
  EXPECT_TRUE(says(talk("f 4"), " 13  P_0: idle -> want")) << talk.said;
  EXPECT_TRUE(says(talk("run"), "and on from state 9 for ever")) << talk.said;
  EXPECT_EQ(talk("save " + file), "saved 13 steps in " + file + "\n");
  EXPECT_TRUE(says(talk("load " + file), "state 13 is state 9 again")) << talk.said;
  EXPECT_TRUE(says(talk("P_1"), " 14  P_1: idle -> want")) << talk.said;
  EXPECT_EQ(talk("f"), "nothing was taken back: this is the end of the run\n");
  std::filesystem::remove(file);
}

TEST(Session, ARunOfAnotherModelIsLoadedAsFarAsItReplays) {
  const std::string file = std::filesystem::temp_directory_path() / ("run" + std::to_string(::getpid()));
  Conversation before(two_processes);
  before("1*3");
  before("save " + file);
  std::string changed = two_processes;
  changed.replace(changed.find("flag[1] == 0 || turn == 0"), 25, "flag[1] == 1 || turn == 0");
  Conversation talk(changed);
  EXPECT_TRUE(talk("load " + file)
                  .starts_with(file + ": 2 steps; the file goes on, but step 3 does not replay: action 'P_0: "
                                      "wait -> CS' is not enabled"))
      << talk.said;
  EXPECT_EQ(talk.simulation().position(), 2U);
  Conversation other(dividing);
  EXPECT_TRUE(says(other("load " + file), "refused: ")) << other.said;
  std::filesystem::remove(file);
}

TEST(Session, SaveDoesNotOverwriteWhatIsRead) {
  const std::string file = std::filesystem::temp_directory_path() / ("model" + std::to_string(::getpid()));
  std::ofstream(file) << "precious";
  SessionOptions options;
  options.read_files = {"", file};
  Conversation talk(two_processes, "m.dve", options);
  EXPECT_EQ(talk("save " + file), "refused: " + file + " is read and would be overwritten");
  EXPECT_EQ(std::filesystem::file_size(file), 8U);
  std::filesystem::remove(file);
}

TEST(Session, EveryCommandHasHelpThatFits) {
  std::set<std::string_view> names;
  for (const SessionCommand& command : CommandTable::rows()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_TRUE(command.letter.empty() || names.insert(command.letter).second) << command.letter;
    EXPECT_TRUE(command.details.empty() || command.details.ends_with('\n')) << command.name;
  }
  Conversation talk(two_processes);
  std::istringstream help(talk("help"));
  for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_EQ(talk("help b"), "back [N] (or b): take back the last step, or N\n");
  EXPECT_TRUE(says(talk("h wat"), "watch [EXPR]: ")) << talk.said;
}

}  // namespace
}  // namespace tideline
