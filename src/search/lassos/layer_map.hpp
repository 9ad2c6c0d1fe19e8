// LayerMap: which layers lead to which, for one or several regions of a product.
//
// A cycle over several layers is a cycle of layers, too, and an accepting one passes through a layer with an
// accepting state. What a sweep records here therefore shows where no such cycle can be: outside of strongly
// connected parts of the map that have an accepting layer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/progress.hpp"
#include "graph/regions.hpp"
#include "graph/sccs.hpp"

namespace tideline {

class LayerMap {
 public:
  void add_accepting(Progress progress, Region region) { accepting_[number(progress, region)] = true; }
  void add_edge(Progress from, Progress to, Region region) {
    Recent& recent = recent_[(from * 31 + to) % recent_.size()];
    if (recent.from == from && recent.to == to && recent.region == region) return;
    recent = {from, to, region};
    edges_.insert(std::uint64_t{number(from, region)} << 32 | number(to, region));
  }

  bool empty() const { return numbers_.empty(); }
  /// Adds what another map has recorded.
  void absorb(const LayerMap& other) {
    std::vector<std::uint32_t> own(other.accepting_.size());
    for (const auto& [place, theirs] : other.numbers_) {
      own[theirs] = number(place.progress, place.region);
      if (other.accepting_[theirs]) accepting_[own[theirs]] = true;
    }
    for (const std::uint64_t edge : other.edges_)
      edges_.insert(std::uint64_t{own[edge >> 32]} << 32 | own[edge & 0xffffffff]);
  }

  /// Call it when everything is recorded, and before useful().
  void judge() {
    const auto count = static_cast<std::uint32_t>(accepting_.size());
    std::vector<std::uint64_t> first(count + 1);
    for (const std::uint64_t edge : edges_) ++first[(edge >> 32) + 1];
    for (std::uint32_t n = 0; n < count; ++n) first[n + 1] += first[n];
    std::vector<Target> targets(edges_.size());
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    for (const std::uint64_t edge : edges_) targets[next[edge >> 32]++] = {static_cast<std::uint32_t>(edge)};

    const std::vector<std::uint32_t> part = sccs(count, first, targets, [] { return true; });
    std::vector<std::uint32_t> layers_in(count + 1);
    std::vector<bool> accepting_in(count + 1);
    for (std::uint32_t n = 0; n < count; ++n) {
      ++layers_in[part[n]];
      if (accepting_[n]) accepting_in[part[n]] = true;
    }
    useful_.assign(count, false);
    for (std::uint32_t n = 0; n < count; ++n) useful_[n] = layers_in[part[n]] > 1 && accepting_in[part[n]];
  }
  bool useful(Progress progress, Region region) const {
    const auto at = numbers_.find({progress, region});
    return at != numbers_.end() && useful_[at->second];
  }
  void clear() {
    numbers_.clear();
    edges_.clear();
    accepting_.clear();
    useful_.clear();
    recent_ = {};
  }

  /// For checkpoints: what was recorded, not what was judged, in an order that depends on nothing else.
  template <class File>
  void archive(File& file) {
    std::vector<Place> places(accepting_.size());
    for (const auto& [place, number] : numbers_) places[number] = place;
    std::vector<std::uint64_t> edges(edges_.begin(), edges_.end());
    std::sort(edges.begin(), edges.end());
    file(places, edges, accepting_);
    if (!File::reads) return;
    file.require(places.size() == accepting_.size() && std::ranges::all_of(edges, [&](std::uint64_t edge) {
                   return edge >> 32 < places.size() && (edge & 0xffffffff) < places.size();
                 }));
    edges_.insert(edges.begin(), edges.end());
    for (std::uint32_t n = 0; n < places.size(); ++n) file.require(numbers_.emplace(places[n], n).second);
  }

 private:
  struct Place {
    Progress progress = 0;
    Region region = no_region;
    bool operator==(const Place&) const = default;
    void archive(auto& file) { file(progress, region); }
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const {
      return static_cast<std::size_t>((place.progress + place.region) * 0x9e3779b97f4a7c15u >> 7);
    }
  };
  struct Target {
    std::uint32_t node;
  };
  struct Recent {
    Progress from = 0, to = 0;
    Region region = no_region;
  };

  std::uint32_t number(Progress progress, Region region) {
    const auto [place, is_new] =
        numbers_.try_emplace({progress, region}, static_cast<std::uint32_t>(accepting_.size()));
    if (is_new) accepting_.push_back(false);
    return place->second;
  }

  std::unordered_map<Place, std::uint32_t, PlaceHash> numbers_;
  std::unordered_set<std::uint64_t> edges_;
  std::vector<bool> accepting_, useful_;
  std::array<Recent, 256> recent_{};
};

}  // namespace tideline
