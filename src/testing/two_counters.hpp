// A small System built by hand, for tests that need no front-end.
//
// Two processes. A: at `idle` it may raise `flag[turn]` (index out of bounds once turn is 2) and go to
// `work`, and from there add 1 to `turn` (at most 2: more is out of range) and go back. B has one location
// and changes only its own `x`, once.
#pragma once

#include "model/layout.hpp"
#include "model/system.hpp"
#include "run/outcome.hpp"
#include "trace/replay.hpp"

namespace tideline::two_counters {

inline constexpr SlotId turn = 0, flag0 = 1, flag1 = 2, loc_a = 3, x = 4, loc_b = 5;
inline constexpr ActionId raise = 0, pass = 1, once = 2;

inline System system() {
  System s;
  s.name = "two_counters";
  s.components.push_back({.name = "A", .locations = {{"idle"}, {"work"}}, .edges = {}});
  s.components.push_back({.name = "B", .locations = {{"only"}}, .edges = {}});
  s.add_variable({.name = "turn"}, {0, 2}, {0});
  s.add_variable({.name = "flag", .length = 2, .is_array = true}, {0, 1}, {});
  s.add_variable({.name = "A", .owner = 0, .is_location = true}, {0, 1}, {0});
  s.add_variable({.name = "x", .owner = 1}, int16_range, {-7});
  s.add_variable({.name = "B", .owner = 1, .is_location = true}, {0, 0}, {0});
  s.components[0].location_slot = loc_a;
  s.components[1].location_slot = loc_b;

  Action raise_flag{.label = "A: idle -> work", .participants = {{.component = 0, .from = 0, .to = 1}}};
  raise_flag.effects.push_back(
      {.slot = flag0, .length = 2, .index = Expr::load(turn), .value = Expr::constant(1), .where = {2, 3}});
  raise_flag.effects.push_back({.slot = loc_a, .value = Expr::constant(1)});
  s.actions.push_back(raise_flag);

  Action pass_turn{.label = "A: work -> idle", .participants = {{.component = 0, .from = 1, .to = 0}}};
  pass_turn.effects.push_back(
      {.slot = turn, .value = Expr::binary(Op::add, Expr::load(turn), Expr::constant(1)), .where = {3, 5}});
  pass_turn.effects.push_back({.slot = loc_a, .value = Expr::constant(0)});
  s.actions.push_back(pass_turn);

  Action set_x{.label = "B: only -> only", .participants = {{.component = 1, .from = 0, .to = 0}}};
  set_x.guard = Expr::binary(Op::lt, Expr::load(x), Expr::constant(0));
  set_x.effects.push_back({.slot = x, .value = Expr::constant(300)});
  s.actions.push_back(set_x);
  complete(s);
  return s;
}

inline std::vector<std::byte> packed(const System& s, const Values& values) {
  const Layout layout(s);
  std::vector<std::byte> state(layout.size());
  layout.pack(values, state.data());
  return state;
}

/// The path that the actions take from the initial state; they must be enabled.
inline Path path(const System& s, const std::vector<ActionId>& actions, ActionId failing = no_action) {
  Path result{.states = {packed(s, s.initial)}, .actions = actions, .loop = {}, .failing_action = failing};
  Values state = s.initial;
  for (ActionId a : actions) {
    state = Reference(s).fire(a, state).state;
    result.states.push_back(packed(s, state));
  }
  return result;
}

/// The run that takes turn to 2 and then fails with an index out of bounds.
inline Path failing_path(const System& s) {
  return path(s, {raise, pass, raise, pass}, raise);
}

inline Trace run(const System& s, const std::vector<ActionId>& actions) {
  return replay(s, ErrorSemantics::stop, path(s, actions));
}

}  // namespace tideline::two_counters
