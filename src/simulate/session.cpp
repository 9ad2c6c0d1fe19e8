#include "simulate/session.hpp"

#include <fmt/format.h>

#include <utility>

#include "lang/diagnostics.hpp"
#include "simulate/commands.hpp"
#include "simulate/why.hpp"
#include "simulate/words.hpp"

namespace tideline {

namespace {

/// A refusal is a sentence. What is wrong with an expression is shown below it.
std::string refusal_text(const Error& error) {
  const auto& diagnostics = error.diagnostics();
  const Diagnostic& first = diagnostics.front();
  if (diagnostics.size() == 1 && first.file.empty()) return first.message;
  const bool typed = CommandTable::find(first.file) != nullptr;
  if (!typed || first.where.line != 1 || first.source_line.empty()) return error.what();
  return fmt::format("{}\n       {}\n{:{}}^", first.message, first.source_line, "", first.where.column + 6);
}

bool is_condition(Op op) {
  switch (op) {
    case Op::logic_not:
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::logic_and:
    case Op::logic_or:
    case Op::imply:
      return true;
    default:
      return false;
  }
}

std::string unknown_text(std::string_view text) {
  const std::string_view word = first_word(text).word;
  Suggestion suggestion(word);
  for (const SessionCommand& command : CommandTable::rows()) suggestion.offer(command.name);
  return fmt::format("'{}' is not a command, nor a part of the label of an enabled action{}; try help",
                     abbreviate(text), suggestion.text());
}

}  // namespace

Session::Session(const Model& model, SessionOptions options, Output output)
    : model_(model),
      options_(std::move(options)),
      output_(std::move(output)),
      simulation_(model.system, options_.simulation) {}

void Session::show_start() {
  say(place_text() + state_text() + actions_text());
}

Session::Reply Session::obey(std::string_view line) {
  Reply reply;
  if (trimmed(line).starts_with('#')) return reply;
  try {
    for (const std::string_view command : commands_in(line)) {
      obey_command(command);
      if (!goes_on_ || must_stop()) break;
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
    reply.error = refusal_text(error);
  }
  reply.goes_on = goes_on_;
  return reply;
}

void Session::obey_command(std::string_view text) {
  const auto [word, rest] = first_word(text);
  if (const SessionCommand* command = CommandTable::find(word)) return (this->*command->obey)(rest);
  if (obey_steps(text) || take_by_label(unquoted(text))) return;
  if (const SessionCommand* command = CommandTable::find_abbreviated(word))
    return (this->*command->obey)(rest);
  const auto disabled = actions_like(system(), unquoted(text));
  if (disabled.empty()) throw Error(ErrorKind::usage, unknown_text(text));
  throw Error(
      ErrorKind::usage,
      disabled.size() > 1
          ? fmt::format("'{0}' is a part of the labels of {1} actions, none of which is enabled; "
                        "why {0} says what keeps them",
                        abbreviate(text), disabled.size())
          : fmt::format("'{}' is not enabled: {}", system().actions[disabled[0]].label,
                        why_not_enabled(simulation_.reference(), system(), disabled[0], simulation_.state())
                            .front()));
}

void Session::say(std::string_view text) {
  if (!text.empty() && !unheard_) unheard_ = !output_(text);
}

bool Session::must_stop() const {
  return unheard_ || (options_.interrupted && options_.interrupted->load(std::memory_order_relaxed));
}

Expr Session::expression(std::string_view text, std::string_view command) const {
  if (text.empty()) throw Error(ErrorKind::usage, fmt::format("{} needs an expression", command));
  return parse_expression(system(), text, std::string(command));
}

std::string Session::value_text(const Expr& expr) const {
  const auto [value, error] = simulation_.reference().evaluate(expr, simulation_.state());
  if (error.kind != ModelErrorKind::none) return fmt::format("no value ({})", error.message);
  if (is_condition(expr.op)) return value != 0 ? "true" : "false";
  return std::to_string(value);
}

}  // namespace tideline
