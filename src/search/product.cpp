#include "search/product.hpp"

#include <chrono>

#include "graph/property_product.hpp"
#include "search/bfs.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

namespace {

/// An observer that lets the search count everything, and only notices model errors.
struct Bystander {
  bool model_errors = false;

  template <class Locate>
  void on_state(const std::byte*, const Locate&) {}
  template <class Locate>
  void on_step(const Step& step, const Locate&) {
    if (step.error != ModelErrorKind::none) model_errors = true;
  }
  template <class Locate>
  void on_deadlock(const Locate&) {}
  bool done() const { return false; }
};

}  // namespace

Outcome explore_product(const System& system, ErrorSemantics errors, Budget& budget) {
  if (!system.property)
    throw Error(ErrorKind::usage, system.name + " has no property process to build the product with");
  const auto start = std::chrono::steady_clock::now();
  PropertyProduct product(Interpreter(Program::compile(system, errors)), *system.property);
  const std::size_t state_bytes = product.state_size();
  BreadthFirstSearch search(std::move(product), SegmentedTable<>(state_bytes), {.traces = false});
  Bystander bystander;
  const SearchResult result = search.run(bystander, budget);

  Outcome outcome;
  outcome.engine = "bfs";
  outcome.complete = result.end == SearchEnd::complete;
  outcome.model_errors = bystander.model_errors;
  outcome.level_sizes = result.level_sizes;
  Statistics& statistics = outcome.statistics;
  statistics.set("product_states", result.states);
  statistics.set("product_transitions", result.transitions);
  statistics.set("levels", std::uint64_t{result.level_sizes.size()});
  statistics.set("stored_peak", result.states);
  statistics.set("state_bytes", std::uint64_t{state_bytes});
  statistics.set("table_bytes", search.memory_bytes());
  statistics.set("time_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  statistics.set("peak_rss_bytes", peak_resident_bytes());
  return outcome;
}

}  // namespace tideline
