#include "report/saved_answer.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/numbers.hpp"
#include "report/text.hpp"

namespace tideline {

namespace {

// Members sorted: the other kind takes quadratic time for states of many variables.
using SavedJson = nlohmann::json;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw Error(ErrorKind::input, {Diagnostic{.message = why, .file = file, .where = {}, .source_line = {}}});
}

/// A member that must be there, and of this type.
const SavedJson& member(const SavedJson& object, const char* name, SavedJson::value_t type,
                        const std::string& file) {
  const auto found = object.find(name);
  if (found == object.end() || found->type() != type)
    refuse(file, fmt::format("is not an answer of tideline: '{}' is missing or not {}", name,
                             SavedJson(type).type_name()));
  return *found;
}

std::string text_of(const SavedJson& object, const char* name, const std::string& file) {
  return member(object, name, SavedJson::value_t::string, file).get<std::string>();
}

/// The run in the form of a trace file: there the failure is among what is said about the run.
ItfTrace trace_of(const SavedJson& trace, const std::string& name) {
  SavedJson file = {{"#meta", SavedJson::object()}};
  for (const char* part : {"vars", "states", "loop"})
    if (trace.contains(part)) file[part] = trace[part];
  if (trace.contains("failure")) file["#meta"]["failure"] = trace["failure"];
  return read_itf(file.dump(-1, ' ', false, SavedJson::error_handler_t::replace), name);
}

/// `trace`, and what `check --runs` has found besides.
std::vector<const SavedJson*> runs_of(const SavedJson& property) {
  std::vector<const SavedJson*> runs;
  const auto first = property.find("trace");
  if (first == property.end() || !first->is_object()) return runs;
  runs.push_back(&*first);
  if (const auto more = property.find("traces"); more != property.end() && more->is_array())
    for (const SavedJson& run : *more)
      if (run.is_object()) runs.push_back(&run);
  return runs;
}

Statistics statistics_of(const SavedJson& object) {
  Statistics statistics;
  for (const auto& [name, value] : object.items()) {
    const auto stat = Stat::named(name);
    if (!stat) continue;
    if (value.is_number_unsigned())
      statistics.set(*stat, value.get<std::uint64_t>());
    else if (value.is_number())
      statistics.set(*stat, value.get<double>());
    else if (value.is_string())
      statistics.set(*stat, value.get<std::string>());
  }
  return statistics;
}

std::string search_sentence(const SavedJson& search) {
  const std::string figures =
      statistics_phrases(statistics_of(search.value("statistics", SavedJson::object())));
  return fmt::format("Engine {}: {}. The search was {}complete.", search.value("engine", ""), figures,
                     search.value("complete", false) ? "" : "not ");
}

}  // namespace

bool looks_like_answer(std::string_view text) {
  const SavedJson json = SavedJson::parse(text, nullptr, false);
  return json.is_object() && json.contains("tool") && json.contains("properties");
}

SavedAnswer read_answer(const std::string& text, const std::string& file) {
  const SavedJson json = SavedJson::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    refuse(file, "is not an answer of tideline: it is not a JSON object");
  SavedAnswer answer{
      .file = file, .text = text, .model = text_of(json, "model", file), .properties = {}, .runs = {}};
  if (json.contains("defines"))
    for (const SavedJson& define : member(json, "defines", SavedJson::value_t::array, file)) {
      if (!define.is_string())
        refuse(file, "is not an answer of tideline: 'defines' has other things than strings");
      answer.defines.push_back(define.get<std::string>());
    }
  for (const char* name : {"tool", "version", "command", "engine"}) text_of(json, name, file);
  for (const char* name : {"never_enabled", "warnings"}) member(json, name, SavedJson::value_t::array, file);
  member(json, "statistics", SavedJson::value_t::object, file);
  member(json, "complete", SavedJson::value_t::boolean, file);
  for (const SavedJson& property : member(json, "properties", SavedJson::value_t::array, file)) {
    if (!property.is_object()) refuse(file, "is not an answer of tideline: a property is not an object");
    const std::string name = text_of(property, "name", file);
    const auto verdict = verdict_from(text_of(property, "verdict", file));
    if (!verdict) refuse(file, fmt::format("the verdict of '{}' is not holds, violated or unknown", name));
    const std::vector<const SavedJson*> runs = runs_of(property);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const std::string run = runs.size() == 1 ? name : fmt::format("{}, run {}", name, r + 1);
      answer.runs.push_back({.property = answer.properties.size(),
                             .number = r,
                             .name = run,
                             .verdict = *verdict,
                             .trace = trace_of(*runs[r], fmt::format("{}, the run of '{}'", file, run))});
    }
    answer.properties.push_back(name);
  }
  return answer;
}

std::string page_answer(const SavedAnswer& answer, const std::vector<std::optional<std::size_t>>& run_of) {
  SavedJson json = SavedJson::parse(answer.text);
  for (std::size_t i = 0; i < answer.runs.size(); ++i) {
    SavedJson& property = json["properties"][answer.runs[i].property];
    const std::size_t number = answer.runs[i].number;
    if (!run_of[i]) {  // then those that follow are not shown either
      property["trace"] = nullptr;
      property.erase("traces");
      continue;
    }
    SavedJson& trace = number == 0 ? property["trace"] : property["traces"][number - 1];
    trace.erase("states");
    trace.erase("vars");
    trace["run"] = *run_of[i];
  }
  return json.dump(-1, ' ', false, SavedJson::error_handler_t::replace);
}

std::vector<std::string> page_notes(const SavedAnswer& answer) {
  const SavedJson json = SavedJson::parse(answer.text);
  std::vector<std::string> notes{fmt::format("From the answer in {}, by tideline {}.", answer.file,
                                             json.value("version", "of another version"))};
  const auto searches = json.find("searches");
  if (searches == json.end() || !searches->is_array())
    notes.push_back(search_sentence(json));
  else
    for (const SavedJson& search : *searches)
      if (search.is_object()) notes.push_back(search_sentence(search));
  return notes;
}

}  // namespace tideline
