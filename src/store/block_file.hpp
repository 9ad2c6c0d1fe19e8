// BlockFile: blocks of records on disk, written one after the other and read back in any order. Its users,
// store/trace_log.hpp and store/record_file.hpp, decide what a record is, and how records make up the content
// of a block.
//
// The file begins with a line that names the format; blocks follow, each a header and its compressed content.
// A header holds the checksum of the block before it, and its own checksum covers that too: the checksum of
// the last block vouches for the whole file. So a file can be reopened in another process as it was at an
// earlier time, given its length and checksum then; what came later is cut off.
//
// Invariants: the blocks hold the first records without gaps; the file is written to at its end only. Memory
// holds 16 bytes per block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tideline {

/// What to remember of a file in order to reopen it: plain data that can be saved as it is.
struct FilePosition {
  std::uint64_t size = 0;  ///< records
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  ///< of all blocks so far
  bool operator==(const FilePosition&) const = default;

  void archive(auto& file) { file(size, bytes, checksum); }
};

/// Where a new file is created, and whether it is kept.
struct FilePlace {
  std::filesystem::path folder;  ///< created when missing, and removed when nothing is left in it
  bool keep = false;             ///< else it has no name, and disappears even when the program is killed
  std::string stem = {};         ///< of its name; empty: made from the process id
};

class BlockFile {
 public:
  /// A new file. `what` it is ("trace log") names the format, and the file in messages. Throws Error(io).
  BlockFile(const std::string& what, const FilePlace& place);
  /// The file as it was at the position. Throws Error(io) when it is not what it was then.
  BlockFile(const std::string& what, const std::filesystem::path& file, const FilePosition& position);
  ~BlockFile();
  /// A moved-from object can only be destroyed or assigned to.
  BlockFile(BlockFile&&) noexcept;
  BlockFile& operator=(BlockFile&&) noexcept;

  /// Appends a block with that many records. A full disk does not throw: see failure().
  void append(std::uint64_t records, std::span<const std::byte> content);

  struct Block {
    std::uint64_t first = 0;  ///< record
    std::uint64_t records = 0;
  };
  /// The block that holds the record. Several threads may call this while none appends. Throws Error(io) when it was
  /// lost or the file is damaged.
  Block read(std::uint64_t record, std::vector<std::byte>& content) const;

  /// Everything appended so far is on disk when this returns. Throws Error(io) when that fails.
  FilePosition sync();

  std::uint64_t size() const;   ///< records on disk
  std::uint64_t bytes() const;  ///< the length of the file
  const std::filesystem::path& file() const;
  /// Empty, or why nothing more can be written ("No space left on device: FILE"). What was written before can
  /// still be read.
  const std::string& failure() const;

 private:
  class Disk;
  std::unique_ptr<Disk> disk_;
};

}  // namespace tideline
