// Words of a line that was typed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tideline {

/// Without blanks at both ends.
std::string_view trimmed(std::string_view text);

/// The first word, and what follows it, trimmed.
struct FirstWord {
  std::string_view word, rest;
};
FirstWord first_word(std::string_view text);

std::vector<std::string_view> words_of(std::string_view text);

/// The commands in a line: the parts between semicolons that are not within double quotes.
std::vector<std::string_view> commands_in(std::string_view line);

/// The text without the double quotes around it; as it is when there are none.
std::string_view unquoted(std::string_view text);

/// Digits and nothing else; nothing as well for a number past 64 bits.
std::optional<std::uint64_t> number_from(std::string_view word);

/// The number that a command takes, or the default where nothing follows it. Throws Error(usage).
std::uint64_t number_or(std::string_view arguments, std::uint64_t otherwise);

/// Throws Error(usage) where something follows a command that takes nothing.
void require_nothing(std::string_view arguments);

/// How well a text fits a part of it that somebody typed, best first: "P_7" is meant to be "P_7: a -> b" and not
/// "P_70: a -> b", where there is a choice. Capitals matter in words that have one.
enum class Fit {
  whole,      ///< it is the text
  words,      ///< it occurs in it, and does not cut words of the text
  scattered,  ///< all of its words do
  part,       ///< it occurs in the text
  parts,      ///< all of its words do
  none,
};
Fit fit_of(std::string_view text, std::string_view part);

/// Of 0, ..., count - 1 those that fit best; none where all fit like Fit::none, or the part is empty.
std::vector<std::size_t> best_fits(std::size_t count, std::string_view part,
                                   const std::function<std::string(std::size_t)>& text);

}  // namespace tideline
