// Several processes that search together, through the command line: with --ranks, and started by mpirun.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "program.hpp"

namespace tideline::test {
namespace {

using nlohmann::json;

/// 25^3 states and a deadlock at the end.
const std::string counters = [] {
  std::string text;
  for (const char* name : {"A", "B", "C"})
    text += std::string("process ") + name +
            " { byte x; state s; init s; trans s -> s { guard x < 24; effect x = x + 1; }; }\n";
  return text + "system async;\n";
}();

/// More states than any machine visits.
const std::string endless = [] {
  std::string text;
  for (const char* name : {"A", "B", "C", "D", "E", "F"})
    text += std::string("process ") + name +
            " { byte x; state s; init s; trans s -> s { effect x = (x + 1) % 256; }; }\n";
  return text + "system async;\n";
}();

class Ranks : public testing::Test {
 protected:
  void SetUp() override {
    const Result result = run({"explore", model, "--ranks", "2", "--quiet"});
    if (result.err.find("without MPI") != std::string::npos ||
        result.err.find("cannot start mpirun") != std::string::npos)
      GTEST_SKIP() << "there is no MPI here: " << result.err;
  }

  Folder folder;
  std::string model = folder.write("counters.dve", counters);
};

/// With mpirun; the environment lets root use it.
Result run_by_mpi(const std::string& ranks, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"mpirun", "-q", "--mca", "odls_base_sigkill_timeout", "0", "-n", ranks,
                                       "--oversubscribe", TIDELINE_PROGRAM});
  return run({}, {.in_child = [&] {
               ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
               ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
               std::vector<char*> words;
               for (std::string& word : arguments) words.push_back(word.data());
               words.push_back(nullptr);
               ::execvp("mpirun", words.data());
             }});
}

/// The process of that rank which checks this model, once it is there.
pid_t process_of(const std::string& model, const std::string& rank) {
  const auto contains = [](const std::filesystem::path& file, const std::string& text) {
    std::ifstream stream(file, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(stream), {}};
    return content.find(text) != std::string::npos;
  };
  for (;; std::this_thread::yield())
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const pid_t pid = std::atoi(entry.path().filename().c_str());
      if (pid > 0 && contains(entry.path() / "cmdline", model) &&
          contains(entry.path() / "environ", "OMPI_COMM_WORLD_RANK=" + rank))
        return pid;
    }
}

TEST_F(Ranks, AnswerLikeOneProcess) {
  const std::vector<std::string> question{"check",    model,     "--deadlock", "--invariant",
                                          "A.x < 20", "--reach", "B.x == 7",   "--engine",
                                          "bfs",      "--json",  "-",          "--quiet"};
  const json alone = json::parse(run(question).out);
  for (const char* ranks : {"1", "2", "3", "4"}) {
    std::vector<std::string> arguments = question;
    arguments.insert(arguments.end(), {"--ranks", ranks});
    for (const Result& result : {run(arguments), run_by_mpi(ranks, question)}) {
      EXPECT_EQ(result.exit_code, 1) << result.err;
      EXPECT_EQ(result.err, "");
      const json answer = json::parse(result.out);  // one rank writes it
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(answer["properties"][i]["verdict"], alone["properties"][i]["verdict"]);
        EXPECT_EQ(answer["properties"][i]["trace"]["length"], alone["properties"][i]["trace"]["length"]);
      }
    }
  }
}

TEST_F(Ranks, CountLikeOneProcess) {
  const json answer = json::parse(run({"explore", model, "--ranks", "4", "--json", "-"}).out);
  EXPECT_EQ(answer["engine"], "bfs");
  EXPECT_EQ(answer["statistics"]["states"], 25 * 25 * 25);
  EXPECT_EQ(answer["statistics"]["transitions"], 3 * 24 * 25 * 25);
  EXPECT_EQ(answer["statistics"]["deadlocks"], 1);
  EXPECT_EQ(answer["statistics"]["levels"], 73);
  EXPECT_EQ(answer["statistics"]["ranks"], 4);
  EXPECT_GT(answer["statistics"]["batches"], 0);
  const json reduced = json::parse(run({"explore", model, "--ranks", "2", "--por", "--json", "-"}).out);
  EXPECT_LT(reduced["statistics"]["states"], 25 * 25 * 25);
}

TEST_F(Ranks, KeepToLimits) {
  const std::string large = folder.write("endless.dve", endless);
  const Result slow =
      run({"check", large, "--deadlock", "--engine", "bfs", "--ranks", "3", "--time", "500ms"});
  EXPECT_EQ(slow.exit_code, 3);
  EXPECT_NE(slow.out.find("time limit of 0.5 s reached"), std::string::npos) << slow.out;
  EXPECT_NE(slow.out.find("3 ranks"), std::string::npos) << slow.out;
  const Result full =
      run({"check", large, "--deadlock", "--engine", "bfs", "--ranks", "3", "--memory", "40M"});
  EXPECT_EQ(full.exit_code, 3);
  EXPECT_NE(full.out.find("memory limit of 40.0 MiB reached"), std::string::npos) << full.out;
}

TEST_F(Ranks, AreInterrupted) {
  const std::string large = folder.write("endless.dve", endless);
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  std::future<Result> result = std::async(std::launch::async, [&] {
    return run({"check", large, "--deadlock", "--engine", "bfs", "--ranks", "2"}, {.in_child = [&] {
                 const pid_t self = ::getpid();
                 if (::write(pipe[1], &self, sizeof self) < 0) ::_exit(1);
               }});
  });
  pid_t starter = 0;
  ASSERT_EQ(::read(pipe[0], &starter, sizeof starter), static_cast<ssize_t>(sizeof starter));
  process_of(large, "1");
  ::kill(starter, SIGINT);
  EXPECT_EQ(result.get().exit_code, 3);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_F(Ranks, EndWhenOneDies) {
  const std::string large = folder.write("endless.dve", endless);
  std::future<Result> result = std::async(std::launch::async, [&] {
    return run({"check", large, "--deadlock", "--engine", "bfs", "--ranks", "3"});
  });
  ::kill(process_of(large, "1"), SIGKILL);
  const Result ended = result.get();
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_NE(ended.err.find("a rank has died"), std::string::npos) << ended.err;
}

TEST_F(Ranks, RefuseWhatTheyCannotDo) {
  const auto refused = [&](std::vector<std::string> arguments, const std::string& reason) {
    arguments.insert(arguments.end(), {"--ranks", "2"});
    const Result result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_NE(result.err.find(reason), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("error:"), result.err.rfind("error:")) << result.err;  // one rank says so
  };
  refused({"check", model, "--deadlock", "--engine", "dfs"},
          "engine dfs runs in one process; bfs takes several ranks");
  refused({"check", model, "--deadlock", "--engine", "portfolio"}, "engine portfolio runs in one process");
  refused({"check", model, "--deadlock", "--threads", "2"}, "each rank uses one thread");
  refused({"check", model, "--ctl", R"(AG EF "A.x == 0")"}, "several ranks search for");
  refused({"check", model, "--deadlock", "--checkpoint", folder.path("c")}, "cannot be saved yet");
  refused({"check", folder.path("missing.dve"), "--deadlock"}, "cannot read");
  refused({"explore", model, "--product", "--ltl", R"(G F "A.x == 0")"},
          "products are counted by one process");
  const Result other = run_by_mpi("2", {"simulate", model});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("simulate runs in one process"), std::string::npos) << other.err;
  const Result twice = run_by_mpi("2", {"check", model, "--deadlock", "--ranks", "3"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_NE(twice.err.find("this job has 2 already"), std::string::npos) << twice.err;
}

}  // namespace
}  // namespace tideline::test
