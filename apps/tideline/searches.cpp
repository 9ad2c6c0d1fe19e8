#include "searches.hpp"

#include <algorithm>
#include <functional>

#include "search/ctl_labelling.hpp"
#include "search/ctl_sweep_check.hpp"
#include "unbounded.hpp"

namespace tideline::app {

namespace {

/// Model errors are looked for in every check, unless they are told to be steps like others.
Property model_errors_property() {
  return {.name = "model-errors", .kind = PropertyKind::model_error, .formula = ""};
}

/// A search that ends because every question is decided has not looked everywhere for model errors. Nobody
/// asked for that, so nothing is said about it.
void drop_unasked_model_errors(Outcome& outcome) {
  auto& results = outcome.results;
  const bool rest_decided = std::all_of(results.begin(), results.end() - 1,
                                        [](const auto& r) { return r.verdict != Verdict::unknown; });
  if (rest_decided && results.back().verdict == Verdict::unknown) results.pop_back();
}

/// Properties of states and CTL formulas, on one set of states. Model errors that nobody asked for are left
/// out if there are none.
Outcome check_symbolic_states(const CheckOptions& options, const System& system, const Plan& plan,
                              Budget& budget) {
  std::vector<Property> properties = plan.of_states;
  properties.insert(properties.end(), plan.ctl.begin(), plan.ctl.end());
  properties.push_back(model_errors_property());
  symbolic::SymbolicOptions symbolic = options.symbolic;
  symbolic.traces = !options.no_trace;
  symbolic.counts = false;
  Outcome outcome = symbolic::check_symbolic(system, properties, symbolic, budget);
  if (plan.of_states.empty() && outcome.results.back().verdict != Verdict::violated)
    outcome.results.pop_back();
  else
    drop_unasked_model_errors(outcome);
  return outcome;
}

CombinedOutcome run_symbolic(const CheckOptions& options, const System& system, const Plan& plan,
                             Budget& budget) {
  CombinedOutcome outcome;
  if (plan.infinite) {  // saturation would not come to an end, and decides nothing before
    append(outcome, not_searched("symbolic", plan.properties()));
    return outcome;
  }
  symbolic::LtlOptions ltl = options.symbolic_ltl;
  ltl.order = options.symbolic.order;
  ltl.traces = !options.no_trace;
  const bool states_asked = !plan.of_states.empty() || !plan.ctl.empty();
  if (states_asked) append(outcome, check_symbolic_states(options, system, plan, budget));
  for (const Plan::Lasso& lasso : plan.lassos)
    append(outcome, symbolic::check_symbolic_ltl(system, lasso.property, ltl, budget));
  if (!states_asked && outcome.model_errors)
    append(outcome, check_symbolic_states(options, system, plan, budget));
  return outcome;
}

}  // namespace

CombinedOutcome run_searches(const CheckOptions& options, const System& system, Plan plan, Budget& budget) {
  if (plan.symbolic) return run_symbolic(options, system, plan, budget);
  const bool report_errors = plan.safety.errors == ErrorSemantics::stop;
  const bool states_asked = !plan.of_states.empty();
  const auto& checkpoints = plan.safety.sweep.checkpoints;
  const auto once = [&](const std::vector<Property>& properties, const std::function<Outcome()>& search) {
    return checkpoints ? checkpoints->once(properties, budget, search) : search();
  };
  const auto safety = [&](const std::vector<Property>& properties) {
    return once(properties, [&] { return check_safety(system, properties, plan.safety, budget); });
  };
  CombinedOutcome outcome;
  if (states_asked) {
    if (report_errors) plan.of_states.push_back(model_errors_property());
    Outcome of_states = safety(plan.of_states);
    if (report_errors) drop_unasked_model_errors(of_states);
    append(outcome, std::move(of_states));
  }
  for (const Plan::Lasso& lasso : plan.lassos)
    append(outcome, once({lasso.property},
                         [&] { return check_liveness(system, lasso.property, lasso.options, budget); }));
  if (!plan.ctl.empty() && options.engine == "sweep")
    append(outcome, check_ctl_sweep(system, plan.ctl,
                                    {.errors = plan.safety.errors,
                                     .sweep = plan.safety.sweep,
                                     .threads = plan.safety.threads,
                                     .traces = plan.safety.traces},
                                    budget));
  else if (!plan.ctl.empty())
    append(outcome, check_ctl(system, plan.ctl, {plan.safety.errors, plan.safety.traces}, budget));
  if (!states_asked && report_errors && outcome.model_errors)
    append(outcome, safety({model_errors_property()}));
  if (options.no_trace)
    for (PropertyResult& result : outcome.results) result.path = {};
  return outcome;
}

}  // namespace tideline::app
