#include "trace/itf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace tideline {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view format_name = "ITF";
constexpr std::string_view errors_report = "report";
constexpr std::string_view errors_divine = "divine";

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A location without a name (as in the error state of a language) is written as its number.
Json slot_value(const System& system, SlotId slot, std::int32_t value) {
  const Variable& variable = system.variables[system.slots[slot].variable];
  if (!variable.is_location) return value;
  const auto& locations = system.components[variable.owner].locations;
  if (value < 0 || static_cast<std::size_t>(value) >= locations.size()) return value;
  return locations[static_cast<std::size_t>(value)].name;
}

// ordered_json looks for a key each time one is added by name, which is quadratic in the number of variables;
// names of variables are unique, so they are put at the end without looking.
void add_unique(Json& object, std::string key, Json value) {
  object.get_ref<Json::object_t&>().emplace_back(std::move(key), std::move(value));
}

void add_values(Json& json, const System& system, const Values& state) {
  for (const Variable& variable : system.variables) {
    Json value;
    if (variable.is_array) {
      value = Json::array();
      for (SlotId s = variable.first; s < variable.first + variable.length; ++s)
        value.push_back(slot_value(system, s, state[s]));
    } else {
      value = slot_value(system, variable.first, state[variable.first]);
    }
    add_unique(json, itf_name(system, variable), std::move(value));
  }
}

Json step_meta(const System& system, ActionId action) {
  if (action == no_action) return {{"action", stutter_label}};
  return {{"action", system.actions[action].label}, {"action_id", action}};
}

Json failure_json(const System& system, const Trace& run) {
  Json failure = step_meta(system, run.failing_action);
  failure["error"] = to_string(run.error.kind);
  failure["message"] = run.error.message;
  failure["line"] = run.error.where.line;
  failure["column"] = run.error.where.column;
  return failure;
}

Json no_value_json(const Trace& run) {
  return {{"error", to_string(run.no_value.kind)}, {"message", run.no_value.message}};
}

Json vars_json(const System& system) {
  Json vars = Json::array();
  for (const Variable& variable : system.variables) vars.push_back(itf_name(system, variable));
  return vars;
}

Json state_json(const System& system, const Trace& run, std::size_t i) {
  Json meta = {{"index", i}};
  if (i > 0) meta.update(step_meta(system, run.actions[i - 1]));
  Json state = {{"#meta", std::move(meta)}};
  add_values(state, system, run.states[i]);
  return state;
}

Json header_json(const System& system, const Trace& run, const TraceHeader& header) {
  Json meta = {{"format", format_name},
               {"format-description", "https://apalache-mc.org/docs/adr/015adr-trace.html"},
               {"tool", "tideline"},
               {"version", header.tool_version},
               {"model", header.model},
               {"property", header.property},
               {"kind", header.kind},
               {"formula", header.formula},
               {"verdict", header.verdict},
               {"model_errors", header.errors == ErrorSemantics::stop ? errors_report : errors_divine},
               {"description", fmt::format("a run of {} steps", run.length())}};
  if (!header.defines.empty()) meta["defines"] = header.defines;
  if (header.fairness != Fairness::none) meta["fairness"] = to_string(header.fairness);
  if (!header.fair_actions.empty()) meta["fair_actions"] = header.fair_actions;
  if (header.deadlock_paths != DeadlockPaths::stutter)
    meta["deadlock_paths"] = to_string(header.deadlock_paths);
  if (run.loop) meta["loop_step"] = step_meta(system, run.actions.back());
  if (run.fails()) meta["failure"] = failure_json(system, run);
  if (run.no_value.kind != ModelErrorKind::none) meta["no_value"] = no_value_json(run);
  return meta;
}

// Members sorted: finding one stays fast however many variables a file has.
using InputJson = nlohmann::json;

/// Reads the parts of a trace file and says where in it something is wrong.
class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  ItfTrace read(std::string_view text) {
    InputJson json;
    try {
      json = InputJson::parse(text);
    } catch (const InputJson::exception& error) {
      // The library's message starts with its own error number in brackets.
      const std::string what = error.what();
      const auto end = what.find("] ");
      fail("is not JSON: " + (end == std::string::npos ? what : what.substr(end + 2)));
    }
    if (!json.is_object()) fail("is not a trace: the top of the file is not an object");

    ItfTrace trace;
    trace.name = name_;
    if (const auto meta = json.find("#meta"); meta != json.end()) read_header(*meta, trace);
    read_variables(member(json, "vars", "the top of the file"), trace);
    read_states(member(json, "states", "the top of the file"), trace);
    if (const auto loop = json.find("loop"); loop != json.end() && !loop->is_null())
      trace.loop = read_index(*loop, trace.states.size(), "'loop'");
    return trace;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorKind::input,
                {Diagnostic{.message = why, .file = name_, .where = {}, .source_line = {}}});
  }

  const InputJson& member(const InputJson& object, const char* key, const std::string& where) const {
    const auto found = object.find(key);
    if (found == object.end()) fail(fmt::format("is not a trace: {} has no '{}'", where, key));
    return *found;
  }

  std::string text_member(const InputJson& object, const char* key, const std::string& where) const {
    const auto found = object.find(key);
    if (found == object.end()) return {};
    if (!found->is_string()) fail(fmt::format("'{}' of {} is not a string", key, where));
    return found->get<std::string>();
  }

  std::vector<std::string> list_member(const InputJson& object, const char* key,
                                       const std::string& where) const {
    std::vector<std::string> list;
    const auto found = object.find(key);
    if (found == object.end()) return list;
    if (!found->is_array()) fail(fmt::format("'{}' of {} is not a list", key, where));
    for (const InputJson& entry : *found) {
      if (!entry.is_string()) fail(fmt::format("'{}' of {} has an entry that is not a string", key, where));
      list.push_back(entry.get<std::string>());
    }
    return list;
  }

  std::size_t read_index(const InputJson& json, std::size_t size, const std::string& what) const {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() >= size)
      fail(fmt::format("{} is not a number from 0 to {}", what, size - 1));
    return json.get<std::size_t>();
  }

  ItfTrace::Step read_step(const InputJson& meta, const std::string& where) const {
    ItfTrace::Step step;
    if (const auto action = meta.find("action"); action != meta.end())
      step.action = text_member(meta, "action", where);
    if (const auto id = meta.find("action_id"); id != meta.end())
      step.action_id = static_cast<ActionId>(read_index(*id, no_action, "'action_id' of " + where));
    return step;
  }

  void read_header(const InputJson& meta, ItfTrace& trace) const {
    const std::string where = "'#meta'";
    if (!meta.is_object()) fail("'#meta' is not an object");
    trace.header.model = text_member(meta, "model", where);
    trace.header.property = text_member(meta, "property", where);
    trace.header.kind = text_member(meta, "kind", where);
    trace.header.formula = text_member(meta, "formula", where);
    trace.header.verdict = text_member(meta, "verdict", where);
    trace.header.tool_version = text_member(meta, "version", where);
    trace.header.defines = list_member(meta, "defines", where);
    trace.header.fair_actions = list_member(meta, "fair_actions", where);
    const std::string errors = text_member(meta, "model_errors", where);
    if (!errors.empty() && errors != errors_report && errors != errors_divine)
      fail(fmt::format("'model_errors' of '#meta' is neither {} nor {}", errors_report, errors_divine));
    if (errors == errors_divine) trace.header.errors = ErrorSemantics::error_state;
    if (const std::string fairness = text_member(meta, "fairness", where); !fairness.empty()) {
      const auto kind = fairness_from(fairness);
      if (!kind) fail("'fairness' of '#meta' is neither weak nor strong");
      trace.header.fairness = *kind;
    }
    if (const std::string paths = text_member(meta, "deadlock_paths", where); !paths.empty()) {
      const auto kind = deadlock_paths_from(paths);
      if (!kind) fail("'deadlock_paths' of '#meta' is neither stutter nor maximal");
      trace.header.deadlock_paths = *kind;
    }
    if (const auto step = meta.find("loop_step"); step != meta.end()) {
      if (!step->is_object()) fail("'loop_step' of '#meta' is not an object");
      trace.closes_loop = read_step(*step, "'loop_step'");
    }
    if (const auto failure = meta.find("failure"); failure != meta.end()) {
      if (!failure->is_object()) fail("'failure' of '#meta' is not an object");
      trace.failure = {read_step(*failure, "'failure'"), text_member(*failure, "message", "'failure'")};
    }
  }

  void read_variables(const InputJson& vars, ItfTrace& trace) const {
    if (!vars.is_array()) fail("'vars' is not a list");
    std::set<std::string> seen;
    for (const InputJson& var : vars) {
      if (!var.is_string()) fail("'vars' has an entry that is not a string");
      trace.variables.push_back(var.get<std::string>());
      if (!seen.insert(trace.variables.back()).second)
        fail(fmt::format("'vars' names '{}' twice", trace.variables.back()));
    }
  }

  void read_states(const InputJson& states, ItfTrace& trace) const {
    if (!states.is_array()) fail("'states' is not a list");
    if (states.empty()) fail("'states' is empty");
    trace.states.reserve(states.size());
    for (std::size_t i = 0; i < states.size(); ++i)
      trace.states.push_back(read_state(states[i], i, trace.variables));
  }

  ItfTrace::State read_state(const InputJson& json, std::size_t index,
                             const std::vector<std::string>& variables) const {
    const std::string where = fmt::format("state {}", index);
    if (!json.is_object()) fail(where + " is not an object");
    ItfTrace::State state;
    if (const auto meta = json.find("#meta"); meta != json.end()) {
      if (!meta->is_object()) fail(fmt::format("'#meta' of {} is not an object", where));
      state.reached_by = read_step(*meta, "'#meta' of " + where);
    }
    for (const std::string& variable : variables)
      state.values[variable] =
          read_value(member(json, variable.c_str(), where), fmt::format("'{}' of {}", variable, where));
    for (const auto& [key, value] : json.items())
      if (key != "#meta" && !state.values.contains(key))
        fail(fmt::format("{} has a value for '{}', which 'vars' does not name", where, key));
    return state;
  }

  ItfTrace::Value read_value(const InputJson& json, const std::string& what) const {
    if (json.is_string()) return json.get<std::string>();
    if (!json.is_array()) return read_number(json, what);
    std::vector<std::int64_t> list;
    list.reserve(json.size());
    for (const InputJson& entry : json) list.push_back(read_number(entry, "an entry of " + what));
    return list;
  }

  // ITF also writes numbers as {"#bigint": "12"}.
  std::int64_t read_number(const InputJson& json, const std::string& what) const {
    if (json.is_object() && json.size() == 1 && json.contains("#bigint") && json["#bigint"].is_string()) {
      const auto parsed = InputJson::parse(json["#bigint"].get<std::string>(), nullptr, false);
      if (parsed.is_number()) return read_number(parsed, what);
    }
    if (!json.is_number()) fail(fmt::format("{} is not a number, string or list of numbers", what));
    const bool fits = json.is_number_unsigned()
                          ? json.get<std::uint64_t>() <= std::numeric_limits<std::int32_t>::max()
                          : json.is_number_integer() &&
                                json.get<std::int64_t>() >= std::numeric_limits<std::int32_t>::min();
    if (!fits) fail(fmt::format("{} is not an integer of 32 bits", what));
    return json.get<std::int64_t>();
  }

  const std::string& name_;
};

}  // namespace

std::string itf_name(const System& system, const Variable& variable) {
  std::string name = system.slots[variable.first].name;
  if (variable.is_array) name.erase(name.rfind('['));
  return name;
}

namespace {
/// A line for each state.
std::string state_lines(const System& system, const Trace& run, std::string_view indent, Budget* budget) {
  LimitCheck check_limits(budget);
  std::string text;
  for (std::size_t i = 0; i < run.states.size(); ++i) {
    check_limits();
    text += indent;
    text += dump(state_json(system, run, i));
    text += i + 1 < run.states.size() ? ",\n" : "\n";
  }
  return text;
}
}  // namespace

std::string trace_text(const System& system, const Trace& run, Budget* budget) {
  std::string text =
      fmt::format("{{\n  \"length\": {},\n  \"vars\": {},\n", run.length(), dump(vars_json(system)));
  if (run.loop) text += fmt::format("  \"loop\": {},\n", *run.loop);
  if (run.fails()) text += fmt::format("  \"failure\": {},\n", dump(failure_json(system, run)));
  if (run.no_value.kind != ModelErrorKind::none)
    text += fmt::format("  \"no_value\": {},\n", dump(no_value_json(run)));
  return text + "  \"states\": [\n" + state_lines(system, run, "    ", budget) + "  ]\n}";
}

std::string trace_facts(const System& system, const Trace& run) {
  std::string text = fmt::format("\"length\": {}", run.length());
  if (run.loop) text += fmt::format(", \"loop\": {}", *run.loop);
  if (run.fails()) text += fmt::format(", \"failure\": {}", dump(failure_json(system, run)));
  if (run.no_value.kind != ModelErrorKind::none)
    text += fmt::format(", \"no_value\": {}", dump(no_value_json(run)));
  return text;
}

std::string to_itf(const System& system, const Trace& run, const TraceHeader& header, Budget* budget) {
  std::string text = fmt::format("{{\n\"#meta\": {},\n\"vars\": {},\n",
                                 dump(header_json(system, run, header)), dump(vars_json(system)));
  if (run.loop) text += fmt::format("\"loop\": {},\n", *run.loop);
  return text + "\"states\": [\n" + state_lines(system, run, "", budget) + "]\n}\n";
}

ItfTrace read_itf(std::string_view text, const std::string& name) {
  return Reader(name).read(text);
}

}  // namespace tideline
