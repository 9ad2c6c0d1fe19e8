#include "symbolic/space/state_space.hpp"

#include <optional>

#include "symbolic/diagrams/deep_stack.hpp"
#include "symbolic/space/order_trials.hpp"
#include "symbolic/space/saturation.hpp"

namespace tideline::symbolic {

namespace {

Groups groups_for(const System& system, const StateSpaceOptions& options) {
  if (!options.grouping) return {};
  return options.groups.empty() ? find_groups(system) : options.groups;
}

StateSpace with_best_order(const System& system, const StateSpaceOptions& options) {
  auto orders = candidate_orders(system, groups_for(system, options), options.order);
  if (options.method == Method::chaining) return StateSpace(system, std::move(orders.front()), options);
  return explore_by_trials(system, std::move(orders), options);
}

}  // namespace

struct StateSpace::Diagrams {
  const System& system;
  Method method;
  ChosenOrder order;
  Forest forest;
  Levels levels;
  Sets sets;
  Relations relations;
  Forest::Root initial;
  Forest::Root reachable;
  std::optional<Saturation<>> saturation = {};  ///< while it has begun and is not finished
  bool explored = false;

  Diagrams(const System& of, ChosenOrder by, const StateSpaceOptions& options)
      : system(of),
        method(options.method),
        order(std::move(by)),
        forest(options.forest),
        levels(of, order.order),
        sets(forest),
        relations(of, levels, sets) {
    const std::vector<Index> zeros(levels.top());  // the initial local states
    initial = forest.root(sets.single(levels.all(), zeros));
    reachable = initial;
  }

  Diagrams(const Diagrams& other, const ForestOptions& options)
      : system(other.system),
        method(other.method),
        order(other.order),
        forest(options),
        levels(other.levels),
        sets(forest),
        relations(other.relations, levels, sets),
        initial(forest.root(copy_set(other.forest, other.initial.id(), forest))),
        reachable(forest.root(copy_set(other.forest, other.reachable.id(), forest))),
        explored(other.explored) {}
};

StateSpace::StateSpace(const System& system, const StateSpaceOptions& options)
    : StateSpace(with_best_order(system, options)) {}

StateSpace::StateSpace(const System& system, ChosenOrder order, const StateSpaceOptions& options)
    : diagrams_(std::make_unique<Diagrams>(system, std::move(order), options)) {}

StateSpace::StateSpace(std::unique_ptr<Diagrams> diagrams) : diagrams_(std::move(diagrams)) {}

StateSpace StateSpace::copy(const ForestOptions& options) const {
  return StateSpace(std::make_unique<Diagrams>(*diagrams_, options));
}

StateSpace::StateSpace(StateSpace&&) noexcept = default;
StateSpace& StateSpace::operator=(StateSpace&&) noexcept = default;
StateSpace::~StateSpace() = default;

const System& StateSpace::system() const {
  return diagrams_->system;
}
const ChosenOrder& StateSpace::order() const {
  return diagrams_->order;
}
Forest& StateSpace::forest() {
  return diagrams_->forest;
}
Levels& StateSpace::levels() {
  return diagrams_->levels;
}
Sets& StateSpace::sets() {
  return diagrams_->sets;
}
Relations& StateSpace::relations() {
  return diagrams_->relations;
}
NodeId StateSpace::initial() const {
  return diagrams_->initial.id();
}
NodeId StateSpace::reachable() const {
  return diagrams_->reachable.id();
}

void StateSpace::run(const std::function<void()>& work) const {
  run_on_deep_stack(diagrams_->levels.top(), work);
}

void StateSpace::explore() {
  Diagrams& d = *diagrams_;
  if (d.explored) return;
  run([&] {
    if (d.method == Method::chaining) {
      explore_by_chaining();
    } else {
      if (!d.saturation) d.saturation.emplace(d.relations);
      d.reachable.set(d.saturation->saturate(d.initial.id()));
      d.saturation.reset();
    }
  });
  d.explored = true;
}

void StateSpace::explore_by_chaining() {
  Diagrams& d = *diagrams_;
  // What was known before stays alive, or its number could be given to what is known now.
  for (Kept before(d.forest, empty); before.id() != d.reachable.id();) {
    before.set(d.reachable.id());
    for (Level level = 1; level <= d.levels.top(); ++level)
      for (const EventId event : d.relations.events_at(level)) {
        if (d.relations.events()[event].learns) d.relations.learn(event, d.reachable.id());
        const Kept next(d.forest, d.relations.image(d.reachable.id(), d.relations.events()[event].root));
        d.reachable.set(d.sets.unite(d.reachable.id(), next.id()));
      }
  }
}

}  // namespace tideline::symbolic
