#include "graph/regions.hpp"

#include <algorithm>
#include <numeric>

#include "graph/sccs.hpp"

namespace tideline {

namespace {

using Edge = PropertyProcess::Edge;

/// By location: the number of its SCC, from 1 on.
std::vector<std::uint32_t> sccs_of(const PropertyProcess& property) {
  struct Target {
    LocationId node;
  };
  const auto count = static_cast<LocationId>(property.locations.size());
  std::vector<std::size_t> first(count + 1);
  for (const Edge& edge : property.edges) ++first[edge.from];
  std::inclusive_scan(first.begin(), first.end(), first.begin());
  std::vector<Target> targets(property.edges.size());
  for (const Edge& edge : property.edges) targets[--first[edge.from]] = {edge.to};
  return sccs(count, first, targets, [] { return true; });
}

bool always_enabled(const Edge& edge) {
  return edge.guard.is_constant() && !edge.guard.is_constant(0) && edge.effects.empty();
}

}  // namespace

Regions regions_of(const PropertyProcess& property) {
  const std::vector<std::uint32_t> scc = sccs_of(property);
  const auto inner = [&](const Edge& edge) { return scc[edge.from] == scc[edge.to]; };
  const auto marks = [&](const Edge& edge) { return property.marks_of(edge.from) | edge.marks; };

  std::vector<bool> cyclic(scc.size() + 1), always(scc.size());
  std::vector<std::uint32_t> collected(scc.size() + 1);
  for (const Edge& edge : property.edges) {
    if (!inner(edge)) continue;
    cyclic[scc[edge.from]] = true;
    collected[scc[edge.from]] |= marks(edge);
    if (always_enabled(edge)) always[edge.from] = true;
  }

  Regions regions{.of = {}, .weak = true, .terminal = true};
  // An SCC is numbered after all it leads to.
  for (const std::uint32_t number : scc) regions.ranks = std::max(regions.ranks, number);
  for (LocationId l = 0; l < property.locations.size(); ++l) {
    regions.rank.push_back(regions.ranks - scc[l]);
    const bool region = cyclic[scc[l]] && collected[scc[l]] == property.all_marks();
    regions.of.push_back(region ? scc[l] : no_region);
    if (region && !always[l]) regions.terminal = false;
  }
  regions.weak = std::all_of(property.edges.begin(), property.edges.end(), [&](const Edge& edge) {
    return !inner(edge) || regions.of[edge.from] == no_region || marks(edge) == property.all_marks();
  });
  regions.terminal = regions.terminal && regions.weak;
  return regions;
}

Regions one_region(const PropertyProcess& property) {
  Regions regions = regions_of(property);
  regions.of.assign(property.locations.size(), no_region + 1);
  regions.weak = regions.terminal = false;
  return regions;
}

bool has_dead_ends(const PropertyProcess& property) {
  const Regions regions = regions_of(property);
  const std::size_t size = property.locations.size();
  std::vector<bool> is_reached(size, false), is_alive(size, false);
  is_reached[property.initial] = true;
  for (LocationId l = 0; l < size; ++l) is_alive[l] = regions.of[l] != no_region;
  for (bool grows = true; grows;) {
    grows = false;
    for (const PropertyProcess::Edge& edge : property.edges) {
      if (is_reached[edge.from] && !is_reached[edge.to]) is_reached[edge.to] = grows = true;
      if (is_alive[edge.to] && !is_alive[edge.from]) is_alive[edge.from] = grows = true;
    }
  }
  for (LocationId l = 0; l < size; ++l)
    if (is_reached[l] && !is_alive[l] && l != property.initial) return true;
  return false;
}

}  // namespace tideline
