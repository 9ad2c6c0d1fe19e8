#include "checking/count.hpp"

#include <fmt/format.h>

#include <utility>

#include "checking/check.hpp"
#include "checking/measures.hpp"
#include "checking/races.hpp"
#include "checking/run.hpp"
#include "report/text.hpp"
#include "search/states/product.hpp"

namespace tideline {

namespace {

bool is_reduced(const Settings& settings) {
  return settings.reduction.value_or(por::Method::none) != por::Method::none;
}

Outcome count_by(const Engine& engine, const System& system, const Settings& settings, Budget& budget) {
  std::vector<Property> properties;
  // A reduction without properties keeps all deadlocks, which is what people count.
  if (settings.errors == ErrorSemantics::stop && !is_reduced(settings))
    properties.push_back(model_errors_property());
  return search_with(engine, engine.states, system, properties, settings, budget);
}

Outcome count_by_race(const System& system, const Settings& settings, const Budget::Limits& limits,
                      Budget& budget) {
  Settings with_one_thread = settings;
  with_one_thread.threads = 1;
  const auto search = [&](const Engine& engine, const Settings& how) {
    return [&](const Budget::Limits& left) {
      Budget own(left);
      Attempt attempt;
      append(attempt.outcome, count_by(engine, system, how, own));
      attempt.whole = own.reason().empty();
      return attempt;
    };
  };
  const Engine& sets = *engine_for(Purpose::sets).engine;
  RaceSearch by_sets;
  if (system.transient == no_slot && !is_reduced(settings) &&
      (settings.errors == ErrorSemantics::stop || sets.error_states))
    by_sets = search(sets, with_one_thread);  // explicit search has the others
  budget.begin(Phase::searching, settings.engine->name);
  Outcome outcome = race_engines(system, settings, limits, search(first_engine(settings), settings), by_sets);
  budget.end_phase(last_status(outcome));
  budget.exhausted({});  // limits that ended the race are those of the whole
  // A limit of memory does not show any more when the engines have given theirs back.
  if (budget.reason().empty() && !outcome.complete && !outcome.results.empty())
    budget.exhaust(outcome.results.front().reason);
  return outcome;
}

Outcome count_product(const System& system, const PropertyProcess& property, const Settings& settings,
                      Budget& budget) {
  budget.begin(Phase::searching, settings.engine->name);
  Outcome outcome = settings.engine->takes_measure
                        ? sweep_product(system, property, settings.errors, settings.threads, settings.sweep,
                                        settings.lassos.automaton_order, budget)
                        : explore_product(system, property, settings.errors, settings.threads, budget);
  outcome.engine = settings.engine->name;
  budget.end_phase(last_status(outcome));
  return outcome;
}

}  // namespace

void require_countable(const Settings& settings, bool product) {
  const Engine& engine = *settings.engine;
  if (product && !engine.counts_products)
    throw Error(ErrorKind::usage,
                fmt::format("engine {} does not count products; {} do", engine.name,
                            engine_names([](const Engine& e) { return e.counts_products; })));
  if (product && settings.ranks)
    throw Error(ErrorKind::usage, "products are counted by one process; leave out mpirun and --ranks");
  if (const std::string unfit = why_store_unfit(settings); !unfit.empty())
    throw Error(ErrorKind::usage, unfit);
  if (engine.is_race && !settings.ranks) return;
  const std::string unfit = why_unfit(first_engine(settings), model_errors_property(), settings);
  if (!unfit.empty()) throw Error(ErrorKind::usage, unfit);
}

Outcome nothing_counted(const Settings& settings) {
  return not_searched(first_engine(settings).name, {});
}

void complete_count(const System& system, const Budget& budget, Outcome& outcome) {
  complete_statistics(system, budget, outcome);
  Statistics& statistics = outcome.statistics;
  const auto* states = statistics.find("states");
  const auto* measure_time = statistics.find("measure_time_s");
  if (!states || !std::holds_alternative<std::uint64_t>(*states)) return;
  // The rate is that of the search, without what came before it.
  const double seconds =
      std::get<double>(*statistics.find("time_s")) - (measure_time ? std::get<double>(*measure_time) : 0);
  const auto count = static_cast<double>(std::get<std::uint64_t>(*states));
  if (seconds > 0) statistics.set("states_per_s", static_cast<std::uint64_t>(count / seconds));
}

Count::Count(const Model& model, std::shared_ptr<const PropertyProcess> property, const Settings& settings)
    : model_(model),
      property_(std::move(property)),
      settings_(settings),
      outcome_(nothing_counted(settings)) {
  settings_.traces = false;
  settings_.states.exhaustive = true;
  if (settings_.engine->is_race) return;
  if (const std::string unfit = why_unfit(first_engine(settings_), model_.system); !unfit.empty())
    throw Error(ErrorKind::usage, unfit);
}

void Count::run(const Budget::Limits& limits, Budget& budget) {
  budget.begin(Phase::preparing);
  unbounded_ = find_unboundedness(model_);
  budget.end_phase();
  if (!unbounded_) {
    outcome_ = count(limits, budget);
    if (!property_) suggest_disk(settings_, budget);
    return;
  }
  short_search_.emplace(limits, budget.seconds(), false);
  budget = Budget(short_search_->limits());
  if (property_) outcome_ = count(short_search_->limits(), budget);
}

std::string Count::unfinished(const Budget& budget) const {
  if (!outcome_.complete && budget.reason().empty() && !outcome_.results.empty())
    return outcome_.results.front().reason;
  if (!short_search_ || outcome_.complete) return budget.reason();
  return short_search_->reason(budget.reason(), unbounded_text(*unbounded_, model_.system));
}

Outcome Count::count(const Budget::Limits& limits, Budget& budget) const {
  const bool races = settings_.engine->is_race && !settings_.ranks;
  const Engine& engine = races ? *settings_.engine : first_engine(settings_);
  if (races) return count_by_race(model_.system, settings_, limits, budget);
  const double prepared = budget.seconds();
  Settings settings = settings_;
  if (engine.takes_measure) {
    budget.begin(Phase::measuring);
    require_measure(model_, property_.get(), settings);
    SampleBudget sample(limits, prepared);
    settings.sweep.measure = choose_measure(model_, property_.get(), {}, settings, false, sample);
    settings.sweep.learning = learning_for(model_, settings, false, sample);
    budget.end_phase(sample.budget.latest());
  }
  const double measure_seconds = budget.seconds() - prepared;
  Outcome outcome = property_ ? count_product(model_.system, *property_, settings, budget)
                              : count_by(engine, model_.system, settings, budget);
  if (engine.takes_measure) outcome.statistics.set("measure_time_s", measure_seconds);
  return outcome;
}

}  // namespace tideline
