// SegmentedTable: the StateTable for one thread and everything in memory.
//
// States lie one after the other in a PagedArray; beside it is an index from hashes to state numbers
// (see bucket_index.hpp). A line of the index holds between 7 and 11 states, so a state costs 7.3 bytes
// beside its own.
//
// Growing must neither stop the search nor double the memory. The index is cut into segments by the top bits
// of the hash. Each grows alone, by a factor of 1.5, and their sizes are staggered so that at any time they
// are spread evenly between just grown and about to grow: with 256 segments a growth moves half a percent of
// the table, and what is needed twice meanwhile is that one segment. A segment has no memory before its first
// state, so a table of ten states takes a few kilobytes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/bucket_index.hpp"
#include "store/hash.hpp"
#include "store/paged_array.hpp"
#include "store/state_table.hpp"

namespace tideline {

template <class Hash = StateHash>
class SegmentedTable {
 public:
  static constexpr bool states_stay = true;  ///< where they are, for as long as the table is there

  struct Limits {
    std::uint64_t states = no_state;  ///< the table is full with this many
    unsigned segment_bits = 8;        ///< 2^segment_bits segments; fewer for tables known to stay small
    std::size_t page_bytes = PagedArray::largest_page;  ///< small pages come from the general allocator
  };

  explicit SegmentedTable(std::size_t state_bytes) : SegmentedTable(state_bytes, Limits{}) {}
  SegmentedTable(std::size_t state_bytes, Limits limits)
      : state_bytes_(state_bytes),
        limit_(std::min<std::uint64_t>(limits.states, no_state)),
        segment_bits_(limits.segment_bits),
        states_(state_bytes, limits.page_bytes),
        segments_(std::size_t{1} << limits.segment_bits) {}

  std::uint64_t size() const { return states_.size(); }
  const std::byte* state(StateId id) const { return states_[id]; }
  std::uint64_t hash(const std::byte* state) const { return Hash{}(state, state_bytes_); }

  Insertion insert(const std::byte* state, std::uint64_t hash) {
    Segment& segment = segments_[segment_of(hash)];
    if (segment.index.crowded()) [[unlikely]]
      grow(segment);
    return segment.index.find_or_add(key_of(hash), same_as(state), [&] {
      if (states_.size() >= limit_) [[unlikely]]
        return no_state;
      states_.append(state);
      return static_cast<StateId>(states_.size() - 1);
    });
  }

  StateId find(const std::byte* state, std::uint64_t hash) const {
    return segments_[segment_of(hash)].index.find(key_of(hash), same_as(state));
  }

  void prefetch_index(std::uint64_t hash) const { segments_[segment_of(hash)].index.prefetch(key_of(hash)); }

  void prefetch_state(std::uint64_t hash) const {
    const StateId likely = segments_[segment_of(hash)].index.likely(key_of(hash));
    if (likely != no_state) prefetch(states_[likely], state_bytes_);
  }

  /// The states alone, for somebody who needs no lookup any more; the memory of the index goes back at once.
  PagedArray take_states() && {
    segments_.clear();
    return std::move(states_);
  }

  std::uint64_t memory_bytes() const {
    return states_.memory_bytes() + index_bytes_ + segments_.capacity() * sizeof(Segment);
  }

 private:
  struct Segment {
    BucketIndex index;
    std::uint32_t growths = 0;
  };

  static constexpr double growth_factor = 1.5;

  // Segment from the top bits, home bucket from the 32 bits below, tag from the lowest 8.
  std::size_t segment_of(std::uint64_t hash) const {
    return segment_bits_ == 0 ? 0 : static_cast<std::size_t>(hash >> (64 - segment_bits_));
  }
  BucketIndex::Key key_of(std::uint64_t hash) const {
    return {static_cast<std::uint32_t>(hash << segment_bits_ >> 32), static_cast<std::uint8_t>(hash)};
  }
  auto same_as(const std::byte* state) const {
    return [this, state](StateId id) { return same_state(states_[id], state, state_bytes_); };
  }

  // Sizes of segment s of S follow the curve 1.5^(k + s/S): at any time the segments are spread evenly over
  // one factor of 1.5.
  void grow(Segment& segment) {
    const auto number = static_cast<double>(&segment - segments_.data());
    const double phase = number / static_cast<double>(segments_.size());
    const std::uint32_t old_growths = segment.growths;
    std::uint32_t buckets = segment.index.bucket_count();
    while (buckets == segment.index.bucket_count())
      buckets = static_cast<std::uint32_t>(std::pow(growth_factor, phase + segment.growths++));
    const std::size_t old_bytes = segment.index.memory_bytes();
    try {
      segment.index.grow(
          buckets, [&](StateId id) { return key_of(hash(states_[id])); },
          [&](StateId id) { prefetch(states_[id], state_bytes_); });
    } catch (...) {  // out of memory: the table stays as it was
      segment.growths = old_growths;
      throw;
    }
    index_bytes_ += segment.index.memory_bytes() - old_bytes;
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
