#include "report/json.hpp"

#include <nlohmann/json.hpp>

#include "trace/itf.hpp"

namespace tideline {

using Json = nlohmann::ordered_json;

namespace {

Json property_json(const PropertyResult& result, const std::optional<Trace>& run, const System& system) {
  const Property& property = result.property;
  Json json = {{"name", property.name},
               {"kind", to_string(property.kind)},
               {"formula", property.formula},
               {"verdict", to_string(result.verdict)},
               {"reason", result.reason}};
  if (property.fairness != Fairness::none) json["fairness"] = to_string(property.fairness);
  if (property.kind == PropertyKind::ctl) json["deadlock_paths"] = to_string(property.deadlock_paths);
  if (property.expected) {
    json["expected"] = to_string(*property.expected);
    json["as_expected"] = as_expected(result);
  }
  json["trace"] = run ? trace_json(system, *run) : Json(nullptr);
  return json;
}

Json statistics_json(const Statistics& statistics) {
  Json json = Json::object();
  for (const auto& [name, value] : statistics.entries())
    std::visit([&, &key = name](const auto& v) { json[key] = v; }, value);
  return json;
}

Json search_json(const SearchReport& search) {
  return {{"engine", search.engine},
          {"properties", search.properties},
          {"complete", search.complete},
          {"statistics", statistics_json(search.statistics)}};
}

Json unbounded_json(const Unboundedness& proof, const System& system) {
  Json json = {{"prefix", Json::array()}, {"sequence", Json::array()}, {"grows", Json::array()}};
  for (const ActionId action : proof.prefix) json["prefix"].push_back(system.actions[action].label);
  for (const ActionId action : proof.sequence) json["sequence"].push_back(system.actions[action].label);
  for (const SlotId slot : proof.grows) json["grows"].push_back(system.slots[slot].name);
  return json;
}

}  // namespace

std::string answer_json(const Answer& answer, const System& system) {
  const Outcome& outcome = answer.outcome;
  Json json = {{"tool", "tideline"},    {"version", answer.version}, {"command", answer.command},
               {"model", answer.model}, {"engine", outcome.engine},  {"complete", outcome.complete}};
  Json& properties = json["properties"] = Json::array();
  for (std::size_t i = 0; i < outcome.results.size(); ++i)
    properties.push_back(property_json(outcome.results[i], answer.traces[i], system));
  if (answer.unbounded) json["unbounded"] = unbounded_json(*answer.unbounded, system);
  json["statistics"] = statistics_json(outcome.statistics);
  if (!answer.searches.empty()) {
    Json& searches = json["searches"] = Json::array();
    for (const SearchReport& search : answer.searches) searches.push_back(search_json(search));
  }
  if (answer.level_sizes) json["level_sizes"] = outcome.level_sizes;
  Json& never = json["never_enabled"] = Json::array();
  for (ActionId action : outcome.never_enabled) never.push_back(system.actions[action].label);
  json["warnings"] = outcome.warnings;
  json["exit_code"] = answer.exit_code;
  // Bytes that are no UTF-8 (from a file name, say) must not cost the user the answer.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tideline
