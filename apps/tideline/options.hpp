// Options that several commands share, and what they turn into.
#pragma once

#include <CLI/App.hpp>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lang/lang.hpp"
#include "progress_display.hpp"
#include "report/answer.hpp"
#include "run/budget.hpp"
#include "search/states/safety.hpp"
#include "symbolic/ctl/check.hpp"
#include "symbolic/ltl/check.hpp"

namespace tideline::app {

/// --memory, --time, --threads, --quiet
struct LimitOptions {
  std::optional<std::string> memory;
  std::optional<std::string> time;
  std::uint64_t threads = 1;
  bool quiet = false;

  static constexpr std::uint64_t most_threads = 256;
  /// The program itself takes about half of it.
  static constexpr std::uint64_t least_memory = std::uint64_t{16} << 20;

  void add_to(CLI::App& command);
  /// Without --memory the limit is what the machine can spare, so that a run ends with an answer and is not
  /// killed. Throws Error(usage) for what cannot be read.
  Budget::Limits limits(ProgressDisplay& display) const;
};

/// MODEL, --properties, --model-errors, --internal
struct ModelOptions {
  std::string path;
  std::string property_file;
  std::string errors = "report";
  std::string internal_action = "tau";

  void add_to(CLI::App& command);
  ErrorSemantics semantics() const;
  /// Also says the front-end's warnings on stderr unless `quiet`. Throws Error.
  Model load(bool quiet) const;
};

/// An expression is one argument even when the option is repeated: `--invariant a --invariant b MODEL`.
CLI::Option* add_repeatable(CLI::App& command, const std::string& name, std::vector<std::string>& values);

/// A number from 0 on; CLI11 alone would take -1 for the largest one.
CLI::Option* add_count(CLI::App& command, const std::string& name, std::uint64_t& value);

/// A value has to be one of these words; for any other the message lists them, and says which may be meant.
CLI::Validator one_of(std::vector<std::string> words);

/// A value has to be a number in this range.
CLI::Validator number_between(std::uint64_t low, std::uint64_t high);

/// The names of the options that were given: "--depth".
std::set<std::string> given_options(const CLI::App& command);

/// An option, and whether anything that is done looks at it.
struct OptionUse {
  const char* name;
  bool used;
};

/// Says which of the given options change nothing. `where`: "with engine bfs".
void say_idle_options(const std::set<std::string>& given, const std::vector<OptionUse>& uses,
                      std::string_view where);

/// The warnings of the front-end, then those of the engine, one line each as JSON has them.
void merge_warnings(const System& system, Outcome& outcome);

/// Says on stderr what a user should look at: the engine's warnings, actions that are never enabled.
void say_warnings(const System& system, const Outcome& outcome);

/// Runs a phase of a command. False: a limit ended it, and the budget says which.
template <class Phase>
bool within_limits(Budget& budget, Phase&& phase) {
  try {
    phase();
    return true;
  } catch (const LimitReached&) {
  } catch (const std::bad_alloc&) {
    budget.exhaust_memory();
  }
  return false;
}

/// Adds what every answer has: time since the budget began, peak memory, size of a state.
void complete_statistics(const System& system, const Budget& budget, Outcome& outcome);

/// --cache and --replace, of engine cache.
void add_cache_options(CLI::App& command, SafetyOptions& safety);

/// --order, of engine symbolic.
void add_order_option(CLI::App& command, symbolic::SymbolicOptions& symbolic);

/// --hybrid, of engine symbolic: variants of its search for cycles.
void add_hybrid_option(CLI::App& command, symbolic::LtlOptions& ltl);

/// What engine symbolic cannot do. Throws Error(usage).
void require_symbolic_sense(const ModelOptions& model, const LimitOptions& limits);

}  // namespace tideline::app
