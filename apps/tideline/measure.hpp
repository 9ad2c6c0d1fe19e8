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
  /// What a sweep of the model is told, or of its product with a property. Without a given measure, one is
  /// looked for on a sample of the states. Says what was found and how good it is unless `quiet`.
  SweepSettings settings(const Model& model, const PropertyProcess* property, ErrorSemantics errors,
                         Budget& budget, bool quiet) const;
  /// Likewise with a measure that was found before, in its canonical spelling.
  SweepSettings saved_settings(const Model& model, const std::string& measure_text) const;
};

}  // namespace tideline::app
