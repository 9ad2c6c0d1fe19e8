#include "checking/watched_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bind/bind.hpp"
#include "lang/diagnostics.hpp"
#include "logic/step_atoms.hpp"
#include "model/each_once.hpp"
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
    const SlotId slot = add_bit(numbered(atom.name, count(atom.name)));
    if (logic == PropertyKind::ctl)
      write_always(slot, actions);
    else if (system.transient == no_slot)
      flip(slot, actions);
    else
      flip_once_a_step(slot, add_bit(system.slots[slot].name + "'"), actions);
    monitors_.push_back({atom.name, logic, slot});
    return slot;
  }

  SlotId add_bit(const std::string& name) {
    System& system = watched_.system;
    const auto slot = static_cast<SlotId>(system.slots.size());
    system.add_variable({.name = name}, {0, 1}, {0});
    if (system.error_state) system.error_state->push_back(0);
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

  static void write(Action& action, SlotId slot, Expr value) {
    collect_reads(value, action.reads);
    action.writes.push_back(slot);
    action.effects.push_back({.slot = slot, .value = std::move(value)});
    keep_each_once(action.reads);
    keep_each_once(action.writes);
  }

  static Expr flipped(SlotId bit) { return Expr::binary(Op::sub, Expr::constant(1), Expr::load(bit)); }

  void flip(SlotId slot, const std::vector<ActionId>& actions) {
    for (const ActionId id : actions) write(watched_.system.actions[id], slot, flipped(slot));
  }

  /// A step may have several actions of the class. `before` is the bit as it was in the last state that is seen.
  void flip_once_a_step(SlotId slot, SlotId before, const std::vector<ActionId>& actions) {
    const SlotId transient = watched_.system.transient;
    const auto both = [](Expr a, SlotId b) {
      return Expr::binary(Op::logic_and, std::move(a), Expr::load(b));
    };
    for (ActionId id = 0; id < watched_.system.actions.size(); ++id) {
      Action& action = watched_.system.actions[id];
      const bool flips = std::ranges::binary_search(actions, id);
      if (flips) write(action, slot, flipped(before));
      if (!flips && !std::ranges::binary_search(action.writes, transient)) continue;
      write(action, before,
            Expr::binary(Op::logic_or, both(compared(transient, Op::eq), slot),
                         both(compared(transient, Op::ne), before)));
    }
  }

  static Expr compared(SlotId slot, Op op) { return Expr::binary(op, Expr::load(slot), Expr::constant(0)); }

  void write_always(SlotId slot, const std::vector<ActionId>& actions) {
    const SlotId transient = watched_.system.transient;
    for (ActionId id = 0; id < watched_.system.actions.size(); ++id) {
      Expr value = Expr::constant(std::ranges::binary_search(actions, id) ? 1 : 0);
      // Inside of a step the actions before this one count as well.
      if (transient != no_slot && value.is_constant(0))
        value = Expr::binary(Op::logic_and, before_effects(compared(transient, Op::ne)), Expr::load(slot));
      write(watched_.system.actions[id], slot, std::move(value));
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
