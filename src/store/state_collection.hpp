// StateCollection: all states that a search meets, in the end in the order of their bytes and each once. It is what a
// certificate is written from (src/certificate).
//
// A search adds states in any order, and some of them perhaps several times. Every thread has a lane of its own, so that
// adding a state is copying it. A full lane is sorted and written as a StateRun; in the end all runs are merged. Where
// everything fits into one lane nothing is written.
//
// A search that has all states in its table when it is over adds none: the collection then takes them from there (keep),
// and what is beside them from wherever the search has that.
//
// With every state go some bytes of the search's own (`extra`), such as a rank. Of states that are the same, those of one
// count.
//
// A collection that fails, because the disk is full or there is no memory, drops what it has, and the search goes on
// without: failure() says why.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "store/state_run.hpp"
#include "store/state_table.hpp"

namespace tideline {

class StateCollection {
 public:
  struct Options {
    std::size_t state_bytes = 0;
    std::size_t extra_bytes = 0;
    std::filesystem::path folder = {};               ///< for runs
    std::size_t lane_bytes = std::size_t{32} << 20;  ///< how much of a thread's states is in memory, at most
  };

  explicit StateCollection(const Options& options);

  class Lane {
   public:
    void add(const std::byte* state, const std::byte* extra = nullptr);

   private:
    friend class StateCollection;
    /// False: the collection has failed.
    bool make_room();
    explicit Lane(StateCollection& collection) : collection_(&collection) {}

    StateCollection* collection_;
    std::vector<std::byte> records_ = {};  // a state and its extra bytes each
  };

  /// For one thread; it stays as long as the collection.
  Lane& open_lane();

  std::size_t state_bytes() const { return options_.state_bytes; }
  std::size_t extra_bytes() const { return options_.extra_bytes; }
  /// What is needed besides states cannot be had.
  void fail(std::string why);
  /// Why there is nothing; empty: everything is there.
  std::string failure() const;

  /// States of a table, all different, which stay where they are as long as these functions do. Nothing else is added.
  struct Kept {
    std::vector<StateRange> ranges = {};
    std::function<const std::byte*(StateId)> state_at = {};
    std::function<const std::byte*(StateId)> extra_at = {};  ///< nothing: states have no extra bytes
  };
  void keep(Kept kept) { kept_ = std::move(kept); }

  /// Calls emit(state, extra) for all states, ascending by memcmp, each once. Nothing can be added after this. Throws
  /// what emit throws, what `poll` throws, which is called now and then, LimitReached when the disk is full, and
  /// Error(io).
  void for_each(
      const std::function<void(const std::byte* state, const std::byte* extra)>& emit,
      const std::function<void()>& poll = [] {});

 private:
  std::size_t record_bytes() const { return options_.state_bytes + options_.extra_bytes; }
  void spill(Lane& lane);
  void write_run(Lane& lane);
  /// Calls emit for the states of the lane, as for_each does.
  template <class Emit>
  void each_of(const Lane& lane, const std::function<void()>& poll, const Emit& emit) const;
  void each_kept(const std::function<void(const std::byte* state, const std::byte* extra)>& emit,
                 const std::function<void()>& poll) const;

  Options options_;
  std::atomic<std::size_t> room_;  // of a lane: it grows with what was written, so that there are few runs
  DiskSpace space_;
  mutable std::mutex mutex_;  // of what follows
  std::deque<Lane> lanes_;
  Kept kept_;
  std::vector<std::unique_ptr<StateRun>> runs_;
  std::size_t spilled_ = 0;  // bytes
  std::string failure_;
  std::atomic<bool> failed_ = false;
};

/// Adds states to a collection, if there is one. A copy has a lane of its own, for another thread.
class StateRecorder {
 public:
  StateRecorder() = default;
  explicit StateRecorder(StateCollection* collection)
      : collection_(collection), lane_(collection ? &collection->open_lane() : nullptr) {}
  StateRecorder(const StateRecorder& other) : StateRecorder(other.collection_) {}
  StateRecorder(StateRecorder&&) noexcept = default;
  StateRecorder& operator=(StateRecorder other) noexcept {
    std::swap(collection_, other.collection_);
    std::swap(lane_, other.lane_);
    return *this;
  }
  ~StateRecorder() = default;

  explicit operator bool() const { return lane_ != nullptr; }
  void add(const std::byte* state, const std::byte* extra = nullptr) {
    if (lane_) [[unlikely]]
      lane_->add(state, extra);
  }

 private:
  StateCollection* collection_ = nullptr;
  StateCollection::Lane* lane_ = nullptr;
};

}  // namespace tideline
