#include "trace/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tideline {

namespace {

constexpr std::size_t line_width = 100;
constexpr std::size_t widest_label = 48;  // longer labels are not padded, nor do they pad others
constexpr std::uint32_t long_repeat = 6;

std::string show_array(const System& system, const Variable& variable, const Values& state) {
  std::string text = "[";
  for (std::uint32_t i = 0; i < variable.length;) {
    std::uint32_t same = 1;
    while (i + same < variable.length && state[variable.first + i + same] == state[variable.first + i])
      ++same;
    if (same < long_repeat) same = 1;
    if (i > 0) text += ", ";
    text += system.show_value(variable.first + i, state[variable.first + i]);
    if (same > 1) text += fmt::format(" x {}", same);
    i += same;
  }
  return text + "]";
}

std::string show_variable(const System& system, const Variable& variable, const Values& state) {
  const SlotId slot = variable.first;
  if (variable.is_location)
    return fmt::format("{} at {}", system.slots[slot].name, system.show_value(slot, state[slot]));
  if (variable.is_array) return fmt::format("{} = {}", variable.name, show_array(system, variable, state));
  return fmt::format("{} = {}", variable.name, system.show_value(slot, state[slot]));
}

// Joins the parts with commas, breaking lines that get long; empty for no parts.
std::string lines_of(const std::vector<std::string>& parts, std::size_t indent) {
  std::string text;
  std::size_t column = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    if (i == 0) {
      text += std::string(indent, ' ');
      column = indent;
    } else if (column + parts[i].size() + 2 > line_width) {
      text += fmt::format("\n{:{}}", "", indent + 2);
      column = indent + 2;
    } else {
      text += ' ';
      ++column;
    }
    text += parts[i] + (last ? "\n" : ",");
    column += parts[i].size() + 1;
  }
  return text;
}

std::string state_of(const System& system, const Values& state, ComponentId owner, std::size_t indent) {
  std::vector<std::string> parts;
  // The location names the line, wherever the front-end has put it among the variables.
  for (const Variable& v : system.variables)
    if (v.owner == owner && v.is_location) parts.push_back(show_variable(system, v, state));
  if (owner != no_component && parts.empty()) parts.push_back(system.components[owner].name + ":");
  for (const Variable& v : system.variables)
    if (v.owner == owner && !v.is_location) parts.push_back(show_variable(system, v, state));
  return lines_of(parts, indent);
}

/// Whether the label already says that the slot gets this value: the location a participant moves to.
bool label_shows(const Action& action, const System& system, SlotId slot, std::int32_t value) {
  return system.labels_say_moves &&
         std::any_of(action.participants.begin(), action.participants.end(), [&](const Participant& p) {
           return system.components[p.component].location_slot == slot &&
                  static_cast<std::int32_t>(p.to) == value;
         });
}

std::size_t label_column(const System& system, const Trace& run) {
  std::size_t width = 0;
  for (ActionId a : run.actions) {
    const std::size_t size = step_label(system, a).size();
    if (size <= widest_label) width = std::max(width, size);
  }
  return width;
}

std::string indented(const std::string& text, std::size_t indent) {
  std::string result(indent, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) result += std::string(indent, ' ');
  }
  return result;
}

}  // namespace

std::string show_state(const System& system, const Values& state, std::size_t indent) {
  std::string text = state_of(system, state, no_component, indent);
  for (ComponentId c = 0; c < system.components.size(); ++c) text += state_of(system, state, c, indent);
  return text;
}

std::string show_changes(const System& system, ActionId action, const Values& from, const Values& to) {
  std::string text;
  for (SlotId s = 0; s < system.slots.size(); ++s) {
    if (from[s] == to[s]) continue;
    if (action != no_action && label_shows(system.actions[action], system, s, to[s])) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}: {} -> {}", system.slots[s].name, system.show_value(s, from[s]),
                        system.show_value(s, to[s]));
  }
  return text;
}

std::string show_model_error(const ModelError& error, const SourceText* source) {
  if (source == nullptr || error.where.line == 0) return "model error: " + error.message;
  return to_string(error_at(*source, error.where, error.message));
}

std::string show_run(const System& system, const Trace& run, const ShowOptions& options) {
  const std::size_t number_width = std::max<std::size_t>(3, std::to_string(run.length()).size() + 1);
  const std::size_t indent = number_width + 4;
  const std::size_t label_width = label_column(system, run);

  std::string text = fmt::format("{:>{}}  initial state\n", 0, number_width);
  text += show_state(system, run.states.front(), indent);
  LimitCheck check_limits(options.budget);
  for (std::size_t i = 0; i < run.actions.size(); ++i) {
    check_limits();
    const std::string_view label = step_label(system, run.actions[i]);
    const Values& to = i + 1 < run.states.size() ? run.states[i + 1] : run.states[*run.loop];
    std::string line;
    if (options.full) {
      line = fmt::format("{:>{}}  {}\n{}", i + 1, number_width, label, show_state(system, to, indent));
    } else {
      const std::string changes = show_changes(system, run.actions[i], run.states[i], to);
      line = fmt::format("{:>{}}  {:<{}}    {}", i + 1, number_width, label, label_width, changes);
      line.erase(line.find_last_not_of(' ') + 1);
      line += '\n';
    }
    text += line;
  }
  if (run.loop) text += fmt::format("{:>{}}  and on from state {} for ever\n", "", number_width, *run.loop);
  if (run.no_value.kind != ModelErrorKind::none)
    text +=
        fmt::format("{:>{}}  the property has no value here: {}\n", "", number_width, run.no_value.message);
  if (run.fails()) {
    text += fmt::format("{:>{}}  {}\n", run.length(), number_width, system.actions[run.failing_action].label);
    text += indented(show_model_error(run.error, options.source), number_width + 2) + "\n";
  }
  return text;
}

}  // namespace tideline
