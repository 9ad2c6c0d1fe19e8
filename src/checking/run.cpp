#include "checking/run.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "certificate/writer/certificate.hpp"
#include "checking/certifying.hpp"
#include "checking/share_time.hpp"
#include "checking/unbounded.hpp"
#include "checking/values.hpp"
#include "search/states/process_values.hpp"

namespace tideline {

namespace {

/// A search that ends because every question is decided has not looked everywhere for model errors. That was
/// not asked for, so the answer does not mention it.
void drop_unasked_model_errors(Outcome& outcome) {
  auto& results = outcome.results;
  const bool rest_decided = std::all_of(results.begin(), results.end() - 1,
                                        [](const auto& r) { return r.verdict != Verdict::unknown; });
  if (rest_decided && results.back().verdict == Verdict::unknown) results.pop_back();
}

/// A search that can prove that something is nowhere.
PlannedSearch conclusive(PlannedSearch search) {
  if (!search.engine->conclusive) search.engine = engine_for(Purpose::states).engine;
  if (search.settings.states.store == Store::hash) search.settings.states.store = Store::automatic;
  search.settings.states.depth = 0;
  search.settings.states.runs = 1;
  return search;
}

/// The searches of a plan.
class Searches {
 public:
  Searches(const System& system, const Plan& plan, const Budget::Limits& limits, Budget& budget)
      : system_(system), plan_(plan), limits_(limits), whole_(budget), budget_(&budget) {}

  CombinedOutcome run() {
    std::vector<TimedSearch> searches;
    if (!plan_.states.properties.empty())
      searches.push_back(
          timed(plan_.states.engine->name, plan_.states.properties, [this] { return search_states(); }));
    add_lassos(searches);
    if (!plan_.ctl.properties.empty())
      searches.push_back(timed(plan_.ctl.engine->name, plan_.ctl.properties,
                               [this] { return combined(search(plan_.ctl, plan_.ctl.engine->ctl)); }));
    if (may_begin_again()) {
      for (CombinedOutcome& found : share_time(searches, whole_, limits_.seconds))
        append(outcome_, std::move(found));
    } else {
      for (const TimedSearch& find : searches) append(outcome_, find({}));
    }
    judge_values(system_, outcome_,
                 {.invariants = [&](const auto& properties) { return search_invariants(properties); },
                  .process = [&](const Property& property) { return search_process_values(property); }});
    if (!errors_sought_ && outcome_.model_errors && reports_errors())
      append(outcome_, once({model_errors_property()}, [&] { return of_states({model_errors_property()}); }));
    return std::move(outcome_);
  }

 private:
  bool reports_errors() const { return plan_.states.settings.errors == ErrorSemantics::stop; }

  /// All ranks begin and end each search together, and one that cannot go on leaves them all.
  bool on_ranks() const { return plan_.states.settings.ranks; }

  /// What a search has saved, or written for a proof, is not undone.
  bool may_begin_again() const {
    const Settings& settings = plan_.states.settings;
    return !settings.sweep.checkpoints && !settings.certificate && !on_ranks() && !settings.sweep.keep_log;
  }

  /// A search whose time may be shorter than that of the whole check. A limit may also end it outside of its engine's
  /// loop, while it prepares a reduction, native code or relations: what others have found is not lost by that.
  TimedSearch timed(std::string_view engine, std::vector<Property> properties,
                    std::function<CombinedOutcome()> find) {
    return [this, engine, properties = std::move(properties),
            find = std::move(find)](std::optional<double> until) {
      if (on_ranks()) return find();
      Budget turn = until ? Budget(limits_until(until, limits_, whole_)) : Budget();
      budget_ = until ? &turn : &whole_;
      CombinedOutcome found;
      if (!budget_->reason().empty() || !within_limits(*budget_, [&] { found = find(); })) {
        budget_->end_phase();
        found = {};
        append(found, ended_early(engine, properties, *budget_));
      }
      budget_ = &whole_;
      return found;
    };
  }

  static CombinedOutcome combined(Outcome outcome) {
    CombinedOutcome result;
    append(result, std::move(outcome));
    return result;
  }

  /// The same for searches that others depend on.
  Outcome limited(std::string_view engine, const std::vector<Property>& properties,
                  const std::function<Outcome()>& find) {
    if (on_ranks()) return find();
    Outcome outcome;
    if (budget_->reason().empty() && within_limits(*budget_, [&] { outcome = find(); })) return outcome;
    return ended_early(engine, properties, *budget_);
  }

  Outcome once(const std::vector<Property>& properties, const std::function<Outcome()>& find) {
    const auto& checkpoints = plan_.states.settings.sweep.checkpoints;
    return checkpoints ? checkpoints->once(properties, *budget_, find) : find();
  }

  /// Its engine decides nothing before it has visited everything, and there are infinitely many states.
  bool is_hopeless(const PlannedSearch& planned) const { return plan_.infinite && planned.engine->needs_all; }

  Outcome search(const PlannedSearch& planned, Engine::Search how) {
    if (is_hopeless(planned)) return not_searched(planned.engine->name, planned.properties);
    const auto find = [&] {
      const bool twice = planned.settings.certificate && !planned.properties.empty() &&
                         !certifies(*planned.engine, planned.properties.front().kind);
      if (!twice)
        return search_with(*planned.engine, how, system_, planned.properties, planned.settings, *budget_);
      Settings settings = planned.settings;
      settings.certificate.reset();
      Outcome outcome = search_with(*planned.engine, how, system_, planned.properties, settings, *budget_);
      if (!within_limits(*budget_, [&] { certify_by_second_search(system_, planned, outcome, *budget_); }))
        planned.settings.certificate->fail(budget_->reason());
      return outcome;
    };
    return limited(planned.engine->name, planned.properties, find);
  }

  /// By the engine for states.
  Outcome of_states(std::vector<Property> properties) {
    PlannedSearch planned = plan_.states;
    planned.properties = std::move(properties);
    return search(planned, planned.engine->states);
  }

  CombinedOutcome search_states() {
    errors_sought_ = true;
    std::vector<Property> properties = plan_.states.properties;
    const bool only_ctl = !is_of_states(properties.front().kind);
    const bool with_errors = reports_errors() && !is_hopeless(plan_.states);
    if (with_errors) properties.push_back(model_errors_property());
    Outcome outcome = once(properties, [&] { return of_states(properties); });
    if (with_errors && only_ctl && outcome.results.back().verdict != Verdict::violated)
      outcome.results.pop_back();
    else if (with_errors)
      drop_unasked_model_errors(outcome);
    return combined(std::move(outcome));
  }

  /// Those of the engine that answers several together, if there are several, are one search; each of the others is one of
  /// its own.
  void add_lassos(std::vector<TimedSearch>& searches) {
    std::vector<const PlannedSearch*> together;
    std::vector<Property> all;
    for (const PlannedSearch& lasso : plan_.lassos)
      if (lasso.engine->all_lassos && !is_hopeless(lasso) && !lasso.settings.certificate) {
        together.push_back(&lasso);
        all.push_back(lasso.properties.front());
      }
    const bool several = together.size() > 1;
    for (const PlannedSearch& lasso : plan_.lassos) {
      const bool is_one = several && std::ranges::find(together, &lasso) != together.end();
      if (!is_one)
        searches.push_back(timed(lasso.engine->name, lasso.properties, [this, &lasso] {
          return combined(once(lasso.properties, [&] { return search(lasso, lasso.engine->lassos); }));
        }));
      else if (&lasso == together.front())
        searches.push_back(
            timed(lasso.engine->name, all, [this, &lasso, all] { return search_together(lasso, all); }));
    }
  }

  CombinedOutcome search_together(const PlannedSearch& first, const std::vector<Property>& properties) {
    budget_->begin(Phase::seeking_cycles, first.engine->name);
    CombinedOutcome result;
    for (Outcome& found : first.engine->all_lassos(system_, properties, first.settings, *budget_)) {
      budget_->begin(Phase::seeking_cycles, first.engine->name);
      found.engine = first.engine->name;
      budget_->end_phase(last_status(found));
      append(result, std::move(found));
    }
    return result;
  }

  Outcome search_invariants(const std::vector<Property>& properties) {
    PlannedSearch planned = conclusive(plan_.states);
    planned.properties = properties;
    return once(properties, [&] { return search(planned, planned.engine->states); });
  }

  Outcome search_process_values(const Property& property) {
    const Settings& settings = plan_.states.settings;
    const std::string_view engine = engine_for(Purpose::states).engine->name;
    const auto find = [&] {
      budget_->begin(Phase::searching, engine);
      Outcome outcome = check_process_values(system_, property, settings.errors, settings.traces, *budget_);
      outcome.engine = engine;
      budget_->end_phase(last_status(outcome));
      return outcome;
    };
    return once({property}, [&] { return limited(engine, {property}, find); });
  }

  const System& system_;
  const Plan& plan_;
  const Budget::Limits& limits_;
  Budget& whole_;   ///< of the check
  Budget* budget_;  ///< of the search that goes on
  bool errors_sought_ = false;
  CombinedOutcome outcome_;
};

}  // namespace

Property model_errors_property() {
  return {.name = "model-errors", .kind = PropertyKind::model_error, .formula = ""};
}

CombinedOutcome run_plan(const System& system, const Plan& plan, const Budget::Limits& limits,
                         Budget& budget) {
  CombinedOutcome outcome = Searches(system, plan, limits, budget).run();
  if (!plan.states.settings.traces)
    for (PropertyResult& result : outcome.results) {
      result.path = {};
      result.more_paths.clear();
    }
  return outcome;
}

}  // namespace tideline
