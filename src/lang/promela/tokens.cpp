#include "lang/promela/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "lang/diagnostics.hpp"

namespace tideline::promela {

namespace {

constexpr std::array<std::string_view, 60> reserved_words{
    "active", "assert", "atomic",   "bit",      "bool",     "break",   "byte",   "chan",     "d_step",
    "do",     "else",   "empty",    "enabled",  "eval",     "false",   "fi",     "for",      "full",
    "goto",   "hidden", "if",       "init",     "inline",   "int",     "len",    "local",    "mtype",
    "nempty", "never",  "nfull",    "notrace",  "np_",      "od",      "of",     "pc_value", "pid",
    "printf", "printm", "priority", "proctype", "provided", "return",  "run",    "select",   "short",
    "show",   "skip",   "timeout",  "trace",    "true",     "typedef", "unless", "unsigned", "xr",
    "xs",     "ltl",    "c_code",   "c_decl",   "c_expr",   "c_state"};

// Longer ones first.
constexpr std::array<std::string_view, 48> signs{
    "<->", "/\\", "\\/", "-->", "...", "..", "->", "::", "??", "!!", "==", "!=", "<=", ">=", "<<", ">>",
    "&&",  "||",  "++",  "--",  "##",  "<",  ">",  "?",  "!",  "=",  "+",  "-",  "*",  "/",  "%",  "&",
    "|",   "^",   "~",   ",",   ".",   ";",  ":",  "@",  "(",  ")",  "[",  "]",  "{",  "}",  "#",  "$"};

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class LineScanner {
 public:
  LineScanner(std::string_view line, SourcePoint start, std::vector<Token>& tokens,
              std::vector<LexicalFault>& faults)
      : line_(line), start_(start), tokens_(tokens), faults_(faults) {}

  void run() {
    bool blank = true;
    while (at_ < line_.size()) {
      const char c = line_[at_];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\n') {
        blank = true;
        ++at_;
        continue;
      }
      begin_ = at_;
      if (begins_name(c))
        name(blank);
      else if (is_digit(c))
        number(blank);
      else if (c == '"')
        text(blank);
      else if (c == '\'')
        character(blank);
      else
        sign(blank);
      blank = false;
    }
  }

 private:
  SourcePoint where() const { return {start_.line, start_.column + static_cast<std::uint32_t>(begin_)}; }
  void add(TokenKind kind, bool blank, std::int64_t value = 0) {
    tokens_.push_back({kind, std::string(line_.substr(begin_, at_ - begin_)), where(), value, blank, false});
  }
  void fault(std::string message) { faults_.push_back({where(), std::move(message)}); }

  void name(bool blank) {
    while (at_ < line_.size() && (begins_name(line_[at_]) || is_digit(line_[at_]))) ++at_;
    add(TokenKind::name, blank);
  }
  void number(bool blank) {
    const bool hex = line_.substr(at_).starts_with("0x") || line_.substr(at_).starts_with("0X");
    if (hex) at_ += 2;
    const std::size_t digits = at_;
    while (at_ < line_.size() && (is_digit(line_[at_]) || (hex && begins_name(line_[at_])))) ++at_;
    std::int64_t value = 0;
    const char* const end = line_.data() + at_;
    const auto [stop, error] = std::from_chars(line_.data() + digits, end, value, hex ? 16 : 10);
    if (error != std::errc() || stop != end)
      fault(fmt::format("'{}' is not a number that fits 64 bits",
                        abbreviate(line_.substr(begin_, at_ - begin_))));
    add(TokenKind::number, blank, value);
  }
  void text(bool blank) {
    ++at_;
    while (at_ < line_.size() && line_[at_] != '"')
      at_ += line_[at_] == '\\' && at_ + 1 < line_.size() ? 2 : 1;
    if (at_ >= line_.size())
      fault("this string has no closing '\"'");
    else
      ++at_;
    add(TokenKind::text, blank);
  }
  void character(bool blank) {
    ++at_;
    std::int64_t value = 0;
    if (at_ < line_.size()) {
      value = static_cast<unsigned char>(line_[at_]);
      if (line_[at_] == '\\' && at_ + 1 < line_.size()) {
        ++at_;
        constexpr std::string_view names = "ntr0\\'";
        constexpr std::array<std::int64_t, 6> values{'\n', '\t', '\r', 0, '\\', '\''};
        const auto found = names.find(line_[at_]);
        value = found == std::string_view::npos ? line_[at_] : values[found];
      }
      ++at_;
    }
    if (at_ >= line_.size() || line_[at_] != '\'')
      fault("a character is written as one sign between quotes: 'a'");
    else
      ++at_;
    add(TokenKind::number, blank, value);
  }
  void sign(bool blank) {
    const std::string_view rest = line_.substr(at_);
    for (const std::string_view s : signs)
      if (rest.starts_with(s)) {
        at_ += s.size();
        return add(TokenKind::sign, blank);
      }
    fault(fmt::format("unexpected character '{}'", abbreviate(rest.substr(0, 1))));
    ++at_;
  }

  std::string_view line_;
  SourcePoint start_;
  std::vector<Token>& tokens_;
  std::vector<LexicalFault>& faults_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
};

constexpr std::array<BinaryLevel, 18> binary_levels{{{"||", 1, Op::logic_or},
                                                     {"&&", 2, Op::logic_and},
                                                     {"|", 3, Op::bit_or},
                                                     {"^", 4, Op::bit_xor},
                                                     {"&", 5, Op::bit_and},
                                                     {"==", 6, Op::eq},
                                                     {"!=", 6, Op::ne},
                                                     {"<", 7, Op::lt},
                                                     {"<=", 7, Op::le},
                                                     {">", 7, Op::gt},
                                                     {">=", 7, Op::ge},
                                                     {"<<", 8, Op::shift_left},
                                                     {">>", 8, Op::shift_right},
                                                     {"+", 9, Op::add},
                                                     {"-", 9, Op::sub},
                                                     {"*", 10, Op::mul},
                                                     {"/", 10, Op::div},
                                                     {"%", 10, Op::mod}}};

}  // namespace

const BinaryLevel* level_of(const Token& token) {
  if (token.kind != TokenKind::sign) return nullptr;
  const auto found = std::ranges::find(binary_levels, token.spelling, &BinaryLevel::sign);
  return found == binary_levels.end() ? nullptr : &*found;
}

void refuse_embedded_c(const SourceText& source, const Token& token) {
  throw Error(ErrorKind::input,
              {error_at(source, token.where,
                        fmt::format("embedded C ('{}') is not supported: a model never runs code of its own",
                                    token.spelling))});
}

std::string count_of(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

bool is_reserved_word(std::string_view word) {
  return std::ranges::find(reserved_words, word) != reserved_words.end();
}

void tokenize(std::string_view line, SourcePoint start, std::vector<Token>& tokens,
              std::vector<LexicalFault>& faults) {
  LineScanner(line, start, tokens, faults).run();
}

std::string to_text(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    if (token.after_blank && !text.empty()) text += ' ';
    text += token.spelling;
  }
  return text;
}

}  // namespace tideline::promela
