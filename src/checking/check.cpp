#include "checking/check.hpp"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "certificate/writer/certificate.hpp"
#include "checking/certifying.hpp"
#include "checking/combine.hpp"
#include "checking/measures.hpp"
#include "checking/races.hpp"
#include "checking/reduction.hpp"
#include "checking/run.hpp"
#include "checking/unbounded.hpp"
#include "model/layout.hpp"
#include "report/numbers.hpp"
#include "report/text.hpp"
#include "store/memory.hpp"

namespace tideline {

namespace {

/// Each only once: a search that begins again has the same to say. Searches in several threads may call it.
Notes without_repetitions(Notes notes) {
  if (!notes) return {};
  struct Said {
    std::mutex mutex;
    std::set<std::string> texts;
  };
  return [notes = std::move(notes), said = std::make_shared<Said>()](const std::string& text) {
    const std::lock_guard lock(said->mutex);
    if (said->texts.insert(text).second) notes(text);
  };
}

/// What a sample of states promised, the search may not have kept.
void judge_reduction(const CombinedOutcome& outcome, const Settings& settings) {
  if (settings.reduction) return;
  for (const SearchReport& search : outcome.searches) {
    const auto count = [&](Stat stat) {
      const Statistics::Value* const value = search.statistics.find(stat);
      const auto* const number = value ? std::get_if<std::uint64_t>(value) : nullptr;
      return number ? std::optional(*number) : std::nullopt;
    };
    const auto reduced = count("reduced_states"), states = count("states");
    if (reduced && states && *states > few_states_nearby && *reduced < *states / 100)
      settings.note(
          fmt::format("partial order reduction left out steps in {} of {} only; --por=off spares its cost",
                      show_count(*reduced), show_plural(*states, "state")));
  }
}

/// Empty: fairness makes sense for these.
std::string why_not_fair(const std::vector<Property>& properties) {
  for (const Property& property : properties)
    if (property.kind == PropertyKind::ctl)
      return fmt::format(
          "property {}: CTL is checked over all runs, not over fair ones only; leave out --fair, or say it "
          "in LTL, as --ltl 'F \"p\"' says AF p of all fair runs",
          property.name);
  return {};
}

}  // namespace

Check::Check(const Model& model, std::vector<Property> properties, const Settings& settings)
    : model_(model), properties_(std::move(properties)), settings_(settings) {
  if (!settings_.engine) settings_.engine = &default_engine();
  settings_.notes = without_repetitions(std::move(settings_.notes));
  if (settings_.certificate && !settings_.reduction) settings_.reduction = por::Method::none;
  if (settings_.fairness != Fairness::none)
    if (const std::string why = why_not_fair(properties_); !why.empty()) throw Error(ErrorKind::usage, why);
  questions_.emplace(model_.system, settings_, properties_);
  Planned planned = make_plan(model_, properties_, settings_);
  if (!planned) throw Error(ErrorKind::usage, planned.refusal);
  plan_ = std::move(planned.plan);
  if (settings_.certificate)
    if (const std::string why = why_not_certified(model_.system, plan_, settings_); !why.empty())
      throw Error(ErrorKind::usage, "no certificate can be written: " + why);
  if (!settings_.reduce_net) return;
  if (const std::string why = why_not_reducible(model_, settings_); !why.empty())
    throw Error(ErrorKind::usage, "cannot reduce the net: " + why);
}

void Check::save_in(std::shared_ptr<Checkpointer> checkpoints, bool goes_on) {
  checkpoints_ = std::move(checkpoints);
  goes_on_ = goes_on;
  for (PlannedSearch* search : plan_.searches()) search->settings.sweep.checkpoints = checkpoints_;
}

void Check::run(const Budget::Limits& limits, Budget& budget) {
  budget.begin(Phase::preparing);
  reduce(budget);
  if (!is_raced()) Reductions(searched().system).choose(plan_, budget);  // a race does so when it begins
  choose_measures(limits, budget);
  search(limits, budget);
  if (settings_.certificate) settings_.certificate->finish();
}

bool Check::is_raced() const {
  return settings_.engine->is_race && !settings_.ranks && !settings_.certificate;
}

void Check::reduce(Budget& budget) {
  if (settings_.reduce_net) {
    budget.begin(Phase::reducing);
    reduced_.emplace(model_, plan_, settings_);
    budget.begin(Phase::preparing);
  }
  result_.unbounded = reduced_ ? find_unboundedness(*reduced_) : find_unboundedness(model_);
  plan_.infinite = result_.unbounded.has_value();
}

void Check::choose_measures(const Budget::Limits& limits, Budget& budget) {
  const double prepared = budget.seconds();
  tideline::choose_measures(searched(), plan_, limits, budget,
                            goes_on_ ? &checkpoints_->saved_run().measures : nullptr);
  // A measure that was not looked for to the end is not worth saving.
  if (settings_.engine->takes_measure && !goes_on_ && !given_measure(searched(), settings_)) budget.require();
  if (checkpoints_) checkpoints_->set_measures(measures_of(plan_));
  measure_seconds_ = budget.seconds() - prepared;
}

void Check::search(const Budget::Limits& limits, Budget& budget) {
  const bool has_depth =
      settings_.bounded && plan_.lassos.empty() && plan_.ctl.properties.empty();  // which take none
  budget.end_phase();
  const ShortSearch short_search(limits, budget.seconds(), has_depth);
  if (plan_.infinite) budget = Budget(short_search.limits());
  const Budget::Limits& search_limits = plan_.infinite ? short_search.limits() : limits;
  try {
    CombinedOutcome outcome = is_raced()
                                  ? run_races(searched(), plan_, reduced_ ? plan_.properties() : properties_,
                                              settings_, search_limits, budget)
                                  : run_plan(searched().system, plan_, search_limits, budget);
    judge_reduction(outcome, settings_);
    if (outcome.searches.size() > 1) result_.searches = std::move(outcome.searches);
    result_.outcome = std::move(outcome);
  } catch (const Error& error) {  // of the input: it is the answer
    if (checkpoints_ && error.kind() == ErrorKind::input) checkpoints_->remove();
    throw;
  }
  // A search that has begun without a measure says how long it has waited for one.
  if (Statistics& statistics = result_.outcome.statistics;
      settings_.engine->takes_measure && !statistics.find("measure_time_s"))
    statistics.set("measure_time_s", measure_seconds_);
  complete_statistics(searched().system, budget, result_.outcome);
  if (!plan_.states.properties.empty()) suggest_disk(settings_, budget);
  if (reduced_) {
    Budget wrap_up = budget.wrap_up();
    reduced_->restore(result_.outcome, wrap_up);
  }
  questions_->restore(result_.outcome.results);
  if (result_.unbounded)
    explain_unknown(result_.outcome, short_search, unbounded_text(*result_.unbounded, model_.system));
}

Outcome give_up(std::vector<Property> properties, const Settings& settings, const System& system,
                const std::optional<Unboundedness>& unbounded, const Budget& budget) {
  if (properties.empty())  // what comes with the model is not known, but this is always looked for
    properties.push_back(model_errors_property());
  Outcome outcome = not_searched(first_engine(settings).name, std::move(properties));
  std::string reason = fmt::format("{} while {}", budget.reason(), to_string(budget.phase()));
  if (unbounded) reason += "; " + unbounded_text(*unbounded, system);
  for (PropertyResult& result : outcome.results) result.reason = reason;
  complete_statistics(system, budget, outcome);
  return outcome;
}

void suggest_disk(const Settings& settings, const Budget& budget) {
  const auto limit = budget.memory_limit();
  const bool full =
      limit && peak_resident_bytes() >= *limit - *limit / 8;  // a vector that doubles ends a run before
  if (budget.reason().empty() || !full || settings.states.store == Store::disk || settings.ranks) return;
  if (settings.engine && uses_option(*settings.engine, "--bits", PropertyKind::deadlock, settings.traces)) {
    settings.note(
        "the memory is full of the table and the run to the current state: a smaller --bits leaves more for "
        "the run, and --depth bounds it");
    return;
  }
  settings.note(fmt::format("with --store disk, engine {} keeps on disk what memory has no room for",
                            engine_for(Purpose::states).engine->name));
}

void complete_statistics(const System& system, const Budget& budget, Outcome& outcome) {
  Statistics& statistics = outcome.statistics;
  if (!statistics.find("state_bytes")) statistics.set("state_bytes", std::uint64_t{Layout(system).size()});
  statistics.set("time_s", budget.seconds());
  if (!statistics.find("peak_rss_bytes")) statistics.set("peak_rss_bytes", peak_resident_bytes());
}

}  // namespace tideline
