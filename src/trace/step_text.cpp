#include "trace/step_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "trace/replay.hpp"

namespace tideline {

namespace {

constexpr std::size_t line_width = 100;
constexpr std::uint32_t long_repeat = 6;
constexpr std::size_t longest_guard = 60;

/// The label without the number that tells it from others: "A: s -> t" of "A: s -> t #2".
std::string_view without_number(std::string_view label) {
  const std::size_t digits = label.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == label.size()) return label;
  const std::string_view before = label.substr(0, digits + 1);
  return before.ends_with(" #") ? before.substr(0, before.size() - 2) : label;
}

/// Whether the label already says that the slot gets this value: the location a participant moves to.
bool label_shows(const Action& action, const System& system, SlotId slot, std::int32_t value) {
  return system.labels_say_moves &&
         std::any_of(action.participants.begin(), action.participants.end(), [&](const Participant& p) {
           return system.components[p.component].location_slot == slot &&
                  static_cast<std::int32_t>(p.to) == value;
         });
}

/// "a, b, c x 6" in brackets: equal neighbours are written once where there are many.
template <class Item>
std::string list_of(std::uint32_t length, const Item& item) {
  std::string text = "[";
  for (std::uint32_t i = 0; i < length;) {
    const std::string shown = item(i);
    std::uint32_t same = 1;
    while (i + same < length && item(i + same) == shown) ++same;
    if (same < long_repeat) same = 1;
    if (i > 0) text += ", ";
    text += shown;
    if (same > 1) text += fmt::format(" x {}", same);
    i += same;
  }
  return text + "]";
}

std::string in_brackets(const std::vector<std::string>& values) {
  if (values.size() == 1) return values.front();
  std::string text = "(";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ", ") + values[i];
  return text + ")";
}

/// The text that a format of C's printf stands for. Escapes of the model's text are replaced, too.
template <class Argument>
std::string formatted(std::string_view format, const Argument& argument) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if (c == '\\' && i + 1 < format.size()) {
      const char escaped = format[++i];
      text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
    } else if (c == '%' && i + 1 < format.size()) {
      std::size_t at = i + 1;
      while (at + 1 < format.size() && (format[at] == '-' || format[at] == '0' || format[at] == 'l' ||
                                        (format[at] >= '1' && format[at] <= '9')))
        ++at;
      if (format[at] == '%')
        text += '%';
      else
        text += argument(next++, format[at]);
      i = at;
    } else {
      text += c;
    }
  }
  return text;
}

bool is_true(const Expr& guard) {
  return guard.is_constant() && guard.value != 0;
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
    } else if (column + shown_width(parts[i]) + 2 > line_width) {
      text += fmt::format("\n{:{}}", "", indent + 2);
      column = indent + 2;
    } else {
      text += ' ';
      ++column;
    }
    text += parts[i] + (last ? "\n" : ",");
    column += shown_width(parts[i]) + 1;
  }
  return text;
}

}  // namespace

std::string with_places(std::string text, const System& system, const Action& action,
                        const SourceText* source) {
  if (source == nullptr || !system.runs_show_places) return text;
  std::size_t from = 0;
  for (const Participant& participant : action.participants) {
    const std::string& name = system.components[participant.component].name;
    const std::size_t at = text.find(name + ": ", from);
    if (at == std::string::npos || participant.where.line == 0) continue;
    const SourceText::Place place = source->place_of(participant.where.line);
    const std::string shown = fmt::format(" {}:{}", place.file.substr(place.file.rfind('/') + 1), place.line);
    text.insert(at + name.size(), shown);
    from = at + name.size() + shown.size();
  }
  return text;
}

StepText::StepText(const System& system, const Palette& palette, const SourceText* source)
    : system_(system),
      palette_(palette),
      source_(source),
      reference_(system),
      queue_of_(system.slots.size(), no_queue),
      shares_label_(system.actions.size()) {
  for (std::uint32_t c = 0; c < system.channels.size(); ++c) {
    const Channel& channel = system.channels[c];
    if (channel.length_slot == no_slot || channel.fields.empty()) continue;
    queue_of_[channel.length_slot] = c;
    for (const SlotId row : channel.fields)
      for (std::uint32_t i = 0; i < channel.capacity; ++i) queue_of_[row + i] = c;
  }
  // The moves are shown, and tell actions apart; or places do.
  if (!system.labels_say_moves || system.runs_show_places) return;
  std::unordered_map<std::string_view, std::uint32_t> uses;
  for (const Action& action : system.actions) ++uses[without_number(action.label)];
  for (ActionId a = 0; a < system.actions.size(); ++a)
    shares_label_[a] = uses[without_number(system.actions[a].label)] > 1;
}

std::string StepText::name(ActionId id, const Values& from) const {
  std::string text(step_label(system_, id));
  if (id == no_action) return text;
  const Action& action = system_.actions[id];
  std::string sent;
  if (action.message) sent = message(*action.message, from);
  // A statement may say it already.
  const bool is_said = system_.runs_show_places && (text.ends_with(" " + sent));
  if (!sent.empty() && !is_said) {
    const std::string& channel = system_.channels[action.message->channel].name;
    const std::string said = fmt::format("({})", channel);
    if (const std::size_t at = text.rfind(said); at != std::string::npos)
      text.replace(at, said.size(), fmt::format("({})", sent));
    else
      text += fmt::format(" ({})", sent);
  }
  if (system_.runs_show_places) return with_places(std::move(text), system_, action, source_);
  if (shares_label_[id])
    if (const std::string why = origin(action); !why.empty()) text += "   " + why;
  return text;
}

std::string StepText::output(ActionId id, const Values& from, std::size_t indent) const {
  if (id == no_action || !system_.actions[id].print) return {};
  const Print& print = *system_.actions[id].print;
  std::string said = formatted(print.format, [&](std::size_t i, char kind) -> std::string {
    if (i >= print.arguments.size()) return "?";
    const auto [value, error] = reference_.evaluate(print.arguments[i].value, from);
    if (error.kind != ModelErrorKind::none) return "?";
    switch (kind) {
      case 'c':
        return std::string(1, static_cast<char>(value));
      case 'e':
        return system_.show_named(print.arguments[i].names, value);
      case 'o':
        return fmt::format("{:o}", static_cast<std::uint32_t>(value));
      case 'u':
        return fmt::format("{}", static_cast<std::uint32_t>(value));
      case 'x':
        return fmt::format("{:x}", static_cast<std::uint32_t>(value));
      default:
        return std::to_string(value);
    }
  });
  if (said.ends_with('\n')) said.pop_back();
  // Charts of messages are made from lines that say so themselves.
  const bool is_chart = said.starts_with("MSC:");
  std::string text = fmt::format("{:{}}{}", "", indent, is_chart ? "" : "output: ");
  for (const char c : said) {
    text += c;
    if (c == '\n') text += std::string(indent + (is_chart ? 0 : 8), ' ');
  }
  return text + "\n";
}

/// "c2?1", "c!(1, 4)". A value that cannot be computed is left out: the step ends in a model error then.
std::string StepText::message(const Message& message, const Values& from) const {
  const Channel& channel = system_.channels[message.channel];
  const bool rendezvous = message.sender != no_component && message.receiver != no_component;
  if (rendezvous && message.values.empty()) return channel.name;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < message.values.size(); ++i) {
    const Reference::Evaluation evaluation = reference_.evaluate(message.values[i], from);
    const std::uint32_t names = i < channel.names.size() ? channel.names[i] : no_names;
    values.push_back(
        evaluation.error.kind == ModelErrorKind::none ? system_.show_named(names, evaluation.value) : "?");
  }
  return fmt::format("{}{}{}", channel.name, message.sender == no_component ? '?' : '!',
                     values.empty() ? "" : message_text(channel, values));
}

/// "(1, 4)", or "ask(4)" where the first field has names.
std::string StepText::message_text(const Channel& channel, const std::vector<std::string>& values) const {
  if (values.size() < 2 || channel.names.empty() || channel.names.front() == no_names)
    return in_brackets(values);
  std::vector<std::string> others(values.begin() + 1, values.end());
  return values.front() + (others.size() == 1 ? fmt::format("({})", others.front()) : in_brackets(others));
}

/// The guard of a step that sends or receives, without the part that the message says: there is room, or there
/// is one.
const Expr* StepText::written_guard(const Expr& guard, const Action& action) const {
  if (!action.message) return &guard;
  const SlotId length = system_.channels[action.message->channel].length_slot;
  const auto is_about_length = [&](const Expr& expr) {
    return (expr.op == Op::lt || expr.op == Op::gt) && expr.args[0].op == Op::load &&
           expr.args[0].slot == length && expr.args[1].is_constant();
  };
  if (length == no_slot) return &guard;
  if (is_about_length(guard)) return nullptr;
  return guard.op == Op::logic_and && is_about_length(guard.args[0]) ? &guard.args[1] : &guard;
}

/// "(line 14: x > 2)", "(lines 3 and 9)".
std::string StepText::origin(const Action& action) const {
  std::vector<std::uint32_t> lines;
  const auto add = [&](SourcePoint where) {
    if (where.line != 0 && std::find(lines.begin(), lines.end(), where.line) == lines.end())
      lines.push_back(where.line);
  };
  std::string guard;
  const auto require = [&](const Expr& expr) {
    const Expr* const written = written_guard(expr, action);
    if (written && !is_true(*written)) guard += (guard.empty() ? "" : " && ") + to_string(*written, system_);
  };
  for (const Participant& participant : action.participants) {
    add(participant.where);
    require(participant.guard);
  }
  if (lines.empty()) add(action.where);
  require(action.guard);
  if (guard.size() > longest_guard) guard = guard.substr(0, longest_guard - 3) + "...";
  std::string place;
  for (std::size_t i = 0; i < lines.size(); ++i)
    place += fmt::format("{}{}", i == 0 ? "" : i + 1 == lines.size() ? " and " : ", ", lines[i]);
  if (!place.empty()) place = (lines.size() == 1 ? "line " : "lines ") + place;
  if (place.empty() && guard.empty()) return {};
  return palette_(Ink::faint,
                  fmt::format("({}{}{})", place, place.empty() || guard.empty() ? "" : ": ", guard));
}

std::string StepText::changes(ActionId action, const Values& from, const Values& to) const {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& before, const std::string& after) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{}: {} -> {}", name, before, palette_(Ink::changed, after));
  };
  std::vector<bool> queue_shown(system_.channels.size());
  for (SlotId s = 0; s < system_.slots.size(); ++s) {
    if (from[s] == to[s] || system_.is_internal(s)) continue;
    if (const std::uint32_t c = queue_of_[s]; c != no_queue) {
      const Channel& channel = system_.channels[c];
      if (!queue_shown[c]) add(channel.name, queue(channel, from), queue(channel, to));
      queue_shown[c] = true;
    } else if (action == no_action || !label_shows(system_.actions[action], system_, s, to[s])) {
      add(system_.slots[s].name, system_.show_value(s, from[s]), system_.show_value(s, to[s]));
    }
  }
  return text;
}

std::string StepText::queue(const Channel& channel, const Values& state) const {
  const auto length = static_cast<std::uint32_t>(state[channel.length_slot]);
  return list_of(std::min(length, channel.capacity), [&](std::uint32_t i) {
    std::vector<std::string> values;
    for (const SlotId row : channel.fields) values.push_back(system_.show_value(row + i, state[row + i]));
    return message_text(channel, values);
  });
}

std::string StepText::array(const Variable& variable, const Values& state) const {
  return list_of(variable.length, [&](std::uint32_t i) {
    return system_.show_value(variable.first + i, state[variable.first + i]);
  });
}

std::string StepText::variable(const Variable& variable, const Values& state) const {
  const SlotId slot = variable.first;
  if (variable.is_location)
    return fmt::format("{} at {}", system_.slots[slot].name, system_.show_value(slot, state[slot]));
  if (queue_of_[slot] != no_queue) {
    const Channel& channel = system_.channels[queue_of_[slot]];
    return fmt::format("{} = {}", channel.name, queue(channel, state));
  }
  if (variable.is_array) return fmt::format("{} = {}", variable.name, array(variable, state));
  return fmt::format("{} = {}", variable.name, system_.show_value(slot, state[slot]));
}

bool StepText::differs(const Variable& variable, const Values& a, const Values& b) const {
  if (queue_of_[variable.first] != no_queue) {
    const Channel& channel = system_.channels[queue_of_[variable.first]];
    return queue(channel, a) != queue(channel, b);
  }
  for (std::uint32_t i = 0; i < variable.length; ++i)
    if (a[variable.first + i] != b[variable.first + i]) return true;
  return false;
}

std::string StepText::component(const Values& state, ComponentId owner, std::size_t indent,
                                const Values* before) const {
  std::vector<std::string> parts;
  const auto add = [&](const Variable& v) {
    const std::string text = variable(v, state);
    parts.push_back(before && differs(v, *before, state) ? palette_(Ink::changed, text) : text);
  };
  // A queue stands where the first of its variables does.
  const auto is_shown = [&](const Variable& v) {
    const std::uint32_t c = queue_of_[v.first];
    return c == no_queue || v.first == system_.channels[c].length_slot;
  };
  // The location names the line, wherever the front-end has put it among the variables.
  for (const Variable& v : system_.variables)
    if (v.owner == owner && v.is_location) add(v);
  if (owner != no_component && parts.empty()) parts.push_back(system_.components[owner].name + ":");
  for (const Variable& v : system_.variables)
    if (v.owner == owner && !v.is_location && !v.is_internal && is_shown(v)) add(v);
  return lines_of(parts, indent);
}

std::string StepText::state(const Values& state, std::size_t indent, const Values* before) const {
  std::string text = component(state, no_component, indent, before);
  for (ComponentId c = 0; c < system_.components.size(); ++c) text += component(state, c, indent, before);
  return text;
}

}  // namespace tideline
