// Checkpoints on the command line: when a check is saved, and how it is found again.
//
// What is saved of a check is its command line, put together from the options that were given, and a hash of
// every file it reads: a run that goes on must be the run that was begun.
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
  /// Throws Error(usage) for what is no duration.
  double seconds() const;
};

/// One word for each option that was given: "--time=1h", "--quiet".
std::vector<std::string> arguments_of(const CLI::App& command);

/// The arguments, with those taken over from others that have the same name.
std::vector<std::string> overridden(std::vector<std::string> arguments,
                                    const std::vector<std::string>& others);

/// What to remember of a file; `content`: when it is known already. A missing file may be one, too.
SavedRun::Input input_of(const std::string& file, const std::string* content = nullptr);

/// Throws Error(input) when the run cannot go on with this program and the files as they are now.
void require_unchanged(const SavedRun& run);

/// Says on stderr from where a run goes on, and how old that is.
void say_standing(const Checkpointer& checkpoints);

/// In the end of a run: removes the checkpoint when there is an answer, else says how to go on.
void end_checkpoints(Checkpointer& checkpoints, const Budget& budget, bool quiet);

}  // namespace tideline::app
