#include "races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "output.hpp"
#include "plan.hpp"
#include "race.hpp"
#include "searches.hpp"
#include "symbolic/signs.hpp"

namespace tideline::app {

namespace {

std::vector<std::vector<Property>> questions_of(const std::vector<Property>& properties) {
  std::vector<Property> of_states, ctl;
  std::vector<std::vector<Property>> questions;
  for (const Property& property : properties)
    if (!is_liveness(property.kind))
      (property.kind == PropertyKind::ctl ? ctl : of_states).push_back(property);
  if (!of_states.empty()) questions.push_back(std::move(of_states));
  for (const Property& property : properties)
    if (is_liveness(property.kind)) questions.push_back({property});
  if (!ctl.empty()) questions.push_back(std::move(ctl));
  return questions;
}

class Races {
 public:
  Races(const CheckOptions& options, const Model& model, const Budget::Limits& limits)
      : options_(options), model_(model), limits_(limits) {
    if (!limits_.memory_bytes) limits_.memory_bytes = available_bytes();
  }

  CombinedOutcome answer(const std::vector<Property>& question, double gone) const {
    Budget::Limits left = limits_;
    left.gone = gone;
    Search symbolic;
    if (diagrams_can(question))
      symbolic = [&](const Budget::Limits& limits) { return search("symbolic", question, limits); };
    return race_engines(
        model_.system, options_.engine, options_.limits, left,
        [&](const Budget::Limits& limits) { return search_explicitly(question, limits); }, symbolic);
  }

 private:
  /// With model errors that nobody asked for, where they are found.
  Attempt search(const std::string& engine, const std::vector<Property>& question,
                 const Budget::Limits& limits) const {
    Budget budget(limits);
    Plan plan = plan_for(engine, question);
    const CheckOptions options = options_for(engine);
    if (engine == "sweep") choose_measures(options, model_, plan, limits, budget);
    CombinedOutcome outcome = run_searches(options, model_.system, std::move(plan), budget);
    return {std::move(outcome), budget.reason().empty()};
  }

  CheckOptions options_for(const std::string& engine) const {
    CheckOptions options = options_;
    options.engine = engine;
    if (engine == "symbolic") options.limits.threads = 1;
    return options;
  }

  /// What there is to say was said when the whole was planned.
  Plan plan_for(const std::string& engine, const std::vector<Property>& question) const {
    CheckOptions options = options_for(engine);
    options.limits.quiet = true;
    return make_plan(options, model_, question);
  }

  /// They know nothing of bounds on depth, and of some kinds of properties.
  bool diagrams_can(const std::vector<Property>& question) const {
    return !options_.given.contains("--depth") && can_plan("symbolic", question);
  }

  bool can_plan(const std::string& engine, const std::vector<Property>& question) const {
    try {
      plan_for(engine, question);
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      return false;
    }
  }

  Attempt search_explicitly(const std::vector<Property>& question, const Budget::Limits& limits) const {
    Budget::Limits of_time = limits;
    of_time.memory_bytes.reset();
    Budget clock(of_time);
    Attempt attempt = search("auto", question, limits);
    // If it is not the time that is over, and nobody else was first, then it is the memory.
    if (attempt.is_answer() || options_.given.contains("--depth") || clock.exhausted({}) ||
        !can_plan("sweep", question))
      return attempt;
    if (!options_.limits.quiet)
      complain(fmt::format("note: {} ran out of memory; a sweep, which deletes states, goes on",
                           attempt.outcome.engine));
    attempt = {};  // gives its memory back
    Budget::Limits left = limits;
    left.gone = clock.seconds();
    return search("sweep", question, left);
  }

  const CheckOptions& options_;
  const Model& model_;
  Budget::Limits limits_;
};

/// Each question may have come upon the same model errors.
void drop_repeated_model_errors(CombinedOutcome& outcome) {
  bool seen = false;
  std::erase_if(outcome.results, [&](const PropertyResult& result) {
    return result.property.kind == PropertyKind::model_error && std::exchange(seen, true);
  });
}

}  // namespace

CombinedOutcome race_engines(const System& system, const std::string& engine, const LimitOptions& options,
                             const Budget::Limits& limits, Search explicitly, Search symbolic) {
  const auto say = [&](const std::string& text) {
    if (!options.quiet) complain("note: " + text);
  };
  const bool turns = engine == "auto" && options.threads == 1;
  const symbolic::DiagramSigns signs = symbolic::diagram_signs(system);
  std::vector<Entrant> entrants{{.engine = "explicit search", .search = std::move(explicitly)}};
  // Where diagrams promise little they take no core from explicit search, unless that is wanted.
  const bool welcome = engine == "portfolio" || turns || signs.share == 1;
  if (symbolic && welcome)
    entrants.push_back({.engine = "symbolic",
                        .search =
                            [&](const Budget::Limits& left) {
                              say(fmt::format("engine symbolic {}: {}",
                                              turns ? "takes turns with it" : "runs beside it", signs.why));
                              return symbolic(left);
                            },
                        .share = signs.share});
  RaceResult result = race(entrants, limits, {.mode = turns ? RaceMode::turns : RaceMode::at_once});
  if (entrants.size() > 1 && (!turns || result.seconds > RaceOptions{}.first_turn))
    say(result.winner.empty()
            ? "neither explicit search nor engine symbolic has the whole answer"
            : fmt::format("{} was first, after {:.2f} s", result.outcome.engine, result.seconds));
  return std::move(result.outcome);
}

CombinedOutcome run_races(const CheckOptions& options, const Model& model,
                          const std::vector<Property>& properties, const Budget::Limits& limits,
                          Budget& budget) {
  const Races races(options, model, limits);
  CombinedOutcome outcome;
  for (const std::vector<Property>& question : questions_of(properties))
    append(outcome, races.answer(question, budget.seconds()));
  drop_repeated_model_errors(outcome);
  budget.exhausted({});  // limits that ended a race are those of the whole
  return outcome;
}

}  // namespace tideline::app
