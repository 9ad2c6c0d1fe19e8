#include "checking/combine.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace tideline {

namespace {

using Value = Statistics::Value;
using Searches = std::vector<SearchReport>;

/// As the first search that has visited all states of the model has counted it.
std::optional<Value> size_of_model(const Searches& searches, Stat stat) {
  for (const SearchReport& search : searches) {
    if (!search.complete || !search.statistics.find("states")) continue;
    const Value* value = search.statistics.find(stat);
    return value ? std::optional(*value) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Value> largest(const Searches& searches, Stat stat) {
  std::optional<Value> result;
  for (const SearchReport& search : searches)
    if (const Value* value = search.statistics.find(stat))
      if (!result || *result < *value) result = *value;
  return result;
}

/// Nothing unless all searches have a number.
template <class Number>
std::optional<Value> sum(const Searches& searches, Stat stat) {
  Number total = 0;
  for (const SearchReport& search : searches) {
    const Value* value = search.statistics.find(stat);
    if (!value || !std::holds_alternative<Number>(*value)) return std::nullopt;
    total += std::get<Number>(*value);
  }
  return total;
}

std::optional<Value> merged(const Searches& searches, Stat stat) {
  switch (stat->merge) {
    case Merge::model:
      return size_of_model(searches, stat);
    case Merge::largest:
      return largest(searches, stat);
    case Merge::sum:
      return stat->unit == Unit::seconds ? sum<double>(searches, stat) : sum<std::uint64_t>(searches, stat);
    case Merge::none:
    case Merge::whole:
      break;
  }
  return std::nullopt;
}

Statistics combined(const Searches& searches) {
  Statistics result;
  if (searches.size() == 1) {
    for (const auto& [stat, value] : searches.front().statistics.entries())
      if (stat->merge != Merge::whole) result.set(stat, value);
    return result;
  }
  for (const Stat stat : Stat::all())
    if (std::optional<Value> value = merged(searches, stat)) result.set(stat, *std::move(value));
  return result;
}

}  // namespace

void append(CombinedOutcome& outcome, Outcome search) {
  SearchReport report{.engine = search.engine,
                      .properties = {},
                      .complete = search.complete,
                      .statistics = std::move(search.statistics)};
  for (const PropertyResult& result : search.results) report.properties.push_back(result.property.name);
  CombinedOutcome one{std::move(search), {}};
  one.searches.push_back(std::move(report));
  append(outcome, std::move(one));
}

void append(CombinedOutcome& outcome, CombinedOutcome more) {
  const auto add = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  for (SearchReport& search : more.searches) {
    const bool known_engine = std::any_of(outcome.searches.begin(), outcome.searches.end(),
                                          [&](const SearchReport& r) { return r.engine == search.engine; });
    if (!known_engine) outcome.engine += (outcome.engine.empty() ? "" : "+") + search.engine;
    outcome.complete = (outcome.searches.empty() || outcome.complete) && search.complete;
    outcome.searches.push_back(std::move(search));
  }
  outcome.statistics = combined(outcome.searches);
  outcome.model_errors = outcome.model_errors || more.model_errors;
  add(outcome.results, more.results);
  add(outcome.warnings, more.warnings);
  add(outcome.never_enabled, more.never_enabled);
  if (!more.level_sizes.empty()) outcome.level_sizes = std::move(more.level_sizes);
}

void take_decided(const Outcome& from, Outcome& to) {
  for (PropertyResult& open : to.results)
    for (const PropertyResult& other : from.results)
      if (open.verdict == Verdict::unknown && other.verdict != Verdict::unknown &&
          other.property.name == open.property.name)
        open = other;
}

bool is_open(const Outcome& outcome) {
  return std::ranges::any_of(outcome.results,
                             [](const auto& result) { return result.verdict == Verdict::unknown; });
}

}  // namespace tideline
