#include "search/lassos/liveness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "graph/fair_product.hpp"
#include "graph/property_product.hpp"
#include "model/layout.hpp"
#include "search/lassos/bad_prefix.hpp"
#include "search/lassos/cndfs.hpp"
#include "search/lassos/map.hpp"
#include "search/lassos/ndfs.hpp"
#include "search/lassos/owcty.hpp"
#include "search/lassos/scc.hpp"
#include "search/lassos/shorten.hpp"
#include "search/lassos/strong_fairness.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

namespace {

constexpr LassoEngine all_engines[] = {LassoEngine::scc,   LassoEngine::ndfs,  LassoEngine::cndfs,
                                       LassoEngine::map,   LassoEngine::owcty, LassoEngine::owcty_map,
                                       LassoEngine::sweep, LassoEngine::bfs};

/// The system's part of a lasso through the product. The same infinite run may go round sooner there: the
/// cycle may repeat itself, and begin earlier.
Path project(Path path, std::size_t system_state_size) {
  for (auto& state : path.states) state.resize(system_state_size);
  const auto same_step = [&](std::size_t i, std::size_t j) {
    return path.actions[i] == path.actions[j] && path.states[i] == path.states[j];
  };
  std::size_t& loop = *path.loop;
  std::size_t length = path.states.size();
  const auto repeats_after = [&](std::size_t period) {
    for (std::size_t i = loop; i + period < length; ++i)
      if (!same_step(i, i + period)) return false;
    return true;
  };
  const std::size_t cycle = length - loop;
  for (std::size_t period = 1; period < cycle; ++period)
    if (cycle % period == 0 && repeats_after(period)) {
      length = loop + period;
      break;
    }
  while (loop > 0 && same_step(loop - 1, length - 1)) {
    --loop;
    --length;
  }
  path.states.resize(length);
  path.actions.resize(length);
  return path;
}

struct Search {
  LassoResult result;
  std::uint64_t memory_bytes = 0;
  bool not_shortest = false;  ///< the lasso was to be shortest, and the budget ended before that was sure
  std::optional<LtlSweepFigures> sweep = {};
};

template <class Engine>
Search run(Engine&& engine, Budget& budget) {
  Search search;
  search.result = engine.run(budget);
  search.memory_bytes = engine.memory_bytes();
  return search;
}

/// The lasso as short as possible.
template <class G>
void shorten(const G& graph, Search& search, Budget& budget) {
  auto& lasso = search.result.lasso;
  if (!lasso) return;
  LassoShortening shortening(graph, SegmentedTable<>(graph.state_size()));
  ShortenedLasso shortened = shortening.run(std::move(*lasso), budget);
  lasso = std::move(shortened.lasso);
  search.not_shortest = !shortened.proven;
}

Search run_fair(const FairProduct& product, Fairness fairness, bool shortest, Budget& budget) {
  const auto table = [&] { return SegmentedTable<>(product.state_size()); };
  if (fairness == Fairness::strong) return run(StrongFairnessSearch(product, table()), budget);
  const WeaklyFair fair(product);
  Search search = run(SccSearch(fair, table()), budget);
  if (shortest) shorten(fair, search, budget);
  return search;
}

Search run_plain(const PropertyProduct& product, const LivenessOptions& options, Budget& budget) {
  const auto table = [&] { return SegmentedTable<>(product.state_size()); };
  switch (options.engine) {
    case LassoEngine::scc:
      return run(SccSearch(product, table()), budget);
    case LassoEngine::ndfs:
      return run(NestedDepthFirstSearch(product, table()), budget);
    case LassoEngine::cndfs:
      return run(ConcurrentNestedSearch(product, options.threads), budget);
    case LassoEngine::map:
      return run(MapSearch(product, options.threads, options.order), budget);
    case LassoEngine::owcty:
    case LassoEngine::owcty_map: {
      const unsigned values = options.engine == LassoEngine::owcty ? 0 : options.values;
      return run(OwctySearch(product, {options.threads, values, options.choice, options.order}), budget);
    }
    case LassoEngine::sweep:
      break;
    case LassoEngine::bfs:
      return run(BadPrefixSearch(product, options.threads), budget);
  }
  return {};
}

Search run_sweep(const System& system, const PropertyProduct& product, const PropertyProcess& property,
                 const LivenessOptions& options, Budget& budget) {
  const MeasuredProduct measured(product, property, options.sweep.measure, options.automaton_order);
  SweepOptions sweep = sweep_options(options.sweep, options.traces);
  sweep.claimed_shift = measured.claimed_shift();
  sweep.column_shift = measured.column_shift();
  sweep.threads = options.threads;
  LtlSweepOptions ltl_sweep = options.ltl_sweep;
  ltl_sweep.across.threads = options.threads;
  LtlSweep search(measured, sweep, ltl_sweep);
  Search result{.result = search.run(budget), .sweep = search.figures()};
  require_claim(result.sweep->sweep, system, [&](Progress value) { return measured.show(value); });
  return result;
}

Search run(const System& system, const Property& property, const LivenessOptions& options, Budget& budget) {
  const Interpreter interpreter(Program::compile(system, options.errors));
  if (property.fairness != Fairness::none)
    return run_fair(FairProduct(interpreter, *property.process), property.fairness, options.shortest, budget);
  const PropertyProduct product(interpreter, *property.process);
  if (options.engine == LassoEngine::sweep)
    return run_sweep(system, product, *property.process, options, budget);
  Search search = run_plain(product, options, budget);
  if (!options.shortest || !search.result.lasso) return search;
  if (!options.shorten_over) {
    shorten(product, search, budget);
    return search;
  }
  const PropertyProduct other(interpreter, *options.shorten_over);
  Search again = run(SccSearch(other, SegmentedTable<>(other.state_size())), budget);
  search.not_shortest = !again.result.lasso;
  if (!again.result.lasso) return search;
  search.result.lasso = std::move(again.result.lasso);
  shorten(other, search, budget);
  return search;
}

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

PropertyResult judge(const Property& property, const Search& search, std::size_t system_state_size,
                     const Budget& budget) {
  const LassoResult& result = search.result;
  PropertyResult judged{property, Verdict::unknown, {}, {}};
  switch (result.end) {
    case SearchEnd::satisfied:
      judged.verdict = Verdict::violated;
      if (search.sweep && !result.lasso && budget.reason().empty()) break;  // no traces are wanted
      if (result.lasso)
        judged.path = PathBuilder(project(*result.lasso, system_state_size));
      else
        judged.reason = fmt::format("the run was not put together: {}", budget.reason());
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

}  // namespace

std::string_view to_string(LassoEngine engine) {
  switch (engine) {
    case LassoEngine::scc:
      return "scc";
    case LassoEngine::ndfs:
      return "ndfs";
    case LassoEngine::cndfs:
      return "cndfs";
    case LassoEngine::map:
      return "map";
    case LassoEngine::owcty:
      return "owcty";
    case LassoEngine::owcty_map:
      return "owcty-map";
    case LassoEngine::sweep:
      return "sweep";
    case LassoEngine::bfs:
      return "bfs";
  }
  return "";
}

std::optional<LassoEngine> lasso_engine_from(std::string_view name) {
  for (const LassoEngine engine : all_engines)
    if (to_string(engine) == name) return engine;
  return std::nullopt;
}

bool is_parallel(LassoEngine engine) {
  return engine != LassoEngine::scc && engine != LassoEngine::ndfs;
}

bool needs_buchi(LassoEngine engine) {
  return engine != LassoEngine::scc;
}

bool can_handle(LassoEngine engine, const PropertyProcess& property) {
  const auto marked = [](const PropertyProcess::Edge& edge) { return edge.marks != 0; };
  const bool buchi =
      property.accepting.size() <= 1 && std::none_of(property.edges.begin(), property.edges.end(), marked);
  if (engine == LassoEngine::bfs) return regions_of(property).terminal;
  return buchi || !needs_buchi(engine);
}

std::string why_unfit(const LivenessOptions& options, const Property& property) {
  const std::string_view engine = to_string(options.engine);
  const bool fair = property.fairness != Fairness::none;
  if (fair && options.engine != LassoEngine::scc)
    return fmt::format("engine {} knows nothing of fairness; scc does", engine);
  if (property.fairness == Fairness::strong && options.shortest)
    return "strongly fair runs cannot be made shortest";
  if (options.shortest && options.engine == LassoEngine::sweep)
    return "engine sweep forgets the states among which a shortest run would be found";
  if (options.threads > 1 && fair) return "fairness needs engine scc, which uses one thread";
  if (options.threads > 1 && !is_parallel(options.engine))
    return fmt::format("engine {} uses one thread; owcty-map, owcty, map, cndfs and sweep take more", engine);
  if (can_handle(options.engine, *property.process)) return {};
  if (options.engine == LassoEngine::bfs)
    return "engine bfs decides safety properties; this one needs a search for cycles, such as scc";
  return fmt::format("engine {} takes automata with one acceptance set on states; use scc", engine);
}

Outcome check_liveness(const System& system, const Property& property, const LivenessOptions& options,
                       Budget& budget) {
  const auto start = std::chrono::steady_clock::now();
  if (const std::string why = why_unfit(options, property); !why.empty())
    throw Error(ErrorKind::usage, fmt::format("property {}: {}", property.name, why));
  const Search search = run(system, property, options, budget);
  const LassoResult& result = search.result;

  Outcome outcome;
  outcome.engine = to_string(options.engine);
  outcome.complete = result.end == SearchEnd::complete;
  outcome.results.push_back(judge(property, search, Layout(system).size(), budget));
  outcome.model_errors = result.model_errors;
  Statistics& statistics = outcome.statistics;
  statistics.set("automaton", std::string(shape_of(*property.process)));
  const bool swept_once = search.sweep && search.sweep->sweep.sweeps == 1 && outcome.complete;
  if (!search.sweep || swept_once) statistics.set("product_states", result.states);
  statistics.set("product_transitions", result.transitions);
  statistics.set("expansions", result.expansions);
  if (result.rounds != 0) statistics.set("rounds", result.rounds);
  if (result.end == SearchEnd::satisfied) statistics.set("early", std::uint64_t{result.early});
  if (search.sweep)
    add_figures(*search.sweep, statistics);
  else
    statistics.set("table_bytes", search.memory_bytes);
  statistics.set("threads", std::uint64_t{options.threads});
  statistics.set("time_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  statistics.set("peak_rss_bytes", peak_resident_bytes());
  return outcome;
}

}  // namespace tideline
