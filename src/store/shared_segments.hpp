// SharedSegments: the buckets of a hash table that many threads use and any of them makes larger.
//
// The table is cut into segments by bits of the hash, and each grows alone, so that growing neither stops the
// search nor doubles the memory. What is in a bucket, and how a segment is filled again, is the owner's business
// (concurrent_table.hpp, key_set.hpp).
//
// Growing waits for readers, not the other way round. A thread announces when it is inside the table (its
// Presence, a counter that is odd inside; several tables may share it). A thread that grows a segment raises the
// segment's flag, waits until every thread that was inside has left or moved on, and then has the segment for itself; a
// thread that sees the flag steps outside and waits. There are many segments, so each is small, threads seldom
// meet at one that grows, and the work of growing is spread over all of them.
//
// Growing asks the system for nothing. A segment that moved to a larger block would give its old one back,
// and each time all cores have to be told that these addresses are gone, which with many threads costs more
// than the searching. So all buckets lie in one range of addresses, reserved at the start and resident only
// as far as it is used: some buckets of each segment in turn, then the next ones of each (see bucket_at()). Segments grow at
// their own ends, within what becomes a dense array, which can have huge pages. The larger the segments are, the more buckets
// of each lie together: a huge page is resident as soon as one of the segments in it is so large, and then fewer segments
// share it; on the other hand only a part of what lies together at the end of a segment is in use.
//
// Invariant: the buckets of a segment change their places only while its flag is up and no other thread is inside.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "run/patience.hpp"
#include "store/memory.hpp"

namespace tideline {

/// Whether a thread is inside a table, or one of several that it works with at a time. It is written at every look-up, so
/// that no other thread's may be near: processors fetch lines in pairs.
class alignas(2 * cache_line) Presence {
 public:
  /// Keeps the thread inside while it exists, which makes the operations cheaper. Short stretches only, see step_aside().
  class Stay {
   public:
    [[gnu::always_inline]] explicit Stay(Presence& presence) : presence_(presence) {
      if (presence_.stays_++ == 0) presence_.step_in();
    }
    [[gnu::always_inline]] ~Stay() {
      if (--presence_.stays_ == 0) presence_.step_out();
    }
    Stay(const Stay&) = delete;

   private:
    Presence& presence_;
  };

  /// The thread has the tables for itself.
  void be_alone() { alone_ = true; }

  [[gnu::always_inline]] void step_in() {
    if (!alone_) moves_seen_.store(++moves_, std::memory_order_seq_cst);
  }
  [[gnu::always_inline]] void step_out() {
    if (!alone_) moves_seen_.store(++moves_, std::memory_order_release);
  }
  /// Outside and inside again, between two operations of a long stay, so that nobody has to wait until it is over.
  [[gnu::always_inline]] void step_aside() {
    if (!alone_ && stays_ != 0) moves_seen_.store(moves_ += 2, std::memory_order_seq_cst);
  }

  /// Returns when the thread has been outside since the call.
  void wait_for_exit() const {
    const std::uint64_t then = moves_seen_.load(std::memory_order_seq_cst);
    if (then % 2 == 0) return;
    for (Patience patience; moves_seen_.load(std::memory_order_seq_cst) == then;) patience.wait();
  }

 private:
  bool alone_ = false;
  unsigned stays_ = 0;
  std::uint64_t moves_ = 0;
  std::atomic<std::uint64_t> moves_seen_{0};  // odd: inside
};

/// One for each worker.
using Presences = std::shared_ptr<std::vector<Presence>>;

inline Presences make_presences(unsigned workers) {
  auto presences = std::make_shared<std::vector<Presence>>(workers);
  if (workers == 1) presences->front().be_alone();
  return presences;
}

/// `Layout`: what else is to be known of a segment at every look-up, of the owner's choice.
template <class Bucket, class Layout>
class SharedSegments {
 public:
  // Read by every operation and changed only by growing; small, so that all of them stay in the cache.
  struct Segment {
    std::atomic<std::uint32_t> bucket_count{0};
    std::atomic<std::uint16_t> version{0};  // another one each time it has grown
    std::atomic<bool> growing{false};
    [[no_unique_address]] Layout layout;
  };

  struct Options {
    unsigned segment_bits;
    double growth_factor;             ///< less means less unused memory, and moving everything more often
    std::uint32_t least_buckets = 2;  ///< of a segment that has any
    std::size_t most_buckets;         ///< of a segment
    Presences presences;
  };

  explicit SharedSegments(Options options)
      : growth_factor_(options.growth_factor),
        least_buckets_(options.least_buckets),
        segments_(std::size_t{1} << options.segment_bits),
        growths_(segments_.size()),
        buckets_(reserved(segments_.size() * options.most_buckets * sizeof(Bucket))),
        segment_bits_(options.segment_bits),
        capacity_(in_whole_rows(buckets_.size() / sizeof(Bucket) / segments_.size())),
        presences_(std::move(options.presences)) {}

  std::size_t count() const { return segments_.size(); }
  [[gnu::always_inline]] Segment& operator[](std::size_t index) { return segments_[index]; }
  [[gnu::always_inline]] const Segment& operator[](std::size_t index) const { return segments_[index]; }
  [[gnu::always_inline]] Bucket& bucket_at(std::size_t segment, std::size_t b) const {
    const unsigned together = together_at(b);
    return reinterpret_cast<Bucket*>(
        buckets_
            .data())[((b >> together << segment_bits_ | segment) << together) + (b & ((1u << together) - 1))];
  }
  Presence& presence(unsigned worker) const { return (*presences_)[worker]; }
  unsigned workers() const { return static_cast<unsigned>(presences_->size()); }

  std::uint64_t memory_bytes() const {
    return bytes_.load(std::memory_order_relaxed) + segments_.size() * (sizeof(Segment) + sizeof growths_[0]);
  }

  /// Gives all buckets back. Nothing but the destructor may follow.
  void drop() { buckets_ = Memory(); }

  /// Returns inside, with the segment not growing.
  [[gnu::always_inline]] static void wait_for(Segment& segment, Presence& presence) {
    while (segment.growing.load(std::memory_order_seq_cst)) [[unlikely]] {
        presence.step_out();
        for (Patience patience; segment.growing.load(std::memory_order_acquire);) patience.wait();
        presence.step_in();
      }
  }

  /// Calls rebuild() with the segment for the caller alone, unless another thread is about to grow it, or has
  /// grown it since it had this version.
  template <class Rebuild>
  [[gnu::noinline]] void grow(Segment& segment, std::uint16_t version, Presence& presence,
                              const Rebuild& rebuild) {
    if (segment.growing.exchange(true, std::memory_order_seq_cst)) return;
    if (segment.version.load(std::memory_order_relaxed) != version) {
      segment.growing.store(false, std::memory_order_release);
      return;
    }
    presence.step_out();
    // Who is in a segment without buckets finds nothing there, now or when it has some.
    const bool is_empty =
        std::is_empty_v<Layout> && segment.bucket_count.load(std::memory_order_relaxed) == 0;
    if (!is_empty)
      for (const Presence& other : *presences_) other.wait_for_exit();
    try {
      rebuild();
    } catch (...) {
      segment.growing.store(false, std::memory_order_release);
      presence.step_in();
      throw;
    }
    segment.version.fetch_add(1, std::memory_order_relaxed);
    segment.growing.store(false, std::memory_order_release);
    presence.step_in();
  }

  /// For rebuild(): how many buckets come next. Sizes of segment s of S follow the curve g^(k + s/S): at any time
  /// the segments are spread evenly over one growth factor. Throws std::bad_alloc, and nothing has changed.
  std::uint32_t next_size(std::size_t segment) {
    const double phase = static_cast<double>(segment) / static_cast<double>(segments_.size());
    const std::uint32_t old = segments_[segment].bucket_count.load(std::memory_order_relaxed);
    const std::uint32_t least = old < least_buckets_ ? least_buckets_ : old < few_buckets ? 2 * old : old + 1;
    std::uint32_t growths = growths_[segment];
    std::uint32_t size = old;
    while (size < least) size = static_cast<std::uint32_t>(std::pow(growth_factor_, phase + growths++));
    if (size > capacity_) throw std::bad_alloc();
    growths_[segment] = growths;
    return size;
  }
  void resize(std::size_t segment, std::uint32_t bucket_count) {
    const std::uint32_t old =
        segments_[segment].bucket_count.exchange(bucket_count, std::memory_order_relaxed);
    bytes_.fetch_add((std::uint64_t{bucket_count} - old) * sizeof(Bucket), std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned least_together = 4;                     // see together_at()
  static constexpr std::uint32_t few_buckets = 32;                  // up to so many, a segment doubles
  static constexpr std::size_t small_pages = std::size_t{8} << 20;  // bytes at the start without huge pages

  /// Twice as many buckets lie together from bucket 128, 512, 2048, ... of a segment on. Each of these is a multiple of what
  /// lies together there, so places follow each other without gaps.
  /// Returns the exponent of two.
  [[gnu::always_inline]] static unsigned together_at(std::size_t b) {
    const auto width = static_cast<unsigned>(std::bit_width(b | 64));
    return least_together + (width - 6) / 2;
  }
  static std::uint32_t in_whole_rows(std::size_t buckets) {
    const unsigned together = together_at(buckets);
    return static_cast<std::uint32_t>(buckets >> together << together);
  }

  /// As many bytes, or as the system allows.
  static Memory reserved(std::size_t bytes) {
    bytes = std::min(bytes, Memory::reservable() / 4);
    for (;; bytes /= 2) try {
        return Memory(bytes, Memory::Pages::huge, small_pages);
      } catch (const std::bad_alloc&) {
        if (bytes < small_pages) throw;
      }
  }

  double growth_factor_;
  std::uint32_t least_buckets_;
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> growths_;  // by segment: steps on the curve of sizes
  Memory buckets_;
  unsigned segment_bits_;
  std::uint32_t capacity_;  // buckets that a segment may have
  std::atomic<std::uint64_t> bytes_{0};
  Presences presences_;
};

}  // namespace tideline
