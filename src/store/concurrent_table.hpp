// ConcurrentTable: one set of states shared by many threads.
//
// How a state is written down is a parameter, Records: as its bytes (StateRecords below), or as two numbers of
// parts of states that are kept elsewhere (tree_table.hpp). See below for what the table needs of them.
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
// How segments grow while threads are inside is in shared_segments.hpp.
//
// When a segment is nearly full is found out by counting one state in eight, chosen by its hash: the counter is in
// the cache of another core nearly every time. A segment that is full before that grows as well.
//
// Beside its state a record may carry some bytes of the search's own (`extra`, zeroed). They are aligned to 4
// bytes when their number is a multiple of 4.
//
// Invariants: entries of a bucket are filled from 0 on and never removed; every state is in the first bucket
// from its home on that had room when it came.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "store/concurrent_array.hpp"
#include "store/hash.hpp"
#include "store/memory.hpp"
#include "store/shared_segments.hpp"
#include "store/state_table.hpp"

namespace tideline {

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

  [[gnu::always_inline]] Matches matches(std::uint8_t wanted) const {
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

  /// Only one thread sets the tag of an entry, so that the byte can be stored without locking the line.
  [[gnu::always_inline]] void set_tag(unsigned entry, std::uint8_t tag) {
    if constexpr (std::endian::native == std::endian::little)
      std::atomic_ref(reinterpret_cast<std::uint8_t*>(tags)[entry]).store(tag, std::memory_order_release);
    else
      tags[entry / 8].fetch_or(std::uint64_t{tag} << 8 * (entry % 8), std::memory_order_release);
  }
};
static_assert(sizeof(SharedBucket) == cache_line);

}  // namespace detail

/// States as their bytes. The extra bytes share the state's cache line, which a lookup has brought in anyway.
///
/// Records for a table are any type with these functions and constants; each record is written once, before
/// other threads know its number.
template <class Hash = StateHash>
class StateRecords {
 public:
  using Key = const std::byte*;  ///< what is inserted and looked up

  static constexpr bool states_stay = true;  ///< see SegmentedTable
  /// A segment becomes larger by this: less means less unused memory, and hashing more often again.
  static constexpr double growth_factor = 1.5;

  StateRecords(std::size_t state_bytes, std::size_t extra_bytes, std::uint64_t most_records)
      : state_bytes_(state_bytes),
        extra_bytes_(extra_bytes),
        records_(record_bytes(state_bytes, extra_bytes), most_records, small_pages) {}

  std::size_t records_a_page() const { return records_.records_a_page(); }
  /// Makes sure that there is memory for the records of a page.
  void require(std::size_t first) { records_.require(first); }
  /// See ConcurrentArray.
  std::span<std::byte> due_after(std::size_t first, std::size_t count) const {
    return records_.due_after(first, count);
  }
  std::uint64_t bytes_of(std::uint64_t records) const { return records_.bytes_of(records); }
  /// See ConcurrentArray.
  void drop_below(StateId first) { records_.drop_below(first); }

  /// Records that are written soon are asked for: the compare-and-swap that publishes this one waits until it is in the cache.
  void write(StateId id, Key state) {
    std::byte* const record = records_[id];
    copy_state(record + extra_bytes_, state, state_bytes_);
    prefetch_line_to_write(record + written_ahead);
  }
  [[gnu::always_inline]] bool is(StateId id, Key other) const {
    return same_state(state(id), other, state_bytes_);
  }
  [[gnu::always_inline]] std::uint64_t hash(Key state) const { return Hash{}(state, state_bytes_); }
  std::uint64_t hash_of(StateId id) const { return hash(state(id)); }
  [[gnu::always_inline]] void prefetch(StateId id) const { tideline::prefetch(state(id), state_bytes_); }

  [[gnu::always_inline]] Key state(StateId id) const { return records_[id] + extra_bytes_; }
  std::byte* extra(StateId id) const { return records_[id]; }

 private:
  static constexpr std::size_t written_ahead = 4 * cache_line;
  static constexpr std::size_t small_pages = std::size_t{2} << 20;  // bytes at the start without huge pages

  static std::size_t record_bytes(std::size_t state_bytes, std::size_t extra_bytes) {
    const std::size_t bytes = extra_bytes + state_bytes;
    return extra_bytes != 0 && extra_bytes % 4 == 0 ? (bytes + 3) / 4 * 4 : bytes;
  }

  std::size_t state_bytes_;
  std::size_t extra_bytes_;
  ConcurrentArray records_;
};

template <class Records = StateRecords<>>
class ConcurrentTable {
 public:
  using Key = typename Records::Key;

  static constexpr bool states_stay = requires { requires Records::states_stay; };

  struct Options {
    unsigned workers = 1;
    std::size_t extra_bytes = 0;
    std::uint64_t states = no_state;  ///< the table gives out no number from here on
    unsigned segment_bits = 12;
    Presences presences = {};  ///< shared with other tables; nothing: the table's own
  };

  class Access;

  ConcurrentTable(std::size_t state_bytes, Options options)
      : limit_(std::min<std::uint64_t>(options.states, no_state)),
        segment_bits_(options.segment_bits),
        records_(state_bytes, options.extra_bytes, limit_),
        block_size_(
            static_cast<std::uint32_t>(std::min<std::size_t>(largest_block, records_.records_a_page()))),
        segments_({.segment_bits = options.segment_bits,
                   .growth_factor = Records::growth_factor,
                   .least_buckets = least_buckets,
                   .most_buckets = most_buckets(),
                   .presences = options.presences ? options.presences : make_presences(options.workers)}),
        fill_(segments_.count()) {
    for (unsigned worker = 0; worker < options.workers; ++worker)
      accesses_.push_back(std::make_unique<Access>(*this, segments_.presence(worker)));
  }

  /// The way in for one thread.
  Access& access(unsigned worker) { return *accesses_[worker]; }

  const Records& records() const { return records_; }
  Records& records() { return records_; }
  [[gnu::always_inline]] Key state(StateId id) const { return records_.state(id); }
  /// The search's own bytes of a state.
  std::byte* extra(StateId id) const { return records_.extra(id); }
  [[gnu::always_inline]] std::uint64_t hash(Key state) const { return records_.hash(state); }

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

  /// For somebody who needs no lookup any more: from now on states can be read, and nothing else.
  void drop_index() { segments_.drop(); }

  std::uint64_t memory_bytes() const {
    return records_.bytes_of(number_bound()) + segments_.memory_bytes() + fill_.size() * sizeof fill_[0];
  }

 private:
  using Bucket = detail::SharedBucket;

  struct NoLayout {};
  using Segments = SharedSegments<Bucket, NoLayout>;
  using Segment = typename Segments::Segment;

  static constexpr std::uint32_t largest_block = 256;
  static constexpr std::uint32_t one_counted_in = 8;  // of the states in a segment
  static constexpr std::size_t rehash_ahead = 16;
  static constexpr std::uint32_t buckets_ahead = 8;
  // Of a segment with states. Sixteen lie together, and take as many pages as one of them.
  static constexpr std::uint32_t least_buckets = 7;

  // Segment from the top bits, home bucket from the 32 bits below, tag from the lowest 8.
  [[gnu::always_inline]] std::size_t segment_of(std::uint64_t hash) const {
    return segment_bits_ == 0 ? 0 : static_cast<std::size_t>(hash >> (64 - segment_bits_));
  }
  [[gnu::always_inline]] std::size_t home(std::uint32_t bucket_count, std::uint64_t hash) const {
    const std::uint64_t fraction = hash << segment_bits_ >> 32;
    return static_cast<std::size_t>(fraction * bucket_count >> 32);
  }
  [[gnu::always_inline]] static std::uint8_t tag_of(std::uint64_t hash) {
    const auto tag = static_cast<std::uint8_t>(hash);
    return tag == 0 ? 1 : tag;
  }
  static std::uint32_t fill_limit(std::uint32_t bucket_count) {
    return static_cast<std::uint32_t>(std::uint64_t{bucket_count} * Bucket::entries * 9 / 10);
  }

  /// Buckets of a segment for which there are addresses: a hash may prefer some segments, but not by much
  /// when there are many states.
  std::size_t most_buckets() const {
    constexpr std::uint64_t most_uneven = 1 << 17;
    const std::uint64_t states = std::min(limit_, (2 * limit_ >> segment_bits_) + most_uneven);
    return static_cast<std::size_t>(Records::growth_factor * static_cast<double>(states) /
                                    (Bucket::entries * 0.9)) +
           32;
  }
  /// Gives more buckets to a segment that the caller has for itself. `old` is for what was in it.
  void rebuild(std::size_t segment, std::vector<StateId>& old) {
    const std::uint32_t old_count = segments_[segment].bucket_count.load(std::memory_order_relaxed);
    old.clear();
    old.reserve(std::size_t{old_count} * Bucket::entries);
    const std::uint32_t bucket_count = segments_.next_size(segment);
    for (std::uint32_t b = 0; b < old_count; ++b) {
      if (b + buckets_ahead < old_count)
        prefetch_line_to_write(&segments_.bucket_at(segment, b + buckets_ahead));
      Bucket& bucket = segments_.bucket_at(segment, b);
      for (auto& entry : bucket.number)
        if (const StateId number = entry.load(std::memory_order_relaxed); number != 0) {
          old.push_back(number - 1);
          entry.store(0, std::memory_order_relaxed);
        }
      for (auto& tags : bucket.tags) tags.store(0, std::memory_order_relaxed);
    }
    segments_.resize(segment, bucket_count);
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (i + rehash_ahead < old.size()) records_.prefetch(old[i + rehash_ahead]);
      move_in(segment, bucket_count, old[i]);
    }
  }

  // Enters a state that is known to be different from all that are there.
  void move_in(std::size_t segment, std::uint32_t bucket_count, StateId id) {
    const std::uint64_t h = records_.hash_of(id);
    for (std::size_t b = home(bucket_count, h);; b = b + 1 == bucket_count ? 0 : b + 1) {
      Bucket& bucket = segments_.bucket_at(segment, b);
      const unsigned untagged = bucket.matches(0).untagged;
      if (untagged == 0) continue;
      const auto entry = static_cast<unsigned>(std::countr_zero(untagged));
      bucket.number[entry].store(id + 1, std::memory_order_relaxed);
      bucket.set_tag(entry, tag_of(h));
      return;
    }
  }

  std::uint64_t limit_;
  unsigned segment_bits_;
  Records records_;
  std::uint32_t block_size_;
  std::atomic<std::uint64_t> next_block_{0};
  Segments segments_;
  std::vector<std::atomic<std::uint32_t>> fill_;  // by segment: states in it that are counted
  std::vector<std::unique_ptr<Access>> accesses_;
};

/// One thread's way into the table: a StateTable, except that numbers come in blocks.
template <class Records>
class alignas(2 * cache_line) ConcurrentTable<Records>::Access {
 public:
  Access(ConcurrentTable& table, Presence& presence) : table_(table), presence_(presence) {}

  Presence& presence() { return presence_; }

  Insertion insert(Key state, std::uint64_t hash) {
    const Presence::Stay stay(presence_);
    const std::size_t s = table_.segment_of(hash);
    Segment& segment = table_.segments_[s];
    for (;;) {
      Segments::wait_for(segment, presence_);
      const std::uint16_t version = segment.version.load(std::memory_order_relaxed);
      Insertion result;
      const bool room = try_insert(s, state, hash, result);
      if (!room || (result.inserted && is_counted(hash) && is_full(s))) [[unlikely]]
        table_.segments_.grow(segment, version, presence_, [&] { table_.rebuild(s, old_); });
      if (!due_.empty()) [[unlikely]]
        fetch_due();
      if (room) return result;
    }
  }

  /// To insert or find this state now means to wait until another thread has made its segment larger.
  bool must_wait(std::uint64_t hash) const {
    return table_.segments_[table_.segment_of(hash)].growing.load(std::memory_order_relaxed);
  }

  StateId find(Key state, std::uint64_t hash) {
    const Presence::Stay stay(presence_);
    const std::size_t s = table_.segment_of(hash);
    Segment& segment = table_.segments_[s];
    Segments::wait_for(segment, presence_);
    const std::uint32_t count = segment.bucket_count.load(std::memory_order_relaxed);
    std::size_t b = count == 0 ? 0 : table_.home(count, hash);
    for (std::uint32_t probes = 0; probes < count; ++probes, b = b + 1 == count ? 0 : b + 1) {
      const Bucket& bucket = table_.segments_.bucket_at(s, b);
      const auto [same, untagged] = bucket.matches(tag_of(hash));
      for (unsigned mask = same; mask != 0; mask &= mask - 1)
        if (const StateId id = id_at(bucket, mask); table_.records_.is(id, state)) return id;
      for (unsigned mask = untagged; mask != 0; mask &= mask - 1) {
        const StateId id = id_at(bucket, mask);
        if (id == no_state) return no_state;
        if (table_.records_.is(id, state)) return id;
      }
    }
    return no_state;
  }

  [[gnu::always_inline]] Key state(StateId id) const { return table_.state(id); }
  std::uint64_t size() const { return table_.size(); }
  [[gnu::always_inline]] std::uint64_t hash(Key state) const { return table_.hash(state); }
  std::uint64_t memory_bytes() const { return table_.memory_bytes(); }

  void prefetch_index(std::uint64_t hash) const {
    const std::size_t s = table_.segment_of(hash);
    const std::uint32_t count = table_.segments_[s].bucket_count.load(std::memory_order_relaxed);
    prefetch_line_to_write(&table_.segments_.bucket_at(s, table_.home(count, hash)));
  }

  void prefetch_state(std::uint64_t hash) {
    const Presence::Stay stay(presence_);
    const std::size_t s = table_.segment_of(hash);
    const Segment& segment = table_.segments_[s];
    if (segment.growing.load(std::memory_order_seq_cst)) return;
    const std::uint32_t count = segment.bucket_count.load(std::memory_order_relaxed);
    if (count == 0) return;
    const std::size_t home = table_.home(count, hash);
    const Bucket& bucket = table_.segments_.bucket_at(s, home);
    const auto [same, untagged] = bucket.matches(tag_of(hash));
    if (same != 0) {
      table_.records_.prefetch(id_at(bucket, same));
    } else {  // probably new
      if (untagged == 0)
        prefetch_line_to_write(&table_.segments_.bucket_at(s, home + 1 == count ? 0 : home + 1));
      if (is_counted(hash)) prefetch_line_to_write(&table_.fill_[s]);
    }
  }

 private:
  friend class ConcurrentTable;

  [[gnu::always_inline]] static StateId id_at(const Bucket& bucket, unsigned mask) {
    return bucket.number[std::countr_zero(mask)].load(std::memory_order_acquire) - 1;
  }

  /// False: no bucket has room; the segment must grow.
  bool try_insert(std::size_t s, Key state, std::uint64_t hash, Insertion& result) {
    const std::uint32_t count = table_.segments_[s].bucket_count.load(std::memory_order_relaxed);
    const std::uint8_t tag = tag_of(hash);
    StateId fresh = no_state;
    std::size_t b = count == 0 ? 0 : table_.home(count, hash);
    for (std::uint32_t probes = 0; probes < count; ++probes, b = b + 1 == count ? 0 : b + 1) {
      Bucket& bucket = table_.segments_.bucket_at(s, b);
      const auto [same, untagged] = bucket.matches(tag);
      for (unsigned mask = same; mask != 0; mask &= mask - 1)
        if (const StateId id = id_at(bucket, mask); table_.records_.is(id, state)) return known(id, result);
      for (unsigned mask = untagged; mask != 0; mask &= mask - 1) {
        const auto entry = static_cast<unsigned>(std::countr_zero(mask));
        StateId number = bucket.number[entry].load(std::memory_order_acquire);
        if (number == 0) {
          if (fresh == no_state && (fresh = write_record(state)) == no_state) return known(no_state, result);
          if (bucket.number[entry].compare_exchange_strong(number, fresh + 1, std::memory_order_acq_rel)) {
            bucket.set_tag(entry, tag);
            ++next_;
            states_.store(states_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            result = {fresh, true};
            return true;
          }
        }
        if (table_.records_.is(number - 1, state)) return known(number - 1, result);
      }
    }
    return false;
  }

  static bool known(StateId id, Insertion& result) {
    result = {id, false};
    return true;
  }

  /// Writes the state into this thread's next record, and leaves it there until it is published.
  StateId write_record(Key state) {
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
      if constexpr (requires { table_.records_.due_after(first, 1); })
        due_ = table_.records_.due_after(first, block_end_ - first);
    }
    table_.records_.write(static_cast<StateId>(next_), state);
    return static_cast<StateId>(next_);
  }

  /// Outside, because it takes long.
  [[gnu::noinline]] void fetch_due() {
    presence_.step_out();
    Memory::fetch(std::exchange(due_, {}));
    presence_.step_in();
  }

  /// By bits of the hash that have no other use here.
  static bool is_counted(std::uint64_t hash) { return (hash >> 8) % one_counted_in == 0; }

  bool is_full(std::size_t s) {
    return (table_.fill_[s].fetch_add(1, std::memory_order_relaxed) + 1) * one_counted_in >=
           fill_limit(table_.segments_[s].bucket_count.load(std::memory_order_relaxed));
  }

  ConcurrentTable& table_;
  Presence& presence_;
  std::uint64_t next_ = 0;  // the record to write next, in this thread's block
  std::uint64_t block_end_ = 0;
  std::span<std::byte> due_;  // memory for records that should come from the system now
  std::atomic<std::uint64_t> states_{0};
  std::vector<StateId> old_;  // what was in a segment that this thread makes larger
};

template <class Records>
std::vector<StateRange> ConcurrentTable<Records>::ranges() const {
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
