#include "report/json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "trace/itf.hpp"
#include "trace/step_text.hpp"

namespace tideline {

namespace {

using Json = nlohmann::ordered_json;

// Bytes that are not UTF-8 (from a file name, say) must not cost the user the answer.
std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string indented(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

/// An object or a list whose parts are already text, so that a run of a million steps is never a
/// tree in memory.
class Parts {
 public:
  Parts(char open, char close) : text_(1, open), close_(close) {}

  void add(std::string_view key, const Json& value) { add(key, dump(value)); }
  void add(std::string_view key, const std::string& text) { add(fmt::format("\"{}\": {}", key, text)); }
  void add(const std::string& text) {
    text_ += is_empty_ ? "\n  " : ",\n  ";
    text_ += indented(text);
    is_empty_ = false;
  }
  std::string text() const { return text_ + (is_empty_ ? "" : "\n") + close_; }

 private:
  std::string text_;
  char close_;
  bool is_empty_ = true;
};

Json explanation_json(const RunExplanation& explanation, const System& system) {
  Json groups = Json::array(), variables = Json::array();
  for (const StepGroup& group : explanation.groups) {
    Json json = {{"first", group.first + 1}, {"last", group.first + group.count}};
    if (group.component != no_component) json["process"] = system.components[group.component].name;
    groups.push_back(std::move(json));
  }
  for (const SlotId slot : explanation.slots) variables.push_back(system.slots[slot].name);
  return {{"text", explanation.text},  {"steps", explanation.steps()},
          {"variables", variables},    {"slots", explanation.slots},
          {"groups", groups},          {"length_before", explanation.length_before},
          {"order", explanation.order}};
}

std::string property_text(const Answer& answer, std::size_t i, const System& system,
                          const TraceText& trace_of) {
  const PropertyResult& result = answer.outcome.results[i];
  const Property& property = result.property;
  Json json = {{"name", property.name},
               {"kind", to_string(property.kind)},
               {"formula", property.formula},
               {"verdict", to_string(result.verdict)},
               {"reason", result.reason}};
  if (!property.pattern.empty()) json["pattern"] = property.pattern;
  if (property.fairness != Fairness::none) json["fairness"] = to_string(property.fairness);
  if (!property.fair_actions.empty()) json["fair_actions"] = property.fair_actions;
  if (property.kind == PropertyKind::ctl) json["deadlock_paths"] = to_string(property.deadlock_paths);
  if (property.expected) {
    json["expected"] = to_string(*property.expected);
    json["as_expected"] = as_expected(result);
  }
  const std::vector<const Trace*> runs = answer.runs_of(i);
  if (!runs.empty() && runs.front()->length_before) json["shortened_from"] = *runs.front()->length_before;
  Parts parts('{', '}');
  for (const auto& [key, value] : json.items()) parts.add(key, value);
  parts.add("trace", runs.empty() ? "null" : trace_of(i, 0));
  if (const RunExplanation* explanation = answer.explanation_of(i, 0))
    parts.add("explanation", explanation_json(*explanation, system));
  if (runs.size() < 2) return parts.text();
  Parts more('[', ']'), explanations('[', ']');
  for (std::size_t r = 1; r < runs.size(); ++r) {
    more.add(trace_of(i, r));
    if (const RunExplanation* explanation = answer.explanation_of(i, r))
      explanations.add(dump(explanation_json(*explanation, system)));
  }
  parts.add("traces", more.text());
  if (answer.explanation_of(i, 1)) parts.add("explanations", explanations.text());
  return parts.text();
}

Json statistics_json(const Statistics& statistics) {
  Json json = Json::object();
  for (const auto& [stat, value] : statistics.entries()) {
    Json& field = json[std::string(stat->name)];
    std::visit([&](const auto& v) { field = v; }, value);
  }
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

std::string answer_json(const Answer& answer, const System& system, const SourceText* source,
                        Budget* budget) {
  return answer_json(
      answer, system,
      [&](std::size_t i, std::size_t run) { return trace_text(system, *answer.runs_of(i)[run], budget); },
      source);
}

std::string answer_json(const Answer& answer, const System& system, const TraceText& trace_of,
                        const SourceText* source) {
  const Outcome& outcome = answer.outcome;
  Parts properties('[', ']');
  for (std::size_t i = 0; i < outcome.results.size(); ++i)
    properties.add(property_text(answer, i, system, trace_of));
  Json searches = Json::array(), never = Json::array();
  for (const SearchReport& search : answer.searches) searches.push_back(search_json(search));
  for (const ActionId id : outcome.never_enabled)
    never.push_back(with_places(system.actions[id].label, system, system.actions[id], source));

  Parts parts('{', '}');
  parts.add("tool", Json("tideline"));
  parts.add("version", Json(answer.version));
  parts.add("command", Json(answer.command));
  parts.add("model", Json(answer.model));
  if (!answer.defines.empty()) parts.add("defines", Json(answer.defines));
  parts.add("engine", Json(outcome.engine));
  parts.add("complete", Json(outcome.complete));
  parts.add("properties", properties.text());
  if (answer.unbounded) parts.add("unbounded", unbounded_json(*answer.unbounded, system));
  if (const auto& certificate = answer.certificate)
    parts.add("certificate", Json{{"file", certificate->file},
                                  {"states", certificate->states},
                                  {"bytes", certificate->bytes},
                                  {"time_s", certificate->seconds}});
  parts.add("statistics", statistics_json(outcome.statistics));
  if (!searches.empty()) parts.add("searches", searches);
  if (answer.level_sizes) parts.add("level_sizes", Json(outcome.level_sizes));
  parts.add("never_enabled", never);
  parts.add("warnings", Json(outcome.warnings));
  parts.add("exit_code", Json(answer.exit_code));
  return parts.text() + "\n";
}

}  // namespace tideline
