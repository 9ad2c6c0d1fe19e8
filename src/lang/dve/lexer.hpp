// The words of DVE: text in, one token at a time out.
//
// Nothing is stored but the current place, so a file of any size costs no memory here. Comments vanish,
// except those that begin with `//@`: they carry named properties (see docs/properties.md) and are kept as
// they are, with their place, for whoever reads those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/properties.hpp"

namespace tideline::dve {

// clang-format off
enum class TokenKind : std::uint8_t {
  end, identifier, number,
  // reserved words
  kw_accept, kw_and, kw_assert, kw_async, kw_byte, kw_channel, kw_commit, kw_const, kw_effect, kw_false,
  kw_guard, kw_imply, kw_init, kw_int, kw_not, kw_or, kw_process, kw_property, kw_state, kw_sync, kw_system,
  kw_trans, kw_true,
  // punctuation
  arrow, double_arrow, shift_left, shift_right, less_equal, greater_equal, equal, not_equal, logic_and,
  logic_or, less, greater, assign, exclamation, bit_and, bit_or, bit_xor, tilde, plus, minus, star, slash,
  percent, question, dot, comma, semicolon, colon, left_brace, right_brace, left_bracket, right_bracket,
  left_paren, right_paren,
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

/// How a token is written in messages: "'turn'", "the end of the file".
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
  bool read_punctuation(Token& token);
  void skip_garbage();

  std::string_view text_;
  std::size_t offset_ = 0;
  SourcePoint where_;
  Diagnostics& diagnostics_;
  std::vector<PropertyLine> property_lines_;
};

}  // namespace tideline::dve
