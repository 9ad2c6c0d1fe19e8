// Replays a trace from a file: the part of itf.hpp that knows the semantics.
//
// A step names its action by label. Labels need not be unique, and a file of another tool may have none, so
// a step is taken by whichever action of that label (of any label) leads to the recorded state. When none
// does, the message explains the one that came closest.
#include <fmt/format.h>

#include <map>

#include "trace/itf.hpp"

namespace tideline {

namespace {

/// Binds the names and values of a trace to a system.
class Binding {
 public:
  Binding(const System& system, const ItfTrace& trace) : system_(system), trace_(trace) {
    std::map<std::string, const Variable*> known;
    for (const Variable& v : system.variables) known[itf_name(system, v)] = &v;
    for (const std::string& name : trace.variables) {
      const auto found = known.find(name);
      if (found == known.end()) fail(fmt::format("variable '{}' is not in the model", name));
      bound_.emplace_back(name, found->second);
      known.erase(found);
    }
    if (!known.empty())
      fail(fmt::format("variable '{}' of the model is not in the trace", known.begin()->first));
  }

  Values values(std::size_t index) const {
    Values result(system_.slots.size());
    for (const auto& [name, variable] : bound_)
      bind(trace_.states[index].values.at(name), *variable, fmt::format("'{}' of state {}", name, index),
           result);
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorKind::input,
                {Diagnostic{.message = why, .file = trace_.name, .where = {}, .source_line = {}}});
  }

  void bind(const ItfTrace::Value& value, const Variable& variable, const std::string& what,
            Values& result) const {
    const SlotId first = variable.first;
    if (variable.is_array) {
      const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
      if (!list) fail(fmt::format("{} is not a list of numbers", what));
      if (list->size() != variable.length)
        fail(fmt::format("{} has {} entries, the model has {}", what, list->size(), variable.length));
      for (std::uint32_t i = 0; i < variable.length; ++i)
        result[first + i] = static_cast<std::int32_t>((*list)[i]);
    } else if (const auto* name = std::get_if<std::string>(&value); name && variable.is_location) {
      const auto location = system_.find_location(variable.owner, *name);
      if (!location)
        fail(fmt::format("{}: '{}' has no location '{}'", what, system_.components[variable.owner].name,
                         *name));
      result[first] = static_cast<std::int32_t>(*location);
    } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
      result[first] = static_cast<std::int32_t>(*number);
    } else {
      fail(fmt::format("{} is not a {}", what, variable.is_location ? "location" : "number"));
    }
  }

  const System& system_;
  const ItfTrace& trace_;
  std::vector<std::pair<std::string, const Variable*>> bound_;
};

/// "turn is 1, the trace says 0": the first few slots in which two states differ.
std::string differences(const System& system, const Values& model, const Values& trace) {
  constexpr std::size_t shown = 5;
  std::string text;
  std::size_t count = 0;
  for (SlotId s = 0; s < system.slots.size(); ++s) {
    if (model[s] == trace[s]) continue;
    if (++count > shown) continue;
    if (!text.empty()) text += "; ";
    text += fmt::format("{} is {}, the trace says {}", system.slots[s].name, system.show_value(s, model[s]),
                        system.show_value(s, trace[s]));
  }
  if (count > shown) text += fmt::format("; and {} more", count - shown);
  return text;
}

std::string why_disabled(const System& system, ActionId action, const Values& state) {
  for (const Participant& p : system.actions[action].participants) {
    const Component& component = system.components[p.component];
    const std::int32_t at = state[component.location_slot];
    if (p.from != any_location && at != static_cast<std::int32_t>(p.from))
      return fmt::format("{} is at {}", component.name, system.show_value(component.location_slot, at));
  }
  return "its guard is false";
}

class Replayer {
 public:
  Replayer(const System& system, const ItfTrace& trace)
      : system_(system), trace_(trace), reference_(system, trace.header.errors), binding_(system, trace) {}

  ItfCheck check() {
    const Values first = binding_.values(0);
    if (first != system_.initial) {
      result_.failure = "the initial state differs: " + differences(system_, system_.initial, first);
      result_.run.states.push_back(system_.initial);
      return std::move(result_);
    }
    result_.run.states.push_back(first);
    for (std::size_t i = 1; i < trace_.states.size(); ++i) {
      Values to = binding_.values(i);
      if (!take(trace_.states[i].reached_by, to)) return std::move(result_);
      result_.run.states.push_back(std::move(to));
    }
    if (trace_.loop) {
      if (take(trace_.closes_loop, result_.run.states[*trace_.loop])) result_.run.loop = trace_.loop;
    } else if (trace_.failure) {
      take_failing(trace_.failure->step);
    }
    return std::move(result_);
  }

 private:
  bool give_up(std::string why) {
    result_.failed_step = result_.run.actions.size() + 1;
    result_.failure = std::move(why);
    return false;
  }

  std::vector<ActionId> candidates(const ItfTrace::Step& step) const {
    std::vector<ActionId> found;
    // The number is only a hint: it is right when the model did not change.
    if (step.action_id && *step.action_id < system_.actions.size() &&
        (!step.action || *step.action == system_.actions[*step.action_id].label))
      found.push_back(*step.action_id);
    for (ActionId a = 0; a < system_.actions.size(); ++a)
      if (!step.action || *step.action == system_.actions[a].label) found.push_back(a);
    return found;
  }

  /// Finds an action of the step that leads from the last state to `to`, and takes it.
  bool take(const ItfTrace::Step& step, const Values& to) {
    const Values from = result_.run.states.back();
    if (step.action == stutter_label) return repeat(from, to);
    const auto actions = candidates(step);
    if (actions.empty())
      return give_up(fmt::format("the model has no action '{}'", step.action.value_or("")));
    std::string enabled_but;
    for (ActionId a : actions) {
      ModelError error;
      if (!reference_.enabled(a, from, error)) continue;
      const Reference::Firing firing = reference_.fire(a, from);
      const std::string& label = system_.actions[a].label;
      if (firing.error.kind != ModelErrorKind::none && trace_.header.errors == ErrorSemantics::stop) {
        enabled_but = fmt::format("action '{}' ends in a model error: {}", label, firing.error.message);
      } else if (!same_system_state(system_, firing.state, to)) {
        enabled_but = fmt::format("action '{}' leads to another state: {}", label,
                                  differences(system_, firing.state, to));
      } else {
        result_.run.actions.push_back(a);
        return true;
      }
    }
    if (!step.action) return give_up("no action of the model leads to the recorded state");
    if (!enabled_but.empty()) return give_up(std::move(enabled_but));
    return give_up(fmt::format("action '{}' is not enabled: {}", *step.action,
                               why_disabled(system_, actions.front(), from)));
  }

  bool repeat(const Values& from, const Values& to) {
    if (const auto enabled = reference_.enabled(from); !enabled.empty())
      return give_up(
          fmt::format("the state is not a deadlock: '{}' is enabled", system_.actions[enabled[0]].label));
    if (!same_system_state(system_, from, to))
      return give_up("the state changes: " + differences(system_, from, to));
    result_.run.actions.push_back(no_action);
    return true;
  }

  bool take_failing(const ItfTrace::Step& step) {
    const Values& from = result_.run.states.back();
    const auto actions = candidates(step);
    if (actions.empty())
      return give_up(fmt::format("the model has no action '{}'", step.action.value_or("")));
    bool enabled = false;
    for (ActionId a : actions) {
      ModelError error;
      if (!reference_.enabled(a, from, error)) continue;
      enabled = true;
      Reference::Firing firing = reference_.fire(a, from);
      if (firing.error.kind == ModelErrorKind::none)
        firing.error = endless_step(system_, reference_, a, from);
      if (firing.error.kind == ModelErrorKind::none) continue;
      result_.run.failing_action = a;
      result_.run.error = std::move(firing.error);
      return true;
    }
    if (enabled)
      return give_up(fmt::format("action '{}' does not end in a model error", step.action.value_or("")));
    return give_up(fmt::format("action '{}' is not enabled: {}", step.action.value_or(""),
                               why_disabled(system_, actions.front(), from)));
  }

  const System& system_;
  const ItfTrace& trace_;
  Reference reference_;
  Binding binding_;
  ItfCheck result_;
};

}  // namespace

ItfCheck check_against(const System& system, const ItfTrace& trace) {
  if (trace.header.errors == ErrorSemantics::error_state && !system.error_state)
    throw Error(
        ErrorKind::input,
        {Diagnostic{
            .message = "the trace continues after model errors, which the model's language does not allow",
            .file = trace.name,
            .where = {},
            .source_line = {}}});
  return Replayer(system, trace).check();
}

}  // namespace tideline
