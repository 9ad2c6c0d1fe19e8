// Regions of random automata against reachability between all pairs of locations.
#include "graph/regions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tideline {
namespace {

PropertyProcess arbitrary_property() {
  PropertyProcess property;
  const auto locations = *rc::gen::inRange<LocationId>(1, 7);
  property.locations.resize(locations);
  property.accepting.resize(*rc::gen::inRange<std::size_t>(0, 3));
  const auto location = rc::gen::inRange<LocationId>(0, locations);
  for (auto& set : property.accepting)
    for (LocationId l = 0; l < locations; ++l)
      if (*rc::gen::inRange(0, 3) == 0) set.push_back(l);
  const auto edges = *rc::gen::inRange<std::size_t>(0, 3 * locations);
  for (std::size_t i = 0; i < edges; ++i) {
    PropertyProcess::Edge edge{.from = *location, .to = *location};
    if (*rc::gen::arbitrary<bool>()) edge.guard = Expr::load(0);
    if (*rc::gen::inRange(0, 3) == 0) edge.marks = *rc::gen::inRange(0u, 4u) & property.all_marks();
    property.edges.push_back(edge);
  }
  return property;
}

RC_GTEST_PROP(Regions, AreTheSccsThatCanAccept, ()) {
  const PropertyProcess property = arbitrary_property();
  const std::size_t count = property.locations.size();
  std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));  // in one or more steps
  for (const auto& edge : property.edges) reaches[edge.from][edge.to] = true;
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b < count; ++b)
        if (reaches[a][k] && reaches[k][b]) reaches[a][b] = true;
  const auto inner = [&](LocationId l, const PropertyProcess::Edge& edge) {
    return reaches[l][edge.from] && reaches[edge.to][l] | (edge.to == l);
  };

  const Regions regions = regions_of(property);
  bool weak = true, terminal = true;
  for (LocationId l = 0; l < count; ++l) {
    std::uint32_t marks = 0;
    bool all_accept = true, goes_on = false;
    for (const auto& edge : property.edges) {
      const std::uint32_t own = property.marks_of(edge.from) | edge.marks;
      if (!reaches[l][l] || !inner(l, edge)) continue;
      marks |= own;
      all_accept = all_accept && own == property.all_marks();
      goes_on = goes_on || (edge.from == l && edge.guard.is_constant());
    }
    const bool region = reaches[l][l] && marks == property.all_marks();
    RC_ASSERT((regions.of[l] != no_region) == region);
    if (!region) continue;
    weak = weak && all_accept;
    terminal = terminal && goes_on;
    for (LocationId other = 0; other < count; ++other)
      RC_ASSERT((regions.of[l] == regions.of[other]) ==
                (l == other || (reaches[l][other] && reaches[other][l])));
  }
  RC_ASSERT(regions.weak == weak);
  RC_ASSERT(regions.terminal == (weak && terminal));
}

}  // namespace
}  // namespace tideline
