#include "progress/ranked.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace tideline {

namespace {

/// From values to numbers. It has room for twice as many as there are.
class NumberTable {
 public:
  explicit NumberTable(std::size_t values)
      : entries_(std::bit_ceil(2 * values + 2)),
        shift_(64 - static_cast<unsigned>(std::countr_zero(entries_.size()))) {}

  /// The number of the value, which is `fresh` unless it has one.
  std::uint32_t& number(std::uint64_t value, std::uint32_t fresh) {
    for (std::size_t at = value * 0x9e3779b97f4a7c15u >> shift_;;
         at = at + 1 == entries_.size() ? 0 : at + 1) {
      Entry& entry = entries_[at];
      if (entry.number == none) entry = {value, fresh};
      if (entry.value == value) return entry.number;
    }
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Entry {
    std::uint64_t value = 0;
    std::uint32_t number = none;
  };
  std::vector<Entry> entries_;
  unsigned shift_;
};

}  // namespace

Ranked ranked(std::span<const std::uint64_t> values) {
  Ranked result;
  NumberTable table(values.size());
  result.ranks.reserve(values.size());
  for (const std::uint64_t value : values) {
    const auto fresh = static_cast<std::uint32_t>(result.values.size());
    const std::uint32_t number = table.number(value, fresh);
    if (number == fresh) result.values.push_back(value);
    result.ranks.push_back(number);
  }
  // They were numbered as they came.
  std::vector<std::uint64_t> in_order = result.values;
  std::ranges::sort(in_order);
  for (std::uint32_t rank = 0; rank < in_order.size(); ++rank) table.number(in_order[rank], 0) = rank;
  std::vector<std::uint32_t> rank_of;
  rank_of.reserve(in_order.size());
  for (const std::uint64_t value : result.values) rank_of.push_back(table.number(value, 0));
  for (std::uint32_t& rank : result.ranks) rank = rank_of[rank];
  result.values = std::move(in_order);
  return result;
}

}  // namespace tideline
