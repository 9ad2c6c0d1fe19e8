#include "checking/proposals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "checking/measures.hpp"
#include "checking/reduction.hpp"
#include "graph/factory.hpp"
#include "progress/measured.hpp"

namespace tideline {

namespace {

/// Sweeps the whole graph; the candidate keeps its prediction when a limit ends that.
template <Graph G>
void measure_candidate(const G& graph, unsigned threads, Candidate& candidate, Budget& budget) {
  const double start = budget.seconds();
  SweepOptions options{.threads = threads};
  const Measure& measure = candidate.trial.measure;
  options.claimed_shift = options.column_shift = measure.claimed_shift();
  budget.begin(Phase::searching, engine_for(Purpose::little_memory).engine->name);
  SweepSearch search(Measured(graph, measure), options);
  Bystander bystander;
  const SearchResult result = search.run(bystander, budget);
  budget.end_phase({.states = result.states, .transitions = result.transitions});
  if (!budget.reason().empty()) return;
  candidate.measured = search.figures();
  candidate.seconds = budget.seconds() - start;
}

template <Graph G>
Proposals propose(G graph, const Model& model, const Settings& settings, const ProposalOptions& options,
                  SampleBudget& sampling, Budget& budget) {
  const ProjectionOptions projection{.sample = sampling.options(options.sample_states),
                                     .errors = settings.errors,
                                     .learnt = options.learnt,
                                     .composed = options.composed,
                                     .linear = options.linear,
                                     .threads = settings.threads};
  const Sample sample = draw_sample(graph, model.system, projection.sample, sampling.budget);
  Proposals proposals{.candidates = {},
                      .sample_states = sample.states(),
                      .sample_edges = sample.edges(),
                      .whole = sample.complete()};
  auto& candidates = proposals.candidates;
  if (const auto given = given_measure(model, settings))
    candidates.push_back({try_measure(sample, *given, false, &sampling.budget)});
  if (!settings.measure)
    for (MeasureTrial& trial : project_measure(sample, model.system, projection, sampling.budget).trials)
      candidates.push_back({std::move(trial)});
  std::ranges::stable_sort(candidates, {}, [](const Candidate& c) { return c.trial.score; });
  proposals.limit_reached = sampling.budget.reason();
  budget.end_phase(sampling.budget.latest());
  for (std::size_t i = 0; i < candidates.size() && i < options.measured && proposals.limit_reached.empty();
       ++i) {
    measure_candidate(graph, settings.threads, candidates[i], budget);
    proposals.limit_reached = budget.reason();
  }
  return proposals;
}

}  // namespace

Proposals propose_measures(const Model& model, const PropertyProcess* property, const Settings& settings,
                           const ProposalOptions& options, const Budget::Limits& limits, Budget& budget) {
  budget.begin(Phase::measuring);
  SampleBudget sampling(limits, budget.seconds());
  const auto look = [&](const auto& graph) {
    return propose(graph, model, settings, options, sampling, budget);
  };
  const Stepping stepping = stepping_for(model.system, property, {}, settings, budget);
  return property ? with_product(model.system, *property, stepping, look)
                  : with_graph(model.system, stepping, look);
}

std::vector<LocalMeasure> measure_groups(const System& system, ErrorSemantics errors,
                                         const std::vector<SourceText>& groups) {
  Locals locals = local_measures(system, errors);
  if (groups.empty()) return std::move(locals.measures);
  std::vector<LocalMeasure> measures;
  for (const SourceText& group : groups) {
    const auto refuse = [&](const std::string& why) {
      throw Error(ErrorKind::usage, fmt::format("{} {}: {}", group.name, group.text, why));
    };
    std::vector<SlotId> slots;
    const Measure listed = read_measure(system, group, errors);
    for (const MeasureTerm& term : listed.terms())
      for (const Summand& summand : term.summands) {
        if (summand.slots.empty() || !summand.order.empty())
          refuse(fmt::format("'{}' is not a variable or process", term.text));
        slots.push_back(summand.slots[0]);
      }
    auto measure = local_measure(system, std::move(slots), locals.options);
    if (!measure) refuse("together they have too many values");
    measures.push_back(std::move(*measure));
  }
  return measures;
}

}  // namespace tideline
