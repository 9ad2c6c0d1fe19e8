#include "checking/count.hpp"

#include "checking/measures.hpp"
#include "checking/races.hpp"
#include "checking/run.hpp"
#include "search/states/product.hpp"

namespace tideline {

namespace {

Outcome count_by(const Engine& engine, const System& system, const Settings& settings, Budget& budget) {
  std::vector<Property> properties;
  if (settings.errors == ErrorSemantics::stop) properties.push_back(model_errors_property());
  return search_with(engine, engine.states, system, properties, settings, budget);
}

Outcome count_by_race(const System& system, const Settings& settings, const Budget::Limits& limits,
                      Budget& budget) {
  const auto search = [&](const Engine& engine) {
    return [&](const Budget::Limits& left) {
      Budget own(left);
      Attempt attempt;
      append(attempt.outcome, count_by(engine, system, settings, own));
      attempt.whole = own.reason().empty();
      return attempt;
    };
  };
  const Engine& sets = *engine_for(Purpose::sets).engine;
  RaceSearch by_sets;
  if (settings.errors == ErrorSemantics::stop || sets.error_states) by_sets = search(sets);
  Outcome outcome = race_engines(system, settings, limits, search(first_engine(settings)), by_sets);
  budget.exhausted({});  // limits that ended the race are those of the whole
  // A limit of memory does not show any more when the engines have given theirs back.
  if (budget.reason().empty() && !outcome.complete && !outcome.results.empty())
    budget.exhaust(outcome.results.front().reason);
  return outcome;
}

Outcome count_product(const System& system, const PropertyProcess& property, const Settings& settings,
                      Budget& budget) {
  Outcome outcome = settings.engine->takes_measure
                        ? sweep_product(system, property, settings.errors, settings.threads, settings.sweep,
                                        settings.lassos.automaton_order, budget)
                        : explore_product(system, property, settings.errors, settings.threads, budget);
  outcome.engine = settings.engine->name;
  return outcome;
}

}  // namespace

Outcome count_states(const Model& model, const PropertyProcess* property, Settings settings,
                     const Budget::Limits& limits, Budget& budget) {
  settings.traces = false;
  settings.states.exhaustive = true;
  const Engine& engine = *settings.engine;
  if (engine.is_race) return count_by_race(model.system, settings, limits, budget);
  const double prepared = budget.seconds();
  if (engine.takes_measure) {
    require_measure(model, property, settings);
    SampleBudget sample(limits, prepared);
    settings.sweep.measure = choose_measure(model, property, settings, sample);
  }
  const double measure_seconds = budget.seconds() - prepared;
  Outcome outcome = property ? count_product(model.system, *property, settings, budget)
                             : count_by(engine, model.system, settings, budget);
  if (engine.takes_measure) outcome.statistics.set("measure_time_s", measure_seconds);
  return outcome;
}

}  // namespace tideline
