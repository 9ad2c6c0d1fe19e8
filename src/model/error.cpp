#include "model/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tideline {

namespace {

// A line of a generated model can be megabytes long: show only the part around the caret.
constexpr std::size_t shown_width = 100;

struct Excerpt {
  std::string text;
  std::size_t caret;  // columns before the caret
};

Excerpt excerpt_around(std::string_view line, std::uint32_t column) {
  const std::size_t at = std::min<std::size_t>(column == 0 ? 0 : column - 1, line.size());
  std::size_t begin = 0;
  if (line.size() > shown_width && at > shown_width / 2) begin = at - shown_width / 2;
  std::string text;
  std::size_t caret = 0;
  for (std::size_t i = begin; i < line.size() && i < begin + shown_width; ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    // A byte that is not printable ASCII would move the caret or upset the terminal: show a '?' instead.
    text += c == '\t' ? ' ' : (c < 0x20 || c >= 0x7f) ? '?' : line[i];
    if (i < at) ++caret;
  }
  return {std::move(text), caret};
}

}  // namespace

std::string_view SourceText::line(std::uint32_t number) const {
  std::string_view rest = text;
  for (std::uint32_t i = 1; i < number; ++i) {
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  rest = rest.substr(0, rest.find('\n'));
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  return rest;
}

SourceText::Place SourceText::place_of(std::uint32_t line) const {
  const auto after = std::upper_bound(parts.begin(), parts.end(), line,
                                      [](std::uint32_t l, const Part& part) { return l < part.first_line; });
  if (after == parts.begin()) return {name, line};
  const Part& part = *(after - 1);
  return {part.file, line - part.first_line + part.line_there};
}

namespace {
Diagnostic diagnostic_at(Diagnostic::Severity severity, const SourceText& source, SourcePoint where,
                         std::string message) {
  if (where.line == 0) return {severity, std::move(message), source.name, where, {}};
  SourceText::Place place = source.place_of(where.line);
  return {severity,
          std::move(message),
          std::move(place.file),
          {place.line, where.column},
          std::string(source.line(where.line))};
}
}  // namespace

Diagnostic error_at(const SourceText& source, SourcePoint where, std::string message) {
  return diagnostic_at(Diagnostic::Severity::error, source, where, std::move(message));
}

Diagnostic warning_at(const SourceText& source, SourcePoint where, std::string message) {
  return diagnostic_at(Diagnostic::Severity::warning, source, where, std::move(message));
}

std::string to_string(const Diagnostic& d) {
  std::string text;
  if (!d.file.empty()) text += d.file + ":";
  if (d.where.line != 0) text += fmt::format("{}:{}:", d.where.line, d.where.column);
  if (!text.empty()) text += ' ';
  text += d.severity == Diagnostic::Severity::error ? "error: " : "warning: ";
  text += d.message;
  if (d.where.line != 0) {
    const Excerpt shown = excerpt_around(d.source_line, d.where.column);
    text +=
        fmt::format("\n{:>6} | {}\n       | {}^", d.where.line, shown.text, std::string(shown.caret, ' '));
  }
  return text;
}

Error::Error(ErrorKind kind, std::string message)
    : Error(kind, {Diagnostic{.message = std::move(message)}}) {}

Error::Error(ErrorKind kind, std::vector<Diagnostic> diagnostics)
    : kind_(kind), diagnostics_(std::move(diagnostics)) {
  for (const Diagnostic& d : diagnostics_) {
    if (!text_.empty()) text_ += '\n';
    text_ += to_string(d);
  }
}

}  // namespace tideline
