// Settings and results of a sweep, and what it can take over from another search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "progress/adviser.hpp"
#include "search/core/observer.hpp"
#include "search/sweep/checkpointer.hpp"
#include "search/sweep/outlook.hpp"
#include "search/sweep/parts.hpp"
#include "store/trace_log.hpp"

namespace tideline {

/// How many states may be in memory that were expanded ahead of the line, in each part.
struct AheadOfLine {
  std::uint64_t least = 1024;
  std::uint64_t part_of_stored = 16;  ///< or one in so many that are stored, if that is more; 0: not more

  std::uint64_t most(std::uint64_t stored) const {
    return std::max(least, part_of_stored == 0 ? 0 : stored / part_of_stored);
  }
};

/// When roots of the next sweep are written to disk (store/postponed_roots.hpp): all of these must be reached.
struct Postponing {
  std::uint64_t bytes = std::uint64_t{1} << 18;  ///< that they take in memory
  std::uint64_t part_of_stored = 4;              ///< one in so many states in memory is such a root
  std::size_t least_in_layer = 4;                ///< a layer with fewer keeps them
};

struct SweepOptions {
  /// Records how states were found; none: no runs.
  std::shared_ptr<TraceLog> log = {};
  /// progress >> claimed_shift is claimed never to decrease along a transition; 64 or more: nothing is.
  unsigned claimed_shift = 64;
  /// States of one column have the same progress >> column_shift, which is known, or claimed, never to
  /// decrease; 64: there is one column.
  unsigned column_shift = 64;
  unsigned threads = 1;
  std::uint64_t few =
      32;  ///< so many states for each thread are left to one; with a watch eight times as many
  AheadOfLine ahead = {};  ///< of several threads, without a watch
  /// Without a watch, the successors of a layer with so many states are stored many at a time: it does not fit into
  /// a cache.
  std::uint64_t many = 1 << 15;
  std::uint64_t settle_in = 8192;  ///< after so many expansions, it is decided whether to divide the states
  /// Saves the search now and then, and resumes it; none: it is not saved.
  std::shared_ptr<Checkpointer> checkpoints = {};
  /// Called for every layer when it is complete; may be empty.
  std::function<void(const LayerReport&)> on_layer = {};
  /// Looks for better measures on the way; none: the measure stays. Only without a watch.
  std::shared_ptr<MeasureAdviser> adviser = {};
  /// Where the states that the line has passed are written, so that they are not expanded again (passed_states.hpp);
  /// empty: they are forgotten. Only without a watch, and in a search that is not saved.
  std::filesystem::path passed_states_folder = {};
  Postponing postponing = {};  ///< there, too
  bool columns = true;         ///< another measure's claims divide the states into columns
};

struct SweepFigures {
  bool each_once = false;      ///< certainly no state was expanded twice
  std::uint64_t sweeps = 1;    ///< a change of the measure begins another one, unless nothing can be repeated
  std::uint64_t measures = 1;  ///< that were used, one after the other
  std::uint64_t layers = 0;    ///< line positions, over all sweeps
  std::uint64_t expansions = 0;  ///< of states, counted each time one is expanded
  std::uint64_t stored_peak = 0;
  std::uint64_t persistent = 0;                       ///< states that became so, each time
  std::uint64_t regress_edges = 0;                    ///< counted each time one is met
  std::vector<std::uint64_t> regress_by_action = {};  ///< what takes them; may be shorter than the actions
  std::optional<RegressEdge> broken_claim = {};       ///< the search ended there
  std::optional<Completion> coverage = {};            ///< a limit ended the search, which had come so far

  /// For checkpoints; the others are known only at the end.
  void archive(auto& file) { file(sweeps, measures, layers, expansions, regress_edges, regress_by_action); }
};

/// What a sweep takes over: states that are numbered in the order in which they were found.
struct FoundStates {
  std::uint64_t count = 0;
  std::uint64_t expanded = 0;  ///< those below this number are; the others wait
  std::function<const std::byte*(StateId)> state;
  /// A smaller number, or no_state. Only if there is a log: called once for each state, in the order of their numbers.
  std::function<StateId(StateId)> parent;
  SearchResult result = {};  ///< so far
};

}  // namespace tideline
