#include "progress/parse_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "progress/composition.hpp"

namespace tideline {

namespace {

constexpr std::int64_t most_weight = 1'000'000;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// A piece of the text with its place.
struct Piece {
  std::string_view text;
  SourcePoint where;

  void skip(std::size_t count) {
    for (const char c : text.substr(0, count))
      where = c == '\n' ? SourcePoint{where.line + 1, 1} : SourcePoint{where.line, where.column + 1};
    text.remove_prefix(count);
  }
  void trim() {
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    std::size_t blanks = 0;
    while (blanks < text.size() && is_blank(text[blanks])) ++blanks;
    skip(blanks);
  }
  /// What lies before the next separator outside of brackets and quotes; the separator and what follows stay.
  Piece take_until(std::string_view separators) {
    int depth = 0;
    std::size_t end = 0;
    for (; end < text.size(); ++end) {
      const char c = text[end];
      if (c == '"' || c == '\'') {
        const std::size_t close = text.find(c, end + 1);
        if (close != std::string_view::npos) end = close;
        continue;
      }
      if (depth == 0 && separators.find(c) != std::string_view::npos) break;
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
    }
    Piece taken{text.substr(0, end), where};
    skip(end);
    taken.trim();
    return taken;
  }
};

/// The text with comments turned into blanks, so that every other character stays in its place.
std::string without_comments(std::string_view text) {
  std::string result(text);
  bool comment = false;
  for (char& c : result) {
    if (c == '\n') comment = false;
    if (c == '#') comment = true;
    if (comment) c = ' ';
  }
  return result;
}

std::string_view unquoted(std::string_view name) {
  const bool quoted = name.size() > 2 && (name[0] == '"' || name[0] == '\'') && name.back() == name[0];
  return quoted ? name.substr(1, name.size() - 2) : name;
}

std::string in_one_line(std::string_view text) {
  std::string result(text);
  std::replace_if(result.begin(), result.end(), is_blank, ' ');
  return result;
}

class Parser {
 public:
  Parser(const System& system, const SourceText& source, const ExpressionReader& read_expression,
         ErrorSemantics errors)
      : system_(system), source_(source), read_expression_(read_expression), errors_(errors) {}

  std::vector<MeasureTerm> measure(Piece text) {
    std::vector<MeasureTerm> terms;
    for (;;) {
      const Piece part = text.take_until(",");
      const bool may_claim = terms.empty() || terms.back().monotone;
      terms.push_back(term(part, may_claim));
      if (text.text.empty()) return terms;
      text.skip(1);
    }
  }

 private:
  [[noreturn]] void fail(SourcePoint where, std::string message) const {
    throw Error(ErrorKind::input, {error_at(source_, where, std::move(message))});
  }

  MeasureTerm term(Piece text, bool may_claim) {
    const SourcePoint start = text.where;
    const bool claimed = take_claim(text);
    if (claimed && !may_claim) fail(start, "a term can be claimed monotone only if all terms before it are");
    if (text.text.empty()) fail(text.where, "expected a term of the progress measure");
    std::vector<MeasureTerm> summands = sum_of_slots(text);
    MeasureTerm result = summands.empty() ? plain_term(text) : sum_term(system_, summands);
    const bool known = !summands.empty() && std::ranges::all_of(summands, [](const MeasureTerm& summand) {
      return summand.monotone && summand.summands[0].weight > 0;
    });
    result.monotone = claimed || (known && may_claim);
    return result;
  }

  /// Empty when the text is another expression, which the language of the model reads.
  std::vector<MeasureTerm> sum_of_slots(Piece text) {
    const bool has_order = text.text.find('{') != std::string_view::npos;
    std::vector<MeasureTerm> terms;
    for (char sign = '+'; !text.text.empty(); text.trim()) {
      if (text.text.starts_with('-') || (!terms.empty() && text.text.starts_with('+'))) {
        sign = text.text[0];
        text.skip(1);
        text.trim();
      }
      Piece part = text.take_until("+-");
      if (part.text.empty() && has_order) fail(part.where, "expected a variable or a process");
      const std::int64_t weight = take_weight(part);
      std::optional<MeasureTerm> term = slot_or_order(part, has_order);
      if (!term) return {};
      term->summands[0].weight = sign == '-' ? -weight : weight;
      terms.push_back(std::move(*term));
      sign = '+';
    }
    return terms;
  }

  /// "3 *" before a summand, which is then taken.
  std::int64_t take_weight(Piece& text) const {
    Piece rest = text;
    const Piece number = rest.take_until("*");
    if (rest.text.empty()) return 1;
    std::int64_t weight = 0;
    const auto [end, error] =
        std::from_chars(number.text.data(), number.text.data() + number.text.size(), weight);
    if (error == std::errc::result_out_of_range || weight > most_weight)
      fail(number.where, fmt::format("a weight is at most {}", most_weight));
    if (error != std::errc{} || end != number.text.data() + number.text.size()) return 1;
    if (weight == 0) fail(number.where, "a weight is at least 1");
    rest.skip(1);
    rest.trim();
    text = rest;
    return weight;
  }

  /// Whether the term begins with the word `monotone`, which is then taken. A variable may have
  /// that name, too.
  bool take_claim(Piece& text) const {
    constexpr std::string_view word = "monotone";
    if (!text.text.starts_with(word) || system_.find_slot(word)) return false;
    if (text.text.size() > word.size() && is_name_character(text.text[word.size()])) return false;
    text.skip(word.size());
    text.trim();
    return true;
  }

  MeasureTerm plain_term(const Piece& text) const {
    const Expr expr = fold_constants(read_expression_(text.text, text.where, source_), system_.tables);
    if (expr.op == Op::load) return slot_term(system_, expr.slot);
    return {.text = spelling(expr, text.text), .summands = {{.expr = expr}}};
  }

  /// The canonical spelling where it can be read back, else the author's.
  std::string spelling(const Expr& expr, std::string_view written) const {
    const SourceText canonical{source_.name, to_string(expr, system_)};
    try {
      const Expr again = fold_constants(read_expression_(canonical.text, {1, 1}, canonical), system_.tables);
      if (same_expression(again, expr)) return canonical.text;
    } catch (const Error&) {
      // Keep it as it was written.
    }
    return in_one_line(written);
  }

  /// Nothing when it is neither a slot nor a group, and need not be.
  std::optional<MeasureTerm> slot_or_order(const Piece& text, bool required) {
    const std::size_t brace = text.text.find('{');
    Piece name{text.text.substr(0, brace), text.where};
    name.trim();
    const std::optional<SlotId> plain = system_.find_slot(unquoted(name.text));
    if (!plain && brace == std::string_view::npos)
      if (auto term = local_term(name)) return term;
    std::vector<SlotId> slots;
    if (plain)
      slots = {*plain};
    else if (is_group(name))
      slots = group(name);
    else if (required)
      slots = {ordered_slot(name)};
    if (slots.empty()) return std::nullopt;
    if (brace == std::string_view::npos && slots.size() > 1)
      fail(name.where, "a group of variables needs an order of its values: (x, y) {(0, 1) < (1, 0)}");
    if (brace == std::string_view::npos) return slot_term(system_, slots[0]);
    Piece braces = text;
    braces.skip(brace + 1);
    if (!braces.text.ends_with('}')) fail(braces.where, "expected '}' at the end of the order");
    braces.text.remove_suffix(1);
    ProgressOrder values = order(slots, braces);
    return group_term(system_, std::move(slots), std::move(values));
  }

  /// "sccs(P)", "tree(P, P.x)"; nothing when it is something else.
  std::optional<MeasureTerm> local_term(const Piece& text) {
    for (const bool of_sccs : {true, false}) {
      const std::string_view word = of_sccs ? "sccs" : "tree";
      if (!text.text.starts_with(word)) continue;
      Piece slots = text;
      slots.skip(word.size());
      slots.trim();
      if (!is_bracketed(slots)) return std::nullopt;
      const auto local = local_measure(system_, group(slots), locals().options);
      if (!local) fail(text.where, fmt::format("{} has too many values to follow on its own", slots.text));
      return of_sccs ? scc_term(system_, *local) : tree_term(system_, *local);
    }
    return std::nullopt;
  }

  const Locals& locals() {
    if (!locals_) locals_ = local_measures(system_, errors_);
    return *locals_;
  }

  /// Brackets around the whole of it, that is.
  static bool is_bracketed(Piece text) {
    if (!text.text.starts_with('(') || !text.text.ends_with(')')) return false;
    text.skip(1);
    text.take_until(")");
    return text.text == ")";
  }
  static Piece inside_brackets(Piece text) {
    text.skip(1);
    text.text.remove_suffix(1);
    text.trim();
    return text;
  }
  /// "(P, P.x)": brackets around one expression are no group.
  static bool is_group(const Piece& text) {
    if (!is_bracketed(text)) return false;
    Piece inside = inside_brackets(text);
    inside.take_until(",");
    return !inside.text.empty();
  }

  /// The parts of what is in brackets.
  static std::vector<Piece> listed(const Piece& text) {
    Piece inside = inside_brackets(text);
    std::vector<Piece> parts;
    for (;;) {
      parts.push_back(inside.take_until(","));
      if (inside.text.empty()) return parts;
      inside.skip(1);
    }
  }

  std::vector<SlotId> group(const Piece& text) const {
    std::vector<SlotId> slots;
    for (const Piece& name : listed(text)) {
      const SlotId slot = ordered_slot(name);
      if (std::ranges::find(slots, slot) != slots.end())
        fail(name.where, fmt::format("'{}' is already in the group", name.text));
      slots.push_back(slot);
    }
    return slots;
  }

  SlotId ordered_slot(const Piece& name) const {
    if (name.text.empty()) fail(name.where, "expected a variable or a process");
    if (const auto slot = system_.find_slot(unquoted(name.text))) return *slot;
    const Expr expr = fold_constants(read_expression_(name.text, name.where, source_), system_.tables);
    if (expr.op != Op::load)
      fail(name.where, "only variables and processes take an order of their values, not other expressions");
    return expr.slot;
  }

  /// "a < b = c", "0 < .. < 9", "(a, 0) < (b, 1)"
  ProgressOrder order(const std::vector<SlotId>& slots, Piece text) const {
    ProgressOrder order;
    std::set<std::vector<std::int32_t>> seen;
    const auto add = [&](char sign, const std::vector<std::int32_t>& values, SourcePoint where,
                         std::string_view shown) {
      if (!seen.insert(values).second) fail(where, fmt::format("'{}' is already in the order", shown));
      if (sign == '<') order.emplace_back();
      order.back().insert(order.back().end(), values.begin(), values.end());
    };
    bool run = false;  // the word before is ".."
    for (char sign = '<';;) {
      const Piece word = text.take_until("<=");
      const char next = text.text.empty() ? '\0' : text.text[0];
      if (word.text == "..") {
        if (run || order.empty() || next != sign || !has_numbers(slots))
          fail(word.where,
               "'..' stands between two numbers and the same signs, as in 0 < .. < 9 or 1 = .. = 9");
      } else {
        const std::vector<std::int32_t> values = tuple(slots, word);
        if (run)
          for (const std::int32_t value : between(slots[0], order.back().back(), values[0], word))
            add(sign, {value}, word.where, std::to_string(value));
        add(sign, values, word.where, word.text);
      }
      run = word.text == "..";
      if (next == '\0') return order;
      text.skip(1);
      sign = next;
    }
  }

  bool has_numbers(const std::vector<SlotId>& slots) const {
    return slots.size() == 1 && !system_.variables[system_.slots[slots[0]].variable].is_location;
  }

  /// The numbers from one to the other, without these.
  std::vector<std::int32_t> between(SlotId slot, std::int32_t first, std::int32_t last,
                                    const Piece& word) const {
    const std::int64_t distance = std::int64_t{last} - first;
    if (std::abs(distance) > largest_order_span) fail(word.where, too_far_apart(system_, slot));
    std::vector<std::int32_t> values;
    const std::int32_t step = distance < 0 ? -1 : 1;
    if (distance != 0)
      for (std::int32_t value = first + step; value != last; value += step) values.push_back(value);
    if (values.empty()) fail(word.where, fmt::format("no number lies between {} and {}", first, last));
    return values;
  }

  /// The values of the slots: "idle", or "(idle, 3)" of a group.
  std::vector<std::int32_t> tuple(const std::vector<SlotId>& slots, const Piece& text) const {
    if (slots.size() == 1) return {value(slots[0], text)};
    std::vector<Piece> words;
    if (is_bracketed(text)) words = listed(text);
    if (words.size() != slots.size())
      fail(text.where,
           fmt::format("expected {} values in brackets, one for each variable of the group", slots.size()));
    std::vector<std::int32_t> values;
    for (std::size_t i = 0; i < slots.size(); ++i) values.push_back(value(slots[i], words[i]));
    return values;
  }

  std::int32_t value(SlotId slot, const Piece& word) const {
    const Variable& variable = system_.variables[system_.slots[slot].variable];
    if (word.text.empty()) fail(word.where, fmt::format("expected a value of {}", system_.slots[slot].name));
    if (variable.is_location) {
      const auto location = system_.find_location(variable.owner, word.text);
      if (!location)
        fail(word.where, fmt::format("process '{}' has no state '{}'",
                                     system_.components[variable.owner].name, word.text.substr(0, 40)));
      return static_cast<std::int32_t>(*location);
    }
    const std::int32_t number = variable_value(variable, word);
    const Range range = system_.slots[slot].range;
    if (!range.contains(number))
      fail(word.where,
           fmt::format("{} has no value outside {}..{}", system_.slots[slot].name, range.low, range.high));
    return number;
  }

  /// A number, or the name of one.
  std::int32_t variable_value(const Variable& variable, const Piece& word) const {
    if (variable.names != no_names) {
      const std::vector<std::string>& names = system_.value_names[variable.names];
      const auto named = std::ranges::find(names, word.text);
      if (named != names.end()) return static_cast<std::int32_t>(named - names.begin());
    }
    std::int32_t number = 0;
    const auto [end, error] = std::from_chars(word.text.data(), word.text.data() + word.text.size(), number);
    if (error != std::errc{} || end != word.text.data() + word.text.size())
      fail(word.where, fmt::format("expected a number, found '{}'", word.text.substr(0, 40)));
    return number;
  }

  const System& system_;
  const SourceText& source_;
  const ExpressionReader& read_expression_;
  ErrorSemantics errors_;
  std::optional<Locals> locals_;  // once they are needed
};

}  // namespace

Measure parse_measure(const System& system, const SourceText& source, std::string_view text,
                      SourcePoint start, const ExpressionReader& read_expression, ErrorSemantics errors) {
  const std::string plain = without_comments(text);
  Piece piece{plain, start};
  piece.trim();
  if (piece.text.empty())
    throw Error(ErrorKind::input, {error_at(source, start, "expected a progress measure")});
  return Measure(system, Parser(system, source, read_expression, errors).measure(piece));
}

Measure parse_measure(const System& system, const SourceText& source, const ExpressionReader& read_expression,
                      ErrorSemantics errors) {
  return parse_measure(system, source, source.text, {1, 1}, read_expression, errors);
}

}  // namespace tideline
