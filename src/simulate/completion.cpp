// What Tab offers. A word is completed by what can stand in its place: a command or the label of an enabled
// action at the beginning of a line, then whatever the command takes.
#include <algorithm>
#include <filesystem>
#include <set>

#include "simulate/commands.hpp"
#include "simulate/session.hpp"
#include "simulate/words.hpp"

namespace tideline {

namespace {

using Words = std::set<std::string>;

constexpr std::size_t most_words = 2000;

void add_if_begins(Words& words, std::string_view word, std::string_view beginning) {
  if (word.starts_with(beginning) && words.size() < most_words) words.emplace(word);
}

void add_commands(Words& words, std::string_view beginning) {
  for (const SessionCommand& command : CommandTable::rows()) add_if_begins(words, command.name, beginning);
}

void add_labels(Words& words, const System& system, const std::vector<ActionId>& actions,
                std::string_view beginning) {
  for (const ActionId action : actions) add_if_begins(words, system.actions[action].label, beginning);
}

void add_all_labels(Words& words, const System& system, std::string_view beginning) {
  for (const Action& action : system.actions) add_if_begins(words, action.label, beginning);
  for (const Component& component : system.components) add_if_begins(words, component.name, beginning);
}

bool is_part_of_name(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_';
}

/// Names in an expression are completed piece by piece: a process, then one of its locations ("P.wait") or its
/// variables as the language writes them ("P->x").
void add_names(Words& words, const System& system, std::string_view beginning) {
  for (const Variable& variable : system.variables) {
    if (variable.owner == no_component || variable.is_location) {
      add_if_begins(words, variable.name, beginning);
    } else if (system.language == "dve") {
      const std::string& process = system.components[variable.owner].name;
      if (beginning.starts_with(process + "-"))
        add_if_begins(words, process + "->" + variable.name, beginning);
    } else {
      add_if_begins(words, system.slots[variable.first].name, beginning);
    }
  }
  for (const Proposition& p : system.propositions) add_if_begins(words, p.name, beginning);
  for (const Component& component : system.components) {
    if (component.location_slot != no_slot) add_if_begins(words, component.name, beginning);
    if (beginning.starts_with(component.name + "."))
      for (const Location& location : component.locations)
        add_if_begins(words, component.name + "." + location.name, beginning);
  }
}

/// Completes the name at the end of an expression, and returns where it begins. Names of some languages have
/// more in them than letters ("Voter(0).No"), so the longest end of the text that a name begins with counts.
std::size_t complete_name(Words& words, const System& system, std::string_view text) {
  for (std::size_t begin = 0; begin <= text.size(); ++begin) {
    const char before = begin == 0 ? ' ' : text[begin - 1];
    if (is_part_of_name(before) || before == '.' || text.substr(0, begin).ends_with("->")) continue;
    add_names(words, system, text.substr(begin));
    // The name of a process alone is seldom all of it.
    if (words.size() == 1)
      if (const auto process = system.find_component(*words.begin()))
        add_names(words, system, system.components[*process].name + ".");
    if (!words.empty()) return begin;
  }
  return text.size();
}

void add_files(Words& words, std::string_view beginning) {
  namespace fs = std::filesystem;
  const std::size_t slash = beginning.rfind('/');
  const std::string folder(slash == std::string_view::npos ? "" : beginning.substr(0, slash + 1));
  std::error_code error;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') && !beginning.substr(folder.size()).starts_with('.')) continue;
    std::error_code unknown;
    add_if_begins(words, folder + name + (at->is_directory(unknown) ? "/" : ""), beginning);
  }
}

std::size_t begin_of_last_command(std::string_view line) {
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == ';' && !quoted) begin = i + 1;
  }
  return std::min(line.find_first_not_of(" \t", begin), line.size());
}

}  // namespace

Session::Completion Session::complete(std::string_view line) const {
  using Takes = SessionCommand::Arguments;
  const std::size_t begin = begin_of_last_command(line);
  const std::string_view text = line.substr(begin);
  const std::size_t blank = text.find_first_of(" \t");
  Words words;
  const auto result = [&](std::size_t from) { return Completion{from, {words.begin(), words.end()}}; };

  const SessionCommand* command = nullptr;
  if (blank != std::string_view::npos) {
    command = CommandTable::find(text.substr(0, blank));
    if (!command) command = CommandTable::find_abbreviated(text.substr(0, blank));
  }
  if (!command) {
    if (blank == std::string_view::npos) add_commands(words, text);
    add_labels(words, system(), simulation_.enabled(), text);
    return result(begin);
  }

  std::size_t from = std::min(line.find_first_not_of(" \t", begin + blank), line.size());
  Takes takes = command->takes;
  if (takes == Takes::expression_or_action) {
    const auto [word, rest] = first_word(line.substr(from));
    takes = Takes::expression;
    if (word == "on" && line.size() > from + word.size()) {
      takes = Takes::actions;
      from = std::min(line.find_first_not_of(" \t", from + word.size()), line.size());
    }
  }
  const std::string_view arguments = line.substr(from);
  switch (takes) {
    case Takes::command:
      add_commands(words, arguments);
      break;
    case Takes::enabled_actions:
      add_labels(words, system(), simulation_.enabled(), arguments);
      break;
    case Takes::actions:
      add_all_labels(words, system(), arguments);
      break;
    case Takes::file:
      add_files(words, arguments);
      break;
    case Takes::expression: {
      const std::size_t name = complete_name(words, system(), arguments);
      return result(from + name);
    }
    default:
      break;
  }
  return result(from);
}

}  // namespace tideline
