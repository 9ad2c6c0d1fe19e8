// KeySet: a set of numbers of up to 64 bits, shared by many threads, that takes less memory than the numbers themselves.
//
//   J. G. Cleary: Compact Hash Tables Using Bidirectional Linear Probing, 1984.
//   S. van der Vegt, A. Laarman: A Parallel Compact Hash Table, 2011.
//
// A hash that can be undone says where a key is; what the place says about the key need not be kept there. A key is a
// pair of numbers, whose lengths in bits are known roughly (Widths). The lower bits of the right number, mixed with
// everything else, are the segment. What is left is mixed within as many bits as it has, and divided by the number of
// buckets of the segment: the remainder is the home bucket, and only the quotient is kept, in a cell of as many
// bytes as it takes. With ten million keys of 44 bits that is three bytes.
//
// A bucket is one cache line: as many cells as fit, and a byte that counts them. A key whose home is full goes to one of the
// next buckets; its cell says by how many it was displaced. When the last of these is full, the segment grows
// (shared_segments.hpp), and when a key comes whose numbers have more bits than the segment has room for, the
// segment is laid out anew for longer ones.
//
// To find a key takes no lock. To add one locks the bucket, by a bit of its counter, for as long as it takes to write a cell.
//
// Invariants: cells are filled from 0 on and never removed; those that are counted do not change; every key is in the
// first bucket from its home on that had room when it came; the layout of a segment changes only when it grows.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "run/patience.hpp"
#include "store/hash.hpp"
#include "store/memory.hpp"
#include "store/pair.hpp"
#include "store/shared_segments.hpp"

namespace tideline {

namespace detail {

/// A line of cells of W bytes each.
struct alignas(cache_line) CellBucket {
  static constexpr std::uint8_t locked = 0x80;

  std::byte cells[cache_line - 1];
  std::atomic<std::uint8_t> used;  // and whether it is locked

  static constexpr unsigned capacity(unsigned width) { return static_cast<unsigned>(cache_line - 1) / width; }

  /// Whether one of the cells `from`, ..., `to` - 1 is this one. Others may be written meanwhile, and are not read.
  template <unsigned W>
  [[gnu::always_inline]] bool contains(std::uint64_t cell, unsigned from, unsigned to) const {
    using Low = std::conditional_t<low_bytes<W> == 2, std::uint16_t, std::uint32_t>;
    const auto low = static_cast<Low>(cell);
    for (unsigned i = from; i < to; ++i) {
      Low first;
      std::memcpy(&first, cells + i * sizeof first, sizeof first);
      if (first == low && (W == sizeof(Low) || read<W>(i) == cell)) return true;
    }
    return false;
  }

  // The lower bytes of all cells come first, and then the others: most cells differ in the lower ones.
  template <unsigned W>
  [[gnu::always_inline]] void write(unsigned i, std::uint64_t cell) {
    constexpr unsigned low = low_bytes<W>, high = W - low;
    std::memcpy(cells + i * low, &cell, low);
    cell >>= 8 * low;
    std::memcpy(cells + capacity(W) * low + i * high, &cell, high);
  }
  template <unsigned W>
  [[gnu::always_inline]] std::uint64_t read(unsigned i) const {
    constexpr unsigned low = low_bytes<W>, high = W - low;
    std::uint64_t cell = 0, upper = 0;
    std::memcpy(&cell, cells + i * low, low);
    std::memcpy(&upper, cells + capacity(W) * low + i * high, high);
    return upper << 8 * low | cell;
  }

 private:
  template <unsigned W>
  static constexpr unsigned low_bytes = W == 3 ? 2 : 4;
};
static_assert(sizeof(CellBucket) == cache_line && std::endian::native == std::endian::little);

/// Calls use.operator()<W>() for the cells of a layout.
template <class Use>
[[gnu::always_inline]] inline auto with_cell_bytes(unsigned bytes, const Use& use) {
  switch (bytes) {
    case 3:
      return use.template operator()<3>();
    case 4:
      return use.template operator()<4>();
    case 5:
      return use.template operator()<5>();
    case 6:
      return use.template operator()<6>();
    case 7:
      return use.template operator()<7>();
    default:
      return use.template operator()<8>();
  }
}

/// How keys are written down in a segment.
struct CellLayout {
  std::uint8_t left_bits = 0;    // of the key's left number
  std::uint8_t key_bits = 0;     // together with what is left of the right one
  std::uint8_t cell_bytes = 0;   // 0: nothing has been laid out yet
  std::uint8_t kept_bits = 0;    // of a key, in a cell
  std::uint64_t reciprocal = 0;  // of the number of buckets
};

}  // namespace detail

class KeySet {
 public:
  /// How many bits the numbers on either side have; more when need be.
  struct Widths {
    unsigned left, right;
  };

  struct Options {
    unsigned segment_bits = 12;  ///< at least 4
    std::function<Widths()> widths;
    Presences presences;
  };

  class Access;

  explicit KeySet(Options options)
      : segment_bits_(std::max(options.segment_bits, least_segment_bits)),
        widths_(std::move(options.widths)),
        segments_({.segment_bits = segment_bits_,
                   .growth_factor = growth_factor,
                   .most_buckets = most_buckets(segment_bits_),
                   .presences = std::move(options.presences)}) {
    for (unsigned worker = 0; worker < segments_.workers(); ++worker)
      accesses_.push_back(std::make_unique<Access>(*this, segments_.presence(worker)));
  }

  /// The way in for one thread.
  Access& access(unsigned worker) { return *accesses_[worker]; }

  std::uint64_t size() const;
  std::uint64_t memory_bytes() const { return segments_.memory_bytes(); }

 private:
  using Bucket = detail::CellBucket;
  using Layout = detail::CellLayout;
  using Segments = SharedSegments<Bucket, Layout>;
  using Segment = Segments::Segment;

  static constexpr double growth_factor = 1.25;
  static constexpr unsigned least_segment_bits = 4;
  static constexpr unsigned displacement_bits = 4, most_displaced = 1u << displacement_bits;
  static constexpr unsigned least_cell_bytes = 3;
  /// So many bits of a key are divided by the number of buckets, which has at most 20: the reciprocal is exact.
  static constexpr unsigned divided_bits = 44;
  static constexpr std::uint32_t largest_segment = (1u << 20) - 1;

  static std::size_t most_buckets(unsigned segment_bits) {
    constexpr std::uint64_t in_all = std::uint64_t{1} << 31;
    return std::clamp<std::size_t>(in_all >> segment_bits, 64, largest_segment);
  }

  /// What chooses the segment, and the key without it.
  struct Located {
    std::size_t segment;
    std::uint32_t left, right;
  };
  [[gnu::always_inline]] Located located(Pair key) const {
    const std::uint32_t left = left_of(key), right = right_of(key) >> segment_bits_;
    return {(right_of(key) ^ scrambled(left, right)) & (segments_.count() - 1), left, right};
  }
  [[gnu::always_inline]] std::size_t scrambled(std::uint32_t left, std::uint32_t right) const {
    return static_cast<std::size_t>((left * factor + right * second_factor) >> (64 - segment_bits_));
  }
  // Mixing within `bits` bits: two rounds of a multiplication and a shift, either of which can be undone.
  static constexpr std::uint64_t factor = 0x9FB21C651E98DF25u, second_factor = 0xD6E8FEB86659FD93u;
  /// Modulo 2^64, by Newton's method: each step doubles the number of bits that are right.
  static constexpr std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t x = odd;
    for (int step = 0; step < 6; ++step) x *= 2 - odd * x;
    return x;
  }
  [[gnu::always_inline]] static std::uint64_t mask(unsigned bits) { return ~std::uint64_t{0} >> (64 - bits); }
  [[gnu::always_inline]] static std::uint64_t mixed(std::uint64_t x, unsigned bits) {
    const unsigned half = (bits + 1) / 2;
    x = x * factor & mask(bits);
    x = (x ^ x >> half) * second_factor & mask(bits);
    return x ^ x >> half;
  }
  static std::uint64_t unmixed(std::uint64_t x, unsigned bits) {
    const unsigned half = (bits + 1) / 2;
    x = (x ^ x >> half) * inverse(second_factor) & mask(bits);
    return (x ^ x >> half) * inverse(factor) & mask(bits);
  }

  /// Where a key belongs in its segment, and what is kept of it there.
  struct Home {
    std::uint32_t bucket;
    std::uint64_t kept;
  };
  [[gnu::always_inline]] static bool fits(const Layout& layout, const Located& at) {
    return layout.cell_bytes != 0 && std::uint64_t{at.left} >> layout.left_bits == 0 &&
           std::uint64_t{at.right} >> (layout.key_bits - layout.left_bits) == 0;
  }
  [[gnu::always_inline]] static Home home(const Layout& layout, std::uint32_t buckets, const Located& at) {
    return home(layout, buckets,
                mixed(std::uint64_t{at.right} << layout.left_bits | at.left, layout.key_bits));
  }
  [[gnu::always_inline]] static Home home(const Layout& layout, std::uint32_t buckets, std::uint64_t mixed) {
    const unsigned divided = std::min<unsigned>(layout.key_bits, divided_bits);
    const std::uint64_t dividend = mixed & mask(divided);
    const auto quotient = static_cast<std::uint64_t>(detail::Wide{dividend} * layout.reciprocal >> 64);
    const unsigned above = layout.key_bits - divided;
    return {static_cast<std::uint32_t>(dividend - quotient * buckets),
            above == 0 ? quotient : quotient << above | mixed >> divided};
  }

  Layout layout_for(std::uint32_t buckets, Widths widths) const {
    Layout layout;
    const unsigned left = std::clamp(widths.left, 1u, 32u);
    const unsigned right = std::clamp(widths.right, segment_bits_, 32u) - segment_bits_;
    layout.left_bits = static_cast<std::uint8_t>(left);
    layout.key_bits = static_cast<std::uint8_t>(std::max(left + right, 20u));
    layout.reciprocal = ~std::uint64_t{0} / buckets + 1;
    const unsigned divided = std::min<unsigned>(layout.key_bits, divided_bits);
    layout.kept_bits = static_cast<std::uint8_t>(
        layout.key_bits - divided + static_cast<unsigned>(std::bit_width(mask(divided) / buckets)));
    layout.cell_bytes =
        static_cast<std::uint8_t>(std::max((layout.kept_bits + displacement_bits + 7) / 8, least_cell_bytes));
    return layout;
  }

  static unsigned bits_of(std::uint32_t number) { return static_cast<unsigned>(std::bit_width(number)); }

  /// Lays out a segment that the caller has for itself, with more buckets or for longer keys, so that there is room for
  /// this one. `old` is for what was in it.
  void rebuild(std::size_t s, const Located& next, std::vector<std::byte>& old) {
    Segment& segment = segments_[s];
    const Layout old_layout = segment.layout;
    const std::uint32_t old_count = segment.bucket_count.load(std::memory_order_relaxed);
    old.resize(std::size_t{old_count} * sizeof(Bucket));
    for (std::uint32_t b = 0; b < old_count; ++b)
      std::memcpy(old.data() + b * sizeof(Bucket), &segments_.bucket_at(s, b), sizeof(Bucket));

    Widths widths = widths_();
    widths.left = std::max<unsigned>({widths.left, old_layout.left_bits, bits_of(next.left)});
    const unsigned old_right = old_layout.key_bits - old_layout.left_bits;
    widths.right = std::max<unsigned>(widths.right, segment_bits_ + std::max(old_right, bits_of(next.right)));
    std::uint32_t buckets = old_count;
    try {
      if (old_count == 0 || fits(old_layout, next)) buckets = segments_.next_size(s);
      for (;; buckets = segments_.next_size(s)) {
        clear(s, std::max(old_count, segment.bucket_count.load(std::memory_order_relaxed)));
        segment.layout = layout_for(buckets, widths);
        segments_.resize(s, buckets);
        if (move_in(s, old, old_layout, old_count)) return;
      }
    } catch (...) {  // as it was
      for (std::uint32_t b = 0; b < old_count; ++b)
        std::memcpy(static_cast<void*>(&segments_.bucket_at(s, b)), old.data() + b * sizeof(Bucket),
                    sizeof(Bucket));
      segment.layout = old_layout;
      segments_.resize(s, old_count);
      throw;
    }
  }
  void clear(std::size_t s, std::uint32_t buckets) {
    for (std::uint32_t b = 0; b < buckets; ++b)
      std::memset(static_cast<void*>(&segments_.bucket_at(s, b)), 0, sizeof(Bucket));
  }

  /// False: the segment must be larger.
  bool move_in(std::size_t s, const std::vector<std::byte>& old, const Layout& old_layout,
               std::uint32_t old_count) {
    const Segment& segment = segments_[s];
    std::array<std::uint64_t, Bucket::capacity(least_cell_bytes)> keys;
    for (std::uint32_t b = 0; b < old_count; ++b) {
      Bucket bucket;
      std::memcpy(static_cast<void*>(&bucket), old.data() + b * sizeof(Bucket), sizeof(Bucket));
      const unsigned used = bucket.used.load(std::memory_order_relaxed);
      detail::with_cell_bytes(old_layout.cell_bytes, [&]<unsigned W>() {
        for (unsigned i = 0; i < used; ++i) keys[i] = mixed_key(old_layout, old_count, b, bucket.read<W>(i));
      });
      if (!same_keys(old_layout, segment.layout))
        for (unsigned i = 0; i < used; ++i) keys[i] = mixed_anew(old_layout, segment.layout, keys[i]);
      if (!detail::with_cell_bytes(segment.layout.cell_bytes, [&]<unsigned W>() {
            for (unsigned i = 0; i < used; ++i)
              if (!enter<W>(s, keys[i])) return false;
            return true;
          }))
        return false;
    }
    return true;
  }
  /// The mixed key of a cell in bucket b.
  [[gnu::always_inline]] static std::uint64_t mixed_key(const Layout& layout, std::uint32_t count,
                                                        std::uint32_t b, std::uint64_t cell) {
    const auto displaced = static_cast<std::uint32_t>(cell >> layout.kept_bits);
    const std::uint32_t home = b >= displaced ? b - displaced : b + count - displaced;
    const std::uint64_t kept = cell & mask(layout.kept_bits);
    const unsigned divided = std::min<unsigned>(layout.key_bits, divided_bits);
    const unsigned above = layout.key_bits - divided;
    const std::uint64_t dividend = (kept >> above) * count + home;
    return above == 0 ? dividend : (kept & mask(above)) << divided | dividend;
  }
  static bool same_keys(const Layout& a, const Layout& b) {
    return a.key_bits == b.key_bits && a.left_bits == b.left_bits;
  }
  static std::uint64_t mixed_anew(const Layout& from, const Layout& to, std::uint64_t key) {
    key = unmixed(key, from.key_bits);
    const std::uint64_t left = key & mask(from.left_bits), right = key >> from.left_bits;
    return mixed(right << to.left_bits | left, to.key_bits);
  }
  /// Enters a key that is known to be different from all that are there.
  template <unsigned W>
  [[gnu::always_inline]] bool enter(std::size_t s, std::uint64_t key) {
    const Segment& segment = segments_[s];
    const std::uint32_t count = segment.bucket_count.load(std::memory_order_relaxed);
    const Home home = KeySet::home(segment.layout, count, key);
    std::uint32_t b = home.bucket;
    for (std::uint64_t displaced = 0; displaced < std::min(count, most_displaced); ++displaced) {
      Bucket& bucket = segments_.bucket_at(s, b);
      const std::uint8_t used = bucket.used.load(std::memory_order_relaxed);
      if (used < Bucket::capacity(W)) {
        bucket.write<W>(used, home.kept | displaced << segment.layout.kept_bits);
        bucket.used.store(static_cast<std::uint8_t>(used + 1), std::memory_order_relaxed);
        return true;
      }
      b = b + 1 == count ? 0 : b + 1;
    }
    return false;
  }

  unsigned segment_bits_;
  std::function<Widths()> widths_;
  Segments segments_;
  std::vector<std::unique_ptr<Access>> accesses_;
};

/// One thread's way into the set.
class alignas(2 * cache_line) KeySet::Access {
 public:
  Access(KeySet& set, Presence& presence)
      : set_(set), presence_(presence), is_alone_(set.segments_.workers() == 1) {}

  Presence& presence() { return presence_; }

  /// True: it is new.
  bool insert(Pair key) {
    const Presence::Stay stay(presence_);
    const Located at = set_.located(key);
    Segment& segment = set_.segments_[at.segment];
    for (;;) {
      Segments::wait_for(segment, presence_);
      const std::uint16_t version = segment.version.load(std::memory_order_relaxed);
      const Found found = look_up<true>(segment, at);
      if (found == Found::added)
        size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      if (found != Found::no_room) return found == Found::added;
      set_.segments_.grow(segment, version, presence_, [&] { set_.rebuild(at.segment, at, old_); });
    }
  }
  bool contains(Pair key) {
    const Presence::Stay stay(presence_);
    const Located at = set_.located(key);
    Segment& segment = set_.segments_[at.segment];
    Segments::wait_for(segment, presence_);
    return look_up<false>(segment, at) == Found::known;
  }

  /// To look up this key now means to wait until another thread has made its segment larger.
  bool must_wait(Pair key) const {
    return set_.segments_[set_.located(key).segment].growing.load(std::memory_order_relaxed);
  }
  void prefetch(Pair key) {
    const Presence::Stay stay(presence_);
    const Located at = set_.located(key);
    const Segment& segment = set_.segments_[at.segment];
    if (segment.growing.load(std::memory_order_seq_cst) || !fits(segment.layout, at)) return;
    const std::uint32_t count = segment.bucket_count.load(std::memory_order_relaxed);
    prefetch_line_to_write(&set_.segments_.bucket_at(at.segment, home(segment.layout, count, at).bucket));
  }

 private:
  friend class KeySet;
  enum class Found { known, added, absent, no_room };

  template <bool adds>
  Found look_up(const Segment& segment, const Located& at) {
    if (!fits(segment.layout, at)) return Found::no_room;
    return detail::with_cell_bytes(segment.layout.cell_bytes,
                                   [&]<unsigned W>() { return look_up<adds, W>(segment, at); });
  }

  template <bool adds, unsigned W>
  Found look_up(const Segment& segment, const Located& at) {
    const std::uint32_t count = segment.bucket_count.load(std::memory_order_relaxed);
    const Home home = KeySet::home(segment.layout, count, at);
    const unsigned most = std::min(count, most_displaced);
    std::uint32_t b = home.bucket;
    for (std::uint64_t displaced = 0; displaced < most; ++displaced) {
      const std::uint64_t cell = home.kept | displaced << segment.layout.kept_bits;
      const Found found = look_into<adds, W>(set_.segments_.bucket_at(at.segment, b), cell);
      if (found != Found::no_room) return found;
      b = b + 1 == count ? 0 : b + 1;
    }
    return Found::no_room;
  }

  /// `no_room`: the cell is not here, and the bucket is full.
  template <bool adds, unsigned W>
  [[gnu::always_inline]] Found look_into(Bucket& bucket, std::uint64_t cell) {
    unsigned seen = 0;
    for (Patience patience;;) {
      std::uint8_t state = bucket.used.load(std::memory_order_acquire);
      const unsigned used = state & ~Bucket::locked;
      if (bucket.contains<W>(cell, seen, used)) return Found::known;
      if (used == Bucket::capacity(W)) return Found::no_room;
      if (!adds) return Found::absent;
      seen = used;
      if ((state & Bucket::locked) != 0) {
        patience.wait();
        continue;
      }
      if (!is_alone_ &&
          !bucket.used.compare_exchange_strong(state, state | Bucket::locked, std::memory_order_acquire))
        continue;
      bucket.write<W>(used, cell);
      bucket.used.store(static_cast<std::uint8_t>(used + 1), std::memory_order_release);
      return Found::added;
    }
  }

  KeySet& set_;
  Presence& presence_;
  bool is_alone_;
  std::atomic<std::uint64_t> size_{0};
  std::vector<std::byte> old_;  // what was in a segment that this thread makes larger
};

inline std::uint64_t KeySet::size() const {
  std::uint64_t sum = 0;
  for (const auto& access : accesses_) sum += access->size_.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace tideline
