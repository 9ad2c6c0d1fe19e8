// Counts the states of products that a reduced search visits with and without the condition on cycles.
//
//   por_bound MODEL...
//
// Each model has a property process. Without the condition something may be put off for ever, so the answers
// would be wrong; but no condition on cycles can leave fewer states with the same sets. Prints JSON: for each
// model the states of the whole product, of the reduced one, and of the one without the condition.
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "graph/factory.hpp"
#include "lang/lang.hpp"
#include "run/budget.hpp"
#include "search/states/bfs.hpp"
#include "search/states/preserved.hpp"
#include "store/segmented_table.hpp"

namespace {

using namespace tideline;

constexpr ErrorSemantics errors = ErrorSemantics::stop;

std::uint64_t count(const System& system, std::shared_ptr<const por::StubbornSets> sets) {
  return with_product(system, *system.property, {errors, std::move(sets)}, [](const auto& product) {
    Bystander bystander;
    Budget budget{{}};
    BreadthFirstSearch search(product, SegmentedTable<>(product.state_size()), {.traces = false});
    return search.run(bystander, budget).states;
  });
}

std::uint64_t count_reduced(const System& system, bool on_cycles) {
  por::Preserved preserved = preserved_for(*system.property);
  preserved.on_cycles = on_cycles;
  return count(system, por::StubbornSets::make(system, errors, std::move(preserved)));
}

nlohmann::json measure(const std::string& file) {
  const Model model = load_model(file);
  if (!model.system.property) throw Error(ErrorKind::input, file + ": the model has no property process");
  return {{"model", file},
          {"states", count(model.system, {})},
          {"reduced", count_reduced(model.system, true)},
          {"no_condition", count_reduced(model.system, false)}};
}

}  // namespace

int main(int argc, char** argv) try {
  nlohmann::json rows = nlohmann::json::array();
  for (int i = 1; i < argc; ++i) rows.push_back(measure(argv[i]));
  std::cout << rows.dump(1) << '\n';
} catch (const std::exception& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 1;
}
