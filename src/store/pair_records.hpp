// Records of pairs of numbers, for the tables of a tree (tree_table.hpp): the parts of states, and states.
//
// A part is written down in 8 bytes (PartRecords). A state is a pair of parts, and there are far fewer parts
// than states, so their numbers are short: a million of them takes 20 bits. PairRecords gives a record as many
// bytes as two numbers take at the time (4 to 8). Records lie in pages of 2^16. When a page is begun it is known
// how many parts there are on either side, and a state adds at most one to each: the numbers that the
// page will hold are bounded, up to what other threads are about to add, for which some room is left. A number
// that does not fit in spite of that is kept apart, which is slow, but seldom needed.
//
// Invariants: a record whose left number has all bits set is kept apart; the width of a page never changes.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "store/concurrent_array.hpp"
#include "store/memory.hpp"
#include "store/state_table.hpp"

namespace tideline {

/// Two numbers: the left one in the lower half.
using Pair = std::uint64_t;

inline Pair pair_of(StateId left, StateId right) {
  return Pair{right} << 32 | left;
}
inline StateId left_of(Pair pair) {
  return static_cast<StateId>(pair);
}
inline StateId right_of(Pair pair) {
  return static_cast<StateId>(pair >> 32);
}

struct PairHash {
  std::uint64_t operator()(Pair pair) const {
    std::uint64_t mixed = (pair ^ pair >> 32) * 0x9FB21C651E98DF25u;
    mixed = (mixed ^ mixed >> 29) * 0xD6E8FEB86659FD93u;
    return mixed ^ mixed >> 32;
  }
};

template <class Hash = PairHash>
class PartRecords {
 public:
  using Key = Pair;
  static constexpr double growth_factor = 1.25;

  PartRecords(std::size_t, std::size_t, std::uint64_t most_records) : records_(sizeof(Pair), most_records) {}

  std::size_t records_a_page() const { return records_.records_a_page(); }
  void require(std::size_t first) { records_.require(first); }
  std::uint64_t bytes_of(std::uint64_t records) const { return records_.bytes_of(records); }

  void write(StateId id, Pair part) { std::memcpy(records_[id], &part, sizeof part); }
  Pair state(StateId id) const {
    Pair part;
    std::memcpy(&part, records_[id], sizeof part);
    return part;
  }
  bool is(StateId id, Pair part) const { return state(id) == part; }
  std::uint64_t hash(Pair part) const { return Hash{}(part); }
  std::uint64_t hash_of(StateId id) const { return hash(state(id)); }
  void prefetch(StateId id) const { prefetch_line(records_[id]); }

 private:
  ConcurrentArray records_;
};

template <class Hash = PairHash>
class PairRecords {
 public:
  using Key = Pair;
  static constexpr double growth_factor = 1.25;
  static constexpr unsigned page_bits = 16;

  /// Numbers on either side will be below these when a page that is begun now is full.
  struct Bounds {
    std::uint64_t left, right;
  };

  PairRecords(std::size_t, std::size_t extra_bytes, std::uint64_t most_records)
      : pages_(((most_records >> page_bits) + 1) * sizeof(Page)),
        has_extra_(extra_bytes != 0),
        extra_(extra_bytes, most_records) {}

  /// Before the first record.
  void set_bounds(std::function<Bounds()> bounds) { bounds_ = std::move(bounds); }

  std::size_t records_a_page() const { return std::size_t{1} << page_bits; }
  void require(std::size_t first) {
    if (has_extra_) extra_.require(first);
    Page& page = page_of(first);
    if (std::atomic_ref(page.data).load(std::memory_order_acquire)) return;
    const std::scoped_lock lock(mutex_);
    if (page.data) return;
    const Bounds bounds = bounds_();
    const unsigned left = bits_for(bounds.left), right = bits_for(bounds.right);
    const unsigned stride = std::clamp((left + right + 7) / 8, 4u, 8u);
    const unsigned spare = 8 * stride > left + right ? 8 * stride - left - right : 0;
    page.stride = stride;
    page.left_bits = std::min(left + spare / 2, 32u);
    std::byte* const data = take(std::size_t{stride} << page_bits);
    std::atomic_ref(page.data).store(data, std::memory_order_release);
  }
  std::uint64_t bytes_of(std::uint64_t records) const {
    return bytes_.load(std::memory_order_relaxed) - unused_bytes(records) +
           (has_extra_ ? extra_.bytes_of(records) : 0);
  }

  void write(StateId id, Pair pair) {
    const Page& page = page_of(id);
    const Pair left_mask = (Pair{1} << page.left_bits) - 1;
    const unsigned right_bits = 8 * page.stride - page.left_bits;
    Pair record = Pair{right_of(pair)} << page.left_bits | left_of(pair);
    if (left_of(pair) >= left_mask || (right_bits < 32 && right_of(pair) >> right_bits != 0)) [[unlikely]] {
      const std::scoped_lock lock(mutex_);
      apart_[id] = pair;
      record = left_mask;
    }
    std::memcpy(record_at(page, id), &record, page.stride);
  }

  Pair state(StateId id) const {
    const Page& page = page_of(id);
    const std::byte* const at = record_at(page, id);
    // Of no other record: another thread may be writing that one.
    std::uint32_t low, high;
    std::memcpy(&low, at, sizeof low);
    std::memcpy(&high, at + page.stride - sizeof high, sizeof high);
    const Pair record = low | Pair{high} << 8 * (page.stride - sizeof high);
    const Pair left_mask = (Pair{1} << page.left_bits) - 1;
    if ((record & left_mask) == left_mask) [[unlikely]]
      return kept_apart(id);
    return (record >> page.left_bits) << 32 | (record & left_mask);
  }
  bool is(StateId id, Pair pair) const { return state(id) == pair; }
  std::uint64_t hash(Pair pair) const { return Hash{}(pair); }
  std::uint64_t hash_of(StateId id) const { return hash(state(id)); }
  void prefetch(StateId id) const { prefetch_line(record_at(page_of(id), id)); }

  std::byte* extra(StateId id) const { return extra_[id]; }
  /// Records that did not fit where they belong.
  std::size_t apart() const {
    const std::scoped_lock lock(mutex_);
    return apart_.size();
  }

 private:
  struct Page {
    std::byte* data;
    std::uint32_t stride;
    std::uint32_t left_bits;
  };

  static unsigned bits_for(std::uint64_t numbers) {
    return static_cast<unsigned>(std::bit_width(std::min<std::uint64_t>(numbers, no_state)));
  }
  Page& page_of(std::size_t id) const { return reinterpret_cast<Page*>(pages_.data())[id >> page_bits]; }
  static std::byte* record_at(const Page& page, std::size_t id) {
    return page.data + (id & ((std::size_t{1} << page_bits) - 1)) * page.stride;
  }

  /// Memory for one more page, out of blocks that are large enough for huge pages.
  std::byte* take(std::size_t bytes) {
    if (bytes > left_in_block_) {
      blocks_.emplace_back(block_bytes, blocks_.empty() ? Memory::Pages::small : Memory::Pages::huge);
      left_in_block_ = block_bytes;
    }
    std::byte* const data = blocks_.back().data() + (block_bytes - left_in_block_);
    left_in_block_ -= bytes;
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return data;
  }
  /// In the last page, of which not all is resident.
  std::uint64_t unused_bytes(std::uint64_t records) const {
    const std::uint64_t in_last = records & (records_a_page() - 1);
    return in_last == 0 ? 0 : (records_a_page() - in_last) * page_of(records).stride;
  }

  [[gnu::noinline]] Pair kept_apart(StateId id) const {
    const std::scoped_lock lock(mutex_);
    return apart_.at(id);
  }

  static constexpr std::size_t block_bytes = std::size_t{16} << 20;

  Memory pages_;
  bool has_extra_;
  ConcurrentArray extra_;
  std::function<Bounds()> bounds_;
  mutable std::mutex mutex_;
  std::vector<Memory> blocks_;
  std::size_t left_in_block_ = 0;
  std::atomic<std::uint64_t> bytes_{0};
  std::unordered_map<StateId, Pair> apart_;
};

}  // namespace tideline
