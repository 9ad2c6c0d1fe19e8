// ParentTrail: where the states of a rank were found, in little more than a byte a state.
//
// A rank numbers its states as they arrive. They come in batches from one rank each, which expands states in the order of
// their numbers: so the parent of a state is mostly of the same rank as the parent of the state before, and soon after it.
// What is written for a state is how far after it, as a number of variable length, or the whole parent where the rank is
// another one. Every 64 states the whole parent is written, so that nobody has to read more than that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/ranks/global_id.hpp"
#include "store/packed_number.hpp"
#include "store/paged_array.hpp"

namespace tideline::cluster {

class ParentTrail {
 public:
  /// Of the next state; no_global: it has none.
  void add(GlobalId parent) {
    if (size_++ % block == 0) {
      begins_.push_back(bytes_.size());
      before_ = no_global;
    }
    std::array<std::byte, most_bytes> packed;
    std::byte* end = packed.data();
    if (before_ != no_global && parent != no_global && rank_of(parent) == rank_of(before_)) {
      end = put_number(end, folded(parent - before_) + 1);
    } else {
      end = put_number(end, 0);
      end = put_number(end, parent == no_global ? 0 : std::uint64_t{rank_of(parent)} + 1);
      end = put_number(end, number_of(parent));
    }
    before_ = parent;
    for (const std::byte* at = packed.data(); at != end; ++at) bytes_.push_back(*at);
  }

  GlobalId operator[](StateId id) const {
    const std::uint64_t end = id / block + 1 < begins_.size() ? begins_[id / block + 1] : bytes_.size();
    std::vector<std::byte> packed;
    for (std::uint64_t at = begins_[id / block]; at != end; ++at) packed.push_back(bytes_[at]);
    GlobalId parent = no_global;
    std::span<const std::byte> rest = packed;
    for (StateId i = 0; i <= id % block; ++i) parent = next(rest, parent);
    return parent;
  }

  std::uint64_t size() const { return size_; }
  std::uint64_t memory_bytes() const { return bytes_.memory_bytes() + begins_.memory_bytes(); }

 private:
  static constexpr StateId block = 64;
  static constexpr std::size_t most_bytes = 1 + 5 + 5;  // a distance within a rank takes five

  static GlobalId next(std::span<const std::byte>& packed, GlobalId before) {
    if (const std::uint64_t distance = get_number(packed); distance != 0)
      return before + unfolded(distance - 1);
    const std::uint64_t rank = get_number(packed), number = get_number(packed);
    return rank == 0 ? no_global : global_id(static_cast<unsigned>(rank - 1), static_cast<StateId>(number));
  }

  std::uint64_t size_ = 0;
  GlobalId before_ = no_global;
  PagedVector<std::byte> bytes_;
  PagedVector<std::uint64_t> begins_;  // of blocks
};

}  // namespace tideline::cluster
