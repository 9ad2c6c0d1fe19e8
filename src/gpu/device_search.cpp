#include "gpu/device_search.hpp"

#include <algorithm>
#include <utility>

namespace tideline::gpu {

Watches watches_of(const Monitor<Predicate>& monitor) {
  Watches watches;
  monitor.for_each_watched(
      [&](const Predicate& predicate, bool truth) {
        Watch watch{.expr = predicate.expr()};
        (truth ? watch.if_true : watch.if_false) = watches.facts++;
        watches.states.push_back(std::move(watch));
      },
      [&] { watches.deadlocks.push_back({.expr = Expr::constant(0), .if_false = watches.facts++}); });
  return watches;
}

DeviceSettings device_settings(const StateSearch& search) {
  DeviceSettings settings = search.options.device;
  if (const auto limit = search.budget.memory_limit(); settings.is_cpu && limit && !settings.memory_bytes)
    settings.memory_bytes = (*limit - std::min(*limit, resident_bytes())) / settings.cards;
  return settings;
}

std::vector<std::vector<std::byte>> DeviceSearch::initial_states(Workspace& space) const {
  std::vector<std::vector<std::byte>> initial;
  space.machine().initial(
      [&](const std::byte* state) { initial.emplace_back(state, state + space.code().layout().size()); });
  return initial;
}

void DeviceSearch::look_at_states(Workspace& space) {
  const auto show = [&](const std::vector<std::uint64_t>& numbers, const auto& to) {
    const auto states = space.states(numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      to(states[i].data(), locate(numbers[i], states[i].data()));
  };
  Monitor<Predicate>& monitor = search_.monitor;
  show(space.take_reports(), [&](const auto* state, const auto& where) { monitor.on_state(state, where); });
  show(space.take_deadlocked(), [&](const auto* state, const auto& where) {
    if (monitor.on_deadlock(state, where) && monitor.allows_ends()) ++deadlocks_here_;
  });
}

std::vector<std::vector<std::byte>> DeviceSearch::step_given_up(
    Workspace& space, const std::function<void(std::uint64_t)>& note) {
  std::vector<std::vector<std::byte>> successors;
  const std::vector<std::uint64_t> given_up = space.take_given_up();
  const auto states = space.states(given_up);
  for (std::size_t i = 0; i < given_up.size(); ++i) {
    const std::vector<std::byte>& state = states[i];
    const auto where = locate(given_up[i], state.data());
    std::uint64_t steps = 0;
    space.machine().successors(state.data(), [&](const Step& step) {
      ++steps;
      search_.monitor.on_step(step, where);
      if (step.state) successors.emplace_back(step.state, step.state + state.size());
    });
    transitions_here_ += steps;
    if (steps == 0 && search_.monitor.on_deadlock(state.data(), where)) ++deadlocks_here_;
    note(given_up[i]);
  }
  return successors;
}

void DeviceSearch::end_for_memory(const std::string& reason) {
  if (search_.options.device.is_cpu && !search_.options.device.memory_bytes)
    search_.budget.exhaust_memory();
  else
    search_.budget.exhaust(reason);
}

void DeviceSearch::report_device(const std::vector<Workspace*>& spaces, double started) {
  std::uint64_t bytes = 0;
  for (const Workspace* space : spaces) {
    bytes += space->bytes_peak();
    const std::vector<std::uint8_t> enabled = space->enabled();
    for (ActionId action = 0; action < enabled.size(); ++action)
      if (enabled[action] != 0) search_.monitor.on_step({.action = action}, detail::NoLocate{});
  }
  search_.keeps_states = false;
  search_.set("device", spaces[0]->device().name());
  if (spaces.size() > 1) search_.set("cards", std::uint64_t{spaces.size()});
  search_.set("device_bytes", bytes);
  search_.set("device_start_time_s", started);
}

}  // namespace tideline::gpu
