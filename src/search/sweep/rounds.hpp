// Rounds, and what the threads of a sweep keep for themselves.
//
// Several threads sweep a large layer in rounds. The states are in parts, by their hashes, and each thread has
// a part of its own. In a round it stores what the others have sent to its part in the round before, always
// in the same order; then it expands some states of its part and puts every successor, as a letter, into a box
// for the part that it belongs to. All wait for each other at the end of a round only. No two threads ever
// touch the same table or box, and what happens in a round depends on the number of parts but not on which
// thread is faster.
//
// One thread sweeps a large layer in the same way: what is stored many at a time can be fetched from memory in
// advance.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "graph/progress.hpp"
#include "search/core/observer.hpp"
#include "store/layers.hpp"
#include "store/memory.hpp"
#include "store/record_pool.hpp"
#include "store/trace_log.hpp"

namespace tideline {

/// Successors on their way to the part that they belong to. A watch adds a note to each.
///
/// The memory comes in chunks that all boxes of a sender share: boxes are full at different times.
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

  /// A letter with its state. The sender has a pool for such records.
  static std::size_t letter_bytes(std::size_t state_bytes) {
    return (sizeof(Letter) + state_bytes + 7) / 8 * 8;
  }

  void put(const Letter& letter, const std::byte* state, std::size_t state_bytes, RecordPool& pool) {
    if (next_ == end_) add_chunk(pool);
    std::memcpy(next_, &letter, sizeof letter);
    std::memcpy(next_ + sizeof letter, state, state_bytes);
    next_ += pool.record_bytes();
    ++count_;
  }

  /// Some letters that lie one after the other.
  class Letters {
   public:
    Letters(const std::byte* first, std::size_t count, std::size_t bytes)
        : first_(first), count_(count), bytes_(bytes) {}
    std::size_t count() const { return count_; }
    Letter letter(std::size_t i) const {
      Letter letter;
      std::memcpy(&letter, first_ + i * bytes_, sizeof letter);
      return letter;
    }
    const std::byte* state(std::size_t i) const { return first_ + i * bytes_ + sizeof(Letter); }

   private:
    const std::byte* first_;
    std::size_t count_, bytes_;
  };

  /// Calls read(letters) for all in the order in which they came, and drops them; the memory stays. What comes
  /// next is on its way from the sender's core meanwhile.
  template <class Read>
  void empty(const RecordPool& pool, const Read& read) {
    const std::size_t most = std::size_t{1} << pool.chunk_width();
    for (std::size_t chunk = 0; count_ != 0; ++chunk) {
      const std::size_t here = std::min(count_, most);
      count_ -= here;
      const std::size_t next = std::min(count_, most) * pool.record_bytes();
      for (std::size_t at = 0; at < next; at += cache_line) __builtin_prefetch(chunks_[chunk + 1] + at);
      read(Letters(chunks_[chunk], here, pool.record_bytes()));
    }
  }
  /// By the sender, when it is empty.
  void give_back(RecordPool& pool) {
    for (std::byte* const chunk : chunks_) pool.give(chunk);
    chunks_.clear();
    next_ = end_ = nullptr;
  }

 private:
  void add_chunk(RecordPool& pool) {
    chunks_.reserve(chunks_.size() + 1);
    chunks_.push_back(pool.take());
    next_ = chunks_.back();
    end_ = next_ + (pool.record_bytes() << pool.chunk_width());
  }

  std::vector<std::byte*> chunks_;
  std::byte *next_ = nullptr, *end_ = nullptr;  // of the last chunk
  std::size_t count_ = 0;
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
  SweepPart(const G& g, unsigned parts, std::size_t state_bytes)
      : graph(g), pool(SuccessorBox<Note>::letter_bytes(state_bytes)) {
    for (auto& some : boxes) some.resize(parts);
  }

  G graph;
  RecordPool pool;  ///< of the letters it sends
  /// By the part they are for; in one round they are filled, in the next they are emptied.
  std::array<std::vector<SuccessorBox<Note>>, 2> boxes;
  std::vector<std::byte*> found;    ///< the records of new states, in this round
  std::vector<LogRecord> found_by;  ///< for the log
  std::vector<Layer*> layers;       ///< of the letters that are being stored
  std::uint64_t letters = 0;        ///< put into boxes in this round
  ExpansionFigures figures;         ///< of this round
  bool full = false;
};

/// What of the current layer waits in a part.
struct alignas(cache_line) PartAtLine {
  Layer* layer = nullptr;  // none: no state is in it
  std::vector<StateId> roots = {};
  std::size_t next_root = 0;

  std::uint64_t left() const {
    return roots.size() - next_root + (layer ? layer->passing.size() - layer->expanded : 0);
  }
  bool at_root() const { return next_root < roots.size(); }
  std::byte* next() {
    if (at_root()) return layer->persistent.record(roots[next_root++]);
    if (!layer || layer->expanded == layer->passing.size()) return nullptr;
    return layer->passing.record(layer->expanded++);
  }
};

/// The observer, and a copy for each part but the first, if it can be shared. Otherwise one thread does all rounds.
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
