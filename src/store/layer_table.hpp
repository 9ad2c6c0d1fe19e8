// LayerTable: a set of states that is small for a few of them, good for millions, and quickly dropped.
//
// The sweep-line keeps one such table for every progress value ahead of it. Most are tiny, some are not, and
// all are thrown away as a whole, so a table starts with room for four states and doubles: block k holds
// 4 * 2^k records, nothing is ever copied, and records keep their address. Beside them is a BucketIndex. A
// record is a state and some bytes that belong to the caller.
//
// Invariants: numbers are given in order of insertion; a record stays where it is until the table is dropped.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "store/bucket_index.hpp"
#include "store/hash.hpp"

namespace tideline {

class LayerTable {
 public:
  LayerTable(std::size_t state_bytes, std::size_t extra_bytes)
      : state_bytes_(static_cast<std::uint32_t>(state_bytes)),
        record_bytes_(static_cast<std::uint32_t>(state_bytes + extra_bytes)) {}

  std::uint32_t size() const { return size_; }
  /// The state, then the caller's bytes (zero at first).
  std::byte* record(StateId id) const {
    const std::uint64_t place = std::uint64_t{id} + first_block;
    const auto width = static_cast<unsigned>(std::bit_width(place));
    const std::uint64_t start = std::uint64_t{1} << (width - 1);
    return blocks_[width - first_width].data() + (place - start) * record_bytes_;
  }
  std::byte* extra(StateId id) const { return record(id) + state_bytes_; }

  /// Adds the state unless it is there; no_state when there are too many.
  Insertion insert(const std::byte* state, std::uint64_t hash) {
    if (index_.crowded()) [[unlikely]]
      grow();
    return index_.find_or_add(
        key_of(hash), [&](StateId id) { return same_state(record(id), state, state_bytes_); },
        [&] { return append(state); });
  }
  StateId find(const std::byte* state, std::uint64_t hash) const {
    return index_.find(key_of(hash), [&](StateId id) { return same_state(record(id), state, state_bytes_); });
  }

  /// Forgets every state and gives the memory back.
  void clear() {
    blocks_ = std::vector<Memory>();
    index_ = BucketIndex();
    size_ = 0;
  }

  /// For checkpoints: the records in their order. What is read goes into an empty table.
  template <class File>
  void archive(File& file) {
    file(size_);
    std::uint64_t left = size_;
    for (std::size_t block = 0; left != 0; ++block) {
      const std::uint64_t room = first_block << block, here = std::min(room, left);
      if (File::reads) blocks_.emplace_back(room * record_bytes_);
      file.bytes(blocks_[block].data(), here * record_bytes_);
      left -= here;
    }
    if (File::reads) fill_index();
  }

 private:
  static constexpr std::uint64_t first_block = 4;
  static constexpr unsigned first_width = 3;        // bit_width(first_block)
  static constexpr std::uint32_t few_buckets = 64;  // below, growing often costs more than the memory
  static constexpr std::uint32_t most_states = std::numeric_limits<std::uint32_t>::max() / 2;

  static BucketIndex::Key key_of(std::uint64_t hash) {
    return {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint8_t>(hash)};
  }

  StateId append(const std::byte* state) {
    if (size_ == most_states) [[unlikely]]
      return no_state;
    const std::uint64_t room = first_block * ((std::uint64_t{1} << blocks_.size()) - 1);
    if (size_ == room) blocks_.emplace_back((first_block << blocks_.size()) * record_bytes_);
    std::memcpy(record(size_), state, state_bytes_);
    return size_++;
  }

  void fill_index() {
    const auto none = [](StateId) { return false; };
    for (StateId id = 0; id < size_; ++id) {
      if (index_.crowded()) grow();
      index_.find_or_add(key_of(StateHash{}(record(id), state_bytes_)), none, [id] { return id; });
    }
  }

  void grow() {
    index_.grow(
        index_.empty() ? 1 : (index_.bucket_count() < few_buckets ? 4 : 2) * index_.bucket_count(),
        [&](StateId id) { return key_of(StateHash{}(record(id), state_bytes_)); },
        [&](StateId id) { prefetch(record(id), state_bytes_); });
  }

  std::uint32_t state_bytes_;
  std::uint32_t record_bytes_;
  std::uint32_t size_ = 0;
  std::vector<Memory> blocks_;
  BucketIndex index_;
};

}  // namespace tideline
