#include "symbolic/state_space.hpp"

#include "symbolic/deep_stack.hpp"
#include "symbolic/saturation.hpp"

namespace tideline::symbolic {

namespace {

Groups groups_for(const System& system, const StateSpaceOptions& options) {
  if (!options.grouping) return {};
  return options.groups.empty() ? find_groups(system) : options.groups;
}

}  // namespace

StateSpace::StateSpace(const System& system, const StateSpaceOptions& options)
    : system_(system),
      method_(options.method),
      order_(choose_order(system, groups_for(system, options), options.order)),
      forest_(options.forest),
      levels_(system, order_.order),
      sets_(forest_),
      relations_(system, levels_, sets_) {
  const std::vector<Index> zeros(levels_.top());  // the initial local states
  initial_ = forest_.root(sets_.single(levels_.all(), zeros));
  reachable_ = initial_;
}

void StateSpace::run(const std::function<void()>& work) const {
  run_on_deep_stack(levels_.top(), work);
}

void StateSpace::explore() {
  run([&] {
    if (method_ == Method::chaining)
      explore_by_chaining();
    else
      reachable_.set(Saturation<>(relations_).saturate(initial_.id()));
  });
}

void StateSpace::explore_by_chaining() {
  // What was there before is kept alive: a new node must not get its number.
  for (Forest::Root before = forest_.root(empty); before.id() != reachable_.id();) {
    before.set(reachable_.id());
    for (Level level = 1; level <= levels_.top(); ++level)
      for (const EventId event : relations_.events_at(level)) {
        if (relations_.events()[event].learns) relations_.learn(event, reachable_.id());
        const Kept next(forest_, relations_.image(reachable_.id(), relations_.events()[event].root));
        reachable_.set(sets_.unite(reachable_.id(), next.id()));
      }
  }
}

}  // namespace tideline::symbolic
