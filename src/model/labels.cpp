#include "model/labels.hpp"

#include <algorithm>

namespace tideline {

namespace {

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// `*` stands for any text. Goes back to the last star only, which is enough.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, after_star = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++after_star;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// "P: a -> b" for "P: a -> b #2".
std::string_view without_number(std::string_view label) {
  const std::size_t sign = label.rfind(" #");
  if (sign == std::string_view::npos || sign + 2 == label.size()) return label;
  const std::string_view number = label.substr(sign + 2);
  return number.find_first_not_of("0123456789") == std::string_view::npos ? label.substr(0, sign) : label;
}

bool is_named(const System& system, const Action& action, std::string_view pattern) {
  const std::string_view label = without_number(action.label);
  if (matches(pattern, label) || matches(pattern, action.label)) return true;
  if (const std::size_t bracket = label.find_first_of("[(");
      bracket != std::string_view::npos && matches(pattern, without_blanks(label.substr(0, bracket))))
    return true;
  if (action.message && matches(pattern, system.channels[action.message->channel].name)) return true;
  // The channel in parentheses belongs to no process.
  std::string_view rest = label.substr(0, label.ends_with(')') ? label.rfind(" (") : label.size());
  if (rest.find(", ") == std::string_view::npos) return false;
  while (true) {
    const std::size_t comma = rest.find(", ");
    if (matches(pattern, rest.substr(0, comma))) return true;
    if (comma == std::string_view::npos) return false;
    rest.remove_prefix(comma + 2);
  }
}

}  // namespace

std::vector<ActionId> actions_named(const System& system, std::string_view pattern) {
  pattern = without_blanks(pattern);
  std::vector<ActionId> result;
  for (ActionId a = 0; a < system.actions.size(); ++a)
    if (is_named(system, system.actions[a], pattern)) result.push_back(a);
  for (const Alias& alias : system.aliases)
    if (matches(pattern, alias.name)) result.insert(result.end(), alias.actions.begin(), alias.actions.end());
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace tideline
