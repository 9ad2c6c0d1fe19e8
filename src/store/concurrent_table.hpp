// ConcurrentTable: one set of states shared by many threads.
//
// The same two facts as in segmented_table.hpp shape it: a bucket is one cache line with twelve tags and
// twelve numbers, and the index grows segment by segment, so that growing neither stops the search nor
// doubles the memory. What sharing adds:
//
// Inserting takes no lock. A thread writes the state into a record of its own first and then publishes its
// number in the first empty entry of the bucket, by compare-and-swap; the tag follows. A thread that loses
// the race compares with what the winner put there and continues, reusing its record. An entry that has a
// number but no tag yet is compared in full. Numbers are given out in blocks, one block to a thread at a
// time, so threads meet neither on a counter nor on a cache line of states; the last block of each thread has
// unused numbers.
//
// Growing waits for readers, not the other way round. A thread announces when it is inside the table (its
// presence, a counter that is odd inside). A thread that grows a segment raises the segment's flag, waits
// until every thread that was inside has left or moved on, and then has the segment for itself; a thread that
// sees the flag steps outside and waits. There are many segments (2^12), so each is small, threads seldom
// meet at one that grows, and the work of growing is spread over all of them.
//
// Beside its state a record may carry some bytes of the search's own (`extra`, zeroed): they share the
// state's cache line, which a lookup has brought in anyway. They are aligned to 4 bytes when their number is
// a multiple of 4.
//
// Invariants: entries of a bucket are filled from 0 on and never removed; every state is in the first bucket
// from its home on that had room when it came; the buckets of a segment change only while its flag is up and
// no other thread is inside.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "store/concurrent_array.hpp"
#include "store/hash.hpp"
#include "store/state_table.hpp"

namespace tideline {

/// Consecutive states: first, first + 1, ...
struct StateRange {
  StateId first = 0;
  std::uint32_t count = 0;
};

namespace detail {

struct alignas(cache_line) SharedBucket {
  static constexpr unsigned entries = 12;

  /// Entries by what their tags say: those with the wanted tag, and those without one yet.
  struct Matches {
    unsigned same;
    unsigned untagged;
  };

  std::atomic<std::uint64_t> tags[2];    // a byte per entry; 0: empty, or not tagged yet
  std::atomic<StateId> number[entries];  // the state's number plus one; 0: empty

  Matches matches(std::uint8_t wanted) const {
    const std::uint64_t low = tags[0].load(std::memory_order_acquire);
    const std::uint64_t high = tags[1].load(std::memory_order_acquire);
#ifdef __SSE2__
    const __m128i all = _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
    const auto equal = [&](char tag) {
      return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8(tag)))) &
             ((1u << entries) - 1);
    };
    return {equal(static_cast<char>(wanted)), equal(0)};
#else
    Matches found{0, 0};
    for (unsigned i = 0; i < entries; ++i) {
      const auto tag = static_cast<std::uint8_t>((i < 8 ? low : high) >> 8 * (i % 8));
      found.same |= static_cast<unsigned>(tag == wanted) << i;
      found.untagged |= static_cast<unsigned>(tag == 0) << i;
    }
    return found;
#endif
  }

  void set_tag(unsigned entry, std::uint8_t tag) {
    tags[entry / 8].fetch_or(std::uint64_t{tag} << 8 * (entry % 8), std::memory_order_release);
  }
};
static_assert(sizeof(SharedBucket) == cache_line);

}  // namespace detail

template <class Hash = StateHash>
class ConcurrentTable {
 public:
  struct Options {
    unsigned workers = 1;
    std::size_t extra_bytes = 0;
    std::uint64_t states = no_state;  ///< the table gives out no number from here on
    unsigned segment_bits = 12;
  };

  class Access;

  ConcurrentTable(std::size_t state_bytes, Options options)
      : state_bytes_(state_bytes),
        extra_bytes_(options.extra_bytes),
        limit_(std::min<std::uint64_t>(options.states, no_state)),
        segment_bits_(options.segment_bits),
        records_(record_bytes(state_bytes, options.extra_bytes), limit_),
        block_size_(
            static_cast<std::uint32_t>(std::min<std::size_t>(largest_block, records_.records_a_page()))),
        segments_(std::size_t{1} << options.segment_bits),
        stock_(segments_.size()),
        fill_(segments_.size()) {
    for (unsigned worker = 0; worker < options.workers; ++worker)
      accesses_.push_back(std::make_unique<Access>(*this));
  }

  /// The way in for one thread.
  Access& access(unsigned worker) { return *accesses_[worker]; }

  const std::byte* state(StateId id) const { return records_[id] + extra_bytes_; }
  /// The search's own bytes of a state.
  std::byte* extra(StateId id) const { return records_[id]; }
  std::uint64_t hash(const std::byte* state) const { return Hash{}(state, state_bytes_); }

  /// States so far; numbers in use are below number_bound(), but not all of those are in use.
  std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (const auto& access : accesses_) sum += access->states_.load(std::memory_order_relaxed);
    return sum;
  }
  std::uint64_t number_bound() const {
    return std::min(limit_, next_block_.load(std::memory_order_relaxed) * block_size_);
  }
  /// The numbers in use, in order. Only while no thread inserts.
  std::vector<StateRange> ranges() const;

  std::uint64_t memory_bytes() const {
    return records_.bytes_of(number_bound()) + index_bytes_.load(std::memory_order_relaxed) +
           segments_.size() * (sizeof(Segment) + sizeof(Stock) + sizeof fill_[0]);
  }

 private:
  using Bucket = detail::SharedBucket;

  // Read by every operation and changed only by growing; small, so that all of them stay in the cache. What
  // growing alone needs is in stock_, what every insertion changes in fill_.
  struct Segment {
    std::atomic<Bucket*> buckets{nullptr};
    std::atomic<std::uint32_t> bucket_count{0};
    std::atomic<bool> growing{false};
  };
  struct Stock {
    Memory memory = {};
    std::uint32_t growths = 0;
  };

  static constexpr std::uint32_t largest_block = 256;
  static constexpr double growth_factor = 1.5;
  static constexpr std::size_t rehash_batch = 16;

  static std::size_t record_bytes(std::size_t state_bytes, std::size_t extra_bytes) {
    const std::size_t bytes = extra_bytes + state_bytes;
    return extra_bytes != 0 && extra_bytes % 4 == 0 ? (bytes + 3) / 4 * 4 : bytes;
  }

  // Segment from the top bits, home bucket from the 32 bits below, tag from the lowest 8.
  std::size_t segment_of(std::uint64_t hash) const {
    return segment_bits_ == 0 ? 0 : static_cast<std::size_t>(hash >> (64 - segment_bits_));
  }
  std::size_t index_of(const Segment& segment) const {
    return static_cast<std::size_t>(&segment - segments_.data());
  }
  std::size_t home(std::uint32_t bucket_count, std::uint64_t hash) const {
    const std::uint64_t fraction = hash << segment_bits_ >> 32;
    return static_cast<std::size_t>(fraction * bucket_count >> 32);
  }
  static std::uint8_t tag_of(std::uint64_t hash) {
    const auto tag = static_cast<std::uint8_t>(hash);
    return tag == 0 ? 1 : tag;
  }
  static std::uint32_t fill_limit(std::uint32_t bucket_count) {
    return static_cast<std::uint32_t>(std::uint64_t{bucket_count} * Bucket::entries * 9 / 10);
  }
  bool is(StateId id, const std::byte* state) const {
    return same_state(this->state(id), state, state_bytes_);
  }

  // As in SegmentedTable: sizes of segment s of S follow the curve 1.5^(k + s/S).
  std::uint32_t grown_size(std::size_t segment) {
    const double phase = static_cast<double>(segment) / static_cast<double>(segments_.size());
    const std::uint32_t old = segments_[segment].bucket_count.load(std::memory_order_relaxed);
    std::uint32_t size = old;
    while (size == old)
      size = static_cast<std::uint32_t>(std::pow(growth_factor, phase + stock_[segment].growths++));
    return size;
  }

  /// Replaces the buckets of a segment that the caller has for itself.
  void rebuild(std::size_t index) {
    Segment& segment = segments_[index];
    Stock& stock = stock_[index];
    const std::uint32_t growths = stock.growths;
    const std::uint32_t bucket_count = grown_size(index);
    Memory memory;
    try {
      memory = Memory(std::size_t{bucket_count} * sizeof(Bucket));
    } catch (...) {  // out of memory: the segment stays as it was
      stock.growths = growths;
      throw;
    }
    auto* const buckets = reinterpret_cast<Bucket*>(memory.data());
    const Bucket* bucket = segment.buckets.load(std::memory_order_relaxed);
    const std::uint32_t old_count = segment.bucket_count.load(std::memory_order_relaxed);
    std::array<StateId, rehash_batch + Bucket::entries> pending;
    std::size_t count = 0;
    for (std::uint32_t b = 0; b < old_count; ++b, ++bucket) {
      for (unsigned i = 0; i < Bucket::entries; ++i) {
        const StateId number = bucket->number[i].load(std::memory_order_relaxed);
        if (number == 0) break;
        pending[count++] = number - 1;
        prefetch(state(number - 1), state_bytes_);
      }
      if (count >= rehash_batch) count = move_in(buckets, bucket_count, pending.data(), count);
    }
    move_in(buckets, bucket_count, pending.data(), count);

    index_bytes_.fetch_add(memory.size() - stock.memory.size(), std::memory_order_relaxed);
    stock.memory = std::move(memory);
    segment.buckets.store(buckets, std::memory_order_relaxed);
    segment.bucket_count.store(bucket_count, std::memory_order_relaxed);
  }

  // Enters states that are known to be different from all that are there.
  std::size_t move_in(Bucket* buckets, std::uint32_t bucket_count, const StateId* ids, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t h = hash(state(ids[i]));
      for (std::size_t b = home(bucket_count, h);; b = b + 1 == bucket_count ? 0 : b + 1) {
        const unsigned untagged = buckets[b].matches(0).untagged;
        if (untagged == 0) continue;
        const auto entry = static_cast<unsigned>(std::countr_zero(untagged));
        buckets[b].number[entry].store(ids[i] + 1, std::memory_order_relaxed);
        buckets[b].set_tag(entry, tag_of(h));
        break;
      }
    }
    return 0;
  }

  std::size_t state_bytes_;
  std::size_t extra_bytes_;
  std::uint64_t limit_;
  unsigned segment_bits_;
  ConcurrentArray records_;
  std::uint32_t block_size_;
  std::atomic<std::uint64_t> next_block_{0};
  std::vector<Segment> segments_;
  std::vector<Stock> stock_;
  std::vector<std::atomic<std::uint32_t>> fill_;  // by segment: states in it
  std::atomic<std::uint64_t> index_bytes_{0};
  std::vector<std::unique_ptr<Access>> accesses_;
};

/// One thread's way into the table: a StateTable, except that numbers come in blocks.
template <class Hash>
class alignas(cache_line) ConcurrentTable<Hash>::Access {
 public:
  explicit Access(ConcurrentTable& table) : table_(table) {}

  /// Keeps the thread inside while it exists, which makes the operations cheaper. Short stretches only.
  class Stay {
   public:
    explicit Stay(Access& access) : access_(access) {
      if (access_.stays_++ == 0) access_.step_in();
    }
    ~Stay() {
      if (--access_.stays_ == 0) access_.step_out();
    }
    Stay(const Stay&) = delete;

   private:
    Access& access_;
  };

  Insertion insert(const std::byte* state, std::uint64_t hash) {
    const Stay stay(*this);
    Segment& segment = table_.segments_[table_.segment_of(hash)];
    for (;;) {
      wait_for(segment);
      const std::uint32_t count = segment.bucket_count.load(std::memory_order_relaxed);
      Insertion result;
      const bool room = try_insert(segment, state, hash, result);
      if (!room || (result.inserted && is_full(segment))) [[unlikely]]
        grow(segment, count);
      if (room) return result;
    }
  }

  StateId find(const std::byte* state, std::uint64_t hash) {
    const Stay stay(*this);
    Segment& segment = table_.segments_[table_.segment_of(hash)];
    wait_for(segment);
    const Bucket* const buckets = segment.buckets.load(std::memory_order_relaxed);
    const std::uint32_t count = segment.bucket_count.load(std::memory_order_relaxed);
    std::size_t b = count == 0 ? 0 : table_.home(count, hash);
    for (std::uint32_t probes = 0; probes < count; ++probes, b = b + 1 == count ? 0 : b + 1) {
      const auto [same, untagged] = buckets[b].matches(tag_of(hash));
      for (unsigned mask = same; mask != 0; mask &= mask - 1)
        if (const StateId id = id_at(buckets[b], mask); table_.is(id, state)) return id;
      for (unsigned mask = untagged; mask != 0; mask &= mask - 1) {
        const StateId id = id_at(buckets[b], mask);
        if (id == no_state) return no_state;
        if (table_.is(id, state)) return id;
      }
    }
    return no_state;
  }

  const std::byte* state(StateId id) const { return table_.state(id); }
  std::uint64_t size() const { return table_.size(); }
  std::uint64_t hash(const std::byte* state) const { return table_.hash(state); }
  std::uint64_t memory_bytes() const { return table_.memory_bytes(); }

  void prefetch_index(std::uint64_t hash) const {
    const Segment& segment = table_.segments_[table_.segment_of(hash)];
    // The two values may not belong together while the segment grows: a hint may go astray.
    const Bucket* const buckets = segment.buckets.load(std::memory_order_relaxed);
    const std::uint32_t count = segment.bucket_count.load(std::memory_order_relaxed);
    __builtin_prefetch(buckets + table_.home(count, hash), 1);
  }

  void prefetch_state(std::uint64_t hash) {
    const Stay stay(*this);
    const Segment& segment = table_.segments_[table_.segment_of(hash)];
    if (segment.growing.load(std::memory_order_seq_cst)) return;
    const std::uint32_t count = segment.bucket_count.load(std::memory_order_relaxed);
    if (count == 0) return;
    const Bucket& bucket = segment.buckets.load(std::memory_order_relaxed)[table_.home(count, hash)];
    if (const unsigned same = bucket.matches(tag_of(hash)).same; same != 0)
      prefetch(table_.state(id_at(bucket, same)), table_.state_bytes_);
  }

 private:
  friend class ConcurrentTable;

  static StateId id_at(const Bucket& bucket, unsigned mask) {
    return bucket.number[std::countr_zero(mask)].load(std::memory_order_acquire) - 1;
  }

  /// False: no bucket has room; the segment must grow.
  bool try_insert(Segment& segment, const std::byte* state, std::uint64_t hash, Insertion& result) {
    Bucket* const buckets = segment.buckets.load(std::memory_order_relaxed);
    const std::uint32_t count = segment.bucket_count.load(std::memory_order_relaxed);
    const std::uint8_t tag = tag_of(hash);
    StateId fresh = no_state;
    std::size_t b = count == 0 ? 0 : table_.home(count, hash);
    for (std::uint32_t probes = 0; probes < count; ++probes, b = b + 1 == count ? 0 : b + 1) {
      const auto [same, untagged] = buckets[b].matches(tag);
      for (unsigned mask = same; mask != 0; mask &= mask - 1)
        if (const StateId id = id_at(buckets[b], mask); table_.is(id, state)) return known(id, result);
      for (unsigned mask = untagged; mask != 0; mask &= mask - 1) {
        const auto entry = static_cast<unsigned>(std::countr_zero(mask));
        StateId number = buckets[b].number[entry].load(std::memory_order_acquire);
        if (number == 0) {
          if (fresh == no_state && (fresh = write_record(state)) == no_state) return known(no_state, result);
          if (buckets[b].number[entry].compare_exchange_strong(number, fresh + 1,
                                                               std::memory_order_acq_rel)) {
            buckets[b].set_tag(entry, tag);
            ++next_;
            states_.store(states_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            result = {fresh, true};
            return true;
          }
        }
        if (table_.is(number - 1, state)) return known(number - 1, result);
      }
    }
    return false;
  }

  static bool known(StateId id, Insertion& result) {
    result = {id, false};
    return true;
  }

  /// Writes the state into this thread's next record, and leaves it there until it is published.
  StateId write_record(const std::byte* state) {
    if (next_ == block_end_) {
      const std::uint64_t block = table_.next_block_.fetch_add(1, std::memory_order_relaxed);
      const std::uint64_t first = block * table_.block_size_;
      if (first >= table_.limit_) {
        table_.next_block_.fetch_sub(1, std::memory_order_relaxed);
        return no_state;
      }
      table_.records_.require(first);
      next_ = first;
      block_end_ = std::min(first + table_.block_size_, table_.limit_);
    }
    std::memcpy(table_.records_[next_] + table_.extra_bytes_, state, table_.state_bytes_);
    return static_cast<StateId>(next_);
  }

  bool is_full(Segment& segment) {
    std::atomic<std::uint32_t>& fill = table_.fill_[table_.index_of(segment)];
    return fill.fetch_add(1, std::memory_order_relaxed) + 1 >=
           fill_limit(segment.bucket_count.load(std::memory_order_relaxed));
  }

  void step_in() { presence_.store(++moves_, std::memory_order_seq_cst); }
  void step_out() { presence_.store(++moves_, std::memory_order_release); }

  /// Returns inside, with the segment not growing.
  void wait_for(Segment& segment) {
    while (segment.growing.load(std::memory_order_seq_cst)) [[unlikely]] {
        step_out();
        while (segment.growing.load(std::memory_order_acquire)) std::this_thread::yield();
        step_in();
      }
  }

  /// Makes a segment that had `count` buckets larger, unless another thread does or has done it.
  [[gnu::noinline]] void grow(Segment& segment, std::uint32_t count) {
    if (segment.growing.exchange(true, std::memory_order_seq_cst)) return;
    if (segment.bucket_count.load(std::memory_order_relaxed) != count) {
      segment.growing.store(false, std::memory_order_release);
      return;
    }
    step_out();
    for (const auto& other : table_.accesses_) {
      const std::uint64_t then = other->presence_.load(std::memory_order_seq_cst);
      if (then % 2 == 0) continue;
      while (other->presence_.load(std::memory_order_seq_cst) == then) std::this_thread::yield();
    }
    try {
      table_.rebuild(table_.index_of(segment));
    } catch (...) {
      segment.growing.store(false, std::memory_order_release);
      step_in();
      throw;
    }
    segment.growing.store(false, std::memory_order_release);
    step_in();
  }

  ConcurrentTable& table_;
  std::uint64_t next_ = 0;  // the record to write next, in this thread's block
  std::uint64_t block_end_ = 0;
  std::atomic<std::uint64_t> states_{0};
  unsigned stays_ = 0;
  std::uint64_t moves_ = 0;
  std::atomic<std::uint64_t> presence_{0};  // odd: inside
};

template <class Hash>
std::vector<StateRange> ConcurrentTable<Hash>::ranges() const {
  std::vector<StateRange> unused;
  for (const auto& access : accesses_)
    if (access->next_ != access->block_end_)
      unused.push_back({static_cast<StateId>(access->next_),
                        static_cast<std::uint32_t>(access->block_end_ - access->next_)});
  std::sort(unused.begin(), unused.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<StateRange> used;
  const auto end = static_cast<StateId>(number_bound());
  StateId at = 0;
  const auto add_up_to = [&](StateId stop) {
    if (stop > at) used.push_back({at, stop - at});
  };
  for (const StateRange& gap : unused) {
    add_up_to(gap.first);
    at = gap.first + gap.count;
  }
  add_up_to(end);
  return used;
}

}  // namespace tideline
