#include "checking/watched_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bind/bind.hpp"
#include "lang/diagnostics.hpp"
#include "logic/step_atoms.hpp"
#include "model/labels.hpp"

namespace tideline {

namespace {

class Watching {
 public:
  explicit Watching(const Model& model) : watched_(model) {
    watched_.net.reset();  // its places are no longer all there is
  }

  void add(Property& property) {
    const SourceText text = written_formula(property);
    for (const FormulaAtom& atom : formula_atoms(property))
      if (is_step_atom(atom.name))
        property.atoms.push_back({atom.name, Expr::load(monitor(atom, text, property.kind))});
  }

  Model take() { return std::move(watched_); }

 private:
  struct Monitor {
    std::string name;
    PropertyKind logic;
    SlotId slot;
  };

  /// Formulas of one logic share it.
  SlotId monitor(const FormulaAtom& atom, const SourceText& text, PropertyKind logic) {
    for (const Monitor& known : monitors_)
      if (known.name == atom.name && known.logic == logic) return known.slot;
    System& system = watched_.system;
    const std::vector<ActionId> actions = actions_named(system, step_pattern(atom.name));
    if (actions.empty()) refuse(atom, text);
    const auto slot = static_cast<SlotId>(system.slots.size());
    system.add_variable({.name = numbered(atom.name, count(atom.name))}, {0, 1}, {0});
    if (system.error_state) system.error_state->push_back(0);
    if (logic == PropertyKind::ctl)
      write_always(slot, actions);
    else
      flip(slot, actions);
    monitors_.push_back({atom.name, logic, slot});
    return slot;
  }

  std::size_t count(const std::string& name) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(monitors_, [&](const Monitor& known) { return known.name == name; }));
  }

  [[noreturn]] void refuse(const FormulaAtom& atom, const SourceText& text) const {
    const std::string pattern(step_pattern(atom.name));
    Suggestion suggestion(pattern);
    for (const Action& action : watched_.system.actions) suggestion.offer(action.label);
    for (const Channel& channel : watched_.system.channels) suggestion.offer(channel.name);
    throw Error(
        ErrorKind::input,
        {error_at(text, atom.where,
                  fmt::format("the model has no action '{}'{}", abbreviate(pattern), suggestion.text()))});
  }

  void flip(SlotId slot, const std::vector<ActionId>& actions) {
    for (const ActionId id : actions) {
      Action& action = watched_.system.actions[id];
      action.effects.push_back(
          {.slot = slot, .value = Expr::binary(Op::sub, Expr::constant(1), Expr::load(slot))});
      action.reads.push_back(slot);
      action.writes.push_back(slot);
    }
  }

  void write_always(SlotId slot, const std::vector<ActionId>& actions) {
    for (ActionId id = 0; id < watched_.system.actions.size(); ++id) {
      Action& action = watched_.system.actions[id];
      action.effects.push_back(
          {.slot = slot, .value = Expr::constant(std::ranges::binary_search(actions, id) ? 1 : 0)});
      action.writes.push_back(slot);
    }
  }

  Model watched_;
  std::vector<Monitor> monitors_;
};

bool mentions_actions(const Property& property) {
  return std::ranges::any_of(formula_atoms(property),
                             [](const FormulaAtom& atom) { return is_step_atom(atom.name); });
}

}  // namespace

std::optional<Model> watch_actions(const Model& model, ErrorSemantics errors,
                                   std::vector<Property>& properties) {
  if (std::ranges::none_of(properties, mentions_actions)) return std::nullopt;
  if (errors == ErrorSemantics::error_state)
    throw Error(ErrorKind::usage,
                "act() is not possible with --model-errors divine: no action leads to the error state");
  // Two actions of a class in one step would flip a bit there and back.
  if (model.system.transient != no_slot)
    throw Error(ErrorKind::usage,
                "act() is not possible yet in a model with atomic sequences: one step is several actions");
  Watching watching(model);
  for (Property& property : properties) watching.add(property);
  return watching.take();
}

void forget_monitors(const System& system, Trace& run) {
  for (Values& state : run.states) state.resize(system.slots.size());
  if (!run.loop) return;
  const std::size_t begin = *run.loop, length = run.actions.size() - begin, half = length / 2;
  const auto same_halves = [&](const auto& list) {
    const auto from = list.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto middle = from + static_cast<std::ptrdiff_t>(half);
    return std::equal(from, middle, middle);
  };
  if (length % 2 != 0 || !same_halves(run.actions) || !same_halves(run.states)) return;
  run.actions.resize(begin + half);
  run.states.resize(begin + half);
}

Trace with_monitors(const System& watched, Trace run) {
  const Reference reference(watched);
  const std::vector<ActionId> actions = run.actions;
  const auto follow = [&](Values& state, ActionId action) {
    if (action != no_action) state = reference.fire(action, state).state;
  };
  run.states = {watched.initial};
  Values state = watched.initial;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    follow(state, actions[i]);
    if (!run.loop || i + 1 < actions.size()) run.states.push_back(state);
  }
  // Once more round, and every bit that was flipped is flipped back.
  if (run.loop && state != run.states[*run.loop])
    for (std::size_t i = *run.loop; i < actions.size(); ++i) {
      run.states.push_back(state);
      run.actions.push_back(actions[i]);
      follow(state, actions[i]);
    }
  // In CTL a bit may be as it was only from the second round on: the first one becomes part of the way there.
  if (run.loop && state != run.states[*run.loop]) *run.loop += actions.size() - *run.loop;
  return run;
}

}  // namespace tideline
