#include "cluster/sweep/engine.hpp"

#include <memory>
#include <string>

#include "cluster/states/engines.hpp"
#include "cluster/sweep/sweep.hpp"
#include "progress/learning.hpp"
#include "progress/measured.hpp"
#include "search/states/state_search.hpp"

namespace tideline::cluster {

namespace {

/// Each rank has looked for a measure. They have found the same, unless their machines differ in what a sample may
/// take, so what the first one has found counts.
Measure common_measure(const SweepSettings& settings, Ranks& ranks) {
  std::string text = settings.measure.text();
  ByteWriter writer;
  writer(text);
  const Bytes message = ranks.broadcast(0, writer.take());
  ByteReader{message}(text);
  if (text == settings.measure.text()) return settings.measure;
  if (!settings.learning) throw Error(ErrorKind::usage, "the ranks do not have the same progress measure");
  return text.empty() ? Measure{} : settings.learning->read(text);
}

template <Graph G>
RankFigures sweep_states(StateSearch& search, Ranks& ranks, const G& graph, const Measure& measure) {
  const SweepSettings& settings = search.options.sweep;
  RankFigures rank_figures;
  search_in_threads(search, ranks, [&](const ThreadShare& share) {
    SweepOptions options = sweep_options(settings, search.options.traces);
    options.ahead.part_of_stored = 8;  // a round of messages takes longer than a meeting of threads
    options.claimed_shift = measure.claimed_shift();
    options.column_shift = settings.column_shift(options.claimed_shift);
    options.columns = settings.columns;
    if (settings.learning)
      options.adviser = std::make_shared<LearningAdviser<G>>(graph, search.system, *settings.learning, 0);
    if (!share.is_first) options.on_layer = {};
    SweepSearch sweep(Measured(graph, measure), share.ranks, options, share.monitor, share.budget);
    const SearchResult result = sweep.run();
    const SweepFigures& figures = sweep.figures();
    require_claim(figures, search.system,
                  [&](Progress value) { return sweep.graph().measure().show(value); });
    if (!share.is_first) return;
    search.result = result;
    report_sweep(search, figures);
    rank_figures = sweep.rank_figures();
  });
  return rank_figures;
}

}  // namespace

void search_sweep(StateSearch& search, Ranks& ranks) {
  const SweepSettings& settings = search.options.sweep;
  Measure measure;
  try {
    measure = common_measure(settings, ranks);
  } catch (const RankLeft& left) {
    search.budget.exhaust(left.what());
    throw;
  }
  // Without a measure there is one layer, and breadth-first search is the fastest way through it.
  if (measure.terms().empty() && !settings.checkpoints && !settings.on_layer) {
    search_bfs(search, ranks);
    return report_one_layer(search);
  }
  search_on_ranks(search, ranks, [&] {
    RankFigures figures;
    search.with_graph([&](const auto& graph) { figures = sweep_states(search, ranks, graph, measure); });
    return figures;
  });
}

}  // namespace tideline::cluster
