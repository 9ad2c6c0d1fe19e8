#include "plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ctl.hpp"
#include "liveness.hpp"
#include "output.hpp"
#include "select_properties.hpp"

namespace tideline::app {

namespace {

/// Where a formula came from, for messages: the option, or the property of that name.
std::string origin(const Property& property, const std::vector<std::string>& given) {
  const std::string option(to_string(property.kind));
  for (std::size_t i = 0; i < given.size(); ++i)
    if (property.name == numbered(option, i) && property.formula == given[i]) return "--" + option;
  return "property " + property.name;
}

/// The property with its automaton, which the engine decides the kind of.
Property with_automaton(const CheckOptions& options, const System& system, const Property& property,
                        bool buchi) {
  if (property.process) return property;
  if (property.kind == PropertyKind::automaton)
    return automaton_property(system, property.name, property.formula, buchi);
  return ltl_property(system, property.name, property.formula, origin(property, options.formulas),
                      {.buchi = buchi, .spot = options.translator == "spot"}, property.atoms);
}

/// Which engine to take when the user does not say, and why.
std::pair<LassoEngine, std::string> choose_engine(const LivenessOptions& options, const Property& property) {
  if (property.fairness != Fairness::none)
    return {LassoEngine::scc, "the one that knows of fairness; it uses one thread"};
  if (can_handle(LassoEngine::bfs, *property.process))
    return {LassoEngine::bfs,
            "a safety property; its violations are finite runs, and bfs finds a shortest one"};
  if (options.threads == 1) return {LassoEngine::scc, "every state is expanded once, any acceptance"};
  if (regions_of(*property.process).weak)
    return {LassoEngine::cndfs, "for several threads; the automaton is weak, so no second search is needed"};
  return {LassoEngine::owcty_map, "for several threads"};
}

LivenessOptions lasso_options(const CheckOptions& options) {
  LivenessOptions result;
  result.errors = options.model.semantics();
  result.threads = static_cast<unsigned>(options.limits.threads);
  result.values = static_cast<unsigned>(options.value_count);
  result.choice = options.values == "largest" ? ValueChoice::largest
                  : options.values == "masks" ? ValueChoice::masks
                                              : ValueChoice::mixed;
  result.order = options.order == "dfs" ? WorkOrder::dfs : WorkOrder::bfs;
  result.shortest = options.shortest;
  result.traces = !options.no_trace;
  options.sweep.apply_variants(result);
  return result;
}

Plan::Lasso plan_lasso(const CheckOptions& options, const System& system, const Property& property) {
  Plan::Lasso plan{property, lasso_options(options)};
  plan.property.fairness = *fairness_from(options.fairness);
  const auto automaton = [&](bool buchi) {
    const Property result = with_automaton(options, system, property, buchi);
    plan.property.formula = result.formula;
    return result.process;
  };
  if (options.engine == "symbolic") {
    plan.property.process = automaton(true);
    if (options.shortest)
      throw Error(ErrorKind::usage, fmt::format("property {}: engine symbolic finds no shortest lassos; "
                                                "those for infinite runs but sweep do",
                                                property.name));
    symbolic::require_ltl_fit(plan.property);
    return plan;
  }
  if (const auto asked = lasso_engine_from(options.engine)) {
    plan.options.engine = *asked;
    plan.property.process = automaton(needs_buchi(*asked));
  } else if (!options.is_race()) {
    throw Error(
        ErrorKind::usage,
        fmt::format("--engine {}: it {}; infinite runs need scc, ndfs, "
                    "cndfs, map, owcty, owcty-map, sweep or symbolic",
                    options.engine, options.engine == "ctl" ? "decides CTL formulas" : "looks for states"));
  } else {
    if (plan.property.fairness != Fairness::none) plan.options.threads = 1;
    // A reduced net has no names to translate the formula for another engine by: this automaton is for all.
    plan.property.process = automaton(plan.options.threads > 1 || options.reduce_net);
    const auto [engine, why] = choose_engine(plan.options, plan.property);
    plan.options.engine = engine;
    if (!options.limits.quiet)
      complain(fmt::format("note: engine {} for {}: {}", to_string(engine), property.name, why));
  }
  if (options.shortest && plan.options.engine != LassoEngine::scc)
    plan.options.shorten_over = automaton(false);
  require_fit(plan.options, plan.property);
  return plan;
}

Property plan_ctl(const CheckOptions& options, const System& system, const Property& property) {
  const std::string_view engines[] = {"auto", "portfolio", "ctl", "sweep", "symbolic"};
  if (std::find(std::begin(engines), std::end(engines), options.engine) == std::end(engines))
    throw Error(
        ErrorKind::usage,
        fmt::format("--engine {}: property {} is a formula of CTL, which needs ctl, sweep or symbolic",
                    options.engine, property.name));
  if (options.engine == "ctl" && options.limits.threads > 1)
    throw Error(ErrorKind::usage, fmt::format("property {}: engine ctl uses one thread", property.name));
  if (property.ctl) return property;
  Property result =
      ctl_property(system, property.name, property.formula, origin(property, options.ctl_formulas),
                   options.given.contains("--deadlock-paths") ? *deadlock_paths_from(options.deadlock_paths)
                                                              : property.deadlock_paths,
                   property.atoms);
  result.expected = property.expected;
  return result;
}

/// Whether a sweep keeps something on disk: what runs are rebuilt from, or the layers of CTL.
bool uses_log(const CheckOptions& options, const Plan& plan) {
  return options.engine == "sweep" && (!options.no_trace || !plan.ctl.empty());
}

}  // namespace

std::vector<Property> Plan::properties() const {
  std::vector<Property> all = of_states;
  for (const Lasso& lasso : lassos) all.push_back(lasso.property);
  all.insert(all.end(), ctl.begin(), ctl.end());
  return all;
}

Plan make_plan(const CheckOptions& options, const Model& model, const std::vector<Property>& properties) {
  const System& system = model.system;
  Plan plan{.safety = options.safety, .symbolic = false, .of_states = {}, .ctl = {}, .lassos = {}};
  plan.safety.errors = options.model.semantics();
  plan.safety.traces = !options.no_trace;
  plan.safety.threads = static_cast<unsigned>(options.limits.threads);
  for (const Property& property : properties) {
    if (is_liveness(property.kind))
      plan.lassos.push_back(plan_lasso(options, system, property));
    else if (property.kind == PropertyKind::ctl)
      plan.ctl.push_back(plan_ctl(options, system, property));
    else
      plan.of_states.push_back(property);
  }
  if (options.engine == "symbolic") require_symbolic_sense(options.model, options.limits);
  if (const auto engine = safety_engine_from(options.engine))
    plan.safety.engine = *engine;
  else if (options.engine == "symbolic")
    plan.symbolic = true;
  else if (!plan.of_states.empty() && !options.limits.quiet)
    complain(options.is_race()
                 ? "note: engine bfs: complete, and its runs are shortest"
                 : fmt::format("note: engine bfs for states: {} {}", options.engine,
                               options.engine == "ctl" ? "decides CTL formulas" : "looks for infinite runs"));
  if (!plan.ctl.empty() && options.is_race() && !options.limits.quiet)
    complain("note: engine ctl for CTL: labelling in memory, any formula; it uses one thread");
  return plan;
}

void choose_measures(const CheckOptions& options, const Model& model, Plan& plan,
                     const Budget::Limits& limits, const Budget& budget) {
  const bool goes_on = options.resumed && options.resumed->has_saved();
  if (!goes_on) {
    for (const Plan::Lasso& lasso : plan.lassos)
      options.sweep.require_measure(model, lasso.property.process.get(), lasso.options.automaton_order);
    const bool log_elsewhere = !options.checkpoint.folder.empty() && options.sweep.trace_folder.empty();
    if (!options.no_trace && !log_elsewhere) options.sweep.require_log();
  }
  SampleBudget sample(limits, budget.seconds());
  std::size_t number = 0;
  const auto settings = [&](const PropertyProcess* property) {
    if (goes_on)
      return options.sweep.saved_settings(model, options.resumed->saved_run().measures.at(number++));
    return options.sweep.settings(model, property, plan.safety.errors, sample, options.limits.quiet);
  };
  const bool of_model = !plan.of_states.empty() || !plan.ctl.empty();
  if (of_model) plan.safety.sweep = settings(nullptr);
  for (Plan::Lasso& lasso : plan.lassos) lasso.options.sweep = settings(lasso.property.process.get());
  // Should model errors have to be looked for after all.
  if (!of_model) plan.safety.sweep = plan.lassos.front().options.sweep;
}

std::vector<OptionUse> option_uses(const CheckOptions& options, const Plan& plan) {
  const auto of_states = [&](std::initializer_list<SafetyEngine> engines) {
    return !plan.of_states.empty() && !plan.symbolic &&
           (engines.size() == 0 ||
            std::find(engines.begin(), engines.end(), plan.safety.engine) != engines.end());
  };
  const auto of_lassos = [&](std::initializer_list<LassoEngine> engines) {
    if (plan.symbolic && engines.size() != 0) return false;
    return std::any_of(plan.lassos.begin(), plan.lassos.end(), [&](const Plan::Lasso& lasso) {
      return engines.size() == 0 ||
             std::find(engines.begin(), engines.end(), lasso.options.engine) != engines.end();
    });
  };
  const bool formulas = std::any_of(plan.lassos.begin(), plan.lassos.end(), [](const Plan::Lasso& lasso) {
    return lasso.property.kind == PropertyKind::ltl;
  });
  const bool race = options.is_race();
  const bool sweep = race || options.engine == "sweep", log = race || uses_log(options, plan);
  return {{"--depth", of_states({SafetyEngine::bfs, SafetyEngine::dfs, SafetyEngine::bitstate,
                                 SafetyEngine::walk, SafetyEngine::cache})},
          {"--order", race || plan.symbolic},
          {"--hybrid", (race || plan.symbolic) && !plan.lassos.empty()},
          {"--cache", of_states({SafetyEngine::cache})},
          {"--replace", of_states({SafetyEngine::cache})},
          {"--bits", of_states({SafetyEngine::bitstate})},
          {"--walks", of_states({SafetyEngine::walk})},
          {"--seed", of_states({SafetyEngine::walk})},
          {"--map-values", of_lassos({LassoEngine::owcty_map})},
          {"--map-choice", of_lassos({LassoEngine::owcty_map})},
          {"--worker-order", of_lassos({LassoEngine::map, LassoEngine::owcty, LassoEngine::owcty_map})},
          {"--fair", of_lassos({})},
          {"--shortest", of_lassos({})},
          {"--deadlock-paths", !plan.ctl.empty()},
          {"--progress", sweep},
          {"--progress-file", sweep},
          {"--trace-dir", log},
          {"--keep-trace-log", log && !options.no_trace},
          {"--sweep", of_lassos({LassoEngine::sweep}) || (race && !plan.lassos.empty())},
          {"--translator", formulas}};
}

}  // namespace tideline::app
