// StateOrder: brings states that are in memory, by number, into the order of their bytes, without moving them.
//
// The bits in which states differ, from the first to the last, make up keys of 64 bits. Numbers are distributed by the
// first 16 bits of the key, and by the next 16 where many are left, until what is sorted at a time fits into the cache
// with its states; these are handed out at once. States with the same key are sorted by the next one. Beside the numbers,
// of four bytes each, it takes six bytes a state for a moment.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace tideline {

/// Puts the bits of a word that a mask has next to each other, in their order, the last one at the end of the word. A bit
/// moves as far as there are bits below it that the mask does not have, in steps of 1, 2, 4, and so on; those below all
/// others are shifted out.
class BitGather {
 public:
  explicit BitGather(std::uint64_t mask)
      : mask_(mask), below_(mask == 0 ? 0 : static_cast<unsigned>(std::countr_zero(mask))) {
    std::array<std::uint64_t, 6> moved = {};  // by each step
    unsigned target = below_;
    for (std::uint64_t left = mask; left != 0; left &= left - 1, ++target) {
      auto at = static_cast<unsigned>(std::countr_zero(left));
      const unsigned way = at - target;
      for (unsigned i = 0; i < moved.size(); ++i) {
        if ((way >> i & 1) == 0) continue;
        moved[i] |= std::uint64_t{1} << at;
        at -= 1u << i;
      }
    }
    for (unsigned i = 0; i < moved.size(); ++i)
      if (moved[i] != 0) moves_[count_++] = {moved[i], 1u << i};
  }

  std::uint64_t operator()(std::uint64_t word) const {
    word &= mask_;
    for (unsigned i = 0; i < count_; ++i) {
      const std::uint64_t moved = word & moves_[i].bits;
      word = (word ^ moved) | moved >> moves_[i].way;
    }
    return word >> below_;
  }

 private:
  struct Move {
    std::uint64_t bits;
    unsigned way;
  };

  std::uint64_t mask_;
  unsigned below_, count_ = 0;
  std::array<Move, 6> moves_ = {};
};

template <class StateAt>
class StateOrder {
 public:
  using Number = std::uint32_t;

  /// `state_at(number)`: the bytes of a state, which stay. `poll` is called now and then, and may throw.
  StateOrder(std::vector<Number> numbers, std::size_t state_bytes, StateAt state_at,
             std::function<void()> poll)
      : state_bytes_(state_bytes),
        state_at_(std::move(state_at)),
        poll_(std::move(poll)),
        numbers_(std::move(numbers)) {
    if (!numbers_.empty() && state_bytes != 0) find_keys();
  }

  /// Calls emit(number) for all of them, in order; states that are the same follow each other. Once.
  template <class Emit>
  void each(const Emit& emit) {
    sort(numbers_, 0, 0, emit);
  }

 private:
  /// Bits of a key: those of eight bytes in which states differ.
  struct Piece {
    std::size_t begin;
    BitGather bits;
    unsigned shift;  // from where they are in the key
  };
  struct Key {
    std::vector<Piece> pieces = {};
    unsigned bits = 0;
  };
  struct Entry {
    std::uint64_t key;
    Number number;
  };

  static constexpr std::size_t read_ahead = 16, line_bytes = 64, word_bytes = 8;
  static constexpr unsigned key_bits = 64, digit_bits = 16;
  static constexpr std::size_t most_at_once = std::size_t{1} << 16, few = 256;

  // In line: the compiler leaves out calls of functions that do nothing but this.
  [[gnu::always_inline]] void fetch(Number number, std::size_t begin, std::size_t end) const {
    const std::byte* const state = state_at_(number);
    for (std::size_t b = begin; b < end; b += line_bytes) __builtin_prefetch(state + b);
    __builtin_prefetch(state + end - 1);
  }
  [[gnu::always_inline]] void fetch(Number number, const Key& key) const {
    fetch(number, key.pieces.front().begin, std::min(key.pieces.back().begin + word_bytes, state_bytes_));
  }

  void find_keys() {
    // Eight bytes at a time; the last eight may overlap those before.
    const std::size_t last = state_bytes_ - std::min(state_bytes_, word_bytes);
    std::vector<std::uint64_t> differs((state_bytes_ + word_bytes - 1) / word_bytes);
    const auto begin_of = [&](std::size_t word) { return std::min(word * word_bytes, last); };
    const std::byte* const first = state_at_(numbers_.front());
    for (std::size_t i = 1; i < numbers_.size(); ++i) {
      if (i % most_at_once == 0) poll_();
      const std::byte* const state = state_at_(numbers_[i]);
      for (std::size_t w = 0; w < differs.size(); ++w)
        differs[w] |= load(first + begin_of(w)) ^ load(state + begin_of(w));
    }
    for (std::size_t w = 0; w < differs.size(); ++w) {
      const std::size_t overlap = w * word_bytes - begin_of(w);
      add_bits(begin_of(w), differs[w] & ~std::uint64_t{0} >> 8 * overlap);
    }
  }

  /// Of the eight bytes from here on, to the last key, and what it has no room for to another one.
  void add_bits(std::size_t begin, std::uint64_t mask) {
    if (mask == 0) return;
    if (keys_.empty() || keys_.back().bits == key_bits) keys_.emplace_back();
    Key& key = keys_.back();
    std::uint64_t rest = 0;
    while (static_cast<unsigned>(std::popcount(mask)) > key_bits - key.bits) {
      rest |= mask & -mask;
      mask &= mask - 1;
    }
    key.bits += static_cast<unsigned>(std::popcount(mask));
    key.pieces.push_back({begin, BitGather(mask), key_bits - key.bits});
    add_bits(begin, rest);
  }

  /// The first byte is the most significant one, as in the order of states.
  std::uint64_t load(const std::byte* from) const {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t word = 0;
    if (state_bytes_ >= sizeof word)
      std::memcpy(&word, from, sizeof word);
    else
      std::memcpy(&word, from, state_bytes_);
    return __builtin_bswap64(word);
  }

  /// At least its first bits.
  std::uint64_t value_of(Number number, const Key& key, unsigned bits_wanted = key_bits) const {
    const std::byte* const state = state_at_(number);
    std::uint64_t value = 0;
    for (const auto& [begin, bits, shift] : key.pieces) {
      value |= bits(load(state + begin)) << shift;
      if (key_bits - shift >= bits_wanted) break;
    }
    return value;
  }

  /// By the keys from this one on, of which the first digits are the same.
  template <class Emit>
  void sort(std::span<Number> numbers, std::size_t key, unsigned same_digits, const Emit& emit) {
    if (key == keys_.size() || numbers.size() <= most_at_once) {
      if (key != keys_.size()) sort_at_once(numbers, key);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i + read_ahead < numbers.size()) fetch(numbers[i + read_ahead], 0, state_bytes_);
        emit(numbers[i]);
      }
    } else if (same_digits * digit_bits >= keys_[key].bits) {
      sort(numbers, key + 1, 0, emit);
    } else {
      const std::vector<std::size_t> begins = distribute(numbers, keys_[key], same_digits);
      for (std::size_t begin = 0; begin + 1 < begins.size();) {
        std::size_t end = begin + 1;
        const auto size_to = [&](std::size_t to) { return begins[to] - begins[begin]; };
        while (end + 1 < begins.size() && size_to(end + 1) <= most_at_once) ++end;
        sort(numbers.subspan(begins[begin], size_to(end)), key,
             end == begin + 1 ? same_digits + 1 : same_digits, emit);
        begin = end;
      }
    }
  }

  /// By one digit. Returns where the numbers with each digit begin, and the end.
  std::vector<std::size_t> distribute(std::span<Number> numbers, const Key& key, unsigned digit) {
    std::vector<std::uint16_t> digit_of(numbers.size());
    std::vector<std::size_t> begins((std::size_t{1} << digit_bits) + 1);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i % most_at_once == 0) poll_();
      if (i + read_ahead < numbers.size()) fetch(numbers[i + read_ahead], key);
      const std::uint64_t value = value_of(numbers[i], key, (digit + 1) * digit_bits) << digit * digit_bits;
      digit_of[i] = static_cast<std::uint16_t>(value >> (key_bits - digit_bits));
      ++begins[digit_of[i] + std::size_t{1}];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::size_t> next = begins;
    const std::vector<Number> before(numbers.begin(), numbers.end());
    for (std::size_t i = 0; i < before.size(); ++i) numbers[next[digit_of[i]]++] = before[i];
    return begins;
  }

  void sort_at_once(std::span<Number> numbers, std::size_t key) {
    poll_();
    if (numbers.size() < 2) return;
    std::vector<Entry> entries(numbers.size());
    sort_few(numbers, key, entries);
  }

  void sort_few(std::span<Number> numbers, std::size_t key, std::span<Entry> entries) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i + read_ahead < numbers.size()) fetch(numbers[i + read_ahead], keys_[key]);
      entries[i] = {value_of(numbers[i], keys_[key]), numbers[i]};
    }
    entries = entries.first(numbers.size());
    if (entries.size() < few)
      std::ranges::sort(entries, {}, &Entry::key);
    else
      sort_by_bytes(entries);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = entries[i].number;
    if (key + 1 == keys_.size()) return;
    std::vector<Entry> more;
    for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
      for (; end < entries.size() && entries[end].key == entries[begin].key; ++end)
        if (end + read_ahead < entries.size()) fetch(entries[end + read_ahead].number, keys_[key + 1]);
      if (end - begin < 2) continue;
      more.resize(std::max(more.size(), end - begin));
      sort_few(numbers.subspan(begin, end - begin), key + 1, more);
    }
  }

  /// By the last byte of the key, then by the one before, and so on: each pass keeps the order of what is the same.
  void sort_by_bytes(std::span<Entry> entries) {
    std::array<std::array<std::uint32_t, 256>, word_bytes> counts = {};
    for (const Entry& entry : entries)
      for (unsigned b = 0; b < word_bytes; ++b) ++counts[b][entry.key >> 8 * b & 0xFF];
    spare_.resize(entries.size());
    std::span<Entry> from = entries, to = spare_;
    for (unsigned b = 0; b < word_bytes; ++b) {
      if (counts[b][from.front().key >> 8 * b & 0xFF] == from.size()) continue;  // all have the same
      std::uint32_t next = 0;
      for (std::uint32_t& count : counts[b]) next += std::exchange(count, next);
      for (const Entry& entry : from) to[counts[b][entry.key >> 8 * b & 0xFF]++] = entry;
      std::swap(from, to);
    }
    if (from.data() != entries.data()) std::ranges::copy(from, entries.begin());
  }

  std::size_t state_bytes_;
  StateAt state_at_;
  std::function<void()> poll_;
  std::vector<Number> numbers_;
  std::vector<Key> keys_;
  std::vector<Entry> spare_;
};

}  // namespace tideline
