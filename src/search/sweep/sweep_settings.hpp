// What every engine of the sweep-line is told, and what it says in the end.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "progress/measure.hpp"
#include "run/outcome.hpp"
#include "search/sweep/sweep.hpp"

namespace tideline {

struct SweepSettings {
  Measure measure = {};
  /// Where the log lies from which runs are rebuilt; empty: default_trace_folder().
  std::filesystem::path trace_folder = {};
  bool keep_log = false;
  /// Where searches are saved; none: they are not.
  std::shared_ptr<Checkpointer> checkpoints = {};
  /// Told about every layer of the sweep.
  std::function<void(const LayerReport&)> on_layer = {};
};

/// For a search that needs runs or not. Throws Error(io) when there can be no log.
SweepOptions sweep_options(const SweepSettings& settings, bool traces);

/// Throws Error(input) when a step was met that decreases what the measure claims to be monotone. `show`
/// puts progress values into words, where that is possible.
void require_claim(const SweepFigures& figures, const System& system,
                   const std::function<std::string(Progress)>& show);

/// The names of docs/json.md: sweeps, layers, visited, stored_peak, persistent, regress_edges.
void add_figures(const SweepFigures& figures, Statistics& statistics);

}  // namespace tideline
