// The commands of a session, in one table: their names, their help, and the function that obeys each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "simulate/session.hpp"

namespace tideline {

struct SessionCommand {
  /// What Tab completes after the command.
  enum class Arguments { none, enabled_actions, actions, expression, expression_or_action, file, command };

  std::string_view name;
  std::string_view letter;     ///< the short form; empty: none
  std::string_view arguments;  ///< as the help shows them; empty: none
  std::string_view summary;    ///< a line of `help`
  std::string_view details;    ///< what `help COMMAND` adds: whole lines
  Arguments takes;
  void (Session::*obey)(std::string_view arguments);
};

struct CommandTable {
  static std::span<const SessionCommand> rows();
  /// By name or short form.
  static const SessionCommand* find(std::string_view word);
  /// By the beginning of a name that no other name has.
  static const SessionCommand* find_abbreviated(std::string_view word);
};

/// All commands, a line each.
std::string help_text();
std::string help_text(const SessionCommand& command);

}  // namespace tideline
