#include "search/states/preserved.hpp"

#include "model/value_condition.hpp"

namespace tideline {

por::Preserved preserved_for(const System& system, const std::vector<Property>& properties) {
  // A model error makes the answers to all properties unknown: none must be missed.
  por::Preserved preserved{.deadlocks = properties.empty(), .errors = !properties.empty()};
  for (const Property& property : properties) {
    if (property.kind == PropertyKind::deadlock) preserved.deadlocks = true;
    if (!has_expression(property.kind)) continue;
    preserved.goals.push_back(property.kind == PropertyKind::reach ? property.expr
                                                                   : negation_of(property.expr));
    if (may_lack_value(property.expr, system))
      preserved.goals.push_back(negation_of(value_condition(property.expr, system)));
  }
  return preserved;
}

por::Preserved preserved_for(const PropertyProcess& process) {
  por::Preserved preserved;
  for (const PropertyProcess::Edge& edge : process.edges) preserved.observed.push_back(edge.guard);
  return preserved;
}

}  // namespace tideline
