#include "search/core/levels.hpp"

#include <algorithm>

namespace tideline {

NextLevel Frontier::advance(std::uint64_t few) {
  level_.clear();
  next_piece_ = 0;
  std::uint64_t size = 0;
  for (Part& part : parts_) {
    part.level.swap(part.found);
    part.found.clear();
    size += part.level.size();
  }
  const std::size_t piece = piece_of(size, static_cast<unsigned>(parts_.size()));
  for (const Part& part : parts_)
    for (std::span<const StateId> rest = part.level; !rest.empty();) {
      const std::size_t count = std::min(piece, rest.size());
      level_.push_back(rest.first(count));
      rest = rest.subspan(count);
    }
  if (size == 0) return NextLevel::over;
  return size <= few ? NextLevel::small : NextLevel::large;
}

}  // namespace tideline
