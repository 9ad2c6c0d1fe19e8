#include "lang/dve/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tideline::dve {

namespace {

constexpr std::array<std::string_view, 12> foreign_types = {"bit",    "bool",  "boolean", "char",
                                                            "double", "enum",  "float",   "int16",
                                                            "long",   "short", "string",  "unsigned"};

[[noreturn]] void fail_here(TokenStream& tokens, std::string message) {
  tokens.fail(tokens.current().where, std::move(message));
}

}  // namespace

void refuse_foreign_operator(TokenStream& tokens) {
  if (tokens.at(TokenKind::assign)) fail_here(tokens, "'=' assigns a value; a comparison is written '=='");
  if (tokens.at(TokenKind::arrow) || tokens.at(TokenKind::double_arrow))
    fail_here(tokens, fmt::format("'{}' is not an operator; an implication is written 'imply'",
                                  tokens.current().text));
  if (!tokens.at(TokenKind::identifier)) return;
  std::string word(tokens.current().text);
  std::ranges::transform(word, word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  if (word == "and" || word == "or" || word == "imply")
    fail_here(tokens,
              fmt::format("'{}' is not an operator; it is written '{}'", tokens.current().text, word));
}

void refuse_stray_assignment(TokenStream& tokens) {
  if (!tokens.at(TokenKind::identifier)) return;
  if (tokens.next().kind == TokenKind::assign || tokens.next().kind == TokenKind::left_bracket)
    fail_here(tokens, "write all assignments of a transition in one 'effect', separated by ','");
}

void refuse_foreign_assignment(TokenStream& tokens, std::string_view target) {
  const std::string x = abbreviate(target);
  if (tokens.at(TokenKind::equal)) fail_here(tokens, "'==' compares; an assignment is written '='");
  const Token first = tokens.current();
  const Token second = tokens.next();
  if (first.kind == TokenKind::colon && second.kind == TokenKind::assign)
    fail_here(tokens, "':=' is not an operator; an assignment is written '='");
  const bool adds = first.kind == TokenKind::plus || first.kind == TokenKind::minus;
  if (adds && second.kind == first.kind)
    fail_here(tokens, fmt::format("'{0}{0}' is not an operator; write '{1} = {1} {0} 1'", first.text, x));
  const bool computes = adds || first.kind == TokenKind::star || first.kind == TokenKind::slash ||
                        first.kind == TokenKind::percent;
  if (computes && second.kind == TokenKind::assign)
    fail_here(tokens, fmt::format("'{0}=' is not an operator; write '{1} = {1} {0} ...'", first.text, x));
}

void refuse_foreign_declaration(TokenStream& tokens) {
  if (!tokens.at(TokenKind::identifier)) return;
  if (tokens.next().kind == TokenKind::identifier) refuse_foreign_type(tokens);
  if (tokens.next().kind == TokenKind::left_paren || tokens.current().text == "define")
    fail_here(tokens, fmt::format("'{}' looks like a macro; expand macros first, for example with m4",
                                  abbreviate(tokens.current().text)));
}

void refuse_foreign_type(TokenStream& tokens) {
  const std::string_view word = tokens.current().text;
  if (std::ranges::find(foreign_types, word) == foreign_types.end()) return;
  fail_here(tokens, word.starts_with("bool") || word == "bit"
                        ? fmt::format("there is no type '{}'; use 'byte', where 0 is false", word)
                        : fmt::format("there is no type '{}'; the types are 'byte' (0..255) and 'int' "
                                      "(-32768..32767)",
                                      word));
}

void refuse_extension(TokenStream& tokens, std::string_view what) {
  fail_here(tokens, fmt::format("{} is an extension of DVE, which --strict refuses", what));
}

void refuse_process_parameters(TokenStream& tokens, std::string_view process) {
  if (!tokens.at(TokenKind::left_bracket) && !tokens.at(TokenKind::left_paren)) return;
  const std::string name = abbreviate(process);
  tokens.diagnostics().error(
      tokens.current().where,
      fmt::format("{}; write '{}[i < N]' for N of them, in which i is 0, 1 and so on",
                  tokens.at(TokenKind::left_bracket) ? "a number of processes has a name for each"
                                                     : "processes have no parameters",
                  name));
  const TokenKind close =
      tokens.at(TokenKind::left_bracket) ? TokenKind::right_bracket : TokenKind::right_paren;
  while (!tokens.at(close) && !tokens.at(TokenKind::left_brace) && !tokens.at(TokenKind::end)) tokens.take();
  tokens.accept(close);
}

}  // namespace tideline::dve
