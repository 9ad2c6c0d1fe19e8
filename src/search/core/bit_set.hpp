// BitSet: one bit for each of a fixed number of things, with set operations on whole words.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tideline {

class BitSet {
 public:
  BitSet() = default;
  explicit BitSet(std::size_t size, bool value = false)
      : size_(size), words_((size + 63) / 64, value ? ~std::uint64_t{0} : 0) {
    trim();
  }

  std::size_t size() const { return size_; }
  bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void reset(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }

  /// set() and reset() while other threads do the same; the first says whether the bit was 0.
  bool insert_shared(std::size_t i) {
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    const std::atomic_ref word(words_[i / 64]);
    return (word.load(std::memory_order_relaxed) & bit) == 0 &&
           (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }
  void reset_shared(std::size_t i) {
    std::atomic_ref(words_[i / 64]).fetch_and(~(std::uint64_t{1} << (i % 64)), std::memory_order_relaxed);
  }

  std::uint64_t count() const {
    std::uint64_t bits = 0;
    for (const std::uint64_t word : words_) bits += static_cast<std::uint64_t>(std::popcount(word));
    return bits;
  }
  bool any() const { return count() != 0; }

  void complement() {
    for (std::uint64_t& word : words_) word = ~word;
    trim();
  }
  BitSet& operator&=(const BitSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  BitSet& operator|=(const BitSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }

  /// Calls visit(i) for every bit that is set, in ascending order, as long as it returns true.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for_each_in(0, words_.size(), visit);
  }
  /// Likewise, for the words from `begin` up to `end` or the last one.
  template <class Visit>
  void for_each_in(std::size_t begin, std::size_t end, const Visit& visit) const {
    for (std::size_t w = begin; w < std::min(end, words_.size()); ++w)
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
        if (!visit(w * 64 + static_cast<std::size_t>(std::countr_zero(word)))) return;
  }

  /// The bits in words of 64, the first one lowest; bits past the end must stay 0.
  std::span<const std::uint64_t> words() const { return words_; }
  std::span<std::uint64_t> words() { return words_; }

  std::size_t memory_bytes() const { return words_.capacity() * sizeof(std::uint64_t); }
  bool operator==(const BitSet&) const = default;

 private:
  /// Bits past the end are 0.
  void trim() {
    if (size_ % 64 != 0) words_.back() &= (std::uint64_t{1} << (size_ % 64)) - 1;
  }

  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace tideline
