// Sweeps over a model by tuples and by the product of a measure's terms, with and without columns.
//
//   columns_orders MODEL MEASURE...
//
// The search by the product of the orders is the published one (testing/product_sweep.hpp), once for each way
// to choose among states that are not comparable. Prints JSON: for each measure, in its canonical spelling,
// the states of the model, and for each search how many it visits and stores at most, how many become
// persistent, and how many regress edges it meets.
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "checking/measures.hpp"
#include "graph/factory.hpp"
#include "progress/measured.hpp"
#include "run/budget.hpp"
#include "search/states/bfs.hpp"
#include "search/sweep/sweep.hpp"
#include "store/segmented_table.hpp"
#include "testing/product_sweep.hpp"

namespace {

using namespace tideline;

constexpr ErrorSemantics errors = ErrorSemantics::stop;

template <class Figures>
nlohmann::json row(std::uint64_t visited, const Figures& figures) {
  return {{"visited", visited},
          {"stored", figures.stored_peak},
          {"persistent", figures.persistent},
          {"regress_edges", figures.regress_edges},
          {"sweeps", figures.sweeps}};
}

nlohmann::json by_tuples(const auto& graph, const Measure& measure, bool columns) {
  const unsigned below = measure.suffix(measure.monotone_terms()).bits();
  const bool claimed = measure.monotone_terms() != 0;
  SweepSearch search(Measured(graph, measure), {.claimed_shift = claimed ? below : 64,
                                                .column_shift = claimed && columns ? below : 64});
  Bystander bystander;
  Budget budget{{}};
  search.run(bystander, budget);
  if (search.figures().broken_claim) throw std::runtime_error("not monotone as claimed: " + measure.text());
  return row(search.figures().expansions, search.figures());
}

nlohmann::json by_product(const auto& graph, const Measure& measure, test::ProductSweepOptions options) {
  const test::ProductSweepFigures figures =
      test::ProductSweep(graph, measure, options).run([](const auto&) {});
  return row(figures.visited, figures);
}

nlohmann::json compare(const auto& graph, const Measure& measure) {
  using test::NextLayer;
  Bystander bystander;
  Budget budget{{}};
  BreadthFirstSearch all(graph, SegmentedTable<>(graph.state_size()), {.traces = false});
  nlohmann::json result{{"measure", measure.text()}, {"states", all.run(bystander, budget).states}};
  for (const bool columns : {true, false}) {
    const std::string suffix = columns ? "" : ", no columns";
    result["tuples" + suffix] = by_tuples(graph, measure, columns);
    result["product" + suffix] = by_product(graph, measure, {columns, NextLayer::least_tuple});
    result["product, by sum" + suffix] = by_product(graph, measure, {columns, NextLayer::least_sum});
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) throw std::runtime_error("usage: columns_orders MODEL MEASURE...");
  const Model model = load_model(argv[1]);
  nlohmann::json rows = nlohmann::json::array();
  for (int i = 2; i < argc; ++i) {
    const Measure measure = read_measure(model.system, {"measure", argv[i]}, errors);
    rows.push_back(
        with_graph(model.system, {errors}, [&](const auto& graph) { return compare(graph, measure); }));
  }
  std::cout << rows.dump(1) << '\n';
} catch (const std::exception& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 1;
}
