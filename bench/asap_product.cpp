// Counts the products of models with their property processes as ASAP does, the tool behind the published
// figures of LTL-Sweep.
//
//   asap_product MODEL...
//
// ASAP makes a list of events for every state that it stores, when it meets the state first. It does so after the
// step of the system and before that of the property process, so the list is that of the location which the
// property is about to leave. Where that has no enabled edge, the list is empty and the state has no successors,
// whatever its own location allows. Which states those are depends on the order of the search: this one is
// breadth-first, and has the published counts. Prints JSON: for each model the states and transitions of the
// product, the same as ASAP counts them, and how many states have successors and are stored without events.
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "graph/factory.hpp"
#include "lang/lang.hpp"
#include "store/segmented_table.hpp"

namespace {

using namespace tideline;

struct Counts {
  std::uint64_t states = 0, transitions = 0, without_events = 0;
};

template <class Product>
bool has_successors(Product& product, const std::byte* state) {
  bool any = false;
  product.successors(state, [&](const Step&) { any = true; });
  return any;
}

/// `early`: the list of events is made before the property moves.
template <class Product>
Counts count(Product product, bool early) {
  Counts counts;
  SegmentedTable<> table(product.state_size());
  std::vector<bool> has_events;
  std::vector<std::byte> before(product.state_size());
  // A second one to step with while the first is stepping.
  Product looking = product;
  const auto store = [&](const std::byte* state, const std::byte* from) {
    if (!table.insert(state, table.hash(state)).inserted) return;
    bool events = true;
    if (early && from) {  // the system's new state with the property's old location
      const std::size_t system = product.system_state_size();
      std::memcpy(before.data(), state, system);
      std::memcpy(before.data() + system, from + system, before.size() - system);
      events = has_successors(looking, before.data());
    }
    has_events.push_back(events);
    if (!events && has_successors(looking, state)) ++counts.without_events;
  };
  product.initial([&](const std::byte* state) { store(state, nullptr); });
  for (StateId id = 0; id < table.size(); ++id) {
    if (!has_events[id]) continue;
    const std::vector<std::byte> state(table.state(id), table.state(id) + product.state_size());
    product.successors(state.data(), [&](const Step& step) {
      ++counts.transitions;
      if (step.state) store(step.state, state.data());
    });
  }
  counts.states = table.size();
  return counts;
}

nlohmann::json measure(const std::string& file) {
  const Model model = load_model(file);
  if (!model.system.property) throw Error(ErrorKind::input, file + ": the model has no property process");
  const auto counted = [&](bool early) {
    return with_product(model.system, *model.system.property, {ErrorSemantics::error_state},
                        [&](const auto& product) { return count(product, early); });
  };
  const Counts own = counted(false), asap = counted(true);
  return {{"model", file},
          {"states", own.states},
          {"transitions", own.transitions},
          {"asap_states", asap.states},
          {"asap_transitions", asap.transitions},
          {"asap_without_events", asap.without_events}};
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
