// `tideline simulate`: scripts, saved runs, and a conversation at a real terminal.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "program.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

// --- Scripts -----------------------------------------------------------------------------------------------

TEST(Simulate, ObeysLinesFromAPipe) {
  const Folder folder;
  const std::string model = folder.write("m.dve", stuck);
  const Result r =
      run({"simulate", model, "--trace", folder.path("t.json")}, {.input = "s\nb\n1\nb\nr\nl\n"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(r.out,
            "  0  initial state\n       x = 0\n       P at s\n    1)  P: s -> t\n"
            "       x = 0\n       P at s\n"
            "this is the initial state\n"
            "  1  P: s -> t    x: 0 -> 7\nno action is enabled: this is a deadlock\n"
            "back in state 0\n    1)  P: s -> t\n"
            "  1  P: s -> t    x: 0 -> 7\n"
            "no action is enabled: this is a deadlock\n");
  EXPECT_EQ(json::parse(folder.read("t.json"))["states"].size(), 2U);
  EXPECT_EQ(run({"trace", folder.path("t.json"), "--quiet"}).out, "replays: 1 step\n");
}

TEST(Simulate, AScriptEndsAtItsFirstMistakeAndSaysWhere) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  const std::string script = folder.write("steps.txt", "# into the critical section\n1*3\n\nbakc\n1\n");
  Result r = run({"simulate", model, "--script", script, "--trace", folder.path("t.json")});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(r.err.starts_with(script + ":4: error: 'bakc' is not a command")) << r.err;
  EXPECT_EQ(json::parse(folder.read("t.json"))["states"].size(), 4U);  // what was done is saved
  r = run({"simulate", model}, {.input = "1\n9\n"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "stdin:2: error: there is no action 9; here they are numbered from 1 to 2\n"))
      << r.err;
  r = run({"simulate", model}, {.input = "eval turm"});
  EXPECT_TRUE(has(r.err, "stdin:1: error: unknown variable 'turm'; did you mean 'turn'?\n")) << r.err;
  for (const std::string input : {"", "\n\n\n", "q\nnonsense\n"})
    EXPECT_EQ(run({"simulate", model}, {.input = input}).exit_code, 0) << input;
  EXPECT_EQ(run({"simulate", model}, {.input = "\xff\xfe\n"}).exit_code, 2);
  EXPECT_EQ(run({"simulate", model}, {.input = std::string("\0\0\n", 3)}).exit_code, 2);
}

TEST(Simulate, EchoShowsTheLines) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  const Result r = run({"simulate", model, "--echo"}, {.input = "1\nquit\n"});
  EXPECT_TRUE(has(r.out, "\n0> 1\n  1  P_0: NCS -> want")) << r.out;
  EXPECT_TRUE(has(r.out, "\n1> quit\n")) << r.out;
}

TEST(Simulate, OptionsThatDoNotGoTogetherAreRefused) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson), script = folder.write("s", "1\n");
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--at", "1"},
                                               {"--random", "--script", script},
                                               {"--steps", "3"},
                                               {"--script", folder.path("missing")},
                                               {"--from", folder.path("missing")},
                                               {"--script", folder.path()},
                                               {"--from", model},
                                               {"--script", script, "--trace", script}}) {
    std::vector<std::string> arguments{"simulate", model};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result r = run(arguments);
    EXPECT_EQ(r.exit_code, 2) << more[0];
    EXPECT_FALSE(r.err.empty());
  }
}

TEST(Simulate, RandomRunsRepeatWithTheirSeed) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  const std::vector<std::string> arguments{"simulate", model, "--random", "--steps", "50", "--seed", "7"};
  const Result first = run(arguments);
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_TRUE(has(first.out, "\n 50  ")) << first.out;
  EXPECT_EQ(run(arguments).out, first.out);
  EXPECT_NE(run({"simulate", model, "--random", "--steps", "50", "--seed", "8"}).out, first.out);
}

TEST(Simulate, ExplainsModelErrors) {
  const Folder folder;
  const std::string model = folder.write("m.dve", overflow);
  Result r = run({"simulate", model}, {.input = "1\n1\n1\n1\nq\n"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(has(r.out, "m.dve:6:21: error: value 256 does not fit x (0..255)")) << r.out;
  r = run({"simulate", model, "--random", "--trace", folder.path("t.json")});
  EXPECT_TRUE(has(r.out, "value 256 does not fit")) << r.out;
  EXPECT_TRUE(has(run({"trace", folder.path("t.json")}).out, "replays: 3 steps")) << r.out;
  r = run({"simulate", model, "--from", folder.path("t.json")}, {.input = "forward\n"});
  EXPECT_TRUE(has(r.out, "t.json: 3 steps, of which the last ends in a model error\n")) << r.out;
  EXPECT_TRUE(has(r.out, "value 256 does not fit")) << r.out;
  r = run({"simulate", model, "--from", folder.path("t.json"), "--model-errors", "divine"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "was made with --model-errors report")) << r.err;
}

// --- Saved runs ----------------------------------------------------------------------------------------------

TEST(Simulate, BeginsWithTheRunOfACheck) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson), trace = folder.path("t.json");
  ASSERT_EQ(run({"check", model, "--invariant", "!P_0.CS", "--trace", trace}).exit_code, 1);
  Result r = run({"simulate", model, "--from", trace}, {.input = "eval P_0.CS\n"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with(trace + ": 3 steps\n  3  P_0: wait -> CS\n")) << r.out;
  EXPECT_TRUE(r.out.ends_with("true\n")) << r.out;
  r = run({"simulate", model, "--from", trace, "--at", "1"}, {.input = "f 2\nsave " + folder.path("u.json")});
  EXPECT_TRUE(has(r.out, "  1  P_0: NCS -> want\n")) << r.out;
  EXPECT_TRUE(has(r.out, "saved 3 steps in ")) << r.out;
  EXPECT_EQ(json::parse(folder.read("u.json"))["states"], json::parse(folder.read("t.json"))["states"]);
  r = run({"simulate", model, "--from", trace, "--at", "4"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "there is no step 4: " + trace + " has 3 steps")) << r.err;
  r = run({"simulate", model, "--from", trace, "--random", "--steps", "4"});
  EXPECT_TRUE(has(r.out, "\n  7  ")) << r.out;
  r = run({"simulate", folder.write("o.dve", stuck), "--from", trace});
  EXPECT_EQ(r.exit_code, 2);
}

TEST(Simulate, GoesRoundALasso) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson), trace = folder.path("t.json");
  ASSERT_EQ(run({"check", model, "--ltl", "F P_0.CS", "--trace", trace}).exit_code, 1);
  const Result r = run({"simulate", model, "--from", trace},
                       {.input = "forward 100\nsave " + folder.path("u.json") + "\n"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(has(r.out, ", a lasso: state ")) << r.out;
  EXPECT_TRUE(has(r.out, "     round the loop of ")) << r.out;
  EXPECT_TRUE(json::parse(folder.read("u.json")).contains("loop"));
  EXPECT_EQ(run({"trace", folder.path("u.json"), "--quiet"}).exit_code, 0);
}

TEST(Simulate, HasARunOfTheProcessesOfAPropertyAutomaton) {
  // The property's own variables change in the saved run, and no action of the system does that.
  const Folder folder;
  const std::string model = folder.write("m.dve", R"(byte x;
process P { state s; init s; trans s -> s { effect x = 1 - x; }; }
process LTL_property { byte n; state q, r; init q; accept r;
  trans q -> r { guard n < 3; effect n = n + 1; }, r -> q { }, r -> r { guard n == 3; }; }
system async property LTL_property;
)");
  const std::string trace = folder.path("t.json");
  const Result check = run({"check", model, "--trace", trace});
  ASSERT_EQ(check.exit_code, 1) << check.out << check.err;
  const Result r = run({"simulate", model, "--from", trace},
                       {.input = "f 20\ng 2\nf 3\ng 0\nf 30\nsave " + folder.path("u.json") + "\n"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(run({"trace", folder.path("u.json"), "--model", model, "--quiet"}).exit_code, 0);
}

// --- At a terminal ---------------------------------------------------------------------------------------------

/// A program that owns a terminal, as from a shell: stdin, stdout and stderr.
class AtTerminal {
 public:
  AtTerminal(const std::vector<std::string>& arguments, const std::string& state_home) {
    const winsize window{.ws_row = 40, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    pid_ = ::forkpty(&terminal_, nullptr, nullptr, &window);
    if (pid_ == 0) {
      ::setenv("XDG_STATE_HOME", state_home.c_str(), 1);
      ::setenv("TERM", "xterm", 1);
      ::setenv("HOME", "/nonexistent", 1);
      ::setenv("LC_ALL", "C.UTF-8", 1);
      std::vector<char*> argv{const_cast<char*>(TIDELINE_PROGRAM)};
      for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
      argv.push_back(nullptr);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
  }
  ~AtTerminal() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(terminal_);
  }
  AtTerminal(const AtTerminal&) = delete;
  AtTerminal& operator=(const AtTerminal&) = delete;

  /// Reads until this appears, after what appeared before. False: the program ended first.
  bool see(const std::string& text) {
    while (shown_.find(text, seen_) == std::string::npos)
      if (!read_some()) return false;
    seen_ = shown_.find(text, seen_) + text.size();
    return true;
  }
  void type(const std::string& keys) {
    EXPECT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  void send(int signal) { ::kill(pid_, signal); }
  int exit_code() {
    while (read_some()) {
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  const std::string& shown() const { return shown_; }

 private:
  /// False as well when nothing appears for so long that the program must be waiting for us.
  bool read_some() {
    constexpr int long_enough = 60'000;  // ms
    pollfd output{terminal_, POLLIN, 0};
    if (::poll(&output, 1, long_enough) == 0) {
      ::kill(pid_, SIGKILL);  // so that waiting for its end does not take for ever
      return false;
    }
    char buffer[4096];
    const ssize_t got = ::read(terminal_, buffer, sizeof buffer);
    if (got <= 0) return false;
    shown_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

  int terminal_ = -1;
  pid_t pid_ = -1;
  std::string shown_;
  std::size_t seen_ = 0;
};

class SimulateAtTerminal : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!terminals_available()) GTEST_SKIP() << "no pseudo-terminals here";
    model = folder.write("m.dve", peterson);
  }
  Folder folder;
  std::string model;
};

TEST_F(SimulateAtTerminal, AsksAndAnswers) {
  AtTerminal terminal({"simulate", model}, folder.path());
  ASSERT_TRUE(terminal.see("0> ")) << terminal.shown();
  terminal.type("1\r");
  ASSERT_TRUE(terminal.see("  1  P_0: NCS -> want    flag[0]: 0 -> \x1b[36m1\x1b[0m\r\n"))
      << terminal.shown();
  ASSERT_TRUE(terminal.see("1> ")) << terminal.shown();
  terminal.type("nonsense\r");
  ASSERT_TRUE(terminal.see("'nonsense' is not a command")) << terminal.shown();
  terminal.type("quit\r");
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST_F(SimulateAtTerminal, EndsWithTheInput) {
  AtTerminal terminal({"simulate", model, "--trace", folder.path("t.json")}, folder.path());
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("1\r");
  ASSERT_TRUE(terminal.see("1> "));
  terminal.type("\x04");  // Ctrl-D
  EXPECT_EQ(terminal.exit_code(), 0);
  EXPECT_EQ(json::parse(folder.read("t.json"))["states"].size(), 2U);
}

TEST_F(SimulateAtTerminal, ControlCForgetsTheLineOrEndsTheCommand) {
  AtTerminal terminal({"simulate", model}, folder.path());
  ASSERT_TRUE(terminal.see("0> "));
  for (int i = 0; i < 3; ++i) {  // not only the first time
    terminal.type("random 12345");
    ASSERT_TRUE(terminal.see("12345")) << terminal.shown();
    terminal.type("\x03");
    ASSERT_TRUE(terminal.see("0> ")) << terminal.shown();
  }
  terminal.type("random 100000000000\r");
  ASSERT_TRUE(terminal.see("\n 50  "));
  terminal.type("\x03");
  ASSERT_TRUE(terminal.see("interrupted after ")) << terminal.shown().size();
  ASSERT_TRUE(terminal.see("> "));
  terminal.type("goto 0\r");
  ASSERT_TRUE(terminal.see("initial state"));
  ASSERT_TRUE(terminal.see("0> "));
  terminal.send(SIGTERM);
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST_F(SimulateAtTerminal, HasColoursWhereCheckHas) {
  const std::string script = "random 3\nwatch turn\nbreak turn == 1\ncontinue 50\nrun 2\nback 5\nchanges 0\n";
  const Result plain = run({"simulate", model}, {.input = script});
  EXPECT_FALSE(has(plain.out, "\x1b")) << "a pipe has none";
  const Result coloured = run({"simulate", model, "--color", "always"}, {.input = script});
  for (const char* mark : {"flag[0]: 0 -> \x1b[36m1\x1b[0m", "\x1b[1;36mbreakpoint 2:\x1b[0m turn == 1"})
    EXPECT_TRUE(has(coloured.out, mark)) << mark << "\n" << coloured.out;
  EXPECT_EQ(std::regex_replace(coloured.out, std::regex("\x1b\\[[0-9;]*m"), ""), plain.out);
  ::setenv("NO_COLOR", "1", 1);
  AtTerminal terminal({"simulate", model}, folder.path());
  ::unsetenv("NO_COLOR");
  ASSERT_TRUE(terminal.see("0> ")) << terminal.shown();
  terminal.type("1\r");
  EXPECT_TRUE(terminal.see("  1  P_0: NCS -> want    flag[0]: 0 -> 1\r\n")) << terminal.shown();
}

#ifdef TIDELINE_HAS_LIBEDIT

TEST_F(SimulateAtTerminal, KeysTypedWhileACommandRunsAreNotLost) {
  for (const std::string keys : {"\x04", "eval 6 * 7\r\x04", "1\r\r\x04"}) {
    AtTerminal terminal({"simulate", model}, folder.path());
    ASSERT_TRUE(terminal.see("0> "));
    // More than a terminal keeps: the command is not over before somebody reads what it says.
    terminal.type("random 20000\r");
    ASSERT_TRUE(terminal.see("\n 50  "));
    terminal.type(keys);
    EXPECT_EQ(terminal.exit_code(), 0);
    EXPECT_EQ(has(terminal.shown(), "\n42\r\n"), has(keys, "eval"));
    EXPECT_EQ(has(terminal.shown(), "\n20001  "), has(keys, "1\r"));
  }
}

TEST_F(SimulateAtTerminal, LinesAreEdited) {
  AtTerminal terminal({"simulate", model}, folder.path());
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type(
      "al turn + 3\x01"
      "ev\r");  // Ctrl-A
  ASSERT_TRUE(terminal.see("\n3\r\n")) << terminal.shown();
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("eval turn + 5x\x7f\r");  // Backspace
  ASSERT_TRUE(terminal.see("\n5\r\n")) << terminal.shown();
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("eval turn + 77\x1b[D\x1b[D1 + \r");  // two to the left
  ASSERT_TRUE(terminal.see("\n78\r\n")) << terminal.shown();
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("eval 5 wrong\x17\x7f+ 4\x1b[H\x1b[3~e\r");  // Ctrl-W; Home, Delete
  ASSERT_TRUE(terminal.see("\n9\r\n")) << terminal.shown();
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("gr\xc3\xbc\xc3\x9f\x7f\r");  // letters of two bytes; messages are in ASCII
  ASSERT_TRUE(
      terminal.see("'gr?"
                   "?' is not a command"))
      << terminal.shown();
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("\x04");
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST_F(SimulateAtTerminal, TabCompletes) {
  AtTerminal terminal({"simulate", model}, folder.path());
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("ev\ttu\t+ 40\r");
  ASSERT_TRUE(terminal.see("\n40\r\n")) << terminal.shown();
  terminal.type("P_0\t\r");
  ASSERT_TRUE(terminal.see("  1  P_0: NCS -> want")) << terminal.shown();
  terminal.type("find P_0.wa\t");
  ASSERT_TRUE(terminal.see("P_0.wa")) << terminal.shown();
  terminal.type("\t");  // several: they are listed
  ASSERT_TRUE(terminal.see("P_0.wait  P_0.want\r\n")) << terminal.shown();
  terminal.type("i\t\r");
  ASSERT_TRUE(terminal.see("found in 1 step; no way is shorter\r\n")) << terminal.shown();
  terminal.type("q\r");
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST_F(SimulateAtTerminal, HistoryIsKeptFromSessionToSession) {
  {
    AtTerminal terminal({"simulate", model}, folder.path());
    ASSERT_TRUE(terminal.see("0> "));
    terminal.type("eval turn + 41\reval turn + 41\rlist\rq\r");
    EXPECT_EQ(terminal.exit_code(), 0);
  }
  EXPECT_EQ(folder.read("tideline/history"), "eval turn + 41\nlist\nq\n");
  AtTerminal terminal({"simulate", model}, folder.path());
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("\x1b[A\x1b[A\x1b[A\r");  // three up
  ASSERT_TRUE(terminal.see("\n41\r\n")) << terminal.shown();
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("li\x1b[A\r");  // the last one with this in it
  ASSERT_TRUE(terminal.see("    1)  P_0: NCS -> want\r\n")) << terminal.shown();
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("\x04");
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST_F(SimulateAtTerminal, HistoryThatCannotBeWrittenIsNoError) {
  const std::string file = folder.write("not-a-folder", "");
  AtTerminal terminal({"simulate", model}, file);
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("eval turn + 41\r");
  ASSERT_TRUE(terminal.see("\n41\r\n")) << terminal.shown();
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("\x1b[A\r");
  ASSERT_TRUE(terminal.see("\n41\r\n")) << terminal.shown();
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("\x04");
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST_F(SimulateAtTerminal, ALongHistoryIsShortened) {
  std::string lines;
  for (int i = 0; i < 3000; ++i) lines += "eval " + std::to_string(i) + "\n";
  std::filesystem::create_directories(folder.path("tideline"));
  folder.write("tideline/history", lines);
  AtTerminal terminal({"simulate", model}, folder.path());
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("\x1b[A\r");
  ASSERT_TRUE(terminal.see("\n2999\r\n")) << terminal.shown();
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("\x04");
  EXPECT_EQ(terminal.exit_code(), 0);
  const std::string kept = folder.read("tideline/history");
  EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), 1000);
  EXPECT_TRUE(kept.starts_with("eval 2000\n")) << kept.substr(0, 40);
}

TEST_F(SimulateAtTerminal, GoesOnAfterItWasStopped) {
  AtTerminal terminal({"simulate", model}, folder.path());
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("eval turn + ");
  ASSERT_TRUE(terminal.see("turn + "));
  terminal.send(SIGCONT);  // as after Ctrl-Z and fg
  terminal.send(SIGWINCH);
  terminal.type("66\r");
  ASSERT_TRUE(terminal.see("\n66\r\n")) << terminal.shown();
  ASSERT_TRUE(terminal.see("0> "));
  terminal.type("\x04");
  EXPECT_EQ(terminal.exit_code(), 0);
}

#endif

}  // namespace
}  // namespace tideline::test
