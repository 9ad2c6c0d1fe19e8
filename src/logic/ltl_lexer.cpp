#include "logic/ltl_lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace tideline {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_word_char(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '.';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct Symbol {
  std::string_view text;
  LtlOp op;
};

// Longer ones first where one is the beginning of another.
constexpr std::array symbols = {
    Symbol{"<->", LtlOp::equivalent}, Symbol{"<=>", LtlOp::equivalent}, Symbol{"->", LtlOp::implies},
    Symbol{"=>", LtlOp::implies},     Symbol{"<>", LtlOp::eventually},  Symbol{"[]", LtlOp::always},
    Symbol{"&&", LtlOp::and_},        Symbol{"/\\", LtlOp::and_},       Symbol{"&", LtlOp::and_},
    Symbol{"||", LtlOp::or_},         Symbol{"\\/", LtlOp::or_},        Symbol{"|", LtlOp::or_},
    Symbol{"!", LtlOp::not_},         Symbol{"~", LtlOp::not_},         Symbol{"^", LtlOp::exclusive_or},
};

constexpr std::array word_operators = {
    Symbol{"X", LtlOp::next},       Symbol{"F", LtlOp::eventually},     Symbol{"G", LtlOp::always},
    Symbol{"U", LtlOp::until},      Symbol{"R", LtlOp::release},        Symbol{"V", LtlOp::release},
    Symbol{"W", LtlOp::weak_until}, Symbol{"M", LtlOp::strong_release}, Symbol{"and", LtlOp::and_},
    Symbol{"or", LtlOp::or_},       Symbol{"not", LtlOp::not_},         Symbol{"xor", LtlOp::exclusive_or},
};

/// SPIN's words. A model may have such names, so that they are operators only where a name cannot be.
constexpr std::array unary_words = {Symbol{"always", LtlOp::always}, Symbol{"eventually", LtlOp::eventually},
                                    Symbol{"next", LtlOp::next}};
constexpr std::array binary_words = {
    Symbol{"until", LtlOp::until},          Symbol{"stronguntil", LtlOp::until},
    Symbol{"weakuntil", LtlOp::weak_until}, Symbol{"release", LtlOp::release},
    Symbol{"implies", LtlOp::implies},      Symbol{"equivalent", LtlOp::equivalent}};

constexpr std::array word_constants = {Symbol{"true", LtlOp::true_}, Symbol{"1", LtlOp::true_},
                                       Symbol{"false", LtlOp::false_}, Symbol{"0", LtlOp::false_}};

constexpr std::array<std::string_view, 6> ctl_operators = {"AG", "AF", "AX", "EG", "EF", "EX"};

template <std::size_t n>
std::optional<LtlOp> find(const std::array<Symbol, n>& table, std::string_view word) {
  for (const Symbol& symbol : table)
    if (symbol.text == word) return symbol.op;
  return std::nullopt;
}

class LtlLexer {
 public:
  LtlLexer(const SourceText& source, TemporalLogic logic)
      : source_(source), text_(source.text), ctl_(logic == TemporalLogic::ctl) {}

  std::vector<LtlToken> run() {
    while (skip_blanks()) {
      const char c = text_[at_];
      if (c == '(' || c == ')')
        push(c == '(' ? LtlToken::Kind::open : LtlToken::Kind::close, 1);
      else if (is_bracket(c))
        push(c == '[' ? LtlToken::Kind::open : LtlToken::Kind::close, 1);
      else if (c == '"')
        quoted_atom();
      else if (is_word_char(c))
        words();
      else
        symbol();
    }
    push(LtlToken::Kind::end, 0);
    return std::move(tokens_);
  }

 private:
  /// False at the end of the text.
  bool skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) advance(1);
    return at_ < text_.size();
  }

  /// A square bracket that stands for a parenthesis: E[p U q]. (After a quantifier [] is an operator.)
  bool is_bracket(char c) {
    if (!ctl_) return false;
    const bool opens = c == '[' && !tokens_.empty() && tokens_.back().kind == LtlToken::Kind::quantifier &&
                       !text_.substr(at_).starts_with("[]");
    const bool closes = c == ']' && open_brackets_ > 0;
    if (opens) ++open_brackets_;
    if (closes) --open_brackets_;
    return opens || closes;
  }

  void advance(std::size_t count) {
    for (; count > 0; --count, ++at_) {
      const bool line_end = text_[at_] == '\n';
      where_.line += line_end ? 1 : 0;
      where_.column = line_end ? 1 : where_.column + 1;
    }
  }

  [[noreturn]] void fail(std::string message) const { fail_at(where_, std::move(message)); }
  [[noreturn]] void fail_at(SourcePoint where, std::string message) const {
    throw Error(ErrorKind::input, {error_at(source_, where, std::move(message))});
  }

  LtlToken& push(LtlToken::Kind kind, std::size_t length, LtlOp op = LtlOp::false_) {
    tokens_.push_back(
        {.kind = kind, .op = op, .where = where_, .text = std::string(text_.substr(at_, length))});
    advance(length);
    return tokens_.back();
  }

  void quoted_atom() {
    const SourcePoint start = where_;
    std::string name;
    advance(1);
    while (at_ < text_.size() && text_[at_] != '"') {
      const bool escaped =
          text_[at_] == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
      if (escaped) advance(1);
      name += text_[at_];
      advance(1);
    }
    if (at_ == text_.size()) fail_at(start, "this quote is not closed");
    advance(1);
    if (std::all_of(name.begin(), name.end(), is_blank))
      fail_at(start, "there is nothing between these quotes");
    tokens_.push_back(
        {.kind = LtlToken::Kind::atom, .where = start, .text = std::move(name), .quoted = true});
  }

  void symbol() {
    for (const Symbol& known : symbols)
      if (text_.substr(at_).starts_with(known.text)) {
        push(LtlToken::Kind::operation, known.text.size(), known.op);
        return;
      }
    const char c = text_[at_];
    if (c == '[' && !tokens_.empty() && tokens_.back().kind == LtlToken::Kind::operation)
      fail("bounds such as X[2] and F[1..3] are not supported; write 'X X p', or 'X(p || X(p || X p))'");
    if (std::string_view("=<>+-*/%[].,:@?").find(c) != std::string_view::npos)
      fail(fmt::format("'{}' does not belong to {}; put an expression of the model in quotes: \"{}\"", c,
                       logic_name(), parenthesised()));
    const bool printable = c > 0x20 && c < 0x7f;
    fail(fmt::format("{} does not belong to {}", printable ? fmt::format("'{}'", c) : "this character",
                     logic_name()));
  }

  void words() {
    std::size_t end = at_;
    while (end < text_.size() && is_word_char(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    if (word == "act" && end < text_.size() && text_[end] == '(') {
      push(LtlToken::Kind::atom, step_atom_length(end));
      return;
    }
    if (ends_in_binary_operator(word, end)) {
      one_word(word.size() - 1, "");
      push(LtlToken::Kind::operation, 1, *find(word_operators, text_.substr(at_, 1)));
    } else {
      one_word(word.size(), "");
    }
  }

  /// Of act(...), whose opening parenthesis is at `open`. What is between the parentheses is the name of actions.
  std::size_t step_atom_length(std::size_t open) const {
    std::size_t depth = 0;
    for (std::size_t i = open; i < text_.size(); ++i) {
      if (text_[i] == '(') ++depth;
      if (text_[i] == ')' && --depth == 0) return i + 1 - at_;
    }
    fail("this 'act(' is not closed");
  }

  bool ends_in_binary_operator(std::string_view word, std::size_t end) const {
    if (word.size() < 2 || std::string_view("UVRWM").find(word.back()) == std::string_view::npos)
      return false;
    while (end < text_.size() && is_blank(text_[end])) ++end;
    const std::string_view rest = text_.substr(end);
    const auto follows = [&](std::string_view what) { return rest.starts_with(what); };
    return follows("(") || follows("!") || follows("~") || follows("\"") || follows("[]") || follows("<>");
  }

  void one_word(std::size_t length, std::string glued) {
    const std::string_view word = text_.substr(at_, length);
    if (ctl_ && is_row_of_ctl_operators(word)) {
      for (std::size_t pair = 0; pair < length; pair += 2) {
        push(LtlToken::Kind::quantifier, 1);
        push(LtlToken::Kind::operation, 1, *find(word_operators, text_.substr(at_, 1)));
      }
    } else if (ctl_ && is_quantifier(word)) {
      push(LtlToken::Kind::quantifier, 1);
    } else if (const auto spins = glued.empty() ? word_of_spin(word) : std::nullopt) {
      push(LtlToken::Kind::operation, length, *spins);
    } else if (const auto op = find(word_operators, word)) {
      push(LtlToken::Kind::operation, length, *op);
    } else if (const auto value = find(word_constants, word)) {
      push(LtlToken::Kind::constant, length, *value);
    } else if (!ctl_ && std::string_view("FGX").find(word[0]) != std::string_view::npos &&
               is_word(word.substr(1))) {
      glued += word[0];
      push(LtlToken::Kind::operation, 1, *find(word_operators, word.substr(0, 1)));
      one_word(length - 1, std::move(glued));
    } else {
      if (!is_letter(word[0])) fail(fmt::format("'{}' is not a name", word.substr(0, 40)));
      if (!ctl_) refuse_ctl(word);
      push(LtlToken::Kind::atom, length).glued = std::move(glued);
    }
  }

  std::optional<LtlOp> word_of_spin(std::string_view word) const {
    if (ctl_) return std::nullopt;
    using Kind = LtlToken::Kind;
    const bool behind_operand =
        !tokens_.empty() && (tokens_.back().kind == Kind::atom || tokens_.back().kind == Kind::constant ||
                             tokens_.back().kind == Kind::close);
    if (behind_operand) return find(binary_words, word);
    return operand_begins(at_ + word.size()) ? find(unary_words, word) : std::nullopt;
  }

  bool operand_begins(std::size_t from) const {
    while (from < text_.size() && is_blank(text_[from])) ++from;
    const std::string_view rest = text_.substr(from);
    for (const std::string_view sign : {"(", "!", "~", "\"", "[]", "<>"})
      if (rest.starts_with(sign)) return true;
    std::size_t end = 0;
    while (end < rest.size() && is_word_char(rest[end])) ++end;
    const std::string_view word = rest.substr(0, end);
    if (word.empty() || find(binary_words, word)) return false;
    const auto op = find(word_operators, word);
    return !op || *op == LtlOp::not_ || ltl_binding(*op) == ltl_unary_binding;
  }

  /// What is between the parentheses around this place, for a hint to put it in quotes.
  std::string_view parenthesised() const {
    const auto find_end = [&](std::size_t from, char deeper, char wanted, int step) {
      int depth = 0;
      for (std::size_t i = from; i < text_.size(); i += static_cast<std::size_t>(step)) {
        if (text_[i] == '"') break;
        if (text_[i] == deeper) ++depth;
        if (text_[i] == wanted && depth-- == 0) return i;
      }
      return std::string_view::npos;
    };
    const std::size_t begin = find_end(at_, ')', '(', -1);
    const std::size_t end = find_end(at_, '(', ')', 1);
    if (begin == std::string_view::npos || end == std::string_view::npos) return "x == 1";
    return text_.substr(begin + 1, end - begin - 1);
  }

  static bool is_word(std::string_view word) { return is_letter(word[0]) || find(word_constants, word); }

  static bool is_row_of_ctl_operators(std::string_view word) {
    for (std::size_t i = 0; i < word.size(); i += 2)
      if (std::ranges::find(ctl_operators, word.substr(i, 2)) == ctl_operators.end()) return false;
    return true;
  }

  /// Whether A or E, at this place, quantifies what follows.
  bool is_quantifier(std::string_view word) const {
    if (word != "A" && word != "E") return false;
    std::size_t next = at_ + 1;
    while (next < text_.size() && is_blank(text_[next])) ++next;
    const std::string_view rest = text_.substr(next);
    if (rest.starts_with("(") || rest.starts_with("[") || rest.starts_with("<>")) return true;
    const bool letter = !rest.empty() && std::string_view("XFG").find(rest[0]) != std::string_view::npos;
    return letter && (rest.size() == 1 || !is_word_char(rest[1]));
  }

  const char* logic_name() const { return ctl_ ? "CTL" : "LTL"; }

  void refuse_ctl(std::string_view word) const {
    const bool quantifier = word == "A" || word == "E";
    const char next = at_ + word.size() < text_.size() ? text_[at_ + word.size()] : ' ';
    if (std::ranges::find(ctl_operators, word) != ctl_operators.end() ||
        (quantifier && (next == '(' || next == '[')))
      fail(fmt::format(
          "'{}' is an operator of CTL, but this is an LTL formula (an atom of that name needs quotes)",
          word));
  }

  const SourceText& source_;
  std::string_view text_;
  bool ctl_;
  std::size_t at_ = 0;
  std::size_t open_brackets_ = 0;
  SourcePoint where_{1, 1};
  std::vector<LtlToken> tokens_;
};

}  // namespace

std::vector<LtlToken> ltl_tokens(const SourceText& source, TemporalLogic logic) {
  return LtlLexer(source, logic).run();
}

namespace {

/// act(...), with its parentheses in pairs: it is read as one atom.
bool is_closed_step_atom(std::string_view name) {
  if (!name.starts_with("act(")) return false;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '(') ++depth;
    if (name[i] == ')' && --depth == 0) return i + 1 == name.size();
  }
  return false;
}

bool is_bare(std::string_view name, TemporalLogic logic) {
  const bool is_word =
      !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), is_word_char);
  if (!is_word && !is_closed_step_atom(name)) return false;
  const auto tokens = ltl_tokens({"", std::string(name)}, logic);
  return tokens.size() == 2 && tokens[0].kind == LtlToken::Kind::atom;
}

}  // namespace

bool is_bare_ltl_name(std::string_view name) {
  return std::ranges::find(ctl_operators, name) == ctl_operators.end() && is_bare(name, TemporalLogic::ltl);
}

bool is_bare_ctl_name(std::string_view name) {
  return name != "A" && name != "E" && is_bare(name, TemporalLogic::ctl);
}

}  // namespace tideline
