// RecordFile: byte strings on disk, written one after the other and read back in any order.
//
// Records collect in a block in memory; a full one is written to a BlockFile. Memory holds the block being
// filled, the block read last, and a few words for each one on disk. A record that is longer than a block
// makes a block of its own. Reading backwards, or forwards, decompresses every block once.
//
// A file that has a name can be saved with a checkpoint and reopened. The block being filled then goes into
// the checkpoint: the file is the same however often that is done. One file serves one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "store/block_file.hpp"

namespace tideline {

class RecordFile {
 public:
  /// A new one; see FilePlace. Throws Error(io).
  explicit RecordFile(const std::filesystem::path& folder, bool keep = false, const std::string& stem = {});

  /// Records are numbered 0, 1, 2, ... A full disk does not throw: see failure().
  void append(std::span<const std::byte> record);
  /// Valid until the next call of anything. Throws Error(io) when it was lost or the file is damaged.
  std::span<const std::byte> read(std::uint64_t number);

  std::uint64_t size() const { return first_pending_ + ends_.size(); }
  /// The length of the file.
  std::uint64_t bytes() const { return file_.bytes(); }
  const std::filesystem::path& file() const { return file_.file(); }
  /// Empty, or why nothing more can be written ("No space left on device: FILE").
  const std::string& failure() const { return file_.failure(); }

  /// All full blocks are on disk when this returns. Throws Error(io) when that fails.
  FilePosition sync() { return file_.sync(); }
  /// The file as it was at the position, without the block that was being filled, which archive() restores.
  /// Throws Error(io) when it is not what it was then.
  static RecordFile reopen(const std::filesystem::path& file, const FilePosition& position);
  void archive(auto& file) {
    file(pending_, ends_);
    file.require(are_ends(ends_, pending_.size()));
  }

 private:
  explicit RecordFile(BlockFile file);
  void write_block();
  void load(std::uint64_t number);
  /// Of records one after the other in so many bytes.
  static bool are_ends(const std::vector<std::uint64_t>& ends, std::uint64_t bytes);

  BlockFile file_;
  std::uint64_t first_pending_ = 0;
  std::vector<std::byte> pending_ = {};   // the block being filled
  std::vector<std::uint64_t> ends_ = {};  // of its records
  std::uint64_t cached_first_ = 0;        // the block read last
  std::vector<std::byte> cached_ = {};    // ends of its records, then the records
  std::vector<std::uint64_t> cached_ends_ = {};
};

}  // namespace tideline
