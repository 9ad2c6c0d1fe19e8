#include "gpu/product_system.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

#include "model/error.hpp"

namespace tideline::gpu {

namespace {

Expr both(Expr left, Expr right) {
  return Expr::binary(Op::logic_and, std::move(left), std::move(right));
}

Expr is(SlotId slot, std::int64_t value) {
  return Expr::binary(Op::eq, Expr::load(slot), Expr::constant(value));
}

/// All of them, as a tree that is not deep.
Expr all_of(const std::vector<Expr>& list, std::size_t begin, std::size_t end) {
  if (begin == end) return Expr::constant(1);
  if (begin + 1 == end) return list[begin];
  const std::size_t middle = (begin + end) / 2;
  return both(all_of(list, begin, middle), all_of(list, middle, end));
}

bool is_true(const Expr& expr) {
  return expr.op == Op::constant && expr.value != 0;
}

}  // namespace

ProductSystem::ProductSystem(const System& system, const PropertyProcess& property, const Regions& regions)
    : original_(system), property_(property), product_(system), original_layout_(system), layout_(system) {
  bool has_effects = !property.slots.empty();
  for (const PropertyProcess::Edge& edge : property.edges) has_effects = has_effects || !edge.effects.empty();
  if (has_effects)
    throw Error(ErrorKind::usage,
                "a device takes property automata without variables of their own; use engine scc");
  // A location more than there are, which is in no region.
  const auto beyond = static_cast<std::int32_t>(property.locations.size());
  location_ = static_cast<SlotId>(product_.slots.size());
  product_.add_variable({.name = "property location", .is_internal = true}, {0, beyond},
                        {static_cast<std::int32_t>(property.initial)});
  region_table_ = static_cast<std::uint32_t>(product_.tables.size());
  product_.tables.emplace_back(regions.of.begin(), regions.of.end());
  product_.tables.back().push_back(no_region);
  product_.property.reset();
  product_.error_state.reset();
  product_.actions.clear();
  add_joint_actions();
  add_lonely_actions();
  complete(product_);
  layout_ = Layout(product_);
}

Expr ProductSystem::edge_guard(const PropertyProcess::Edge& edge) const {
  const Expr here = is(location_, edge.from);
  return is_true(edge.guard) ? here : both(here, edge.guard);
}

void ProductSystem::add_joint_actions() {
  for (ActionId a = 0; a < original_.actions.size(); ++a)
    for (const PropertyProcess::Edge& edge : property_.edges) {
      Action& action = product_.actions.emplace_back(original_.actions[a]);
      action.guard = is_true(action.guard) ? edge_guard(edge) : both(action.guard, edge_guard(edge));
      action.effects.push_back({.slot = location_, .value = Expr::constant(edge.to)});
      originals_.push_back(a);
    }
}

Expr ProductSystem::enabled(const Action& action) const {
  std::vector<Expr> parts;
  for (const Participant& participant : action.participants)
    if (participant.from != any_location)
      parts.push_back(is(original_.components[participant.component].location_slot, participant.from));
  for (const Participant& participant : action.participants)
    if (!is_true(participant.guard)) parts.push_back(participant.guard);
  if (!is_true(action.guard)) parts.push_back(action.guard);
  return all_of(parts, 0, parts.size());
}

void ProductSystem::add_lonely_actions() {
  std::vector<Expr> disabled;
  for (const Action& action : original_.actions) {
    disabled.push_back(Expr::unary(Op::logic_not, enabled(action)));
    if (is_true(disabled.back().args[0])) return;  // there are no deadlocks
  }
  const Expr deadlock = all_of(disabled, 0, disabled.size());
  for (const PropertyProcess::Edge& edge : property_.edges) {
    product_.actions.push_back({.label = "stutter",
                                .guard = both(edge_guard(edge), deadlock),
                                .effects = {{.slot = location_, .value = Expr::constant(edge.to)}}});
    originals_.push_back(no_action);
  }
}

Measure ProductSystem::region_measure() const {
  const Expr in_region =
      Expr::binary(Op::ne, Expr::table(region_table_, Expr::load(location_)), Expr::constant(0));
  return {product_, {{.text = "in a region", .summands = {{.expr = in_region}}}}};
}

Path ProductSystem::translated(const Path& path) const {
  Path result;
  result.loop = path.loop;
  for (const ActionId action : path.actions) result.actions.push_back(originals_[action]);
  for (const std::vector<std::byte>& state : path.states) {
    const auto location = static_cast<std::uint16_t>(load_field(state.data(), layout_.field(location_)));
    std::vector<std::byte>& to = result.states.emplace_back(original_layout_.size() + sizeof location);
    for (SlotId slot = 0; slot < original_.slots.size(); ++slot)
      store_field(to.data(), original_layout_.field(slot), load_field(state.data(), layout_.field(slot)));
    std::memcpy(to.data() + original_layout_.size(), &location, sizeof location);
  }
  return result;
}

}  // namespace tideline::gpu
