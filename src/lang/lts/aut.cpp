#include "lang/lts/aut.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <utility>

namespace tideline::lts {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/// Reads one line from left to right, and knows its position.
class Line {
 public:
  Line(const SourceText& source, std::string_view text, std::uint32_t number)
      : source_(source), text_(text), number_(number) {}

  [[noreturn]] void fail(std::size_t offset, std::string message) const {
    throw Error(ErrorKind::input,
                {error_at(source_, {number_, static_cast<std::uint32_t>(offset + 1)}, std::move(message))});
  }

  bool blank() {
    skip_blanks();
    return at_ == text_.size();
  }
  std::size_t offset() const { return at_; }
  std::uint32_t number_in_file() const { return number_; }

  void expect(std::string_view what) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(what)) fail_expected(fmt::format("'{}'", what));
    at_ += what.size();
  }

  std::uint64_t number(std::string_view what) {
    skip_blanks();
    std::uint64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail(at_, fmt::format("{} is too large", what));
    if (error != std::errc{}) fail_expected(what);
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  void end() {
    if (!blank()) fail_expected("the end of the line");
  }

  /// Everything up to the last comma, without surrounding blanks and quotes.
  std::string label() {
    const std::size_t comma = text_.rfind(',');
    if (comma == std::string_view::npos || comma < at_) fail(text_.size(), "expected ',' after the label");
    skip_blanks();
    std::size_t last = comma;
    while (last > at_ && is_blank(text_[last - 1])) --last;
    if (last <= at_) fail(comma, "expected a label before ','");
    std::string result(text_.substr(at_, last - at_));
    if (result.front() == '"') result = unquoted(result);
    at_ = comma;
    return result;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  [[noreturn]] void fail_expected(std::string_view what) const {
    const std::string_view rest = text_.substr(at_, 1);
    fail(at_, fmt::format("expected {}, found {}", what,
                          rest.empty() ? "the end of the line" : fmt::format("'{}'", abbreviate(rest))));
  }

  std::string unquoted(std::string_view quoted) const {
    std::string result;
    std::size_t i = 1;
    for (; i < quoted.size() && quoted[i] != '"'; ++i) {
      const bool escapes =
          quoted[i] == '\\' && i + 1 < quoted.size() && (quoted[i + 1] == '"' || quoted[i + 1] == '\\');
      if (escapes) ++i;
      result += quoted[i];
    }
    if (i >= quoted.size()) fail(at_, "this quote is not closed");
    if (i + 1 != quoted.size()) fail(at_ + i + 1, "expected ',' after the closing quote");
    return result;
  }

  const SourceText& source_;
  std::string_view text_;
  std::uint32_t number_;
  std::size_t at_ = 0;
};

class Reader {
 public:
  Reader(const SourceText& source, std::string_view internal) : source_(source) {
    lts_.labels = Labels(internal);
  }

  Lts read() {
    std::string_view rest = source_.text;
    for (std::uint32_t number = 1; !rest.empty(); ++number) {
      const std::string_view text = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(text.size() + 1, rest.size()));
      Line line(source_, text, number);
      if (line.blank()) continue;
      if (header_line_ == 0)
        header(line, number);
      else
        transition(line);
    }
    if (header_line_ == 0)
      throw Error(ErrorKind::input,
                  {error_at(source_, {1, 1}, "expected 'des (first, transitions, states)'")});
    if (count_ != announced_)
      throw Error(
          ErrorKind::input,
          {error_at(source_, {header_line_, 1},
                    fmt::format("this announces {} transitions, but {} follow", announced_, count_))});
    lts_.normalise();
    return std::move(lts_);
  }

 private:
  void header(Line& line, std::uint32_t number) {
    line.expect("des");
    line.expect("(");
    const std::size_t initial_at = line.offset();
    const std::uint64_t initial = line.number("the initial state");
    line.expect(",");
    announced_ = line.number("the number of transitions");
    line.expect(",");
    const std::size_t states_at = line.offset();
    const std::uint64_t states = line.number("the number of states");
    line.expect(")");
    line.end();
    if (states == 0) line.fail(states_at, "an LTS has at least one state");
    if (states > most_aut_states)
      line.fail(states_at, fmt::format("more than {} states are not supported", most_aut_states));
    if (initial >= states) line.fail(initial_at, fmt::format("states are numbered 0 to {}", states - 1));
    lts_.states = static_cast<std::uint32_t>(states);
    lts_.initial = static_cast<StateId>(initial);
    header_line_ = number;
  }

  void transition(Line& line) {
    line.expect("(");
    const StateId from = state(line);
    line.expect(",");
    const LabelId label = lts_.labels.intern(line.label());
    line.expect(",");
    const StateId to = state(line);
    line.expect(")");
    line.end();
    if (++count_ > announced_)
      line.fail(
          0, fmt::format("line {} announces {} transitions, but this is one more", header_line_, announced_));
    lts_.transitions.push_back({from, label, to, line.number_in_file()});
  }

  StateId state(Line& line) const {
    line.blank();
    const std::size_t at = line.offset();
    const std::uint64_t number = line.number("the number of a state");
    if (number >= lts_.states) line.fail(at, fmt::format("states are numbered 0 to {}", lts_.states - 1));
    return static_cast<StateId>(number);
  }

  const SourceText& source_;
  Lts lts_;
  std::uint32_t header_line_ = 0;
  std::uint64_t announced_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace

Lts read_aut(const SourceText& source, std::string_view internal) {
  return Reader(source, internal).read();
}

AutWriter::AutWriter(std::string& out, std::uint64_t initial, std::uint64_t transitions, std::uint64_t states)
    : out_(out) {
  fmt::format_to(std::back_inserter(out_), "des ({}, {}, {})\n", initial, transitions, states);
}

void AutWriter::transition(std::uint64_t from, std::string_view label, std::uint64_t to) {
  fmt::format_to(std::back_inserter(out_), "({}, \"", from);
  for (const char c : label) {
    if (c == '"' || c == '\\') out_ += '\\';
    out_ += c == '\n' ? ' ' : c;
  }
  fmt::format_to(std::back_inserter(out_), "\", {})\n", to);
}

std::string to_aut(const Lts& lts) {
  std::string text;
  AutWriter writer(text, lts.initial, lts.transitions.size(), lts.states);
  for (const Transition& t : lts.transitions) writer.transition(t.from, lts.labels.name(t.label), t.to);
  return text;
}

}  // namespace tideline::lts
