#include "checking/run.hpp"

#include <algorithm>
#include <functional>

#include "checking/certifying.hpp"
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
  Searches(const System& system, const Plan& plan, Budget& budget)
      : system_(system), plan_(plan), budget_(budget) {}

  CombinedOutcome run() {
    if (!plan_.states.properties.empty()) search_states();
    search_lassos();
    if (!plan_.ctl.properties.empty()) append(outcome_, search(plan_.ctl, plan_.ctl.engine->ctl));
    judge_values(system_, outcome_,
                 {.invariants = [&](const auto& properties) { return search_invariants(properties); },
                  .process = [&](const Property& property) { return search_process_values(property); }});
    if (!errors_sought_ && outcome_.model_errors && reports_errors())
      append(outcome_, once({model_errors_property()}, [&] { return of_states({model_errors_property()}); }));
    return std::move(outcome_);
  }

 private:
  bool reports_errors() const { return plan_.states.settings.errors == ErrorSemantics::stop; }

  Outcome once(const std::vector<Property>& properties, const std::function<Outcome()>& find) {
    const auto& checkpoints = plan_.states.settings.sweep.checkpoints;
    return checkpoints ? checkpoints->once(properties, budget_, find) : find();
  }

  /// Its engine decides nothing before it has visited everything, and there are infinitely many states.
  bool is_hopeless(const PlannedSearch& planned) const { return plan_.infinite && planned.engine->needs_all; }

  Outcome search(const PlannedSearch& planned, Engine::Search how) {
    if (is_hopeless(planned)) return not_searched(planned.engine->name, planned.properties);
    const bool twice = planned.settings.certificate && !planned.properties.empty() &&
                       !certifies(*planned.engine, planned.properties.front().kind);
    if (!twice)
      return search_with(*planned.engine, how, system_, planned.properties, planned.settings, budget_);
    Settings settings = planned.settings;
    settings.certificate.reset();
    Outcome outcome = search_with(*planned.engine, how, system_, planned.properties, settings, budget_);
    certify_by_second_search(system_, planned, outcome, budget_);
    return outcome;
  }

  /// By the engine for states.
  Outcome of_states(std::vector<Property> properties) {
    PlannedSearch planned = plan_.states;
    planned.properties = std::move(properties);
    return search(planned, planned.engine->states);
  }

  void search_states() {
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
    append(outcome_, std::move(outcome));
  }

  void search_lassos() {
    std::vector<Outcome> found = search_lassos_together();
    auto next = found.begin();
    for (const PlannedSearch& lasso : plan_.lassos) {
      if (!found.empty() && lasso.engine->all_lassos) {
        budget_.begin(Phase::seeking_cycles, lasso.engine->name);
        next->engine = lasso.engine->name;
        budget_.end_phase(last_status(*next));
        append(outcome_, std::move(*next++));
      } else {
        append(outcome_, once(lasso.properties, [&] { return search(lasso, lasso.engine->lassos); }));
      }
    }
  }

  /// Those of the engine that can, if there are several; the others are searched one after the other.
  std::vector<Outcome> search_lassos_together() {
    const PlannedSearch* first = nullptr;
    std::vector<Property> properties;
    for (const PlannedSearch& lasso : plan_.lassos) {
      if (!lasso.engine->all_lassos || is_hopeless(lasso) || lasso.settings.certificate) continue;
      if (!first) first = &lasso;
      properties.push_back(lasso.properties.front());
    }
    if (properties.size() < 2) return {};
    budget_.begin(Phase::seeking_cycles, first->engine->name);
    return first->engine->all_lassos(system_, properties, first->settings, budget_);
  }

  Outcome search_invariants(const std::vector<Property>& properties) {
    PlannedSearch planned = conclusive(plan_.states);
    planned.properties = properties;
    return once(properties, [&] { return search(planned, planned.engine->states); });
  }

  Outcome search_process_values(const Property& property) {
    const Settings& settings = plan_.states.settings;
    return once({property}, [&] {
      const std::string_view engine = engine_for(Purpose::states).engine->name;
      budget_.begin(Phase::searching, engine);
      Outcome outcome = check_process_values(system_, property, settings.errors, settings.traces, budget_);
      outcome.engine = engine;
      budget_.end_phase(last_status(outcome));
      return outcome;
    });
  }

  const System& system_;
  const Plan& plan_;
  Budget& budget_;
  bool errors_sought_ = false;
  CombinedOutcome outcome_;
};

}  // namespace

Property model_errors_property() {
  return {.name = "model-errors", .kind = PropertyKind::model_error, .formula = ""};
}

CombinedOutcome run_plan(const System& system, const Plan& plan, Budget& budget) {
  CombinedOutcome outcome = Searches(system, plan, budget).run();
  if (!plan.states.settings.traces)
    for (PropertyResult& result : outcome.results) {
      result.path = {};
      result.more_paths.clear();
    }
  return outcome;
}

}  // namespace tideline
