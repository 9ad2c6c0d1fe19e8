// The tokens of DVE.
#pragma once

#include <cstdint>

#include "lang/scanner.hpp"

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

Vocabulary<TokenKind> vocabulary_of(TokenKind);

using Token = BasicToken<TokenKind>;
using TokenStream = BasicTokenStream<TokenKind>;

}  // namespace tideline::dve
