// Breakpoints and watches: numbered together, in the order in which they were made.
//
// A breakpoint stops where its expression becomes true, not wherever it is true: `continue` would otherwise be
// stuck in each region where it holds.
#include <fmt/format.h>

#include <algorithm>

#include "lang/diagnostics.hpp"
#include "simulate/session.hpp"
#include "simulate/why.hpp"
#include "simulate/words.hpp"

namespace tideline {

void Session::add_stop(Stop stop) {
  stop.number = next_stop_++;
  stops_.push_back(std::move(stop));
  refresh_stops();
  const Stop& added = stops_.back();
  if (added.kind == Stop::Kind::watch)
    say(fmt::format("watch {}: {} = {}\n", added.number, added.text, added.value));
  else
    say(fmt::format("breakpoint {}: {}{}\n", added.number, added.text,
                    added.is_true ? " (true already; it stops when it becomes true again)" : ""));
}

void Session::obey_watch(std::string_view arguments) {
  if (arguments.empty()) return say(stops_text(true));
  add_stop({.number = 0,
            .kind = Stop::Kind::watch,
            .text = std::string(arguments),
            .expr = expression(arguments, "watch")});
}

void Session::obey_break(std::string_view arguments) {
  if (arguments.empty()) return say(stops_text(false));
  const auto [word, rest] = first_word(arguments);
  if (word != "on")
    return add_stop({.number = 0,
                     .kind = Stop::Kind::when_true,
                     .text = std::string(arguments),
                     .expr = expression(arguments, "break")});
  const std::string_view pattern = unquoted(rest);
  if (pattern.empty()) throw Error(ErrorKind::usage, "break on needs a part of an action's label");
  std::vector<ActionId> actions = actions_like(system(), pattern);
  if (actions.empty())
    throw Error(ErrorKind::usage, fmt::format("no action has '{}' in its label", abbreviate(pattern)));
  std::ranges::sort(actions);
  add_stop({.number = 0,
            .kind = Stop::Kind::on_action,
            .text = "on " + std::string(pattern),
            .actions = std::move(actions)});
}

void Session::obey_delete(std::string_view arguments) {
  if (arguments == "all") return stops_.clear();
  const auto number = number_from(arguments);
  if (number && std::erase_if(stops_, [&](const Stop& stop) { return stop.number == *number; }) > 0) return;
  throw Error(ErrorKind::usage, number ? fmt::format("there is no breakpoint or watch {}", *number)
                                       : "delete needs the number of a breakpoint or watch, or 'all'");
}

std::string Session::stops_text(bool watches) const {
  std::string text;
  for (const Stop& stop : stops_)
    if ((stop.kind == Stop::Kind::watch) == watches)
      text += fmt::format("{:>5})  {}{}{}\n", stop.number, stop.text,
                          stop.kind == Stop::Kind::on_action ? "" : " = ", stop.value);
  if (!text.empty()) return text;
  return watches ? "no expression is watched\n" : "there are no breakpoints\n";
}

std::string Session::refresh_stops() {
  std::string text;
  for (Stop& stop : stops_) {
    if (stop.kind == Stop::Kind::on_action) continue;
    std::string value = value_text(stop.expr);
    stop.is_true = simulation_.reference().evaluate(stop.expr, simulation_.state()).value != 0;
    if (stop.kind == Stop::Kind::watch && !stop.value.empty() && stop.value != value)
      text +=
          fmt::format("       {}: {} -> {}\n", stop.text, stop.value, options_.palette(Ink::changed, value));
    stop.value = std::move(value);
  }
  return text;
}

std::string Session::breakpoints_reached(ActionId action, std::string& watches) {
  if (stops_.empty()) return {};
  std::vector<char> were_true;
  for (const Stop& stop : stops_) were_true.push_back(stop.is_true);
  watches += refresh_stops();
  std::string text;
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    const Stop& stop = stops_[i];
    const bool reached = stop.kind == Stop::Kind::on_action
                             ? std::ranges::binary_search(stop.actions, action)
                             : stop.kind == Stop::Kind::when_true && stop.is_true && !were_true[i];
    if (reached)
      text +=
          options_.palette(Ink::remark, fmt::format("breakpoint {}:", stop.number)) + " " + stop.text + "\n";
  }
  return text;
}

}  // namespace tideline
