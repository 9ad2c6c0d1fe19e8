// Options that choose an engine and its settings.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checking/engines.hpp"
#include "checking/settings.hpp"
#include "options.hpp"

namespace tideline::app {

/// --engine, which takes the engines of the table that `is_meant` accepts.
void add_engine_option(CLI::App& command, Settings& settings,
                       const std::function<bool(const Engine&)>& is_meant);

/// --order and --hybrid, of decision diagrams.
void add_order_option(CLI::App& command, Settings& settings);
void add_hybrid_option(CLI::App& command, Settings& settings);

/// --por, partial order reduction.
void add_reduction_option(CLI::App& command, Settings& settings);

/// --store, how engines bfs and dfs keep states.
void add_store_option(CLI::App& command, Settings& settings);
void add_device_options(CLI::App& command, Settings& settings);

/// --cache and --replace, of engine cache.
void add_cache_options(CLI::App& command, Settings& settings);

/// --trace-dir and --keep-trace-log, of the log that runs are rebuilt from.
void add_log_options(CLI::App& command, Settings& settings);

/// Of the sweep-line: --sweep, variants of the searches for infinite runs and for CTL, and --no-columns.
void add_sweep_options(CLI::App& command, Settings& settings);
/// --sweep-from: how long a sweep without a measure keeps all states.
void add_sweep_start_option(CLI::App& command, Settings& settings);

/// --progress, --progress-file
struct MeasureOptions {
  std::optional<std::string> progress;
  std::string progress_file;

  void add_to(CLI::App& command);
  /// The measure's text; nothing: none was given. Throws Error(io).
  std::optional<SourceText> source() const;
};

/// --product, with --ltl and --automaton: which product to count or to sweep.
struct ProductOptions {
  bool wanted = false;
  std::vector<PropertyText> texts = {};  ///< the property, unless it is the model's own

  /// Returns --product.
  CLI::Option* add_to(CLI::App& command);
  /// What the product is with; nothing: none is wanted. Throws Error.
  std::shared_ptr<const PropertyProcess> property(const Model& model) const;
};

/// Fills in the settings that follow from options of every command.
void complete_settings(const ModelOptions& model, const LimitOptions& limits, Settings& settings);

}  // namespace tideline::app
