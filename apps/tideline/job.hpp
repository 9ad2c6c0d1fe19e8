// A job of several processes (ranks) that search together: this process as one of them, or as the one that
// starts them with mpirun.
//
// All ranks run the same command with the same options. They read the model, plan, and search together; the
// first one writes the answer, the others are silent.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checking/settings.hpp"
#include "cluster/ranks/ranks.hpp"
#include "cluster/ranks/shared_transport.hpp"
#include "exit_code.hpp"
#include "lang/lang.hpp"

namespace tideline::app {

/// The job that this process is a rank of.
class Job {
 public:
  /// Joins it, if there is one.
  Job();

  /// Nothing: this process works alone.
  cluster::Ranks* ranks() { return ranks_ ? &*ranks_ : nullptr; }

  unsigned ranks_on_machine() const { return transport_ ? transport_->ranks_on_machine() : 1; }

  /// Throws Error(usage) unless all ranks have read the same model, with the same options.
  void require_same(const Model& model, const std::vector<std::string>& arguments, Budget& budget);

  /// Another rank writes the answer.
  bool is_silent() const { return ranks_ && !ranks_->is_first(); }

  /// Leaves it; nothing may follow. Returns the exit code for this rank: only that of the first counts.
  ExitCode end(ExitCode exit_code);

  /// Says why this rank ends without an answer, for those that still search.
  void fail(const std::string& reason) { reason_ = reason; }

 private:
  std::unique_ptr<cluster::Transport> transport_;
  std::optional<cluster::SharedTransport> shared_;  ///< the same, for several threads
  std::optional<cluster::Ranks> ranks_;
  std::string reason_;
};

/// The one of this process.
Job& job();

/// Throws Error(usage) when this process is a rank of a job that it cannot join.
void require_mpi_for_job();

/// --ranks: how many processes are to search together.
struct RankOptions {
  std::uint64_t ranks = 0;  ///< 0: as many as there are

  static constexpr std::uint64_t most_ranks = 4096;

  void add_to(CLI::App& command);
  /// Whether this process is to start others. Throws Error(usage) when there is a job of another size already.
  bool starts_job() const;
};

/// Starts the ranks with this command of the program and its arguments (but --ranks), waits for them, and
/// returns the exit code of the first: exit_unknown when one of them died.
ExitCode run_job(std::uint64_t ranks, const std::string& command, std::vector<std::string> arguments);

}  // namespace tideline::app
