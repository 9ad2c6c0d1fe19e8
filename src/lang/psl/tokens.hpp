// The tokens of the process language.
#pragma once

#include <cstdint>

#include "lang/scanner.hpp"

namespace tideline::psl {

// clang-format off
enum class TokenKind : std::uint8_t {
  end, identifier, number,
  // reserved words
  kw_alphabet, kw_and, kw_as, kw_const, kw_false, kw_forall, kw_hide, kw_imply, kw_minimised, kw_network, kw_not,
  kw_or, kw_process, kw_range, kw_rename, kw_stop, kw_sync, kw_system, kw_tau, kw_true, kw_when,
  // punctuation
  arrow, dots, less_equal, greater_equal, equal, not_equal, logic_and, logic_or, less, greater, assign, exclamation,
  bar, plus, minus, star, slash, percent, dot, comma, semicolon, colon, left_brace, right_brace, left_bracket,
  right_bracket, left_paren, right_paren,
};
// clang-format on

Vocabulary<TokenKind> vocabulary_of(TokenKind);

using Token = BasicToken<TokenKind>;
using TokenStream = BasicTokenStream<TokenKind>;

}  // namespace tideline::psl
