#include "lang/dve/tokens.hpp"

#include <array>

#include "lang/operators.hpp"

namespace tideline::dve {

namespace {

using Word = Spelling<TokenKind>;

constexpr auto words = with_shared_words(std::array{
    Word{"accept", TokenKind::kw_accept},
    Word{"assert", TokenKind::kw_assert},
    Word{"async", TokenKind::kw_async},
    Word{"byte", TokenKind::kw_byte},
    Word{"channel", TokenKind::kw_channel},
    Word{"commit", TokenKind::kw_commit},
    Word{"const", TokenKind::kw_const},
    Word{"effect", TokenKind::kw_effect},
    Word{"guard", TokenKind::kw_guard},
    Word{"init", TokenKind::kw_init},
    Word{"int", TokenKind::kw_int},
    Word{"process", TokenKind::kw_process},
    Word{"property", TokenKind::kw_property},
    Word{"state", TokenKind::kw_state},
    Word{"sync", TokenKind::kw_sync},
    Word{"system", TokenKind::kw_system},
    Word{"trans", TokenKind::kw_trans},
});

constexpr auto punctuation = with_shared_signs(std::array{
    Word{"=>", TokenKind::double_arrow},
    Word{"<<", TokenKind::shift_left},
    Word{">>", TokenKind::shift_right},
    Word{"=", TokenKind::assign},
    Word{"&", TokenKind::bit_and},
    Word{"|", TokenKind::bit_or},
    Word{"^", TokenKind::bit_xor},
    Word{"~", TokenKind::tilde},
    Word{"/", TokenKind::slash},
    Word{"%", TokenKind::percent},
    Word{"?", TokenKind::question},
    Word{".", TokenKind::dot},
    Word{";", TokenKind::semicolon},
    Word{":", TokenKind::colon},
    Word{"[", TokenKind::left_bracket},
    Word{"]", TokenKind::right_bracket},
});

}  // namespace

Vocabulary<TokenKind> vocabulary_of(TokenKind) {
  return {.words = words, .punctuation = punctuation, .name_signs = "$#", .continued_lines = true};
}

}  // namespace tideline::dve
