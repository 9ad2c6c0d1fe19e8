// The parser's view of a text: the current token, and how to complain about it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/dve/lexer.hpp"

namespace tideline::dve {

/// Thrown after a syntax error was noted, and caught where the parser can go on.
struct SyntaxError {};

class TokenStream {
 public:
  TokenStream(std::string_view text, SourcePoint start, Diagnostics& diagnostics)
      : lexer_(text, start, diagnostics), diagnostics_(diagnostics), current_(lexer_.next()) {}

  const Token& current() const { return current_; }
  bool at(TokenKind kind) const { return current_.kind == kind; }
  Diagnostics& diagnostics() { return diagnostics_; }
  /// How many braces are open before the current token.
  int open_braces() const { return open_braces_; }
  /// Recovery may decide that braces were left open by mistake.
  void set_open_braces(int count) { open_braces_ = count; }
  /// Where the last taken token ended in the text.
  const char* end_of_last() const { return end_of_last_; }

  Token take();
  bool accept(TokenKind kind);
  /// Takes a token of the kind, or fails with "expected ';' after the guard, found '}'".
  Token expect(TokenKind kind, std::string_view context);
  [[noreturn]] void fail(SourcePoint where, std::string message);
  [[noreturn]] void fail_expected(std::string_view what);

  std::vector<PropertyLine> take_property_lines() { return lexer_.take_property_lines(); }

 private:
  Lexer lexer_;
  Diagnostics& diagnostics_;
  Token current_;
  int open_braces_ = 0;
  const char* end_of_last_ = nullptr;
};

}  // namespace tideline::dve
