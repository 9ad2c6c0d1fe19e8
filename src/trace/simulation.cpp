#include "trace/simulation.hpp"

#include <algorithm>
#include <utility>

namespace tideline {

ComponentId process_of(const Action& action) {
  return action.participants.empty() ? no_component : action.participants.front().component;
}

Simulation::Simulation(const System& system, const SimulationOptions& options)
    : system_(system),
      options_(options),
      reference_(system, options.errors),
      generator_(options.seed),
      state_(system.initial) {}

const std::vector<ActionId>& Simulation::enabled() const {
  if (!enabled_) {
    enabled_ = reference_.enabled(state_);
    std::ranges::stable_sort(*enabled_, {}, [&](ActionId a) { return process_of(system_.actions[a]); });
  }
  return *enabled_;
}

ModelError Simulation::take(ActionId action) {
  Reference::Firing firing = reference_.fire(action, state_);
  if (firing.error.kind != ModelErrorKind::none && options_.errors == ErrorSemantics::stop) {
    failure_ = {position_, action, firing.error};
    return firing.error;
  }
  if (next_action() == action) {
    forward();
  } else {
    cut();
    append(action, firing.state);
  }
  return firing.error;
}

/// What forward() would take.
ActionId Simulation::next_action() const {
  if (position_ < steps_.size()) return steps_[position_].action;
  return loop_length_ ? steps_[position_ - *loop_length_].action : no_action;
}

// Not std::uniform_int_distribution: a seed should give the same run with every standard library. The bias of
// the remainder is far below anything a person could see.
ActionId Simulation::random_action() {
  return enabled()[generator_() % enabled().size()];
}

void Simulation::seed(std::uint64_t seed) {
  generator_.seed(seed);
}

bool Simulation::back() {
  if (position_ == 0 || steps_.empty()) return false;
  undo(position_--, state_);
  enabled_.reset();
  return true;
}

bool Simulation::forward() {
  if (position_ < steps_.size()) {
    redo(++position_, state_);
    enabled_.reset();
    return true;
  }
  if (!loop_length_) return false;
  // The state that the same step of the loop led to before, and not what firing the action would give: a
  // loaded run may have values for the variables of a property process, which no action changes.
  const std::size_t step = steps_.size() + 1 - *loop_length_;
  append(action_of(step), state_at(step));
  return true;
}

void Simulation::go_to(std::size_t position) {
  while (position_ > position && back()) {
  }
  while (position_ < position && forward()) {
  }
}

void Simulation::reset() {
  go_to(0);
  seed(options_.seed);
}

void Simulation::load(const Trace& run) {
  position_ = 0;
  cut();
  state_ = run.states.front();
  for (std::size_t i = 0; i < run.actions.size(); ++i)
    append(run.actions[i], i + 1 < run.states.size() ? run.states[i + 1] : run.states[*run.loop]);
  if (run.loop) loop_length_ = run.actions.size() - *run.loop;
  if (run.fails()) failure_ = {position_, run.failing_action, run.error};
  enabled_.reset();
}

Values Simulation::state_at(std::size_t position) const {
  Values state = state_;
  for (std::size_t step = position_; step > position; --step) undo(step, state);
  for (std::size_t step = position_; step < position; ++step) redo(step + 1, state);
  return state;
}

ActionId Simulation::failing_action() const {
  return failure_ && failure_->position == position_ ? failure_->action : no_action;
}

Trace Simulation::run() const {
  const std::size_t steps = steps_.empty() ? 0 : position_;
  Trace run;
  run.states.reserve(steps + 1);
  run.states.push_back(steps == position_ ? state_at(0) : state_);
  for (std::size_t step = 1; step <= steps; ++step) {
    run.actions.push_back(action_of(step));
    run.states.push_back(run.states.back());
    redo(step, run.states.back());
  }
  if (loop_length_ && steps == steps_.size()) {
    run.states.pop_back();  // it is the loop's first
    run.loop = steps - *loop_length_;
  } else if (failing_action() != no_action) {
    run.failing_action = failure_->action;
    run.error = failure_->error;
  }
  return run;
}

/// Takes the step that is now the next one.
void Simulation::append(ActionId action, const Values& to) {
  if (options_.keep_run) {
    steps_.push_back({action, changes_.size()});
    for (SlotId s = 0; s < to.size(); ++s)
      if (state_[s] != to[s]) changes_.push_back({s, state_[s], to[s]});
  }
  state_ = to;
  ++position_;
  enabled_.reset();
  failure_.reset();
}

/// Forgets what was taken back.
void Simulation::cut() {
  if (position_ < steps_.size()) {
    changes_.resize(steps_[position_].first_change);
    steps_.resize(position_);
  }
  // The timeline is about to go another way than round the loop.
  loop_length_.reset();
  failure_.reset();
}

std::size_t Simulation::end_of_changes(std::size_t step) const {
  return step < steps_.size() ? steps_[step].first_change : changes_.size();
}

void Simulation::undo(std::size_t step, Values& state) const {
  for (std::size_t i = steps_[step - 1].first_change; i < end_of_changes(step); ++i)
    state[changes_[i].slot] = changes_[i].from;
}

void Simulation::redo(std::size_t step, Values& state) const {
  for (std::size_t i = steps_[step - 1].first_change; i < end_of_changes(step); ++i)
    state[changes_[i].slot] = changes_[i].to;
}

}  // namespace tideline
