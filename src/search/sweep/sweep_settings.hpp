// Settings and results shared by all sweep-line engines.
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
  /// What is claimed monotone divides the states into columns; without them persistent states are kept to the
  /// end, and the line goes over everything again.
  bool columns = true;
  /// Folder of the log from which runs are rebuilt; empty: default_trace_folder().
  std::filesystem::path trace_folder = {};
  bool keep_log = false;
  /// Saves searches; none: they are not saved.
  std::shared_ptr<Checkpointer> checkpoints = {};
  /// Called for every layer of the sweep.
  std::function<void(const LayerReport&)> on_layer = {};

  /// SweepOptions::column_shift where columns could be told apart by progress >> shift.
  unsigned column_shift(unsigned shift) const { return columns ? shift : 64; }
};

/// For a search with or without runs. Throws Error(io) when the log cannot be created.
SweepOptions sweep_options(const SweepSettings& settings, bool traces);

/// Throws Error(input) when a step decreases what the measure claims to be monotone. `show` formats progress
/// values, if given.
void require_claim(const SweepFigures& figures, const System& system,
                   const std::function<std::string(Progress)>& show);

/// The names of docs/json.md: sweeps, layers, visited, stored_peak, persistent, regress_edges.
void add_figures(const SweepFigures& figures, Statistics& statistics);

}  // namespace tideline
