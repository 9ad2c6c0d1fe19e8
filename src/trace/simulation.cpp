#include "trace/simulation.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "trace/show.hpp"

namespace tideline {

namespace {

constexpr std::size_t state_indent = 7;
constexpr std::string_view deadlock_text = "no action is enabled: this is a deadlock\n";

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  const auto begin = line.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(blanks) + 1 - begin);
}

}  // namespace

Simulation::Simulation(const System& system, const SourceText& source, const SimulationOptions& options)
    : system_(system),
      source_(source),
      options_(options),
      reference_(system, options.errors),
      generator_(options.seed) {
  run_.states.push_back(system_.initial);
  enabled_ = reference_.enabled(system_.initial);
}

std::string Simulation::initial_text() const {
  return "  0  initial state\n" + state_text();
}

std::string Simulation::state_text() const {
  return show_state(system_, state(), state_indent);
}

std::string Simulation::actions_text() const {
  if (enabled_.empty()) return std::string(deadlock_text);
  std::string text;
  for (std::size_t i = 0; i < enabled_.size(); ++i) {
    std::string moves;
    if (!system_.labels_say_moves)
      moves = show_changes(system_, enabled_[i], state(), reference_.fire(enabled_[i], state()).state);
    text += fmt::format("{:>5})  {}{}{}\n", i + 1, show_step(system_, enabled_[i], state()),
                        moves.empty() ? "" : "    ", moves);
  }
  return text;
}

Simulation::Reply Simulation::obey(std::string_view line) {
  const std::string_view word = trimmed(line);
  if (word.empty()) return {};
  if (word == "q") return {.text = {}, .goes_on = false};
  if (word == "s") return {state_text()};
  if (word == "l") return {actions_text()};
  if (word == "h") return {std::string(commands_text)};
  if (word == "b") return {back()};
  if (word == "r") return {enabled_.empty() ? std::string(deadlock_text) : take_and_list(random_action())};
  return {take_number(word)};
}

Simulation::Reply Simulation::step_at_random() {
  if (enabled_.empty()) return {.text = std::string(deadlock_text), .goes_on = false};
  const ActionId action = random_action();
  Reply reply;
  reply.goes_on = take(action, reply.text);
  if (!reply.goes_on) {
    run_.failing_action = action;
    run_.error = reference_.fire(action, state()).error;
  }
  return reply;
}

// Not std::uniform_int_distribution: a seed should give the same run with every standard library. The bias of
// the remainder is far below anything a person could see.
ActionId Simulation::random_action() {
  return enabled_[generator_() % enabled_.size()];
}

std::string Simulation::take_number(std::string_view word) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc{} && end == word.data() + word.size() && number >= 1 && number <= enabled_.size())
    return take_and_list(enabled_[number - 1]);
  return fmt::format("'{}' is not one of these: {}", word, commands_text);
}

std::string Simulation::take_and_list(ActionId action) {
  std::string text;
  if (take(action, text)) text += actions_text();
  return text;
}

std::string Simulation::back() {
  if (run_.actions.empty()) return "this is the initial state\n";
  run_.actions.pop_back();
  run_.states.pop_back();
  enabled_ = reference_.enabled(state());
  return fmt::format("back in state {}\n", --steps_) + actions_text();
}

/// Adds what happens to `text`. False: the action ends in a model error, and the state stays.
bool Simulation::take(ActionId action, std::string& text) {
  const std::string label = show_step(system_, action, state());
  const std::size_t number = steps_ + 1;
  Reference::Firing firing = reference_.fire(action, state());
  if (firing.error.kind != ModelErrorKind::none) {
    text += fmt::format("{:>3}  {}\n{}\n", number, label, show_model_error(firing.error, &source_));
    if (options_.errors == ErrorSemantics::stop) return false;
  }
  const std::string changes = show_changes(system_, action, state(), firing.state);
  if (options_.keep_run)
    run_.actions.push_back(action);
  else
    run_ = {};
  run_.states.push_back(std::move(firing.state));
  enabled_ = reference_.enabled(state());
  steps_ = number;
  text += options_.full
              ? fmt::format("{:>3}  {}\n{}", number, label, state_text())
              : fmt::format("{:>3}  {}{}{}\n", number, label, changes.empty() ? "" : "    ", changes);
  return true;
}

}  // namespace tideline
