#include "search/liveness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "graph/property_product.hpp"
#include "search/ndfs.hpp"
#include "search/scc.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

namespace {

/// The system's part of a run through the product.
Path project(Path path, std::size_t system_state_size) {
  for (auto& state : path.states) state.resize(system_state_size);
  return path;
}

struct Search {
  LassoResult result;
  std::uint64_t memory_bytes = 0;
};

template <class Engine>
Search run(Engine engine, Budget& budget) {
  Search search;
  search.result = engine.run(budget);
  search.memory_bytes = engine.memory_bytes();
  return search;
}

PropertyResult judge(const Property& property, const LassoResult& result, std::size_t system_state_size,
                     const Budget& budget) {
  PropertyResult judged{property, Verdict::unknown, {}, {}};
  switch (result.end) {
    case SearchEnd::satisfied:
      judged.verdict = Verdict::violated;
      judged.path = [path = project(*result.lasso, system_state_size)] { return path; };
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
  return engine == LassoEngine::ndfs ? "ndfs" : "scc";
}

std::optional<LassoEngine> lasso_engine_from(std::string_view name) {
  for (const LassoEngine engine : {LassoEngine::ndfs, LassoEngine::scc})
    if (to_string(engine) == name) return engine;
  return std::nullopt;
}

bool can_handle(LassoEngine engine, const PropertyProcess& property) {
  const auto marked = [](const PropertyProcess::Edge& edge) { return edge.marks != 0; };
  return engine == LassoEngine::scc || (property.accepting.size() <= 1 &&
                                        std::none_of(property.edges.begin(), property.edges.end(), marked));
}

Outcome check_liveness(const System& system, const Property& property, const LivenessOptions& options,
                       Budget& budget) {
  const auto start = std::chrono::steady_clock::now();
  if (!can_handle(options.engine, *property.process))
    throw Error(ErrorKind::usage,
                fmt::format("engine {} takes automata with one acceptance set on states; use scc",
                            to_string(options.engine)));
  PropertyProduct product(Interpreter(Program::compile(system, options.errors)), *property.process);
  const std::size_t system_state_size = product.system_state_size();
  SegmentedTable<> table(product.state_size());
  const Search search = options.engine == LassoEngine::ndfs
                            ? run(NestedDepthFirstSearch(std::move(product), std::move(table)), budget)
                            : run(SccSearch(std::move(product), std::move(table)), budget);
  const LassoResult& result = search.result;

  Outcome outcome;
  outcome.engine = to_string(options.engine);
  outcome.complete = result.end == SearchEnd::complete;
  outcome.results.push_back(judge(property, result, system_state_size, budget));
  outcome.model_errors = result.model_errors;
  Statistics& statistics = outcome.statistics;
  statistics.set("product_states", result.states);
  statistics.set("product_transitions", result.transitions);
  statistics.set("expansions", result.expansions);
  statistics.set("table_bytes", search.memory_bytes);
  statistics.set("time_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  statistics.set("peak_rss_bytes", peak_resident_bytes());
  return outcome;
}

}  // namespace tideline
