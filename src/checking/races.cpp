#include "checking/races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "checking/measures.hpp"
#include "checking/reduction.hpp"
#include "checking/run.hpp"
#include "checking/share_time.hpp"
#include "report/numbers.hpp"
#include "symbolic/space/signs.hpp"

namespace tideline {

namespace {

/// Properties that are answered together: the plan of explicit search, and what other engines have to plan.
struct RaceQuestion {
  Plan explicit_plan;
  std::vector<Property> properties;
};

/// `properties` are those of the plan, in any order.
std::vector<RaceQuestion> questions_of(const Plan& plan, const std::vector<Property>& properties) {
  Plan nothing = plan;
  nothing.states.properties.clear();
  nothing.ctl.properties.clear();
  nothing.lassos.clear();
  RaceQuestion of_states{.explicit_plan = nothing, .properties = {}};
  of_states.explicit_plan.states = plan.states;
  RaceQuestion ctl{.explicit_plan = nothing, .properties = {}};
  ctl.explicit_plan.ctl = plan.ctl;
  std::vector<RaceQuestion> questions;
  for (const Property& property : properties)
    if (!is_liveness(property.kind))
      (property.kind == PropertyKind::ctl ? ctl : of_states).properties.push_back(property);
  if (!of_states.properties.empty()) questions.push_back(std::move(of_states));
  auto lasso = plan.lassos.begin();
  for (const Property& property : properties)
    if (is_liveness(property.kind)) {
      questions.push_back({.explicit_plan = nothing, .properties = {property}});
      questions.back().explicit_plan.lassos = {*lasso++};
    }
  if (!ctl.properties.empty()) questions.push_back(std::move(ctl));
  return questions;
}

class Races {
 public:
  Races(const Model& model, const Settings& settings)
      : model_(model), settings_(settings), reductions_(model.system) {}

  CombinedOutcome answer(const RaceQuestion& question, const Budget::Limits& left) {
    RaceSearch sets;
    if (sets_may_enter(question))
      sets = [&](const Budget::Limits& limits) {
        Planned planned = plan_for(Purpose::sets, question);
        return planned ? search(std::move(planned.plan), limits) : Attempt{.outcome = {}, .whole = false};
      };
    return race_engines(
        model_.system, settings_, left,
        [&](const Budget::Limits& limits) { return explicit_search_with_a_look(question, limits); }, sets);
  }

 private:
  /// Whether diagrams support what the settings ask for. What else they cannot do depends on the automaton,
  /// which is built when their turn comes. Steps that go on by themselves are many small ones there, which does not pay.
  bool sets_may_enter(const RaceQuestion& question) const {
    const Engine& sets = *engine_for(Purpose::sets).engine;
    return model_.system.transient == no_slot && !question.explicit_plan.infinite && !settings_.bounded &&
           (sets.shortest || !settings_.lassos.shortest) &&
           (sets.fairness || settings_.fairness == Fairness::none) &&
           (sets.several_runs || settings_.states.runs == 1) &&
           (sets.error_states || settings_.errors == ErrorSemantics::stop);
  }

  /// Without notes: they were printed when the whole check was planned.
  Planned plan_for(Purpose purpose, const RaceQuestion& question) const {
    Settings settings = settings_;
    settings.engine = engine_for(purpose).engine;
    // Diagrams run beside explicit search, which has the other threads.
    if (!settings.engine->threads || purpose == Purpose::sets) settings.threads = 1;
    settings.notes = {};
    Planned planned = make_plan(model_, question.properties, settings);
    for (PlannedSearch* search : planned.plan.searches()) search->settings.notes = settings_.notes;
    return planned;
  }

  /// Also reports model errors that were not asked for.
  Attempt search(Plan plan, const Budget::Limits& limits) const {
    Budget budget(limits);
    choose_measures(model_, plan, limits, budget);
    CombinedOutcome outcome = run_plan(model_.system, plan, limits, budget);
    return {std::move(outcome), budget.reason().empty()};
  }

  /// What could be left out of one search can be left out of the next one.
  static void keep_reductions(const Plan& from, Plan& to) {
    to.states.settings.reduction = from.states.settings.reduction;
    for (std::size_t i = 0; i < to.lassos.size(); ++i)
      to.lassos[i].settings.reduction = from.lassos.at(i).settings.reduction;
  }

  /// A sweep goes on with the states that breadth-first search has, before these fill the memory: while it puts
  /// them into layers they are there twice.
  void let_sweep_take_over(Plan& plan, const Budget::Limits& limits) const {
    const ChosenEngine choice = engine_for(Purpose::little_memory);
    SweepSettings& sweep = plan.states.settings.sweep;
    const std::uint64_t start = resident_bytes();
    if (*limits.memory_bytes <= start) return;
    const auto given = given_measure(model_, settings_);
    if (given) sweep.measure = *given;
    sweep.learning = learning_for(model_, settings_, settings_.sweep.keeps_passed_states(settings_.traces),
                                  SampleBudget(limits, 0));
    const std::uint64_t most = (*limits.memory_bytes - start) / 5 * 2;
    sweep.take_over = TakeOver{
        .is_due = [most](std::uint64_t bytes) { return bytes > most; },
        .engine = std::string(choice.engine->name),
        .on_decision =
            [this, choice, name = plan.states.engine->name](std::uint64_t states, const Measure* measure) {
              settings_.note(
                  measure ? fmt::format("{} fills the memory with {}; {} from there, by the measure {}", name,
                                        show_plural(states, "state"), choice.why, measure->text())
                          : fmt::format("{} fills the memory, and no progress measure helps", name));
            }};
  }

  /// Whether one run that is not known to be shortest answers what is asked.
  bool look_may_help(const RaceQuestion& question) const {
    return !question.explicit_plan.states.properties.empty() && !question.explicit_plan.infinite &&
           !settings_.bounded && settings_.states.runs == 1 && !settings_.lassos.shortest;
  }

  /// Explicit search, with a look of a moment at what is easy to meet when it has had most of its first turn: it is then
  /// known not to be a small model, of which a shortest run would have been found by now.
  Attempt explicit_search_with_a_look(const RaceQuestion& question, const Budget::Limits& limits) {
    const auto search_all = [&](const Budget::Limits& own) { return explicit_search(question, own); };
    if (!look_may_help(question)) return search_all(limits);
    const ChosenEngine choice = engine_for(Purpose::first_look);
    const auto search_a_moment = [&](Budget::Limits own) {
      Planned planned = plan_for(Purpose::first_look, question);
      if (!planned || planned.plan.states.engine != choice.engine)
        return Attempt{.outcome = {}, .whole = false};
      constexpr double moment = 0.1;  // seconds
      own.seconds = std::min(own.gone + moment, own.seconds.value_or(own.gone + moment));
      Attempt attempt = search(std::move(planned.plan), own);
      attempt.whole = false;  // what it has not met may still be there
      const auto is_open = [](const PropertyResult& r) { return r.verdict == Verdict::unknown; };
      if (std::ranges::all_of(attempt.outcome.results, is_open)) attempt.outcome = {};  // nothing to say
      return attempt;
    };
    double after = 0.9 * RaceOptions{}.first_turn;
    if (limits.seconds) after = std::min(after, std::max(*limits.seconds - limits.gone, 0.0) / 4);
    RaceResult result = race({{.engine = "explicit search", .search = search_all},
                              {.engine = std::string(choice.engine->name), .search = search_a_moment}},
                             limits, {.mode = RaceMode::turns, .first_turn = after});
    if (result.winner == choice.engine->name)
      settings_.note(fmt::format("engine {} has the answer: {}", result.winner, choice.why));
    return {std::move(result.outcome), !result.winner.empty()};
  }

  Attempt explicit_search(const RaceQuestion& question, const Budget::Limits& limits) {
    Budget::Limits of_time = limits;
    of_time.memory_bytes.reset();
    of_time.on_status = {};
    Budget clock(of_time);
    Plan plan = question.explicit_plan;
    reductions_.choose(plan, clock);
    const Plan reduced = plan;
    if (limits.memory_bytes && !plan.infinite && !settings_.bounded) let_sweep_take_over(plan, limits);
    Attempt attempt = search(std::move(plan), limits);
    // If the time is not over and no other engine was first, then the memory ran out.
    if (attempt.is_answer() || question.explicit_plan.infinite || settings_.bounded || clock.exhausted({}))
      return attempt;
    Planned planned = plan_for(Purpose::little_memory, question);
    if (!planned) return attempt;
    keep_reductions(reduced, planned.plan);
    settings_.note(fmt::format("{} ran out of memory; {}", attempt.outcome.engine,
                               engine_for(Purpose::little_memory).why));
    for (PropertyResult& result : attempt.outcome.results) {
      result.more_paths.clear();
      if (std::exchange(result.path, {}))  // gives its memory back; the sweep finds another run
        result.reason = "the run is not shown: there was no memory left for it";
    }
    Budget::Limits left = limits;
    left.gone = clock.seconds();
    Budget sweeping(left);
    within_limits(sweeping, [&] {
      Attempt swept = search(std::move(planned.plan), left);
      take_decided(attempt.outcome, swept.outcome);
      attempt = std::move(swept);
    });
    return attempt;
  }

  const Model& model_;
  const Settings& settings_;
  Reductions reductions_;
};

/// Each question may have found the same model errors.
void drop_repeated_model_errors(CombinedOutcome& outcome) {
  bool seen = false;
  std::erase_if(outcome.results, [&](const PropertyResult& result) {
    return result.property.kind == PropertyKind::model_error && std::exchange(seen, true);
  });
}

}  // namespace

CombinedOutcome race_engines(const System& system, const Settings& settings, const Budget::Limits& limits,
                             RaceSearch explicit_search, RaceSearch sets) {
  const symbolic::DiagramSigns signs = symbolic::diagram_signs(system);
  const std::string_view name = engine_for(Purpose::sets).engine->name;
  const bool at_once = settings.engine && settings.engine->races_at_once;
  const bool turns = !at_once && settings.threads == 1;
  std::vector<Entrant> entrants{{.engine = "explicit search", .search = std::move(explicit_search)}};
  // Where diagrams promise little they take no core from explicit search, unless the user wants that.
  const bool welcome = at_once || turns || signs.share == 1;
  if (sets && welcome)
    entrants.push_back({.engine = std::string(name),
                        .search =
                            [&](const Budget::Limits& left) {
                              settings.note(fmt::format("engine {} {}: {}", name,
                                                        turns ? "takes turns with it" : "runs beside it",
                                                        signs.why));
                              return sets(left);
                            },
                        .share = signs.share});
  RaceResult result = race(entrants, limits, {.mode = turns ? RaceMode::turns : RaceMode::at_once});
  if (entrants.size() > 1 && (!turns || result.seconds > RaceOptions{}.first_turn))
    settings.note(result.winner.empty()
                      ? fmt::format("neither explicit search nor engine {} has the whole answer", name)
                      : fmt::format("{} was first, after {:.2f} s", result.outcome.engine, result.seconds));
  return std::move(result.outcome);
}

CombinedOutcome run_races(const Model& model, const Plan& plan, const std::vector<Property>& properties,
                          const Settings& settings, const Budget::Limits& limits, Budget& budget) {
  budget.begin(phase_for(properties), settings.engine->name);
  Races races(model, settings);
  const std::vector<RaceQuestion> questions = questions_of(plan, properties);
  std::vector<TimedSearch> searches;
  for (const RaceQuestion& question : questions)
    searches.push_back([&](std::optional<double> until) {
      CombinedOutcome answer;
      const Budget::Limits left = limits_until(until, limits, budget);
      Budget look(left);
      if (!within_limits(look, [&] {
            look.require();
            answer = races.answer(question, left);
          })) {
        answer = {};
        append(answer, ended_early(first_engine(settings).name, question.explicit_plan.properties(), look));
      }
      return answer;
    });
  CombinedOutcome outcome;
  for (CombinedOutcome& answer : share_time(searches, budget, limits.seconds))
    append(outcome, std::move(answer));
  drop_repeated_model_errors(outcome);
  budget.end_phase(last_status(outcome));
  budget.exhausted({});  // limits that ended a race are those of the whole
  return outcome;
}

}  // namespace tideline
