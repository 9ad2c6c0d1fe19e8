#include "combine.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace tideline::app {

namespace {

/// Counts of which the largest counts; the others are summed up.
constexpr std::string_view largest_counts[] = {"states",      "deadlocks",   "levels",      "depth",
                                               "early",       "stored_peak", "values_peak", "bits_set",
                                               "state_bytes", "table_bytes", "threads",     "peak_rss_bytes",
                                               "nodes",       "nodes_peak",  "node_bytes",  "diagram_levels"};

bool largest_counts_for(std::string_view name) {
  return std::find(std::begin(largest_counts), std::end(largest_counts), name) != std::end(largest_counts);
}

/// Nothing where the two have nothing in common.
std::optional<Statistics::Value> combined(std::string_view name, const Statistics::Value& a,
                                          const Statistics::Value& b) {
  if (!largest_counts_for(name) && a.index() != b.index()) return std::nullopt;
  if (std::holds_alternative<std::uint64_t>(a) && !largest_counts_for(name))
    return std::get<std::uint64_t>(a) + std::get<std::uint64_t>(b);
  if (std::holds_alternative<std::string>(a) && a != b) return std::nullopt;
  return std::max(a, b);
}

std::optional<Statistics::Value> combined(std::string_view name, const std::vector<SearchReport>& searches) {
  std::optional<Statistics::Value> result;
  for (const SearchReport& search : searches) {
    const Statistics::Value* value = search.statistics.find(name);
    if (!value) continue;
    result = result ? combined(name, *result, *value) : *value;
    if (!result) return std::nullopt;
  }
  return result;
}

/// All but the time: there is more to a check than its searches.
Statistics combined(const std::vector<SearchReport>& searches) {
  Statistics result;
  for (const SearchReport& search : searches)
    for (const auto& [name, ignored] : search.statistics.entries()) {
      if (name == "time_s") continue;
      if (auto value = combined(name, searches)) result.set(name, std::move(*value));
    }
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

}  // namespace tideline::app
