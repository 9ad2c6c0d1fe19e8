#include "store/tree_shape.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

namespace tideline {

namespace {

constexpr std::size_t least_sample = 256, largest_sample = 8192;
/// Comparing takes time and memory by the square of their number, and choosing by its cube.
constexpr std::size_t most_compared = 1024;

std::uint64_t scramble(std::uint64_t x) {
  x = (x ^ x >> 32) * 0x9FB21C651E98DF25u;
  x = (x ^ x >> 29) * 0xD6E8FEB86659FD93u;
  return x ^ x >> 32;
}

/// A tree that waits for its parent.
struct Cluster {
  TreeShape::Slot slot;  // a unit, or from the number of units on, a node in the order of creation
  std::size_t units;     // in it
  std::vector<std::uint64_t> values;  // by state of the sample: a hash of what its units are
};

class Clustering {
 public:
  Clustering(std::size_t state_bytes, std::size_t units, const StateSample& sample)
      : units_(static_cast<TreeShape::Slot>(units)) {
    const std::size_t states = state_bytes == 0 ? 0 : sample.size() / state_bytes;
    seen_.resize(std::bit_ceil(2 * states + 1));
    for (std::size_t unit = 0; unit < units; ++unit) {
      Cluster cluster{static_cast<TreeShape::Slot>(unit), 1, std::vector<std::uint64_t>(states)};
      const std::size_t at = unit * sizeof(TreeShape::Unit);
      const std::size_t bytes = at < state_bytes ? std::min(state_bytes - at, sizeof(TreeShape::Unit)) : 0;
      for (std::size_t s = 0; s < states; ++s) {
        TreeShape::Unit value = 0;
        std::memcpy(&value, sample.data() + s * state_bytes + at, bytes);
        cluster.values[s] = scramble(value + std::uint64_t{1});
      }
      clusters_.push_back(std::move(cluster));
    }
    while (clusters_.size() > most_compared) join_neighbours();
    for (std::size_t i = 0; i < clusters_.size(); ++i) {
      costs_.emplace_back(i);
      for (std::size_t j = 0; j < i; ++j) costs_[i][j] = cost(clusters_[i], clusters_[j]);
    }
  }

  /// The children of all nodes, in the order of creation.
  std::vector<TreeShape::Children> run() {
    while (clusters_.size() > 1) {
      std::size_t a = 1, b = 0;
      for (std::size_t i = 0; i < clusters_.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (costs_[i][j] < costs_[a][b]) std::tie(a, b) = std::pair(i, j);
      merge(a, b);
    }
    return std::move(merges_);
  }

 private:
  /// Values together; where these are as many, small trees come first.
  using Cost = std::pair<std::size_t, std::size_t>;

  static std::uint64_t together(std::uint64_t a, std::uint64_t b) { return scramble(a * 7 + b); }

  Cost cost(const Cluster& a, const Cluster& b) {
    std::fill(seen_.begin(), seen_.end(), 0);
    std::size_t different = 0;
    for (std::size_t s = 0; s < a.values.size(); ++s) {
      const std::uint64_t value = together(a.values[s], b.values[s]) | 1;  // 0: empty
      std::size_t at = (value >> 32) & (seen_.size() - 1);
      while (seen_[at] != 0 && seen_[at] != value) at = (at + 1) & (seen_.size() - 1);
      different += seen_[at] == 0;
      seen_[at] = value;
    }
    return {different, a.units + b.units};
  }

  /// They get a parent, which takes the place of the first one.
  void join(Cluster& first, const Cluster& second) {
    merges_.push_back({first.slot, second.slot});
    first.slot = units_ + static_cast<TreeShape::Slot>(merges_.size() - 1);
    first.units += second.units;
    for (std::size_t s = 0; s < first.values.size(); ++s)
      first.values[s] = together(second.values[s], first.values[s]);
  }

  /// Without a look at what they take: what is side by side often belongs together.
  void join_neighbours() {
    std::vector<Cluster> joined;
    for (std::size_t i = 0; i < clusters_.size(); i += 2) {
      if (i + 1 < clusters_.size()) join(clusters_[i], clusters_[i + 1]);
      joined.push_back(std::move(clusters_[i]));
    }
    clusters_ = std::move(joined);
  }

  /// Cluster a becomes a part of b, which is before it.
  void merge(std::size_t a, std::size_t b) {
    const Cluster& merged = clusters_[b];
    join(clusters_[b], clusters_[a]);
    clusters_.erase(clusters_.begin() + static_cast<std::ptrdiff_t>(a));
    costs_.erase(costs_.begin() + static_cast<std::ptrdiff_t>(a));
    for (std::size_t i = a; i < costs_.size(); ++i)
      costs_[i].erase(costs_[i].begin() + static_cast<std::ptrdiff_t>(a));
    for (std::size_t i = 0; i < clusters_.size(); ++i)
      if (i != b) costs_[std::max(i, b)][std::min(i, b)] = cost(clusters_[i], merged);
  }

  TreeShape::Slot units_;
  std::vector<TreeShape::Children> merges_;
  std::vector<Cluster> clusters_;
  std::vector<std::vector<Cost>> costs_;  // of clusters i and j < i
  std::vector<std::uint64_t> seen_;       // for cost()
};

}  // namespace

std::size_t TreeShape::sample_size(std::size_t state_bytes) {
  const std::size_t units = state_bytes / sizeof(Unit) + 1;
  return std::clamp((std::size_t{1} << 26) / (units * units), least_sample, largest_sample);
}

TreeShape::TreeShape(std::size_t state_bytes, const StateSample& sample)
    : state_bytes_(state_bytes),
      units_(std::max<std::size_t>(4, (state_bytes + 2 * sizeof(Unit) - 1) / (2 * sizeof(Unit)) * 2)),
      masks_((units_ - 1 + 63) / 64),
      paths_(units_ * masks_) {
  const std::vector<Children> merges = Clustering(state_bytes, units_, sample).run();
  const auto nodes = static_cast<Slot>(merges.size()), units = static_cast<Slot>(units_);
  const auto slot_of = [&](Slot made) { return made < units ? nodes + made : nodes - 1 - (made - units); };
  std::vector<Slot> parent(std::size_t{nodes} + units);
  for (Slot node = 0; node < nodes; ++node) {
    const Children& made = merges[nodes - 1 - node];
    children_.push_back({slot_of(made.left), slot_of(made.right)});
    parent[children_.back().left] = parent[children_.back().right] = node;
  }
  for (Slot unit = 0; unit < units; ++unit)
    for (Slot node = parent[nodes + unit]; node != 0; node = parent[node])
      paths_[unit * masks_ + node / 64] |= std::uint64_t{1} << node % 64;
}

}  // namespace tideline
