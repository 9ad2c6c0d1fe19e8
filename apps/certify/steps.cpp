#include "steps.hpp"

#include <fmt/format.h>

#include <set>

namespace tideline::certify {

/// A step that goes through more states that nobody sees does not end.
static constexpr std::size_t most_inner_states = 4'000'000;

Steps::Steps(const System& system, ErrorSemantics errors)
    : system_(system),
      errors_(errors),
      reference_(system, errors),
      at_(system.components.size()),
      written_(system.actions.size()) {
  for (ActionId id = 0; id < system.actions.size(); ++id) {
    for (const Assignment& effect : system.actions[id].effects)
      for (SlotId i = 0; i < (effect.index ? effect.length : 1); ++i) written_[id].push_back(effect.slot + i);
    const auto& participants = system.actions[id].participants;
    Candidate candidate{.action = id};
    if (participants.size() > 1 && participants[1].from != any_location) {
      candidate.slot = system.components[participants[1].component].location_slot;
      candidate.place = static_cast<std::int32_t>(participants[1].from);
    }
    if (participants.empty() || participants.front().from == any_location) {
      anywhere_.push_back(candidate);
      continue;
    }
    auto& places = at_[participants.front().component];
    if (places.size() <= participants.front().from) places.resize(participants.front().from + 1);
    places[participants.front().from].push_back(candidate);
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
  return single_steps(state, [&](ActionId action, const Values& next, const std::vector<SlotId>*) {
    if (next[system_.transient] == 0)
      sink(action, next, nullptr);
    else
      finish_step(action, next, sink);
  });
}

bool Steps::single_steps(const Values& state, const Sink& sink) const {
  Values next = state;
  bool any = try_actions(anywhere_, state, next, sink);
  for (ComponentId c = 0; c < at_.size(); ++c) {
    if (at_[c].empty()) continue;
    const auto place = static_cast<std::size_t>(state[system_.components[c].location_slot]);
    if (place < at_[c].size()) any = try_actions(at_[c][place], state, next, sink) || any;
  }
  return any;
}

bool Steps::try_actions(const std::vector<Candidate>& candidates, const Values& state, Values& next,
                        const Sink& sink) const {
  bool any = false;
  ModelError error;
  for (const auto& [id, slot, place] : candidates) {
    if (slot != no_slot && state[slot] != place) continue;
    error.kind = ModelErrorKind::none;
    if (!reference_.enabled(id, state, error)) continue;
    any = true;
    if (error.kind == ModelErrorKind::none)
      error = reference_.apply(system_.actions[id].effects, state, next);
    if (error.kind == ModelErrorKind::none) {
      sink(id, next, &written_[id]);
    } else {
      if (errors_ == ErrorSemantics::stop)
        throw Wrong{
            fmt::format("action '{}' ends in a model error: {}", system_.actions[id].label, error.message)};
      sink(id, *system_.error_state, nullptr);
    }
    for (const SlotId slot_written : written_[id]) next[slot_written] = state[slot_written];
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
    single_steps(from, [&](ActionId, const Values& next, const std::vector<SlotId>*) {
      if (next[system_.transient] == 0) {
        ends = true;
        sink(action, next, nullptr);
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
