#include "simulate/why.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "simulate/words.hpp"
#include "trace/simulation.hpp"

namespace tideline {

namespace {

constexpr std::size_t most_values = 8;
constexpr std::size_t longest_condition = 200;

bool elsewhere(const System& system, const Participant& p, const Values& state) {
  return p.from != any_location &&
         state[system.components[p.component].location_slot] != static_cast<std::int32_t>(p.from);
}

void add_new(std::vector<SlotId>& slots, SlotId slot) {
  if (std::ranges::find(slots, slot) == slots.end()) slots.push_back(slot);
}

/// The slots that the value in this state depends on, in the order of the text. Of an array only the entry that
/// is read.
void slots_read(const Expr& expr, const Reference& reference, const Values& state,
                std::vector<SlotId>& slots) {
  if (expr.op == Op::load) add_new(slots, expr.slot);
  for (const Expr& argument : expr.args) slots_read(argument, reference, state, slots);
  if (expr.op != Op::load_array) return;
  const auto [index, error] = reference.evaluate(expr.args[0], state);
  if (error.kind == ModelErrorKind::none && 0 <= index && index < expr.length)
    add_new(slots, expr.slot + static_cast<SlotId>(index));
}

std::string values_text(const Expr& expr, const Reference& reference, const System& system,
                        const Values& state) {
  std::vector<SlotId> slots;
  slots_read(expr, reference, state, slots);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < std::min(slots.size(), most_values); ++i)
    values.push_back(show_slot(system, slots[i], state[slots[i]]));
  if (slots.size() > most_values) values.push_back("...");
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string condition_text(const Expr& expr, const System& system) {
  std::string text = to_string(expr, system);
  if (text.size() > longest_condition) text = text.substr(0, longest_condition) + " ...";
  return text;
}

/// Adds a sentence for each part of the conjunction that is false.
void false_parts(const Expr& guard, const Reference& reference, const System& system, const Values& state,
                 std::vector<std::string>& reasons) {
  if (guard.op == Op::logic_and) {
    for (const Expr& part : guard.args) false_parts(part, reference, system, state, reasons);
    return;
  }
  const auto [value, error] = reference.evaluate(guard, state);
  if (value != 0) return;
  std::vector<SlotId> reads;
  collect_reads(guard, reads);
  if (std::ranges::find(reads, system.transient) != reads.end()) {
    reasons.push_back("another process is in the middle of a step");
    return;
  }
  const std::string text = condition_text(guard, system);
  const std::string values = values_text(guard, reference, system, state);
  std::string reason;
  if (error.kind != ModelErrorKind::none)
    reason = fmt::format("{} has no value: {}", text, error.message);
  else
    reason = fmt::format("{} is false{}{}", text, values.empty() ? "" : ": ", values);
  if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(std::move(reason));
}

}  // namespace

std::string show_slot(const System& system, SlotId slot, std::int32_t value) {
  const bool location = system.variables[system.slots[slot].variable].is_location;
  return fmt::format("{} {} {}", system.slots[slot].name, location ? "at" : "=",
                     system.show_value(slot, value));
}

bool at_its_locations(const System& system, ActionId action, const Values& state) {
  return std::ranges::none_of(system.actions[action].participants,
                              [&](const Participant& p) { return elsewhere(system, p, state); });
}

std::vector<std::string> why_not_enabled(const Reference& reference, const System& system, ActionId id,
                                         const Values& state) {
  const Action& action = system.actions[id];
  std::vector<std::string> reasons;
  ModelError error;
  if (reference.enabled(id, state, error)) return reasons;
  for (const Participant& p : action.participants) {
    if (!elsewhere(system, p, state)) continue;
    const Component& component = system.components[p.component];
    reasons.push_back(fmt::format("{} is at {}, not at {}", component.name,
                                  system.show_value(component.location_slot, state[component.location_slot]),
                                  component.locations[p.from].name));
  }
  for (const Participant& p : action.participants) false_parts(p.guard, reference, system, state, reasons);
  false_parts(action.guard, reference, system, state, reasons);
  return reasons;
}

std::vector<ActionId> actions_by_process(const System& system) {
  std::vector<ActionId> actions(system.actions.size());
  std::iota(actions.begin(), actions.end(), 0U);
  std::ranges::stable_sort(actions, {}, [&](ActionId a) { return process_of(system.actions[a]); });
  return actions;
}

std::vector<ActionId> actions_like(const System& system, std::string_view part) {
  std::vector<ActionId> found;
  for (const std::size_t action :
       best_fits(system.actions.size(), part, [&](std::size_t a) { return system.actions[a].label; }))
    found.push_back(static_cast<ActionId>(action));
  std::ranges::stable_sort(found, {}, [&](ActionId a) { return process_of(system.actions[a]); });
  return found;
}

}  // namespace tideline
