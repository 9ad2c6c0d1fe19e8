#include "gpu/spread_product.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "model/error.hpp"
#include "search/lassos/owcty.hpp"

namespace tideline::gpu {

struct SpreadProduct::TasksEnd {
  const std::vector<ProductSpace*>& parts;

  ~TasksEnd() {
    for (ProductSpace* part : parts) part->end_tasks();
  }
};

SpreadProduct::SpreadProduct(const System& product, ErrorSemantics errors, const Watches& watches,
                             const Measure& acceptance, bool weak, const Space::Options& options)
    : weak_(weak), space_(options, [&](const Space::Options& own) {
        auto part = std::make_unique<ProductSpace>(product, errors, watches, acceptance, weak, own);
        parts_.push_back(part.get());
        return part;
      }) {}

bool SpreadProduct::trim(Budget& budget) {
  std::uint64_t candidates = 0;
  for (ProductSpace* part : parts_) candidates += part->list_candidates();
  states_ = space_.sum(&Search::count);
  transitions_ = space_.sum(&Search::transitions);
  const TasksEnd end{parts_};
  if (candidates == 0) return false;
  if (weak_) keep(Collect::candidates, budget);
  return remains_after_rounds(
      weak_, candidates, rounds_,
      [&](bool is_first) { return keep(is_first ? Collect::candidates : Collect::members, budget); },
      [&] { return remove(budget); }, [] { return false; });
}

std::uint64_t SpreadProduct::keep(Collect from, Budget& budget) {
  return spread(from, Task::keep, budget);
}

std::uint64_t SpreadProduct::remove(Budget& budget) {
  return spread(Collect::without_predecessors, Task::remove, budget);
}

std::uint64_t SpreadProduct::spread(Collect from, Task task, Budget& budget) {
  for (ProductSpace* part : parts_) part->begin_task(task, from);
  for (Stop stop = Stop::none; stop != Stop::complete;) {
    stop = space_.expand();
    for (ProductSpace* part : parts_) part->take_deadlocked();
    step_given_up();
    budget.require({.states = states_, .transitions = transitions_, .frontier = space_.waiting()});
  }
  const std::uint64_t count = space_.sum(&Search::count);
  expanded_ += count;
  return count;
}

/// What states lead to that a device has given up.
void SpreadProduct::step_given_up() {
  std::vector<std::vector<std::byte>> successors;
  for (ProductSpace* part : parts_) {
    const std::vector<std::uint64_t> given_up = part->take_given_up();
    for (const std::vector<std::byte>& state : part->states(given_up))
      part->machine().successors(state.data(), [&](const Step& step) {
        if (step.state) successors.emplace_back(step.state, step.state + state.size());
      });
    for (const std::uint64_t number : given_up) part->note_given_up(number);
  }
  space_.insert(successors);
}

// --- the lasso

/// Of a state that was kept: if it was met on a level, one of the level before by which it was met; of one to begin with,
/// any.
Predecessor SpreadProduct::predecessor_kept(const std::vector<std::byte>& state, StatePlace& place) {
  const std::uint64_t level = space_.level_of(place);
  const std::uint64_t first = level == 0 ? 0 : level - 1, end = level == 0 ? space_.levels() : level;
  if (auto before = space_.predecessor(state, first, end, place)) return *before;
  throw Error(ErrorKind::internal, "a state that is left has no predecessor");
}

Path SpreadProduct::lasso(Budget& budget) {
  std::vector<std::vector<std::byte>> states;
  std::vector<ActionId> actions;
  std::size_t again = 0;
  StatePlace place;
  {
    const TasksEnd end{parts_};
    keep(Collect::members, budget);
    // Backwards, until a state to begin with comes again.
    while (parts_[place.part]->level_sizes()[0] == 0) ++place.part;
    states.push_back(parts_[place.part]->state(place.number));
    std::map<StatePlace, std::size_t> known = {{place, 0}};  // where they are in `states`
    for (;;) {
      budget.require();
      Predecessor before = predecessor_kept(states.back(), place);
      actions.push_back(before.action);
      if (space_.level_of(place) == 0) {
        const auto [known_place, is_new] = known.emplace(place, states.size());
        if (!is_new) {
          again = known_place->second;
          break;
        }
      }
      states.push_back(std::move(before.state));
    }
  }
  Path path = space_.run_to({place.part, parts_[place.part]->number_of(states[again])}, budget);
  path.loop = path.states.size() - 1;
  // From there the cycle is what was found, the last first.
  for (std::size_t i = states.size(); i-- > again;) {
    path.actions.push_back(actions[i]);
    if (i != again) path.states.push_back(states[i]);
  }
  return path;
}

}  // namespace tideline::gpu
