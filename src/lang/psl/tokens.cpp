#include "lang/psl/tokens.hpp"

#include <array>

namespace tideline::psl {

namespace {

using Word = Spelling<TokenKind>;

constexpr std::array words{
    Word{"alphabet", TokenKind::kw_alphabet},
    Word{"and", TokenKind::kw_and},
    Word{"as", TokenKind::kw_as},
    Word{"const", TokenKind::kw_const},
    Word{"false", TokenKind::kw_false},
    Word{"forall", TokenKind::kw_forall},
    Word{"hide", TokenKind::kw_hide},
    Word{"imply", TokenKind::kw_imply},
    Word{"minimised", TokenKind::kw_minimised},
    Word{"network", TokenKind::kw_network},
    Word{"not", TokenKind::kw_not},
    Word{"or", TokenKind::kw_or},
    Word{"process", TokenKind::kw_process},
    Word{"range", TokenKind::kw_range},
    Word{"rename", TokenKind::kw_rename},
    Word{"stop", TokenKind::kw_stop},
    Word{"sync", TokenKind::kw_sync},
    Word{"system", TokenKind::kw_system},
    Word{"tau", TokenKind::kw_tau},
    Word{"true", TokenKind::kw_true},
    Word{"when", TokenKind::kw_when},
};

// The first match wins, so a spelling stands before its own beginnings.
constexpr std::array punctuation{
    Word{"->", TokenKind::arrow},       Word{"..", TokenKind::dots},
    Word{"<=", TokenKind::less_equal},  Word{">=", TokenKind::greater_equal},
    Word{"==", TokenKind::equal},       Word{"!=", TokenKind::not_equal},
    Word{"&&", TokenKind::logic_and},   Word{"||", TokenKind::bars},
    Word{"<", TokenKind::less},         Word{">", TokenKind::greater},
    Word{"=", TokenKind::assign},       Word{"!", TokenKind::exclamation},
    Word{"|", TokenKind::bar},          Word{"+", TokenKind::plus},
    Word{"-", TokenKind::minus},        Word{"*", TokenKind::star},
    Word{"/", TokenKind::slash},        Word{"%", TokenKind::percent},
    Word{".", TokenKind::dot},          Word{",", TokenKind::comma},
    Word{";", TokenKind::semicolon},    Word{":", TokenKind::colon},
    Word{"{", TokenKind::left_brace},   Word{"}", TokenKind::right_brace},
    Word{"[", TokenKind::left_bracket}, Word{"]", TokenKind::right_bracket},
    Word{"(", TokenKind::left_paren},   Word{")", TokenKind::right_paren},
};

}  // namespace

Vocabulary<TokenKind> vocabulary_of(TokenKind) {
  return {words, punctuation, 1'000'000'000};
}

}  // namespace tideline::psl
