#include "checkpoints.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cluster/states/saved_together.hpp"
#include "job.hpp"
#include "output.hpp"

namespace tideline::app {

void CheckpointOptions::add_to(CLI::App& command) {
  auto* to = command.add_option("--checkpoint", folder);
  command.add_option("--checkpoint-every", every)->needs(to);
}

double CheckpointOptions::seconds() const {
  if (every == "0" || every == "0s") return 0;
  const auto seconds = parse_duration(every);
  if (!seconds)
    throw Error(
        ErrorKind::usage,
        fmt::format("--checkpoint-every: '{}' is not a duration; write 90s, 10m or 0s for always", every));
  return *seconds;
}

std::vector<std::string> arguments_of(const CLI::App& command) {
  std::vector<std::string> arguments;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() || option->check_lname("color")) continue;
    const bool is_flag = option->get_items_expected_max() == 0;
    for (const std::string& value : option->results())
      arguments.push_back(is_flag ? option->get_name() : option->get_name() + "=" + value);
  }
  return arguments;
}

std::vector<std::string> overridden(std::vector<std::string> arguments,
                                    const std::vector<std::string>& others) {
  const auto name = [](const std::string& argument) { return argument.substr(0, argument.find('=')); };
  for (const std::string& other : others)
    std::erase_if(arguments, [&](const std::string& argument) { return name(argument) == name(other); });
  arguments.insert(arguments.begin(), others.begin(), others.end());
  return arguments;
}

SavedTogether saved_together() {
  return job().ranks() ? cluster::saved_together(*job().ranks()) : SavedTogether();
}

void end_checkpoints(Checkpointer& checkpoints, const Budget& budget, bool has_left, bool quiet) {
  if (!has_left && checkpoints.all_are_done(budget.reason().empty())) {
    checkpoints.end();
    return;
  }
  checkpoints.keep();
  if (checkpoints.has_saved() && checkpoints.has_not_advanced())
    warn(
        "nothing was saved since the run was resumed: what it did is lost, and it needs more time or memory "
        "to get on");
  if (!quiet)
    note(fmt::format("`tideline resume {}` {}", checkpoints.folder().string(),
                     checkpoints.has_saved() ? "goes on from the last checkpoint"
                                             : "begins again: no search has been saved yet"));
}

}  // namespace tideline::app
