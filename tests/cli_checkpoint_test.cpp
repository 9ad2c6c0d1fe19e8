// Runs that are killed and resumed: whatever happens to them, the answer is the same.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

/// Counts to 20, three times, beside something that goes round. With the measure n there are three sweeps of
/// some 20 layers.
const std::string rounds = R"(byte n, m, k, again;
process Counter {
  state s;
  init s;
  trans
    s -> s { guard n < 20; effect n = n + 1; },
    s -> s { guard n == 20 && again < 2; effect n = 5, again = again + 1; };
}
process Other {
  state off, on;
  init off;
  trans off -> on { effect m = (m + 1) % 7; }, on -> off { effect k = (k + 1) % 38; };
}
system async;
)";

/// Starts the program and kills it when the file has been replaced that many times. False: it ended before.
bool kill_after(const std::vector<std::string>& arguments, const std::string& file, int times) {
  struct stat before {};
  ::stat(file.c_str(), &before);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) ::dup2(nowhere, fd);
    std::vector<char*> argv{const_cast<char*>(TIDELINE_PROGRAM)};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  while (true) {
    struct stat now {};
    const bool replaced = ::stat(file.c_str(), &now) == 0 &&
                          (now.st_ino != before.st_ino || now.st_mtim.tv_sec != before.st_mtim.tv_sec ||
                           now.st_mtim.tv_nsec != before.st_mtim.tv_nsec);
    before = now;
    if (replaced && --times <= 0) break;
    if (::waitpid(pid, &status, WNOHANG) == pid) return false;
    ::sched_yield();
  }
  ::kill(pid, SIGKILL);
  ::waitpid(pid, &status, 0);
  return WIFSIGNALED(status);
}

/// The part of an answer that must not depend on interruptions.
json lasting(const std::string& text) {
  json answer = json::parse(text);
  for (const char* name : {"time_s", "measure_time_s", "peak_rss_bytes", "bytes_per_state", "threads"}) {
    answer["statistics"].erase(name);
    for (json& search : answer["searches"]) search["statistics"].erase(name);
  }
  return answer;
}

/// What must not depend on threads either, in a search that may end early: which run they find first, and what they
/// have seen by then, differs from time to time.
json verdicts(const std::string& text) {
  json properties = lasting(text)["properties"];
  for (json& property : properties) {
    property.erase("trace");
    property.erase("shortened_from");
  }
  return properties;
}

class Checkpoints : public testing::Test {
 protected:
  std::vector<std::string> check(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"check", model, "--engine", "sweep", "--progress", measure, "--deadlock"});
    return more;
  }
  std::vector<std::string> saved(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--checkpoint", folder, "--checkpoint-every", "0s"});
    return check(more);
  }
  /// A run that nobody disturbs. It is saved, too: others keep the states that they have passed on disk.
  std::vector<std::string> in_peace(std::vector<std::string> asked,
                                    const std::vector<std::string>& more) const {
    asked.insert(asked.end(), more.begin(), more.end());
    asked.insert(asked.end(), {"--checkpoint", scratch.path("peace")});
    return check(asked);
  }
  /// A run that was ended by a limit: its log for runs may not grow.
  Result stopped(const std::vector<std::string>& arguments, std::function<void()> before = {}) const {
    RunOptions options;
    options.in_child = [&] {
      if (before) before();
      const rlimit limit{2000, 2000};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    };
    const Result result = run(arguments, options);
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_TRUE(has(result.err, "goes on from the last checkpoint")) << result.err;
    return result;
  }
  bool is_there() const { return std::filesystem::exists(folder); }

  /// `runs` of the questions are violated or have a witness.
  void kill_again_and_again(const std::vector<std::string>& asked, std::size_t runs) const {
    for (const unsigned threads : {1, 2}) kill_again_and_again(asked, runs, threads);
  }
  void kill_again_and_again(std::vector<std::string> asked, std::size_t runs, unsigned threads) const {
    asked.insert(asked.end(), {"--threads", std::to_string(threads)});
    const Result expected = run(in_peace(asked, {"--json", "-", "--trace", scratch.path("a.json")}));
    EXPECT_EQ(expected.exit_code, 1) << expected.err;

    // How often it can be killed before it has ended depends on the machine.
    int killed = kill_after(saved(asked), file, 1);
    const std::vector<std::string> resumed{"resume", folder, "--threads", std::to_string(threads),
                                           "--json", answer, "--trace",   scratch.path("b.json")};
    for (int times = 2; kill_after(resumed, file, times); times += 4) ++killed;
    EXPECT_GE(killed, 1);
    const auto compared = threads == 1 ? lasting : verdicts;
    EXPECT_EQ(compared(scratch.read("answer.json")), compared(expected.out));
    EXPECT_FALSE(is_there());
    std::size_t traces = 0;
    for (const std::string& name : scratch.files()) {
      if (!name.starts_with("a-")) continue;
      ++traces;
      if (threads == 1) {
        EXPECT_EQ(scratch.read("b" + name.substr(1)), scratch.read(name));
      }
      EXPECT_EQ(run({"trace", scratch.path("b" + name.substr(1))}).exit_code, 0);
    }
    EXPECT_EQ(traces, runs);
  }

  std::string measure = "n";

  const Folder scratch;
  const std::string model = scratch.write("m.dve", rounds);
  const std::string folder = scratch.path("saved"), file = folder + "/checkpoint";
  const std::string answer = scratch.path("answer.json");
};

TEST_F(Checkpoints, KilledAgainAndAgainARunEndsAsIfNothingHadHappened) {
  kill_again_and_again(
      {"--invariant", "n < 20 || m != 3 || again < 2", "--ltl", "G F \"m == 0\"", "--ltl", "F \"n == 20\""},
      2);
}

// The measure is not monotone: a sweep that ends where a transition regresses, a search for cycles for each
// AG AF, and layers on disk for the rest.
TEST_F(Checkpoints, SoDoesOneWithFormulasOfCtl) {
  kill_again_and_again({"--ctl", "AG AF \"m == 0\"", "--ctl", "AG EF \"n == 7\"", "--ctl",
                        "EF(\"n == 20\" && EX \"n == 5\")", "--ctl", "AG AF \"n == 20 || again == 2\""},
                       3);
}

TEST_F(Checkpoints, SoDoesOneWithAMonotoneMeasure) {
  measure = "16 * again + n";
  kill_again_and_again({"--ctl", "AG EF \"again == 2\"", "--ctl", "AG EF \"n == 3\"", "--ctl",
                        "AG AF \"n == 20\"", "--ctl", "EX EX \"n == 2\""},
                       3);
}

TEST_F(Checkpoints, SoDoesAReducedOne) {
  kill_again_and_again(
      {"--invariant", "n < 20 || m != 3 || again < 2", "--invariant", "n < 19 || k != 5", "--por"}, 2);
}

// Several threads find states in another order, and go ahead of the line, so that runs and what was stored at a time
// may differ; nothing else does.
TEST_F(Checkpoints, ARunGoesOnWithAnotherNumberOfThreads) {
  const std::vector<std::string> asked{"--invariant", "n < 20 || m != 3 || again < 2"};
  const auto answer_of = [](const std::string& text) {
    json whole = lasting(text);
    for (json& property : whole["properties"]) {
      property.erase("trace");
      property.erase("shortened_from");
    }
    whole["statistics"].erase("stored_peak");
    for (json& search : whole["searches"]) search["statistics"].erase("stored_peak");
    return whole;
  };
  const Result expected = run(in_peace(asked, {"--json", "-"}));
  EXPECT_EQ(expected.exit_code, 1) << expected.err;
  for (const bool first_alone : {true, false}) {
    auto begun = saved(asked);
    begun.insert(begun.end(), {"--threads", first_alone ? "1" : "3"});
    EXPECT_TRUE(kill_after(begun, file, 5));
    const Result result = run({"resume", folder, "--threads", first_alone ? "3" : "1", "--json", answer});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_EQ(answer_of(scratch.read("answer.json")), answer_of(expected.out));
  }
}

TEST_F(Checkpoints, NothingIsLeftOfARunThatHasItsAnswer) {
  const Result result = run(saved({"--no-trace"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(is_there());
  std::filesystem::create_directory(folder);  // not ours: it stays
  EXPECT_EQ(run(saved()).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(Checkpoints, ARunContinuesWhereItBeganWhereverItIsResumed) {
  const std::string home = scratch.path();
  scratch.write("m.measure", "n\n");
  const auto at_home = [&] {
    if (::chdir(home.c_str()) != 0) ::_exit(1);
  };
  RunOptions elsewhere;
  elsewhere.in_child = [] {
    if (::chdir("/") != 0) ::_exit(1);
  };
  const Result ended = stopped({"check", "m.dve", "--engine", "sweep", "--progress-file", "m.measure",
                                "--json", "answer.json", "--checkpoint", "saved", "--checkpoint-every", "0"},
                               at_home);
  EXPECT_TRUE(has(ended.err, "note: `tideline resume saved` goes on")) << ended.err;
  const Result resumed = run({"resume", folder}, elsewhere);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(has(resumed.err, "note: goes on from a checkpoint that is ")) << resumed.err;
  EXPECT_EQ(json::parse(scratch.read("answer.json"))["exit_code"], 0);
}

TEST_F(Checkpoints, ALimitSaysHowToResume) {
  const std::string big = scratch.write("big.dve", endless);
  const Result result = run({"check", big, "--engine", "sweep", "--progress", "a + b + c + d + e + f + g + h",
                             "--checkpoint", folder, "--checkpoint-every", "0s", "--time", "3s"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_TRUE(has(result.err, "note: `tideline resume " + folder + "` goes on from the last checkpoint"))
      << result.err;
  const Result again = run({"resume", folder, "--time", "200ms"});
  EXPECT_EQ(again.exit_code, 3) << again.err;
  EXPECT_TRUE(has(again.err, "goes on from the last checkpoint")) << again.err;
  EXPECT_TRUE(std::filesystem::exists(file));
}

// Looking for a measure takes longer here than it takes to see that something was saved.
TEST_F(Checkpoints, ALimitBeforeTheSearchKeepsTheQuestion) {
  const Folder other;
  const std::string saved = other.path("saved"), counting = other.write("m.dve", rounds);
  const Result r =
      run({"check", counting, "--deadlock", "--engine", "sweep", "--checkpoint", saved, "--time", "0.001ms"});
  EXPECT_EQ(r.exit_code, 3) << r.err;
  EXPECT_TRUE(has(r.out, "while looking for a progress measure")) << r.out;
  EXPECT_TRUE(has(r.err, "begins again: no search has been saved yet")) << r.err;
  const Result again = run({"resume", saved, "--time", "1h"});
  EXPECT_TRUE(has(again.err, "the run ended before its first checkpoint: it begins again from the start"))
      << again.err;
  EXPECT_EQ(again.exit_code, 0) << again.out;
  EXPECT_EQ(run({"resume", saved}).exit_code, 2);  // it has its answer
}

TEST_F(Checkpoints, KilledBeforeItsFirstSearchIsSavedARunBeginsAgain) {
  const std::string big = scratch.write("big.dve", endless);
  ASSERT_TRUE(kill_after({"check", big, "--engine", "sweep", "--invariant",
                          "a + b + c + d + e + f + g + h < 1", "--checkpoint", folder},
                         file, 1));
  const Result again = run({"resume", folder});
  EXPECT_EQ(again.exit_code, 1) << again.err;
  EXPECT_TRUE(
      has(again.err, "note: the run ended before its first checkpoint: it begins again from the start"))
      << again.err;
  EXPECT_TRUE(has(again.out, "invariant: violated  ")) << again.out;
  EXPECT_FALSE(is_there());
}

TEST_F(Checkpoints, WhatHasChangedIsNotResumed) {
  stopped(saved());
  scratch.write("m.props", "# nothing to see here\n");
  const Result properties = run({"resume", folder});
  EXPECT_EQ(properties.exit_code, 2);
  EXPECT_TRUE(has(properties.err, "m.props was created since the run began")) << properties.err;
  std::filesystem::remove(scratch.path("m.props"));
  scratch.write("m.dve", rounds + "\n");
  const Result changed = run({"resume", folder});
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_TRUE(has(changed.err, "m.dve has changed since the run began")) << changed.err;
  std::filesystem::remove(model);
  const Result missing = run({"resume", folder});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_TRUE(has(missing.err, "m.dve was removed since the run began")) << missing.err;
  scratch.write("m.dve", rounds);
  EXPECT_EQ(run({"resume", folder}).exit_code, 0);
}

TEST_F(Checkpoints, DamageIsNoticed) {
  stopped(saved());
  std::string text = scratch.read("saved/checkpoint");
  text[text.size() / 2] ^= 4;
  scratch.write("saved/checkpoint", text);
  const Result damaged = run({"resume", folder});
  EXPECT_EQ(damaged.exit_code, 2);
  EXPECT_TRUE(has(damaged.err, "is damaged: its checksum is wrong")) << damaged.err;
  scratch.write("saved/checkpoint", "");
  EXPECT_EQ(run({"resume", folder}).exit_code, 2);
  std::filesystem::remove(file);
  const Result gone = run({"resume", folder});
  EXPECT_EQ(gone.exit_code, 2);
  EXPECT_TRUE(has(gone.err, "there is no checkpoint in " + folder)) << gone.err;
}

TEST_F(Checkpoints, OneRunDoesNotOverwriteAnother) {
  stopped(saved());
  const Result result = run(saved());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(has(result.err, "`tideline resume " + folder + "` continues it")) << result.err;
  EXPECT_EQ(run({"resume", folder}).exit_code, 0);
}

TEST_F(Checkpoints, OnAFullDiskARunContinuesExceptAtFirst) {
  const std::string wide = scratch.write("wide.dve", R"(byte n, a, b;
process Counter { state s; init s; trans s -> s { guard n < 3; effect n = n + 1; }; }
process A { state s; init s; trans s -> s { effect a = (a * 7 + 3) % 61; }; }
process B { state s; init s; trans s -> s { effect b = (b * 5 + 1) % 64; }; }
system async;
)");
  const auto with_room = [&](rlim_t bytes) {
    RunOptions options;
    options.in_child = [bytes] {
      const rlimit limit{bytes, bytes};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    };
    return run({"check", wide, "--engine", "sweep", "--progress", "n", "--deadlock", "--no-trace",
                "--checkpoint", folder, "--checkpoint-every", "0s"},
               options);
  };
  const Result none = with_room(20);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(has(none.err, "cannot write the checkpoint")) << none.err;
  EXPECT_FALSE(is_there());
  const Result little = with_room(1000);
  EXPECT_EQ(little.exit_code, 0) << little.err;
  EXPECT_TRUE(has(little.err, "warning: cannot write the checkpoint")) << little.err;
  EXPECT_TRUE(has(little.err, "the previous checkpoint stays")) << little.err;

  const std::string in_the_way = scratch.write("file", "");
  auto arguments = check({"--checkpoint", in_the_way + "/saved"});
  EXPECT_EQ(run(arguments).exit_code, 2);
  arguments.back() = in_the_way;
  EXPECT_EQ(run(arguments).exit_code, 2);
}

TEST_F(Checkpoints, ARunThatMakesNoProgressSaysSo) {
  EXPECT_FALSE(has(stopped(saved()).err, "nothing was saved"));
  const Result again = stopped({"resume", folder});
  EXPECT_TRUE(has(again.err, "warning: nothing was saved since the run was resumed")) << again.err;
  EXPECT_EQ(run({"resume", folder}).exit_code, 0);
}

TEST_F(Checkpoints, WhatAKilledRunHasLeftIsRemoved) {
  const std::string logs = scratch.path("logs");
  stopped(saved({"--trace-dir", logs}));
  const auto log = std::filesystem::directory_iterator(logs)->path().filename().string();
  ASSERT_TRUE(log.starts_with("checkpoint-")) << log;
  const std::string ours = "logs/" + log.substr(0, log.size() - 10) + "qqqqqq.log";
  const std::string others = "logs/checkpoint-0123456789abcdef-qqqqqq.log";
  for (const std::string& name : {ours, others, std::string("saved/checkpoint-0123456789abcdef-qqqqqq.log"),
                                  std::string("saved/notes.log")})
    scratch.write(name, "");
  EXPECT_EQ(run({"resume", folder}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(scratch.path(ours)));
  EXPECT_FALSE(std::filesystem::exists(logs + "/" + log));
  EXPECT_TRUE(std::filesystem::exists(scratch.path(others)));
  EXPECT_FALSE(std::filesystem::exists(scratch.path("saved/checkpoint-0123456789abcdef-qqqqqq.log")));
  EXPECT_TRUE(std::filesystem::exists(scratch.path("saved/notes.log")));
  EXPECT_FALSE(std::filesystem::exists(file));
}

// A search for a measure may take a while.
TEST_F(Checkpoints, AFolderThatCannotBeUsedIsRefusedBeforeAnythingIsSearched) {
  const auto refused = [&](const std::string& to, const std::string& every) {
    const Result result = run(
        {"check", model, "--engine", "sweep", "--deadlock", "--checkpoint", to, "--checkpoint-every", every});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_FALSE(has(result.err, "measure")) << result.err;
  };
  refused(folder, "soon");
  EXPECT_FALSE(is_there());
  refused(scratch.write("file", "") + "/saved", "1s");
  std::filesystem::create_directories(file + ".new");
  refused(folder, "1s");
}

TEST_F(Checkpoints, ABrokenClaimIsAnAnswer) {
  const Result result =
      run({"check", model, "--engine", "sweep", "--progress", "monotone n", "--checkpoint", folder});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(has(result.err, "not monotone")) << result.err;
  EXPECT_FALSE(is_there());
}

TEST_F(Checkpoints, SaysWhatCannotBeSaved) {
  const auto refused = [&](std::vector<std::string> arguments, const std::string& why) {
    arguments.insert(arguments.begin(), {"check", model});
    arguments.insert(arguments.end(), {"--checkpoint", folder});
    const Result result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_TRUE(has(result.err, why)) << result.err;
    EXPECT_FALSE(is_there());
  };
  refused({"--engine", "bfs"}, "only searches with engine sweep");
  refused({"--engine", "sweep", "--progress", "n", "--checkpoint-every", "soon"}, "is not a duration");
  EXPECT_EQ(run(check({"--checkpoint-every", "1s"})).exit_code, 2);
}

}  // namespace
}  // namespace tideline::test
