// CTL with the sweep-line in runs that die again and again: in the end they must have found and counted the
// same as an undisturbed run.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "search/ctl/layers.hpp"
#include "search/ctl/sweep_check.hpp"
#include "testing/ctl_sweep.hpp"
#include "testing/mortal_search.hpp"

namespace tideline {
namespace {

using namespace test;

RC_GTEST_PROP(CtlCheckpoints, AlwaysSweepGoesOn, ()) {
  const MortalGraph graph{arbitrary_measured_graph(arbitrary_kind())};
  const Goals goals = arbitrary_goals(graph);
  const bool traces = *rc::gen::arbitrary<bool>();
  Budget unlimited;
  AlwaysSweep in_peace(graph, {.log = traces ? scratch_log() : nullptr}, goals.goals);
  const SearchResult expected = in_peace.run(unlimited);

  const Scratch scratch;
  bool in_parts = false;  // several threads meet states in another order
  live_and_die(
      scratch, [&](const std::shared_ptr<Life>& life, const std::shared_ptr<Checkpointer>& checkpoints) {
        Budget budget = budget_of(*life);
        const SweepOptions options = mortal_options(checkpoints, traces);
        in_parts = in_parts || options.threads > 1;
        AlwaysSweep search(graph.with(life), options, goals.goals);
        const SearchResult result = search.run(budget);
        if (!budget.reason().empty()) return false;
        life->left = ~std::uint64_t{0};  // runs may be built
        const bool same_states = !in_parts || expected.end == SearchEnd::complete;
        if (same_states) {
          RC_ASSERT(search.figures().broken_claim.has_value() == in_peace.figures().broken_claim.has_value());
          require_same(result, expected);
          require_same(search.figures(), in_peace.figures());
          RC_ASSERT(search.met_errors() == in_peace.met_errors());
        }
        if (!in_parts) {
          RC_ASSERT(search.scc_searches() == in_peace.scc_searches());
          RC_ASSERT(search.cycle_searches() == in_peace.cycle_searches());
        }
        for (std::size_t i = 0; i < goals.goals.size(); ++i) {
          const AlwaysFinding &finding = search.finding(i), &other = in_peace.finding(i);
          RC_ASSERT(static_cast<bool>(finding.run) == (traces && finding.violated));
          if (finding.run) RC_ASSERT(graph.is_path(finding.run()));
          if (!same_states) continue;
          RC_ASSERT(finding.violated == other.violated);
          RC_ASSERT(finding.seen_true == other.seen_true);
          RC_ASSERT(finding.seen_false == other.seen_false);
          if (in_parts) continue;
          RC_ASSERT(finding.ends_in_deadlock == other.ends_in_deadlock);
          if (finding.run) require_same(finding.run(), other.run());
        }
        return true;
      });
}

RC_GTEST_PROP(CtlCheckpoints, LayersGoOn, ()) {
  const MortalGraph graph{arbitrary_measured_graph(arbitrary_kind())};
  const std::vector<Labels> labels{arbitrary_labels(graph.edges.size()),
                                   arbitrary_labels(graph.edges.size())};
  std::vector<Formula> formulas;
  std::vector<CtlQuestion> questions;
  std::vector<NodePredicate> atoms;
  formulas.reserve(4);
  for (int i = pick(1, 5); i > 0; --i) {
    const DeadlockPaths paths = arbitrary_paths();
    const Formula& formula = formulas.emplace_back(arbitrary_formula(labels, paths));
    questions.push_back({&formula.core, paths});
    atoms.insert(atoms.end(), formula.atoms.begin(), formula.atoms.end());
  }
  const auto folder = std::filesystem::temp_directory_path();
  Budget unlimited;
  CtlLayers in_peace(graph, {.sweep = {.log = scratch_log()}, .file = {}, .folder = folder}, questions,
                     atoms);
  RC_ASSERT(in_peace.run(unlimited).end == SearchEnd::complete);
  std::vector<std::optional<CtlLayersRun>> runs;
  for (std::size_t i = 0; i < questions.size(); ++i)
    runs.push_back(in_peace.verdict(i) == Verdict::unknown ? std::nullopt : in_peace.run_for(i, unlimited));

  const Scratch scratch;
  live_and_die(
      scratch, [&](const std::shared_ptr<Life>& life, const std::shared_ptr<Checkpointer>& checkpoints) {
        Budget budget = budget_of(*life);
        CtlLayers search(graph.with(life),
                         {.sweep = mortal_options(checkpoints, true),
                          .file = checkpoints->open<RecordFile>({}, false),
                          .folder = folder},
                         questions, atoms);
        const SearchResult result = search.run(budget);
        if (!budget.reason().empty()) return false;
        for (std::size_t i = 0; i < questions.size(); ++i) {
          RC_ASSERT(search.verdict(i) == in_peace.verdict(i));
          const auto run = search.verdict(i) == Verdict::unknown ? std::nullopt : search.run_for(i, budget);
          if (!budget.reason().empty()) return false;
          RC_ASSERT(run.has_value() == runs[i].has_value());
          if (!run) continue;
          require_same(run->path, runs[i]->path);
          RC_ASSERT(run->remark == runs[i]->remark);
        }
        RC_ASSERT(result.end == SearchEnd::complete);
        require_same(search.figures(), in_peace.figures());
        RC_ASSERT(search.met_errors() == in_peace.met_errors());
        RC_ASSERT(search.file_bytes() == in_peace.file_bytes());
        RC_ASSERT(search.passes() == in_peace.passes());
        RC_ASSERT(search.values_peak() == in_peace.values_peak());
        for (std::size_t a = 0; a < atoms.size(); ++a) {
          RC_ASSERT(search.atoms()[a].seen_true == in_peace.atoms()[a].seen_true);
          RC_ASSERT(search.atoms()[a].seen_false == in_peace.atoms()[a].seen_false);
        }
        return true;
      });
}

/// A system cannot die by itself: the search dies when a layer is done.
Outcome check_mortal(const System& system, const std::vector<Property>& properties, CtlSweepOptions options,
                     const std::shared_ptr<Life>& life, const std::shared_ptr<Checkpointer>& checkpoints,
                     Budget& budget) {
  options.sweep.checkpoints = checkpoints;
  options.sweep.on_layer = [life](const LayerReport& layer) { life->spend(layer.progress); };
  return check_ctl_sweep(system, properties, options, budget);
}

/// Several formulas, so that there are several searches.
RC_GTEST_PROP(CtlCheckpoints, AllSearchesOfACheckGoOn, ()) {
  const Structure structure = testing::random_structure(10, names.size());
  const System system = system_of(structure);
  const bool monotone = pick(0, 3) == 0;
  CtlSweepOptions options;
  options.sweep.measure = measure_of(system, arbitrary_measure(structure, monotone), monotone);
  options.traces = pick(0, 4) != 0;
  std::vector<Property> properties;
  for (int i = pick(1, 5); i > 0; --i) {
    CtlPool pool;
    properties.push_back(property_of(structure, pool, arbitrary_written(pool), arbitrary_paths()));
  }
  Budget unlimited;
  const Outcome expected = check_ctl_sweep(system, properties, options, unlimited);

  const Scratch scratch;
  live_and_die(scratch,
               [&](const std::shared_ptr<Life>& life, const std::shared_ptr<Checkpointer>& checkpoints) {
                 life->measure = Life::Measure::expansions;  // every layer counts, also the same one again
                 Budget budget = budget_of(*life);
                 const Outcome outcome = check_mortal(system, properties, options, life, checkpoints, budget);
                 if (!budget.reason().empty()) return false;
                 RC_ASSERT(outcome.complete == expected.complete);
                 RC_ASSERT(outcome.model_errors == expected.model_errors);
                 RC_ASSERT(outcome.warnings == expected.warnings);
                 for (std::size_t i = 0; i < properties.size(); ++i) {
                   const PropertyResult &result = outcome.results[i], &other = expected.results[i];
                   RC_ASSERT(result.verdict == other.verdict);
                   RC_ASSERT(result.reason == other.reason);
                   RC_ASSERT(static_cast<bool>(result.path) == static_cast<bool>(other.path));
                   if (result.path) require_same(result.path(), other.path());
                 }
                 const auto &figures = outcome.statistics.entries(), &others = expected.statistics.entries();
                 RC_ASSERT(figures.size() == others.size());
                 for (std::size_t i = 0; i < figures.size(); ++i)
                   if (figures[i].first != "time_s" && figures[i].first != "peak_rss_bytes")
                     RC_ASSERT(figures[i] == others[i]);
                 return true;
               });
}

}  // namespace
}  // namespace tideline
