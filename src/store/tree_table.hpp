// TreeTable: one set of states shared by many threads, with the parts that states have in common kept once.
//
//   A. Laarman, J. van de Pol, M. Weber: Parallel Recursive State Compression for Free, 2011.
//
// A state is cut into units of 4 bytes, which are the leaves of a binary tree (tree_shape.hpp). What the units
// of a node are is a part of the state: a pair of the two parts below it, which has a number. What is kept of
// a state is the pair at the root. States have most of their parts in common, so there are few parts, their
// numbers are short, and a pair of them takes three to five bytes in a KeySet (key_set.hpp), however wide the state
// is. Parts are in ConcurrentTables: one for those on either side of the root, whose numbers are in the pairs of
// states, and one for all parts below.
//
// To fold a state from scratch takes a lookup for every node. But a thread reads a state and then folds its
// successors, which differ from it in a unit or two: the access remembers all numbers of the state that it has
// read last, and looks up only the nodes above a change. Reading works in the same way, from the root
// down to the parts that are not those of the state read before.
//
// hash() does the folding: the "hash" of a state is its two halves (Folded). So a state that is looked up leaves its
// parts behind, whether it is there or not. Most parts were met a moment ago, and a small cache knows their numbers.
// Nothing else depends on the number of a half: its places in the cache and in its table are asked for, and it is looked
// up later, by the second hint or by insert().
//
// The set cannot say where a state is. A state gets a number when it is new, and can be read by that number until it
// is dropped (waiting_states.hpp).
//
// Use it for states of many bytes. For short ones the plain tables are as small, and faster.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "store/concurrent_table.hpp"
#include "store/hash.hpp"
#include "store/key_set.hpp"
#include "store/pair.hpp"
#include "store/part_records.hpp"
#include "store/state_table.hpp"
#include "store/tree_shape.hpp"
#include "store/waiting_states.hpp"

namespace tideline {

template <class Hash = PairHash>
class TreeTable {
 public:
  struct Options {
    unsigned workers = 1;
    unsigned segment_bits = 12;
    bool numbered = true;  ///< new states have numbers, by which they can be read
    WaitingStates::Options waiting = {};
    StateSample sample = {};  ///< states to find the shape of the tree by
  };

  /// A half of a state: the number of a part (or the bytes of a unit), or the part itself as long as its number is
  /// not known.
  struct Half {
    Pair value = 0;
    bool is_known = true;
  };
  struct Folded {
    Half left, right;
    bool is_full = false;  ///< there are no more numbers for parts
  };

  class Access;

  TreeTable(std::size_t state_bytes, Options options)
      : shape_(state_bytes, options.sample),
        left_half_(shape_.children(0).left),
        right_half_(shape_.children(0).right),
        numbered_(options.numbered),
        presences_(make_presences(options.workers)),
        states_({.segment_bits = options.segment_bits,
                 .widths = [this] { return widths(); },
                 .presences = presences_}),
        left_(0, part_options(options)),
        right_(0, part_options(options)),
        below_(0, part_options(options)),
        waiting_(sizeof(Pair), options.waiting) {
    for (unsigned worker = 0; worker < options.workers; ++worker)
      accesses_.push_back(std::make_unique<Access>(*this, worker));
  }

  /// The way in for one thread.
  Access& access(unsigned worker) { return *accesses_[worker]; }

  std::uint64_t size() const { return states_.size(); }
  /// These states have been expanded, and need not be read any more.
  void drop(const StateRange& states) { waiting_.drop(states); }
  /// Parts of states.
  std::uint64_t parts() const { return left_.size() + right_.size() + below_.size(); }
  std::uint64_t memory_bytes() const {
    return states_.memory_bytes() + left_.memory_bytes() + right_.memory_bytes() + below_.memory_bytes() +
           waiting_.memory_bytes();
  }

 private:
  using Parts = ConcurrentTable<PartRecords<Hash>>;

  static constexpr unsigned part_segment_bits = 6;

  typename Parts::Options part_options(const Options& options) const {
    return {.workers = options.workers,
            .segment_bits = std::min(part_segment_bits, options.segment_bits),
            .presences = presences_};
  }
  const Parts& parts_of(TreeShape::Slot node) const {
    return node == left_half_ ? left_ : node == right_half_ ? right_ : below_;
  }
  /// Of the numbers of parts, with room for a quarter more. Of units nothing is known.
  KeySet::Widths widths() const {
    const auto bits = [&](TreeShape::Slot half, const Parts& parts) {
      const std::uint64_t bound = shape_.is_node(half) ? parts.number_bound() : 0;
      return static_cast<unsigned>(std::bit_width(bound + bound / 4));
    };
    return {bits(left_half_, left_), bits(right_half_, right_)};
  }

  TreeShape shape_;
  TreeShape::Slot left_half_, right_half_;
  bool numbered_;
  Presences presences_;
  KeySet states_;
  Parts left_, right_, below_;
  WaitingStates waiting_;
  std::vector<std::unique_ptr<Access>> accesses_;
};

/// One thread's way into the table.
template <class Hash>
class TreeTable<Hash>::Access {
 public:
  static constexpr bool hash_folds = true;  ///< hash() does most of the work of insert()

  Access(TreeTable& table, unsigned worker)
      : table_(table),
        states_(table.states_.access(worker)),
        left_(table.left_.access(worker)),
        right_(table.right_.access(worker)),
        below_(table.below_.access(worker)),
        read_(table.shape_.slots(), no_state),
        stale_(table.shape_.masks()),
        numbers_(table.shape_.slots()),
        changed_(table.shape_.masks()),
        recent_(std::size_t{1} << recent_bits) {}

  Presence& presence() { return states_.presence(); }

  /// The bytes stay until the next call. What is hashed from now on is expected to resemble this state; before
  /// the first call, the state hashed before it.
  const std::byte* state(StateId id) {
    const Pair root = waiting_pair(id);
    if (!reads_ || !folded_) [[unlikely]]
      numbers_ = read_;  // otherwise they are the same
    unfold(root);
    reads_ = folded_ = true;
    return reinterpret_cast<const std::byte*>(read_.data() + table_.shape_.nodes());
  }

  /// Parts that are new get numbers.
  Folded hash(const std::byte* state) {
    if (!folded_) [[unlikely]]
      forget();
    find_changes(state);
    Folded folded = fold();
    if (reads_) {
      for (const TreeShape::Slot slot : written_) numbers_[slot] = read_[slot];
      folded_ = true;
    } else {
      complete(folded);
      numbers_[table_.left_half_] = static_cast<StateId>(folded.left.value);
      numbers_[table_.right_half_] = static_cast<StateId>(folded.right.value);
      folded_ = !folded.is_full;
    }
    written_.clear();
    return folded;
  }

  /// The number of a state that was there is not known: it is 0.
  Insertion insert(const std::byte*, Folded folded) {
    complete(folded);
    if (folded.is_full) [[unlikely]]
      return {no_state, false};
    const Pair pair = root_of(folded);
    if (!table_.numbered_) return {0, states_.insert(pair)};
    if (!table_.waiting_.require(waiting_numbers_)) [[unlikely]]
      return {states_.contains(pair) ? 0 : no_state, false};
    if (!states_.insert(pair)) return {0, false};
    return {table_.waiting_.add(waiting_numbers_, reinterpret_cast<const std::byte*>(&pair)), true};
  }
  /// Likewise, without a number. False: there are no more numbers for parts.
  bool enter(Folded folded) {
    complete(folded);
    if (!folded.is_full) states_.insert(root_of(folded));
    return !folded.is_full;
  }
  bool must_wait(const Folded& folded) const {
    return is_complete(folded) && states_.must_wait(root_of(folded));
  }
  void prefetch_index(const Folded& folded) {
    if (is_complete(folded)) return states_.prefetch(root_of(folded));
    prefetch_half(folded.left, Side::left, left_);
    prefetch_half(folded.right, Side::right, right_);
  }
  void prefetch_state(Folded& folded) {
    if (is_complete(folded)) return;
    complete(folded);
    states_.prefetch(root_of(folded));
  }
  /// This state will be read soon.
  void expect(StateId id) {
    const Pair root = waiting_pair(id);
    if (table_.shape_.is_node(table_.left_half_)) table_.left_.records().prefetch(left_of(root));
    if (table_.shape_.is_node(table_.right_half_)) table_.right_.records().prefetch(right_of(root));
    // The halves of one that was expected before are there by now.
    const Pair before = std::exchange(expected_[id % expected_.size()], root);
    expect_children(table_.left_half_, table_.left_, left_of(before));
    expect_children(table_.right_half_, table_.right_, right_of(before));
  }

  std::uint64_t size() const { return table_.size(); }
  std::uint64_t memory_bytes() const { return table_.memory_bytes(); }

 private:
  static constexpr unsigned recent_bits = 14;

  enum class Side : std::uint32_t { none, left, right, below };
  /// A part that was looked up.
  struct Recent {
    Pair part = 0;
    Side side = Side::none;
    StateId number = 0;
  };

  static bool is_complete(const Folded& folded) { return folded.left.is_known && folded.right.is_known; }
  static Pair root_of(const Folded& folded) {
    return pair_of(static_cast<StateId>(folded.left.value), static_cast<StateId>(folded.right.value));
  }
  Pair waiting_pair(StateId id) const {
    Pair pair;
    std::memcpy(&pair, table_.waiting_[id], sizeof pair);
    return pair;
  }

  void expect_children(TreeShape::Slot half, const Parts& parts, StateId number) const {
    if (!table_.shape_.is_node(half)) return;
    const Pair part = parts.state(number);
    const auto [left, right] = table_.shape_.children(half);
    if (table_.shape_.is_node(left)) table_.below_.records().prefetch(left_of(part));
    if (table_.shape_.is_node(right)) table_.below_.records().prefetch(right_of(part));
  }

  void unfold(Pair root) {
    renew(table_.left_half_, left_of(root));
    renew(table_.right_half_, right_of(root));
    for (std::size_t mask = 0; mask < stale_.size(); ++mask)
      while (stale_[mask] != 0) {
        const auto node = static_cast<TreeShape::Slot>(mask * 64 + std::countr_zero(stale_[mask]));
        stale_[mask] &= stale_[mask] - 1;
        const Pair part = table_.parts_of(node).state(read_[node]);
        const auto [left, right] = table_.shape_.children(node);
        renew(left, left_of(part));
        renew(right, right_of(part));
      }
  }
  void renew(TreeShape::Slot slot, StateId number) {
    if (read_[slot] == number) return;
    read_[slot] = numbers_[slot] = number;
    if (table_.shape_.is_node(slot)) stale_[slot / 64] |= std::uint64_t{1} << slot % 64;
  }

  /// Nothing is known of any part.
  void forget() {
    if (reads_) numbers_ = read_;
    written_.clear();
    for (std::size_t unit = 0; unit < table_.shape_.units(); ++unit) mark(unit);
  }

  void mark(std::size_t unit) {
    const std::uint64_t* const path = table_.shape_.path(unit);
    for (std::size_t mask = 0; mask < changed_.size(); ++mask) changed_[mask] |= path[mask];
  }

  void find_changes(const std::byte* state) {
    const std::size_t bytes = table_.shape_.state_bytes();
    const auto* const before = reinterpret_cast<const std::byte*>(numbers_.data() + table_.shape_.nodes());
    std::size_t at = 0;
#ifdef __SSE2__
    for (; at + sizeof(__m128i) <= bytes; at += sizeof(__m128i)) {
      const __m128i now = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state + at));
      const __m128i then = _mm_loadu_si128(reinterpret_cast<const __m128i*>(before + at));
      const __m128i same = _mm_cmpeq_epi32(now, then);
      auto changed = static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(same))) ^ 0xFu;
      for (; changed != 0; changed &= changed - 1) {
        const std::size_t unit = at / sizeof(StateId) + static_cast<unsigned>(std::countr_zero(changed));
        change(unit, detail::word_at<StateId>(state + unit * sizeof(StateId)));
      }
    }
#endif
    for (; at < bytes; at += sizeof(StateId)) {
      const StateId now = at + sizeof now <= bytes
                              ? detail::word_at<StateId>(state + at)
                              : static_cast<StateId>(detail::last_bytes(state + at, bytes - at));
      if (now != detail::word_at<StateId>(before + at)) change(at / sizeof(StateId), now);
    }
  }
  void change(std::size_t unit, StateId value) {
    const std::size_t slot = table_.shape_.nodes() + unit;
    numbers_[slot] = value;
    written_.push_back(static_cast<TreeShape::Slot>(slot));
    mark(unit);
  }

  /// Looks up the changed parts, from the leaves up, except halves.
  Folded fold() {
    folded_ = false;  // if this fails
    Folded folded{{numbers_[table_.left_half_]}, {numbers_[table_.right_half_]}};
    for (std::size_t mask = changed_.size(); mask-- > 0;)
      while (changed_[mask] != 0) {
        const auto bit = static_cast<unsigned>(std::bit_width(changed_[mask]) - 1);
        changed_[mask] ^= std::uint64_t{1} << bit;
        const auto node = static_cast<TreeShape::Slot>(mask * 64 + bit);
        const auto [left, right] = table_.shape_.children(node);
        const Pair part = pair_of(numbers_[left], numbers_[right]);
        if (node == table_.left_half_) {
          folded.left = {part, false};
        } else if (node == table_.right_half_) {
          folded.right = {part, false};
        } else {
          Half half{part, false};
          folded.is_full |= !complete(half, Side::below, below_);
          numbers_[node] = static_cast<StateId>(half.value);
          written_.push_back(node);
        }
      }
    folded_ = !folded.is_full;
    return folded;
  }

  /// Looks up what is not known yet.
  void complete(Folded& folded) {
    folded.is_full |=
        !complete(folded.left, Side::left, left_) | !complete(folded.right, Side::right, right_);
  }
  /// False: there are no more numbers.
  bool complete(Half& half, Side side, typename Parts::Access& parts) {
    if (half.is_known) return true;
    const Pair part = half.value;
    Recent& entry = recent(side, part);
    if (entry.part == part && entry.side == side) {
      half = {entry.number};
      return true;
    }
    const StateId number = parts.insert(part, Hash{}(part)).id;
    half = {number};
    if (number == no_state) return false;
    entry = {part, side, number};
    return true;
  }
  void prefetch_half(const Half& half, Side side, typename Parts::Access& parts) {
    if (half.is_known) return;
    prefetch_line(&recent(side, half.value));
    parts.prefetch_index(Hash{}(half.value));
  }

  Recent& recent(Side side, Pair part) {
    return recent_[(part + static_cast<Pair>(side)) * 0x9FB21C651E98DF25u >> (64 - recent_bits)];
  }

  TreeTable& table_;
  KeySet::Access& states_;
  typename Parts::Access &left_, &right_, &below_;
  WaitingStates::Numbers waiting_numbers_;
  std::array<Pair, 3> expected_{};
  std::vector<StateId> read_;  // by slot, of the state read last: numbers of parts, and what its units are
  std::vector<std::uint64_t> stale_;      // nodes whose number is new, and the slots below them not yet
  bool reads_ = false;                    // state() has been called
  bool folded_ = false;                   // all numbers belong together
  std::vector<StateId> numbers_;          // as read_; of the state hashed last before one is read
  std::vector<std::uint64_t> changed_;    // nodes to look up
  std::vector<TreeShape::Slot> written_;  // slots that are not those of the state read last
  std::vector<Recent> recent_;            // by a hash
};

}  // namespace tideline
