#include "report/page_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/numbers.hpp"
#include "report/text.hpp"

namespace tideline {

namespace {

/// "2 properties hold, 1 is violated."
std::string verdicts_sentence(const std::vector<PropertyResult>& results) {
  std::vector<std::string> parts;
  const auto add = [&](Verdict verdict, const char* one, const char* several) {
    const auto count = std::ranges::count_if(
        results, [&](const PropertyResult& result) { return result.verdict == verdict; });
    if (count == 0) return;
    const std::string number = show_count(static_cast<std::uint64_t>(count));
    const char* noun = !parts.empty() ? "" : count == 1 ? " property" : " properties";
    parts.push_back(fmt::format("{}{} {}", number, noun, count == 1 ? one : several));
  };
  add(Verdict::holds, "holds", "hold");
  add(Verdict::violated, "is violated", "are violated");
  add(Verdict::unknown, "is unknown", "are unknown");
  return fmt::format("{}.", fmt::join(parts, ", "));
}

std::string search_sentence(const std::string& engine, const std::vector<std::string>& properties,
                            const Statistics& statistics, bool complete) {
  constexpr std::size_t shown = 3;
  std::string text = "Engine " + engine;
  if (!properties.empty()) {
    const std::size_t count = std::min(shown, properties.size());
    text += fmt::format(" for {}", fmt::join(properties.begin(), properties.begin() + count, ", "));
    if (properties.size() > shown) text += fmt::format(" and {} more", properties.size() - shown);
  }
  if (const std::string figures = statistics_phrases(statistics); !figures.empty()) text += ": " + figures;
  return text + (complete ? ". The search was complete." : ". The search was not complete.");
}

}  // namespace

std::vector<std::string> page_notes(const Answer& answer, const System& system) {
  const Outcome& outcome = answer.outcome;
  std::vector<std::string> notes;
  if (!outcome.results.empty() && answer.command == "check")
    notes.push_back(verdicts_sentence(outcome.results));
  if (answer.searches.empty())
    notes.push_back(search_sentence(outcome.engine, {}, outcome.statistics, outcome.complete));
  for (const SearchReport& search : answer.searches)
    notes.push_back(search_sentence(search.engine, search.properties, search.statistics, search.complete));
  if (!answer.searches.empty()) {
    const auto* seconds = outcome.statistics.find("time_s");
    if (const auto* value = seconds ? std::get_if<double>(seconds) : nullptr)
      notes.push_back(fmt::format("All together took {}.", show_seconds(*value)));
  }
  for (const PropertyResult& result : outcome.results)
    if (result.verdict == Verdict::unknown && !result.reason.empty())
      notes.push_back(fmt::format("{} is unknown: {}.", result.property.name, result.reason));
  if (answer.unbounded) {
    std::string text = unbounded_text(*answer.unbounded, system);
    text[0] = 'T';
    notes.push_back(text + ".");
  }
  return notes;
}

}  // namespace tideline
