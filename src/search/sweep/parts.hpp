// What the threads of a sweep keep for themselves, and how their findings are put together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/progress.hpp"
#include "search/core/observer.hpp"
#include "store/layers.hpp"
#include "store/memory.hpp"
#include "store/trace_log.hpp"

namespace tideline {

/// A transition that decreases what was claimed monotone.
struct RegressEdge {
  ActionId action = no_action;
  Progress from = 0, to = 0;
  void archive(auto& file) { file(action, from, to); }
};

/// What is counted as states are expanded.
struct ExpansionFigures {
  std::uint64_t expansions = 0, transitions = 0, deadlocks = 0, regress_edges = 0;
  std::vector<std::uint64_t> regress_by_action = {};  ///< may be shorter than the actions
  std::optional<RegressEdge> broken_claim = {};       ///< nothing beyond it counts

  void count_regress(ActionId action) {
    ++regress_edges;
    if (action == no_action) return;
    if (regress_by_action.size() <= action) regress_by_action.resize(action + 1);
    ++regress_by_action[action];
  }
  void add(const ExpansionFigures& other) {
    expansions += other.expansions;
    transitions += other.transitions;
    deadlocks += other.deadlocks;
    regress_edges += other.regress_edges;
    regress_by_action.resize(std::max(regress_by_action.size(), other.regress_by_action.size()));
    for (std::size_t i = 0; i < other.regress_by_action.size(); ++i)
      regress_by_action[i] += other.regress_by_action[i];
    if (!broken_claim) broken_claim = other.broken_claim;
  }
  /// For checkpoints: no claim was broken.
  void archive(auto& file) { file(expansions, transitions, deadlocks, regress_edges, regress_by_action); }
};

/// One part's.
template <ProgressGraph G>
struct alignas(cache_line) SweepPart {
  explicit SweepPart(const G& g) : graph(g) {}

  /// What other threads may know of the round while it goes on.
  void publish() {
    expansions.store(figures.expansions, std::memory_order_relaxed);
    transitions.store(figures.transitions, std::memory_order_relaxed);
  }

  G graph;
  std::vector<std::byte*> found;     ///< the records of new states that nobody was told of yet
  std::vector<LogRecord> found_by;   ///< for the log
  std::vector<std::byte*> borrowed;  ///< the records of states of another part that this one expands
  Progress borrowed_at = 0;          ///< their progress
  std::vector<Layer*> layers;        ///< of the letters that are being stored
  ExpansionFigures figures;          ///< of this round
  bool full = false;
  alignas(cache_line) std::atomic<std::uint64_t> expansions = 0, transitions = 0;  ///< as published
};

/// Where a part is: at the line when a round begins, and perhaps ahead of it later.
struct alignas(cache_line) PartAtLine {
  Progress progress = 0;
  Layer* layer = nullptr;                ///< whose states it expands; none: no state is in it
  std::uint64_t ahead = 0;               ///< states in memory that it has expanded ahead of the line
  std::vector<PassedLayer> passed = {};  ///< that the line has passed in this round, in order
  std::size_t merged = 0;                ///< so many of them have been put together with those of other parts
  std::vector<std::byte> recalled = {};  ///< scratch for states that come back from disk
};

/// Calls visit(layer) for each layer that the line has passed, in order, with the figures of all parts, and forgets them.
template <class Visit>
void merge_passed(std::vector<PartAtLine>& parts, const Visit& visit) {
  constexpr Progress none = ~Progress{0};
  for (PartAtLine& part : parts) part.merged = 0;
  const auto next_in = [&](const PartAtLine& part) {
    return part.merged < part.passed.size() ? part.passed[part.merged].progress : none;
  };
  for (;;) {
    PassedLayer sum{.progress = none};
    for (const PartAtLine& part : parts) sum.progress = std::min(sum.progress, next_in(part));
    if (sum.progress == none) break;
    for (PartAtLine& part : parts)
      if (next_in(part) == sum.progress) sum.expanded += part.passed[part.merged++].expanded;
    visit(sum);
  }
  for (PartAtLine& part : parts) part.passed.clear();
}

/// The observer, and a copy for each part but the first, if it can be shared. Otherwise one thread does everything.
template <class O, bool in_parts>
struct PartObservers {
  static constexpr bool shared = in_parts && SharedObserver<O>;

  PartObservers(O& o, unsigned parts) : first(o) {
    if constexpr (shared) {
      others.reserve(parts);
      while (others.size() + 1 < parts) others.push_back(o);
    }
  }
  O& of(unsigned part) { return part == 0 || !shared ? first : others[part - 1]; }
  /// All know what one has decided.
  void share() {
    if constexpr (shared) {
      for (const O& other : others) first.adopt(other);
      for (O& other : others) other.adopt(first);
    }
  }
  void absorb() {
    if constexpr (shared)
      for (const O& other : others) first.absorb(other);
  }

  O& first;
  std::vector<O> others;
};

}  // namespace tideline
