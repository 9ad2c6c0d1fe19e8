// The engines for states, as functions that run one search each and report its counts.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "model/error.hpp"
#include "progress/learning.hpp"
#include "progress/measured.hpp"
#include "progress/projection.hpp"
#include "search/core/sample_walks.hpp"
#include "search/states/bfs.hpp"
#include "search/states/change_store.hpp"
#include "search/states/dfs.hpp"
#include "search/states/disk_bfs.hpp"
#include "search/states/parallel_bfs.hpp"
#include "search/states/state_search.hpp"
#include "search/states/walk.hpp"
#include "search/sweep/sweep.hpp"
#include "search/sweep/sweep_settings.hpp"
#include "store/hashed_states.hpp"
#include "store/segmented_table.hpp"
#include "store/solo.hpp"
#include "store/state_collection.hpp"
#include "store/tree_table.hpp"

namespace tideline {

namespace {

constexpr std::uint64_t default_walk_steps = 10'000;
constexpr const char* dfs_remark = "; a bounded depth-first search may miss states within the bound, too";

/// States for the shape of a tree. The walks leave nothing out, because what a reduction leaves out is counted.
StateSample sample_for_tree(const StateSearch& search) {
  StateSample sample;
  with_graph(search.system, {search.options.errors, {}}, [&](const auto& graph) {
    sample = sample_walks(graph, TreeShape::sample_size(graph.state_size()));
  });
  return sample;
}

/// What a search does with the numbers of states.
enum class Numbers { none, until_expanded, always };

/// Calls use(table) with the table for one thread that the options say. A hash is not there for always.
template <Graph G, class Use>
void with_table(const StateSearch& search, const G& graph, Numbers numbers, const Use& use) {
  const bool numbered = numbers != Numbers::none;
  const WaitingStates::Options waiting{.keep = numbers == Numbers::always};
  switch (search.options.store) {
    case Store::automatic:
    case Store::plain:
    case Store::disk:  // a search of its own, which has no such table
      return use(SegmentedTable<>(graph.state_size()));
    case Store::tree:
      return use(Solo<TreeTable<>>(
          graph.state_size(), {.numbered = numbered, .waiting = waiting, .sample = sample_for_tree(search)}));
    case Store::hash:
      return use(Solo<HashedStates>(
          graph.state_size(), {.bits = search.options.hash_bits, .numbered = numbered, .waiting = waiting}));
  }
}

/// For a search whose result is there.
void report_table(StateSearch& search, Store store, std::uint64_t bytes) {
  search.set("table_bytes", bytes);
  if (store == Store::tree || store == Store::hash) search.set("store", std::string(to_string(store)));
  if (store != Store::hash) return;
  const double missed = HashedStates::collision_probability(search.result.states, search.options.hash_bits);
  search.set("missed_probability", missed);
  if (search.result.end != SearchEnd::complete) return;
  search.result.end = SearchEnd::sampled;
  search.sampled = fmt::format(
      "states are known by hashes of {} bits, and one may have been taken for another "
      "(probability at most {:.2g})",
      search.options.hash_bits, missed);
}

void report_levels(StateSearch& search) {
  search.outcome.level_sizes = search.result.level_sizes;
  search.set_counts();
  search.set("levels", std::uint64_t{search.result.level_sizes.size()});
  search.set("visited", search.result.states);
}

void report_bfs(StateSearch& search, Store store, std::uint64_t bytes) {
  report_levels(search);
  search.set("stored_peak", search.result.states);
  report_table(search, store, bytes);
}

/// How the memory that is left is shared out: most of it goes to tables. Beside them a thread sorts, or merges, what is in
/// one part, and there are blocks of states on their way to disk and from there.
DiskOptions disk_options(const StateSearch& search) {
  constexpr std::uint64_t mebibyte = 1 << 20;
  const unsigned threads = search.options.threads;
  DiskOptions options{.folder = search.options.sweep.log_folder(),
                      .depth = search.options.depth,
                      .threads = threads,
                      .part_bits = threads <= 4 ? 4u : 5u};
  if (search.options.traces)
    options.log = std::make_shared<TraceLog>(options.folder, search.options.sweep.keep_log);
  const std::uint64_t limit = search.budget.memory_limit().value_or(available_bytes().value_or(0) / 10 * 9);
  const std::uint64_t used = resident_bytes() + (8 + 4 * threads) * mebibyte;
  const std::uint64_t left = limit - std::min(limit, used);
  const unsigned parts = 1u << options.part_bits;
  options.table_bytes = std::max(left / 8 * 7 / (parts + threads) * parts, 2 * mebibyte);
  return options;
}

/// Runs the search. Where states stay in its table, a collection takes them from there in the end.
template <class Search, class... Pause>
void run_bfs(StateSearch& search, Search& bfs, const Pause&... pause) {
  constexpr bool stay = requires {
    bfs.kept_states();
  };
  if (stay) search.monitor.record_in(nullptr);
  search.result = bfs.run(search.monitor, search.budget, pause...);
  if constexpr (stay)
    if (search.options.collection && search.result.end == SearchEnd::complete)
      search.options.collection->keep(bfs.kept_states());
}

/// Where states do not stay any longer, because they are forgotten or put in a tree, all of them are collected.
template <class Search>
void collect_found(StateSearch& search, const Search& bfs) {
  if constexpr (requires { bfs.kept_states(); }) {
    StateRecorder recorder(search.options.collection);
    if (recorder) {
      const StateCollection::Kept kept = bfs.kept_states();
      for (const StateRange& range : kept.ranges)
        for (std::uint32_t i = 0; i < range.count; ++i) recorder.add(kept.state_at(range.first + i));
    }
    search.monitor.record_in(search.options.collection);
  }
}

template <Graph G>
void bfs_on_disk(StateSearch& search, const G& graph) {
  DiskBreadthFirstSearch bfs(graph, disk_options(search));
  search.result = bfs.run(search.monitor, search.budget);
  search.keeps_states = false;
  report_levels(search);
  search.set("stored_peak", bfs.stored_peak());
  search.set("table_bytes", bfs.table_bytes());
  search.set("store", std::string(to_string(Store::disk)));
  search.set("disk_bytes", bfs.disk_bytes());
  search.set("disk_runs", bfs.space().runs());
}

/// A sweep of all states, or of what breadth-first search has left over.
template <Graph G, class Table = SegmentedTable<>>
void sweep_states(StateSearch& search, const G& graph, const Measure& measure,
                  std::unique_ptr<BreadthFirstSearch<G, Table>> before = {}) {
  SweepOptions options = sweep_options(search.options.sweep, search.options.traces);
  options.claimed_shift = measure.claimed_shift();
  options.column_shift = search.options.sweep.column_shift(options.claimed_shift);
  options.columns = search.options.sweep.columns;
  options.threads = search.options.threads;
  // With a measure that cannot decrease there is only one sweep.
  if (search.options.sweep.keeps_passed_states(search.options.traces) && !measure.claimed_monotone())
    options.passed_states_folder = search.options.sweep.log_folder();
  if (const auto& learning = search.options.sweep.learning)
    options.adviser =
        std::make_shared<LearningAdviser<G>>(graph, search.system, *learning, before ? before->cursor() : 0);
  SweepSearch sweep(Measured(graph, measure), options);
  std::uint64_t found = 0;
  if (before) {
    found = before->table().size();
    const FoundStates states{
        .count = found,
        .expanded = before->cursor(),
        .state = [&](StateId id) { return before->table().state(id); },
        .parent = [parents = before->parents()](StateId) mutable { return parents.next(); },
        .result = search.result};
    within_limits(search.budget, [&] { sweep.take_over(states, search.budget); });
    before.reset();
  }
  search.result = sweep.run(search.monitor, search.budget);
  const SweepFigures& figures = sweep.figures();
  require_claim(figures, search.system, [&](Progress value) { return sweep.graph().measure().show(value); });
  report_sweep(search, figures);
  if (found > figures.stored_peak) search.set("stored_peak", found);
}

/// It has no terms if none helps.
template <Graph G>
Measure measure_for_the_rest(StateSearch& search, G graph) {
  const SweepSettings& settings = search.options.sweep;
  if (settings.take_over->measure) return settings.take_over->measure();
  if (!settings.learning) return settings.measure;
  const Look& look = looks_at_samples.front();
  const Projection projection = project_measure(
      graph, search.system,
      quick_projection({.limit = look.sample, .bytes = settings.learning->bytes}, settings.learning->errors,
                       look.work, search.options.threads, settings.learning->recalls),
      search.budget);
  if (projection.trials.empty() || !helps(projection.trials.front())) return {};
  return projection.trials.front().measure;
}

/// A search in the place of one that has paused, with its states in a tree.
template <Graph G>
auto moved_to_tree(BreadthFirstSearch<G, SegmentedTable<>>& bfs, std::size_t state_bytes, StateSample sample,
                   Budget&, const WhileMoving& poll) {
  using Tree = Solo<TreeTable<>>;
  Tree tree(state_bytes, {.sample = std::move(sample)});
  move_into(tree, std::move(bfs.table()).take_states(), bfs.cursor(), poll);
  return std::make_unique<BreadthFirstSearch<G, Tree>>(bfs, std::move(tree));
}
template <Graph G>
auto moved_to_tree(ParallelBreadthFirstSearch<G>& bfs, std::size_t, StateSample sample, Budget& budget,
                   const WhileMoving& poll) {
  using Search = ParallelBreadthFirstSearch<G, TreeTable<>>;
  auto rest = std::make_unique<Search>(bfs, TreeTable<>::Options{.sample = std::move(sample)});
  rest->take_over(bfs, budget);
  poll();
  return rest;
}

/// Breadth-first search with states whole, and with trees as soon as these have nearly filled the memory, if that helps.
template <class Search>
void bfs_with_change(StateSearch& search, std::size_t state_bytes, std::unique_ptr<Search> bfs) {
  const StoreChange& change = search.options.store_change;
  const std::uint64_t most = change.from_bytes.value_or(~std::uint64_t{0});
  run_bfs(search, *bfs, [&] { return bfs->memory_bytes() > most; });
  const std::uint64_t bytes = bfs->memory_bytes();
  if (!bfs->paused() || search.result.end != SearchEnd::cut_off)
    return report_bfs(search, Store::plain, bytes);

  const WhileMoving poll = [&] { search.budget.require(search.budget.latest()); };
  decltype(moved_to_tree(*bfs, 0, {}, search.budget, poll)) rest;
  const auto move = [&] {
    const std::uint64_t states = search.result.states, before = bfs->table().memory_bytes();
    StateSample sample = sample_of(bfs->kept_states(), state_bytes);
    const double in_tree = tree_bytes_a_state(bfs->kept_states(), state_bytes, sample, poll);
    if (in_tree * static_cast<double>(states) > change.part * static_cast<double>(before)) return;
    collect_found(search, *bfs);
    rest = moved_to_tree(*bfs, state_bytes, std::move(sample), search.budget, poll);
    search.set("moved_states", states);
    if (change.on_change) change.on_change(states, rest->table().memory_bytes(), before);
  };
  if (!within_limits(search.budget, move)) {
    search.result.end = SearchEnd::exhausted;
    return report_bfs(search, Store::plain, bytes);
  }
  if (!rest) {
    run_bfs(search, *bfs);
    return report_bfs(search, Store::plain, bfs->memory_bytes());
  }
  bfs.reset();
  run_bfs(search, *rest);
  report_bfs(search, Store::tree, rest->memory_bytes());
}

/// Breadth-first search, or the rest of it.
template <class Search>
void run_to_end(StateSearch& search, std::size_t state_bytes, std::unique_ptr<Search> bfs) {
  if constexpr (requires { bfs->kept_states(); })
    if (search.options.store == Store::automatic) return bfs_with_change(search, state_bytes, std::move(bfs));
  run_bfs(search, *bfs);
  report_bfs(search, search.options.store, bfs->memory_bytes());
}

/// Breadth-first search until a sweep had better go on with its states, if that helps.
template <Graph G, class Table>
void bfs_then_sweep(StateSearch& search, const G& graph, Table table, const TakeOver& take_over) {
  auto bfs = std::make_unique<BreadthFirstSearch<G, Table>>(graph, std::move(table), search.bounds());
  run_bfs(search, *bfs, [&] { return take_over.is_due(bfs->memory_bytes()); });
  if (bfs->paused() && search.result.end != SearchEnd::satisfied && search.budget.reason().empty()) {
    Measure measure;
    const double paused = search.budget.seconds();
    if (take_over.with_findings || !search.monitor.has_findings())
      within_limits(search.budget, [&] { measure = measure_for_the_rest(search, graph); });
    search.set("measure_time_s", search.budget.seconds() - paused);
    const bool helps = !measure.terms().empty();
    if (take_over.on_decision && search.budget.reason().empty())
      take_over.on_decision(bfs->table().size(), helps ? &measure : nullptr);
    if (helps) {
      search.outcome.engine = take_over.engine;
      collect_found(search, *bfs);
      return sweep_states(search, graph, measure, std::move(bfs));
    }
    return run_to_end(search, graph.state_size(), std::move(bfs));
  }
  if (search.result.end == SearchEnd::complete && take_over.on_completion)
    take_over.on_completion(bfs->memory_bytes());
  report_bfs(search, search.options.store, bfs->memory_bytes());
}

}  // namespace

void report_sweep(StateSearch& search, const SweepFigures& figures) {
  SearchResult& result = search.result;
  // Otherwise some states were counted more than once, or are stored and not counted yet.
  if ((figures.sweeps == 1 || figures.each_once) && result.end == SearchEnd::complete) {
    search.set("states", result.states);
    if (search.knows_deadlocks()) search.set("deadlocks", result.deadlocks);
  } else {
    result.states = 0;
  }
  search.set("transitions", result.transitions);
  add_figures(figures, search.outcome.statistics);
}

void report_one_layer(StateSearch& search) {
  const std::uint64_t states = search.result.states;
  add_figures({.layers = 1, .expansions = states, .stored_peak = states}, search.outcome.statistics);
}

void search_bfs(StateSearch& search) {
  search.with_graph([&](const auto& graph) {
    if (search.options.store == Store::disk) return bfs_on_disk(search, graph);
    const auto& take_over = search.options.sweep.take_over;
    if (take_over && search.options.threads == 1)
      return with_table(search, graph, Numbers::always,
                        [&](auto table) { bfs_then_sweep(search, graph, std::move(table), *take_over); });
    using Graph = std::decay_t<decltype(graph)>;
    const auto run = [&]<class Search>(std::unique_ptr<Search> bfs) {
      run_to_end(search, graph.state_size(), std::move(bfs));
    };
    const auto share = [&]<class Table>(std::type_identity<Table>, typename Table::Options options) {
      run(std::make_unique<ParallelBreadthFirstSearch<Graph, Table>>(
          graph, search.options.threads, search.bounds(), few_states, std::move(options)));
    };
    if (search.options.threads == 1)
      with_table(search, graph, Numbers::until_expanded, [&]<class Table>(Table table) {
        run(std::make_unique<BreadthFirstSearch<Graph, Table>>(graph, std::move(table), search.bounds()));
      });
    else if (search.options.store == Store::tree)
      share(std::type_identity<TreeTable<>>{}, {.sample = sample_for_tree(search)});
    else if (search.options.store == Store::hash)
      share(std::type_identity<HashedStates>{}, {.bits = search.options.hash_bits});
    else
      share(std::type_identity<ConcurrentTable<>>{}, {});
  });
}

void search_dfs(StateSearch& search) {
  search.with_graph([&](const auto& graph) {
    with_table(search, graph, Numbers::none, [&](auto table) {
      DepthFirstSearch dfs(graph, ExactMarks(std::move(table)), search.bounds());
      search.result = dfs.run(search.monitor, search.budget);
      search.set_counts();
      search.set("stored_peak", search.result.states);
      search.set("visited", search.result.states);
      report_table(search, search.options.store, dfs.memory_bytes());
    });
  });
  search.cut_off_remark = dfs_remark;
}

void search_bitstate(StateSearch& search) {
  const std::uint32_t bits = search.options.bits;
  if (bits < BitTable::least_bits || bits > BitTable::most_bits)
    throw Error(ErrorKind::usage, fmt::format("a bitstate table has 2^{} to 2^{} bits, not 2^{}",
                                              BitTable::least_bits, BitTable::most_bits, bits));
  search.with_graph([&](const auto& graph) {
    DepthFirstSearch dfs(graph, BitMarks(graph.state_size(), bits), search.bounds());
    search.result = dfs.run(search.monitor, search.budget);
    const BitTable& table = dfs.marks().bits();
    search.sampled = fmt::format("bitstate search is not exhaustive (estimated coverage {:.4g} %)",
                                 table.coverage() * 100);
    search.set_counts();
    search.set("visited", search.result.states);
    search.set("bits_set", table.bits_set());
    search.set("coverage", table.coverage());
    search.set("table_bytes", dfs.memory_bytes());
  });
  search.cut_off_remark = dfs_remark;
}

void search_cache(StateSearch& search) {
  search.with_graph([&](const auto& graph) {
    const SafetyOptions& options = search.options;
    DepthFirstSearch dfs(
        graph, CacheMarks(StateCache(graph.state_size(), options.cache_states, options.replacement)),
        search.bounds());
    SearchResult& result = search.result = dfs.run(search.monitor, search.budget);
    const StateCache& cache = dfs.marks().cache();
    if (cache.replaced() == 0)  // else some states were counted more than once
      search.set_counts();
    else
      search.set("transitions", result.transitions);
    search.set("stored_peak", cache.stored());
    search.set("visited", result.states);
    search.set("replaced", cache.replaced());
    search.set("table_bytes", dfs.memory_bytes());
    if (cache.replaced() != 0) result.states = 0;
  });
  search.cut_off_remark = dfs_remark;
}

void search_walk(StateSearch& search) {
  const SafetyOptions& options = search.options;
  const std::uint64_t steps = options.depth != 0 ? options.depth : default_walk_steps;
  search.with_graph([&](const auto& graph) {
    RandomWalk walk(graph, {options.traces, options.walks, steps, options.seed});
    search.result = walk.run(search.monitor, search.budget);
    search.set("visited", search.result.states);
    search.set("transitions", search.result.transitions);
    if (search.knows_deadlocks()) search.set("deadlocks", search.result.deadlocks);
    search.set("depth", search.result.depth);
    search.set("walks", walk.walks());
    search.set("steps", walk.steps());
  });
  search.keeps_states = false;
  search.sampled = "random walks visit only a part of the states";
}

void search_sweep(StateSearch& search) {
  // Without a measure there is one layer, and breadth-first search is the fastest way through it.
  const SweepSettings& settings = search.options.sweep;
  if (settings.take_over) {
    search.with_graph([&](const auto& graph) {
      bfs_then_sweep(search, graph, SegmentedTable<>(graph.state_size()), *settings.take_over);
    });
    if (!search.outcome.statistics.find("layers")) report_one_layer(search);
    return;
  }
  if (settings.measure.terms().empty() && !settings.checkpoints && !settings.on_layer) {
    search_bfs(search);
    return report_one_layer(search);
  }
  search.with_graph([&](const auto& graph) { sweep_states(search, graph, search.options.sweep.measure); });
}

}  // namespace tideline
