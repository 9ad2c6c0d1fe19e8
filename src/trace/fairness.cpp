#include "trace/fairness.hpp"

#include <vector>

namespace tideline {

namespace {

/// By component: whether it takes part in one of the actions.
std::vector<bool> participants(const System& system, const std::vector<ActionId>& actions) {
  std::vector<bool> result(system.components.size());
  for (const ActionId action : actions)
    if (action != no_action)
      for (const Participant& p : system.actions[action].participants) result[p.component] = true;
  return result;
}

}  // namespace

std::optional<ComponentId> starved_process(const System& system, ErrorSemantics errors, const Trace& run,
                                           Fairness fairness) {
  if (fairness == Fairness::none) return std::nullopt;
  const Reference reference(system, errors);
  const auto begin = static_cast<std::ptrdiff_t>(*run.loop);
  const auto moves = participants(system, {run.actions.begin() + begin, run.actions.end()});

  // In how many states of the cycle each process is enabled.
  std::vector<std::size_t> enabled_in(system.components.size());
  for (std::size_t i = *run.loop; i < run.states.size(); ++i) {
    const auto enabled = participants(system, reference.enabled(run.states[i]));
    for (ComponentId c = 0; c < enabled.size(); ++c) enabled_in[c] += enabled[c] ? 1 : 0;
  }
  const std::size_t too_many = fairness == Fairness::weak ? run.states.size() - *run.loop : 1;
  for (ComponentId c = 0; c < enabled_in.size(); ++c)
    if (!moves[c] && enabled_in[c] >= too_many) return c;
  return std::nullopt;
}

}  // namespace tideline
