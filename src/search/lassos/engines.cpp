// The engines for infinite runs, as functions that run one search each.
#include "progress/measured_product.hpp"
#include "search/lassos/bad_prefix.hpp"
#include "search/lassos/cndfs.hpp"
#include "search/lassos/lasso_task.hpp"
#include "search/lassos/ltl_sweep.hpp"
#include "search/lassos/map.hpp"
#include "search/lassos/ndfs.hpp"
#include "search/lassos/owcty.hpp"
#include "search/lassos/scc.hpp"
#include "search/lassos/strong_fairness.hpp"

namespace tideline {

namespace {

template <class G>
SegmentedTable<> table_for(const G& graph) {
  return SegmentedTable<>(graph.state_size());
}

LassoFound search_fair(const LassoTask& task, Budget& budget) {
  const std::vector<FairParty> parties = fair_parties(task.system, task.property.fair_actions);
  return with_fair_product(task.system, task.process(), parties, task.stepping(), [&](const auto& product) {
    if (task.property.fairness == Fairness::strong)
      return found_by(StrongFairnessSearch(product, table_for(product)), budget);
    const WeaklyFair fair(product);
    LassoFound found = found_by(SccSearch(fair, table_for(product)), budget);
    if (task.options.shortest) shorten(fair, found, budget);
    return found;
  });
}

LassoFound search_owcty(const LassoTask& task, unsigned values, Budget& budget) {
  const LivenessOptions& options = task.options;
  return task.search(
      [&](const auto& product) {
        return found_by(OwctySearch(product, {options.threads, values, options.choice, task.order()},
                                    {options.collection, task.regions(options.regions)}),
                        budget);
      },
      budget);
}

}  // namespace

LassoFound search_scc(const LassoTask& task, Budget& budget) {
  if (task.property.fairness != Fairness::none) return search_fair(task, budget);
  return task.search(
      [&](const auto& product) {
        StateCollection* const collection = task.options.collection;
        SccSearch search(product, table_for(product), collection != nullptr);
        LassoFound found = found_by(search, budget);
        if (collection && found.result.end == SearchEnd::complete) collection->keep(search.take_states());
        return found;
      },
      budget);
}

LassoFound search_ndfs(const LassoTask& task, Budget& budget) {
  return task.search(
      [&](const auto& product) {
        return found_by(NestedDepthFirstSearch(product, table_for(product), task.options.nested), budget);
      },
      budget);
}

LassoFound search_cndfs(const LassoTask& task, Budget& budget) {
  return task.search(
      [&](const auto& product) {
        return found_by(ConcurrentNestedSearch(product, task.options.threads), budget);
      },
      budget);
}

LassoFound search_map(const LassoTask& task, Budget& budget) {
  return task.search(
      [&](const auto& product) {
        return found_by(MapSearch(product, task.options.threads, task.order()), budget);
      },
      budget);
}

LassoFound search_owcty(const LassoTask& task, Budget& budget) {
  return search_owcty(task, 0, budget);
}

LassoFound search_owcty_map(const LassoTask& task, Budget& budget) {
  return search_owcty(task, task.options.values, budget);
}

LassoFound search_bad_prefixes(const LassoTask& task, Budget& budget) {
  return task.search(
      regions_of(task.process()),
      [&](const auto& product) { return found_by(BadPrefixSearch(product, task.options.threads), budget); },
      budget);
}

LassoFound search_swept_lassos(const LassoTask& task, Budget& budget) {
  const LivenessOptions& options = task.options;
  const Regions regions = task.regions(options.sweep_regions);
  return with_product(task.system, task.process(), regions, task.stepping(), [&](const auto& product) {
    const MeasuredProduct measured(product, task.process(), options.sweep.measure, options.automaton_order);
    SweepOptions sweep = sweep_options(options.sweep, options.traces);
    sweep.claimed_shift = measured.claimed_shift();
    sweep.column_shift = options.sweep.column_shift(measured.column_shift());
    sweep.threads = options.threads;
    LtlSweepOptions ltl_sweep = options.ltl_sweep;
    ltl_sweep.across.threads = options.threads;
    LtlSweep search(measured, sweep, ltl_sweep);
    LassoFound found{.result = search.run(budget), .sweep = search.figures()};
    require_claim(found.sweep->sweep, task.system, [&](Progress value) { return measured.show(value); });
    return found;
  });
}

}  // namespace tideline
