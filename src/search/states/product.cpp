#include "search/states/product.hpp"

#include <atomic>
#include <chrono>
#include <cstring>

#include "graph/factory.hpp"
#include "search/states/bfs.hpp"
#include "search/states/parallel_bfs.hpp"
#include "search/sweep/sweep.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

namespace {

/// The product, counting transitions that are accepting cycles by themselves.
template <class Product>
struct SelfLoopCount {
  Product product;
  std::atomic<std::uint64_t>* count;

  std::size_t state_size() const { return product.state_size(); }
  template <class Sink>
  void initial(Sink&& sink) {
    product.initial(sink);
  }
  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    product.successors(state, [&](const Step& step) {
      if (step.state && step.marks == product.all_marks() &&
          std::memcmp(step.state, state, product.state_size()) == 0)
        count->fetch_add(1, std::memory_order_relaxed);
      sink(step);
    });
  }
};

struct Exploration {
  SearchResult result;
  std::uint64_t table_bytes;
};

template <class Search>
Exploration run(Search search, Bystander& bystander, Budget& budget) {
  const SearchResult result = search.run(bystander, budget);
  return {result, search.memory_bytes()};
}

}  // namespace

Outcome explore_product(const System& system, const PropertyProcess& property, ErrorSemantics errors,
                        unsigned threads, Budget& budget) {
  const auto start = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> self_loops{0};
  std::size_t state_bytes = 0;
  const SearchOptions options{.traces = false};
  Bystander bystander;
  const auto [result, table_bytes] = with_product(system, property, {errors}, [&](const auto& watched) {
    const SelfLoopCount product{watched, &self_loops};
    state_bytes = product.state_size();
    return threads == 1
               ? run(BreadthFirstSearch(product, SegmentedTable<>(state_bytes), options), bystander, budget)
               : run(ParallelBreadthFirstSearch(product, threads, options), bystander, budget);
  });

  Outcome outcome;
  outcome.complete = result.end == SearchEnd::complete;
  outcome.model_errors = bystander.model_errors;
  outcome.level_sizes = result.level_sizes;
  Statistics& statistics = outcome.statistics;
  statistics.set("product_states", result.states);
  statistics.set("product_transitions", result.transitions);
  statistics.set("accepting_self_loops", self_loops.load());
  statistics.set("levels", std::uint64_t{result.level_sizes.size()});
  statistics.set("stored_peak", result.states);
  statistics.set("state_bytes", std::uint64_t{state_bytes});
  statistics.set("table_bytes", table_bytes);
  statistics.set("threads", std::uint64_t{threads});
  statistics.set("time_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  statistics.set("peak_rss_bytes", peak_resident_bytes());
  return outcome;
}

Outcome sweep_product(const System& system, const PropertyProcess& property, ErrorSemantics errors,
                      unsigned threads, const SweepSettings& settings, AutomatonOrder order, bool columns,
                      Budget& budget) {
  const auto start = std::chrono::steady_clock::now();
  Bystander bystander;
  SweepFigures figures;
  std::size_t state_bytes = 0;
  const SearchResult result = with_product(system, property, {errors}, [&](const auto& watched) {
    const MeasuredProduct product(watched, property, settings.measure, order);
    state_bytes = product.state_size();
    SweepSearch search(product, {.claimed_shift = product.claimed_shift(),
                                 .column_shift = columns ? product.column_shift() : 64,
                                 .threads = threads,
                                 .on_layer = settings.on_layer});
    const SearchResult found = search.run(bystander, budget);
    figures = search.figures();
    require_claim(figures, system, [&](Progress value) { return product.show(value); });
    return found;
  });

  Outcome outcome;
  outcome.complete = result.end == SearchEnd::complete;
  outcome.model_errors = bystander.model_errors;
  Statistics& statistics = outcome.statistics;
  if (figures.sweeps == 1) statistics.set("product_states", result.states);
  statistics.set("product_transitions", result.transitions);
  add_figures(figures, statistics);
  statistics.set("state_bytes", std::uint64_t{state_bytes});
  statistics.set("threads", std::uint64_t{threads});
  statistics.set("time_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  statistics.set("peak_rss_bytes", peak_resident_bytes());
  return outcome;
}

}  // namespace tideline
