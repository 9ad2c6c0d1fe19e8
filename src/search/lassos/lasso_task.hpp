// LassoTask: what an engine for infinite runs is given, and what it returns.
//
//     LassoFound search_ndfs(const LassoTask& task, Budget& budget) {
//       return task.search([&](const auto& product) {
//         return found_by(NestedDepthFirstSearch(product, SegmentedTable<>(product.state_size())), budget);
//       }, budget);
//     }
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "graph/factory.hpp"
#include "run/budget.hpp"
#include "run/property.hpp"
#include "search/lassos/lasso_search.hpp"
#include "search/lassos/liveness.hpp"
#include "search/lassos/scc.hpp"
#include "search/lassos/shorten.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

/// Runs a search.
template <class Search>
LassoFound found_by(Search&& search, Budget& budget) {
  LassoFound found{.result = search.run(budget)};
  found.memory_bytes = search.memory_bytes();
  return found;
}

/// Makes the lasso as short as possible.
template <class G>
void shorten(const G& graph, LassoFound& found, Budget& budget) {
  auto& lasso = found.result.lasso;
  if (!lasso) return;
  LassoShortening shortening(graph, SegmentedTable<>(graph.state_size()));
  ShortenedLasso shortened = shortening.run(std::move(*lasso), budget);
  lasso = std::move(shortened.lasso);
  found.not_shortest = !shortened.proven;
}

struct LassoTask {
  const System& system;
  const Property& property;
  const LivenessOptions& options;
  std::shared_ptr<const por::StubbornSets> reduction = {};

  Stepping stepping() const { return {options.errors, reduction}; }
  WorkOrder order() const { return options.order.value_or(reduction ? WorkOrder::dfs : WorkOrder::bfs); }
  const PropertyProcess& process() const { return *property.process; }
  Regions regions(bool known) const { return known ? regions_of(process()) : one_region(process()); }

  /// Calls find(product), which returns LassoFound, and shortens its lasso if the task says so.
  template <class Find>
  LassoFound search(const Find& find, Budget& budget) const {
    return search(regions(options.regions), find, budget);
  }
  /// The same for engines that cannot do without the automaton's own regions.
  template <class Find>
  LassoFound search(const Regions& known, const Find& find, Budget& budget) const {
    return with_product(system, process(), known, stepping(), [&](const auto& product) {
      LassoFound found = find(product);
      if (!options.shortest || !found.result.lasso) return found;
      if (options.shorten_over)
        shorten_over_other(found, budget);
      else
        shorten_over_own(found, budget);
      return found;
    });
  }

 private:
  // Shortest of all runs, so nothing is left out here.
  void shorten_over_own(LassoFound& found, Budget& budget) const {
    with_product(system, process(), {options.errors},
                 [&](const auto& product) { shorten(product, found, budget); });
  }

  void shorten_over_other(LassoFound& found, Budget& budget) const {
    with_product(system, *options.shorten_over, {options.errors}, [&](const auto& other) {
      LassoFound again = found_by(SccSearch(other, SegmentedTable<>(other.state_size())), budget);
      found.not_shortest = !again.result.lasso;
      if (!again.result.lasso) return;
      found.result.lasso = std::move(again.result.lasso);
      shorten(other, found, budget);
    });
  }
};

}  // namespace tideline
