#include "trace/fairness.hpp"

#include <algorithm>
#include <vector>

namespace tideline {

namespace {

bool has_one_of(const FairParty& party, const std::vector<ActionId>& actions) {
  return std::ranges::any_of(actions, [&](ActionId action) {
    return action != no_action && std::ranges::binary_search(party.actions, action);
  });
}

}  // namespace

std::optional<std::size_t> starved_party(const System& system, ErrorSemantics errors, const Trace& run,
                                         Fairness fairness, const std::vector<FairParty>& parties) {
  if (fairness == Fairness::none) return std::nullopt;
  const Reference reference(system, errors);
  const std::vector<ActionId> taken(run.actions.begin() + static_cast<std::ptrdiff_t>(*run.loop),
                                    run.actions.end());
  const auto is_inner = [&](const Values& state) {
    return system.transient != no_slot && state[system.transient] != 0;
  };
  // In how many states of the cycle each party is enabled. Nobody waits inside of a step.
  std::vector<std::size_t> enabled_in(parties.size());
  std::size_t seen = 0;
  for (std::size_t i = *run.loop; i < run.states.size(); ++i) {
    if (fairness == Fairness::weak && is_inner(run.states[i])) continue;
    ++seen;
    const std::vector<ActionId> enabled = reference.enabled(run.states[i]);
    for (std::size_t p = 0; p < parties.size(); ++p) enabled_in[p] += has_one_of(parties[p], enabled) ? 1 : 0;
  }
  const std::size_t too_many = fairness == Fairness::weak ? seen : 1;
  for (std::size_t p = 0; p < parties.size(); ++p)
    if (enabled_in[p] >= too_many && !has_one_of(parties[p], taken)) return p;
  return std::nullopt;
}

}  // namespace tideline
