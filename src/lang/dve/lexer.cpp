#include "lang/dve/lexer.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace tideline::dve {

namespace {

struct Spelling {
  std::string_view text;
  TokenKind kind;
};

constexpr std::array words{
    Spelling{"accept", TokenKind::kw_accept},   Spelling{"and", TokenKind::kw_and},
    Spelling{"assert", TokenKind::kw_assert},   Spelling{"async", TokenKind::kw_async},
    Spelling{"byte", TokenKind::kw_byte},       Spelling{"channel", TokenKind::kw_channel},
    Spelling{"commit", TokenKind::kw_commit},   Spelling{"const", TokenKind::kw_const},
    Spelling{"effect", TokenKind::kw_effect},   Spelling{"false", TokenKind::kw_false},
    Spelling{"guard", TokenKind::kw_guard},     Spelling{"imply", TokenKind::kw_imply},
    Spelling{"init", TokenKind::kw_init},       Spelling{"int", TokenKind::kw_int},
    Spelling{"not", TokenKind::kw_not},         Spelling{"or", TokenKind::kw_or},
    Spelling{"process", TokenKind::kw_process}, Spelling{"property", TokenKind::kw_property},
    Spelling{"state", TokenKind::kw_state},     Spelling{"sync", TokenKind::kw_sync},
    Spelling{"system", TokenKind::kw_system},   Spelling{"trans", TokenKind::kw_trans},
    Spelling{"true", TokenKind::kw_true},
};

// The first match wins, so a spelling stands before its own beginnings.
constexpr std::array punctuation{
    Spelling{"->", TokenKind::arrow},       Spelling{"=>", TokenKind::double_arrow},
    Spelling{"<<", TokenKind::shift_left},  Spelling{">>", TokenKind::shift_right},
    Spelling{"<=", TokenKind::less_equal},  Spelling{">=", TokenKind::greater_equal},
    Spelling{"==", TokenKind::equal},       Spelling{"!=", TokenKind::not_equal},
    Spelling{"&&", TokenKind::logic_and},   Spelling{"||", TokenKind::logic_or},
    Spelling{"<", TokenKind::less},         Spelling{">", TokenKind::greater},
    Spelling{"=", TokenKind::assign},       Spelling{"!", TokenKind::exclamation},
    Spelling{"&", TokenKind::bit_and},      Spelling{"|", TokenKind::bit_or},
    Spelling{"^", TokenKind::bit_xor},      Spelling{"~", TokenKind::tilde},
    Spelling{"+", TokenKind::plus},         Spelling{"-", TokenKind::minus},
    Spelling{"*", TokenKind::star},         Spelling{"/", TokenKind::slash},
    Spelling{"%", TokenKind::percent},      Spelling{"?", TokenKind::question},
    Spelling{".", TokenKind::dot},          Spelling{",", TokenKind::comma},
    Spelling{";", TokenKind::semicolon},    Spelling{":", TokenKind::colon},
    Spelling{"{", TokenKind::left_brace},   Spelling{"}", TokenKind::right_brace},
    Spelling{"[", TokenKind::left_bracket}, Spelling{"]", TokenKind::right_bracket},
    Spelling{"(", TokenKind::left_paren},   Spelling{")", TokenKind::right_paren},
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool continues_word(char c) {
  return begins_word(c) || is_digit(c);
}

const Spelling* find_punctuation(std::string_view text) {
  for (const Spelling& s : punctuation)
    if (text.starts_with(s.text)) return &s;
  return nullptr;
}

}  // namespace

std::string describe(TokenKind kind) {
  switch (kind) {
    case TokenKind::end:
      return "the end of the text";
    case TokenKind::identifier:
      return "a name";
    case TokenKind::number:
      return "a number";
    default:
      break;
  }
  for (const Spelling& s : words)
    if (s.kind == kind) return fmt::format("'{}'", s.text);
  for (const Spelling& s : punctuation)
    if (s.kind == kind) return fmt::format("'{}'", s.text);
  return {};
}

std::string describe(const Token& token) {
  return token.kind == TokenKind::end ? describe(token.kind) : fmt::format("'{}'", abbreviate(token.text));
}

bool is_reserved(std::string_view word) {
  for (const Spelling& s : words)
    if (s.text == word) return true;
  return false;
}

Token Lexer::next() {
  for (;;) {
    skip_blanks();
    Token token{TokenKind::end, text_.substr(std::min(offset_, text_.size()), 0), where_};
    if (at_end()) return token;
    if (begins_word(peek())) return read_word();
    if (is_digit(peek())) return read_number();
    if (read_punctuation(token)) return token;
    skip_garbage();
  }
}

void Lexer::advance(std::size_t count) {
  for (; count > 0 && !at_end(); --count, ++offset_) {
    if (text_[offset_] == '\n') {
      ++where_.line;
      where_.column = 1;
    } else {
      ++where_.column;
    }
  }
}

void Lexer::skip_blanks() {
  while (!at_end()) {
    if (is_blank(peek()))
      advance(1);
    else if (peek() == '/' && peek(1) == '/')
      skip_line_comment();
    else if (peek() == '/' && peek(1) == '*')
      skip_block_comment();
    else
      return;
  }
}

void Lexer::skip_line_comment() {
  const std::size_t length = std::min(text_.find('\n', offset_), text_.size()) - offset_;
  if (peek(2) == '@') {
    const SourcePoint where{where_.line, where_.column + 3};
    property_lines_.push_back({where, std::string(text_.substr(offset_ + 3, length - 3))});
  }
  advance(length);
}

void Lexer::skip_block_comment() {
  const SourcePoint begin = where_;
  const std::size_t close = text_.find("*/", offset_ + 2);
  if (close == std::string_view::npos) {
    advance(text_.size() - offset_);
    diagnostics_.error(begin, "this comment is never closed");
    return;
  }
  advance(close + 2 - offset_);
}

Token Lexer::read_word() {
  std::size_t length = 1;
  while (continues_word(peek(length))) ++length;
  Token token{TokenKind::identifier, text_.substr(offset_, length), where_};
  for (const Spelling& s : words)
    if (s.text == token.text) token.kind = s.kind;
  advance(length);
  return token;
}

Token Lexer::read_number() {
  std::size_t length = 1;
  while (continues_word(peek(length))) ++length;
  Token token{TokenKind::number, text_.substr(offset_, length), where_};
  const char* end = token.text.data() + length;
  const auto [stop, status] = std::from_chars(token.text.data(), end, token.value);
  if (status == std::errc::result_out_of_range)
    diagnostics_.error(where_, fmt::format("the number {} is too large", abbreviate(token.text)));
  else if (stop != end)
    diagnostics_.error(where_, fmt::format("'{}' is neither a number nor a name", abbreviate(token.text)));
  advance(length);
  return token;
}

bool Lexer::read_punctuation(Token& token) {
  const Spelling* found = find_punctuation(text_.substr(offset_, 2));
  if (found == nullptr) return false;
  token.kind = found->kind;
  token.text = text_.substr(offset_, found->text.size());
  advance(found->text.size());
  return true;
}

// One message for a whole run of characters that mean nothing.
void Lexer::skip_garbage() {
  const SourcePoint begin = where_;
  const auto c = static_cast<unsigned char>(peek());
  const auto means_nothing = [&] {
    return !at_end() && !is_blank(peek()) && !continues_word(peek()) &&
           !find_punctuation(text_.substr(offset_, 2));
  };
  while (means_nothing()) advance(1);
  diagnostics_.error(begin, c > 0x20 && c < 0x7f
                                ? fmt::format("unexpected character '{}'", static_cast<char>(c))
                                : fmt::format("unexpected character with code {}", c));
}

}  // namespace tideline::dve
