// RecordFile: byte strings on disk, written one behind the other and read back in any order.
//
// Records collect in a block in memory; a full one is compressed and written behind the others. What stays in
// memory is the block being filled, the block read last, and some words for each one on disk. A record that
// is longer than a block makes a block of its own. Reading backwards, or forwards, decompresses every block
// once.
//
// The file loses its name as soon as it is open, so that nothing is left behind even when the program is
// killed. One file serves one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tideline {

class RecordFile {
 public:
  /// In this folder; when it is missing, one is there for a moment. Throws Error(io).
  explicit RecordFile(const std::filesystem::path& folder);
  ~RecordFile();
  RecordFile(RecordFile&&) noexcept;
  RecordFile& operator=(RecordFile&&) noexcept;

  /// Records are numbered 0, 1, 2, ... A disk that is full does not throw: see failure().
  void append(std::span<const std::byte> record);
  /// Valid until the next call of anything. Throws Error(io) when it was lost or the file is damaged.
  std::span<const std::byte> read(std::uint64_t number);

  std::uint64_t size() const;
  /// The length of the file.
  std::uint64_t bytes() const;
  /// Empty, or why nothing can be written any more ("No space left on device: FOLDER").
  const std::string& failure() const;

 private:
  class Disk;
  std::unique_ptr<Disk> disk_;
};

/// Numbers in a record: seven bits a byte, small ones first.
void put_number(std::vector<std::byte>& to, std::uint64_t number);
std::uint64_t get_number(std::span<const std::byte>& from);

/// Differences in both directions as small numbers: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
inline std::uint64_t folded(std::uint64_t difference) {
  return difference << 1 ^ (difference >> 63 ? ~std::uint64_t{0} : 0);
}
inline std::uint64_t unfolded(std::uint64_t number) {
  return number >> 1 ^ (number & 1 ? ~std::uint64_t{0} : 0);
}

}  // namespace tideline
