#include "checking/saved_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "report/numbers.hpp"
#include "store/checksum.hpp"

namespace tideline {

namespace {

SavedRun::Input input_of(const std::string& file, const std::string& content) {
  return {file, XXH3_64bits(content.data(), content.size()) | 1};  // never 0
}

}  // namespace

void require_savable(const Engine& engine) {
  if (!engine.can_be_saved)
    throw Error(ErrorKind::usage,
                fmt::format("only searches with engine {} can be saved in a checkpoint",
                            engine_names([](const Engine& e) { return e.can_be_saved; }, "or")));
}

SavedRun::Input input_of(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {file, 0};
  return input_of(file, read_source(file).text);
}

std::vector<SavedRun::Input> inputs_of(const Model& model, const std::string& property_file, const Plan& plan,
                                       const std::vector<std::string>& others) {
  std::vector<SavedRun::Input> inputs{input_of(model.source.name, model.source.text),
                                      input_of(property_file_of(model.source.name, property_file))};
  for (const std::string& file : others) inputs.push_back(input_of(file));
  for (const PlannedSearch& lasso : plan.lassos)
    if (const Property& property = lasso.properties.front();
        property.kind == PropertyKind::automaton && !property.formula.empty())
      inputs.push_back(input_of(property.formula));
  return inputs;
}

void require_unchanged(const SavedRun& run, const std::string& version) {
  if (run.version != version)
    throw Error(ErrorKind::input,
                fmt::format("the checkpoint is of version {}, this is {}: they may search in different ways",
                            run.version, version));
  for (const SavedRun::Input& input : run.inputs) {
    const std::uint64_t hash = input_of(input.file).hash;
    if (hash == input.hash) continue;
    throw Error(ErrorKind::input,
                fmt::format("{} {} since the run began: it cannot go on from its checkpoint", input.file,
                            hash == 0         ? "was removed"
                            : input.hash == 0 ? "was created"
                                              : "has changed"));
  }
}

std::string command_text(const SavedRun& run, const std::vector<std::string>& arguments) {
  std::string text = fmt::format("in {}: tideline check", run.folder);
  for (const std::string& argument : arguments) {
    const bool is_plain =
        argument.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%") == std::string::npos;
    std::string quoted;
    for (const char c : argument) c == '\'' ? quoted += "'\\''" : quoted += c;
    text += is_plain && !argument.empty() ? " " + argument : " '" + quoted + "'";
  }
  return text;
}

std::string resumption_text(const Checkpointer& checkpoints) {
  if (!checkpoints.has_saved())
    return "the run ended before its first checkpoint: it begins again from the start";
  const std::chrono::duration<double> age = std::chrono::system_clock::now() - checkpoints.saved_at();
  const SearchStatus& at = checkpoints.status();
  return fmt::format("goes on from a checkpoint that is {} old: search {}, {}, {}, {} visited{}",
                     show_seconds(std::max(0.0, age.count())), at.searches + 1,
                     show_plural(at.sweeps, "sweep"), show_plural(at.layers, "layer"),
                     show_plural(at.visited, "state"), at.complete ? ", which are all" : "");
}

}  // namespace tideline
