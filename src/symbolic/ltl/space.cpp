#include "symbolic/ltl/space.hpp"

#include <algorithm>
#include <utility>

#include "symbolic/space/facts.hpp"

namespace tideline::symbolic {

LtlSpace::LtlSpace(const System& system, const PropertyProcess& property, ChosenOrder order,
                   const ForestOptions& forest)
    : model_(system),
      property_(property),
      order_(std::move(order)),
      product_(make_ltl_product(system, property, order_.order)),
      forest_(forest),
      levels_(product_.system, product_.order),
      sets_(forest_),
      relations_(product_.system, levels_, sets_, product_.choices),
      steps_(product_.system, levels_, sets_),
      cache_(forest_, 0.1),
      model_layout_(system) {
  const std::vector<Index> zeros(levels_.top());
  initial_ = forest_.root(sets_.single(levels_.all(), zeros));
  for (const Expr& meaning : product_.meanings) meanings_.emplace_back(system, model_layout_, meaning);
}

NodeId LtlSpace::select(NodeId set, Operation operation) {
  if (set <= unit) return set;
  const std::array<std::uint32_t, 2> key{operation, set};
  std::array<NodeId, 1> result;
  if (cache_.find(key, result)) return result[0];
  const Forest::View view = forest_.view(set);
  const Level level = forest_.level(set);
  Builder builder(forest_, view.size);
  for (std::uint32_t e = 0; e < view.size; ++e) {
    const Index i = view.index(e);
    if (view.child(e) == empty) continue;
    if (level > 1)
      builder.add(i, select(view.child(e), operation));
    else if (is_selected(i, operation))
      builder.add(i, unit);
  }
  result[0] = builder.make(level);
  cache_.insert(key, result);
  return result[0];
}

bool LtlSpace::is_selected(Index i, Operation operation) {
  if (operation == op_stutter) return stutter_is_accepted(i);
  if (operation == op_accepting) return is_accepting(i);
  bool found = false;
  relations_.for_each_arc<Direction::forward>(relations_.choice(), i, [&](Index to, RelationId) {
    found = found || operation == op_moving || to == i;
  });
  return found && (operation == op_moving || is_accepting(i));
}

bool LtlSpace::is_accepting(Index i) const {
  const auto location = static_cast<LocationId>(levels_.values(1, i).back());
  return property_.marks_of(location) == property_.all_marks();
}

std::vector<Index> LtlSpace::reached_by_stutter(Index i) {
  std::vector<Index> reached;
  const auto add_next = [&](Index from) {
    relations_.for_each_arc<Direction::forward>(relations_.choice(), from, [&](Index to, RelationId) {
      if (std::ranges::find(reached, to) == reached.end()) reached.push_back(to);
    });
  };
  add_next(i);
  for (std::size_t at = 0; at < reached.size(); ++at) add_next(reached[at]);
  return reached;
}

bool LtlSpace::stutter_is_accepted(Index i) {
  if (i >= stutter_.size()) stutter_.resize(i + 1);
  if (!stutter_[i]) {
    std::vector<Index> candidates = reached_by_stutter(i);
    candidates.push_back(i);
    stutter_[i] = std::ranges::any_of(candidates, [&](Index c) {
      return is_accepting(c) && std::ranges::count(reached_by_stutter(c), c) != 0;
    });
  }
  return *stutter_[i];
}

NodeId LtlSpace::system_deadlocks(NodeId set) {
  for (EventId event = 0; event < steps_.events().size(); ++event)
    if (steps_.events()[event].learns) steps_.learn(event, set);
  return deadlocks(steps_, set);
}

bool LtlSpace::meets_errors(NodeId set) {
  const Kept moving(forest_, select(set, op_moving));         // elsewhere the product has no steps
  if (relations_.may_fail(relations_.choice())) return true;  // the property's own steps, from any of them
  for (EventId event = 0; event < relations_.events().size(); ++event) {
    if (!relations_.may_fail(relations_.events()[event].root)) continue;
    if (steps_.events()[event].learns) steps_.learn(event, moving.id());
    const RelationId root = steps_.events()[event].root;
    const Kept enabled(forest_, steps_.enabled(moving.id(), root));
    if (enabled.id() == empty) continue;
    if (product_.letters_can_fail || steps_.succeeding(moving.id(), root) != enabled.id()) return true;
  }
  return false;
}

std::optional<std::vector<Index>> LtlSpace::find_vector(const std::byte* product_state,
                                                        LocationId location) const {
  std::vector<std::int32_t> values = model_layout_.unpack(product_state);
  values.resize(product_.system.slots.size());
  for (std::size_t i = 0; i < meanings_.size(); ++i) {
    ModelErrorKind error = ModelErrorKind::none;
    const std::int64_t value = meanings_[i].evaluate(product_state, error);
    if (error != ModelErrorKind::none) return std::nullopt;
    values[product_.letter[i]] = static_cast<std::int32_t>(value);
  }
  values[product_.location] = static_cast<std::int32_t>(location);
  std::vector<std::byte> packed(levels_.layout().size());
  levels_.layout().pack(values, packed.data());
  return levels_.find_vector(packed.data());
}

}  // namespace tideline::symbolic
