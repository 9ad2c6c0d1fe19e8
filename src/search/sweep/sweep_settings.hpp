// Settings and results shared by all sweep-line engines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "progress/learning.hpp"
#include "progress/measure.hpp"
#include "run/outcome.hpp"
#include "search/sweep/sweep.hpp"

namespace tideline {

/// When a sweep takes over from breadth-first search.
struct TakeOver {
  /// As soon as this is true of the bytes that its states take.
  std::function<bool(std::uint64_t bytes)> is_due;
  std::string engine = {};  ///< the name of the sweep in the answer
  /// The measure to sweep by; it has no terms if none helps. Empty: one is looked for then, unless it is given.
  std::function<Measure()> measure = {};
  /// Told how many states there are then, and by which measure they are swept; none: no measure helps, and the
  /// search goes on as it is.
  std::function<void(std::uint64_t states, const Measure* measure)> on_decision = {};
  /// Told how many bytes the states take of a search that was complete before; may be empty.
  std::function<void(std::uint64_t bytes)> on_completion = {};
  /// Even if something has been found, and the run to it needs the memory of the search.
  bool with_findings = false;
};

struct SweepSettings {
  Measure measure = {};
  /// states: better measures are looked for on the way; nothing: the measure stays.
  std::optional<LearningOptions> learning = {};
  /// bfs and sweep, one thread: nothing: no sweep takes over, or begins at once.
  std::optional<TakeOver> take_over = {};
  /// Without a measure, states are searched breadth-first until they take so much memory; 0: not at all.
  std::uint64_t from_bytes = std::uint64_t{1} << 20;
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

  std::filesystem::path log_folder() const {
    return trace_folder.empty() ? default_trace_folder() : trace_folder;
  }
  /// Whether a sweep of states writes what it has passed to disk, beside its log: one that is saved does not.
  bool keeps_passed_states(bool traces) const { return traces && !checkpoints; }
  /// SweepOptions::column_shift where columns could be told apart by progress >> shift.
  unsigned column_shift(unsigned shift) const { return columns ? shift : 64; }
};

/// For a search with or without runs. Throws Error(io) when the log cannot be created.
SweepOptions sweep_options(const SweepSettings& settings, bool traces);

/// Throws Error(input) when a step decreases what the measure claims to be monotone. `show` formats progress
/// values, if given.
void require_claim(const SweepFigures& figures, const System& system,
                   const std::function<std::string(Progress)>& show);

/// The names of docs/json.md: sweeps, measures, layers, visited, stored_peak, persistent, regress_edges.
void add_figures(const SweepFigures& figures, Statistics& statistics);

}  // namespace tideline
