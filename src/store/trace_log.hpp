// TraceLog: how every state was found, on disk, so that a search may forget the states themselves.
//
// A search that deletes states as it goes cannot follow parents through a table. Instead it appends one small
// record per state to this log: the record of the parent, and which of the parent's steps it was. A run is
// rebuilt by walking from a record to its parent until an initial state, and taking the steps from there.
// (The idea is from L. M. Kristensen and T. Mailund, "Efficient path finding with the sweep-line method using
// external storage", 2003.)
//
// Records collect in a block in memory. A full block is encoded (trace_log.cpp says how) and written to a
// BlockFile; memory holds the block being filled and 16 bytes for each one on disk. Reading loads a whole
// block. Parents come before their children, so a walk meets each block at most once: rebuilding a run costs
// at most one pass over the log, however long the run is.
//
// Several threads may append many records at a time each. They keep each other waiting only while records are copied:
// a thread that has filled a block puts it aside, and then writes it, unless another thread is writing, which goes on
// with this one. A few blocks may wait; when there are more, so does whoever has filled one.
//
// Invariants: a record's parent has a smaller number; blocks are written in order; when no thread appends, none waits.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "run/patience.hpp"
#include "store/block_file.hpp"

namespace tideline {

/// Records are numbered 0, 1, 2, ... as they are appended.
using LogNumber = std::uint64_t;
inline constexpr LogNumber no_record = ~LogNumber{0};

/// The state is the choice-th one (from 0) that Graph::successors emits for the parent's state; without a
/// parent (no_record), the choice-th one that Graph::initial emits.
struct LogRecord {
  LogNumber parent = no_record;
  std::uint32_t choice = 0;
  bool operator==(const LogRecord&) const = default;
};

class TraceLog {
 public:
  /// A new log, in a file of its own; see FilePlace. Throws Error(io).
  explicit TraceLog(const std::filesystem::path& folder, bool keep = false, const std::string& stem = {});

  /// The number of the new record, which is larger than its parent's. A full disk does not
  /// throw: see failure().
  LogNumber append(LogNumber parent, std::uint32_t choice) {
    const LogNumber number = first_pending_ + pending_count_;
    pending_[pending_count_] = {parent, choice};
    if (++pending_count_ == block_records) write_block();
    return number;
  }

  /// All of them, one after the other; the number of the first. Several threads may call this at the same time.
  LogNumber append(std::span<const LogRecord> records);

  /// Any record so far, whether on disk or not. Throws Error(io) when it was lost or the file is damaged.
  LogRecord read(LogNumber number);

  LogNumber size() const { return first_pending_ + pending_count_; }
  /// The length of the file.
  std::uint64_t bytes() const { return file_.bytes(); }
  const std::filesystem::path& file() const { return file_.file(); }

  /// Whether failure() is not empty, for threads that append.
  bool failed() const { return sharing_->failed.load(std::memory_order_acquire); }
  /// Empty, or why nothing more can be written ("No space left on device: FILE"). Records are then numbered
  /// as before, and lost; those written before can still be read.
  const std::string& failure() const { return file_.failure(); }

  /// Everything appended so far is on disk when this returns. Throws Error(io) when that fails.
  FilePosition sync();

  /// The log as it was at the position: what came after it is cut off, and appending continues from there.
  /// The file is kept. Throws Error(io) when it is not what it was then.
  static TraceLog reopen(const std::filesystem::path& file, const FilePosition& position);

  /// A block is long enough to compress well and short enough to stay in the cache while it is filled.
  static constexpr std::uint32_t block_records = 1u << 14;

 private:
  struct CachedBlock {
    LogNumber first = 0;
    std::vector<LogRecord> records = {};
    bool holds(LogNumber number) const { return number - first < records.size(); }
  };

  using Records = std::unique_ptr<LogRecord[]>;

  /// What threads need that append at the same time.
  struct Sharing {
    static constexpr std::size_t most_full = 8;

    struct FullBlock {
      LogNumber first;
      Records records;
    };
    ShortLock gate;              ///< for everything but the file
    std::deque<FullBlock> full;  ///< not written yet
    std::vector<Records> spare;  ///< to be filled again
    std::mutex writing;          ///< for the file
    std::atomic<bool> failed = false;
  };

  explicit TraceLog(BlockFile file);
  void write_block();
  void write(LogNumber first, std::span<const LogRecord> records);
  void set_aside();
  void write_full_blocks(bool wait);
  LogRecord read_from_disk(LogNumber number);

  Records pending_;  // the block being filled
  std::uint32_t pending_count_ = 0;
  LogNumber first_pending_ = 0;
  BlockFile file_;
  std::array<CachedBlock, 4> cache_ = {};       // the one used last comes first
  std::vector<std::byte> encoded_ = {};         // scratch for a block that was read
  std::unique_ptr<std::byte[]> encoding_ = {};  // and for one that is written
  std::unique_ptr<Sharing> sharing_ = std::make_unique<Sharing>();
};

/// Where logs go by default: $TMPDIR, else /var/tmp (which is on a disk where /tmp may be in
/// memory), else /tmp.
std::filesystem::path default_trace_folder();

}  // namespace tideline
