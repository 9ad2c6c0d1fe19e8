#include "exec/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tideline {

namespace {

void note(ModelError& error, ModelErrorKind kind, SourcePoint where, std::string message) {
  if (error.kind != ModelErrorKind::none) return;
  error = {kind, where, std::move(message)};
}

std::string array_name(const System& system, SlotId first) {
  return system.variables[system.slots[first].variable].name;
}

}  // namespace

std::int64_t Reference::evaluate(const Expr& expr, const Values& before, const Values& now,
                                 ModelError& error) const {
  const auto arg = [&](std::size_t i) {
    const Expr& part = expr.args[i];
    if (part.op == Op::constant) return part.value;
    if (part.op == Op::load) return std::int64_t{(part.before ? before : now)[part.slot]};
    return evaluate(part, before, now, error);
  };
  switch (expr.op) {
    case Op::constant:
      return expr.value;
    case Op::load:
      return (expr.before ? before : now)[expr.slot];
    case Op::load_array: {
      const std::int64_t index = arg(0);
      if (index < 0 || index >= expr.length) {
        note(error, ModelErrorKind::index_out_of_bounds, expr.where,
             fmt::format("index {} is outside {}[0..{}]", index, array_name(system_, expr.slot),
                         expr.length - 1));
        return 0;
      }
      return (expr.before ? before : now)[expr.slot + static_cast<SlotId>(index)];
    }
    case Op::table: {
      const auto& table = system_.tables[expr.slot];
      const std::int64_t index = arg(0);
      if (index < 0 || index >= static_cast<std::int64_t>(table.size())) {
        note(error, ModelErrorKind::index_out_of_bounds, expr.where,
             fmt::format("index {} is outside a constant array of {}", index, table.size()));
        return 0;
      }
      return table[static_cast<std::size_t>(index)];
    }
    case Op::fail: {
      const auto kind = static_cast<ModelErrorKind>(expr.value);
      note(error, kind, expr.where, std::string(to_string(kind)));
      return 0;
    }
    case Op::logic_and:
      return arg(0) != 0 && arg(1) != 0;
    case Op::logic_or:
      return arg(0) != 0 || arg(1) != 0;
    case Op::imply:
      return arg(0) == 0 || arg(1) != 0;
    default:
      break;
  }
  if (expr.args.size() == 1) return apply_unary(expr.op, arg(0));
  const std::int64_t left = arg(0);
  const std::int64_t right = arg(1);
  ModelErrorKind kind = ModelErrorKind::none;
  const std::int64_t value = apply_binary(expr.op, left, right, kind);
  if (kind != ModelErrorKind::none) note(error, kind, expr.where, std::string(to_string(kind)));
  return value;
}

Reference::Evaluation Reference::evaluate(const Expr& expr, const Values& state) const {
  Evaluation result;
  result.value = evaluate(expr, state, state, result.error);
  return result;
}

bool Reference::enabled(ActionId id, const Values& state, ModelError& error) const {
  const Action& action = system_.actions[id];
  for (const Participant& p : action.participants)
    if (p.from != any_location &&
        state[system_.components[p.component].location_slot] != static_cast<std::int32_t>(p.from))
      return false;

  const auto passes = [&](const Expr& guard) {
    if (guard.is_constant()) return guard.value != 0;
    const auto holds = [&](ModelError& here) {
      return evaluate(guard, state, state, here) != 0 ||
             (here.kind != ModelErrorKind::none && errors_ == ErrorSemantics::stop);
    };
    if (error.kind == ModelErrorKind::none) return holds(error);
    ModelError another;
    return holds(another);
  };
  return std::all_of(action.participants.begin(), action.participants.end(),
                     [&](const Participant& p) { return passes(p.guard); }) &&
         passes(action.guard);
}

std::vector<ActionId> Reference::enabled(const Values& state) const {
  std::vector<ActionId> result;
  for (ActionId a = 0; a < system_.actions.size(); ++a) {
    ModelError error;
    if (enabled(a, state, error)) result.push_back(a);
  }
  return result;
}

ModelError Reference::apply(const std::vector<Assignment>& effects, const Values& before, Values& now) const {
  ModelError error;
  for (const Assignment& effect : effects) {
    const std::int64_t value = evaluate(effect.value, before, now, error);
    SlotId slot = effect.slot;
    if (effect.index) {
      const std::int64_t index = evaluate(*effect.index, before, now, error);
      if (index < 0 || index >= effect.length) {
        note(error, ModelErrorKind::index_out_of_bounds, effect.where,
             fmt::format("index {} is outside {}[0..{}]", index, array_name(system_, effect.slot),
                         effect.length - 1));
        return error;
      }
      slot += static_cast<SlotId>(index);
    }
    const Slot& target = system_.slots[slot];
    if (!target.range.contains(value))
      note(error, ModelErrorKind::value_out_of_range, effect.where,
           fmt::format("value {} does not fit {} ({}..{})", value, target.name, target.range.low,
                       target.range.high));
    if (error.kind != ModelErrorKind::none) return error;
    now[slot] = static_cast<std::int32_t>(value);
  }
  return error;
}

Reference::Firing Reference::fire(ActionId id, const Values& state) const {
  Firing result{state, {}};
  enabled(id, state, result.error);
  if (result.error.kind == ModelErrorKind::none)
    result.error = apply(system_.actions[id].effects, state, result.state);
  if (result.error.kind != ModelErrorKind::none && errors_ == ErrorSemantics::error_state)
    result.state = *system_.error_state;
  return result;
}

}  // namespace tideline
