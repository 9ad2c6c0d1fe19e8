// Tokens of Promela, as the preprocessor hands them to the parser.
//
// Macros make text that stands nowhere in a file, so a token owns its spelling. Its place is the one a user
// looks for: where it is written, or where the outermost macro that made it is used.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.hpp"
#include "model/expr.hpp"

namespace tideline::promela {

enum class TokenKind : std::uint8_t {
  end,
  name,    ///< identifiers and reserved words alike
  number,  ///< also characters: 'a'
  text,    ///< a string, with its quotes
  sign,    ///< an operator or a bracket
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string spelling = {};
  SourcePoint where{};
  std::int64_t value = 0;    ///< of a number
  bool after_blank = false;  ///< a blank or the beginning of a line is before it
  bool from_macro = false;   ///< made by a macro: the text at `where` is another one

  bool is(std::string_view text) const {
    return (kind == TokenKind::sign || kind == TokenKind::name) && spelling == text;
  }
};

/// A binary operator. Levels are those of C; higher ones bind tighter.
struct BinaryLevel {
  std::string_view sign;
  int level;
  Op op;
};
/// Nothing: the token is not a binary operator.
const BinaryLevel* level_of(const Token& token);

constexpr std::array<std::string_view, 9> type_names{"bit",      "bool",  "byte", "short", "int",
                                                     "unsigned", "mtype", "chan", "pid"};

/// Embedded C ends the reading: what follows is not Promela, and errors in it say nothing. Throws Error(input).
[[noreturn]] void refuse_embedded_c(const SourceText& source, const Token& token);

/// "1 argument", "2 arguments"
std::string count_of(std::size_t count, std::string_view what);

/// Whether the word cannot name a variable.
bool is_reserved_word(std::string_view word);

/// Cuts one line, or the rest of one, into tokens. Comments are blanks by then.
/// `fault` receives what is wrong with a character, if something is.
struct LexicalFault {
  SourcePoint where;
  std::string message;
};
void tokenize(std::string_view line, SourcePoint start, std::vector<Token>& tokens,
              std::vector<LexicalFault>& faults);

/// The tokens as text, with blanks where they had some.
std::string to_text(const std::vector<Token>& tokens);

}  // namespace tideline::promela
