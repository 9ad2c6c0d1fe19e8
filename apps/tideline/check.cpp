// tideline check: which properties, which engine, and where the answer goes.
#include "check.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "checkpoints.hpp"
#include "commands.hpp"
#include "ctl.hpp"
#include "liveness.hpp"
#include "measure.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/text.hpp"
#include "search/ctl_labelling.hpp"
#include "search/ctl_sweep_check.hpp"
#include "search/liveness.hpp"
#include "trace/itf.hpp"

namespace tideline::app {
namespace {

constexpr const char* help_page = R"(Usage: tideline check MODEL [options]
What to check, several at once in one pass; none: what comes with the model
  --deadlock          no state without a successor;  --assertions: the model's
  --invariant E       E is true in every reachable state;  --reach E: in some
  --ltl F             every run satisfies F: G(wait -> F cs);  --ctl F: AG EF cs
  --automaton FILE    no run is accepted by this automaton, in HOA
  --property NAME     a named property;  --all: all of them, exit code 0 when
                      each is as expected;  --properties FILE: where they are
  --engine NAME       auto; bfs, dfs, bitstate, walk for states (the last two
                      never say holds); scc, ndfs, cndfs, map, owcty, owcty-map
                      for infinite runs; ctl; sweep for all;  --threads N
  --progress TERMS    the measure of sweep;  --progress-file FILE, --sweep WORDS
  --checkpoint DIR    sweep: save the run now and then, for tideline resume DIR
  --depth N, --bits N, --walks N, --seed N, --map-values N bounds of engines
  --fair weak|strong  only fair runs count;  --shortest: the shortest lasso
  --model-errors MODE report: as violations;  divine: as BEEM's reference tool
  --memory SIZE       stop there, e.g. 4G;  --time DURATION: e.g. 1h30m
  --trace FILE        runs as ITF JSON;  --no-trace: keep no runs
  --json FILE, --junit FILE      the answer for programs (- is stdout)
  --full              whole states, not differences;  --quiet: only verdicts
Examples
  tideline check peterson.dve --invariant '!(P_0.CS && P_1.CS)' --trace t.json
  tideline check peterson.dve --all --junit results.xml --time 10m
)";

struct CheckOptions {
  ModelOptions model;
  LimitOptions limits;
  bool deadlock = false, assertions = false, all = false;
  std::vector<std::string> invariants, reaches, formulas, ctl_formulas, automata, names;
  std::string engine = "auto", translator = "own";
  std::string values = "mixed", order = "bfs", fairness = "none", deadlock_paths = "stutter";
  std::uint64_t value_count = 1;
  bool shortest = false;
  SafetyOptions safety;
  SweepOptionsGiven sweep;
  CheckpointOptions checkpoint;
  std::vector<std::string> arguments;          ///< what a checkpoint remembers of all this
  std::shared_ptr<Checkpointer> resumed = {};  ///< the run is not new
  std::string trace_file, json_file, junit_file;
  bool no_trace = false, full = false;
  std::set<std::string> given;  ///< the options that were
};

/// Numbers the names of properties that were given without one: "invariant", "invariant-2".
std::string numbered(const std::string& name, std::size_t index) {
  return index == 0 ? name : fmt::format("{}-{}", name, index + 1);
}

void add_expressions(const System& system, PropertyKind kind, const std::vector<std::string>& texts,
                     std::vector<Property>& properties) {
  const std::string name(to_string(kind));
  for (std::size_t i = 0; i < texts.size(); ++i)
    properties.push_back({.name = numbered(name, i),
                          .kind = kind,
                          .formula = texts[i],
                          .expr = parse_expression(system, texts[i], "--" + name)});
}

void add_assertions(const System& system, std::vector<Property>& properties) {
  for (const Assertion& assertion : system.assertions)
    properties.push_back({.name = assertion.name,
                          .kind = PropertyKind::assertion,
                          .formula = assertion.text,
                          .expr = assertion.condition});
}

const Property& named(const Model& model, const std::string& name) {
  for (const Property& property : model.properties)
    if (property.name == name) return property;
  std::string known;
  for (const Property& property : model.properties) known += (known.empty() ? "" : ", ") + property.name;
  throw Error(ErrorKind::usage, fmt::format("--property: the model has no property '{}' ({})", name,
                                            known.empty() ? "it has none" : "it has " + known));
}

/// What comes with the model; without anything, freedom from deadlock.
void add_defaults(const Model& model, bool quiet, std::vector<Property>& properties) {
  add_assertions(model.system, properties);
  properties.insert(properties.end(), model.properties.begin(), model.properties.end());
  if (model.system.property)
    properties.push_back({.name = model.system.property->name,
                          .kind = PropertyKind::automaton,
                          .formula = "",
                          .process = std::make_shared<PropertyProcess>(*model.system.property)});
  if (!properties.empty()) return;
  if (!quiet) complain("note: no property is given and the model has none: checking freedom from deadlock");
  properties.push_back({.name = "deadlock", .kind = PropertyKind::deadlock, .formula = ""});
}

std::vector<Property> select_properties(const CheckOptions& options, const Model& model) {
  std::vector<Property> properties;
  if (options.deadlock)
    properties.push_back({.name = "deadlock", .kind = PropertyKind::deadlock, .formula = ""});
  add_expressions(model.system, PropertyKind::invariant, options.invariants, properties);
  add_expressions(model.system, PropertyKind::reach, options.reaches, properties);
  for (std::size_t i = 0; i < options.formulas.size(); ++i)
    properties.push_back(
        {.name = numbered("ltl", i), .kind = PropertyKind::ltl, .formula = options.formulas[i]});
  for (std::size_t i = 0; i < options.ctl_formulas.size(); ++i)
    properties.push_back(
        {.name = numbered("ctl", i), .kind = PropertyKind::ctl, .formula = options.ctl_formulas[i]});
  for (std::size_t i = 0; i < options.automata.size(); ++i)
    properties.push_back(
        {.name = numbered("automaton", i), .kind = PropertyKind::automaton, .formula = options.automata[i]});
  if (options.assertions) add_assertions(model.system, properties);
  if (options.all) {
    if (model.properties.empty()) throw Error(ErrorKind::usage, "--all: the model has no named properties");
    properties.insert(properties.end(), model.properties.begin(), model.properties.end());
  }
  for (const std::string& name : options.names) {
    const Property& property = named(model, name);
    if (!options.all) properties.push_back(property);
  }
  const bool asked = options.deadlock || options.assertions || options.all || !options.invariants.empty() ||
                     !options.reaches.empty() || !options.names.empty() || !options.formulas.empty() ||
                     !options.ctl_formulas.empty() || !options.automata.empty();
  if (!asked) add_defaults(model, options.limits.quiet, properties);
  return properties;
}

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

/// How the properties are to be checked: those of states in one search, CTL formulas on one graph, the others
/// each in a search of its own.
struct Plan {
  SafetyOptions safety;
  std::vector<Property> of_states;
  std::vector<Property> ctl;
  struct Lasso {
    Property property;
    LivenessOptions options;
  };
  std::vector<Lasso> lassos;
};

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
                      {.buchi = buchi, .spot = options.translator == "spot"});
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
  if (const auto asked = lasso_engine_from(options.engine)) {
    plan.options.engine = *asked;
    plan.property.process = automaton(needs_buchi(*asked));
  } else if (options.engine != "auto") {
    throw Error(
        ErrorKind::usage,
        fmt::format("--engine {}: it {}; infinite runs need scc, ndfs, "
                    "cndfs, map, owcty or owcty-map",
                    options.engine, options.engine == "ctl" ? "decides CTL formulas" : "looks for states"));
  } else {
    if (plan.property.fairness != Fairness::none) plan.options.threads = 1;
    plan.property.process = automaton(plan.options.threads > 1);
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
  if (options.engine != "auto" && options.engine != "ctl" && options.engine != "sweep")
    throw Error(ErrorKind::usage,
                fmt::format("--engine {}: property {} is a formula of CTL, which needs ctl or sweep",
                            options.engine, property.name));
  if (options.engine == "ctl" && options.limits.threads > 1)
    throw Error(ErrorKind::usage, fmt::format("property {}: engine ctl uses one thread", property.name));
  Property result =
      ctl_property(system, property.name, property.formula, origin(property, options.ctl_formulas),
                   *deadlock_paths_from(options.deadlock_paths));
  result.expected = property.expected;
  return result;
}

Plan make_plan(const CheckOptions& options, const Model& model, const std::vector<Property>& properties) {
  const System& system = model.system;
  Plan plan{.safety = options.safety, .of_states = {}, .ctl = {}, .lassos = {}};
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
  if (const auto engine = safety_engine_from(options.engine))
    plan.safety.engine = *engine;
  else if (!plan.of_states.empty() && !options.limits.quiet)
    complain(options.engine == "auto"
                 ? "note: engine bfs: complete, and its runs are shortest"
                 : fmt::format("note: engine bfs for states: {} {}", options.engine,
                               options.engine == "ctl" ? "decides CTL formulas" : "looks for infinite runs"));
  if (!plan.ctl.empty() && options.engine == "auto" && !options.limits.quiet)
    complain("note: engine ctl for CTL: labelling in memory, any formula; it uses one thread");
  return plan;
}

/// For the searches with the sweep-line: each sweeps a graph of its own. A run that goes on has its measures.
void choose_measures(const CheckOptions& options, const Model& model, Plan& plan, Budget& budget) {
  std::size_t number = 0;
  const auto settings = [&](const PropertyProcess* property) {
    if (options.resumed)
      return options.sweep.saved_settings(model, options.resumed->saved_run().measures.at(number++));
    return options.sweep.settings(model, property, plan.safety.errors, budget, options.limits.quiet);
  };
  if (!plan.of_states.empty() || !plan.ctl.empty()) plan.safety.sweep = settings(nullptr);
  for (Plan::Lasso& lasso : plan.lassos) lasso.options.sweep = settings(lasso.property.process.get());
}

/// Where the searches are saved, if they are to be; the plan has its measures.
std::shared_ptr<Checkpointer> open_checkpoints(const CheckOptions& options, const Model& model, Plan& plan,
                                               ProgressDisplay& display) {
  if (options.checkpoint.folder.empty()) return {};
  if (options.engine != "sweep")
    throw Error(ErrorKind::usage, "--checkpoint: only searches with --engine sweep can be saved");
  if (!plan.ctl.empty())
    throw Error(
        ErrorKind::usage,
        fmt::format("--checkpoint: property {} is a formula of CTL, and such searches cannot be saved",
                    plan.ctl.front().name));
  const double every = options.checkpoint.seconds();
  SavedRun run{.version = TIDELINE_VERSION,
               .folder = std::filesystem::current_path().string(),
               .arguments = options.arguments,
               .measures = {},
               .inputs = {input_of(options.model.path, &model.source.text)}};
  std::string property_file = options.model.property_file;
  if (property_file.empty())
    property_file = std::filesystem::path(options.model.path).replace_extension(".props").string();
  run.inputs.push_back(input_of(property_file));
  if (!options.sweep.progress_file.empty()) run.inputs.push_back(input_of(options.sweep.progress_file));
  if (!plan.of_states.empty()) run.measures.push_back(plan.safety.sweep.measure.text());
  for (const Plan::Lasso& lasso : plan.lassos) {
    run.measures.push_back(lasso.options.sweep.measure.text());
    if (lasso.property.kind == PropertyKind::automaton && !lasso.property.formula.empty())
      run.inputs.push_back(input_of(lasso.property.formula));
  }
  auto checkpoints = options.resumed
                         ? options.resumed
                         : std::make_shared<Checkpointer>(options.checkpoint.folder, std::move(run));
  checkpoints->configure(every, [&display](const std::string& warning) {
    display.erase();
    complain("warning: " + warning);
  });
  plan.safety.sweep.checkpoints = checkpoints;
  for (Plan::Lasso& lasso : plan.lassos) lasso.options.sweep.checkpoints = checkpoints;
  return checkpoints;
}

/// Says which of the given options change nothing, as no engine that is used looks at them.
void say_idle_options(const CheckOptions& options, const Plan& plan) {
  const auto of_states = [&](std::initializer_list<SafetyEngine> engines) {
    return !plan.of_states.empty() && (engines.size() == 0 || std::find(engines.begin(), engines.end(),
                                                                        plan.safety.engine) != engines.end());
  };
  const auto of_lassos = [&](std::initializer_list<LassoEngine> engines) {
    return std::any_of(plan.lassos.begin(), plan.lassos.end(), [&](const Plan::Lasso& lasso) {
      return engines.size() == 0 ||
             std::find(engines.begin(), engines.end(), lasso.options.engine) != engines.end();
    });
  };
  const bool formulas = std::any_of(plan.lassos.begin(), plan.lassos.end(), [](const Plan::Lasso& lasso) {
    return lasso.property.kind == PropertyKind::ltl;
  });
  const std::pair<const char*, bool> used[] = {
      {"--depth",
       of_states({SafetyEngine::bfs, SafetyEngine::dfs, SafetyEngine::bitstate, SafetyEngine::walk})},
      {"--bits", of_states({SafetyEngine::bitstate})},
      {"--walks", of_states({SafetyEngine::walk})},
      {"--seed", of_states({SafetyEngine::walk})},
      {"--map-values", of_lassos({LassoEngine::owcty_map})},
      {"--map-choice", of_lassos({LassoEngine::owcty_map})},
      {"--worker-order", of_lassos({LassoEngine::map, LassoEngine::owcty, LassoEngine::owcty_map})},
      {"--fair", of_lassos({})},
      {"--shortest", of_lassos({})},
      {"--deadlock-paths", !plan.ctl.empty()},
      {"--progress", options.engine == "sweep"},
      {"--progress-file", options.engine == "sweep"},
      {"--trace-dir", options.engine == "sweep"},
      {"--sweep", of_lassos({LassoEngine::sweep})},
      {"--translator", formulas}};
  for (const auto& [name, is_used] : used)
    if (options.given.contains(name) && !is_used)
      complain(fmt::format("note: {} has no effect on these properties with these engines", name));
}

/// Adds what another search found out. Statistics of the two have different names but for time and memory.
void append(Outcome& outcome, Outcome other) {
  const auto add = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  if (outcome.engine.empty()) outcome.complete = true;
  if (outcome.engine.find(other.engine) == std::string::npos)
    outcome.engine += (outcome.engine.empty() ? "" : "+") + other.engine;
  outcome.complete = outcome.complete && other.complete;
  outcome.model_errors = outcome.model_errors || other.model_errors;
  add(outcome.results, other.results);
  add(outcome.warnings, other.warnings);
  add(outcome.never_enabled, other.never_enabled);
  if (!other.level_sizes.empty()) outcome.level_sizes = std::move(other.level_sizes);
  for (const auto& [name, value] : other.statistics.entries())
    if (name != "time_s") outcome.statistics.set(name, value);
}

Outcome run_searches(const CheckOptions& options, const System& system, Plan plan, Budget& budget) {
  const bool report_errors = plan.safety.errors == ErrorSemantics::stop;
  const bool states_asked = !plan.of_states.empty();
  const auto& checkpoints = plan.safety.sweep.checkpoints;
  const auto once = [&](const std::vector<Property>& properties, const std::function<Outcome()>& search) {
    return checkpoints ? checkpoints->once(properties, budget, search) : search();
  };
  const auto safety = [&](const std::vector<Property>& properties) {
    return once(properties, [&] { return check_safety(system, properties, plan.safety, budget); });
  };
  Outcome outcome;
  if (states_asked) {
    if (report_errors) plan.of_states.push_back(model_errors_property());
    append(outcome, safety(plan.of_states));
    if (report_errors) drop_unasked_model_errors(outcome);
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
  outcome.statistics.set("time_s", budget.seconds());
  return outcome;
}

/// FILE for a single run, else FILE-NAME with FILE's extension, each name once.
std::vector<std::string> trace_files(const std::string& file, const Answer& answer) {
  const auto runs =
      std::count_if(answer.traces.begin(), answer.traces.end(), [](const auto& t) { return t.has_value(); });
  const auto slash = file.rfind('/');
  const auto name_start = slash == std::string::npos ? 0 : slash + 1;
  // ".itf.json" is one extension; a dot at the start of the name begins none.
  const auto dot = std::min(file.find('.', name_start + 1), file.size());
  std::set<std::string> taken;
  std::vector<std::string> files;
  for (std::size_t i = 0; i < answer.traces.size(); ++i) {
    std::string name = file;
    if (runs > 1 && answer.traces[i]) {
      std::string property = answer.outcome.results[i].property.name;
      for (char& c : property)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') c = '_';
      for (std::size_t n = 0; n == 0 || taken.contains(name); ++n)
        name = fmt::format("{}-{}{}", file.substr(0, dot), numbered(property, n), file.substr(dot));
      taken.insert(name);
    }
    files.push_back(name);
  }
  return files;
}

void write_traces(const CheckOptions& options, const Model& model, const Answer& answer) {
  const auto files = trace_files(options.trace_file, answer);
  bool written = false;
  for (std::size_t i = 0; i < answer.traces.size(); ++i) {
    if (!answer.traces[i]) continue;
    const PropertyResult& result = answer.outcome.results[i];
    write_output(files[i], to_itf(model.system, *answer.traces[i],
                                  {.model = options.model.path,
                                   .property = result.property.name,
                                   .kind = std::string(to_string(result.property.kind)),
                                   .formula = result.property.formula,
                                   .verdict = std::string(to_string(result.verdict)),
                                   .errors = options.model.semantics(),
                                   .fairness = result.property.fairness,
                                   .deadlock_paths = result.property.deadlock_paths,
                                   .tool_version = TIDELINE_VERSION}));
    if (!options.limits.quiet)
      complain(fmt::format("note: the run of '{}' is in {}", result.property.name, files[i]));
    written = true;
  }
  if (!written && !options.limits.quiet) complain("note: there is no run to write to " + options.trace_file);
}

ExitCode exit_code_for(const CheckOptions& options, const Outcome& outcome) {
  const Judgement judgement =
      options.all ? judge_expectations(outcome.results) : judge_verdicts(outcome.results);
  switch (judgement) {
    case Judgement::good:
      return exit_holds;
    case Judgement::bad:
      return exit_violated;
    case Judgement::undecided:
      return exit_unknown;
  }
  return exit_internal;
}

void write_answer(const CheckOptions& options, const Model& model, const Answer& answer,
                  bool text_on_stdout) {
  if (text_on_stdout)
    print(check_text(answer, model.system,
                     {.quiet = options.limits.quiet, .full = options.full, .source = &model.source}));
  if (!options.json_file.empty()) write_output(options.json_file, answer_json(answer, model.system));
  if (!options.junit_file.empty())
    write_output(options.junit_file, answer_junit(answer, model.system, &model.source));
  if (!options.trace_file.empty()) write_traces(options, model, answer);
}

ExitCode run_check(const CheckOptions& options) {
  if (options.no_trace && !options.trace_file.empty())
    throw Error(ErrorKind::usage, "--trace and --no-trace exclude each other");
  const bool text_on_stdout = require_outputs({options.trace_file, options.json_file, options.junit_file},
                                              {options.model.path, options.model.property_file});
  ProgressDisplay display(!options.limits.quiet);
  const Budget::Limits limits = options.limits.limits(display);
  const Model model = options.model.load(options.limits.quiet);
  Plan plan = make_plan(options, model, select_properties(options, model));
  if (!options.limits.quiet) say_idle_options(options, plan);

  Budget budget(limits);
  if (options.engine == "sweep") choose_measures(options, model, plan, budget);
  Answer answer{.command = "check",
                .version = TIDELINE_VERSION,
                .model = options.model.path,
                .outcome = {},
                .traces = {}};
  const auto checkpoints = open_checkpoints(options, model, plan, display);
  try {
    answer.outcome = run_searches(options, model.system, std::move(plan), budget);
  } catch (const Error& error) {  // of the input: it is the answer
    if (checkpoints && (error.kind() == ErrorKind::input || !checkpoints->has_saved())) checkpoints->remove();
    throw;
  }
  display.erase();
  complete_statistics(model.system, budget, answer.outcome);
  answer.traces = replay_all(model.system, options.model.semantics(), answer.outcome.results);
  answer.exit_code = exit_code_for(options, answer.outcome);
  if (!options.limits.quiet) say_warnings(model.system, answer.outcome);
  merge_warnings(model.system, answer.outcome);
  write_answer(options, model, answer, text_on_stdout);
  if (checkpoints) end_checkpoints(*checkpoints, budget, options.limits.quiet);
  return static_cast<ExitCode>(answer.exit_code);
}

void add_options(CLI::App* command, const std::shared_ptr<CheckOptions>& options) {
  options->model.add_to(*command);
  options->limits.add_to(*command);
  command->add_flag("--deadlock", options->deadlock);
  command->add_flag("--assertions", options->assertions);
  command->add_flag("--all", options->all);
  add_repeatable(*command, "--invariant", options->invariants);
  add_repeatable(*command, "--reach", options->reaches);
  add_repeatable(*command, "--property", options->names);
  add_repeatable(*command, "--ltl", options->formulas);
  add_repeatable(*command, "--ctl", options->ctl_formulas);
  add_repeatable(*command, "--automaton", options->automata);
  command->add_option("--translator", options->translator)->check(CLI::IsMember({"own", "spot"}));
  command->add_option("--engine", options->engine)
      ->check(CLI::IsMember({"auto", "bfs", "dfs", "bitstate", "walk", "sweep", "scc", "ndfs", "cndfs", "map",
                             "owcty", "owcty-map", "ctl"}));
  add_count(*command, "--map-values", options->value_count)->check(CLI::Range(0, 3));
  command->add_option("--map-choice", options->values)->check(CLI::IsMember({"mixed", "largest", "masks"}));
  command->add_option("--worker-order", options->order)->check(CLI::IsMember({"bfs", "dfs"}));
  options->sweep.add_to(*command);
  options->sweep.add_variants_to(*command);
  options->checkpoint.add_to(*command);
  command->add_option("--fair", options->fairness)->check(CLI::IsMember({"weak", "strong", "none"}));
  command->add_option("--deadlock-paths", options->deadlock_paths)
      ->check(CLI::IsMember({"stutter", "maximal"}));
  command->add_flag("--shortest", options->shortest);
  add_count(*command, "--depth", options->safety.depth);
  command->add_option("--bits", options->safety.bits)->check(CLI::Range(10, 44));
  add_count(*command, "--walks", options->safety.walks);
  add_count(*command, "--seed", options->safety.seed);
  command->add_option("--trace", options->trace_file);
  command->add_option("--json", options->json_file);
  command->add_option("--junit", options->junit_file);
  command->add_flag("--no-trace", options->no_trace);
  command->add_flag("--full", options->full);
}

/// Once they are read: which ones were given.
void note_given(const CLI::App& command, CheckOptions& options) {
  for (const CLI::Option* option : command.get_options())
    if (option->count() != 0) options.given.insert(option->get_name());
  options.arguments = arguments_of(command);
  options.arguments.insert(options.arguments.end(), {"--", options.model.path});
}

}  // namespace

void add_check(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("check");
  set_help(*command, help_page);
  const auto options = std::make_shared<CheckOptions>();
  add_options(command, options);
  command->callback([options, command, &exit_code] {
    note_given(*command, *options);
    exit_code = run_check(*options);
  });
}

ExitCode resume_check(const std::vector<std::string>& arguments, std::shared_ptr<Checkpointer> checkpoints) {
  CLI::App command;
  const auto options = std::make_shared<CheckOptions>();
  add_options(&command, options);
  try {
    command.parse(
        std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 wants the last first
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::usage, fmt::format("the options of the saved run: {}", error.what()));
  }
  note_given(command, *options);
  options->resumed = std::move(checkpoints);
  return run_check(*options);
}

}  // namespace tideline::app
