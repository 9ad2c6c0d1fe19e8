// StateOrder: brings states that are in memory, by number, into the order of their bytes, without moving them.
//
// The bits in which states differ, from the first to the last, make up keys of 64 bits. Numbers are distributed by the
// first 16 bits of the key, and by the next 16 where many are left, until what is sorted at a time fits into the cache
// with its keys. States with the same key are sorted by the next one. Beside the numbers, of four bytes each, it takes
// six bytes a state for a moment.
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
    if (!numbers_.empty() && state_bytes != 0) find_words();
    sort(numbers_, 0, 0);
  }

  /// Calls emit(number) for all of them, in order; states that are the same follow each other.
  template <class Emit>
  void each(const Emit& emit) const {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (i + read_ahead < numbers_.size()) fetch(numbers_[i + read_ahead], 0, state_bytes_);
      emit(numbers_[i]);
    }
  }

 private:
  /// Where bits of a key come from: these of a byte.
  struct Piece {
    std::size_t byte;
    unsigned shift, width;
  };
  using Word = std::vector<Piece>;
  struct Entry {
    std::uint64_t key;
    Number number;
  };

  static constexpr std::size_t read_ahead = 16, line_bytes = 64, word_bytes = sizeof(std::uint64_t);
  static constexpr unsigned key_bits = 64, digit_bits = 16, digits = key_bits / digit_bits;
  static constexpr std::size_t most_at_once = std::size_t{1} << 16, few = 256;

  void fetch(Number number, std::size_t begin, std::size_t end) const {
    const std::byte* const state = state_at_(number);
    for (std::size_t b = begin; b < end; b += line_bytes) __builtin_prefetch(state + b);
    __builtin_prefetch(state + end - 1);
  }
  void fetch(Number number, const Word& word) const {
    fetch(number, word.front().byte, word.back().byte + 1);
  }

  void find_words() {
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
    unsigned used = key_bits;
    for (std::size_t b = 0; b < state_bytes_; ++b) {
      const std::size_t word = b / word_bytes;
      const auto bits = static_cast<std::uint8_t>(differs[word] >> 8 * (b - begin_of(word)));
      if (bits == 0) continue;
      const auto shift = static_cast<unsigned>(std::countr_zero(bits));
      const auto width = static_cast<unsigned>(std::bit_width(bits)) - shift;
      if (used + width > key_bits) {
        words_.emplace_back();
        used = 0;
      }
      used += width;
      words_.back().push_back({b, shift, width});
    }
  }

  std::uint64_t load(const std::byte* from) const {
    std::uint64_t word = 0;
    if (state_bytes_ >= sizeof word)
      std::memcpy(&word, from, sizeof word);
    else
      std::memcpy(&word, from, state_bytes_);
    return word;
  }

  /// At least its first bits.
  std::uint64_t key_of(Number number, const Word& word, unsigned bits_wanted = key_bits) const {
    const std::byte* const state = state_at_(number);
    std::uint64_t key = 0;
    unsigned left = key_bits;
    for (const auto& [byte, shift, width] : word) {
      if (key_bits - left >= bits_wanted) break;
      left -= width;
      const auto bits =
          std::to_integer<std::uint64_t>(state[byte]) >> shift & ((std::uint64_t{1} << width) - 1);
      key |= bits << left;
    }
    return key;
  }

  /// By the words from this one on; the first digits of its keys are the same.
  void sort(std::span<Number> numbers, std::size_t word, unsigned same_digits) {
    if (word >= words_.size() || numbers.size() < 2) return;
    if (same_digits == digits) return sort(numbers, word + 1, 0);
    if (numbers.size() <= most_at_once) return sort_at_once(numbers, word);
    const std::vector<std::size_t> begins = distribute(numbers, words_[word], same_digits);
    for (std::size_t begin = 0; begin + 1 < begins.size();) {
      std::size_t end = begin + 1;
      const auto size_to = [&](std::size_t to) { return begins[to] - begins[begin]; };
      while (end + 1 < begins.size() && size_to(end + 1) <= most_at_once) ++end;
      sort(numbers.subspan(begins[begin], size_to(end)), word,
           end == begin + 1 ? same_digits + 1 : same_digits);
      begin = end;
    }
  }

  /// By one digit. Returns where the numbers with each digit begin, and the end.
  std::vector<std::size_t> distribute(std::span<Number> numbers, const Word& word, unsigned digit) {
    std::vector<std::uint16_t> digit_of(numbers.size());
    std::vector<std::size_t> begins((std::size_t{1} << digit_bits) + 1);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i % most_at_once == 0) poll_();
      if (i + read_ahead < numbers.size()) fetch(numbers[i + read_ahead], word);
      const std::uint64_t key = key_of(numbers[i], word, (digit + 1) * digit_bits) << digit * digit_bits;
      digit_of[i] = static_cast<std::uint16_t>(key >> (key_bits - digit_bits));
      ++begins[digit_of[i] + std::size_t{1}];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::size_t> next = begins;
    const std::vector<Number> before(numbers.begin(), numbers.end());
    for (std::size_t i = 0; i < before.size(); ++i) numbers[next[digit_of[i]]++] = before[i];
    return begins;
  }

  void sort_at_once(std::span<Number> numbers, std::size_t word) {
    poll_();
    std::vector<Entry> entries(numbers.size());
    sort_few(numbers, word, entries);
  }

  void sort_few(std::span<Number> numbers, std::size_t word, std::span<Entry> entries) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i + read_ahead < numbers.size()) fetch(numbers[i + read_ahead], words_[word]);
      entries[i] = {key_of(numbers[i], words_[word]), numbers[i]};
    }
    entries = entries.first(numbers.size());
    if (entries.size() < few)
      std::ranges::sort(entries, {}, &Entry::key);
    else
      sort_by_bytes(entries);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = entries[i].number;
    if (word + 1 == words_.size()) return;
    std::vector<Entry> more;
    for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
      for (; end < entries.size() && entries[end].key == entries[begin].key; ++end)
        if (end + read_ahead < entries.size()) fetch(entries[end + read_ahead].number, words_[word + 1]);
      if (end - begin < 2) continue;
      more.resize(std::max(more.size(), end - begin));
      sort_few(numbers.subspan(begin, end - begin), word + 1, more);
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
  std::vector<Word> words_;
  std::vector<Entry> spare_;
};

}  // namespace tideline
