// BitTable: which states have been seen, from hashes alone (bitstate hashing, Holzmann 1987 and 1998).
//
// A state is three bits of a table of 2^bits bits; it counts as seen when all three are set. States are thus
// never stored, and a new state may be taken for an old one: a search on this table visits a part of the
// graph, all of which is real. How large the part is can be estimated: a new state that arrives while a
// fraction f of the bits is set is lost with probability p = f^3, so that for every state that got in,
// p / (1 - p) were lost on average.
#pragma once

#include <cstddef>
#include <cstdint>

#include "store/memory.hpp"

namespace tideline {

class BitTable {
 public:
  static constexpr unsigned hash_functions = 3;
  static constexpr unsigned least_bits = 10;
  static constexpr unsigned most_bits = 44;

  /// bits: from least_bits to most_bits.
  explicit BitTable(unsigned bits) : mask_((std::uint64_t{1} << bits) - 1), words_(bytes_for(bits)) {}

  /// Marks the state with this hash; true when it had not been seen.
  bool insert(std::uint64_t hash) {
    std::uint64_t fresh = 0;
    for_each_bit(hash, [&](std::uint64_t& word, std::uint64_t bit) {
      const std::uint64_t unset = (word & bit) == 0;
      word |= bit;
      fresh += unset;
    });
    if (fresh == 0) return false;
    const double filled = static_cast<double>(bits_set_) / static_cast<double>(mask_ + 1);
    bits_set_ += fresh;
    ++inserted_;
    const double lost = filled * filled * filled;
    expected_lost_ += lost / (1 - lost);
    return true;
  }

  void prefetch(std::uint64_t hash) const {
    for_each_bit(hash, [](std::uint64_t& word, std::uint64_t) { prefetch_line_to_write(&word); });
  }

  std::uint64_t size() const { return inserted_; }
  std::uint64_t bits_set() const { return bits_set_; }
  std::uint64_t memory_bytes() const { return words_.size(); }

  /// The estimated fraction of the states met that were recognised as new.
  double coverage() const {
    const auto seen = static_cast<double>(inserted_);
    return inserted_ == 0 ? 1 : seen / (seen + expected_lost_);
  }

 private:
  static constexpr std::size_t bytes_for(unsigned bits) { return std::size_t{1} << bits >> 3; }

  // Double hashing: the second hash is a scrambled and odd form of the first.
  template <class Visit>
  void for_each_bit(std::uint64_t hash, Visit&& visit) const {
    std::uint64_t step = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15u;
    step = (step ^ step >> 29) | 1;
    auto* const words = reinterpret_cast<std::uint64_t*>(words_.data());
    for (unsigned i = 0; i < hash_functions; ++i, hash += step)
      visit(words[(hash & mask_) >> 6], std::uint64_t{1} << (hash & 63));
  }

  std::uint64_t mask_;
  Memory words_;
  std::uint64_t bits_set_ = 0;
  std::uint64_t inserted_ = 0;
  double expected_lost_ = 0;
};

}  // namespace tideline
