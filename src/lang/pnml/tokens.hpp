// The tokens of expressions over nets.
#pragma once

#include <cstdint>

#include "lang/scanner.hpp"

namespace tideline::pnml {

// clang-format off
enum class TokenKind : std::uint8_t {
  end, identifier, number,
  // reserved words
  kw_and, kw_false, kw_imply, kw_not, kw_or, kw_true,
  // punctuation
  less_equal, greater_equal, equal, not_equal, logic_and, logic_or, arrow, less, greater, exclamation, plus, minus,
  star, comma, left_brace, right_brace, left_paren, right_paren,
};
// clang-format on

Vocabulary<TokenKind> vocabulary_of(TokenKind);

using Token = BasicToken<TokenKind>;
using TokenStream = BasicTokenStream<TokenKind>;

}  // namespace tideline::pnml
