// Commands that show something and move nowhere, and those that save and load runs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "files/write_file.hpp"
#include "lang/diagnostics.hpp"
#include "report/numbers.hpp"
#include "simulate/commands.hpp"
#include "simulate/session.hpp"
#include "simulate/why.hpp"
#include "simulate/words.hpp"
#include "trace/show.hpp"
#include "trace/spin_trail.hpp"
#include "trace/step_text.hpp"

namespace tideline {

namespace {

constexpr std::size_t state_indent = 7;
constexpr std::size_t line_width = 100;

/// The parts with commas between them, in lines that are indented and not too long.
std::string wrapped(const std::vector<std::string>& parts) {
  std::string text;
  std::size_t column = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == 0 || column + parts[i].size() + 2 > line_width) {
      text += fmt::format("{}{:{}}", i == 0 ? "" : "\n", "", state_indent);
      column = state_indent;
    } else {
      text += ' ';
      ++column;
    }
    text += parts[i] + (i + 1 == parts.size() ? "" : ",");
    column += parts[i].size() + 1;
  }
  return text.empty() ? text : text + "\n";
}

/// The first lines of a text, and in place of the others how many there are and what shows them.
std::string first_lines(const std::string& text, std::size_t lines, std::string_view more) {
  const auto count = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (count <= lines) return text;
  std::size_t end = 0;
  for (std::size_t i = 0; i < lines; ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end) + fmt::format("     ... {} more; {}\n", show_count(count - lines), more);
}

constexpr std::string_view more_of_state = "'state PATTERN' shows a part, 'state all' the whole state";

bool same_existing_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && std::filesystem::is_regular_file(a, error);
}

}  // namespace

// --- Actions -----------------------------------------------------------------------------------------------

/// An enabled action with its number, and what it would change where its label does not say so.
std::string Session::action_line(std::size_t index, const Palette& palette) const {
  const ActionId action = simulation_.enabled()[index];
  std::string moves;
  if (!system().labels_say_moves)
    moves = show_changes(system(), action, simulation_.state(),
                         simulation_.reference().fire(action, simulation_.state()).state, palette);
  return fmt::format("{:>5})  {}{}{}\n", index + 1, system().actions[action].label,
                     moves.empty() ? "" : "    ", moves);
}

/// The enabled actions that somebody may mean by this: those whose label fits best or, if none does, whose line in
/// the list does.
std::vector<std::size_t> Session::enabled_like(std::string_view part) const {
  const auto& enabled = simulation_.enabled();
  std::vector<std::size_t> found =
      best_fits(enabled.size(), part, [&](std::size_t i) { return system().actions[enabled[i]].label; });
  if (found.empty() && !system().labels_say_moves)
    found = best_fits(enabled.size(), part, [&](std::size_t i) { return action_line(i, {}); });
  return found;
}

std::size_t Session::lines_shown(std::size_t lines, Length length) const {
  // A line that says "1 more" could as well be that line.
  if (length == Length::all || lines <= options_.lines + 1) return lines;
  return length == Length::asked ? options_.lines : std::max<std::size_t>(3, options_.lines / 4);
}

std::string Session::lines_of_actions(const std::vector<std::size_t>& indices, Length length,
                                      const Palette& palette) const {
  const std::size_t shown = lines_shown(indices.size(), length);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += action_line(indices[i], palette);
  if (shown < indices.size())
    text += fmt::format("     ... {} more; 'list PATTERN' shows some of them, 'list all' all\n",
                        show_count(indices.size() - shown));
  return text;
}

std::string Session::actions_text(Length length) const {
  if (simulation_.enabled().empty()) return deadlock_text();
  std::vector<std::size_t> indices(simulation_.enabled().size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  return lines_of_actions(indices, length, options_.palette);
}

std::string Session::deadlock_text() const {
  const auto& may_end = system().may_end;
  if (may_end && Reference(system()).evaluate(*may_end, simulation_.state()).value != 0)
    return "no action is enabled: the model may end here\n";
  return fmt::format("no action is enabled: this is a {}\n", options_.palette(Ink::bad, "deadlock"));
}

void Session::obey_list(std::string_view arguments) {
  if (arguments.empty()) return say(actions_text(Length::asked));
  if (arguments == "all") return say(actions_text(Length::all));
  const std::vector<std::size_t> found = enabled_like(unquoted(arguments));
  if (!found.empty()) return say(lines_of_actions(found, Length::asked, options_.palette));
  if (simulation_.enabled().empty()) return say(actions_text());
  say(fmt::format("none of the {} is like '{}'\n",
                  show_plural(simulation_.enabled().size(), "enabled action"), abbreviate(arguments)));
}

void Session::obey_why(std::string_view arguments) {
  const std::string_view part = unquoted(arguments);
  if (part.empty()) throw Error(ErrorKind::usage, "why needs a part of an action's label");
  const std::vector<ActionId> actions = actions_like(system(), part);
  if (actions.empty())
    throw Error(ErrorKind::usage, fmt::format("no action has '{}' in its label", abbreviate(part)));
  // In a network of processes hundreds of actions may share a label: one for each way in which processes can take
  // part. Only those that are closest to being enabled tell anything.
  std::map<std::string_view, std::size_t> fewest;
  std::vector<std::vector<std::string>> reasons;
  for (const ActionId action : actions) {
    reasons.push_back(why_not_enabled(simulation_.reference(), system(), action, simulation_.state()));
    const auto [least, added] = fewest.emplace(system().actions[action].label, reasons.back().size());
    if (!added) least->second = std::min(least->second, reasons.back().size());
  }
  std::string text;
  std::set<std::string> said;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const Action& action = system().actions[actions[i]];
    if (reasons[i].size() != fewest[action.label]) continue;
    const std::string line = action.where.line > 0 ? fmt::format("  (line {})", action.where.line) : "";
    std::string answer = fmt::format("{}{} is not enabled\n", action.label, line);
    for (const std::string& reason : reasons[i]) answer += fmt::format("       {}\n", reason);
    if (reasons[i].empty()) {
      const auto& enabled = simulation_.enabled();
      answer = fmt::format("{}{} is enabled: number {}\n", action.label, line,
                           std::ranges::find(enabled, actions[i]) - enabled.begin() + 1);
    }
    if (said.insert(answer).second) text += answer;
  }
  say(first_lines(text, options_.lines * 2, "give more of the label"));
}

void Session::obey_disabled(std::string_view arguments) {
  const std::string_view pattern = unquoted(arguments);
  std::vector<ActionId> shown;
  std::size_t elsewhere = 0;
  for (const ActionId action :
       pattern.empty() ? actions_by_process(system()) : actions_like(system(), pattern)) {
    ModelError ignored;
    if (simulation_.reference().enabled(action, simulation_.state(), ignored)) continue;
    if (pattern.empty() && !at_its_locations(system(), action, simulation_.state()))
      ++elsewhere;
    else
      shown.push_back(action);
  }
  std::string text;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    // Reasons take a while to find in a net with thousands of transitions, and only some are shown.
    if (i > options_.lines + 1) {
      text += "\n";
      continue;
    }
    const auto reasons = why_not_enabled(simulation_.reference(), system(), shown[i], simulation_.state());
    text += fmt::format("{:7}{}    {}{}\n", "", system().actions[shown[i]].label, reasons.front(),
                        reasons.size() > 1 ? fmt::format(", and {} more", reasons.size() - 1) : "");
  }
  text = first_lines(text, options_.lines, "'disabled PATTERN' shows some of them");
  if (elsewhere > 0)
    text += fmt::format("     {}{} at another location of {} process\n", shown.empty() ? "" : "and ",
                        elsewhere == 1 ? "1 action begins" : show_count(elsewhere) + " actions begin",
                        elsewhere == 1 ? "its" : "their");
  say(text.empty() ? "none\n" : text);
}

// --- States and runs ---------------------------------------------------------------------------------------

/// Where the session is: the initial state, or the step that led here.
std::string Session::place_text() const {
  const std::size_t step = simulation_.position();
  if (step == 0) return "  0  initial state\n";
  return fmt::format("{:>3}  {}\n", step, step_label(system(), simulation_.action_of(step)));
}

std::string Session::step_text(std::size_t number, ActionId action, const Values& from,
                               const Values& to) const {
  const StepText text(system(), options_.palette, &model_.source);
  const std::string label = text.name(action, from);
  const std::string output = text.output(action, from, state_indent);
  if (options_.full)
    return fmt::format("{:>3}  {}\n{}{}", number, label, output, text.state(to, state_indent, &from));
  const std::string changes = text.changes(action, from, to);
  return fmt::format("{:>3}  {}{}{}\n{}", number, label, changes.empty() ? "" : "    ", changes, output);
}

/// A state that is too long to read is cut; of a net the marked places are shown.
std::string Session::state_text(Length length) const {
  const Values& state = simulation_.state();
  const std::string text = show_state(system(), state, state_indent);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (options_.full || lines_shown(lines, length) == lines) return text;
  const bool has_processes =
      std::ranges::any_of(system().variables, [](const Variable& variable) { return variable.is_location; });
  if (has_processes) return first_lines(text, lines_shown(lines, length), more_of_state);
  std::vector<std::string> marked;
  for (SlotId s = 0; s < state.size(); ++s)
    if (state[s] != 0) marked.push_back(show_slot(system(), s, state[s]));
  const std::size_t zero = state.size() - marked.size();
  const std::string places = wrapped(marked);
  const auto rows = static_cast<std::size_t>(std::ranges::count(places, '\n'));
  return first_lines(places, lines_shown(rows, length), more_of_state) +
         (zero == 0 ? "" : fmt::format("{:{}}{} others are 0\n", "", state_indent, show_count(zero)));
}

void Session::obey_state(std::string_view arguments) {
  if (arguments.empty() || arguments == "all")
    return say(state_text(arguments.empty() ? Length::asked : Length::all));
  // A name that is meant as it is: of a process, of a variable. Else a part of names.
  const std::string_view name = unquoted(arguments);
  const auto process = system().find_component(name);
  const Variable* variable = system().find_variable(name);
  const auto is_meant = [&](SlotId s) {
    const Slot& slot = system().slots[s];
    if (process) return slot.owner == *process;
    if (variable) return variable == &system().variables[slot.variable];
    return fit_of(slot.name, name) != Fit::none;
  };
  std::vector<std::string> parts;
  for (SlotId s = 0; s < system().slots.size(); ++s)
    if (is_meant(s)) parts.push_back(show_slot(system(), s, simulation_.state()[s]));
  if (parts.empty())
    throw Error(ErrorKind::usage, fmt::format("no variable has '{}' in its name", abbreviate(arguments)));
  say(first_lines(wrapped(parts), options_.lines * 2, "give more of the name"));
}

void Session::obey_changes(std::string_view arguments) {
  const std::size_t here = simulation_.position();
  if (arguments.empty() && here == 0) return say("this is the initial state\n");
  const std::uint64_t since = number_or(arguments, here - 1);
  if (since > simulation_.length())
    throw Error(ErrorKind::usage,
                fmt::format("the run has {}; changes takes a number from 0 to {}",
                            show_plural(simulation_.length(), "step"), simulation_.length()));
  const std::string text =
      show_changes(system(), no_action, simulation_.state_at(since), simulation_.state(), options_.palette);
  say(fmt::format("{:{}}{}\n", "", state_indent, text.empty() ? "nothing" : text));
}

void Session::obey_run(std::string_view arguments) {
  constexpr std::uint64_t longest = 1000;  // that is shown without being asked for
  const std::size_t here = simulation_.position();
  const std::uint64_t last = number_or(arguments, here > longest ? options_.lines : here);
  std::string text;
  if (arguments.empty() && last < here)
    text =
        fmt::format("     ... {} before these; 'run N' shows the last N\n", show_plural(here - last, "step"));
  if (last >= here) {
    text = show_run(system(), simulation_.run(),
                    {.full = options_.full, .source = &model_.source, .palette = options_.palette});
  } else {
    Values from = simulation_.state_at(here - last);
    for (std::size_t step = here - last + 1; step <= here; ++step) {
      Values to = simulation_.state_at(step);
      text += step_text(step, simulation_.action_of(step), from, to);
      from = std::move(to);
    }
  }
  if (here < simulation_.length())
    text += fmt::format("     {} taken back; forward takes {} again\n",
                        show_plural(simulation_.length() - here, "step"),
                        simulation_.length() - here == 1 ? "it" : "them");
  say(text);
}

void Session::obey_eval(std::string_view arguments) {
  // The expressions of no language have arrays as values, but people want to see them.
  if (const Variable* variable = system().find_variable(arguments); variable && variable->is_array)
    return obey_state(arguments);
  say(value_text(expression(arguments, "eval")) + "\n");
}

// --- Files -------------------------------------------------------------------------------------------------

void Session::obey_save(std::string_view arguments) {
  const std::string file = arguments.empty() ? saved_as_ : std::string(unquoted(arguments));
  if (file.empty()) throw Error(ErrorKind::usage, "save needs the name of a file");
  for (const std::string& input : options_.read_files)
    if (same_existing_file(file, input))
      throw Error(ErrorKind::usage, fmt::format("{} is read and would be overwritten", file));
  const Trace run = simulation_.run();
  require_trace_format(file, system());
  write_file(file, to_trace_file(file, system(), run, options_.header));
  saved_as_ = file;
  say(fmt::format("saved {} in {}\n", show_plural(run.length(), "step"), file));
}

void Session::load_run(const std::string& file, std::optional<std::uint64_t> at) {
  const std::string content = read_source(file).text;
  const ItfTrace trace = is_spin_trail(file, content)
                             ? to_itf_trace(system(), read_spin_trail(content, file), options_.header.model)
                             : read_itf(content, file);
  if (trace.header.errors != simulation_.errors())
    throw Error(ErrorKind::input,
                fmt::format("{} was made with --model-errors {}; simulate the model with that, too", file,
                            trace.header.errors == ErrorSemantics::stop ? "report" : "divine"));
  const ItfCheck check = check_against(system(), trace);
  const std::size_t steps = check.run.actions.size();
  if (at && *at > steps)
    throw Error(ErrorKind::usage,
                fmt::format("there is no step {}: {} has {}", *at, file, show_plural(steps, "step")));
  simulation_.load(check.run);
  std::string text = fmt::format("{}: {}", file, show_plural(check.run.length(), "step"));
  if (check.run.loop)
    text +=
        fmt::format(", a lasso: state {} is state {} again, and forward goes round", steps, *check.run.loop);
  if (check.run.fails()) text += ", of which the last ends in a model error";
  if (check.failure)
    text +=
        fmt::format("; the file goes on, but step {} does not replay: {}", check.failed_step, *check.failure);
  if (at) simulation_.go_to(*at);
  refresh_stops();
  say(text + "\n");
}

void Session::obey_load(std::string_view arguments) {
  if (arguments.empty()) throw Error(ErrorKind::usage, "load needs the name of a file");
  load_run(std::string(unquoted(arguments)));
  show_start();
}

void Session::obey_help(std::string_view arguments) {
  if (arguments.empty()) return say(help_text());
  const SessionCommand* command = CommandTable::find(arguments);
  if (!command) command = CommandTable::find_abbreviated(arguments);
  if (!command)
    throw Error(ErrorKind::usage,
                fmt::format("'{}' is not a command; help lists them", abbreviate(arguments)));
  say(help_text(*command));
}

void Session::obey_quit(std::string_view arguments) {
  require_nothing(arguments);
  goes_on_ = false;
}

}  // namespace tideline
