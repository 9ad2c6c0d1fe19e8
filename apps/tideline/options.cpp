#include "options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <utility>

#include "exec/native/native.hpp"
#include "job.hpp"
#include "lang/diagnostics.hpp"
#include "output.hpp"
#include "report/text.hpp"
#include "signals.hpp"

namespace tideline::app {

void LimitOptions::add_to(CLI::App& command, bool with_threads) {
  command.add_option("--memory", memory);
  command.add_option("--time", time);
  if (with_threads) add_count(command, "--threads", threads);
  command.add_flag("--quiet", quiet);
  add_word(command, "--status", {"line", "json", "none"}, [this](const std::string& word) {
    status = word == "json" ? StatusForm::json : word == "line" ? StatusForm::line : StatusForm::none;
  });
}

StatusForm LimitOptions::status_form() const {
  if (job().is_silent()) return StatusForm::none;
  return status.value_or(quiet ? StatusForm::none : StatusForm::line);
}

Budget::Limits LimitOptions::limits(StatusDisplay& display) const {
  if (threads < 1 || threads > most_threads)
    throw Error(ErrorKind::usage,
                fmt::format("--threads {}: write a number from 1 to {}", threads, most_threads));
  Budget::Limits result;
  if (memory) {
    result.memory_bytes = parse_bytes(*memory);
    if (!result.memory_bytes)
      throw Error(ErrorKind::usage, fmt::format("--memory: '{}' is not a size; write 512M or 4G", *memory));
    if (*result.memory_bytes < least_memory)
      throw Error(ErrorKind::usage,
                  fmt::format("--memory: {} is too little to work with; the smallest limit is {}M",
                              show_bytes(*result.memory_bytes), least_memory >> 20));
  } else if (const auto bytes = available_bytes()) {
    result.memory_bytes = *bytes / 10 * 9 / job().ranks_on_machine();
  }
  if (time) {
    result.seconds = parse_duration(*time);
    if (!result.seconds)
      throw Error(
          ErrorKind::usage,
          fmt::format("--time: '{}' is not a duration longer than 0; write 90s, 10m or 1h30m", *time));
  }
  result.interrupted = &interrupted();
  display.watch(result);
  return result;
}

void ModelOptions::add_to(CLI::App& command) {
  command.add_option("MODEL", path)->required();
  command.add_option("--language", language)->check(one_of(language_names()));
  add_repeatable(command, "--define", defines);
  command.add_flag("--strict", strict);
  command.add_option("--properties", property_file);
  command.add_option("--model-errors", errors)->check(one_of({"report", "divine"}));
  command.add_option("--internal", internal_action);
  command.add_option("--processes", most_processes)->check(number_between(1, 255));
}

void ModelOptions::add_execution_to(CLI::App& command) {
  add_word(command, "--exec", {"auto", "interpreter", "native"}, [this](const std::string& word) {
    execution = word == "native"        ? Execution::native
                : word == "interpreter" ? Execution::interpreter
                                        : Execution::automatic;
  });
}

ErrorSemantics ModelOptions::semantics() const {
  return errors == "divine" ? ErrorSemantics::error_state : ErrorSemantics::stop;
}

void ModelOptions::refuse_standard_input(std::string_view why) const {
  if (path == standard_input)
    throw Error(ErrorKind::usage, fmt::format("the model cannot come from the standard input: {}", why));
}

Model ModelOptions::load(bool quiet) const {
  const bool divine = semantics() == ErrorSemantics::error_state;
  if (internal_action.empty()) throw Error(ErrorKind::usage, "--internal: write a label, tau or i");
  Model model = load_model(path, {.property_file = property_file,
                                  .language = language,
                                  .defines = parse_defines(defines),
                                  .strict = strict,
                                  .wrap_messages = divine,
                                  .internal_action = internal_action,
                                  .most_processes = most_processes});
  if (divine && !model.system.error_state)
    throw Error(ErrorKind::usage, "--model-errors divine: the language of this model has no error state");
  if (!quiet)
    for (const Diagnostic& warning : model.system.warnings) print_to_stderr(to_string(warning));
  model.system.execution = execution;
  if (execution == Execution::native && !native::unavailable().empty() && !quiet)
    note(fmt::format("--exec native: {}; the model is interpreted", native::unavailable()));
  return model;
}

std::vector<std::string> ModelOptions::idle_options(const std::set<std::string>& given,
                                                    const Model& model) const {
  const std::string& read_as = model.system.language;
  std::vector<std::string> idle;
  if (given.contains("--processes") && read_as != "promela") idle.emplace_back("--processes");
  if (given.contains("--internal") && read_as != "psl") idle.emplace_back("--internal");
  return idle;
}

CLI::Option* add_repeatable(CLI::App& command, const std::string& name, std::vector<std::string>& values) {
  return command.add_option(name, values)->allow_extra_args(false);
}

namespace {

CLI::Option* add_text_option(CLI::App& command, const std::string& name, PropertyKind kind, bool is_pattern,
                             std::vector<PropertyText>& texts) {
  return command
      .add_option_function<std::vector<std::string>>(
          name,
          [=, &texts](const std::vector<std::string>& values) {
            for (const std::string& text : values)
              texts.push_back(
                  {.kind = kind, .text = text, .name = {}, .origin = name, .is_pattern = is_pattern});
          })
      ->allow_extra_args(false);
}

}  // namespace

CLI::Option* add_property_option(CLI::App& command, PropertyKind kind, std::vector<PropertyText>& texts) {
  return add_text_option(command, fmt::format("--{}", to_string(kind)), kind, false, texts);
}

CLI::Option* add_pattern_option(CLI::App& command, std::vector<PropertyText>& texts) {
  return add_text_option(command, "--pattern", PropertyKind::ltl, true, texts);
}

namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

CLI::Option* add_count(CLI::App& command, const std::string& name, std::uint64_t& value) {
  return command.add_option_function<std::string>(name, [name, &value](const std::string& text) {
    const auto number = number_in(text);
    if (!number)
      throw CLI::ValidationError(name, fmt::format("'{}' is not a number from 0 to 2^64 - 1", text));
    value = *number;
  });
}

CLI::Validator number_between(std::uint64_t low, std::uint64_t high) {
  const auto check = [low, high](const std::string& text) -> std::string {
    const auto number = number_in(text);
    if (number && low <= *number && *number <= high) return {};
    return fmt::format("'{}' is not a number from {} to {}", abbreviate(text), low, high);
  };
  return {check, ""};
}

namespace {

constexpr const char* one_of_words = "one of words";

}  // namespace

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string joined = fmt::format("{}", fmt::join(words, "\n"));
  const auto check = [words = std::move(words)](const std::string& text) -> std::string {
    if (std::ranges::find(words, text) != words.end()) return {};
    Suggestion suggestion(text);
    for (const std::string& word : words) suggestion.offer(word);
    return fmt::format("'{}' is not one of {}{}", abbreviate(text), fmt::join(words, ", "),
                       suggestion.text());
  };
  return {check, joined, one_of_words};
}

std::vector<std::string> words_of(CLI::Option& option) {
  std::vector<std::string> words;
  try {
    std::istringstream lines(option.get_validator(one_of_words)->get_description());
    for (std::string word; std::getline(lines, word);) words.push_back(word);
  } catch (const CLI::OptionNotFound&) {
    // it takes other values than words
  }
  return words;
}

void add_word(CLI::App& command, const std::string& name, std::vector<std::string> words,
              std::function<void(const std::string&)> use) {
  command.add_option_function<std::string>(name, std::move(use))->check(one_of(std::move(words)));
}

CLI::Validator not_empty() {
  return {[](std::string& text) { return std::string(text.empty() ? "the name is empty" : ""); }, ""};
}

std::set<std::string> given_options(const CLI::App& command) {
  std::set<std::string> given;
  for (const CLI::Option* option : command.get_options())
    if (option->count() != 0) given.insert(option->get_name());
  return given;
}

void note_idle_options(const std::vector<std::string>& idle, std::string_view where) {
  for (const std::string& option : idle) note(fmt::format("{} has no effect {}", option, where));
}

void print_warnings(const Model& model, const Outcome& outcome) {
  constexpr std::size_t shown_actions = 10;
  for (const std::string& warning : outcome.warnings) warn(warning);
  if (const std::string never = never_enabled_text(outcome, model.system, shown_actions, &model.source);
      !never.empty())
    warn(never);
}

}  // namespace tideline::app
