// Options that several commands share, and what they turn into.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bind/selection.hpp"
#include "lang/lang.hpp"
#include "report/answer.hpp"
#include "run/budget.hpp"
#include "status_display.hpp"

namespace tideline::app {

/// --memory, --time, --threads, --quiet, --status
struct LimitOptions {
  std::optional<std::string> memory;
  std::optional<std::string> time;
  std::optional<StatusForm> status;
  std::uint64_t threads = 1;
  bool quiet = false;

  static constexpr std::uint64_t most_threads = 256;
  /// The program itself takes about half of it.
  static constexpr std::uint64_t least_memory = std::uint64_t{16} << 20;

  /// `with_threads`: --threads is one of them.
  void add_to(CLI::App& command, bool with_threads = true);
  /// Without --memory the limit is what the machine can spare, so that a run ends with an answer and is not
  /// killed. Throws Error(usage) for what cannot be read.
  Budget::Limits limits(StatusDisplay& display) const;
  /// What --status asks for; without it a line, unless the run is to be quiet.
  StatusForm status_form() const;
};

/// MODEL, --language, --define, --strict, --properties, --model-errors, --internal, --processes; --exec for commands
/// that search
struct ModelOptions {
  std::string path;
  std::string language;
  std::vector<std::string> defines;  ///< as given: N=4
  bool strict = false;
  std::string property_file;
  std::string errors = "report";
  std::string internal_action = "tau";
  std::uint32_t most_processes = 255;
  Execution execution = Execution::automatic;

  void add_to(CLI::App& command);
  void add_execution_to(CLI::App& command);
  ErrorSemantics semantics() const;
  /// Throws Error(usage) for a command that needs the model more than once, or something else from there.
  void refuse_standard_input(std::string_view why) const;
  /// Also prints the front-end's warnings on stderr unless `quiet`. Throws Error.
  Model load(bool quiet) const;
  /// Of those given, what means nothing for the model's language.
  std::vector<std::string> idle_options(const std::set<std::string>& given, const Model& model) const;
};

/// An expression is one argument even when the option is repeated: `--invariant a --invariant b MODEL`.
CLI::Option* add_repeatable(CLI::App& command, const std::string& name, std::vector<std::string>& values);

/// A repeatable option that is called like a kind of property: `--invariant E`.
CLI::Option* add_property_option(CLI::App& command, PropertyKind kind, std::vector<PropertyText>& texts);

/// --pattern, which is a formula of LTL in other words.
CLI::Option* add_pattern_option(CLI::App& command, std::vector<PropertyText>& texts);

/// A number from 0 on; CLI11 alone would take -1 for the largest one.
CLI::Option* add_count(CLI::App& command, const std::string& name, std::uint64_t& value);

/// A value has to be one of these words. The message for any other lists them, and suggests the closest one.
CLI::Validator one_of(std::vector<std::string> words);
/// These words; none for an option that takes any value.
std::vector<std::string> words_of(CLI::Option& option);

/// An option whose value is one of these words.
void add_word(CLI::App& command, const std::string& name, std::vector<std::string> words,
              std::function<void(const std::string&)> use);

/// A value has to be a number in this range.
CLI::Validator number_between(std::uint64_t low, std::uint64_t high);

/// For names of files: an empty one would count as not given.
CLI::Validator not_empty();

/// The names of the options that were given: "--depth".
std::set<std::string> given_options(const CLI::App& command);

/// Notes which options have no effect. `where`: "with engine bfs".
void note_idle_options(const std::vector<std::string>& idle, std::string_view where);

/// Prints on stderr what deserves attention: the engine's warnings, actions that are never enabled.
void print_warnings(const Model& model, const Outcome& outcome);

}  // namespace tideline::app
