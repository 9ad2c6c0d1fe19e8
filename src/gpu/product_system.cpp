#include "gpu/product_system.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

#include "model/error.hpp"
#include "model/interval.hpp"

namespace tideline::gpu {

namespace {

Expr is(SlotId slot, std::int64_t value) {
  return Expr::binary(Op::eq, Expr::load(slot), Expr::constant(value));
}

bool is_true(const Expr& expr) {
  return expr.op == Op::constant && expr.value != 0;
}

Expr all_between(const std::vector<Expr>& list, std::size_t begin, std::size_t end) {
  if (begin == end) return Expr::constant(1);
  if (begin + 1 == end) return list[begin];
  const std::size_t middle = (begin + end) / 2;
  return Expr::binary(Op::logic_and, all_between(list, begin, middle), all_between(list, middle, end));
}
/// All of them, in this order, as a tree that is not deep.
Expr all_of(std::vector<Expr> list) {
  std::erase_if(list, is_true);
  return all_between(list, 0, list.size());
}

/// In the order in which they are evaluated.
std::vector<Expr> guards_of(const Action& action) {
  std::vector<Expr> guards;
  for (const Participant& participant : action.participants) guards.push_back(participant.guard);
  guards.push_back(action.guard);
  return guards;
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
  acceptance_table_ = static_cast<std::uint32_t>(product_.tables.size());
  std::vector<std::int64_t>& acceptance = product_.tables.emplace_back();
  for (LocationId l = 0; l < property.locations.size(); ++l) {
    const bool accepts = property.marks_of(l) == property.all_marks();
    acceptance.push_back(regions.of[l] == no_region ? 0 : accepts ? 2 : 1);
  }
  acceptance.push_back(0);
  product_.property.reset();
  product_.error_state.reset();
  product_.actions.clear();
  add_joint_actions();
  add_lonely_actions();
  complete(product_);
  layout_ = Layout(product_);
}

Expr ProductSystem::at(const PropertyProcess::Edge& edge) const {
  return is(location_, edge.from);
}

/// Of the product, a guard that has no value is an error only where the other one is true. So that comes first, if it
/// always has a value.
void ProductSystem::add_joint_actions() {
  for (ActionId a = 0; a < original_.actions.size(); ++a)
    for (const PropertyProcess::Edge& edge : property_.edges) {
      Action& action = product_.actions.emplace_back(original_.actions[a]);
      std::vector<Expr> guards = guards_of(action);
      for (Participant& participant : action.participants) participant.guard = Expr::constant(1);
      guards.insert(interval_of(edge.guard, product_).may_fail ? guards.end() : guards.begin(), edge.guard);
      guards.insert(guards.begin(), at(edge));
      action.guard = all_of(guards);
      action.effects.push_back({.slot = location_, .value = Expr::constant(edge.to)});
      originals_.push_back(a);
    }
}

Expr ProductSystem::enabled(const Action& action) const {
  std::vector<Expr> parts = guards_of(action);
  for (const Participant& participant : action.participants)
    if (participant.from != any_location)
      parts.insert(parts.begin(),
                   is(original_.components[participant.component].location_slot, participant.from));
  return all_of(parts);
}

void ProductSystem::add_lonely_actions() {
  std::vector<Expr> disabled;
  for (const Action& action : original_.actions) {
    disabled.push_back(Expr::unary(Op::logic_not, enabled(action)));
    if (is_true(disabled.back().args[0])) return;  // there are no deadlocks
  }
  const Expr deadlock = all_of(disabled);
  for (const PropertyProcess::Edge& edge : property_.edges) {
    product_.actions.push_back({.label = "stutter",
                                .guard = all_of({at(edge), edge.guard, deadlock}),
                                .effects = {{.slot = location_, .value = Expr::constant(edge.to)}}});
    originals_.push_back(no_action);
  }
}

Expr ProductSystem::in_region() const {
  return Expr::binary(Op::ne, Expr::table(acceptance_table_, Expr::load(location_)), Expr::constant(0));
}

Measure ProductSystem::acceptance() const {
  const Expr acceptance = Expr::table(acceptance_table_, Expr::load(location_));
  return {product_, {{.text = "acceptance", .summands = {{.expr = acceptance}}}}};
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
