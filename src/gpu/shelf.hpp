// Shelf: states that a device has no room for. They are in the memory of the host up to a limit, and beyond it on disk, where
// a thread of its own brings them while the search goes on.
//
// What is put there is a chunk of words. It can be read again and again until it is taken away, whose room on disk is
// then used again. The file has no name, and disappears with the process.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gpu/kernel_types.hpp"
#include "store/disk_file.hpp"

namespace tideline::gpu {

class Shelf {
 public:
  using Chunk = std::uint32_t;
  using Words = std::shared_ptr<const std::vector<Word>>;

  /// No chunk has more than `most_words` words.
  Shelf(std::filesystem::path folder, std::uint64_t memory_bytes, std::uint64_t most_words)
      : folder_(std::move(folder)), limit_(memory_bytes), most_words_(most_words) {}
  ~Shelf();
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;

  /// Throws LimitReached when the disk is full, and Error (io) when there can be no file.
  Chunk put(std::vector<Word> words);
  /// Throws Error (io).
  Words get(Chunk chunk);
  void drop(Chunk chunk);

  std::uint64_t most_words() const { return most_words_; }
  /// Most bytes at a time.
  std::uint64_t memory_peak() const {
    const std::scoped_lock lock(mutex_);
    return memory_peak_;
  }
  std::uint64_t disk_peak() const {
    const std::scoped_lock lock(mutex_);
    return disk_peak_;
  }

 private:
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  struct Entry {
    Words words = {};              ///< while they are in memory
    std::uint64_t count = 0;       ///< of words; 0: nothing is there
    std::uint64_t slot = nowhere;  ///< on disk
  };

  void write_all(const std::stop_token& stop);
  void open();

  std::filesystem::path folder_;
  std::uint64_t limit_, most_words_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Entry> entries_;
  std::vector<Chunk> free_entries_;
  std::deque<Chunk> to_write_;
  std::uint64_t memory_ = 0, memory_peak_ = 0, disk_ = 0, disk_peak_ = 0;
  std::optional<DiskFile> file_;
  std::vector<std::uint64_t> free_slots_;
  std::uint64_t slots_ = 0;
  std::string failure_;
  std::jthread writer_;
};

}  // namespace tideline::gpu
