#include "cluster/states/engines.hpp"

#include "cluster/ranks/guarded.hpp"
#include "cluster/ranks/in_threads.hpp"
#include "cluster/states/bfs.hpp"
#include "search/states/state_search.hpp"
#include "store/memory.hpp"

namespace tideline::cluster {

namespace {

/// What must be the same on all ranks, or they would wait for each other for ever.
std::uint64_t fingerprint(const StateSearch& search) {
  ByteWriter writer;
  const auto add = [&](auto part) { writer(part); };
  add(search.system.initial);
  add(std::uint64_t{search.system.actions.size()});
  add(search.options.errors);
  add(search.options.reduce);
  add(search.options.depth);
  add(search.options.traces);
  add(search.options.exhaustive);
  add(search.options.threads);
  add(search.monitor.done());
  const Bytes bytes = writer.take();
  return StateHash{}(bytes.data(), bytes.size());
}

}  // namespace

void search_on_ranks(StateSearch& search, Ranks& ranks,
                     const std::function<RankFigures()>& search_together) try {
  ranks.require_same(fingerprint(search));
  const RankFigures figures = search_together();
  search.set("ranks", std::uint64_t{ranks.size()});
  search.set("batches", figures.batches);
  search.set("batch_bytes", figures.batch_bytes);
  search.keeps_states = false;  // not in the memory of this process alone
  const std::uint64_t reduced = search.reduction ? search.reduction->reduced_states() : 0;
  search.reduced_elsewhere = ranks.all_reduce({reduced})[0] - reduced;
  search.peak_bytes_elsewhere = ~ranks.all_reduce({~peak_resident_bytes()}, Combine::least)[0];
} catch (const RankLeft& left) {
  search.budget.exhaust(left.what());
  throw;
}

void search_in_threads(const StateSearch& search, Ranks& ranks,
                       const std::function<void(const ThreadShare&)>& work) {
  const Monitor<Predicate> initial = search.monitor;
  in_threads(ranks, search.options.threads, [&](Ranks& job, unsigned thread) {
    if (thread == 0)
      return naming_limits(search.budget, [&] { work({job, search.monitor, search.budget, true}); });
    Monitor<Predicate> monitor = initial;
    Budget budget({.memory_bytes = search.budget.memory_limit()});
    naming_limits(budget, [&] { work({job, monitor, budget, false}); });
  });
}

void search_bfs(StateSearch& search, Ranks& ranks) {
  search_on_ranks(search, ranks, [&] {
    RankFigures figures;
    search.with_graph([&](const auto& graph) {
      search_in_threads(search, ranks, [&](const ThreadShare& share) {
        BreadthFirstSearch bfs(graph, share.ranks, search.bounds(), share.monitor, share.budget);
        const SearchResult result = bfs.run();
        if (!share.is_first) return;
        search.result = result;
        figures = bfs.figures();
      });
    });
    search.outcome.level_sizes = search.result.level_sizes;
    search.set_counts();
    search.set("levels", std::uint64_t{search.result.level_sizes.size()});
    search.set("stored_peak", search.result.states);
    search.set("visited", search.result.states);
    search.set("table_bytes", figures.table_bytes);
    return figures;
  });
}

}  // namespace tideline::cluster
