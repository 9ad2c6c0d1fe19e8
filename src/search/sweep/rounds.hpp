// What the threads of a sweep keep for themselves.
//
// Several threads sweep a large layer in rounds. The states are in parts, by their hashes, and each thread has
// a part of its own. In a round it stores what the others have sent to its part in the round before, always
// in the same order; then it expands some states of its part and puts every successor, as a letter, into a box
// for the part that it belongs to. All wait for each other at the end of a round only. No two threads ever
// touch the same table or box, and what happens in a round depends on the number of parts but not on which
// thread is faster.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "graph/progress.hpp"
#include "store/memory.hpp"
#include "store/trace_log.hpp"

namespace tideline {

/// Successors on their way to the part that they belong to. A watch adds a note to each.
template <class Note>
class SuccessorBox {
 public:
  struct Letter {
    std::uint64_t hash = 0;
    Progress progress = 0;
    LogNumber parent = no_record;
    std::uint32_t choice = 0;
    [[no_unique_address]] Note note = {};
  };

  void put(const Letter& letter, const std::byte* state, std::size_t state_bytes) {
    const std::size_t needed = sizeof letter + padded(state_bytes);
    if (bytes_.size() - used_ < needed) bytes_.resize(std::max(2 * bytes_.size(), used_ + needed));
    std::memcpy(bytes_.data() + used_, &letter, sizeof letter);
    std::memcpy(bytes_.data() + used_ + sizeof letter, state, state_bytes);
    used_ += needed;
  }

  /// Calls read(letter, state) for all in the order in which they came, and drops them.
  template <class Read>
  void empty(std::size_t state_bytes, const Read& read) {
    for (std::size_t at = 0; at < used_; at += sizeof(Letter) + padded(state_bytes)) {
      Letter letter;
      std::memcpy(&letter, bytes_.data() + at, sizeof letter);
      read(letter, bytes_.data() + at + sizeof letter);
    }
    used_ = 0;
  }

 private:
  static std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
};

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
template <ProgressGraph G, class Note>
struct alignas(cache_line) SweepPart {
  struct Found {
    std::byte* record;
    LogNumber parent;
    std::uint32_t choice;
  };

  SweepPart(const G& g, unsigned parts) : graph(g) {
    for (auto& some : boxes) some.resize(parts);
  }

  G graph;
  /// By the part they are for; in one round they are filled, in the next they are emptied.
  std::array<std::vector<SuccessorBox<Note>>, 2> boxes;
  std::vector<Found> found;   ///< in this round
  std::uint64_t letters = 0;  ///< put into boxes in this round
  ExpansionFigures figures;   ///< of this round
  bool full = false;
};

}  // namespace tideline
