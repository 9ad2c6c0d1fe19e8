#include "trace/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/layout.hpp"
#include "trace/acceptance.hpp"
#include "trace/ctl_proof.hpp"
#include "trace/fairness.hpp"

namespace tideline {

namespace {

[[noreturn]] void does_not_replay(std::size_t step, const std::string& why) {
  throw Error(ErrorKind::internal,
              fmt::format("a run that was found does not replay: step {}: {}", step, why));
}

// Everything the rest of replay() indexes with is checked here first.
void check_shape(const System& system, const Path& path, std::size_t state_size) {
  if (path.states.empty()) does_not_replay(0, "it has no states");
  const bool has_loop = path.loop.has_value();
  if (path.actions.size() + 1 != path.states.size() + (has_loop ? 1 : 0))
    does_not_replay(0,
                    fmt::format("{} actions do not fit {} states", path.actions.size(), path.states.size()));
  if (has_loop && *path.loop >= path.states.size())
    does_not_replay(path.actions.size(), "its loop leads nowhere");
  for (std::size_t i = 0; i < path.states.size(); ++i)
    if (path.states[i].size() != state_size) does_not_replay(i, "a state has the wrong size");
  for (std::size_t i = 0; i < path.actions.size(); ++i)
    if (path.actions[i] >= system.actions.size() && path.actions[i] != no_action)
      does_not_replay(i + 1, "it names an action that does not exist");
  if (path.failing_action != no_action && path.failing_action >= system.actions.size())
    does_not_replay(path.actions.size() + 1, "it names an action that does not exist");
}

void replay_step(const System& system, const Reference& reference, ErrorSemantics errors, const Trace& run,
                 std::size_t i) {
  const Values& from = run.states[i];
  const Values& to = i + 1 < run.states.size() ? run.states[i + 1] : run.states[*run.loop];
  const std::string_view label = step_label(system, run.actions[i]);
  if (run.actions[i] == no_action) {
    if (!reference.enabled(from).empty()) does_not_replay(i + 1, "the state repeats but is not a deadlock");
    if (!same_system_state(system, from, to)) does_not_replay(i + 1, "a deadlock leads to another state");
    return;
  }
  ModelError guard_error;
  if (!reference.enabled(run.actions[i], from, guard_error))
    does_not_replay(i + 1, fmt::format("'{}' is not enabled", label));
  const Reference::Firing firing = reference.fire(run.actions[i], from);
  if (firing.error.kind != ModelErrorKind::none && errors == ErrorSemantics::stop)
    does_not_replay(i + 1, fmt::format("'{}' ends in a model error: {}", label, firing.error.message));
  if (!same_system_state(system, firing.state, to))
    does_not_replay(i + 1, fmt::format("'{}' leads to another state", label));
}

ModelError endless_error(const System& system, ActionId first) {
  constexpr ModelErrorKind kind = ModelErrorKind::endless_step;
  return {kind, system.actions[first].where, std::string(to_string(kind))};
}

/// Finds the inner steps of steps that an engine took for one.
class InnerSteps {
 public:
  InnerSteps(const System& system, ErrorSemantics errors) : system_(system), reference_(system, errors) {}

  /// The run with every step a single action, as far as they can be found: replay finds out.
  Trace with_inner_steps(const Trace& outer) {
    Trace run;
    run.states.push_back(outer.states.front());
    for (std::size_t i = 0; i < outer.actions.size(); ++i) {
      if (outer.loop && *outer.loop == i) run.loop = run.states.size() - 1;
      const bool closes = i + 1 == outer.states.size();
      const Values& to = closes ? outer.states[*outer.loop] : outer.states[i + 1];
      go_on(run, outer.actions[i], [&](const Values& state, const ModelError& error) {
        return error.kind == ModelErrorKind::none && same_system_state(system_, state, to);
      });
      if (closes)
        run.states.pop_back();
      else
        run.states.back() = to;
    }
    if (outer.loop && !run.loop) run.loop = outer.loop;
    run.failing_action = outer.failing_action;
    if (outer.fails()) {
      const bool ends = go_on(run, outer.failing_action, [](const Values&, const ModelError& error) {
        return error.kind != ModelErrorKind::none;
      });
      run.failing_action = run.actions.back();
      run.actions.pop_back();
      run.states.pop_back();
      if (!ends) run.error = endless_error(system_, run.failing_action);
    }
    return run;
  }

 private:
  struct Inner {
    Values state;
    ActionId action;   ///< that led here
    std::size_t from;  ///< index of the one before
  };

  /// Adds the steps from the last state to one that is wanted, through states that nobody sees. Where there is none it
  /// adds the first step; false: from there on all states are such.
  template <class Wanted>
  bool go_on(Trace& run, ActionId first, const Wanted& wanted) {
    std::vector<Inner> found{{run.states.back(), no_action, 0}};
    std::set<Values> known;
    bool ends = first == no_action;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i > 0 && found[i].state[system_.transient] == 0) {
        ends = true;
        continue;
      }
      const auto actions = i == 0 ? std::vector<ActionId>{first} : reference_.enabled(found[i].state);
      for (const ActionId action : actions) {
        if (action == no_action) break;
        const Reference::Firing firing = reference_.fire(action, found[i].state);
        if (wanted(firing.state, firing.error)) {
          std::vector<Inner> way{{firing.state, action, i}};
          for (std::size_t at = i; at != 0; at = found[at].from) way.push_back(found[at]);
          for (auto step = way.rbegin(); step != way.rend(); ++step) {
            run.actions.push_back(step->action);
            run.states.push_back(step->state);
          }
          return true;
        }
        if (firing.error.kind == ModelErrorKind::none && known.insert(firing.state).second)
          found.push_back({firing.state, action, i});
      }
    }
    run.actions.push_back(first);
    run.states.push_back(run.states.back());
    return ends;
  }

  const System& system_;
  Reference reference_;
};

}  // namespace

Trace seen_part(const System& system, const Trace& run) {
  if (system.transient == no_slot) return run;
  Trace seen;
  seen.failing_action = run.failing_action;
  seen.error = run.error;
  for (std::size_t i = 0; i < run.states.size(); ++i) {
    if (run.loop && *run.loop == i) seen.loop = seen.states.size();
    if (run.states[i][system.transient] != 0) continue;
    seen.states.push_back(run.states[i]);
    if (i < run.actions.size()) seen.actions.push_back(run.actions[i]);
  }
  return seen;
}

ModelError endless_step(const System& system, const Reference& reference, ActionId first,
                        const Values& from) {
  if (system.transient == no_slot) return {};
  std::vector<Values> todo{reference.fire(first, from).state};
  std::set<Values> known{todo.front()};
  while (!todo.empty()) {
    const Values state = std::move(todo.back());
    todo.pop_back();
    if (state[system.transient] == 0) return {};
    for (const ActionId action : reference.enabled(state)) {
      Reference::Firing firing = reference.fire(action, state);
      if (firing.error.kind != ModelErrorKind::none) return {};
      if (known.insert(firing.state).second) todo.push_back(std::move(firing.state));
    }
  }
  return endless_error(system, first);
}

bool same_system_state(const System& system, Values a, const Values& b) {
  if (system.property)
    for (const SlotId slot : system.property->slots) a[slot] = b[slot];
  return a == b;
}

std::string_view step_label(const System& system, ActionId action) {
  return action == no_action ? stutter_label : std::string_view(system.actions[action].label);
}

Trace replay(const System& system, ErrorSemantics errors, const Path& path, Budget* budget) {
  LimitCheck check_limits(budget);
  const Layout layout(system);
  check_shape(system, path, layout.size());

  Trace run;
  run.states.reserve(path.states.size());
  std::vector<std::byte> packed(layout.size());
  for (const auto& state : path.states) {
    check_limits();
    run.states.push_back(layout.unpack(state.data()));
    // Bits that no slot uses are 0: a state has one packed form.
    layout.pack(run.states.back(), packed.data());
    if (!std::equal(packed.begin(), packed.end(), state.begin()))
      does_not_replay(run.states.size() - 1, "its state is not packed as it should be");
  }
  run.actions = path.actions;
  run.loop = path.loop;
  run.failing_action = path.failing_action;
  if (run.states.front() != system.initial) does_not_replay(0, "it does not start in the initial state");

  if (system.transient != no_slot) run = InnerSteps(system, errors).with_inner_steps(run);
  const Reference reference(system, errors);
  for (std::size_t i = 0; i < run.actions.size(); ++i) {
    check_limits();
    replay_step(system, reference, errors, run, i);
  }

  if (path.failing_action != no_action && run.error.kind == ModelErrorKind::none) {
    const ActionId failing = run.failing_action;  // of the inner steps, if the step has some
    const std::string& label = system.actions[failing].label;
    const std::size_t step = run.actions.size() + 1;
    ModelError guard_error;
    if (!reference.enabled(failing, run.states.back(), guard_error))
      does_not_replay(step, fmt::format("'{}' is not enabled", label));
    run.failing_action = failing;
    run.error = reference.fire(failing, run.states.back()).error;
    if (run.error.kind == ModelErrorKind::none)
      does_not_replay(step, fmt::format("'{}' does not end in a model error", label));
  }
  return run;
}

ModelError missing_value(const System& system, const Property& property, const Trace& run) {
  const Reference reference(system);
  ModelError error = reference.evaluate(property.expr, run.states.back()).error;
  for (const Expr& part : property.parts)
    if (error.kind == ModelErrorKind::none) error = reference.evaluate(part, run.states.back()).error;
  if (error.kind == ModelErrorKind::none && property.process && !run.loop)
    error = missing_guard_value(system, *property.process, run);
  return error;
}

/// To what the run is not fair, as a sentence.
static std::optional<std::string> unfairness(const System& system, ErrorSemantics errors,
                                             const Property& property, const Trace& run) {
  if (property.fairness == Fairness::none) return std::nullopt;
  const std::vector<FairParty> parties = fair_parties(system, property.fair_actions);
  if (const auto starved = starved_party(system, errors, run, property.fairness, parties))
    return fmt::format("it is not fair to {}", parties[*starved].name);
  return std::nullopt;
}

std::optional<std::string> missing_proof(const System& system, ErrorSemantics errors,
                                         const Property& property, const Trace& run, Verdict verdict) {
  const Reference reference(system, errors);
  const Values& last = run.states.back();
  const bool has_value = missing_value(system, property, run).kind == ModelErrorKind::none;
  if (!has_value && !run.loop && verdict == Verdict::violated) return std::nullopt;
  switch (property.kind) {
    case PropertyKind::invariant:
    case PropertyKind::assertion:
      if (reference.evaluate(property.expr, last).value == 0) return std::nullopt;
      return fmt::format("{} is true in the last state", property.formula);
    case PropertyKind::reach:
      if (verdict == Verdict::violated)
        return fmt::format("{} has a value in the last state", property.formula);
      if (!has_value) return fmt::format("{} has no value in the last state", property.formula);
      if (reference.evaluate(property.expr, last).value != 0) return std::nullopt;
      return fmt::format("{} is false in the last state", property.formula);
    case PropertyKind::deadlock: {
      const auto enabled = reference.enabled(last);
      if (enabled.empty() && system.may_end && reference.evaluate(*system.may_end, last).value != 0)
        return "the model allows to end in the last state";
      if (enabled.empty()) return std::nullopt;
      return fmt::format("'{}' is enabled in the last state", system.actions[enabled.front()].label);
    }
    case PropertyKind::model_error:
      if (run.fails()) return std::nullopt;
      return "no action fails in the last state";
    case PropertyKind::automaton:
    case PropertyKind::ltl: {
      if (!run.loop) return "it does not loop";
      if (!accepts(system, *property.process, seen_part(system, run)))
        return "the property automaton does not accept it";
      return unfairness(system, errors, property, run);
    }
    case PropertyKind::ctl:
      return missing_ctl_proof(system, errors, property, verdict == Verdict::holds, seen_part(system, run));
  }
  return "its kind is unknown";
}

Trace replay_proof(const System& system, ErrorSemantics errors, const Property& property, const Path& path,
                   Verdict verdict, Budget* budget) {
  Trace run = replay(system, errors, path, budget);
  if (const auto missing = missing_proof(system, errors, property, run, verdict))
    throw Error(ErrorKind::internal,
                fmt::format("the run found for '{}' proves nothing: {}", property.name, *missing));
  if (verdict == Verdict::violated && !run.loop) run.no_value = missing_value(system, property, run);
  return run;
}

}  // namespace tideline
