#include "races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "output.hpp"
#include "race.hpp"
#include "searches.hpp"

namespace tideline::app {

namespace {

/// What is searched for at once: how explicit search does it, and what other engines have to plan.
struct Asked {
  Plan explicitly;
  std::vector<Property> properties;
};

/// `properties` are those of the plan, in whatever order.
std::vector<Asked> questions_of(const Plan& plan, const std::vector<Property>& properties) {
  const auto part = [&] { return Plan{.safety = plan.safety, .infinite = plan.infinite}; };
  Asked of_states{.explicitly = part(), .properties = {}};
  of_states.explicitly.of_states = plan.of_states;
  Asked ctl{.explicitly = part(), .properties = {}};
  ctl.explicitly.ctl = plan.ctl;
  std::vector<Asked> questions;
  for (const Property& property : properties)
    if (!is_liveness(property.kind))
      (property.kind == PropertyKind::ctl ? ctl : of_states).properties.push_back(property);
  if (!of_states.properties.empty()) questions.push_back(std::move(of_states));
  auto lasso = plan.lassos.begin();
  for (const Property& property : properties)
    if (is_liveness(property.kind)) {
      questions.push_back({.explicitly = part(), .properties = {property}});
      questions.back().explicitly.lassos = {*lasso++};
    }
  if (!ctl.properties.empty()) questions.push_back(std::move(ctl));
  return questions;
}

class Races {
 public:
  Races(const CheckOptions& options, const Model& model, const Budget::Limits& limits)
      : options_(options), model_(model), limits_(limits), signs_(symbolic::diagram_signs(model.system)) {}

  CombinedOutcome answer(const Asked& question, double gone) const {
    Budget::Limits left = limits_;
    left.gone = gone;
    Search symbolic;
    if (diagrams_may_enter(question))
      symbolic = [&](const Budget::Limits& limits) {
        const auto plan = plan_for("symbolic", question);
        return plan ? search("symbolic", *plan, limits) : Attempt{.outcome = {}, .whole = false};
      };
    return race_engines(
        signs_, options_.engine, options_.limits, left,
        [&](const Budget::Limits& limits) { return search_explicitly(question, limits); }, symbolic);
  }

 private:
  /// They know nothing of these. What else they cannot do depends on the automaton, which is made for them
  /// when their turn comes.
  bool diagrams_may_enter(const Asked& question) const {
    return !question.explicitly.infinite && !options_.given.contains("--depth") && !options_.shortest &&
           options_.fairness == "none" && options_.model.semantics() == ErrorSemantics::stop;
  }

  CheckOptions options_for(const std::string& engine) const {
    CheckOptions options = options_;
    options.engine = engine;
    if (engine == "symbolic") options.limits.threads = 1;
    return options;
  }

  /// Nothing: the engine cannot do that. What there is to say was said when the whole was planned.
  std::optional<Plan> plan_for(const std::string& engine, const Asked& question) const {
    CheckOptions options = options_for(engine);
    options.limits.quiet = true;
    try {
      return make_plan(options, model_, question.properties);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      return std::nullopt;
    }
  }

  /// With model errors that nobody asked for, where they are found.
  Attempt search(const std::string& engine, Plan plan, const Budget::Limits& limits) const {
    Budget budget(limits);
    const CheckOptions options = options_for(engine);
    if (engine == "sweep") choose_measures(options, model_, plan, limits, budget);
    CombinedOutcome outcome = run_searches(options, model_.system, plan, budget);
    return {std::move(outcome), budget.reason().empty()};
  }

  Attempt search_explicitly(const Asked& question, const Budget::Limits& limits) const {
    Budget::Limits of_time = limits;
    of_time.memory_bytes.reset();
    Budget clock(of_time);
    Attempt attempt = search("auto", question.explicitly, limits);
    // If it is not the time that is over, and nobody else was first, then it is the memory.
    if (attempt.is_answer() || question.explicitly.infinite || options_.given.contains("--depth") ||
        clock.exhausted({}))
      return attempt;
    const auto plan = plan_for("sweep", question);
    if (!plan) return attempt;
    if (!options_.limits.quiet)
      complain(fmt::format("note: {} ran out of memory; a sweep, which deletes states, goes on",
                           attempt.outcome.engine));
    for (PropertyResult& result : attempt.outcome.results)
      if (std::exchange(result.path, {}))  // gives its memory back; the sweep finds another run
        result.reason = "the run is not shown: there was no memory left for it";
    Budget::Limits left = limits;
    left.gone = clock.seconds();
    Budget sweeping(left);
    within_limits(sweeping, [&] { attempt = search("sweep", *plan, left); });
    return attempt;
  }

  const CheckOptions& options_;
  const Model& model_;
  const Budget::Limits& limits_;
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

CombinedOutcome race_engines(const symbolic::DiagramSigns& signs, const std::string& engine,
                             const LimitOptions& options, const Budget::Limits& limits, Search explicitly,
                             Search symbolic) {
  const auto say = [&](const std::string& text) {
    if (!options.quiet) complain("note: " + text);
  };
  const bool turns = engine == "auto" && options.threads == 1;
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

CombinedOutcome run_races(const CheckOptions& options, const Model& model, const Plan& plan,
                          const std::vector<Property>& properties, const Budget::Limits& limits,
                          Budget& budget) {
  const Races races(options, model, limits);
  CombinedOutcome outcome;
  for (const Asked& question : questions_of(plan, properties))
    append(outcome, races.answer(question, budget.seconds()));
  drop_repeated_model_errors(outcome);
  budget.exhausted({});  // limits that ended a race are those of the whole
  return outcome;
}

}  // namespace tideline::app
