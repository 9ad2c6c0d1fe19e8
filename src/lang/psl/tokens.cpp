#include "lang/psl/tokens.hpp"

#include <array>

#include "lang/operators.hpp"

namespace tideline::psl {

namespace {

using Word = Spelling<TokenKind>;

constexpr auto words = with_shared_words(std::array{
    Word{"alphabet", TokenKind::kw_alphabet},
    Word{"as", TokenKind::kw_as},
    Word{"const", TokenKind::kw_const},
    Word{"forall", TokenKind::kw_forall},
    Word{"hide", TokenKind::kw_hide},
    Word{"minimised", TokenKind::kw_minimised},
    Word{"network", TokenKind::kw_network},
    Word{"process", TokenKind::kw_process},
    Word{"range", TokenKind::kw_range},
    Word{"rename", TokenKind::kw_rename},
    Word{"stop", TokenKind::kw_stop},
    Word{"sync", TokenKind::kw_sync},
    Word{"system", TokenKind::kw_system},
    Word{"tau", TokenKind::kw_tau},
    Word{"when", TokenKind::kw_when},
});

constexpr auto punctuation = with_shared_signs(std::array{
    Word{"..", TokenKind::dots},
    Word{"=", TokenKind::assign},
    Word{"|", TokenKind::bar},
    Word{"/", TokenKind::slash},
    Word{"%", TokenKind::percent},
    Word{".", TokenKind::dot},
    Word{";", TokenKind::semicolon},
    Word{":", TokenKind::colon},
    Word{"[", TokenKind::left_bracket},
    Word{"]", TokenKind::right_bracket},
});

}  // namespace

Vocabulary<TokenKind> vocabulary_of(TokenKind) {
  return {words, punctuation, 1'000'000'000};
}

}  // namespace tideline::psl
