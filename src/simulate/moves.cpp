// Commands that move: steps by hand, at random and by search; back, forward and to a step.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>

#include "lang/diagnostics.hpp"
#include "report/numbers.hpp"
#include "simulate/find.hpp"
#include "simulate/session.hpp"
#include "simulate/words.hpp"
#include "trace/show.hpp"

namespace tideline {

namespace {

constexpr std::uint64_t default_continue = 10'000;
constexpr std::size_t show_all = std::numeric_limits<std::size_t>::max();

[[noreturn]] void refuse(std::string message) {
  throw Error(ErrorKind::usage, std::move(message));
}

/// "3", "3*2", "r", "r*5": a step that is taken so many times.
struct StepWord {
  std::optional<std::uint64_t> number;  ///< of the enabled action; none: at random
  std::uint64_t count = 1;
};

std::optional<StepWord> step_word(std::string_view word) {
  StepWord step;
  const std::size_t star = word.find('*');
  if (star != std::string_view::npos) {
    const auto count = number_from(word.substr(star + 1));
    if (!count) return std::nullopt;
    step.count = *count;
    word = word.substr(0, star);
  }
  if (word == "r") return step;
  step.number = number_from(word);
  return step.number ? std::optional(step) : std::nullopt;
}

/// Passes on the steps of a long walk, or keeps the last ones and says how many were left out.
class Tail {
 public:
  explicit Tail(std::size_t shown) : shown_(shown) {}

  void add(std::string text) {
    texts_.push_back(std::move(text));
    if (texts_.size() <= shown_) return;
    texts_.pop_front();
    ++left_out_;
  }
  bool passes_all() const { return shown_ == show_all; }
  std::string text() const {
    std::string text;
    if (left_out_ > 0) text = fmt::format("     ... {} before these\n", show_plural(left_out_, "step"));
    for (const std::string& one : texts_) text += one;
    return text;
  }

 private:
  std::size_t shown_;
  std::size_t left_out_ = 0;
  std::deque<std::string> texts_;
};

}  // namespace

/// Takes an enabled action and adds what happens to `text`.
Session::StepEnd Session::step(ActionId action, std::string& text) {
  const Values from = simulation_.state();
  const std::size_t number = simulation_.position() + 1;
  const ModelError error = simulation_.take(action);
  if (error.kind != ModelErrorKind::none)
    text += fmt::format("{:>3}  {}\n{}\n", number, system().actions[action].label,
                        show_model_error(error, &model_.source));
  if (simulation_.position() != number) return StepEnd::model_error;
  text += step_text(number, action, from, simulation_.state());
  std::string watches;
  const std::string reached = breakpoints_reached(action, watches);
  text += watches + reached;
  return reached.empty() ? StepEnd::taken : StepEnd::breakpoint;
}

void Session::walk(std::uint64_t steps) {
  say(place_text() + state_text(Length::all));
  random_steps(steps, show_all);
}

void Session::random_steps(std::uint64_t count, std::size_t shown, const Expr* until) {
  Tail tail(shown);
  std::string end;
  for (std::uint64_t i = 0; i < count && end.empty(); ++i) {
    if (must_stop()) {
      end = fmt::format("interrupted after {}\n", show_plural(i, "step"));
    } else if (simulation_.enabled().empty()) {
      end = deadlock_text();
    } else {
      std::string text;
      const StepEnd what = step(simulation_.random_action(), text);
      if (tail.passes_all())
        say(text);
      else
        tail.add(std::move(text));
      if (what != StepEnd::taken) break;
      if (until && simulation_.reference().evaluate(*until, simulation_.state()).value != 0)
        end = fmt::format("true after {}\n", show_plural(i + 1, "step"));
    }
  }
  say(tail.text() + end);
}

// --- Steps by hand ---------------------------------------------------------------------------------------

/// Whether the line consists of steps like "3*2 5 r". Then it was obeyed.
bool Session::obey_steps(std::string_view line) {
  std::vector<StepWord> steps;
  for (const std::string_view word : words_of(line)) {
    const auto step = step_word(word);
    if (!step) return false;
    steps.push_back(*step);
  }
  std::uint64_t taken = 0;
  for (const StepWord& word : steps)
    for (std::uint64_t i = 0; i < word.count; ++i) {
      if (must_stop()) return true;
      const auto& enabled = simulation_.enabled();
      if (enabled.empty() && (!word.number || taken > 0)) {
        say(deadlock_text());
        return true;
      }
      if (word.number && (*word.number < 1 || *word.number > enabled.size())) {
        if (taken > 0) say(actions_text());
        refuse(enabled.empty()
                   ? fmt::format("there is no action {}: this is a deadlock", *word.number)
                   : fmt::format("there is no action {}{}; here they are numbered from 1 to {}", *word.number,
                                 taken > 0 ? fmt::format(" after {}", show_plural(taken, "step")) : "",
                                 enabled.size()));
      }
      std::string text;
      const StepEnd end = step(word.number ? enabled[*word.number - 1] : simulation_.random_action(), text);
      say(text);
      if (end == StepEnd::model_error) return true;
      ++taken;
    }
  say(actions_text());
  return true;
}

/// False: no enabled action is like this. Throws Error when several are.
bool Session::take_by_label(std::string_view part) {
  const std::vector<std::size_t> found = enabled_like(part);
  if (found.empty()) return false;
  if (found.size() > 1) {
    std::string list = lines_of_actions(found, Length::asked, {});
    list.pop_back();
    refuse(fmt::format("'{}' fits {} enabled actions; choose one by its number or by more of its label\n{}",
                       abbreviate(part), found.size(), list));
  }
  std::string text;
  if (step(simulation_.enabled()[found.front()], text) != StepEnd::model_error) text += actions_text();
  say(text);
  return true;
}

void Session::obey_take(std::string_view arguments) {
  if (arguments.empty()) refuse("take needs the number of an action, or a part of its label");
  if (obey_steps(arguments) || take_by_label(unquoted(arguments))) return;
  refuse(fmt::format("no enabled action has '{0}' in its label; list shows them, and why {0} may say more",
                     abbreviate(unquoted(arguments))));
}

// --- Steps at random and by search -------------------------------------------------------------------------

void Session::obey_random(std::string_view arguments) {
  random_steps(number_or(arguments, 1), show_all);
  if (!simulation_.enabled().empty() && simulation_.failing_action() == no_action) say(actions_text());
}

void Session::obey_continue(std::string_view arguments) {
  const std::uint64_t count = number_or(arguments, default_continue);
  const std::size_t before = simulation_.position();
  random_steps(count, options_.lines / 2);
  if (simulation_.position() - before == count && count > 0)
    say(fmt::format("stopped after {}\n", show_plural(count, "step")));
  if (!simulation_.enabled().empty() && simulation_.failing_action() == no_action) say(actions_text());
}

void Session::obey_until(std::string_view arguments) {
  const Expr goal = expression(arguments, "until");
  if (simulation_.reference().evaluate(goal, simulation_.state()).value != 0)
    return say("it is true in this state already\n");
  const std::size_t before = simulation_.position();
  random_steps(default_continue, options_.lines / 2, &goal);
  if (simulation_.position() - before == default_continue &&
      simulation_.reference().evaluate(goal, simulation_.state()).value == 0)
    say(fmt::format("not true within {}\n", show_plural(default_continue, "random step")));
  if (!simulation_.enabled().empty() && simulation_.failing_action() == no_action) say(actions_text());
}

void Session::obey_find(std::string_view arguments) {
  Property goal{.name = "find", .kind = PropertyKind::reach, .formula = std::string(arguments)};
  if (arguments == "deadlock" && !system().find_variable(arguments)) {
    goal.kind = PropertyKind::deadlock;
  } else if (arguments == "error" && !system().find_variable(arguments)) {
    goal.kind = PropertyKind::model_error;
  } else {
    goal.expr = expression(arguments, "find");
  }
  Budget::Limits limits{.seconds = options_.find_seconds, .interrupted = options_.interrupted};
  if (const auto available = available_bytes()) limits.memory_bytes = resident_bytes() + *available / 2;
  Budget budget(limits);
  const Way way = find_way(system(), simulation_.state(), simulation_.errors(), goal, budget);
  if (!way.found) {
    const std::string looked = show_plural(way.states, "state");
    return say(way.complete ? fmt::format("there is no way from here; all {} were looked at\n", looked)
                            : fmt::format("not found in the first {} ({}); tideline check searches longer\n",
                                          looked, budget.reason()));
  }
  if (way.actions.empty() && way.failing_action == no_action)
    return say(goal.kind == PropertyKind::deadlock ? deadlock_text() : "it is true in this state already\n");
  Tail tail(std::max<std::size_t>(options_.lines, 100));
  for (const ActionId action : way.actions) {
    std::string text;
    step(action, text);
    tail.add(std::move(text));
  }
  if (way.failing_action != no_action) {
    std::string text;
    step(way.failing_action, text);
    tail.add(std::move(text));
  }
  say(tail.text());
  say(fmt::format("found in {}; no way is shorter\n",
                  show_plural(way.actions.size() + (way.failing_action != no_action ? 1 : 0), "step")));
  if (way.failing_action == no_action) say(actions_text());
}

// --- Back and forth ----------------------------------------------------------------------------------------

void Session::obey_back(std::string_view arguments) {
  const std::uint64_t count = number_or(arguments, 1);
  if (simulation_.position() == 0) return say("this is the initial state\n");
  simulation_.go_to(count < simulation_.position() ? simulation_.position() - count : 0);
  say(fmt::format("back in state {}\n", simulation_.position()) + refresh_stops() + actions_text());
}

void Session::obey_forward(std::string_view arguments) {
  const std::uint64_t count = number_or(arguments, 1);
  std::uint64_t taken = 0;
  bool round = false;
  for (; taken < count && !must_stop(); ++taken) {
    const Values from = simulation_.state();
    if (!round && simulation_.loop_length() && simulation_.position() == simulation_.length()) {
      round = true;
      const std::string steps = show_plural(*simulation_.loop_length(), "step");
      say("     " + options_.palette(Ink::cycle, fmt::format("round the loop of {} again", steps)) + "\n");
    }
    if (!simulation_.forward()) break;
    const std::size_t step = simulation_.position();
    say(step_text(step, simulation_.action_of(step), from, simulation_.state()) + refresh_stops());
  }
  if (taken == 0 && simulation_.failing_action() != no_action) {
    std::string text;
    step(simulation_.failing_action(), text);
    return say(text);
  }
  say(taken > 0 || count == 0 ? actions_text() : "nothing was taken back: this is the end of the run\n");
}

void Session::obey_goto(std::string_view arguments) {
  if (arguments.empty()) refuse(fmt::format("goto needs a step, from 0 to {}", simulation_.length()));
  const std::uint64_t step = number_or(arguments, 0);
  if (step > simulation_.length())
    refuse(fmt::format("the run has {}; goto takes a number from 0 to {}",
                       show_plural(simulation_.length(), "step"), simulation_.length()));
  simulation_.go_to(step);
  const std::string watches = refresh_stops();
  say(place_text() + state_text() + watches + actions_text());
}

void Session::obey_reset(std::string_view arguments) {
  require_nothing(arguments);
  simulation_.reset();
  refresh_stops();
  show_start();
}

void Session::obey_seed(std::string_view arguments) {
  if (arguments.empty()) refuse("seed needs a number");
  simulation_.seed(number_or(arguments, 1));
}

}  // namespace tideline
