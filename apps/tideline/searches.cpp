#include "searches.hpp"

#include <algorithm>
#include <functional>

#include "search/ctl/labelling.hpp"
#include "search/ctl/sweep_check.hpp"
#include "search/states/process_values.hpp"
#include "unbounded.hpp"
#include "values.hpp"

namespace tideline::app {

Property model_errors_property() {
  return {.name = "model-errors", .kind = PropertyKind::model_error, .formula = ""};
}

namespace {

/// A search that ends because every question is decided has not looked everywhere for model errors. Nobody
/// asked for that, so nothing is said about it.
void drop_unasked_model_errors(Outcome& outcome) {
  auto& results = outcome.results;
  const bool rest_decided = std::all_of(results.begin(), results.end() - 1,
                                        [](const auto& r) { return r.verdict != Verdict::unknown; });
  if (rest_decided && results.back().verdict == Verdict::unknown) results.pop_back();
}

symbolic::SymbolicOptions state_options(const CheckOptions& options) {
  symbolic::SymbolicOptions symbolic = options.symbolic;
  symbolic.traces = !options.no_trace;
  symbolic.counts = false;
  return symbolic;
}

/// A search that can say that something is nowhere.
SafetyOptions conclusive(SafetyOptions options) {
  if (options.engine == SafetyEngine::bitstate || options.engine == SafetyEngine::walk)
    options.engine = SafetyEngine::bfs;
  options.depth = 0;
  return options;
}

/// Properties of states and CTL formulas, on one set of states. Model errors that nobody asked for are left
/// out if there are none.
Outcome check_symbolic_states(const CheckOptions& options, const System& system, const Plan& plan,
                              Budget& budget) {
  std::vector<Property> properties = plan.of_states;
  properties.insert(properties.end(), plan.ctl.begin(), plan.ctl.end());
  // Saturation comes to an end only when there are finitely many states, and decides nothing before.
  if (plan.infinite) return not_searched("symbolic", std::move(properties));
  properties.push_back(model_errors_property());
  Outcome outcome = symbolic::check_symbolic(system, properties, state_options(options), budget);
  if (plan.of_states.empty() && outcome.results.back().verdict != Verdict::violated)
    outcome.results.pop_back();
  else
    drop_unasked_model_errors(outcome);
  return outcome;
}

symbolic::LtlOptions run_options(const CheckOptions& options) {
  symbolic::LtlOptions ltl = options.symbolic_ltl;
  ltl.order = options.symbolic.order;
  ltl.traces = !options.no_trace;
  return ltl;
}

/// The searches of a plan.
class Searches {
 public:
  Searches(const CheckOptions& options, const System& system, const Plan& plan, Budget& budget)
      : options_(options), system_(system), plan_(plan), budget_(budget) {}

  CombinedOutcome run() {
    if (plan_.symbolic)
      search_symbolic_states();
    else
      search_states();
    for (const Plan::Lasso& lasso : plan_.lassos)
      append(outcome_, once({lasso.property}, [&] { return search_runs(lasso); }));
    if (!plan_.symbolic) search_ctl();
    judge_values(system_, outcome_,
                 {.invariants = [&](const auto& properties) { return search_invariants(properties); },
                  .process = [&](const Property& property) { return search_process_values(property); }});
    if (!errors_sought_ && outcome_.model_errors) search_model_errors();
    return std::move(outcome_);
  }

 private:
  bool reports_errors() const { return plan_.safety.errors == ErrorSemantics::stop; }

  Outcome once(const std::vector<Property>& properties, const std::function<Outcome()>& search) {
    const auto& checkpoints = plan_.safety.sweep.checkpoints;
    return checkpoints ? checkpoints->once(properties, budget_, search) : search();
  }
  Outcome safety(const std::vector<Property>& properties, const SafetyOptions& how) {
    return once(properties, [&] { return check_safety(system_, properties, how, budget_); });
  }

  void search_symbolic_states() {
    if (plan_.of_states.empty() && plan_.ctl.empty()) return;
    errors_sought_ = true;
    append(outcome_, check_symbolic_states(options_, system_, plan_, budget_));
  }

  void search_states() {
    if (plan_.of_states.empty()) return;
    errors_sought_ = true;
    std::vector<Property> properties = plan_.of_states;
    if (reports_errors()) properties.push_back(model_errors_property());
    Outcome outcome = safety(properties, plan_.safety);
    if (reports_errors()) drop_unasked_model_errors(outcome);
    append(outcome_, std::move(outcome));
  }

  Outcome search_runs(const Plan::Lasso& lasso) {
    if (lasso.symbolic && plan_.infinite) return not_searched("symbolic", {lasso.property});
    return lasso.symbolic
               ? symbolic::check_symbolic_ltl(system_, lasso.property, run_options(options_), budget_)
               : check_liveness(system_, lasso.property, lasso.options, budget_);
  }

  void search_ctl() {
    const SafetyOptions& how = plan_.safety;
    if (plan_.ctl.empty()) return;
    if (options_.engine == "sweep")
      append(outcome_,
             check_ctl_sweep(
                 system_, plan_.ctl,
                 {.errors = how.errors, .sweep = how.sweep, .threads = how.threads, .traces = how.traces},
                 budget_));
    else
      append(outcome_, check_ctl(system_, plan_.ctl, {how.errors, how.traces}, budget_));
  }

  Outcome search_invariants(const std::vector<Property>& properties) {
    if (plan_.symbolic)
      return symbolic::check_symbolic(system_, properties, state_options(options_), budget_);
    return safety(properties, conclusive(plan_.safety));
  }

  Outcome search_process_values(const Property& property) {
    return once({property}, [&] {
      return check_process_values(system_, property, plan_.safety.errors, plan_.safety.traces, budget_);
    });
  }

  /// Others have come upon some, and have not looked for the way there.
  void search_model_errors() {
    if (plan_.symbolic)
      append(outcome_, check_symbolic_states(options_, system_, plan_, budget_));
    else if (reports_errors())
      append(outcome_, safety({model_errors_property()}, plan_.safety));
  }

  const CheckOptions& options_;
  const System& system_;
  const Plan& plan_;
  Budget& budget_;
  bool errors_sought_ = false;
  CombinedOutcome outcome_;
};

}  // namespace

CombinedOutcome run_searches(const CheckOptions& options, const System& system, const Plan& plan,
                             Budget& budget) {
  CombinedOutcome outcome = Searches(options, system, plan, budget).run();
  if (options.no_trace)
    for (PropertyResult& result : outcome.results) result.path = {};
  return outcome;
}

}  // namespace tideline::app
