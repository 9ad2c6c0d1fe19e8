#include "cluster/states/saved_together.hpp"

#include "model/error.hpp"

namespace tideline::cluster {

SavedTogether saved_together(Ranks& ranks) {
  const auto least = [&ranks](std::uint64_t value) {
    try {
      return ranks.all_reduce({value}, Combine::least)[0];
    } catch (const RankLeft& left) {
      throw Error(ErrorKind::io, left.what());
    }
  };
  constexpr std::uint64_t others = ~std::uint64_t{0};  // more than what the first one says
  return {.rank = ranks.rank(),
          .ranks = ranks.size(),
          .all = [least](bool mine) { return least(mine) != 0; },
          .first = [&ranks, least](std::uint64_t mine) { return least(ranks.is_first() ? mine : others); }};
}

}  // namespace tideline::cluster
