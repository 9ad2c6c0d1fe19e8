#include "job.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "cluster/mpi/mpi_transport.hpp"
#include "colours.hpp"
#include "model/error.hpp"
#include "options.hpp"
#include "output.hpp"
#include "signals.hpp"
#include "store/hash.hpp"

namespace tideline::app {

namespace {

/// The arguments of mpirun before those of the program.
std::vector<std::string> mpirun_with(std::uint64_t ranks) {
  // When a rank ends with another code than 0, mpirun kills the others; without this it takes two seconds.
  std::vector<std::string> words{
      "mpirun",    "--quiet", "--mca", "odls_base_sigkill_timeout", "0", "--oversubscribe",
      "--bind-to", "none",    "-n",    std::to_string(ranks)};
  if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");  // it is we who were started by root
  return words;
}

pid_t start(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw Error(ErrorKind::io, fmt::format("cannot start mpirun: {}", std::strerror(errno)));
  if (child != 0) return child;
  // A group of its own: Ctrl-C reaches this process alone, which passes it on in its own way. It needs no
  // input, and ends when this process is killed.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // Without a program for other hosts, as in most containers, mpirun does not even start ranks on this one.
  ::setenv("OMPI_MCA_plm_rsh_agent", "ssh : rsh : false", 0);
  if (const int nothing = ::open("/dev/null", O_RDONLY); nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::execvp(pointers.front(), pointers.data());
  ::_exit(127);
}

/// Ranks on this machine, as the system knows them: the children of mpirun.
struct LocalRanks {
  bool alive = false;
  std::uint64_t ready = 0;               ///< alive, and a signal does not end them any more
  std::optional<int> worst_status = {};  ///< of those that have ended; nothing: none has
};

/// Whether it has become this program and waits for signals. Before, a signal would end it.
bool is_ready(const std::filesystem::path& process) {
  std::error_code ignored;
  const auto program = [&](const std::filesystem::path& of) {
    return std::filesystem::read_symlink(of / "exe", ignored);
  };
  if (program(process) != program("/proc/self")) return false;
  std::ifstream status(process / "status");
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view caught = "SigCgt:";
    if (!line.starts_with(caught)) continue;
    const std::uint64_t signals = std::stoull(line.substr(caught.size()), nullptr, 16);
    const auto catches = [&](int signal) { return (signals >> (signal - 1) & 1) != 0; };
    return catches(rank_interrupt) && catches(status_request);
  }
  return false;
}

LocalRanks ranks_of(pid_t mpirun) {
  LocalRanks ranks;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    std::string line;
    std::getline(std::ifstream(entry.path() / "stat"), line);
    const auto name_end = line.rfind(')');  // a name may contain anything
    if (name_end == std::string::npos) continue;
    std::istringstream fields(line.substr(name_end + 1));
    char state = 0;
    pid_t parent = 0;
    if (!(fields >> state >> parent) || parent != mpirun) continue;
    const int status = std::stoi(line.substr(line.rfind(' ') + 1));  // the last field
    const auto badness = [](int s) { return std::pair(WIFSIGNALED(s), s); };
    if (state != 'Z') {
      ranks.alive = true;
      ranks.ready += is_ready(entry.path());
    } else if (!ranks.worst_status || badness(status) > badness(*ranks.worst_status)) {
      ranks.worst_status = status;
    }
  }
  return ranks;
}

/// mpirun may wait for ever for a lock of its own when a rank dies while it starts (PMIx 4.2 does). Its ranks have
/// ended then, and stay as zombies, because nobody asks for their status.
class HungStarter {
 public:
  explicit HungStarter(pid_t mpirun) : mpirun_(mpirun) {}

  /// Called again and again. The status of the ranks, when all of them have ended a while ago, and mpirun has not.
  std::optional<int> status() {
    const auto now = Clock::now();
    if (now < next_look_) return std::nullopt;
    next_look_ = now + std::chrono::seconds(1);
    const LocalRanks ranks = ranks_of(mpirun_);
    if (ranks.alive || !ranks.worst_status) ended_ = now;
    return now - ended_ < patience ? std::nullopt : ranks.worst_status;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto patience = std::chrono::seconds(5);

  pid_t mpirun_;
  Clock::time_point next_look_ = Clock::now() + std::chrono::seconds(1), ended_ = Clock::now();
};

/// Signals for the ranks. They are kept back until no rank is left that one would end: one that does not catch them yet.
class Signals {
 public:
  Signals(pid_t mpirun, std::uint64_t ranks) : mpirun_(mpirun), ranks_(ranks) {}

  void pass_on() {
    const bool interrupt = interrupted() && !told_;
    const unsigned requests = status_requests();
    if ((!interrupt && requests == passed_on_) || !ranks_are_ready()) return;
    if (std::exchange(passed_on_, requests) != requests) ::kill(mpirun_, status_request);
    if (interrupt) ::kill(mpirun_, rank_interrupt);
    told_ = told_ || interrupt;
  }

 private:
  using Clock = std::chrono::steady_clock;
  /// Ranks on other hosts are not seen from here.
  static constexpr auto patience = std::chrono::seconds(5);

  bool ranks_are_ready() {
    if (ready_) return true;
    const auto now = Clock::now();
    latest_ = std::min(latest_, now + patience);
    const LocalRanks ranks = ranks_of(mpirun_);
    ready_ = ranks.ready == ranks_ || ranks.worst_status || now > latest_;
    return ready_;
  }

  pid_t mpirun_;
  std::uint64_t ranks_;
  bool told_ = false, ready_ = false;
  unsigned passed_on_ = status_requests();
  Clock::time_point latest_ = Clock::time_point::max();
};

/// The status of the child. An interrupt, or a request for the status, is passed on to the ranks.
int wait_for(pid_t child, std::uint64_t ranks) {
  constexpr auto look_every = std::chrono::milliseconds(10);
  int status = 0;
  HungStarter hung(child);
  Signals signals(child, ranks);
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (const auto of_ranks = hung.status()) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return *of_ranks;
    }
    signals.pass_on();
    std::this_thread::sleep_for(look_every);
  }
  return status;
}

}  // namespace

Job::Job() {
  if (!cluster::started_as_rank() || !cluster::has_mpi()) return;
  transport_ = cluster::join_job();
  if (transport_->ranks() == 1) return;
  shared_.emplace(*transport_);
  ranks_.emplace(shared_->process());
  if (is_silent()) mute();
}

ExitCode Job::end(ExitCode exit_code) {
  if (ranks_) ranks_->leave(reason_);
  transport_.reset();
  return is_silent() ? exit_holds : exit_code;
}

void Job::require_same(const Model& model, const std::vector<std::string>& arguments, Budget& budget) {
  if (!ranks_) return;
  std::string everything = model.source.text;
  for (const std::string& argument : arguments) everything += '\0' + argument;
  try {
    ranks_->require_same(
        StateHash{}(reinterpret_cast<const std::byte*>(everything.data()), everything.size()));
  } catch (const cluster::RankLeft& left) {
    budget.exhaust(left.what());
    throw;
  }
}

Job& job() {
  static Job the_job;
  return the_job;
}

void require_mpi_for_job() {
  if (cluster::started_as_rank() && !cluster::has_mpi())
    throw Error(ErrorKind::usage, cluster::missing_mpi());
}

void RankOptions::add_to(CLI::App& command) {
  command.add_option("--ranks", ranks)->check(number_between(1, most_ranks));
}

bool RankOptions::starts_job() const {
  const std::uint64_t present = job().ranks() ? job().ranks()->size() : 1;
  if (ranks == 0 || ranks == present) return false;
  if (cluster::started_as_rank())
    throw Error(ErrorKind::usage,
                fmt::format("--ranks {}: this job has {} already; leave the option out", ranks, present));
  if (!cluster::has_mpi()) throw Error(ErrorKind::usage, fmt::format("--ranks: {}", cluster::missing_mpi()));
  return true;
}

ExitCode run_job(std::uint64_t ranks, const std::string& command, std::vector<std::string> arguments) {
  std::erase_if(arguments, [](const std::string& word) { return word.starts_with("--ranks="); });
  std::vector<std::string> words = mpirun_with(ranks);
  words.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  words.push_back(command);
  // They write to pipes, and what they write goes on to where this process would write.
  const bool coloured = !stdout_palette().is_plain() && !stderr_palette().is_plain();
  words.push_back(coloured ? "--color=always" : "--color=never");
  words.insert(words.end(), arguments.begin(), arguments.end());
  const int status = wait_for(start(std::move(words)), ranks);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code <= exit_internal) return static_cast<ExitCode>(code);
  if (code == 127) throw Error(ErrorKind::io, "--ranks: cannot start mpirun; install openmpi-bin");
  fail(code > 128 ? fmt::format("a rank has died ({}); there is no answer", ::strsignal(code - 128))
                  : fmt::format("mpirun has failed (exit code {}); there is no answer", code));
  return exit_unknown;
}

}  // namespace tideline::app
