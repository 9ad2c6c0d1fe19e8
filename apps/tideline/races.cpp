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
  Races(const CheckOptions& options, const Model& model, const Budget::Limits& limits, Budget& budget)
      : options_(options),
        model_(model),
        limits_(limits),
        budget_(budget),
        mode_(options.engine == "portfolio" || options.limits.threads > 1 ? RaceMode::at_once
                                                                          : RaceMode::turns),
        signs_(symbolic::diagram_signs(model.system)) {
    if (!limits_.memory_bytes) limits_.memory_bytes = available_bytes();
  }

  CombinedOutcome answer(const std::vector<Property>& question) {
    std::vector<Entrant> entrants{{.engine = "explicit search", .search = [&](const Budget::Limits& limits) {
                                     return search_explicitly(question, limits);
                                   }}};
    if (diagrams_can(question))
      entrants.push_back(
          {.engine = "symbolic",
           .search =
               [&](const Budget::Limits& limits) {
                 say(fmt::format("engine symbolic {}: {}",
                                 mode_ == RaceMode::turns ? "takes turns with it" : "runs beside it",
                                 signs_.why));
                 return search("symbolic", question, limits);
               },
           .share = signs_.share});
    Budget::Limits left = limits_;
    left.gone = budget_.seconds();
    RaceResult result = race(entrants, left, {.mode = mode_});
    if (entrants.size() > 1 && (mode_ == RaceMode::at_once || result.seconds > RaceOptions{}.first_turn))
      say(result.winner.empty()
              ? "neither explicit search nor engine symbolic has the whole answer"
              : fmt::format("{} was first, after {:.2f} s", result.outcome.engine, result.seconds));
    return std::move(result.outcome);
  }

 private:
  void say(const std::string& text) const {
    if (!options_.limits.quiet) complain("note: " + text);
  }

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

  /// Diagrams know nothing of bounds on depth, and of some kinds of properties. Where they promise little
  /// they take no core from explicit search.
  bool diagrams_can(const std::vector<Property>& question) const {
    if (options_.given.contains("--depth")) return false;
    if (options_.engine == "auto" && options_.limits.threads > 1 && signs_.share < 1) return false;
    return can_plan("symbolic", question);
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
    Budget clock(limits);
    Attempt attempt = search("auto", question, limits);
    // If it is not the time that is over, and nobody else was first, then it is the memory.
    if (attempt.is_answer() || options_.given.contains("--depth") || clock.exhausted({}) ||
        !can_plan("sweep", question))
      return attempt;
    say(fmt::format("{} ran out of memory; a sweep, which deletes states, goes on", attempt.outcome.engine));
    attempt = {};  // gives its memory back
    Budget::Limits left = limits;
    left.gone = clock.seconds();
    return search("sweep", question, left);
  }

  const CheckOptions& options_;
  const Model& model_;
  Budget::Limits limits_;
  Budget& budget_;
  RaceMode mode_;
  symbolic::DiagramSigns signs_;
};

/// Each question may have come upon the same model errors.
void drop_repeated_model_errors(CombinedOutcome& outcome) {
  bool seen = false;
  std::erase_if(outcome.results, [&](const PropertyResult& result) {
    return result.property.kind == PropertyKind::model_error && std::exchange(seen, true);
  });
}

}  // namespace

CombinedOutcome run_races(const CheckOptions& options, const Model& model,
                          const std::vector<Property>& properties, const Budget::Limits& limits,
                          Budget& budget) {
  Races races(options, model, limits, budget);
  CombinedOutcome outcome;
  for (const std::vector<Property>& question : questions_of(properties))
    append(outcome, races.answer(question));
  drop_repeated_model_errors(outcome);
  budget.exhausted({});  // limits that ended a race are those of the whole
  return outcome;
}

}  // namespace tideline::app
