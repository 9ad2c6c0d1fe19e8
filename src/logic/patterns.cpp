#include "logic/patterns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tideline {

namespace {

// ---- What the patterns mean

/// A pattern as formulas over the names of its arguments. r is the end of the segment.
struct PatternRow {
  std::string_view name;
  std::string_view arguments;  ///< one letter each; a semicolon separates what comes first from what follows
  std::string_view endless;    ///< of a segment without an end
  std::string_view ended;      ///< of a segment that ends: r comes
  std::string_view open;       ///< of a segment that ends when r comes, if it comes
  /// What is true after some state is true after all later ones, so that `after q` may say it of every q.
  bool of_every_q = false;
};

constexpr std::array pattern_rows = {
    PatternRow{"absence", "p", "G !p", "!p U r", "!p W r", true},
    PatternRow{"existence", "p", "F p", "!r U (p && !r)", "!r U (p && !r)"},
    PatternRow{"universality", "p", "G p", "p U r", "p W r", true},
    PatternRow{"precedence", "s;p", "!p W s", "!p U (s || r)", "!p W (s || r)"},
    PatternRow{"precedence", "st;p", "!p W (s && !p && X(!p U t))", "!p U (r || (s && !p && X(!p U t)))",
               "!p W (r || (s && !p && X(!p U t)))"},
    PatternRow{"precedence", "p;st", "F(s && X F t) -> (!s U p)",
               "!(s && !r && X(!r U (t && !r))) U (r || p)", "!(s && !r && X(!r U (t && !r))) W (r || p)"},
    PatternRow{"response", "p;s", "G(p -> F s)", "(p -> (!r U (s && !r))) U r", "(p -> (!r U (s && !r))) W r",
               true},
    PatternRow{"response", "st;p", "G(s && X F t -> X F(t && F p))",
               "(s && X(!r U (t && !r)) -> X(!r U (t && !r && (!r U (p && !r))))) U r",
               "(s && X(!r U (t && !r)) -> X(!r U (t && !r && (!r U (p && !r))))) W r", true},
    PatternRow{"response", "p;st", "G(p -> F(s && X F t))",
               "(p -> (!r U (s && !r && X(!r U (t && !r))))) U r",
               "(p -> (!r U (s && !r && X(!r U (t && !r))))) W r", true},
    PatternRow{"response", "p;stz", "G(p -> F(s && !z && X(!z U t)))",
               "(p -> (!r U (s && !r && !z && X((!r && !z) U (t && !r))))) U r",
               "(p -> (!r U (s && !r && !z && X((!r && !z) U (t && !r))))) W r", true},
};

constexpr std::string_view bounded_name = "bounded-existence";

/// At most `bound` times p becomes true: each pair of untils passes one stretch without p and one with it.
/// `end`: "r || ", or nothing where the segment has no end.
std::string bounded_text(std::uint32_t bound, std::string_view until, std::string_view end) {
  std::string text = end.empty() ? "G !p" : fmt::format("!p {} r", until);
  for (std::uint32_t i = 0; i < bound; ++i)
    text = fmt::format("!p {0} ({1}(p {0} ({1}({2}))))", until, end, text);
  return text;
}

enum class ScopeKind { globally, before, after, between, after_until };

/// The formula of a pattern in a scope, over the names of arguments, q and r.
std::string scoped_text(const PatternRow& row, ScopeKind scope) {
  switch (scope) {
    case ScopeKind::globally:
      return std::string(row.endless);
    case ScopeKind::before:
      return fmt::format("F r -> ({})", row.ended);
    case ScopeKind::after:
      return row.of_every_q ? fmt::format("G(q -> ({}))", row.endless)
                            : fmt::format("!q W (q && ({}))", row.endless);
    case ScopeKind::between:
      return fmt::format("G(q && !r && F r -> ({}))", row.ended);
    case ScopeKind::after_until:
      return fmt::format("G(q && !r -> ({}))", row.open);
  }
  return {};
}

/// The formula, which is of another pool, with other formulas for its atoms.
Ltl substitute(LtlPool& pool, const LtlPool& from, Ltl f, const std::map<std::string, Ltl>& arguments) {
  const LtlOp op = from.op(f);
  if (op == LtlOp::true_ || op == LtlOp::false_) return pool.constant(op == LtlOp::true_);
  if (op == LtlOp::atom) return arguments.at(from.atoms()[from.atom_index(f)].name);
  std::vector<Ltl> operands;
  for (const Ltl operand : from.operands(f)) operands.push_back(substitute(pool, from, operand, arguments));
  if (op == LtlOp::and_ || op == LtlOp::or_) return pool.many(op, operands);
  return operands.size() == 1 ? pool.unary(op, operands[0]) : pool.binary(op, operands[0], operands[1]);
}

// ---- Reading

bool is_pattern_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_pattern_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/// A part of the text, from one offset to another.
struct Part {
  std::size_t begin = 0, end = 0;
};

class PatternReader {
 public:
  PatternReader(LtlPool& pool, const SourceText& source) : pool_(pool), source_(source), text_(source.text) {}

  Ltl run() {
    skip_blanks();
    const Part name = word("the name of a pattern");
    auto [first, second] = argument_lists(name);
    const PatternRow row = row_of(name, first, second);
    bind_arguments(row, first, second);
    const std::string formula = scoped_text(row, scope());
    LtlPool own;
    return substitute(pool_, own, parse_ltl(own, {"", formula}), bound_);
  }

 private:
  using Parts = std::vector<Part>;

  [[noreturn]] void fail(std::size_t at, std::string message) const {
    throw Error(ErrorKind::input, {error_at(source_, point_of(at), std::move(message))});
  }

  SourcePoint point_of(std::size_t at) const {
    const std::string_view before = text_.substr(0, at);
    const auto line = static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1);
    const std::size_t start = line == 1 ? 0 : before.rfind('\n') + 1;
    return {line, static_cast<std::uint32_t>(at - start + 1)};
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_pattern_blank(text_[at_])) ++at_;
  }

  std::string_view text_of(Part part) const { return text_.substr(part.begin, part.end - part.begin); }

  /// What stands here, for messages.
  std::string found() const {
    if (at_ == text_.size()) return "the end";
    std::size_t end = at_;
    while (end < text_.size() && is_pattern_word_char(text_[end])) ++end;
    return fmt::format("'{}'", text_.substr(at_, std::clamp<std::size_t>(end - at_, 1, 40)));
  }

  /// Takes a word, in which - may stand.
  Part word(std::string_view what) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_pattern_word_char(text_[at_]) || text_[at_] == '-')) ++at_;
    if (at_ == begin) fail(begin, fmt::format("expected {}, found {}", what, found()));
    const Part part{begin, at_};
    skip_blanks();
    return part;
  }

  /// Where the first of these characters is outside of quotes and inner parentheses, from here on; else the end.
  std::size_t find_outside(std::string_view characters) const {
    std::size_t depth = 0;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') {
        i = end_of_quote(i);
        continue;
      }
      if (depth == 0 && characters.find(c) != std::string_view::npos) return i;
      if (c == '(') ++depth;
      if (c == ')' && depth > 0) --depth;
    }
    return text_.size();
  }

  /// The closing quote of the one at `open`.
  std::size_t end_of_quote(std::size_t open) const {
    for (std::size_t i = open + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\')
        ++i;
      else if (text_[i] == '"')
        return i;
    }
    fail(open, "this quote is not closed");
  }

  /// Where the word is in the part, outside of quotes and parentheses.
  std::optional<Part> find_word(Part part, std::string_view wanted) const {
    std::size_t depth = 0;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const char c = text_[i];
      if (c == '"') i = end_of_quote(i);
      if (c == '(') ++depth;
      if (c == ')') --depth;
      if (!is_pattern_word_char(c)) continue;
      std::size_t end = i;
      while (end < part.end && is_pattern_word_char(text_[end])) ++end;
      if (depth == 0 && text_.substr(i, end - i) == wanted) return Part{i, end};
      i = end - 1;
    }
    return std::nullopt;
  }

  /// What is in the parentheses after the name: before a semicolon, and after it.
  std::pair<Parts, Parts> argument_lists(Part name) {
    if (at_ == text_.size() || text_[at_] != '(')
      fail(at_, fmt::format("expected '(' after '{}', found {}", text_of(name), found()));
    const std::size_t open = at_++;
    std::pair<Parts, Parts> lists;
    bool after_semicolon = false;
    for (char separator = ','; separator != ')';) {
      const Part part{at_, find_outside(",;)")};
      if (part.end == text_.size()) fail(open, "this '(' is not closed");
      (after_semicolon ? lists.second : lists.first).push_back(part);
      separator = text_[part.end];
      if (separator == ';' && std::exchange(after_semicolon, true))
        fail(part.end, "a pattern has at most one ';'");
      at_ = part.end + 1;
    }
    skip_blanks();
    // Without a semicolon the last one is what follows the others.
    if (!after_semicolon && lists.first.size() == 2) {
      lists.second.push_back(lists.first.back());
      lists.first.pop_back();
    }
    return lists;
  }

  PatternRow row_of(Part name, const Parts& first, Parts& second) {
    if (text_of(name) == bounded_name) return bounded_row(name, first, second);
    if (!second.empty())
      if (const auto without = find_word(second.back(), "without")) {
        second.push_back({without->end, second.back().end});
        second[second.size() - 2].end = without->begin;
        has_constraint_ = true;
      }
    std::vector<std::string_view> names;
    bool known = false;
    for (const PatternRow& row : pattern_rows) {
      const std::size_t semicolon = std::min(row.arguments.find(';'), row.arguments.size());
      const std::size_t others = row.arguments.size() - std::min(row.arguments.size(), semicolon + 1);
      const bool constrained = row.arguments.ends_with('z');
      known = known || row.name == text_of(name);
      if (row.name == text_of(name) && first.size() == semicolon && second.size() == others &&
          constrained == has_constraint_)
        return row;
      if (names.empty() || names.back() != row.name) names.push_back(row.name);
    }
    if (!known)
      fail(name.begin, fmt::format("unknown pattern '{}'; there are {}, {}", text_of(name),
                                   fmt::join(names, ", "), bounded_name));
    fail(name.begin, fmt::format("'{}' has other arguments: {}", text_of(name), forms_of(text_of(name))));
  }

  /// "response(p; s), response(s, t; p)": how the pattern can be written.
  static std::string forms_of(std::string_view name) {
    std::string forms;
    for (const PatternRow& row : pattern_rows) {
      if (row.name != name) continue;
      forms += fmt::format("{}{}(", forms.empty() ? "" : ", ", name);
      for (std::size_t i = 0; i < row.arguments.size(); ++i) {
        const char c = row.arguments[i];
        const bool first = i == 0 || row.arguments[i - 1] == ';';
        forms += c == ';' ? "; " : c == 'z' ? " without z" : fmt::format("{}{}", first ? "" : ", ", c);
      }
      forms += ")";
    }
    return forms;
  }

  PatternRow bounded_row(Part name, const Parts& first, Parts& second) {
    if (first.size() != 1 || second.size() != 1)
      fail(name.begin, fmt::format("'{}' has other arguments: {}(p, 2)", bounded_name, bounded_name));
    Part number = second.back();
    while (number.begin < number.end && is_pattern_blank(text_[number.begin])) ++number.begin;
    while (number.end > number.begin && is_pattern_blank(text_[number.end - 1])) --number.end;
    const std::string_view digits = text_of(number);
    std::uint32_t bound = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bound);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() ||
        bound > max_pattern_bound)
      fail(number.begin,
           fmt::format("expected a number from 0 to {}: how often p may become true", max_pattern_bound));
    second.clear();
    endless_ = bounded_text(bound, "W", "");
    ended_ = bounded_text(bound, "U", "r || ");
    open_ = bounded_text(bound, "W", "r || ");
    return {bounded_name, "p", endless_, ended_, open_};
  }

  void bind_arguments(const PatternRow& row, const Parts& first, const Parts& second) {
    Parts all = first;
    all.insert(all.end(), second.begin(), second.end());
    std::size_t next = 0;
    for (const char letter : row.arguments)
      if (letter != ';') bound_[std::string(1, letter)] = formula(all[next++]);
  }

  /// A formula of single states. It is read where it stands, so that messages point to the right place.
  Ltl formula(Part part) const {
    std::string blanked(text_.substr(0, part.end));
    for (std::size_t i = 0; i < part.begin; ++i)
      if (blanked[i] != '\n') blanked[i] = ' ';
    if (std::ranges::all_of(text_of(part), is_pattern_blank)) fail(part.begin, "expected a formula");
    Ltl f;
    try {
      f = parse_ltl(pool_, {source_.name, blanked});
    } catch (const Error& error) {
      const Diagnostic& first = error.diagnostics().front();
      throw Error(error.kind(), {error_at(source_, first.where, first.message)});
    }
    for_each_subformula(pool_, f, [&](Ltl g) {
      switch (pool_.op(g)) {
        case LtlOp::next:
        case LtlOp::eventually:
        case LtlOp::always:
        case LtlOp::until:
        case LtlOp::release:
        case LtlOp::weak_until:
        case LtlOp::strong_release: {
          std::size_t at = part.begin;
          while (is_pattern_blank(text_[at])) ++at;
          fail(at, "the arguments of a pattern are about single states, without temporal operators");
        }
        default:
          break;
      }
    });
    return f;
  }

  /// Takes the rest of the text, and binds q and r.
  ScopeKind scope() {
    if (at_ == text_.size()) return ScopeKind::globally;
    const Part kind = word("a scope: globally, before, after or between");
    const Part rest{at_, text_.size()};
    if (text_of(kind) == "globally") {
      if (at_ != text_.size()) fail(at_, fmt::format("expected nothing after 'globally', found {}", found()));
      return ScopeKind::globally;
    }
    if (text_of(kind) == "before") {
      bound_["r"] = formula(rest);
      return ScopeKind::before;
    }
    if (text_of(kind) == "after") {
      if (const auto until = find_word(rest, "until")) {
        bind_ends(rest, *until);
        return ScopeKind::after_until;
      }
      bound_["q"] = formula(rest);
      return ScopeKind::after;
    }
    if (text_of(kind) != "between")
      fail(kind.begin, fmt::format("unknown scope '{}'; there are globally, before r, after q, between q and "
                                   "r, after q until r",
                                   text_of(kind)));
    const auto separator = find_word(rest, "and");
    if (!separator) fail(text_.size(), "expected 'and' and where the scope ends: between q and r");
    bind_ends(rest, *separator);
    return ScopeKind::between;
  }

  void bind_ends(Part rest, Part separator) {
    bound_["q"] = formula({rest.begin, separator.begin});
    bound_["r"] = formula({separator.end, rest.end});
  }

  LtlPool& pool_;
  const SourceText& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool has_constraint_ = false;
  std::string endless_, ended_, open_;  ///< of bounded existence
  std::map<std::string, Ltl> bound_;    ///< what the names of arguments, q and r stand for
};

}  // namespace

Ltl parse_pattern(LtlPool& pool, const SourceText& source) {
  return PatternReader(pool, source).run();
}

}  // namespace tideline
