#include "lang/properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "lang/diagnostics.hpp"
#include "lang/expression.hpp"

namespace tideline {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string without_comment(std::string_view line) {
  const std::size_t end = std::min(line.find('#'), line.find("//"));
  return std::string(line.substr(0, end));
}

// A line that ends with a backslash continues in the next one. Line ends and the columns before a continued
// line are kept as blanks, so that every character of the joined text keeps its place.
std::vector<PropertyLine> join_continued(const std::vector<PropertyLine>& lines) {
  std::vector<PropertyLine> joined;
  bool continues = false;
  std::uint32_t last_line = 0;
  for (const PropertyLine& line : lines) {
    std::string text = without_comment(line.text);
    const std::string_view content = trim(text);
    const bool more = content.ends_with('\\');
    if (more) text[static_cast<std::size_t>(content.data() + content.size() - 1 - text.data())] = ' ';
    if (continues) {
      joined.back().text += std::string(line.where.line - last_line, '\n');
      joined.back().text += std::string(line.where.column - 1, ' ') + text;
    } else {
      joined.push_back({line.where, std::move(text)});
    }
    continues = more;
    last_line = line.where.line;
  }
  return joined;
}

/// Reads the words at the beginning of a line; the rest is an expression.
class Words {
 public:
  explicit Words(const PropertyLine& line) : text_(line.text), where_(line.where) { skip_blanks(); }

  bool at_end() const { return text_.empty(); }
  SourcePoint where() const { return where_; }
  std::string_view rest() const { return text_; }

  /// The characters of a name at this place, without taking them. `dashes`: also - and . inside.
  std::string_view peek(bool dashes = false) const {
    std::size_t length = 0;
    while (length < text_.size() &&
           (is_name_character(text_[length]) || (dashes && (text_[length] == '-' || text_[length] == '.'))))
      ++length;
    return text_.substr(0, length);
  }
  void skip(std::size_t count) {
    advance(count);
    skip_blanks();
  }

 private:
  void advance(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      where_ =
          text_[i] == '\n' ? SourcePoint{where_.line + 1, 1} : SourcePoint{where_.line, where_.column + 1};
    }
    text_.remove_prefix(count);
  }
  void skip_blanks() {
    while (!text_.empty() && is_blank(text_.front())) advance(1);
  }

  std::string_view text_;
  SourcePoint where_;
};

class Reader {
 public:
  Reader(const SourceText& source, System& system, std::vector<Property>& properties,
         std::optional<ProgressClause>& progress)
      : diagnostics_(source), system_(system), properties_(properties), progress_(progress) {}

  void line(const PropertyLine& line);
  void finish() { diagnostics_.throw_if_errors(); }

 private:
  void property(Words& words);
  void definition(Words& words);
  void progress(Words& words);
  void expectation(Words& words, Property& property);
  std::string name(Words& words, std::string_view of, bool dashes);
  Expr expression(Words& words, std::string_view after);
  static std::string found(const Words& words) {
    if (words.at_end()) return "the end of the line";
    const std::string_view word = words.peek();
    return fmt::format("'{}'", abbreviate(word.empty() ? words.rest().substr(0, 1) : word));
  }

  /// Thrown to skip a line after its error was recorded.
  struct BadLine {};
  [[noreturn]] void fail(SourcePoint where, std::string message) {
    diagnostics_.error(where, std::move(message));
    throw BadLine{};
  }

  /// "expected 'holds', 'violated' or 'unknown', found 'hold'; did you mean 'holds'?"
  [[noreturn]] void fail_expected(const Words& words, std::initializer_list<std::string_view> expected) {
    std::string list;
    Suggestion suggestion(words.peek());
    for (const std::string_view& word : expected) {
      const bool last = &word == expected.end() - 1;
      list += fmt::format("{}'{}'", list.empty() ? "" : last ? " or " : ", ", word);
      suggestion.offer(word);
    }
    fail(words.where(), fmt::format("expected {}, found {}{}", list, found(words), suggestion.text()));
  }

  Diagnostics diagnostics_;
  System& system_;
  std::vector<Property>& properties_;
  std::optional<ProgressClause>& progress_;
};

void Reader::line(const PropertyLine& line) {
  Words words(line);
  if (words.at_end()) return;
  try {
    const std::string_view first = words.peek();
    if (first == "property") {
      words.skip(first.size());
      property(words);
    } else if (first == "define") {
      words.skip(first.size());
      definition(words);
    } else if (first == "progress") {
      words.skip(first.size());
      progress(words);
    } else {
      fail_expected(words, {"property", "define", "progress"});
    }
  } catch (const BadLine&) {
    // The error is recorded; the other lines are still read.
  }
}

std::string Reader::name(Words& words, std::string_view of, bool dashes) {
  const std::string_view text = words.peek(dashes);
  if (text.empty() || (text[0] >= '0' && text[0] <= '9') || text[0] == '-' || text[0] == '.')
    fail(words.where(), fmt::format("expected the name of {}, found {}", of, found(words)));
  return std::string(text);
}

void Reader::property(Words& words) {
  Property property;
  property.name = name(words, "a property", true);
  for (const Property& other : properties_)
    if (other.name == property.name)
      fail(words.where(), fmt::format("property '{}' is already defined", abbreviate(property.name)));
  words.skip(property.name.size());
  expectation(words, property);

  const std::string_view kind = words.peek();
  if (kind == "deadlock") {
    words.skip(kind.size());
    if (!words.at_end())
      fail(words.where(), fmt::format("expected nothing after 'deadlock', found {}", found(words)));
    property.kind = PropertyKind::deadlock;
  } else if (kind == "invariant" || kind == "reach") {
    property.kind = kind == "invariant" ? PropertyKind::invariant : PropertyKind::reach;
    words.skip(kind.size());
    property.formula = std::string(trim(words.rest()));
    std::replace(property.formula.begin(), property.formula.end(), '\n', ' ');
    property.expr = expression(words, kind);
  } else if (kind == "ltl" || kind == "ctl" || kind == "pattern") {
    // Kept as text: only logic/ can parse it.
    property.kind = kind == "ctl" ? PropertyKind::ctl : PropertyKind::ltl;
    words.skip(kind.size());
    if (words.at_end())
      fail(words.where(),
           fmt::format("expected a {} after '{}'", kind == "pattern" ? kind : "formula", kind));
    std::string& text = kind == "pattern" ? property.pattern : property.formula;
    text = std::string(trim(words.rest()));
    std::replace(text.begin(), text.end(), '\n', ' ');
  } else {
    fail_expected(words, {"deadlock", "invariant", "reach", "ltl", "ctl", "pattern"});
  }
  properties_.push_back(std::move(property));
}

void Reader::expectation(Words& words, Property& property) {
  if (words.peek() != "expect") return;
  words.skip(words.peek().size());
  property.expected = verdict_from(words.peek());
  if (!property.expected) fail_expected(words, {"holds", "violated", "unknown"});
  words.skip(words.peek().size());
}

void Reader::definition(Words& words) {
  const SourcePoint where = words.where();
  const std::string name = this->name(words, "a proposition", false);
  if (const std::string reason = why_no_proposition(system_, name); !reason.empty()) fail(where, reason);
  words.skip(name.size());
  if (!words.rest().starts_with('=') || words.rest().starts_with("=="))
    fail(words.where(), fmt::format("expected '=' after '{}', found {}", abbreviate(name), found(words)));
  words.skip(1);
  Expr expr = expression(words, "=");
  system_.propositions.push_back({name, std::move(expr)});
}

void Reader::progress(Words& words) {
  if (words.at_end()) fail(words.where(), "expected a progress measure after 'progress'");
  if (progress_) fail(words.where(), "there is already a progress measure");
  progress_ = {std::string(trim(words.rest())), words.where(), diagnostics_.source()};
}

Expr Reader::expression(Words& words, std::string_view after) {
  if (words.at_end()) fail(words.where(), fmt::format("expected an expression after '{}'", after));
  try {
    Diagnostics own(diagnostics_.source());
    return read_expression(system_, words.rest(), words.where(), own);
  } catch (const Error& error) {
    for (const Diagnostic& d : error.diagnostics()) diagnostics_.error(d.where, d.message);
    throw BadLine{};
  }
}

}  // namespace

std::vector<PropertyLine> property_file_lines(const SourceText& source) {
  std::vector<PropertyLine> lines;
  std::string_view rest = source.text;
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    lines.push_back({{number, 1}, std::string(line)});
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return lines;
}

void read_properties(const std::vector<PropertyLine>& lines, const SourceText& source, System& system,
                     std::vector<Property>& properties, std::optional<ProgressClause>& progress) {
  Reader reader(source, system, properties, progress);
  for (const PropertyLine& line : join_continued(lines)) reader.line(line);
  reader.finish();
}

}  // namespace tideline
