#include "checkpoints.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "lang/lang.hpp"
#include "output.hpp"
#include "report/numbers.hpp"
#include "store/hash.hpp"

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
    if (option->get_positional()) continue;
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

SavedRun::Input input_of(const std::string& file, const std::string* content) {
  std::error_code ignored;
  if (!content && !std::filesystem::exists(file, ignored)) return {file, 0};
  const std::string text = content ? *content : read_source(file).text;
  return {file, XXH3_64bits(text.data(), text.size()) | 1};
}

void require_unchanged(const SavedRun& run) {
  if (run.version != TIDELINE_VERSION)
    throw Error(ErrorKind::input, fmt::format("the checkpoint is of version {}, this is " TIDELINE_VERSION
                                              ": they may search in different ways",
                                              run.version));
  for (const SavedRun::Input& input : run.inputs) {
    const std::uint64_t hash = input_of(input.file).hash;
    if (hash == input.hash) continue;
    throw Error(ErrorKind::input,
                fmt::format("{} {} since the run began: it cannot go on from its checkpoint", input.file,
                            hash == 0         ? "has gone missing"
                            : input.hash == 0 ? "has come into being"
                                              : "has changed"));
  }
}

void say_standing(const Checkpointer& checkpoints) {
  if (!checkpoints.has_saved()) {
    complain("note: the run ended before its first checkpoint: it begins again from the start");
    return;
  }
  const std::chrono::duration<double> age = std::chrono::system_clock::now() - checkpoints.saved_at();
  const SearchStatus& at = checkpoints.status();
  complain(fmt::format("note: goes on from a checkpoint that is {} old: search {}, {}, {}, {} visited{}",
                       show_seconds(std::max(0.0, age.count())), at.searches + 1,
                       show_plural(at.sweeps, "sweep"), show_plural(at.layers, "layer"),
                       show_plural(at.visited, "state"), at.complete ? ", which are all" : ""));
}

void end_checkpoints(Checkpointer& checkpoints, const Budget& budget, bool quiet) {
  if (budget.reason().empty()) {
    checkpoints.remove();
    return;
  }
  checkpoints.keep();
  if (checkpoints.has_saved() && checkpoints.has_not_advanced())
    complain(
        "warning: nothing was saved since the run was resumed: what it did is lost, and it needs more time "
        "or memory to get on");
  if (!quiet)
    complain(fmt::format("note: `tideline resume {}` {}", checkpoints.folder().string(),
                         checkpoints.has_saved() ? "goes on from the last checkpoint"
                                                 : "begins again: no search has been saved yet"));
}

}  // namespace tideline::app
