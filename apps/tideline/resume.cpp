// tideline resume: goes on with a check from its last checkpoint.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "check.hpp"
#include "checking/saved_check.hpp"
#include "checkpoints.hpp"
#include "commands.hpp"
#include "job.hpp"
#include "options.hpp"
#include "report/numbers.hpp"

namespace tideline::app {
namespace {

constexpr const char* resume_help = R"(Usage: tideline resume DIR [options]

Goes on with a check that was saved in DIR, as the first example does. It may
have reached a limit, been interrupted, or been killed; what it finds and counts
in the end is the same as if nothing had happened. Checkpoints go on being saved
in DIR, and are removed when the run has its answer. Where several ranks have
saved it, as many are started again.

Model, properties, measure and options are those of the run. Files that it reads
must not have changed. These options take the place of those of the run:

  --memory SIZE       stop there, e.g. 4G;  --time DURATION: from now on
  --threads N         any number; runs may differ
  --trace FILE        runs as ITF JSON;  --json FILE: the answer for programs
  --report FILE       a page to look at (HTML)
  --status json       how far it is, for programs;  --quiet: only verdicts

Exit code: as for check.

Examples
  tideline check models/ring.dve --engine sweep --checkpoint saved --time 1ms
  tideline resume saved --memory 4G --time 8h
)";

struct ResumeOptions {
  std::string folder;
  RankOptions ranks;
  LimitOptions limits;
  std::string trace_file, json_file, report_file;
};

/// A file named relative to this folder, for a run that may have begun in another one.
std::string absolute_argument(const std::string& argument) {
  const auto equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  if ((name != "--json" && name != "--trace" && name != "--report") || argument.substr(equals + 1) == "-")
    return argument;
  return name + "=" + std::filesystem::absolute(argument.substr(equals + 1)).string();
}

/// The ranks that this process has to start: those that saved the run; 0: none. Throws Error(usage) when others are
/// asked for.
std::uint64_t ranks_to_start(const std::filesystem::path& folder, RankOptions ranks) {
  if (job().ranks()) return ranks.starts_job();  // it does not
  const std::uint64_t saved = Checkpointer::ranks_of_run(folder);
  if (saved != 0 && ranks.ranks != 0 && ranks.ranks != saved)
    throw Error(ErrorKind::usage, fmt::format("--ranks {}: the run in {} was saved by {}", ranks.ranks,
                                              folder.string(), show_plural(saved, "rank")));
  ranks.ranks = saved;
  return ranks.starts_job() ? saved : 0;
}

ExitCode run_resume(const ResumeOptions& options, std::vector<std::string> others) {
  const std::filesystem::path folder = std::filesystem::absolute(options.folder);
  for (std::string& argument : others) argument = absolute_argument(argument);
  std::erase_if(others, [](const std::string& word) { return word.starts_with("--ranks="); });
  if (const std::uint64_t ranks = ranks_to_start(folder, options.ranks); ranks != 0) {
    others.insert(others.end(), {"--", folder.string()});
    return run_job(ranks, "resume", others);
  }
  const auto checkpoints = std::make_shared<Checkpointer>(folder, saved_together());
  const SavedRun& run = checkpoints->saved_run();
  others.insert(others.begin(), "--checkpoint=" + folder.string());
  std::error_code error;
  std::filesystem::current_path(run.folder, error);
  if (error)
    throw Error(ErrorKind::io,
                fmt::format("cannot go to {}, where the run began: {}", run.folder, error.message()));
  require_unchanged(run, TIDELINE_VERSION);
  return resume_check(overridden(run.arguments, others), checkpoints);
}

}  // namespace

void add_resume(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("resume");
  set_help(*command, resume_help);
  const auto options = std::make_shared<ResumeOptions>();
  command->add_option("DIR", options->folder)->required();
  options->limits.add_to(*command);
  options->ranks.add_to(*command);
  command->add_option("--trace", options->trace_file);
  command->add_option("--json", options->json_file);
  command->add_option("--report", options->report_file);
  command->callback(
      [options, command, &exit_code] { exit_code = run_resume(*options, arguments_of(*command)); });
}

}  // namespace tideline::app
