#include "lang/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tideline {

namespace {

/// What is wrong with a process that is a template is wrong with each of its instances.
bool is_known(const std::vector<Diagnostic>& known, SourcePoint where, const std::string& message) {
  return std::ranges::any_of(known,
                             [&](const Diagnostic& d) { return d.where == where && d.message == message; });
}

}  // namespace

void Diagnostics::error(SourcePoint where, std::string message) {
  if (is_known(errors_, where, message)) return;
  errors_.push_back(error_at(source_, where, std::move(message)));
  if (errors_.size() >= max_errors || errors_.back().source_line.size() > max_line) throw_if_errors();
}

void Diagnostics::warning(SourcePoint where, std::string message) {
  if (is_known(warnings_, where, message)) return;
  if (warnings_.size() > max_warnings) return;
  if (warnings_.size() == max_warnings) {
    warnings_.push_back(warning_at(source_, {}, "further warnings are not shown"));
    return;
  }
  Diagnostic warning = warning_at(source_, where, std::move(message));
  if (warning.source_line.size() > max_line) return;
  warnings_.push_back(std::move(warning));
}

void Diagnostics::throw_if_errors() {
  if (errors_.empty()) return;
  std::stable_sort(errors_.begin(), errors_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
  });
  throw Error(ErrorKind::input, std::move(errors_));
}

std::string abbreviate(std::string_view text) {
  constexpr std::size_t shown = 40;
  std::string result(text.substr(0, shown));
  for (char& c : result)
    if (c < 0x20 || c >= 0x7f) c = '?';
  if (text.size() > shown) result += "...";
  return result;
}

namespace {

// Levenshtein distance, row by row.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

void Suggestion::offer(std::string_view candidate) {
  const std::size_t longer = std::max(candidate.size(), unknown_.size());
  const std::size_t shorter = std::min(candidate.size(), unknown_.size());
  if (longer > 64) return;
  // A name that differs in case and a prefix count as much as a name with a single slip.
  constexpr std::size_t shortest_beginning = 3;
  const bool near = equal_but_for_case(unknown_, candidate) ||
                    (unknown_.size() >= shortest_beginning && candidate.starts_with(unknown_));
  if (!near && longer - shorter > 2) return;
  const std::size_t distance = near ? 1 : edit_distance(unknown_, candidate);
  // If more than half of a name differs, it is another name, not a slip.
  if (distance > 2 || 2 * distance > longer) return;
  if (std::tie(distance, candidate) < std::make_tuple(best_distance_, std::string_view(best_))) {
    best_distance_ = distance;
    best_ = candidate;
  }
}

std::string Suggestion::text() const {
  return best_.empty() ? std::string() : fmt::format("; did you mean '{}'?", best_);
}

}  // namespace tideline
