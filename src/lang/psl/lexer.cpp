#include "lang/psl/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace tideline::psl {

namespace {

struct Spelling {
  std::string_view text;
  TokenKind kind;
};

constexpr std::array words{
    Spelling{"alphabet", TokenKind::kw_alphabet},
    Spelling{"and", TokenKind::kw_and},
    Spelling{"as", TokenKind::kw_as},
    Spelling{"const", TokenKind::kw_const},
    Spelling{"false", TokenKind::kw_false},
    Spelling{"forall", TokenKind::kw_forall},
    Spelling{"hide", TokenKind::kw_hide},
    Spelling{"imply", TokenKind::kw_imply},
    Spelling{"minimised", TokenKind::kw_minimised},
    Spelling{"network", TokenKind::kw_network},
    Spelling{"not", TokenKind::kw_not},
    Spelling{"or", TokenKind::kw_or},
    Spelling{"process", TokenKind::kw_process},
    Spelling{"range", TokenKind::kw_range},
    Spelling{"rename", TokenKind::kw_rename},
    Spelling{"stop", TokenKind::kw_stop},
    Spelling{"system", TokenKind::kw_system},
    Spelling{"tau", TokenKind::kw_tau},
    Spelling{"true", TokenKind::kw_true},
    Spelling{"when", TokenKind::kw_when},
};

// The first match wins, so a spelling stands before its own beginnings.
constexpr std::array punctuation{
    Spelling{"->", TokenKind::arrow},       Spelling{"..", TokenKind::dots},
    Spelling{"<=", TokenKind::less_equal},  Spelling{">=", TokenKind::greater_equal},
    Spelling{"==", TokenKind::equal},       Spelling{"!=", TokenKind::not_equal},
    Spelling{"&&", TokenKind::logic_and},   Spelling{"||", TokenKind::bars},
    Spelling{"<", TokenKind::less},         Spelling{">", TokenKind::greater},
    Spelling{"=", TokenKind::assign},       Spelling{"!", TokenKind::exclamation},
    Spelling{"|", TokenKind::bar},          Spelling{"+", TokenKind::plus},
    Spelling{"-", TokenKind::minus},        Spelling{"*", TokenKind::star},
    Spelling{"/", TokenKind::slash},        Spelling{"%", TokenKind::percent},
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
  return std::any_of(words.begin(), words.end(), [&](const Spelling& s) { return s.text == word; });
}

Token Lexer::next() {
  for (;;) {
    skip_blanks();
    if (at_end()) return {TokenKind::end, text_.substr(text_.size(), 0), where_};
    if (begins_word(peek())) return read_word();
    if (is_digit(peek())) return read_number();
    if (const Spelling* found = find_punctuation(text_.substr(offset_, 2))) {
      const Token token{found->kind, text_.substr(offset_, found->text.size()), where_};
      advance(found->text.size());
      return token;
    }
    const auto c = static_cast<unsigned char>(peek());
    diagnostics_.error(where_, c > 0x20 && c < 0x7f
                                   ? fmt::format("unexpected character '{}'", static_cast<char>(c))
                                   : fmt::format("unexpected character with code {}", c));
    advance(1);
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
  if (peek(2) == '@')
    property_lines_.push_back(
        {{where_.line, where_.column + 3}, std::string(text_.substr(offset_ + 3, length - 3))});
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
  if (status == std::errc::result_out_of_range || token.value > 1'000'000'000)
    diagnostics_.error(where_, fmt::format("the number {} is too large", abbreviate(token.text)));
  else if (stop != end)
    diagnostics_.error(where_, fmt::format("'{}' is neither a number nor a name", abbreviate(token.text)));
  advance(length);
  return token;
}

Token TokenStream::take() {
  return std::exchange(current_, std::exchange(next_, lexer_.next()));
}

bool TokenStream::accept(TokenKind kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

Token TokenStream::expect(TokenKind kind, std::string_view context) {
  if (!at(kind)) {
    const bool word = kind == TokenKind::identifier && is_reserved(current_.text);
    fail_expected(fmt::format("{}{}{}", describe(kind), context.empty() ? "" : " ", context) +
                  (word ? " that is not a reserved word" : ""));
  }
  return take();
}

void TokenStream::fail(SourcePoint where, std::string message) {
  diagnostics_.error(where, std::move(message));
  throw SyntaxError{};
}

void TokenStream::fail_expected(std::string_view what) {
  fail(current_.where, fmt::format("expected {}, found {}", what, describe(current_)));
}

}  // namespace tideline::psl
