// Checkpoints on the command line: when a check is saved, and the command line that is saved with it.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "search/sweep/checkpointer.hpp"

namespace tideline::app {

/// --checkpoint, --checkpoint-every
struct CheckpointOptions {
  std::string folder;
  std::string every = "60s";

  void add_to(CLI::App& command);
  /// Throws Error(usage) for what is not a duration.
  double seconds() const;
};

/// One word for each option that was given: "--time=1h", "--quiet".
std::vector<std::string> arguments_of(const CLI::App& command);

/// The arguments, where `others` take the place of those with the same name.
std::vector<std::string> overridden(std::vector<std::string> arguments,
                                    const std::vector<std::string>& others);

/// The ranks of the job, which save a run together, or this process.
SavedTogether saved_together();

/// At the end of a run: removes the checkpoint when there is an answer, else says how to resume.
void end_checkpoints(Checkpointer& checkpoints, const Budget& budget, bool has_left, bool quiet);

}  // namespace tideline::app
