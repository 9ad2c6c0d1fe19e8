#include "checking/share_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "checking/unbounded.hpp"

namespace tideline {

namespace {

constexpr double longest_turn = 1;      // seconds
constexpr double share_of_turns = 0.1;  // of the time that is left

}  // namespace

std::vector<CombinedOutcome> share_time(const std::vector<TimedSearch>& searches, const Budget& clock,
                                        std::optional<double> seconds) {
  std::vector<std::optional<CombinedOutcome>> first(searches.size());
  std::vector<bool> done(searches.size());
  if (seconds && searches.size() > 1) {
    const double left = std::max(0.0, *seconds - clock.seconds());
    const double turn = std::min(longest_turn, share_of_turns * left / static_cast<double>(searches.size()));
    for (std::size_t i = 0; i < searches.size(); ++i) {
      const double end = clock.seconds() + turn;
      first[i] = searches[i](end);
      // One that ended before its turn did was done, or interrupted, or had no memory.
      done[i] = !is_open(*first[i]) || clock.seconds() < end;
    }
  }
  std::vector<CombinedOutcome> outcomes;
  for (std::size_t i = 0; i < searches.size(); ++i) {
    if (done[i]) {
      outcomes.push_back(*std::move(first[i]));
      continue;
    }
    CombinedOutcome& outcome = outcomes.emplace_back(searches[i]({}));
    if (first[i]) take_decided(*first[i], outcome);
    first[i].reset();  // gives its memory back
  }
  return outcomes;
}

Budget::Limits limits_until(std::optional<double> until, Budget::Limits limits, const Budget& clock) {
  limits.gone = clock.seconds();
  if (until && (!limits.seconds || *until < *limits.seconds)) limits.seconds = until;
  return limits;
}

Outcome ended_early(std::string_view engine, std::vector<Property> properties, const Budget& budget) {
  Outcome outcome = not_searched(engine, std::move(properties));
  for (PropertyResult& result : outcome.results)
    result.reason = fmt::format("{} while {}", budget.reason(), to_string(budget.phase()));
  return outcome;
}

}  // namespace tideline
