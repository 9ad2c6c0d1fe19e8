// For tests: systems with every feature of the model, made at random.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/system.hpp"

namespace tideline {

/// Random systems with every feature of the model: all widths, odd ranges, arrays, constant arrays,
/// components with and without control, actions of zero to three participants, loads of the state before.
/// `Random` is a source of random bits, or a reference to one.
template <class Random>
class BasicRandomSystem {
 public:
  template <class Seed>
  explicit BasicRandomSystem(Seed&& seed) : random_(seed) {
    system_.name = "random";
    system_.tables.push_back({3, -1, 70000, 0});
    for (int i = 0; i < 3; ++i) add_component("P" + std::to_string(i));
    add_variable("b", byte_range, 1, false);
    add_variable("i", int16_range, 1, false);
    add_variable("w", {-100000, 100000}, 1, false);
    add_variable("small", {0, 3}, 1, false);
    add_variable("bit", {0, 1}, 1, false);
    add_variable("zero", {0, 0}, 1, false);
    add_variable("bits", {0, 1}, 3, true);
    add_variable("ba", byte_range, 3, true);
    add_variable("ia", int16_range, 2, true);
    add_variable("wa", {-70000, 70000}, 2, true);
    for (int i = 0; i < 14; ++i) add_action(i);
    system_.error_state = system_.initial;
    complete(system_);
  }
  System take() { return std::move(system_); }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  void add_component(const std::string& name) {
    const auto id = static_cast<ComponentId>(system_.components.size());
    Component component{.name = name, .location_slot = static_cast<SlotId>(system_.slots.size())};
    for (const char* l : {"x", "y", "z"}) component.locations.push_back({.name = l});
    system_.components.push_back(std::move(component));
    system_.add_variable({.name = name, .owner = id, .is_location = true}, {0, 3}, {});
  }

  void add_variable(const std::string& name, Range range, std::uint32_t length, bool is_array) {
    std::vector<std::int32_t> values;
    for (std::uint32_t i = 0; i < length; ++i) values.push_back(below(std::min(range.high, 2) + 1));
    system_.add_variable({.name = name, .length = length, .is_array = is_array}, range, values);
  }

  const Variable& pick(bool array) {
    for (;;) {
      const Variable& v =
          system_.variables[static_cast<std::size_t>(below(static_cast<int>(system_.variables.size())))];
      if (v.is_array == array && !v.is_location) return v;
    }
  }

  Expr leaf() {
    Expr e;
    switch (below(4)) {
      case 0:
        return Expr::constant(below(5) - 1);
      case 1:
        return Expr::constant(std::vector<std::int64_t>{255, 65536, std::int64_t{1} << 40}[below(3)]);
      default:
        e = Expr::load(pick(false).first);
    }
    e.before = below(3) == 0;
    return e;
  }

  Expr expr(int depth) {
    if (depth == 0) return leaf();
    switch (below(8)) {
      case 0:
        return leaf();
      case 1: {
        const Variable& v = pick(true);
        Expr e = Expr::load_array(v.first, v.length, expr(depth - 1));
        e.before = below(3) == 0;
        return e;
      }
      case 2:
        return Expr::table(0, expr(depth - 1));
      case 3: {
        const Op ops[] = {Op::negate, Op::bit_not, Op::logic_not, Op::wrap_byte, Op::wrap_int16};
        return Expr::unary(ops[below(5)], expr(depth - 1));
      }
      default: {
        const auto op = static_cast<Op>(static_cast<int>(Op::add) + below(19));
        return Expr::binary(op, expr(depth - 1), expr(depth - 1));
      }
    }
  }

  /// A conjunction of mostly simple comparisons, as the guard of a Petri net transition is.
  Expr comparisons() {
    std::vector<Expr> parts;
    for (int i = below(3); i >= 0; --i) {
      if (below(5) == 0) {
        parts.push_back(expr(1));
        continue;
      }
      const auto op = static_cast<Op>(static_cast<int>(Op::eq) + below(6));
      Expr load = Expr::load(pick(false).first);
      Expr constant = Expr::constant(below(10) == 0 ? (std::int64_t{below(3)} - 1) << 31 : below(3));
      if (below(4) == 0) std::swap(load, constant);
      parts.push_back(Expr::binary(op, std::move(load), std::move(constant)));
    }
    return balanced(Op::logic_and, std::move(parts), 1);
  }

  void add_action(int number) {
    Action action{.label = "a" + std::to_string(number)};
    std::vector<ComponentId> order{0, 1, 2};
    std::shuffle(order.begin(), order.end(), random_);
    const int count = below(4);
    for (int i = 0; i < count; ++i) {
      Participant p{.component = order[static_cast<std::size_t>(i)],
                    .from = static_cast<LocationId>(below(3)),
                    .to = static_cast<LocationId>(below(3))};
      if (below(4) == 0) p.from = any_location;
      if (below(2)) p.guard = expr(2);
      action.effects.push_back(
          {.slot = system_.components[p.component].location_slot, .value = Expr::constant(p.to)});
      action.participants.push_back(std::move(p));
    }
    if (below(2) || count == 0) action.guard = below(2) ? comparisons() : expr(2);
    // Same first participant as the action before: they share an entry of the program.
    if (count > 1 && !system_.actions.empty() && system_.actions.back().participants.size() > 1 &&
        system_.actions.back().participants[0].component == action.participants[0].component)
      action.participants[0] = system_.actions.back().participants[0];
    const int effects = below(7);
    for (int i = 0; i < effects; ++i) {
      const bool array = below(2) == 0;
      const Variable& v = pick(array);
      Assignment a{.slot = v.first, .length = v.length, .value = below(2) ? leaf() : expr(3)};
      if (!array && below(3) == 0)
        a.value = Expr::binary(below(2) ? Op::add : Op::sub, Expr::load(v.first), Expr::constant(below(3)));
      if (array) a.index = below(2) ? Expr::constant(below(2)) : expr(1);
      action.effects.push_back(std::move(a));
    }
    system_.actions.push_back(std::move(action));
  }

  Random random_;
  System system_;
};

using RandomSystem = BasicRandomSystem<std::mt19937_64>;

}  // namespace tideline
