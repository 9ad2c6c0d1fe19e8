// The search is that of `tideline check --engine bfs`, on the system with another initial state.
#include "simulate/find.hpp"

#include <variant>

#include "model/value_condition.hpp"
#include "search/states/safety.hpp"

namespace tideline {

Way find_way(const System& system, const Values& from, ErrorSemantics errors, const Property& goal,
             Budget& budget) {
  System elsewhere = system;
  elsewhere.initial = from;
  Property property = goal;
  // Here an expression without a value is just not true.
  if (property.kind == PropertyKind::reach)
    property.expr = with_value_everywhere(std::move(property.expr), system);
  Way way;
  within_limits(budget, [&] {
    const Outcome outcome = check_safety(elsewhere, {property}, {.errors = errors}, budget);
    const PropertyResult& result = outcome.results.front();
    way.complete = outcome.complete;
    if (const auto* states = outcome.statistics.find("states"))
      if (const auto* count = std::get_if<std::uint64_t>(states)) way.states = *count;
    const Verdict sought = property.kind == PropertyKind::reach ? Verdict::holds : Verdict::violated;
    if (result.verdict != sought || !result.path) return;
    Budget moment = budget.wrap_up();
    Path path = result.path(moment);
    way.found = true;
    way.actions = std::move(path.actions);
    way.failing_action = path.failing_action;
  });
  return way;
}

}  // namespace tideline
