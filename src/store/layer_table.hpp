// LayerTable: a set of states that is small for a few of them, good for millions, and quickly dropped.
//
// The sweep-line keeps one such table for every progress value ahead of it. Most are tiny, some are not, and
// all are thrown away as a whole. So a table starts with room for four states, which are compared one after the
// other, and doubles, block k holding 4 * 2^k records, until a block would be a chunk of the pool; from then on it
// takes chunks. Nothing is ever copied. From the fifth state on there is a BucketIndex beside them. A record is a
// state and some bytes that belong to the caller.
//
// Invariants: numbers are given in order of insertion; a record stays where it is until the table is dropped.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "store/bucket_index.hpp"
#include "store/hash.hpp"
#include "store/record_pool.hpp"

namespace tideline {

class LayerTable {
 public:
  /// The pool must outlive the table.
  LayerTable(RecordPool& pool, std::size_t state_bytes)
      : pool_(&pool), state_bytes_(static_cast<std::uint32_t>(state_bytes)) {}
  ~LayerTable() { clear(); }
  LayerTable(LayerTable&& other) noexcept
      : pool_(other.pool_),
        state_bytes_(other.state_bytes_),
        size_(std::exchange(other.size_, 0)),
        room_(std::exchange(other.room_, 0)),
        next_(other.next_),
        blocks_(std::move(other.blocks_)),
        chunks_(std::exchange(other.chunks_, {})),
        index_(std::move(other.index_)) {}
  LayerTable& operator=(LayerTable&&) = delete;

  std::uint32_t size() const { return size_; }
  /// The state, then the caller's bytes (zero at first).
  std::byte* record(StateId id) const {
    const std::uint64_t place = std::uint64_t{id} + first_block;
    const unsigned chunk_width = pool_->chunk_width();
    if (const std::uint64_t chunk = place >> chunk_width; chunk != 0)
      return chunks_[chunk - 1] + (place - (chunk << chunk_width)) * pool_->record_bytes();
    return blocks_[block_of(place)].get() + (place - std::bit_floor(place)) * pool_->record_bytes();
  }
  std::byte* extra(StateId id) const { return record(id) + state_bytes_; }

  /// Adds the state unless it is there; no_state when there are too many.
  Insertion insert(const std::byte* state, std::uint64_t hash) {
    if (size_ <= first_block) [[unlikely]] {
      if (const StateId id = find_first(state); id != no_state) return {id, false};
      if (size_ < first_block) return {append(state), true};
      if (index_.empty()) fill_index();
    }
    if (index_.crowded()) [[unlikely]]
      grow();
    return index_.find_or_add(
        key_of(hash), [&](StateId id) { return same_state(record(id), state, state_bytes_); },
        [&] { return append(state); });
  }
  /// Adds states that lie one after the other, are different and known not to be there; returns how many there was
  /// room for.
  std::uint32_t add_all(const std::byte* states, std::uint32_t count) {
    count = std::min(count, most_states - size_);
    if (count == 0) return 0;
    for (std::uint32_t left = count; left != 0;) {
      if (size_ == first_block && index_.empty()) fill_index();
      if (room_ == 0) make_room();
      const std::uint32_t here = std::min({left, room_, most_added});
      add_to_block(states, here);
      states += here * state_bytes_;
      left -= here;
    }
    return count;
  }
  /// So many more states are about to come.
  void expect(std::uint64_t more) {
    const std::uint64_t states = size_ + more;
    if (states <= first_block || states > most_states) return;
    if (const std::uint32_t buckets = BucketIndex::buckets_for(states); buckets > index_.bucket_count())
      grow_to(buckets);
  }
  /// Hints before insert() or find(), see StateTable.
  void prefetch_index(std::uint64_t hash) const {
    if (!index_.empty()) index_.prefetch(key_of(hash));
  }
  void prefetch_state(std::uint64_t hash) const {
    if (const StateId id = index_.likely(key_of(hash)); id != no_state) prefetch(record(id), state_bytes_);
  }

  StateId find(const std::byte* state, std::uint64_t hash) const {
    if (size_ <= first_block) return find_first(state);
    return index_.find(key_of(hash), [&](StateId id) { return same_state(record(id), state, state_bytes_); });
  }

  /// Forgets every state and gives the memory back.
  void clear() {
    for (std::byte* const chunk : chunks_) pool_->give(chunk);
    chunks_ = decltype(chunks_)();
    blocks_ = {};
    pool_->give_index(index_.clear());
    size_ = room_ = 0;
  }

  /// For checkpoints: the records in their order. What is read goes into an empty table.
  template <class File>
  void archive(File& file) {
    std::uint32_t count = size_;
    file(count);
    file.require(count <= most_states);
    for (std::uint32_t from = 0; from < count;) {
      if (File::reads && room_ == 0) make_room();
      const std::uint32_t here = std::min(block_end(from), count) - from;
      if (File::reads) take_room(here);
      file.bytes(record(from), here * pool_->record_bytes());
      from += here;
    }
    if (File::reads && size_ > first_block) fill_index();
  }

 private:
  static constexpr std::uint32_t first_block = 4;  // a power of two, less than any chunk has
  static constexpr unsigned first_width = 3;       // bit_width(first_block)
  static constexpr unsigned most_blocks = RecordPool::widest_chunk - first_width + 1;
  static constexpr std::uint32_t few_buckets = 16;  // below, growing often costs more than the memory
  static constexpr std::uint32_t most_added = 32;   // at a time
  static constexpr std::uint32_t most_states = std::numeric_limits<std::uint32_t>::max() / 2;

  static BucketIndex::Key key_of(std::uint64_t hash) {
    return {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint8_t>(hash)};
  }

  static unsigned block_of(std::uint64_t place) {
    return static_cast<unsigned>(std::bit_width(place)) - first_width;
  }

  /// Where the block ends in which the record with this number is.
  std::uint32_t block_end(StateId id) const {
    const std::uint32_t place = id + first_block, chunk = std::uint32_t{1} << pool_->chunk_width();
    return (place < chunk ? std::bit_ceil(place + 1) : (place / chunk + 1) * chunk) - first_block;
  }

  /// The block of the next record.
  void make_room() {
    const std::uint32_t place = size_ + first_block, chunk = std::uint32_t{1} << pool_->chunk_width();
    if (place >= chunk) {
      chunks_.push_back(nullptr);
      try {
        chunks_.back() = pool_->take();
      } catch (...) {
        chunks_.pop_back();
        throw;
      }
    } else {
      blocks_[block_of(place)] = std::make_unique_for_overwrite<std::byte[]>(place * pool_->record_bytes());
    }
    next_ = record(size_);
    room_ = block_end(size_) - size_;
  }
  /// Returns the first of so many new records, for which there is room.
  std::byte* take_room(std::uint32_t count) {
    size_ += count;
    room_ -= count;
    return std::exchange(next_, next_ + count * pool_->record_bytes());
  }

  StateId append(const std::byte* state) {
    if (size_ == most_states) [[unlikely]]
      return no_state;
    if (room_ == 0) make_room();
    write(take_room(1), state);
    return size_ - 1;
  }
  void write(std::byte* to, const std::byte* state) {
    copy_state(to, state, state_bytes_);
    clear_bytes(to + state_bytes_, pool_->record_bytes() - state_bytes_);
  }

  /// Adds a few states to a block that has room for them.
  void add_to_block(const std::byte* states, std::uint32_t count) {
    std::array<BucketIndex::Key, most_added> keys;
    const StateId first = size_;
    std::byte* to = take_room(count);
    for (std::uint32_t i = 0; i < count; ++i, states += state_bytes_, to += pool_->record_bytes()) {
      keys[i] = key_of(StateHash{}(states, state_bytes_));
      if (!index_.empty()) index_.prefetch(keys[i]);
      write(to, states);
    }
    if (size_ <= first_block) return;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (index_.crowded()) [[unlikely]]
        grow();
      index_.add(keys[i], first + i);
    }
  }

  /// Among the first ones.
  StateId find_first(const std::byte* state) const {
    for (StateId id = 0; id < size_; ++id)
      if (same_state(record(id), state, state_bytes_)) return id;
    return no_state;
  }

  void fill_index() {
    const auto none = [](StateId) { return false; };
    for (StateId id = 0; id < size_; ++id) {
      if (index_.crowded()) grow();
      index_.find_or_add(key_of(StateHash{}(record(id), state_bytes_)), none, [id] { return id; });
    }
  }

  void grow() {
    grow_to(index_.bucket_count() == 0
                ? 1
                : (index_.bucket_count() < few_buckets ? 4 : 2) * index_.bucket_count());
  }
  void grow_to(std::uint32_t buckets) {
    pool_->give_index(index_.grow_into(
        pool_->take_index(buckets * BucketIndex::bucket_bytes), buckets,
        [&](StateId id) { return key_of(StateHash{}(record(id), state_bytes_)); },
        [&](StateId id) { prefetch(record(id), state_bytes_); }));
  }

  RecordPool* pool_;
  std::uint32_t state_bytes_;
  std::uint32_t size_ = 0;
  std::uint32_t room_ = 0;     // so many records fit into the last block,
  std::byte* next_ = nullptr;  // from here on
  std::array<std::unique_ptr<std::byte[]>, most_blocks> blocks_ = {};
  std::vector<std::byte*> chunks_;
  BucketIndex index_;
};

}  // namespace tideline
