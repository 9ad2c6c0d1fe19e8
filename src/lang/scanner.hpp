// Scanner: turns the text of a language into tokens, one at a time; TokenStream is the parser's view of them.
//
// Languages differ in their reserved words and punctuation only, which is their Vocabulary; names, numbers,
// comments and messages are the same in all. `Kind` is an enumeration of a language with `end`, `identifier`
// and `number` in it, and vocabulary_of(Kind) beside it defines the rest.
//
// Only the current place is stored, so a file of any size costs no memory here. Comments vanish, except
// those that begin with `//@`: they carry named properties (see docs/properties.md) and are kept as they
// are, with their place.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/properties.hpp"
#include "model/nesting.hpp"

namespace tideline {

template <class Kind>
struct Spelling {
  std::string_view text;
  Kind kind;
};

template <class Kind>
struct Vocabulary {
  std::span<const Spelling<Kind>> words;        ///< reserved ones
  std::span<const Spelling<Kind>> punctuation;  ///< the first match wins: longer ones come first
  std::int64_t largest_number = std::numeric_limits<std::int64_t>::max();
  bool quoted_names = false;  ///< "odd name" and 'odd name' are names: what is between the quotes
  std::string_view name_signs =
      {};  ///< what a name may contain after its first character besides letters and digits
  bool continued_lines = false;  ///< a backslash at the end of a line is a blank
};

template <class Kind>
struct BasicToken {
  Kind kind = Kind::end;
  std::string_view text;  ///< part of the source text
  SourcePoint where;
  std::int64_t value = 0;  ///< of a number
};

/// How the kind is written in messages: "';'", "'process'", "a name".
template <class Kind>
std::string describe(Kind kind) {
  if (kind == Kind::end) return "the end of the text";
  if (kind == Kind::identifier) return "a name";
  if (kind == Kind::number) return "a number";
  const Vocabulary<Kind> vocabulary = vocabulary_of(kind);
  for (const auto& spellings : {vocabulary.words, vocabulary.punctuation})
    for (const Spelling<Kind>& s : spellings)
      if (s.kind == kind) return fmt::format("'{}'", s.text);
  return {};
}

/// How a token is written in messages: "'turn'", "the end of the text".
template <class Kind>
std::string describe(const BasicToken<Kind>& token) {
  return token.kind == Kind::end ? describe(token.kind) : fmt::format("'{}'", abbreviate(token.text));
}

/// Whether the word is reserved and so cannot be a name.
template <class Kind>
bool is_reserved(std::string_view word) {
  return std::ranges::any_of(vocabulary_of(Kind{}).words, [&](const auto& s) { return s.text == word; });
}

template <class Kind>
class Scanner {
 public:
  using Token = BasicToken<Kind>;

  /// Reads `text`, whose first character lies at `start`; both outlive the tokens.
  Scanner(std::string_view text, SourcePoint start, Diagnostics& diagnostics)
      : text_(text), where_(start), diagnostics_(diagnostics) {}

  Token next() {
    for (;;) {
      skip_blanks();
      if (at_end()) return {Kind::end, text_.substr(text_.size(), 0), where_};
      if (begins_word(peek())) return read_word();
      if (is_digit(peek())) return read_number();
      if (vocabulary_.quoted_names && (peek() == '"' || peek() == '\'')) return read_quoted();
      if (const Spelling<Kind>* found = punctuation_here()) {
        const Token token{found->kind, text_.substr(offset_, found->text.size()), where_};
        advance(found->text.size());
        return token;
      }
      skip_garbage();
    }
  }
  std::vector<PropertyLine> take_property_lines() { return std::move(property_lines_); }

 private:
  static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  bool continues_word(char c) const {
    return begins_word(c) || is_digit(c) || vocabulary_.name_signs.find(c) != std::string_view::npos;
  }

  bool at_end() const { return offset_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0';
  }

  void advance(std::size_t count) {
    for (; count > 0 && !at_end(); --count, ++offset_) {
      if (text_[offset_] == '\n') {
        ++where_.line;
        where_.column = 1;
      } else {
        ++where_.column;
      }
    }
  }

  void skip_blanks() {
    while (!at_end()) {
      if (is_blank(peek()))
        advance(1);
      else if (peek() == '/' && peek(1) == '/')
        skip_line_comment();
      else if (peek() == '/' && peek(1) == '*')
        skip_block_comment();
      else if (vocabulary_.continued_lines && at_continued_line())
        advance(1);
      else
        return;
    }
  }

  /// Whether there are only blanks between a backslash here and the end of the line.
  bool at_continued_line() const {
    if (peek() != '\\') return false;
    const std::size_t next = text_.find_first_not_of(" \t\r", offset_ + 1);
    return next != std::string_view::npos && text_[next] == '\n';
  }

  void skip_line_comment() {
    const std::size_t length = std::min(text_.find('\n', offset_), text_.size()) - offset_;
    if (peek(2) == '@') {
      const SourcePoint where{where_.line, where_.column + 3};
      property_lines_.push_back({where, std::string(text_.substr(offset_ + 3, length - 3))});
    }
    advance(length);
  }

  void skip_block_comment() {
    const SourcePoint begin = where_;
    const std::size_t close = text_.find("*/", offset_ + 2);
    if (close == std::string_view::npos) {
      advance(text_.size() - offset_);
      diagnostics_.error(begin, "this comment is never closed");
      return;
    }
    advance(close + 2 - offset_);
  }

  std::size_t word_length() const {
    std::size_t length = 1;
    while (continues_word(peek(length))) ++length;
    return length;
  }

  Token read_word() {
    const std::size_t length = word_length();
    Token token{Kind::identifier, text_.substr(offset_, length), where_};
    for (const Spelling<Kind>& s : vocabulary_.words)
      if (s.text == token.text) token.kind = s.kind;
    advance(length);
    return token;
  }

  Token read_quoted() {
    const SourcePoint begin = where_;
    const std::size_t close = text_.find(peek(), offset_ + 1);
    const std::size_t end = std::min(close, text_.size());
    if (close == std::string_view::npos) diagnostics_.error(begin, "this quote is not closed");
    const Token token{Kind::identifier, text_.substr(offset_ + 1, end - offset_ - 1), begin};
    advance(end + 1 - offset_);
    return token;
  }

  Token read_number() {
    const std::size_t length = word_length();
    Token token{Kind::number, text_.substr(offset_, length), where_};
    const char* end = token.text.data() + length;
    const auto [stop, status] = std::from_chars(token.text.data(), end, token.value);
    if (status == std::errc::result_out_of_range || token.value > vocabulary_.largest_number)
      diagnostics_.error(where_, fmt::format("the number {} is too large", abbreviate(token.text)));
    else if (stop != end)
      diagnostics_.error(where_, fmt::format("'{}' is neither a number nor a name{}", abbreviate(token.text),
                                             is_hexadecimal(token.text) ? "; numbers are decimal" : ""));
    advance(length);
    return token;
  }

  static bool is_hexadecimal(std::string_view text) {
    return text.starts_with("0x") || text.starts_with("0X");
  }

  const Spelling<Kind>* punctuation_here() const {
    for (const Spelling<Kind>& s : vocabulary_.punctuation)
      if (text_.substr(offset_).starts_with(s.text)) return &s;
    return nullptr;
  }

  /// One message for a whole run of invalid characters. A letter that is not ASCII belongs to a word, and so
  /// does what follows it.
  void skip_garbage() {
    const SourcePoint begin = where_;
    const auto c = static_cast<unsigned char>(peek());
    const bool foreign = c >= 0x80;
    while (!at_end() && !is_blank(peek()) && (foreign || !(begins_word(peek()) || is_digit(peek()))) &&
           !punctuation_here())
      advance(1);
    diagnostics_.error(begin, foreign ? "only comments can contain characters that are not ASCII"
                              : c > 0x20 && c < 0x7f
                                  ? fmt::format("unexpected character '{}'", static_cast<char>(c))
                                  : fmt::format("unexpected character with code {}", c));
  }

  Vocabulary<Kind> vocabulary_ = vocabulary_of(Kind{});
  std::string_view text_;
  std::size_t offset_ = 0;
  SourcePoint where_;
  Diagnostics& diagnostics_;
  std::vector<PropertyLine> property_lines_;
};

/// Thrown after a syntax error was recorded, and caught where the parser can continue.
struct SyntaxError {};

/// The parser's view of a text: the current token, the next one, and how to report errors.
template <class Kind>
class BasicTokenStream {
 public:
  using Token = BasicToken<Kind>;

  BasicTokenStream(std::string_view text, SourcePoint start, Diagnostics& diagnostics)
      : scanner_(text, start, diagnostics), diagnostics_(diagnostics), current_(scanner_.next()) {}

  const Token& current() const { return current_; }
  /// The one after it, which is read on demand.
  const Token& next() {
    if (!next_) next_ = scanner_.next();
    return *next_;
  }
  bool at(Kind kind) const { return current_.kind == kind; }
  Diagnostics& diagnostics() { return diagnostics_; }
  /// How many braces are open before the current token.
  int open_braces() const { return open_braces_; }
  /// Recovery may decide that braces were left open by mistake.
  void set_open_braces(int count) { open_braces_ = count; }
  /// Where the last taken token ended in the text.
  const char* end_of_last() const { return end_of_last_; }

  Token take() {
    if (at(Kind::left_brace)) ++open_braces_;
    if (at(Kind::right_brace)) --open_braces_;
    end_of_last_ = current_.text.data() + current_.text.size();
    Token following = next_ ? *std::exchange(next_, std::nullopt) : scanner_.next();
    return std::exchange(current_, following);
  }
  bool accept(Kind kind) {
    if (!at(kind)) return false;
    take();
    return true;
  }
  /// Takes a token of the kind, or fails with "expected ';' after the guard, found '}'".
  Token expect(Kind kind, std::string_view context) {
    if (!at(kind)) {
      const bool word = kind == Kind::identifier && is_reserved<Kind>(current_.text);
      fail_expected(fmt::format("{}{}{}", describe(kind), context.empty() ? "" : " ", context) +
                    (word ? " that is not a reserved word" : ""));
    }
    return take();
  }
  [[noreturn]] void fail(SourcePoint where, std::string message) {
    diagnostics_.error(where, std::move(message));
    throw SyntaxError{};
  }
  /// A name that is much like an expected word is taken for a misspelling of it.
  [[noreturn]] void fail_expected(std::string_view what) {
    Suggestion suggestion(current_.text);
    if (at(Kind::identifier))
      for (const Spelling<Kind>& word : vocabulary_of(Kind{}).words)
        if (what.find(fmt::format("'{}'", word.text)) != std::string_view::npos) suggestion.offer(word.text);
    fail(current_.where, fmt::format("expected {}, found {}{}", what, describe(current_), suggestion.text()));
  }

  /// Goes one level deeper into what is read, or fails with "expression is nested deeper than 500".
  Nesting nested(std::uint32_t most, std::string_view what) {
    return Nesting(nesting_, most,
                   [&] { fail(current_.where, fmt::format("{} is nested deeper than {}", what, most)); });
  }

  std::vector<PropertyLine> take_property_lines() { return scanner_.take_property_lines(); }

 private:
  Scanner<Kind> scanner_;
  Diagnostics& diagnostics_;
  Token current_;
  std::optional<Token> next_;
  int open_braces_ = 0;
  std::uint32_t nesting_ = 0;
  const char* end_of_last_ = nullptr;
};

}  // namespace tideline
