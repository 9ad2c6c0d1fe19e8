// Progress measures as the command line gives them.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lang/lang.hpp"
#include "progress/draw_sample.hpp"
#include "search/lassos/liveness.hpp"
#include "search/sweep/sweep_settings.hpp"

namespace tideline::app {

/// What trying measures on a sample may take. It comes before a sweep and leaves the sweep its budget: the
/// time limit and interrupts count for both, but memory only bounds the sample, by a share of the limit.
struct SampleBudget {
  /// `gone`: seconds of the run until now.
  SampleBudget(Budget::Limits limits, double gone);
  SampleOptions options(std::uint64_t most_states) const;

  Budget budget;
  std::uint64_t bytes = SampleOptions{}.bytes;
};

/// A measure in the words of the model. Throws Error(input) that points into the text.
Measure read_measure(const System& system, const SourceText& source);

/// --progress, --progress-file, --trace-dir, --keep-trace-log, --sweep
struct SweepOptionsGiven {
  std::optional<std::string> progress;
  std::string progress_file;
  std::string trace_folder;
  bool keep_log = false;
  std::vector<std::string> variants;  ///< words of --sweep

  void add_measure_to(CLI::App& command);
  void add_log_to(CLI::App& command);
  void add_variants_to(CLI::App& command);
  /// The measure from the command line, from a file, or from the model; none: it is for us to find one.
  std::optional<Measure> measure(const Model& model) const;
  /// How cycles are searched, as the words of --sweep say.
  void apply_variants(LivenessOptions& options) const;
  /// What a sweep of the model is told, or of its product with a property. Without a given measure, one is
  /// looked for on a sample of the states. Says what was found and how good it is unless `quiet`.
  SweepSettings settings(const Model& model, const PropertyProcess* property, ErrorSemantics errors,
                         SampleBudget& budget, bool quiet) const;
  /// Likewise with a measure that was found before, in its canonical spelling.
  SweepSettings saved_settings(const Model& model, const std::string& measure_text) const;
  /// Throws Error(io) when there can be no log where it is to lie.
  void require_log() const;
  /// Throws Error when a measure is given and is no good, alone or beside the order of this automaton.
  void require_measure(const Model& model, const PropertyProcess* property, AutomatonOrder order) const;
};

}  // namespace tideline::app
