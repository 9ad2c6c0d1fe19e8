// SpilledStates: the states that a breadth-first search has found, in memory as far as there is room and on disk beyond.
//
// A search inserts the successors of a level here, and gets the new ones back at the end of the level (resolve). In
// between nobody can tell which are new: comparing each with what is on disk would take a disk access for each, and so
// all of a level are compared at once, in the order of their bytes (delayed duplicate detection: U. Stern and D. L. Dill,
// "Using magnetic disk instead of main memory in the Murphi verifier", 1998; R. E. Korf, "Best-first frontier search with
// delayed duplicate detection", 2004).
//
//   table         in memory. First the resolved states, which are known to be of an earlier level; then candidates
//                 for the next level, which may be on disk.
//   generations   sorted runs of resolved states on disk, all different. A new one is merged with those before it that
//                 are less than twice as large, so that there are few, and a state is written about log(states) times.
//   candidates    sorted runs of candidates of this level that did not fit into the table.
//
// When the table takes all the memory that it may, its resolved states become a generation, its candidates a run of
// candidates, and it is emptied. At the end of a level the candidates, from the table and from runs, are merged and looked
// up in all generations; those not found are the next level. If there were no runs, the new states stay in the table;
// otherwise they are a generation already. The table keeps resolved states that are on disk, too: a successor found
// among them does not become a candidate, and most successors that are not new are of the last few levels.
//
// Most candidates are new, and there is no need to look for them on disk: a filter of bits knows that (B. H. Bloom,
// "Space/time trade-offs in hash coding with allowable errors", 1970). Its size is fixed. The more states are on disk, the
// more of the new ones are looked for all the same; what is found does not depend on it.
//
// What a candidate was found from travels with it (`extra` bytes).
//
// Invariants: what is on disk or resolved in the table is of this level or of an earlier one, and no other state is.
// If there are runs of candidates, the table has candidates only. Several threads may insert, and do so in turn (a
// lock); resolve() is called by one thread when none inserts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "store/memory.hpp"
#include "store/paged_array.hpp"
#include "store/segmented_table.hpp"
#include "store/state_run.hpp"

namespace tideline {

/// States on their way to where they are stored, each with its hash and what it was found from.
class StateBatch {
 public:
  StateBatch(std::size_t state_bytes, std::size_t extra_bytes, std::size_t capacity)
      : state_bytes_(state_bytes),
        extra_bytes_(extra_bytes),
        capacity_(capacity),
        states_(capacity * (state_bytes + extra_bytes)) {}

  std::size_t size() const { return hashes_.size(); }
  bool empty() const { return hashes_.empty(); }
  bool full() const { return size() == capacity_; }
  void clear() { hashes_.clear(); }
  /// The extra bytes are to be written to what it returns.
  std::byte* add(const std::byte* state, std::uint64_t hash) {
    std::byte* const place = states_.data() + size() * (state_bytes_ + extra_bytes_);
    hashes_.push_back(hash);
    copy_state(place, state, state_bytes_);
    return place + state_bytes_;
  }
  std::uint64_t hash(std::size_t i) const { return hashes_[i]; }
  const std::byte* state(std::size_t i) const { return states_.data() + i * (state_bytes_ + extra_bytes_); }
  const std::byte* extra(std::size_t i) const { return state(i) + state_bytes_; }

 private:
  std::size_t state_bytes_, extra_bytes_, capacity_;
  std::vector<std::byte> states_;
  std::vector<std::uint64_t> hashes_ = {};
};

/// A set of hashes that has what was added, and may have others.
class HashFilter {
 public:
  explicit HashFilter(std::size_t bytes) : words_(bytes / sizeof(std::uint64_t)), memory_(bytes) {}

  void add(std::uint64_t hash) {
    if (words_ != 0) *word(hash) |= bits(hash);
  }
  bool may_have(std::uint64_t hash) const { return words_ == 0 || (*word(hash) & bits(hash)) == bits(hash); }

 private:
  /// Three, in one word.
  static std::uint64_t bits(std::uint64_t hash) {
    constexpr std::uint64_t one = 1;
    return one << (hash & 63) | one << (hash >> 20 & 63) | one << (hash >> 26 & 63);
  }
  std::uint64_t* word(std::uint64_t hash) const {
    return reinterpret_cast<std::uint64_t*>(memory_.data()) + ((hash >> 32) * words_ >> 32);
  }

  std::uint64_t words_;
  Memory memory_;
};

class SpilledStates {
 public:
  /// `bytes` of memory are shared by the table, which is emptied when it takes too much, and the filter. `space` must
  /// outlive it.
  SpilledStates(DiskSpace& space, std::size_t state_bytes, std::size_t extra_bytes, std::uint64_t bytes);

  /// Candidates for the next level. Throws LimitReached when the disk is full, Error(io), SearchStopped.
  void insert(const StateBatch& batch);

  /// Ends the level: calls sink(state, extra) for every candidate that is new, in the order of their bytes. These states
  /// are the run that is returned. Throws likewise.
  template <class Sink>
  std::shared_ptr<const StateRun> resolve(const Sink& sink);

  /// Most states, and bytes, that the table has had at a time.
  std::uint64_t stored_peak() const { return stored_peak_; }
  std::uint64_t peak_bytes() const { return peak_bytes_; }

 private:
  /// A state of the table, to be sorted.
  struct Entry {
    std::uint64_t begin;  // its first bytes, as a number that is ordered as they are
    StateId id;
  };
  class Sorted;
  using Run = std::shared_ptr<const StateRun>;

  std::uint64_t memory_bytes() const {
    return table_->memory_bytes() + extras_->memory_bytes() + table_->size() / 8;
  }
  std::uint64_t begin_of(const std::byte* state) const;
  void empty_table();
  void note_on_disk(const std::byte* state) { filter_.add(table_->hash(state)); }
  void spill();
  /// As a run: the states of the table with these numbers, except resolved ones that are on disk.
  std::shared_ptr<StateRun> write(StateId first, StateId end, std::size_t extra_bytes);
  void add_generation(Run run);
  void add_candidates(Run run);
  Run merged(std::span<const Run> runs, std::size_t extra_bytes);
  static std::vector<const StateRun*> pointers(std::span<const Run> runs);

  DiskSpace& space_;
  std::size_t state_bytes_, extra_bytes_;
  HashFilter filter_;  // of the states in generations
  std::uint64_t table_bytes_;
  std::mutex inserting_;
  std::optional<SegmentedTable<>> table_ = {};
  std::optional<PagedArray> extras_ = {};  // by number in the table
  StateId resolved_ = 0;                   // those with smaller numbers are
  std::vector<bool> on_disk_ = {};         // of the resolved ones
  std::vector<Run> generations_ = {};      // large ones first
  std::vector<Run> candidates_ = {};       // in the order of time
  std::uint64_t stored_peak_ = 0, peak_bytes_ = 0;
};

/// States of the table in the order of their bytes.
class SpilledStates::Sorted {
 public:
  Sorted(const SpilledStates& states, StateId first, StateId end);
  const Entry* begin() const { return entries_; }
  const Entry* end() const { return entries_ + size_; }

 private:
  Memory memory_;
  Entry* entries_;
  std::size_t size_ = 0;
};

template <class Sink>
std::shared_ptr<const StateRun> SpilledStates::resolve(const Sink& sink) {
  const auto size = static_cast<StateId>(table_->size());
  const bool spilled = !candidates_.empty();
  if (!spilled && size == resolved_) return std::make_shared<StateRun>(space_, state_bytes_);
  if (spilled && size != 0) add_candidates(write(0, size, extra_bytes_));
  auto level = std::make_shared<StateRun>(space_, state_bytes_);
  std::vector<StateRun::Reader> known;
  for (const Run& generation : generations_) known.emplace_back(*generation);
  const auto is_known = [&](const std::byte* state) {
    if (!filter_.may_have(table_->hash(state))) return false;
    for (StateRun::Reader& reader : known)
      if (reader.seek(state)) return true;
    return false;
  };
  const auto add = [&](const std::byte* state, const std::byte* extra) {
    level->append(state);
    sink(state, extra);
  };
  on_disk_.resize(size, spilled);
  if (spilled) {
    StateRun::merge(pointers(candidates_), [&](const std::byte* state, const std::byte* extra) {
      if (is_known(state)) return;
      add(state, extra);
      note_on_disk(state);
    });
    candidates_.clear();
  } else {
    for (const Entry& entry : Sorted(*this, resolved_, size)) {
      const std::byte* const state = table_->state(entry.id);
      if (is_known(state))
        on_disk_[entry.id] = true;
      else
        add(state, (*extras_)[entry.id]);
    }
  }
  resolved_ = size;
  level->finish();
  if (spilled && level->size() != 0) add_generation(level);
  return level;
}

}  // namespace tideline
