#include "graph/regions.hpp"

#include <algorithm>
#include <utility>

namespace tideline {

namespace {

using Edge = PropertyProcess::Edge;

/// By location: the number of its strongly connected component (Tarjan's search, without recursion).
class Components {
 public:
  explicit Components(const PropertyProcess& property)
      : next_(property.locations.size()), number_(next_.size()), low_(next_.size()), of_(next_.size(), open) {
    for (const Edge& edge : property.edges) next_[edge.from].push_back(edge.to);
    for (LocationId l = 0; l < next_.size(); ++l)
      if (number_[l] == 0) search(l);
  }

  std::uint32_t operator[](LocationId location) const { return of_[location]; }
  std::uint32_t count() const { return count_; }

 private:
  static constexpr std::uint32_t open = ~std::uint32_t{0};

  void search(LocationId start) {
    std::vector<std::pair<LocationId, std::size_t>> stack;  // with how many of its edges have been followed
    const auto enter = [&](LocationId l) {
      number_[l] = low_[l] = ++last_number_;
      live_.push_back(l);
      stack.emplace_back(l, 0);
    };
    enter(start);
    while (!stack.empty()) {
      auto& [at, followed] = stack.back();
      if (followed < next_[at].size()) {
        const LocationId to = next_[at][followed++];
        if (number_[to] == 0)
          enter(to);
        else if (of_[to] == open)
          low_[at] = std::min(low_[at], number_[to]);
        continue;
      }
      const LocationId left = at;
      stack.pop_back();
      if (!stack.empty()) low_[stack.back().first] = std::min(low_[stack.back().first], low_[left]);
      if (low_[left] == number_[left]) close(left);
    }
  }

  void close(LocationId first) {
    LocationId l;
    do {
      l = live_.back();
      live_.pop_back();
      of_[l] = count_;
    } while (l != first);
    ++count_;
  }

  std::vector<std::vector<LocationId>> next_;
  std::vector<std::uint32_t> number_;  // in the order of the search; 0: not met
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> of_;
  std::vector<LocationId> live_;
  std::uint32_t last_number_ = 0;
  std::uint32_t count_ = 0;
};

bool always_enabled(const Edge& edge) {
  return edge.guard.is_constant() && !edge.guard.is_constant(0) && edge.effects.empty();
}

}  // namespace

Regions regions_of(const PropertyProcess& property) {
  const Components component(property);
  const auto inner = [&](const Edge& edge) { return component[edge.from] == component[edge.to]; };
  const auto marks = [&](const Edge& edge) { return property.marks_of(edge.from) | edge.marks; };

  std::vector<bool> cyclic(component.count()), always(property.locations.size());
  std::vector<std::uint32_t> collected(component.count());
  for (const Edge& edge : property.edges) {
    if (!inner(edge)) continue;
    cyclic[component[edge.from]] = true;
    collected[component[edge.from]] |= marks(edge);
    if (always_enabled(edge)) always[edge.from] = true;
  }

  Regions regions{.of = {}, .weak = true, .terminal = true};
  for (LocationId l = 0; l < property.locations.size(); ++l) {
    const bool region = cyclic[component[l]] && collected[component[l]] == property.all_marks();
    regions.of.push_back(region ? component[l] + 1 : no_region);
    if (region && !always[l]) regions.terminal = false;
  }
  regions.weak = std::all_of(property.edges.begin(), property.edges.end(), [&](const Edge& edge) {
    return !inner(edge) || regions.of[edge.from] == no_region || marks(edge) == property.all_marks();
  });
  regions.terminal = regions.terminal && regions.weak;
  return regions;
}

}  // namespace tideline
