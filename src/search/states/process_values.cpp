#include "search/states/process_values.hpp"

#include <algorithm>
#include <chrono>

#include "exec/predicate.hpp"
#include "graph/factory.hpp"
#include "model/value_condition.hpp"
#include "search/states/bfs.hpp"
#include "store/memory.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

namespace {

/// Ends the search in the first product state with a guard that has no value.
template <class Product>
class GuardWatch : public Bystander {
 public:
  GuardWatch(const System& system, const Product& product, const PropertyProcess& process)
      : product_(product), guards_(process.locations.size()) {
    const Layout layout(system);
    for (const PropertyProcess::Edge& edge : process.edges)
      if (may_lack_value(edge.guard, system)) guards_[edge.from].emplace_back(system, layout, edge.guard);
  }

  template <class Locate>
  void on_state(const std::byte* state, const Locate& locate) {
    for (const Predicate& guard : guards_[product_.location(state)]) {
      if (done()) return;
      guard.evaluate(state, error_);
      if (done()) run_ = locate();
    }
  }
  bool done() const { return error_ != ModelErrorKind::none; }

  ModelErrorKind error() const { return error_; }
  const PathBuilder& run() const { return run_; }

 private:
  const Product& product_;
  std::vector<std::vector<Predicate>> guards_;  // by location
  ModelErrorKind error_ = ModelErrorKind::none;
  PathBuilder run_;
};

template <class Product>
Outcome search_values(const Product& product, const System& system, const Property& property, bool traces,
                      Budget& budget) {
  GuardWatch watch(system, product, *property.process);
  BreadthFirstSearch search(product, SegmentedTable<>(product.state_size()), SearchOptions{.traces = traces});
  const SearchResult end = search.run(watch, budget);

  Outcome outcome;
  outcome.complete = end.end == SearchEnd::complete;
  PropertyResult result{property, Verdict::unknown, budget.reason(), {}};
  if (watch.done()) {
    result.verdict = Verdict::violated;
    result.reason = no_value_reason(watch.error());
    if (watch.run()) {
      Path path = watch.run()(budget);
      for (auto& state : path.states) state.resize(product.system_state_size());
      result.path = PathBuilder(std::move(path));
    }
  } else if (outcome.complete && watch.model_errors) {
    result.reason = not_followed_reason;
  } else if (outcome.complete) {
    result.verdict = Verdict::holds;
  }
  outcome.results.push_back(std::move(result));
  outcome.statistics.set("product_states", end.states);
  outcome.statistics.set("product_transitions", end.transitions);
  return outcome;
}

}  // namespace

bool may_lack_value(const PropertyProcess& process, const System& system) {
  return std::ranges::any_of(process.edges,
                             [&](const auto& edge) { return may_lack_value(edge.guard, system); });
}

Outcome check_process_values(const System& system, const Property& property, ErrorSemantics errors,
                             bool traces, Budget& budget) {
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome;
  with_product(system, *property.process, {errors}, [&](const auto& product) {
    outcome = search_values(product, system, property, traces, budget);
  });
  outcome.statistics.set("threads", std::uint64_t{1});
  outcome.statistics.set("time_s",
                         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  outcome.statistics.set("peak_rss_bytes", peak_resident_bytes());
  return outcome;
}

}  // namespace tideline
