// Options that say which engine works, and how: they fill in Settings.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <optional>
#include <string>

#include "checking/engines.hpp"
#include "checking/settings.hpp"
#include "options.hpp"

namespace tideline::app {

/// --engine, with those of the table of which something is true.
void add_engine_option(CLI::App& command, Settings& settings,
                       const std::function<bool(const Engine&)>& is_meant);

/// --order and --hybrid, of decision diagrams.
void add_order_option(CLI::App& command, Settings& settings);
void add_hybrid_option(CLI::App& command, Settings& settings);

/// --cache and --replace, of engine cache.
void add_cache_options(CLI::App& command, Settings& settings);

/// --trace-dir and --keep-trace-log, of the log that runs are rebuilt from.
void add_log_options(CLI::App& command, Settings& settings);

/// --sweep: variants of the search for infinite runs with the sweep-line.
void add_sweep_option(CLI::App& command, Settings& settings);

/// --progress, --progress-file
struct MeasureOptions {
  std::optional<std::string> progress;
  std::string progress_file;

  void add_to(CLI::App& command);
  /// The measure's text; nothing: none was given. Throws Error(io).
  std::optional<SourceText> source() const;
};

/// What the options of every command say about settings.
void complete_settings(const ModelOptions& model, const LimitOptions& limits, Settings& settings);

}  // namespace tideline::app
