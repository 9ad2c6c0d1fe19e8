// Progress measures as the command line gives them.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lang/lang.hpp"
#include "search/liveness.hpp"
#include "search/sweep_settings.hpp"

namespace tideline::app {

/// --progress, --progress-file, --trace-dir, --keep-trace-log, --sweep
struct SweepOptionsGiven {
  std::string progress;
  std::string progress_file;
  std::string trace_folder;
  bool keep_log = false;
  std::vector<std::string> variants;  ///< words of --sweep

  void add_to(CLI::App& command);
  void add_variants_to(CLI::App& command);
  /// The measure from the command line, from a file, or from the model; none: it is for us to find one.
  std::optional<Measure> measure(const Model& model) const;
  /// How cycles are searched, as the words of --sweep say.
  void apply_variants(LivenessOptions& options) const;
  SweepSettings settings(Measure measure) const { return {std::move(measure), trace_folder, keep_log}; }
};

}  // namespace tideline::app
