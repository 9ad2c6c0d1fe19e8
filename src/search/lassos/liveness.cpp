#include "search/lassos/liveness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "graph/regions.hpp"
#include "model/layout.hpp"
#include "run/open_steps.hpp"
#include "search/lassos/lasso_task.hpp"
#include "search/lassos/system_lasso.hpp"
#include "search/states/preserved.hpp"
#include "store/memory.hpp"

namespace tideline {

namespace {

void add_figures(const LtlSweepFigures& figures, Statistics& statistics) {
  add_figures(figures.sweep, statistics);
  statistics.set("stored_peak", figures.stored_peak);
  statistics.set("candidates", figures.candidates);
  statistics.set("across_expansions", figures.across_expansions);
  if (figures.cycle != 0) statistics.set("cycle", std::string(figures.cycle == 'S' ? "layer" : "across"));
}

std::string_view shape_of(const PropertyProcess& property) {
  const Regions regions = regions_of(property);
  return regions.terminal ? "terminal" : regions.weak ? "weak" : "general";
}

PropertyResult judge(const Property& property, const LassoFound& search, std::size_t system_state_size,
                     const Budget& budget) {
  const LassoResult& result = search.result;
  PropertyResult judged{property, Verdict::unknown, {}, {}};
  switch (result.end) {
    case SearchEnd::satisfied:
      judged.verdict = Verdict::violated;
      if (!result.lasso && budget.reason().empty()) break;  // no traces are wanted
      if (result.lasso)
        judged.path = PathBuilder(system_lasso(*result.lasso, system_state_size));
      else
        judged.reason = fmt::format("the run was not built: {}", budget.reason());
      if (search.not_shortest)
        judged.reason = fmt::format("there may be shorter runs: {}",
                                    budget.reason().empty() ? "out of memory" : budget.reason());
      break;
    case SearchEnd::complete:
      if (result.model_errors)
        judged.reason = not_followed_reason;
      else
        judged.verdict = Verdict::holds;
      break;
    default:
      judged.reason = budget.reason();
  }
  return judged;
}

std::shared_ptr<const por::StubbornSets> reduction_for(const System& system, const Property& property,
                                                       const LivenessOptions& options, Budget& budget) {
  if (options.reduce == por::Method::none) return {};
  return por::StubbornSets::make(system, options.errors, preserved_for(*property.process), options.reduce,
                                 &budget);
}

/// The property that no run violates, for a search of the same part of the product.
Property never_violated(Property property) {
  auto process = std::make_shared<PropertyProcess>(*property.process);
  process->accepting.assign(1, {});
  for (PropertyProcess::Edge& edge : process->edges) edge.marks = 0;
  property.process = std::move(process);
  property.fairness = Fairness::none;
  return property;
}

}  // namespace

Outcome check_liveness(const System& system, const Property& property, const LivenessOptions& options,
                       Budget& budget) {
  // Fairness has to know everybody who moves.
  if (system.transient != no_slot && property.fairness != Fairness::none) {
    const System open = with_open_steps(system);
    Outcome outcome = check_liveness(open, with_open_steps(property, open), options, budget);
    PropertyResult& result = outcome.results.front();
    result.property = property;
    // Among open steps one that never ends is no model error, but a run that is never accepted.
    if (result.verdict == Verdict::holds) {
      Outcome closed = check_liveness(system, never_violated(property), options, budget);
      outcome.model_errors = closed.model_errors;
      result.verdict = closed.results.front().verdict;
      result.reason = std::move(closed.results.front().reason);
    }
    return outcome;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto reduction = reduction_for(system, property, options, budget);
  const LassoFound search = options.engine({system, property, options, reduction}, budget);
  const LassoResult& result = search.result;

  Outcome outcome;
  outcome.complete = result.end == SearchEnd::complete;
  outcome.results.push_back(judge(property, search, Layout(system).size(), budget));
  outcome.model_errors = result.model_errors;
  Statistics& statistics = outcome.statistics;
  statistics.set("automaton", std::string(shape_of(*property.process)));
  const bool swept_once = search.sweep && search.sweep->sweep.sweeps == 1 && outcome.complete;
  if (!search.sweep || swept_once) statistics.set("product_states", result.states);
  statistics.set("product_transitions", result.transitions);
  statistics.set("expansions", result.expansions);
  if (reduction && reduction->given_up()) outcome.warnings.push_back(given_up_warning);
  if (reduction) statistics.set("reduction", std::string(to_string(options.reduce)));
  const LassoRanks ranks = search.ranks.value_or(LassoRanks{});
  if (reduction) statistics.set("reduced_expansions", reduction->reduced_states() + ranks.reduced_elsewhere);
  if (result.rounds != 0) statistics.set("rounds", result.rounds);
  if (result.end == SearchEnd::satisfied) statistics.set("early", std::uint64_t{result.early});
  if (search.sweep)
    add_figures(*search.sweep, statistics);
  else
    statistics.set("table_bytes", search.memory_bytes);
  statistics.set("threads", std::uint64_t{options.threads});
  if (search.ranks) {
    statistics.set("ranks", ranks.count);
    statistics.set("batches", ranks.batches);
    statistics.set("batch_bytes", ranks.batch_bytes);
  }
  statistics.set("time_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  statistics.set("peak_rss_bytes", std::max(peak_resident_bytes(), ranks.peak_bytes_elsewhere));
  return outcome;
}

}  // namespace tideline
