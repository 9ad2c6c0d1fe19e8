// The words of the process language: text in, one token at a time out, with one token of lookahead beyond the
// current one. Comments vanish, except those that begin with `//@`: they carry named properties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/properties.hpp"

namespace tideline::psl {

// clang-format off
enum class TokenKind : std::uint8_t {
  end, identifier, number,
  // reserved words
  kw_alphabet, kw_and, kw_as, kw_const, kw_false, kw_forall, kw_hide, kw_imply, kw_minimised, kw_network, kw_not,
  kw_or, kw_process, kw_range, kw_rename, kw_stop, kw_system, kw_tau, kw_true, kw_when,
  // punctuation
  arrow, dots, less_equal, greater_equal, equal, not_equal, logic_and, bars, less, greater, assign, exclamation,
  bar, plus, minus, star, slash, percent, dot, comma, semicolon, colon, left_brace, right_brace, left_bracket,
  right_bracket, left_paren, right_paren,
};
// clang-format on

/// How the kind is written in messages: "';'", "'process'", "a name".
std::string describe(TokenKind kind);

/// Whether the word means something to the language and so cannot be a name.
bool is_reserved(std::string_view word);

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  ///< part of the source text
  SourcePoint where;
  std::int64_t value = 0;  ///< of a number
};

std::string describe(const Token& token);

class Lexer {
 public:
  /// Reads `text`, whose first character lies at `start`; both outlive the tokens.
  Lexer(std::string_view text, SourcePoint start, Diagnostics& diagnostics)
      : text_(text), where_(start), diagnostics_(diagnostics) {}

  Token next();
  std::vector<PropertyLine> take_property_lines() { return std::move(property_lines_); }

 private:
  bool at_end() const { return offset_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0';
  }
  void advance(std::size_t count);
  void skip_blanks();
  void skip_line_comment();
  void skip_block_comment();
  Token read_word();
  Token read_number();

  std::string_view text_;
  std::size_t offset_ = 0;
  SourcePoint where_;
  Diagnostics& diagnostics_;
  std::vector<PropertyLine> property_lines_;
};

/// Thrown after a syntax error was noted, and caught where the parser can go on.
struct SyntaxError {};

/// The parser's view of a text: the current token, the next one, and how to complain.
class TokenStream {
 public:
  TokenStream(std::string_view text, SourcePoint start, Diagnostics& diagnostics)
      : lexer_(text, start, diagnostics),
        diagnostics_(diagnostics),
        current_(lexer_.next()),
        next_(lexer_.next()) {}

  const Token& current() const { return current_; }
  const Token& next() const { return next_; }
  bool at(TokenKind kind) const { return current_.kind == kind; }
  Diagnostics& diagnostics() { return diagnostics_; }

  Token take();
  bool accept(TokenKind kind);
  /// Takes a token of the kind, or fails with "expected ';' after the range, found '}'".
  Token expect(TokenKind kind, std::string_view context);
  [[noreturn]] void fail(SourcePoint where, std::string message);
  [[noreturn]] void fail_expected(std::string_view what);

  std::vector<PropertyLine> take_property_lines() { return lexer_.take_property_lines(); }

 private:
  Lexer lexer_;
  Diagnostics& diagnostics_;
  Token current_;
  Token next_;
};

}  // namespace tideline::psl
