// SegmentedTable: the StateTable for one thread and everything in memory.
//
// States lie one behind the other in a PagedArray; beside it is an index from hashes to state numbers. The
// index is where memory and time go, so it is built around two facts.
//
// A cache line is the unit of cost. A bucket is one line: twelve entries of an 8-bit tag (part of the hash)
// and a state number, with all tags compared at once. A lookup touches one line of the index and the state
// it finds; a state that only has the same tag is compared once in some 25 lookups. Full buckets overflow
// into the next one. A line holds between 7 and 11 states, so a state costs 7.3 bytes beside its own.
//
// Growing must neither stop the search nor double the memory. The index is cut into segments by the top bits
// of the hash. Each grows alone, by a factor of 1.5, and their sizes are staggered so that at any time they
// are spread evenly between just grown and about to grow: with 256 segments a growth moves half a percent of
// the table, and what is needed twice meanwhile is that one segment. States are hashed again for it, from
// their bytes, in batches that are prefetched; keeping the hashes would cost more memory than the index.
// A segment has no memory before its first state, so a table of ten states takes a few kilobytes.
//
// Invariants: entries of a bucket are filled from 0 on and never removed; every state is in the first bucket
// from its home on (cyclically, within the segment) that had room when it came, so a search ends at the first
// bucket with room; a segment always has a bucket with room.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "store/hash.hpp"
#include "store/paged_array.hpp"
#include "store/state_table.hpp"

namespace tideline {

namespace detail {

struct alignas(cache_line) Bucket {
  static constexpr unsigned entries = 12;

  std::uint8_t tag[entries];
  std::uint32_t used;  // tag and used are read as one 16-byte word
  StateId id[entries];

  bool full() const { return used == entries; }

  /// One bit for each entry in use whose tag is this one.
  unsigned matches(std::uint8_t wanted) const {
#ifdef __SSE2__
    const __m128i tags = _mm_load_si128(reinterpret_cast<const __m128i*>(tag));
    const __m128i equal = _mm_cmpeq_epi8(tags, _mm_set1_epi8(static_cast<char>(wanted)));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(equal));
#else
    unsigned mask = 0;
    for (unsigned i = 0; i < entries; ++i) mask |= static_cast<unsigned>(tag[i] == wanted) << i;
#endif
    return mask & ((1u << used) - 1);
  }

  void add(std::uint8_t new_tag, StateId new_id) {
    tag[used] = new_tag;
    id[used] = new_id;
    ++used;
  }
};
static_assert(sizeof(Bucket) == cache_line);

}  // namespace detail

template <class Hash = StateHash>
class SegmentedTable {
 public:
  struct Limits {
    std::uint64_t states = no_state;  ///< the table is full with this many
    unsigned segment_bits = 8;        ///< 2^segment_bits segments; fewer for tables known to stay small
  };

  explicit SegmentedTable(std::size_t state_bytes) : SegmentedTable(state_bytes, Limits{}) {}
  SegmentedTable(std::size_t state_bytes, Limits limits)
      : state_bytes_(state_bytes),
        limit_(std::min<std::uint64_t>(limits.states, no_state)),
        segment_bits_(limits.segment_bits),
        states_(state_bytes),
        segments_(std::size_t{1} << limits.segment_bits) {}

  std::uint64_t size() const { return states_.size(); }
  const std::byte* state(StateId id) const { return states_[id]; }
  std::uint64_t hash(const std::byte* state) const { return Hash{}(state, state_bytes_); }

  Insertion insert(const std::byte* state, std::uint64_t hash) {
    Segment& segment = segments_[segment_of(hash)];
    if (segment.states >= segment.grow_at) [[unlikely]]
      grow(segment);
    for (std::size_t b = home(segment, hash);; b = next(segment, b)) {
      Bucket& bucket = segment.buckets()[b];
      if (const StateId id = find_in(bucket, state, tag_of(hash)); id != no_state) return {id, false};
      if (bucket.full()) continue;
      if (states_.size() >= limit_) [[unlikely]]
        return {no_state, false};
      const auto id = static_cast<StateId>(states_.size());
      states_.append(state);
      bucket.add(tag_of(hash), id);
      ++segment.states;
      return {id, true};
    }
  }

  StateId find(const std::byte* state, std::uint64_t hash) const {
    const Segment& segment = segments_[segment_of(hash)];
    if (segment.states == 0) return no_state;
    for (std::size_t b = home(segment, hash);; b = next(segment, b)) {
      const Bucket& bucket = segment.buckets()[b];
      if (const StateId id = find_in(bucket, state, tag_of(hash)); id != no_state) return id;
      if (!bucket.full()) return no_state;
    }
  }

  void prefetch_index(std::uint64_t hash) const {
    const Segment& segment = segments_[segment_of(hash)];
    __builtin_prefetch(segment.buckets() + home(segment, hash), 1);
  }

  void prefetch_state(std::uint64_t hash) const {
    const Segment& segment = segments_[segment_of(hash)];
    if (segment.states == 0) return;
    const Bucket& bucket = segment.buckets()[home(segment, hash)];
    if (const unsigned mask = bucket.matches(tag_of(hash)))
      prefetch(states_[bucket.id[std::countr_zero(mask)]], state_bytes_);
  }

  std::uint64_t memory_bytes() const {
    return states_.memory_bytes() + index_bytes_ + segments_.capacity() * sizeof(Segment);
  }

 private:
  using Bucket = detail::Bucket;

  struct Segment {
    Memory memory;
    std::uint32_t bucket_count = 0;
    std::uint32_t states = 0;
    std::uint32_t grow_at = 0;  // no state is added to a segment that has this many
    std::uint32_t growths = 0;

    Bucket* buckets() const { return reinterpret_cast<Bucket*>(memory.data()); }
  };

  static constexpr double growth_factor = 1.5;
  static constexpr std::size_t rehash_batch = 16;

  // Segment from the top bits, home bucket from the 32 bits below, tag from the lowest 8.
  std::size_t segment_of(std::uint64_t hash) const {
    return segment_bits_ == 0 ? 0 : static_cast<std::size_t>(hash >> (64 - segment_bits_));
  }
  std::size_t home(const Segment& segment, std::uint64_t hash) const {
    const std::uint64_t fraction = hash << segment_bits_ >> 32;
    return static_cast<std::size_t>(fraction * segment.bucket_count >> 32);
  }
  static std::uint8_t tag_of(std::uint64_t hash) { return static_cast<std::uint8_t>(hash); }
  static std::size_t next(const Segment& segment, std::size_t b) {
    return b + 1 == segment.bucket_count ? 0 : b + 1;
  }

  StateId find_in(const Bucket& bucket, const std::byte* state, std::uint8_t tag) const {
    for (unsigned mask = bucket.matches(tag); mask != 0; mask &= mask - 1) {
      const StateId id = bucket.id[std::countr_zero(mask)];
      if (same_state(states_[id], state, state_bytes_)) return id;
    }
    return no_state;
  }

  // Sizes of segment s of S follow the curve 1.5^(k + s/S): at any time the segments are spread evenly over
  // one factor of 1.5.
  std::uint32_t grown_size(Segment& segment) const {
    const auto number = static_cast<double>(&segment - segments_.data());
    const double phase = number / static_cast<double>(segments_.size());
    std::uint32_t size = segment.bucket_count;
    while (size == segment.bucket_count)
      size = static_cast<std::uint32_t>(std::pow(growth_factor, phase + segment.growths++));
    return size;
  }

  [[gnu::noinline]] void grow(Segment& segment) {
    const std::uint32_t bucket_count = grown_size(segment);
    Memory old = std::move(segment.memory);
    const std::uint32_t old_count = std::exchange(segment.bucket_count, bucket_count);
    try {
      segment.memory = Memory(std::size_t{bucket_count} * sizeof(Bucket));
    } catch (...) {  // out of memory: the table stays as it was
      segment.memory = std::move(old);
      segment.bucket_count = old_count;
      --segment.growths;
      throw;
    }
    index_bytes_ += segment.memory.size() - old.size();
    segment.grow_at = static_cast<std::uint32_t>(std::uint64_t{bucket_count} * Bucket::entries * 9 / 10);

    const auto* bucket = reinterpret_cast<const Bucket*>(old.data());
    std::array<StateId, rehash_batch + Bucket::entries> pending;
    std::size_t count = 0;
    for (std::uint32_t b = 0; b < old_count; ++b, ++bucket) {
      for (unsigned i = 0; i < bucket->used; ++i) {
        pending[count++] = bucket->id[i];
        prefetch(states_[bucket->id[i]], state_bytes_);
      }
      if (count >= rehash_batch) count = move_in(segment, pending.data(), count);
    }
    move_in(segment, pending.data(), count);
  }

  // Enters states that are known to be different from all that are there.
  std::size_t move_in(Segment& segment, const StateId* ids, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t h = hash(states_[ids[i]]);
      std::size_t b = home(segment, h);
      while (segment.buckets()[b].full()) b = next(segment, b);
      segment.buckets()[b].add(tag_of(h), ids[i]);
    }
    return 0;
  }

  std::size_t state_bytes_;
  std::uint64_t limit_;
  unsigned segment_bits_;
  PagedArray states_;
  std::vector<Segment> segments_;
  std::uint64_t index_bytes_ = 0;
};

static_assert(StateTable<SegmentedTable<>>);

}  // namespace tideline
