#include "checking/combine.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace tideline {

namespace {

/// The sizes of the model, as one search has counted them.
constexpr std::string_view model_sizes[] = {"states", "transitions", "deadlocks"};
/// Of these the largest counts.
constexpr std::string_view peaks[] = {"state_bytes", "threads", "peak_rss_bytes"};

/// The first search that has visited all states of the model.
const SearchReport* whole_model(const std::vector<SearchReport>& searches) {
  const auto found = std::ranges::find_if(
      searches, [](const SearchReport& s) { return s.complete && s.statistics.find("states"); });
  return found == searches.end() ? nullptr : &*found;
}

Statistics combined(const std::vector<SearchReport>& searches) {
  Statistics result;
  const auto take = [&](const SearchReport& search, std::string_view name) {
    const Statistics::Value* value = search.statistics.find(name);
    const Statistics::Value* known = result.find(name);
    if (value && (!known || *known < *value)) result.set(name, *value);
  };
  if (searches.size() == 1) {
    for (const auto& [name, value] : searches.front().statistics.entries())
      if (name != "time_s") result.set(name, value);
    return result;
  }
  if (const SearchReport* whole = whole_model(searches))
    for (const std::string_view name : model_sizes) take(*whole, name);
  for (const SearchReport& search : searches)
    for (const std::string_view name : peaks) take(search, name);
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

}  // namespace tideline
