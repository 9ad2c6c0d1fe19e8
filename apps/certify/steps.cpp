#include "steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace tideline::certify {

/// A step that goes through more states that nobody sees does not end.
static constexpr std::size_t most_inner_states = 4'000'000;

static Writes all_of(const Values& state) {
  Writes writes;
  for (SlotId slot = 0; slot < state.size(); ++slot) writes.push_back({slot, state[slot]});
  return writes;
}

Steps::Steps(const System& system, ErrorSemantics errors)
    : system_(system),
      errors_(errors),
      reference_(system, errors),
      readers_(system.slots.size()),
      known_(system.actions.size(), Known::nothing),
      open_((system.actions.size() + 63) / 64),
      writes_(system.actions.size()) {
  for (ActionId id = 0; id < system.actions.size(); ++id) {
    const Action& action = system.actions[id];
    Reader reader{.action = id};
    std::vector<SlotId> reads;
    for (const Participant& participant : action.participants) {
      collect_reads(participant.guard, reads);
      if (participant.from == any_location) continue;
      reads.push_back(system.components[participant.component].location_slot);
      (reader.first.slot == no_slot ? reader.first : reader.second) = {
          reads.back(), static_cast<std::int32_t>(participant.from)};
    }
    collect_reads(action.guard, reads);
    for (const Assignment& effect : action.effects) {
      collect_reads(effect.value, reads);
      if (!effect.index) continue;
      collect_reads(*effect.index, reads);
      for (SlotId i = 0; i < effect.length; ++i)
        reads.push_back(effect.slot + i);  // those that are not written
    }
    std::ranges::sort(reads);
    reads.erase(std::ranges::unique(reads).begin(), reads.end());
    for (const SlotId slot : reads) readers_[slot].push_back(reader);
    set(id, Known::nothing);
  }
}

void Steps::set(ActionId id, Known known) {
  known_[id] = known;
  const std::uint64_t bit = std::uint64_t{1} << id % 64;
  std::uint64_t& word = open_[id / 64];
  word = known == Known::disabled ? word & ~bit : word | bit;
}

bool Steps::is_true(const Expr& expr, const Values& state) const {
  const Reference::Evaluation result = reference_.evaluate(expr, state);
  if (result.error.kind != ModelErrorKind::none) throw Wrong{"it has no value: " + result.error.message};
  return result.value != 0;
}

/// What is known of an action that reads nothing that differs stays known.
void Steps::move_to(const Values& state) {
  if (state_.empty()) state_ = next_ = state;
  for (SlotId slot = 0; slot < state.size(); ++slot) {
    if (state_[slot] == state[slot]) continue;
    state_[slot] = next_[slot] = state[slot];
    changed_.push_back(slot);
  }
  for (const SlotId slot : changed_)
    for (const auto& [action, first, second] : readers_[slot])
      set(action, first.is_met(state) && second.is_met(state) ? Known::nothing : Known::disabled);
  changed_.clear();
}

bool Steps::single_steps(const Values& state, const Sink& sink) {
  move_to(state);
  bool any = false;
  for (std::size_t word = 0; word < open_.size(); ++word)
    for (std::uint64_t bits = open_[word]; bits != 0; bits &= bits - 1) {
      const auto id = static_cast<ActionId>(64 * word + static_cast<unsigned>(std::countr_zero(bits)));
      if (known_[id] == Known::nothing) evaluate(id);
      if (known_[id] == Known::disabled) continue;
      any = true;
      sink(id, writes_[id]);
    }
  return any;
}

void Steps::evaluate(ActionId id) {
  const Action& action = system_.actions[id];
  ModelError error;
  if (!reference_.enabled(id, state_, error)) return set(id, Known::disabled);
  if (error.kind == ModelErrorKind::none) error = reference_.apply(action.effects, state_, next_);
  writes_[id].clear();
  for (const SlotId slot : action.writes) {
    writes_[id].push_back({slot, next_[slot]});
    next_[slot] = state_[slot];
  }
  if (error.kind != ModelErrorKind::none) {
    if (errors_ == ErrorSemantics::stop)
      throw Wrong{fmt::format("action '{}' ends in a model error: {}", action.label, error.message)};
    writes_[id] = all_of(*system_.error_state);
  }
  set(id, Known::enabled);
}

bool Steps::successors(const Values& state, const Sink& sink) {
  if (system_.transient == no_slot) return single_steps(state, sink);
  if (state[system_.transient] != 0) throw Wrong{"it is within a step"};
  const auto steps = steps_of(state);
  for (const auto& [action, next] : steps)
    if (next[system_.transient] == 0)
      sink(action, all_of(next));
    else
      finish_step(action, next, sink);
  return !steps.empty();
}

std::vector<std::pair<ActionId, Values>> Steps::steps_of(const Values& state) {
  std::vector<std::pair<ActionId, Values>> steps;
  single_steps(state, [&](ActionId action, const Writes& writes) {
    Values& next = steps.emplace_back(action, state).second;
    for (const auto& [slot, value] : writes) next[slot] = value;
  });
  return steps;
}

void Steps::finish_step(ActionId action, const Values& inner, const Sink& sink) {
  std::set<Values> known{inner};
  std::vector<Values> open{inner};
  bool ends = false;
  while (!open.empty()) {
    const Values from = std::move(open.back());
    open.pop_back();
    for (const auto& [part, next] : steps_of(from))
      if (next[system_.transient] == 0) {
        ends = true;
        sink(action, all_of(next));
      } else if (known.insert(next).second) {
        open.push_back(next);
      }
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
