// StateRun: packed states on disk in the order of their bytes, written once from the first to the last.
//
// Neighbours in that order have most of their bytes in common. A state is therefore coded as the number of bytes that it
// shares with the state before it, and the rest. A block has these numbers for all of its states, then the rests, then
// what is kept beside each state (`extra`), and is compressed as a whole (BlockFile). The first state of every block is in
// memory: a reader that is after a certain state goes straight to the block that may have it.
//
// A reader can be asked for one state after the other in ascending order (seek). It skips blocks, and in a block it
// compares little: where the current state is less than the wanted one, and first differs from it in byte m, a next state
// that shares more than m bytes with the current one is less, too; one that shares fewer is greater.
//
// A run that fits into one block has no file: it stays in memory.
//
// DiskSpace is what the runs of one search have in common: where they are, and how much they take. Whatever writes or
// reads a block ends in an exception when the search is to be stopped or the disk is full, so that long merges need
// no checks of their own.
//
// Invariants: states are strictly ascending by memcmp; the first state of a block shares nothing; a finished run
// does not change, and any number of readers, in any threads, may read it.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "store/block_file.hpp"

namespace tideline {

/// Thrown where states are written or read when the search is to be stopped.
struct SearchStopped {};

class DiskSpace {
 public:
  /// `block_bytes`: of a block before it is compressed.
  explicit DiskSpace(std::filesystem::path folder, std::size_t block_bytes = std::size_t{1} << 15,
                     std::stop_token stop = {})
      : folder_(std::move(folder)), block_bytes_(block_bytes), stop_(std::move(stop)) {}

  const std::filesystem::path& folder() const { return folder_; }
  std::size_t block_bytes() const { return block_bytes_; }
  void check() const {
    if (stop_.stop_requested()) throw SearchStopped{};
  }

  void grow(std::uint64_t bytes);
  void shrink(std::uint64_t bytes) { bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
  void count_run() { runs_.fetch_add(1, std::memory_order_relaxed); }

  /// Most bytes on disk at a time, and how many runs were written there.
  std::uint64_t peak_bytes() const { return peak_; }
  std::uint64_t runs() const { return runs_; }

 private:
  std::filesystem::path folder_;
  std::size_t block_bytes_;
  std::stop_token stop_;
  std::atomic<std::uint64_t> bytes_ = 0, peak_ = 0, runs_ = 0;
};

/// How many of the first bytes are the same.
[[gnu::always_inline]] inline std::size_t common_prefix(const std::byte* a, const std::byte* b,
                                                        std::size_t bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::size_t i = 0;
  for (std::uint64_t x, y; i + sizeof x <= bytes; i += sizeof x) {
    std::memcpy(&x, a + i, sizeof x);
    std::memcpy(&y, b + i, sizeof y);
    if (x != y) return i + static_cast<std::size_t>(std::countr_zero(x ^ y)) / 8;
  }
  while (i < bytes && a[i] == b[i]) ++i;
  return i;
}

class StateRun {
 public:
  /// `space` must outlive it.
  StateRun(DiskSpace& space, std::size_t state_bytes, std::size_t extra_bytes = 0);
  ~StateRun();
  StateRun(const StateRun&) = delete;

  /// A state that is greater than those before. Throws LimitReached when the disk is full, or SearchStopped.
  void append(const std::byte* state, const std::byte* extra = nullptr);
  /// Nothing more is appended; it can be read now. Throws likewise.
  void finish();

  std::uint64_t size() const { return size_; }
  std::size_t blocks() const { return blocks_.size(); }
  /// The number of its first state in the run.
  std::uint64_t first_of_block(std::size_t block) const { return blocks_[block]; }

  class Reader;

  /// Calls emit(state, extra) for all states of the runs in order. Of states that are the same, only the one of the
  /// first run counts. Throws Error(io), SearchStopped.
  static void merge(std::span<const StateRun* const> runs,
                    const std::function<void(const std::byte* state, const std::byte* extra)>& emit);

 private:
  const std::byte* key(std::size_t block) const { return keys_.data() + block * state_bytes_; }
  void seal();
  void write();
  void load(std::size_t block, std::vector<std::byte>& content) const;

  DiskSpace& space_;
  std::size_t state_bytes_, extra_bytes_;
  std::size_t share_bytes_;  // of a number of shared bytes
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> blocks_ = {};  // the number of the first state of each
  std::vector<std::byte> keys_ = {};        // the first states
  std::optional<BlockFile> file_ = {};
  std::vector<std::byte> shares_ = {}, rests_ = {}, extras_ = {};  // of the block being filled
  std::vector<std::byte> last_ = {};                               // state
  std::vector<std::byte> block_ = {};                              // the latest, not on disk
  std::uint64_t on_disk_ = 0;                                      // bytes
};

class StateRun::Reader {
 public:
  explicit Reader(const StateRun& run) : Reader(run, 0, run.blocks()) {}
  /// Of the blocks from `first` to before `end`.
  Reader(const StateRun& run, std::size_t first, std::size_t end);

  /// Goes to the next state; false: there is none. Throws Error(io), SearchStopped.
  bool next() {
    if (left_ == 0 && !next_block()) return false;
    take();
    return true;
  }
  /// Whether the state is there. Calls must come with ascending states, and not be mixed with next(). Throws likewise.
  bool seek(const std::byte* wanted);

  const std::byte* state() const { return current_.data(); }
  const std::byte* extra() const { return extras_ - run_->extra_bytes_; }

 private:
  static constexpr std::size_t word_bytes = 8;

  bool next_block();
  void load(std::size_t block);
  /// How many bytes the next state shares with the current one, which becomes that.
  [[gnu::always_inline]] std::size_t take() {
    std::size_t shared = static_cast<std::size_t>(*shares_++);
    if (run_->share_bytes_ == 2) shared |= static_cast<std::size_t>(*shares_++) << 8;
    const std::size_t rest = run_->state_bytes_ - shared;
    for (std::size_t i = 0; i < rest; i += word_bytes)  // which may be a few bytes more: see load()
      std::memcpy(current_.data() + shared + i, rests_ + i, word_bytes);
    rests_ += rest;
    extras_ += run_->extra_bytes_;
    --left_;
    return shared;
  }

  const StateRun* run_;
  std::size_t block_, end_;  // those not read yet
  std::vector<std::byte> content_ = {};
  const std::byte *shares_ = nullptr, *rests_ = nullptr, *extras_ = nullptr;
  std::uint64_t left_ = 0;  // in the block
  std::vector<std::byte> current_;
  bool begun_ = false;
};

}  // namespace tideline
