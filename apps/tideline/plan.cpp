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

/// What the engine that was asked for is for, as a reason why it cannot do something else.
std::string purpose(const std::string& engine) {
  return engine == "ctl"              ? "decides CTL formulas"
         : safety_engine_from(engine) ? "looks for states"
                                      : "looks for infinite runs";
}

/// A property of infinite runs with an engine for it; or why the one that was asked for cannot do that.
struct PlannedLasso {
  Plan::Lasso lasso;
  std::string unfit = {};
};

class LassoPlanner {
 public:
  LassoPlanner(const CheckOptions& options, const System& system) : options_(options), system_(system) {}

  /// By the engine that was asked for.
  PlannedLasso with_asked_engine(const Property& property) const {
    PlannedLasso planned{start(property)};
    if (options_.engine == "symbolic") {
      planned.lasso.symbolic = true;
      bind(planned.lasso, property, true);
      planned.unfit = options_.shortest
                          ? "engine symbolic finds no shortest lassos; those for infinite runs but "
                            "sweep do"
                          : symbolic::why_ltl_unfit(planned.lasso.property);
      return planned;
    }
    const auto asked = lasso_engine_from(options_.engine);
    if (!asked) {
      planned.unfit = fmt::format(
          "engine {} {}; infinite runs need scc, ndfs, cndfs, map, owcty, owcty-map, "
          "sweep or symbolic",
          options_.engine, purpose(options_.engine));
      return planned;
    }
    planned.lasso.options.engine = *asked;
    bind(planned.lasso, property, needs_buchi(*asked));
    planned.unfit = why_unfit(planned.lasso.options, planned.lasso.property);
    return planned;
  }

  /// By one that is chosen. `instead`: why the one that was asked for is not taken.
  Plan::Lasso with_chosen_engine(const Property& property, const std::string& instead) const {
    Plan::Lasso lasso = start(property);
    if (lasso.property.fairness != Fairness::none) lasso.options.threads = 1;
    // A reduced net has no names to translate the formula for another engine by: this automaton is for all.
    bind(lasso, property, lasso.options.threads > 1 || options_.reduce_net);
    const auto [engine, why] = choose_engine(lasso.options, lasso.property);
    lasso.options.engine = engine;
    if (!options_.limits.quiet)
      complain(fmt::format("note: engine {} for {}: {}", to_string(engine), property.name,
                           instead.empty() ? why : instead));
    if (const std::string unfit = why_unfit(lasso.options, lasso.property); !unfit.empty())
      throw Error(ErrorKind::usage, fmt::format("property {}: {}", property.name, unfit));
    complete(lasso, property);
    return lasso;
  }

  /// What only a plan that is kept needs.
  void complete(Plan::Lasso& lasso, const Property& property) const {
    if (options_.shortest && lasso.options.engine != LassoEngine::scc)
      lasso.options.shorten_over = with_automaton(options_, system_, property, false).process;
  }

 private:
  Plan::Lasso start(const Property& property) const {
    Plan::Lasso lasso{property, lasso_options(options_)};
    lasso.property.fairness = *fairness_from(options_.fairness);
    return lasso;
  }

  void bind(Plan::Lasso& lasso, const Property& property, bool buchi) const {
    const Property bound = with_automaton(options_, system_, property, buchi);
    lasso.property.formula = bound.formula;
    lasso.property.parts = bound.parts;
    lasso.property.process = bound.process;
  }

  const CheckOptions& options_;
  const System& system_;
};

/// Whether the engine that was asked for decides CTL formulas.
bool decides_ctl(const CheckOptions& options) {
  const std::string_view engines[] = {"auto", "portfolio", "ctl", "sweep", "symbolic"};
  return std::find(std::begin(engines), std::end(engines), options.engine) != std::end(engines);
}

/// Whether it decides properties of states.
bool decides_states(const CheckOptions& options) {
  return options.is_race() || options.engine == "symbolic" || safety_engine_from(options.engine);
}

Property plan_ctl(const CheckOptions& options, const System& system, const Property& property) {
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

/// Throws Error(usage) when the engine can answer nothing of what is asked. `unfit`: why not, of infinite
/// runs.
void require_some_answer(const CheckOptions& options, bool answers_some, const Plan& plan,
                         const std::vector<std::string>& unfit) {
  if (answers_some) return;
  std::string needs = "CTL needs ctl, sweep or symbolic";
  if (!plan.of_states.empty())
    needs = "properties of states need bfs, dfs, cache, bitstate, walk, sweep or symbolic";
  throw Error(ErrorKind::usage, unfit.empty() ? fmt::format("--engine {}: it {}; {}", options.engine,
                                                            purpose(options.engine), needs)
                                              : unfit.front());
}

/// For states and CTL.
void say_chosen_engines(const CheckOptions& options, const Plan& plan) {
  const std::string instead = fmt::format("{} {}", options.engine, purpose(options.engine));
  if (!plan.of_states.empty() && options.is_race())
    complain("note: engine bfs: complete, and its runs are shortest");
  else if (!plan.of_states.empty() && !decides_states(options))
    complain("note: engine bfs for states: " + instead);
  if (!plan.ctl.empty() && options.is_race())
    complain("note: engine ctl for CTL: labelling in memory, any formula; it uses one thread");
  else if (!plan.ctl.empty() && !decides_ctl(options))
    complain("note: engine ctl for CTL: " + instead);
}

/// Properties of infinite runs; those that the engine cannot check get another one. Adds to `unfit` the
/// reasons why it cannot.
void plan_lassos(const CheckOptions& options, const System& system, const std::vector<Property>& properties,
                 bool answers_others, Plan& plan, std::vector<std::string>& unfit) {
  const LassoPlanner planner(options, system);
  std::vector<std::pair<const Property*, PlannedLasso>> planned;
  for (const Property& property : properties)
    if (is_liveness(property.kind) && !options.is_race())
      planned.emplace_back(&property, planner.with_asked_engine(property));
  const bool answers_some =
      answers_others || std::ranges::any_of(planned, [](const auto& p) { return p.second.unfit.empty(); });
  for (auto& [property, with_engine] : planned) {
    if (with_engine.unfit.empty()) {
      planner.complete(with_engine.lasso, *property);
      plan.lassos.push_back(std::move(with_engine.lasso));
    } else if (answers_some) {
      plan.lassos.push_back(planner.with_chosen_engine(*property, with_engine.unfit));
    } else {
      unfit.push_back(fmt::format("property {}: {}", property->name, with_engine.unfit));
    }
  }
  for (const Property& property : properties)
    if (is_liveness(property.kind) && options.is_race())
      plan.lassos.push_back(planner.with_chosen_engine(property, ""));
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
  bool answers_others = false;  // than properties of infinite runs
  for (const Property& property : properties) {
    if (property.kind == PropertyKind::ctl) plan.ctl.push_back(plan_ctl(options, system, property));
    if (is_of_states(property.kind)) plan.of_states.push_back(property);
    answers_others = answers_others || (property.kind == PropertyKind::ctl && decides_ctl(options)) ||
                     (is_of_states(property.kind) && decides_states(options));
  }
  std::vector<std::string> unfit;
  plan_lassos(options, system, properties, answers_others, plan, unfit);
  require_some_answer(options, answers_others || !plan.lassos.empty(), plan, unfit);
  if (options.engine == "symbolic") require_symbolic_sense(options.model, options.limits);
  if (const auto engine = safety_engine_from(options.engine)) plan.safety.engine = *engine;
  plan.symbolic = options.engine == "symbolic";
  if (!options.limits.quiet) say_chosen_engines(options, plan);
  return plan;
}

void choose_measures(const CheckOptions& options, const Model& model, Plan& plan,
                     const Budget::Limits& limits, const Budget& budget) {
  const bool goes_on = options.resumed && options.resumed->has_saved();
  if (!goes_on) {
    for (const Plan::Lasso& lasso : plan.lassos)
      if (lasso.is_swept())
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
  for (Plan::Lasso& lasso : plan.lassos)
    if (lasso.is_swept()) lasso.options.sweep = settings(lasso.property.process.get());
  // For model errors and for states without a value, which may have to be looked for afterwards.
  if (!of_model) plan.safety.sweep = std::ranges::find_if(plan.lassos, &Plan::Lasso::is_swept)->options.sweep;
}

std::vector<OptionUse> option_uses(const CheckOptions& options, const Plan& plan) {
  const auto of_states = [&](std::initializer_list<SafetyEngine> engines) {
    return !plan.of_states.empty() && !plan.symbolic &&
           (engines.size() == 0 ||
            std::find(engines.begin(), engines.end(), plan.safety.engine) != engines.end());
  };
  const auto of_lassos = [&](std::initializer_list<LassoEngine> engines) {
    return std::any_of(plan.lassos.begin(), plan.lassos.end(), [&](const Plan::Lasso& lasso) {
      return engines.size() == 0 || (!lasso.symbolic && std::find(engines.begin(), engines.end(),
                                                                  lasso.options.engine) != engines.end());
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
