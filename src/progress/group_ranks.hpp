// GroupRanks: the place of a state in an order of tuples of values of several slots.
//
// The tuples named in the order lie in a box: for each slot the values from the smallest one named to the
// largest. A tuple is a number in that box, its values being the digits. Where the box is small the places
// are a table by that number, otherwise a hash table of the tuples that are named. Tuples that are not
// named come after all others, and share a place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/layout.hpp"
#include "model/system.hpp"

namespace tideline {

/// Values of a slot, or tuples of values of a group of slots, in order of progress. Each place has those that
/// are equal, tuples one after another. Those that are not named come after all others, and are equal.
using ProgressOrder = std::vector<std::vector<std::int32_t>>;

class GroupRanks {
 public:
  /// Throws Error(usage) when the box is too large for numbers of 64 bits.
  GroupRanks(const System& system, const Layout& layout, const std::vector<SlotId>& slots,
             const ProgressOrder& order);

  std::uint32_t operator()(const std::byte* state) const {
    std::uint64_t number = 0;
    for (const Digit& digit : digits_) {
      const std::uint64_t value = static_cast<std::uint64_t>(load_field(state, digit.field) - digit.low);
      if (value >= digit.count) return unnamed_;
      number = number * digit.count + value;
    }
    return keys_.empty() ? ranks_[number] : find(number);
  }

  /// Values of a slot from `low` on, so many of them.
  struct Digit {
    Field field;
    std::int64_t low = 0;
    std::uint64_t count = 0;
  };
  const std::vector<Digit>& digits() const { return digits_; }
  /// By number; nothing: the box is too large for a table.
  std::span<const std::uint32_t> table() const {
    return keys_.empty() ? std::span(ranks_) : std::span<const std::uint32_t>();
  }
  /// Of tuples outside the box.
  std::uint32_t unnamed() const { return unnamed_; }

  /// The largest rank that a state can have.
  std::uint32_t largest() const { return largest_; }
  /// From now on the last place has rank 0.
  void reverse();

 private:
  static std::uint64_t hash(std::uint64_t number) { return (number * 0x9e37'79b9'7f4a'7c15ULL) >> 32; }
  std::uint32_t find(std::uint64_t number) const {
    for (std::size_t at = hash(number) & mask_;; at = (at + 1) & mask_)
      if (keys_[at] == number || keys_[at] == no_key) return ranks_[at];
  }
  void insert(std::uint64_t number, std::uint32_t rank);

  static constexpr std::uint64_t no_key = ~std::uint64_t{0};
  std::vector<Digit> digits_;
  std::vector<std::uint64_t> keys_;   // of the hash table; none: the box is small
  std::vector<std::uint32_t> ranks_;  // by number, or beside the keys
  std::size_t mask_ = 0;
  std::uint32_t unnamed_ = 0, largest_ = 0;
};

}  // namespace tideline
