#include "progress/group_ranks.hpp"

#include <algorithm>
#include <bit>

namespace tideline {

namespace {

/// A box up to this size is a table, of half a megabyte at most.
constexpr std::uint64_t largest_table = std::uint64_t{1} << 17;

}  // namespace

GroupRanks::GroupRanks(const System& system, const Layout& layout, const std::vector<SlotId>& slots,
                       const ProgressOrder& order)
    : unnamed_(static_cast<std::uint32_t>(order.size())) {
  const std::size_t width = slots.size();
  std::uint64_t box = 1, all = 1;  // all: the tuples in the ranges of the slots
  bool too_large = false, countless = false;
  for (std::size_t i = 0; i < width; ++i) {
    std::int32_t low = order[0][i], high = low;
    for (const auto& place : order)
      for (std::size_t at = i; at < place.size(); at += width) {
        low = std::min(low, place[at]);
        high = std::max(high, place[at]);
      }
    const Range range = system.slots[slots[i]].range;
    digits_.push_back(
        {layout.field(slots[i]), low, static_cast<std::uint64_t>(std::int64_t{high} - low) + 1});
    too_large = __builtin_mul_overflow(box, digits_.back().count, &box) || too_large;
    countless = __builtin_mul_overflow(
                    all, static_cast<std::uint64_t>(std::int64_t{range.high} - range.low) + 1, &all) ||
                countless;
  }
  if (too_large || box == no_key)
    throw Error(ErrorKind::usage, "the values in the order of a group of slots lie too far apart");

  std::size_t named = 0;
  for (const auto& place : order) named += place.size() / width;
  if (box > largest_table) keys_.assign(std::bit_ceil(2 * named), no_key);
  ranks_.assign(keys_.empty() ? box : keys_.size(), unnamed_);
  mask_ = ranks_.size() - 1;
  for (std::uint32_t rank = 0; rank < order.size(); ++rank)
    for (std::size_t tuple = 0; tuple < order[rank].size(); tuple += width) {
      std::uint64_t number = 0;
      for (std::size_t i = 0; i < width; ++i)
        number =
            number * digits_[i].count + static_cast<std::uint64_t>(order[rank][tuple + i] - digits_[i].low);
      insert(number, rank);
    }
  largest_ = !countless && named == all ? unnamed_ - 1 : unnamed_;
}

void GroupRanks::insert(std::uint64_t number, std::uint32_t rank) {
  std::size_t at = number;
  if (!keys_.empty()) {
    for (at = hash(number) & mask_; keys_[at] != no_key;) at = (at + 1) & mask_;
    keys_[at] = number;
  }
  ranks_[at] = rank;
}

void GroupRanks::reverse() {
  const auto reversed = [&](std::uint32_t rank) { return largest_ - std::min(rank, largest_); };
  std::ranges::transform(ranks_, ranks_.begin(), reversed);
  unnamed_ = reversed(unnamed_);
}

}  // namespace tideline
