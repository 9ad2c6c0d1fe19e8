#include "simulate/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tideline {

namespace {

/// "back [N]"
std::string usage_of(const SessionCommand& command) {
  return fmt::format("{}{}{}", command.name, command.arguments.empty() ? "" : " ", command.arguments);
}

constexpr std::string_view steps_help =
    "Take a step by its number in the list, or by a part of its label that no\n"
    "other enabled action has: 'P_0' or 'wait' is often enough. Several numbers in\n"
    "a line are several steps, each in the state after the one before: 3*2 is 3\n"
    "twice, r is a random step.\n\n";

constexpr std::string_view lines_help =
    "\nA command can be shortened to any beginning that no other one has. 'help\n"
    "COMMAND' says more. Write ';' between several commands in a line, '#' before a\n"
    "comment.\n";

}  // namespace

// The order is that of `help`.
std::span<const SessionCommand> CommandTable::rows() {
  using Takes = SessionCommand::Arguments;
  static constexpr auto table = std::to_array<SessionCommand>({
      {"take", "t", "ACTION", "take an action, like its number or label alone",
       "ACTION is a number of the list, or a part of the label that no other\n"
       "enabled action has; in double quotes it is a part of the label even if it\n"
       "looks like a number. Several numbers are several steps: 'take 3*2 5 r'.\n",
       Takes::enabled_actions, &Session::obey_take},
      {"random", "r", "[N]", "take a random step, or N",
       "Stops early in a deadlock, where a step ends in a model error, at a\n"
       "breakpoint, or when you press Ctrl-C. The same seed gives the same steps.\n",
       Takes::none, &Session::obey_random},
      {"continue", "c", "[N]", "take random steps up to a breakpoint",
       "Stops as 'random' does, after N steps at the latest (default 10000), and\n"
       "shows only the last steps.\n",
       Takes::none, &Session::obey_continue},
      {"until", "u", "EXPR", "take random steps until an expression is true",
       "Stops as 'random' does, after 10000 steps at the latest. 'find' gets there\n"
       "on the shortest way instead.\n",
       Takes::expression, &Session::obey_until},
      {"find", "", "EXPR", "take the shortest way to where it is true",
       "Searches breadth-first from the current state for at most 10 seconds, and\n"
       "takes the steps. 'find deadlock' looks for a deadlock, 'find error' for a\n"
       "step that ends in a model error.\n",
       Takes::expression, &Session::obey_find},
      {"back", "b", "[N]", "take back the last step, or N", "", Takes::none, &Session::obey_back},
      {"forward", "f", "[N]", "take again what was taken back",
       "At the end of a lasso it goes round the loop.\n", Takes::none, &Session::obey_forward},
      {"goto", "g", "N", "go to the state after step N; 0: the first state",
       "Steps behind it are kept: 'forward' and 'goto' lead there again, until you\n"
       "take another step.\n",
       Takes::none, &Session::obey_goto},
      {"reset", "", "", "begin again: initial state and first seed",
       "Breakpoints and watches stay, and 'forward' takes the same steps again, until\n"
       "you take another one.\n",
       Takes::none, &Session::obey_reset},
      {"list", "l", "[PATTERN|all]", "list the enabled actions, by process",
       "Only as many as fit; PATTERN lists those with all of its words in their\n"
       "line, 'all' lists all.\n",
       Takes::enabled_actions, &Session::obey_list},
      {"why", "w", "ACTION", "say why an action is not enabled",
       "For each action with this part in its label: which process is elsewhere,\n"
       "which part of a guard is false, and the values that make it false.\n",
       Takes::actions, &Session::obey_why},
      {"disabled", "d", "[PATTERN]", "list actions that a guard keeps from being taken",
       "With PATTERN, all that are not enabled and have it in their label.\n", Takes::actions,
       &Session::obey_disabled},
      {"state", "s", "[PATTERN|all]", "show the state, or some variables",
       "PATTERN is the name of a process or variable, or a part of several. A long\n"
       "state is cut, of a net the marked places are shown; 'all' shows all of it.\n",
       Takes::expression, &Session::obey_state},
      {"changes", "", "[N]", "show what changed in the last step, or since N", "", Takes::none,
       &Session::obey_changes},
      {"run", "", "[N]", "show the run so far, or its last N steps", "", Takes::none, &Session::obey_run},
      {"eval", "e", "EXPR", "evaluate an expression of the model's language", "", Takes::expression,
       &Session::obey_eval},
      {"watch", "", "[EXPR]", "show when a step changes it; or list watches", "'delete N' removes it.\n",
       Takes::expression, &Session::obey_watch},
      {"break", "", "[EXPR|on ACTION]", "stop where it becomes true; or list breakpoints",
       "'random', 'continue' and 'until' stop at breakpoints; steps by hand only\n"
       "mention them. 'break on ACTION' stops after each action with this part in its\n"
       "label. 'delete N' removes a breakpoint.\n",
       Takes::expression_or_action, &Session::obey_break},
      {"delete", "", "N|all", "remove a breakpoint or a watch, or all", "", Takes::none,
       &Session::obey_delete},
      {"save", "", "[FILE]", "save the run to the current state, as ITF JSON",
       "Without FILE, in the file of the last 'save'. 'tideline trace' shows it,\n"
       "'load' and --from continue it.\n",
       Takes::file, &Session::obey_save},
      {"load", "", "FILE", "continue from the end of a saved run",
       "The run is one of 'save', or of 'tideline check --trace', and is replayed.\n"
       "If the model has changed, the steps that replay are loaded, and the first\n"
       "that does not is explained.\n",
       Takes::file, &Session::obey_load},
      {"seed", "", "N", "set the seed of random steps", "", Takes::none, &Session::obey_seed},
      {"help", "h", "[COMMAND]", "this list, or more about a command", "", Takes::command,
       &Session::obey_help},
      {"quit", "q", "", "end (also Ctrl-D, or the end of a script)", "", Takes::none, &Session::obey_quit},
  });
  return table;
}

const SessionCommand* CommandTable::find(std::string_view word) {
  const auto all = rows();
  const auto found = std::ranges::find_if(all, [&](const SessionCommand& command) {
    return command.name == word || (!word.empty() && command.letter == word);
  });
  return found == all.end() ? nullptr : &*found;
}

const SessionCommand* CommandTable::find_abbreviated(std::string_view word) {
  const SessionCommand* found = nullptr;
  for (const SessionCommand& command : rows()) {
    if (word.empty() || !command.name.starts_with(word)) continue;
    if (found) return nullptr;
    found = &command;
  }
  return found;
}

std::string help_text() {
  std::string text(steps_help);
  for (const SessionCommand& command : CommandTable::rows())
    text += fmt::format("  {:1}  {:<23}{}\n", command.letter, usage_of(command), command.summary);
  return text + std::string(lines_help);
}

std::string help_text(const SessionCommand& command) {
  const std::string letter = command.letter.empty() ? "" : fmt::format(" (or {})", command.letter);
  return fmt::format("{}{}: {}\n{}", usage_of(command), letter, command.summary, command.details);
}

}  // namespace tideline
