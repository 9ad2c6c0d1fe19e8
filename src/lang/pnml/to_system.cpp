// A net as a System. Every place is a slot of its own whose range is what the structure of the net allows
// (bounds.hpp); there are no components: all slots are shared. The ids of the net are the names of slots and
// the labels of actions; other names, where they are unambiguous, are aliases.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "lang/pnml/bounds.hpp"
#include "lang/pnml/pnml.hpp"

namespace tideline::pnml {

namespace {

Expr compare(PlaceId place, Op op, std::uint32_t weight) {
  return Expr::binary(op, Expr::load(place), Expr::constant(weight));
}

Expr guard_of(const Transition& t) {
  std::vector<Expr> conditions;
  std::vector<Arc> needed = t.consumes;
  for (const Arc& test : t.tests) {
    const auto at = std::ranges::lower_bound(needed, test.place, {}, &Arc::place);
    if (at == needed.end() || at->place != test.place)
      needed.insert(at, test);
    else
      at->weight = std::max(at->weight, test.weight);
  }
  for (const Arc& a : needed) conditions.push_back(compare(a.place, Op::ge, a.weight));
  for (const Arc& a : t.inhibitors) conditions.push_back(compare(a.place, Op::lt, a.weight));
  return balanced(Op::logic_and, std::move(conditions), 1);
}

void add_effects(const Transition& t, Action& action) {
  auto consumed = t.consumes.begin();
  auto produced = t.produces.begin();
  auto emptied = t.resets.begin();
  while (consumed != t.consumes.end() || produced != t.produces.end() || emptied != t.resets.end()) {
    PlaceId place = ~PlaceId{0};
    if (consumed != t.consumes.end()) place = std::min(place, consumed->place);
    if (produced != t.produces.end()) place = std::min(place, produced->place);
    if (emptied != t.resets.end()) place = std::min(place, *emptied);
    std::int64_t change = 0;
    bool reset = false;
    if (produced != t.produces.end() && produced->place == place) change += (produced++)->weight;
    if (emptied != t.resets.end() && *emptied == place) {
      reset = true;
      ++emptied;
    }
    if (consumed != t.consumes.end() && consumed->place == place) {
      if (!reset) change -= consumed->weight;
      ++consumed;
    }
    if (!reset && change == 0) continue;
    Expr value = Expr::constant(change < 0 ? -change : change);
    if (!reset) value = Expr::binary(change < 0 ? Op::sub : Op::add, Expr::load(place), std::move(value));
    action.effects.push_back({.slot = place, .value = std::move(value), .where = t.where});
  }
}

/// Names that belong to only one node and are not an id.
template <class Nodes, class Add>
void add_names(const Nodes& nodes, const Add& add) {
  std::unordered_map<std::string_view, int> uses;
  for (const auto& node : nodes) {
    uses[node.id] += 2;  // never free
    if (!node.name.empty()) ++uses[node.name];
  }
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if (!nodes[i].name.empty() && uses[nodes[i].name] == 1) add(nodes[i].name, i);
}

/// Whether no marking leaves the ranges: bounds follow from sub-invariants, or are further away than a search
/// gets. That the file claims to be safe proves nothing.
bool stays_in_range(const Net& net, const std::vector<std::uint32_t>& bounds) {
  constexpr std::int64_t far = most_tokens / 2, few = 64;  // tokens, and tokens at a time
  if (net.safe) return is_proven_safe(net);
  const auto is_bounded = [&](PlaceId p) { return bounds[p] < most_tokens; };
  for (PlaceId p = 0; p < net.places.size(); ++p)
    if (!is_bounded(p) && net.places[p].initial > far) return false;
  return std::ranges::all_of(net.transitions, [&](const Transition& t) {
    return std::ranges::all_of(t.produces,
                               [&](const Arc& arc) { return arc.weight <= few || is_bounded(arc.place); });
  });
}

}  // namespace

System to_system(const Net& net) {
  return to_system(net, token_bounds(net));
}

System to_system(const Net& net, const std::vector<std::uint32_t>& bounds) {
  System system;
  system.name = net.id;
  system.language = "pnml";
  for (PlaceId p = 0; p < net.places.size(); ++p) {
    const Place& place = net.places[p];
    system.add_variable({.name = place.id, .where = place.where}, {0, static_cast<std::int32_t>(bounds[p])},
                        {static_cast<std::int32_t>(place.initial)});
  }
  system.ranges_are_proven = stays_in_range(net, bounds);
  system.actions.reserve(net.transitions.size());
  for (const Transition& t : net.transitions) {
    Action action{.label = t.id, .guard = guard_of(t), .where = t.where};
    add_effects(t, action);
    system.actions.push_back(std::move(action));
  }
  for (const Family& family : net.place_families)
    system.aliases.push_back({.name = family.name, .slots = family.members});
  for (const Family& family : net.transition_families)
    system.aliases.push_back({.name = family.name, .actions = family.members});
  add_names(net.places, [&](const std::string& name, std::uint32_t p) {
    system.aliases.push_back({.name = name, .slots = {p}});
  });
  add_names(net.transitions, [&](const std::string& name, std::uint32_t t) {
    system.aliases.push_back({.name = name, .actions = {t}});
  });
  complete(system);
  return system;
}

}  // namespace tideline::pnml
