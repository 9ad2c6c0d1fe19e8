// Graph factory: makes the graph that a search steps through from a System.
//
// A search is a template over Graph and does not depend on what is underneath. It gets the graph of a system,
// or of its product with a property, from here, by a callback:
//
//     return with_product(system, property, {.errors = errors}, [&](const auto& product) {
//       return NestedDepthFirstSearch(product, table).run(budget);
//     });
//
// How a system is stepped is decided in with_graph() and nowhere else: another way of stepping is one more
// line there. The callbacks below put decorators on top of it.
#pragma once

#include <memory>
#include <utility>

#include "exec/machine.hpp"
#include "graph/fair_product.hpp"
#include "graph/property_product.hpp"
#include "reduce/reduced_graph.hpp"

namespace tideline {

/// How a system is stepped.
struct Stepping {
  ErrorSemantics errors = ErrorSemantics::stop;
  std::shared_ptr<const por::StubbornSets> reduction =
      {};  ///< of the same system; nothing: no step is left out
};

/// use(graph): the states of the system.
template <class Use>
decltype(auto) with_graph(const System& system, const Stepping& stepping, Use&& use) {
  return std::forward<Use>(use)(
      ReducedGraph(Machine(Program::compile(system, stepping.errors)), stepping.reduction));
}

/// For taking a few steps rather than searching.
inline Interpreter stepper(const System& system, ErrorSemantics errors = ErrorSemantics::stop) {
  return Interpreter(Program::compile(system, errors));
}

/// use(product): the system watched by a property, which must outlive it, with these regions.
template <class Use>
decltype(auto) with_product(const System& system, const PropertyProcess& property, const Regions& regions,
                            const Stepping& stepping, Use&& use) {
  return with_graph(system, stepping, [&](auto graph) -> decltype(auto) {
    return use(PropertyProduct(std::move(graph), property, regions));
  });
}
template <class Use>
decltype(auto) with_product(const System& system, const PropertyProcess& property, const Stepping& stepping,
                            Use&& use) {
  return with_product(system, property, regions_of(property), stepping, std::forward<Use>(use));
}

/// use(product): likewise, with what fairness needs to know about processes or actions.
template <class Use>
decltype(auto) with_fair_product(const System& system, const PropertyProcess& property,
                                 const std::vector<FairParty>& parties, const Stepping& stepping, Use&& use) {
  return with_graph(system, stepping, [&](auto graph) -> decltype(auto) {
    return use(FairProduct(std::move(graph), property, parties));
  });
}

}  // namespace tideline
