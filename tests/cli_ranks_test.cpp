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
const std::string endless_processes = [] {
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

// As in a container.
TEST_F(Ranks, NeedNoProgramThatReachesOtherHosts) {
  const std::filesystem::path programs = folder.path();
  for (const char* name : {"mpirun", "orted", "false"})
    std::filesystem::create_symlink(std::filesystem::path("/usr/bin") / name, programs / name);
  const Result result =
      run({"explore", model, "--ranks", "2"}, {.in_child = [&] { ::setenv("PATH", programs.c_str(), 1); }});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("15,625"), std::string::npos) << result.out;
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

TEST_F(Ranks, AnswerAboutInfiniteRunsLikeOneProcess) {
  for (const char* engine : {"owcty", "owcty-map", "map"})
    for (const char* formula : {R"(F "A.x == 24")", R"(G (F "A.x == 24" && F "B.x > 24"))"}) {
      const std::vector<std::string> question{"check", model,    "--ltl", formula,  "--engine",
                                              engine,  "--json", "-",     "--quiet"};
      const json alone = json::parse(run(question).out);
      std::vector<std::string> together = question;
      together.insert(together.end(), {"--ranks", "2"});
      const bool by_mpi = engine == std::string("owcty-map");
      const Result result = by_mpi ? run_by_mpi("3", question) : run(together);
      EXPECT_EQ(result.err, "");
      const json answer = json::parse(result.out);
      EXPECT_EQ(result.exit_code, answer["properties"][0]["verdict"] == "violated" ? 1 : 0);
      EXPECT_EQ(answer["properties"][0]["verdict"], alone["properties"][0]["verdict"]);
      EXPECT_EQ(answer["properties"][0].contains("trace"), alone["properties"][0].contains("trace"));
      EXPECT_EQ(answer["statistics"]["ranks"], by_mpi ? 3 : 2);
      EXPECT_GT(answer["statistics"]["batches"], 0);
      if (result.exit_code != 0) continue;
      EXPECT_EQ(answer["statistics"]["product_states"], alone["statistics"]["product_states"]);
    }
  const json reduced = json::parse(run({"check", model, "--ltl", R"(F "A.x == 24")", "--engine", "owcty",
                                        "--ranks", "2", "--por", "--json", "-", "--quiet"})
                                       .out);
  EXPECT_GT(reduced["statistics"]["reduced_expansions"], 0);
  const json chosen = json::parse(
      run({"check", model, "--ltl", R"(F "A.x == 24")", "--ranks", "2", "--json", "-", "--quiet"}).out);
  EXPECT_EQ(chosen["engine"], "owcty-map");
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

TEST_F(Ranks, SearchWithSeveralThreads) {
  const std::vector<std::vector<std::string>> questions{
      {"--invariant", "A.x < 30", "--engine", "bfs"},
      {"--invariant", "A.x < 30", "--engine", "sweep", "--progress", "A.x, B.x"},
      {"--deadlock", "--engine", "bfs"},
      {"--ltl", R"(G (F "A.x == 24" && F "B.x <= 24"))", "--engine", "owcty-map"},
      {"--ltl", R"(F "A.x > 24")", "--engine", "map"}};
  for (std::vector<std::string> question : questions) {
    question.insert(question.begin(), {"check", model});
    question.insert(question.end(), {"--json", "-", "--quiet", "--threads"});
    const auto asked = [&](const char* threads, const std::vector<std::string>& more) {
      std::vector<std::string> arguments = question;
      arguments.emplace_back(threads);
      arguments.insert(arguments.end(), more.begin(), more.end());
      const Result result = run(arguments);
      EXPECT_EQ(result.err, "");
      return json::parse(result.out);
    };
    const json alone = asked("1", {});
    const json together = asked("3", {"--ranks", "2"});
    EXPECT_EQ(together["properties"][0]["verdict"], alone["properties"][0]["verdict"]);
    EXPECT_EQ(together["properties"][0].contains("trace"), alone["properties"][0].contains("trace"));
    EXPECT_EQ(together["statistics"]["ranks"], 2);
    EXPECT_EQ(together["statistics"]["threads"], 3);
    if (alone["properties"][0]["verdict"] == "violated") continue;
    for (const char* figure : {"states", "transitions", "levels", "visited", "product_states"})
      EXPECT_EQ(together["statistics"].value(figure, 0), alone["statistics"].value(figure, 0)) << figure;
  }
}

TEST_F(Ranks, SweepLikeOneProcess) {
  const std::vector<std::string> question{"check",    model,        "--deadlock",  "--invariant",
                                          "A.x < 20", "--reach",    "B.x == 7",    "--engine",
                                          "sweep",    "--progress", "A.x, B.x",    "--json",
                                          "-",        "--quiet",    "--trace-dir", folder.path("")};
  const json alone = json::parse(run(question).out);
  for (const char* ranks : {"2", "3"}) {
    std::vector<std::string> arguments = question;
    arguments.insert(arguments.end(), {"--ranks", ranks});
    const Result result = run(arguments);
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_EQ(result.err, "");
    const json answer = json::parse(result.out);
    EXPECT_EQ(answer["engine"], "sweep");
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(answer["properties"][i]["verdict"], alone["properties"][i]["verdict"]);
  }
}

TEST_F(Ranks, CountStatesByASweep) {
  const auto statistics = [&](const char* measure) {
    return json::parse(
        run({"explore", model, "--ranks", "3", "--engine", "sweep", "--progress", measure, "--json", "-"})
            .out)["statistics"];
  };
  const json forward = statistics("monotone A.x + B.x + C.x");
  EXPECT_EQ(forward["states"], 25 * 25 * 25);
  EXPECT_EQ(forward["deadlocks"], 1);
  EXPECT_LE(forward["layers"], 73);
  EXPECT_EQ(forward["ranks"], 3);
  EXPECT_LT(forward["stored_peak"], 25 * 25 * 25);
  const json backward = statistics("A.x {24 < 23 < 22}");
  EXPECT_GT(backward["sweeps"], 1);
  EXPECT_FALSE(backward.contains("states"));
  const Result claim =
      run({"explore", model, "--ranks", "2", "--engine", "sweep", "--progress", "monotone -A.x"});
  EXPECT_EQ(claim.exit_code, 2);
  EXPECT_NE(claim.err.find("the measure is not monotone as it claims"), std::string::npos) << claim.err;
}

/// A job on a busy machine may be over before all ranks have begun.
bool tells_ranks(const Result& result, const std::string& ranks) {
  return result.out.find(ranks) != std::string::npos ||
         result.out.find("has ended early") != std::string::npos;
}

TEST_F(Ranks, KeepToLimits) {
  const std::string large = folder.write("endless.dve", endless_processes);
  const Result slow =
      run({"check", large, "--deadlock", "--engine", "bfs", "--ranks", "3", "--time", "500ms"});
  EXPECT_EQ(slow.exit_code, 3);
  EXPECT_NE(slow.out.find("time limit of 0.5 s reached"), std::string::npos) << slow.out;
  EXPECT_TRUE(tells_ranks(slow, "3 ranks")) << slow.out;
  const Result full = run(
      {"check", large, "--deadlock", "--engine", "bfs", "--ranks", "3", "--threads", "2", "--memory", "40M"});
  EXPECT_EQ(full.exit_code, 3);
  EXPECT_NE(full.out.find("memory limit of 40.0 MiB reached"), std::string::npos) << full.out;
  for (const char* engine : {"owcty", "map"}) {
    const Result infinite = run({"check", large, "--ltl", R"(F "A.x == 255")", "--engine", engine, "--ranks",
                                 "3", "--threads", "2", "--time", "2s"});
    EXPECT_EQ(infinite.exit_code, 3);
    EXPECT_NE(infinite.out.find("time limit of 2 s reached"), std::string::npos) << infinite.out;
    EXPECT_TRUE(tells_ranks(infinite, "3 ranks")) << infinite.out;
  }
  const Result swept = run({"check", large, "--deadlock", "--engine", "sweep", "--progress", "A.x", "--ranks",
                            "2", "--threads", "2", "--time", "500ms"});
  EXPECT_EQ(swept.exit_code, 3);
  EXPECT_NE(swept.out.find("time limit of 0.5 s reached"), std::string::npos) << swept.out;
  EXPECT_TRUE(tells_ranks(swept, "2 ranks")) << swept.out;
}

// As soon as they are there, before they have begun to wait for signals.
TEST_F(Ranks, AreInterrupted) {
  for (const std::string name : {"first.dve", "second.dve", "third.dve"}) {
    const std::string large = folder.write(name, endless_processes);
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    std::future<Result> result = std::async(std::launch::async, [&] {
      return run(
          {"check", large, "--deadlock", "--engine", "bfs", "--ranks", "2", "--threads", "2", "--json", "-"},
          {.in_child = [&] {
            const pid_t self = ::getpid();
            if (::write(pipe[1], &self, sizeof self) < 0) ::_exit(1);
          }});
    });
    pid_t starter = 0;
    ASSERT_EQ(::read(pipe[0], &starter, sizeof starter), static_cast<ssize_t>(sizeof starter));
    process_of(large, "1");
    ::kill(starter, SIGINT);
    const Result ended = result.get();
    EXPECT_EQ(ended.exit_code, 3);
    EXPECT_FALSE(has(ended.err, "a rank has died")) << ended.err;
    EXPECT_TRUE(has(json::parse(ended.out)["properties"][0]["reason"], "interrupted")) << ended.out;
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
}

TEST_F(Ranks, EndWhenOneDies) {
  const std::string large = folder.write("endless.dve", endless_processes);
  for (const std::vector<std::string>& question : {std::vector<std::string>{"--deadlock", "--engine", "bfs"},
                                                   {"--ltl", R"(F "A.x == 255")", "--engine", "owcty"}}) {
    std::future<Result> result = std::async(std::launch::async, [&] {
      std::vector<std::string> arguments{"check", large, "--ranks", "3"};
      arguments.insert(arguments.end(), question.begin(), question.end());
      return run(arguments);
    });
    ::kill(process_of(large, "1"), SIGKILL);
    const Result ended = result.get();
    EXPECT_EQ(ended.exit_code, 3);
    EXPECT_NE(ended.err.find("a rank has died"), std::string::npos) << ended.err;
  }
}

// As that of Open MPI 4.1 when a rank dies while the others are being started: it does not notice, and waits for ever.
TEST_F(Ranks, EndEvenIfTheirStarterHangs) {
  const auto end_with = [&](const std::string& ranks) {
    const std::string starter = folder.write("mpirun", "#!/bin/sh\n" + ranks + "\nexec sleep 600\n");
    std::filesystem::permissions(starter, std::filesystem::perms::owner_all);
    return run({"check", folder.write("endless.dve", endless_processes), "--deadlock", "--ranks", "2"},
               {.in_child = [&] {
                 const std::string path =
                     std::filesystem::path(starter).parent_path().string() + ":" + ::getenv("PATH");
                 ::setenv("PATH", path.c_str(), 1);
               }});
  };
  EXPECT_EQ(end_with("(exit 0) & (exit 1) &").exit_code, 1);
  const Result died = end_with("(exit 0) & sh -c 'kill -9 $$' &");
  EXPECT_EQ(died.exit_code, 3);
  EXPECT_NE(died.err.find("a rank has died"), std::string::npos) << died.err;
}

TEST_F(Ranks, GoOnAfterTheyWereKilled) {
  for (const std::string engine : {"sweep"}) {
    const std::string saved = folder.path("saved-" + engine), file = folder.write(engine + ".dve", counters);
    const std::vector<std::string> question{"check",    file,       "--deadlock", "--reach",
                                            "B.x == 7", "--engine", engine,       "--no-trace"};
    const auto with = [&](std::vector<std::string> words) {
      words.insert(words.begin(), question.begin(), question.end());
      return words;
    };
    const json alone = json::parse(run(with({"--json", "-"})).out);
    std::future<Result> result = std::async(std::launch::async, [&] {
      return run(with({"--ranks", "2", "--checkpoint", saved, "--checkpoint-every", "0s"}));
    });
    const pid_t rank = process_of(file, "1");
    const auto has_saved = [&] { return std::filesystem::exists(saved + "/rank-0/checkpoint"); };
    const auto has_ended = [&] {
      return result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    };
    while (!has_saved() && !has_ended()) std::this_thread::yield();
    ::kill(rank, SIGKILL);
    if (result.get().exit_code == 1) continue;  // it was too late
    const Result other = run({"resume", saved, "--ranks", "3"});
    EXPECT_EQ(other.exit_code, 2);
    EXPECT_NE(other.err.find("was saved by 2 ranks"), std::string::npos) << other.err;
    const Result resumed = run({"resume", saved, "--json", "-"});
    EXPECT_EQ(resumed.exit_code, 1) << resumed.err;
    const json answer = json::parse(resumed.out);
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_EQ(answer["properties"][i]["verdict"], alone["properties"][i]["verdict"]);
    EXPECT_EQ(answer["statistics"]["ranks"], 2);
    EXPECT_FALSE(std::filesystem::exists(saved));
  }
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
          "engine dfs runs in one process; on several ranks properties of states need bfs or sweep");
  refused({"check", model, "--ltl", R"(F "A.x == 24")", "--engine", "ndfs"},
          "engine ndfs runs in one process; on several ranks infinite runs need map, owcty or owcty-map");
  refused({"check", model, "--ltl", R"(F "A.x == 24")", "--fair", "weak"}, "do not support fairness");
  refused({"check", model, "--ltl", R"(F "A.x == 24")", "--shortest"}, "do not make lassos shortest");
  refused({"check", model, "--deadlock", "--engine", "portfolio"}, "engine portfolio runs in one process");
  refused({"check", model, "--deadlock", "--engine", "sweep", "--threads", "2", "--checkpoint",
           folder.path("saved")},
          "ranks with several threads are not saved");
  refused({"check", model, "--ctl", R"(AG EF "A.x == 0")"}, "several ranks do not check CTL");
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
