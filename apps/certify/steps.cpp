#include "steps.hpp"

#include <fmt/format.h>

#include <set>

namespace tideline::certify {

namespace {

/// A step that goes through more states that nobody sees does not end.
constexpr std::size_t most_inner_states = 4'000'000;

}  // namespace

Steps::Steps(const System& system, ErrorSemantics errors)
    : system_(system), errors_(errors), reference_(system, errors), at_(system.components.size()) {
  for (ActionId id = 0; id < system.actions.size(); ++id) {
    const auto& participants = system.actions[id].participants;
    if (participants.empty() || participants.front().from == any_location) {
      anywhere_.push_back(id);
      continue;
    }
    auto& places = at_[participants.front().component];
    if (places.size() <= participants.front().from) places.resize(participants.front().from + 1);
    places[participants.front().from].push_back(id);
  }
}

bool Steps::is_true(const Expr& expr, const Values& state) const {
  const Reference::Evaluation result = reference_.evaluate(expr, state);
  if (result.error.kind != ModelErrorKind::none) throw Wrong{"it has no value: " + result.error.message};
  return result.value != 0;
}

bool Steps::successors(const Values& state, const Sink& sink) const {
  if (system_.transient == no_slot) return single_steps(state, sink);
  if (state[system_.transient] != 0) throw Wrong{"it is within a step"};
  return single_steps(state, [&](ActionId action, const Values& next) {
    if (next[system_.transient] == 0)
      sink(action, next);
    else
      finish_step(action, next, sink);
  });
}

bool Steps::single_steps(const Values& state, const Sink& sink) const {
  bool any = try_actions(anywhere_, state, sink);
  for (ComponentId c = 0; c < at_.size(); ++c) {
    if (at_[c].empty()) continue;
    const auto place = static_cast<std::size_t>(state[system_.components[c].location_slot]);
    if (place < at_[c].size()) any = try_actions(at_[c][place], state, sink) || any;
  }
  return any;
}

bool Steps::try_actions(const std::vector<ActionId>& actions, const Values& state, const Sink& sink) const {
  bool any = false;
  Values next;
  for (const ActionId id : actions) {
    ModelError error;
    if (!reference_.enabled(id, state, error)) continue;
    any = true;
    next = state;
    if (error.kind == ModelErrorKind::none)
      error = reference_.apply(system_.actions[id].effects, state, next);
    if (error.kind != ModelErrorKind::none) {
      if (errors_ == ErrorSemantics::stop)
        throw Wrong{
            fmt::format("action '{}' ends in a model error: {}", system_.actions[id].label, error.message)};
      next = *system_.error_state;
    }
    sink(id, next);
  }
  return any;
}

void Steps::finish_step(ActionId action, const Values& inner, const Sink& sink) const {
  std::set<Values> known{inner};
  std::vector<Values> open{inner};
  bool ends = false;
  while (!open.empty()) {
    const Values from = std::move(open.back());
    open.pop_back();
    single_steps(from, [&](ActionId, const Values& next) {
      if (next[system_.transient] == 0) {
        ends = true;
        sink(action, next);
      } else if (known.insert(next).second) {
        open.push_back(next);
      }
    });
    if (known.size() > most_inner_states) ends = false, open.clear();
  }
  if (!ends)
    throw Wrong{fmt::format("action '{}' begins a step that does not end", system_.actions[action].label)};
}

std::string show(const System& system, const Values& state) {
  std::string text;
  for (SlotId slot = 0; slot < state.size(); ++slot)
    text += fmt::format("{}{} = {}", slot == 0 ? "" : ", ", system.slots[slot].name,
                        system.show_value(slot, state[slot]));
  return text;
}

}  // namespace tideline::certify
