// RecordPool: where tables that come and go take the memory for their records, and give it back to.
//
// A sweep drops a table whenever its line has passed a layer, and fills others meanwhile. All chunks have the same
// size, so what one table gives back is what the next one needs: the memory never exceeds what was in use at one
// time, and the system is asked for pages, and has to tell all cores that they are gone, only while that grows.
// The memory of indices comes back in all sizes; some of it is kept for those that are made next.
// A pool belongs to one thread.
//
// Invariant: every chunk is in use or in free_, which has room for all of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "store/memory.hpp"

namespace tideline {

class RecordPool {
 public:
  static constexpr unsigned widest_chunk = 8;

  /// Chunks have about so many bytes, if records are neither tiny nor large.
  explicit RecordPool(std::size_t record_bytes, std::size_t chunk_bytes = 1024)
      : record_bytes_(record_bytes),
        chunk_width_(static_cast<unsigned>(
            std::bit_width(std::clamp<std::size_t>(chunk_bytes / std::max<std::size_t>(record_bytes, 1), 8,
                                                   std::size_t{1} << widest_chunk)) -
            1)) {
    spare_.reserve(most_spare_bytes / Memory::mapped_from + 1);  // giving back must not fail
  }
  RecordPool(const RecordPool&) = delete;

  std::size_t record_bytes() const { return record_bytes_; }
  /// A chunk has room for 2^chunk_width() records.
  unsigned chunk_width() const { return chunk_width_; }

  /// What is in it is left from earlier uses. Throws std::bad_alloc.
  std::byte* take() {
    if (free_.empty()) add_slab();
    std::byte* const chunk = free_.back();
    free_.pop_back();
    return chunk;
  }
  void give(std::byte* chunk) { free_.push_back(chunk); }

  /// Memory for an index, whose first `bytes` bytes are zero. Throws std::bad_alloc.
  Memory take_index(std::size_t bytes) {
    auto best = spare_.end();
    for (auto spare = spare_.begin(); spare != spare_.end(); ++spare)
      if (spare->size() >= bytes && spare->size() / 2 <= bytes &&
          (best == spare_.end() || spare->size() < best->size()))
        best = spare;
    if (best == spare_.end()) return Memory(bytes, Memory::Pages::at_once);
    Memory memory = std::move(*best);
    spare_.erase(best);
    spare_bytes_ -= memory.size();
    std::memset(memory.data(), 0, bytes);
    return memory;
  }
  void give_index(Memory memory) {
    if (memory.size() < Memory::mapped_from || memory.size() > most_spare_bytes) return;
    spare_bytes_ += memory.size();
    spare_.push_back(std::move(memory));
    while (spare_bytes_ > most_spare_bytes) {
      spare_bytes_ -= spare_.front().size();
      spare_.erase(spare_.begin());
    }
  }

 private:
  static constexpr std::size_t most_spare_bytes = std::size_t{1} << 19;
  static constexpr std::size_t slab_chunks = 256;

  void add_slab() {
    const std::size_t bytes = record_bytes_ << chunk_width_;
    free_.reserve((slabs_.size() + 1) * slab_chunks);
    std::byte* const slab = slabs_.emplace_back(bytes * slab_chunks).data();
    for (std::size_t i = slab_chunks; i-- > 0;) free_.push_back(slab + i * bytes);
  }

  std::size_t record_bytes_;
  unsigned chunk_width_;
  std::vector<Memory> slabs_;
  std::vector<std::byte*> free_;
  std::vector<Memory> spare_;  // of indices, the oldest first
  std::size_t spare_bytes_ = 0;
};

}  // namespace tideline
