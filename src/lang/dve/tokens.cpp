#include "lang/dve/tokens.hpp"

#include <array>

namespace tideline::dve {

namespace {

using Word = Spelling<TokenKind>;

constexpr std::array words{
    Word{"accept", TokenKind::kw_accept},   Word{"and", TokenKind::kw_and},
    Word{"assert", TokenKind::kw_assert},   Word{"async", TokenKind::kw_async},
    Word{"byte", TokenKind::kw_byte},       Word{"channel", TokenKind::kw_channel},
    Word{"commit", TokenKind::kw_commit},   Word{"const", TokenKind::kw_const},
    Word{"effect", TokenKind::kw_effect},   Word{"false", TokenKind::kw_false},
    Word{"guard", TokenKind::kw_guard},     Word{"imply", TokenKind::kw_imply},
    Word{"init", TokenKind::kw_init},       Word{"int", TokenKind::kw_int},
    Word{"not", TokenKind::kw_not},         Word{"or", TokenKind::kw_or},
    Word{"process", TokenKind::kw_process}, Word{"property", TokenKind::kw_property},
    Word{"state", TokenKind::kw_state},     Word{"sync", TokenKind::kw_sync},
    Word{"system", TokenKind::kw_system},   Word{"trans", TokenKind::kw_trans},
    Word{"true", TokenKind::kw_true},
};

// The first match wins, so a spelling stands before its own beginnings.
constexpr std::array punctuation{
    Word{"->", TokenKind::arrow},       Word{"=>", TokenKind::double_arrow},
    Word{"<<", TokenKind::shift_left},  Word{">>", TokenKind::shift_right},
    Word{"<=", TokenKind::less_equal},  Word{">=", TokenKind::greater_equal},
    Word{"==", TokenKind::equal},       Word{"!=", TokenKind::not_equal},
    Word{"&&", TokenKind::logic_and},   Word{"||", TokenKind::logic_or},
    Word{"<", TokenKind::less},         Word{">", TokenKind::greater},
    Word{"=", TokenKind::assign},       Word{"!", TokenKind::exclamation},
    Word{"&", TokenKind::bit_and},      Word{"|", TokenKind::bit_or},
    Word{"^", TokenKind::bit_xor},      Word{"~", TokenKind::tilde},
    Word{"+", TokenKind::plus},         Word{"-", TokenKind::minus},
    Word{"*", TokenKind::star},         Word{"/", TokenKind::slash},
    Word{"%", TokenKind::percent},      Word{"?", TokenKind::question},
    Word{".", TokenKind::dot},          Word{",", TokenKind::comma},
    Word{";", TokenKind::semicolon},    Word{":", TokenKind::colon},
    Word{"{", TokenKind::left_brace},   Word{"}", TokenKind::right_brace},
    Word{"[", TokenKind::left_bracket}, Word{"]", TokenKind::right_bracket},
    Word{"(", TokenKind::left_paren},   Word{")", TokenKind::right_paren},
};

}  // namespace

Vocabulary<TokenKind> vocabulary_of(TokenKind) {
  return {words, punctuation};
}

}  // namespace tideline::dve
