#include "lang/dve/tokens.hpp"

#include <fmt/format.h>

#include <utility>

namespace tideline::dve {

Token TokenStream::take() {
  if (at(TokenKind::left_brace)) ++open_braces_;
  if (at(TokenKind::right_brace)) --open_braces_;
  end_of_last_ = current_.text.data() + current_.text.size();
  return std::exchange(current_, lexer_.next());
}

bool TokenStream::accept(TokenKind kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

Token TokenStream::expect(TokenKind kind, std::string_view context) {
  if (!at(kind)) {
    const bool word = kind == TokenKind::identifier && is_reserved(current_.text);
    fail_expected(fmt::format("{}{}{}", describe(kind), context.empty() ? "" : " ", context) +
                  (word ? " that is not a reserved word" : ""));
  }
  return take();
}

void TokenStream::fail(SourcePoint where, std::string message) {
  diagnostics_.error(where, std::move(message));
  throw SyntaxError{};
}

void TokenStream::fail_expected(std::string_view what) {
  fail(current_.where, fmt::format("expected {}, found {}", what, describe(current_)));
}

}  // namespace tideline::dve
