#include "simulate/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lang/diagnostics.hpp"
#include "model/error.hpp"

namespace tideline {

namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

bool is_capital(char c) {
  return 'A' <= c && c <= 'Z';
}

char small(char c) {
  return is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_of_word(char c) {
  return is_capital(c) || ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || c == '_';
}

/// Whether a place in a text, before its character `at`, is within a word.
bool within_word(std::string_view text, std::size_t at) {
  return at > 0 && at < text.size() && is_of_word(text[at - 1]) && is_of_word(text[at]);
}

bool occurs(std::string_view text, std::string_view part, bool whole_words) {
  const bool has_capital = std::ranges::any_of(part, is_capital);
  const auto same = [&](char a, char b) { return has_capital ? a == b : small(a) == small(b); };
  for (auto from = text.begin();; ++from) {
    const auto found = std::search(from, text.end(), part.begin(), part.end(), same);
    if (found == text.end()) return part.empty();
    const auto at = static_cast<std::size_t>(found - text.begin());
    if (!whole_words || (!within_word(text, at) && !within_word(text, at + part.size()))) return true;
    from = found;
  }
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

FirstWord first_word(std::string_view text) {
  text = trimmed(text);
  const auto end = std::min(text.find_first_of(blanks), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (FirstWord at = first_word(text); !at.word.empty(); at = first_word(at.rest)) words.push_back(at.word);
  return words;
}

std::vector<std::string_view> commands_in(std::string_view line) {
  std::vector<std::string_view> commands;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] != ';' || quoted) continue;
    commands.push_back(trimmed(line.substr(begin, i - begin)));
    begin = i + 1;
  }
  commands.push_back(trimmed(line.substr(begin)));
  std::erase(commands, std::string_view{});
  return commands;
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::optional<std::uint64_t> number_from(std::string_view word) {
  std::uint64_t number = 0;
  const char* end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, number);
  if (word.empty() || error != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

std::uint64_t number_or(std::string_view arguments, std::uint64_t otherwise) {
  if (arguments.empty()) return otherwise;
  if (const auto number = number_from(arguments)) return *number;
  throw Error(ErrorKind::usage, fmt::format("'{}' is not a number", abbreviate(arguments)));
}

void require_nothing(std::string_view arguments) {
  if (!arguments.empty())
    throw Error(ErrorKind::usage,
                fmt::format("unexpected '{}' after the command, which takes nothing", abbreviate(arguments)));
}

Fit fit_of(std::string_view text, std::string_view part) {
  const auto all_words = [&](bool whole) {
    const auto words = words_of(part);
    return std::ranges::all_of(words, [&](std::string_view word) { return occurs(text, word, whole); });
  };
  if (text == part) return Fit::whole;
  if (occurs(text, part, true)) return Fit::words;
  if (all_words(true)) return Fit::scattered;
  if (occurs(text, part, false)) return Fit::part;
  return all_words(false) ? Fit::parts : Fit::none;
}

std::vector<std::size_t> best_fits(std::size_t count, std::string_view part,
                                   const std::function<std::string(std::size_t)>& text) {
  std::vector<std::size_t> best;
  Fit best_fit = Fit::none;
  for (std::size_t i = 0; i < count && !part.empty(); ++i) {
    const Fit fit = fit_of(text(i), part);
    if (fit < best_fit) best.clear();
    best_fit = std::min(fit, best_fit);
    if (fit == best_fit && fit != Fit::none) best.push_back(i);
  }
  return best;
}

}  // namespace tideline
