#include "checking/unbounded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lang/pnml/unbounded.hpp"

namespace tideline {

std::optional<Unboundedness> find_unboundedness(const Model& model) {
  if (!model.net) return std::nullopt;
  auto pump = pnml::find_pump(*model.net, model.system);
  if (!pump) return std::nullopt;
  return Unboundedness{std::move(pump->prefix), std::move(pump->sequence), std::move(pump->grows)};
}

std::optional<Unboundedness> find_unboundedness(const ReducedCheck& reduced) {
  auto proof = find_unboundedness(reduced.model());
  if (!proof) return std::nullopt;
  std::vector<ActionId> prefix = reduced.prefix();
  const auto rest = reduced.given_actions(proof->prefix);
  prefix.insert(prefix.end(), rest.begin(), rest.end());
  for (SlotId& slot : proof->grows) slot = reduced.given_slots()[slot];
  return Unboundedness{std::move(prefix), reduced.given_actions(proof->sequence), std::move(proof->grows)};
}

ShortSearch::ShortSearch(const Budget::Limits& limits, double gone, bool has_depth) : limits_(limits) {
  limits_.gone = gone;
  if (has_depth) return;
  shorter_time_ = !limits.seconds || *limits.seconds > gone + seconds;
  if (shorter_time_) limits_.seconds = gone + seconds;
  const std::uint64_t now = resident_bytes();
  const std::uint64_t left = limits.memory_bytes ? *limits.memory_bytes - std::min(now, *limits.memory_bytes)
                                                 : std::uint64_t{2} * bytes;
  less_memory_ = left != 0;
  if (less_memory_) limits_.memory_bytes = now + std::min(bytes, left / 2);
}

std::string ShortSearch::reason(const std::string& of_search, const std::string& unbounded) const {
  const bool ours = (shorter_time_ && of_search.starts_with("time limit")) ||
                    (less_memory_ && of_search.starts_with("memory limit"));
  return of_search.empty() || ours ? unbounded : fmt::format("{}; {}", of_search, unbounded);
}

Outcome not_searched(std::string_view engine, std::vector<Property> properties) {
  Outcome outcome;
  outcome.engine = engine;
  for (Property& property : properties)
    outcome.results.push_back({std::move(property), Verdict::unknown, "", {}});
  outcome.statistics.set("transitions", std::uint64_t{0});
  outcome.statistics.set("visited", std::uint64_t{0});
  outcome.statistics.set("threads", std::uint64_t{1});
  return outcome;
}

void explain_unknown(Outcome& outcome, const ShortSearch& search, const std::string& unbounded) {
  for (PropertyResult& result : outcome.results)
    if (result.verdict == Verdict::unknown) result.reason = search.reason(result.reason, unbounded);
}

}  // namespace tideline
