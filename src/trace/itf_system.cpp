#include "trace/itf_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace tideline {

namespace {

constexpr Range any_value{std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};

/// Files of other tools do not name their steps.
constexpr const char* unnamed_step = "(step)";

class Collector {
 public:
  System collect(const std::vector<ItfTrace>& traces) {
    for (const std::string& name : traces.front().variables) declare(traces.front(), name);
    for (const ItfTrace& trace : traces) {
      require_same_variables(traces.front(), trace);
      for (std::size_t i = 0; i < trace.states.size(); ++i) {
        add_locations(trace, trace.states[i]);
        if (i > 0) add_action(trace.states[i].reached_by);
      }
      if (trace.loop) add_action(trace.closes_loop);
      if (trace.failure) add_action(trace.failure->step);
    }
    return std::move(system_);
  }

 private:
  [[noreturn]] static void fail(const ItfTrace& trace, const std::string& why) {
    throw Error(ErrorKind::input,
                {Diagnostic{.message = why, .file = trace.name, .where = {}, .source_line = {}}});
  }

  void declare(const ItfTrace& trace, const std::string& name) {
    const ItfTrace::Value& value = trace.states.front().values.at(name);
    Variable variable{.name = name};
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
      if (list->empty()) fail(trace, fmt::format("'{}' is an empty list", name));
      variable.is_array = true;
      variable.length = static_cast<std::uint32_t>(list->size());
    } else if (std::holds_alternative<std::string>(value)) {
      variable.is_location = true;
      variable.owner = static_cast<ComponentId>(system_.components.size());
      component_of_[name] = variable.owner;
      system_.components.push_back(
          {.name = name, .location_slot = static_cast<SlotId>(system_.slots.size())});
    }
    // "P.x" belongs to P, and is called x there.
    if (const auto dot = name.find('.'); dot != std::string::npos && !variable.is_location)
      if (const auto owner = component_of_.find(name.substr(0, dot)); owner != component_of_.end()) {
        variable.owner = owner->second;
        variable.name = name.substr(dot + 1);
      }
    system_.add_variable(std::move(variable), any_value, {});
  }

  void require_same_variables(const ItfTrace& first, const ItfTrace& trace) const {
    auto a = first.variables, b = trace.variables;
    std::ranges::sort(a);
    std::ranges::sort(b);
    if (a != b) fail(trace, fmt::format("the variables are not those of {}", first.name));
  }

  void add_locations(const ItfTrace& trace, const ItfTrace::State& state) {
    for (const Variable& variable : system_.variables) {
      const std::string name = itf_name(system_, variable);
      const ItfTrace::Value& value = state.values.at(name);
      if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
        if (!variable.is_array || list->size() != variable.length)
          fail(trace, fmt::format("'{}' does not have the same shape everywhere", name));
      } else if (const auto* text = std::get_if<std::string>(&value)) {
        if (!variable.is_location) fail(trace, fmt::format("'{}' is not a number everywhere", name));
        auto& locations = system_.components[variable.owner].locations;
        if (!system_.find_location(variable.owner, *text)) locations.push_back({.name = *text});
      } else if (variable.is_array) {
        fail(trace, fmt::format("'{}' does not have the same shape everywhere", name));
      }
    }
  }

  void add_action(const ItfTrace::Step& step) {
    const std::string label = step.action.value_or(unnamed_step);
    if (label != stutter_label && known_.insert(label).second) system_.actions.push_back({.label = label});
  }

  System system_;
  std::map<std::string, ComponentId> component_of_;
  std::set<std::string> known_;
};

Values values_of(const System& system, const ItfTrace::State& state) {
  Values result(system.slots.size());
  for (const Variable& variable : system.variables) {
    const ItfTrace::Value& value = state.values.at(itf_name(system, variable));
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value))
      for (std::uint32_t i = 0; i < variable.length; ++i)
        result[variable.first + i] = static_cast<std::int32_t>((*list)[i]);
    else if (const auto* text = std::get_if<std::string>(&value))
      result[variable.first] =
          static_cast<std::int32_t>(system.find_location(variable.owner, *text).value_or(0));
    else
      result[variable.first] = static_cast<std::int32_t>(std::get<std::int64_t>(value));
  }
  return result;
}

}  // namespace

System system_from(const std::vector<ItfTrace>& traces) {
  return traces.empty() ? System{} : Collector().collect(traces);
}

Trace unchecked_run(const System& system, const ItfTrace& trace) {
  std::map<std::string_view, ActionId> actions;
  for (ActionId a = 0; a < system.actions.size(); ++a) actions.emplace(system.actions[a].label, a);
  const auto action_of = [&](const ItfTrace::Step& step) {
    const auto found = actions.find(step.action ? std::string_view(*step.action) : unnamed_step);
    return found == actions.end() ? no_action : found->second;
  };
  Trace run;
  for (const ItfTrace::State& state : trace.states) {
    if (!run.states.empty()) run.actions.push_back(action_of(state.reached_by));
    run.states.push_back(values_of(system, state));
  }
  if (trace.loop) {
    run.loop = trace.loop;
    run.actions.push_back(action_of(trace.closes_loop));
  }
  if (trace.failure) {
    run.failing_action = action_of(trace.failure->step);
    run.error.message = trace.failure->message;
  }
  return run;
}

}  // namespace tideline
