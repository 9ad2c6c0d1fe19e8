// tideline explore: how large is it? Sizes, levels, deadlocks, and the graph itself when it is small.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "allocation/allocation_guard.hpp"
#include "checking/count.hpp"
#include "checkpoints.hpp"
#include "commands.hpp"
#include "engine_options.hpp"
#include "job.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report/graph_export.hpp"
#include "report/json.hpp"
#include "report/measures.hpp"
#include "report/numbers.hpp"
#include "report/text.hpp"
#include "run_report.hpp"

namespace tideline::app {
namespace {

constexpr const char* explore_help = R"(Usage: tideline explore MODEL [options]
Visits every reachable state and says how many there are: states, transitions,
deadlocks, BFS levels, bytes a state, time.
  --levels            also the size of each BFS level; --layers FILE: of a sweep
  --dot FILE          write the graph for drawing (Graphviz)
  --aut FILE          write the graph in Aldebaran format;  --internal NAME: how
                      it and models (.aut) call the internal action (tau)
  --max-states N      refuse to write larger graphs (default 10000)
  --engine NAME       auto (bfs and symbolic in turns), portfolio (at once); bfs
                      (--threads N), gpu, dfs, cache, symbolic (--order), sweep
  --por               only as many states as all deadlocks need;  --exec HOW
  --product           the product with the model's property process instead,
                      or with --ltl F, --automaton FILE: of runs that violate it
  --model-errors MODE report: such actions lead nowhere, a warning says so;
                      divine: to an error state, as BEEM's reference tool
  --memory SIZE       stop there, e.g. 4G;  --time DURATION: 1h30m;  --ranks N
  --json FILE         for programs;  --report FILE: to look at;  --status json
  --quiet             no status, no warnings
  --define N=4        a constant of the model;  --language dve: of MODEL -
Exit code: 0 complete, 2 bad usage or input, 3 a limit was reached.

Examples
  tideline explore models/peterson.dve --levels
  tideline explore models/peterson.dve --dot g.dot && dot -Tsvg g.dot > g.svg
)";

struct ExploreOptions {
  ModelOptions model;
  LimitOptions limits;
  RankOptions ranks;
  Settings settings;
  std::string dot_file, aut_file, json_file, layers_file;
  std::uint64_t max_states = 10000;
  bool levels = false;
  ProductOptions product;
  MeasureOptions measure;
  ReportOptions report;
  std::set<std::string> given;         ///< the options that were given
  std::vector<std::string> arguments;  ///< likewise, with their values

  bool graph_wanted() const { return !dot_file.empty() || !aut_file.empty(); }
  const Engine& engine() const { return *settings.engine; }
};

/// The given options that have no effect.
std::vector<std::string> idle_options(const ExploreOptions& options) {
  const Engine& engine = options.engine();
  const auto kind = options.product.wanted ? PropertyKind::ltl : PropertyKind::model_error;
  std::vector<EngineUse> uses{{&first_engine(options.settings), kind}};
  if (engine.is_race) uses.push_back({engine_for(Purpose::sets).engine, kind});
  std::vector<std::string> idle;
  for (const std::string& option : options.given)
    if (is_idle(option, uses, false) || (option == "--levels" && !engine.has_levels) ||
        (option == "--max-states" && !options.graph_wanted()))
      idle.push_back(option);
  return idle;
}

/// Throws Error(usage) for options that do not go together, before any work is done.
void require_consistent(const ExploreOptions& options) {
  const auto has_layers = [](const Engine& engine) { return engine.takes_measure; };
  if (!options.layers_file.empty() && !has_layers(options.engine()))
    throw Error(ErrorKind::usage,
                fmt::format("--layers: only engine {} has layers", engine_names(has_layers, "or")));
  require_countable(options.settings, options.product.wanted);
}

/// False when the graph is too large or a limit was reached; nothing is written then.
bool write_graph(const ExploreOptions& options, const Model& model, Budget& budget) {
  budget.begin(Phase::writing);
  const auto graph = build_graph(model.system, options.model.semantics(), options.max_states, budget);
  if (!graph) {
    fail(budget.reason().empty()
             ? fmt::format("the graph has more than {} states and is not written; --max-states N allows more",
                           show_count(options.max_states))
             : fmt::format("the graph is not written: {}", budget.reason()));
    return false;
  }
  if (!options.dot_file.empty()) write_output(options.dot_file, to_dot(model.system, *graph));
  if (!options.aut_file.empty()) {
    if (!graph->failures.empty() && !options.limits.quiet)
      warn(fmt::format("transitions that end in model errors are not in {}: {} left out", options.aut_file,
                       show_count(graph->failures.size())));
    write_output(options.aut_file, to_aut(model.system, *graph));
  }
  return true;
}

void warn_of_model_errors(const Outcome& outcome) {
  const bool found = std::any_of(outcome.results.begin(), outcome.results.end(),
                                 [](const auto& result) { return result.verdict == Verdict::violated; });
  if (found || outcome.model_errors)
    warn("a model error is reachable, and is not followed; tideline check shows the run");
}

ExitCode run_explore(const ExploreOptions& options) {
  require_consistent(options);
  const bool text_on_stdout = require_outputs(
      {options.dot_file, options.aut_file, options.json_file, options.layers_file, options.report.file},
      {options.model.path, options.model.property_file});
  RunReport report(options.report, "explore", options.arguments);
  StatusDisplay status(options.limits.status_form());
  Budget::Limits limits = options.limits.limits(status);
  report.watch(limits);
  report.begin(options.model.path);
  std::optional<AllocationGuard> guard(limits);
  Budget budget(limits);
  if (!options.limits.quiet)
    note_idle_options(
        idle_options(options),
        fmt::format("on {} with engine {}", options.product.wanted ? "a product" : "the states of the model",
                    options.engine().name));

  Model model;
  std::vector<LayerReport> layers;
  std::optional<Count> count;
  const bool counted = within_limits(budget, [&] {
    budget.begin(Phase::reading);
    model = options.model.load(options.limits.quiet);
    budget.begin(Phase::preparing);
    job().require_same(model, options.arguments, budget);
    Settings settings = options.settings;
    settings.measure = options.measure.source();
    if (!options.layers_file.empty())
      settings.sweep.on_layer = [&layers](const LayerReport& layer) { layers.push_back(layer); };
    report.watch(settings);
    report.show(model);
    count.emplace(model, options.product.property(model), settings);
    count->run(limits, budget);
  });
  if (!counted) job().fail(budget.reason());
  budget.end_phase();
  status.erase();
  Answer answer{.command = "explore",
                .version = TIDELINE_VERSION,
                .model = options.model.path,
                .defines = options.model.defines,
                .outcome = count ? count->outcome() : nothing_counted(options.settings),
                .traces = {},
                .unbounded = count ? count->unbounded() : std::nullopt,
                .level_sizes = options.levels};
  complete_count(model.system, budget, answer.outcome);
  answer.traces.resize(answer.outcome.results.size());

  if (!options.limits.quiet) {
    if (const std::string why = count ? count->unfinished(budget) : budget.reason(); !why.empty()) note(why);
    warn_of_model_errors(answer.outcome);
    print_warnings(model, answer.outcome);
  }
  bool graph_written = !options.graph_wanted();
  if (answer.unbounded && options.graph_wanted())
    fail("the graph is not written: it has infinitely many states");
  else if (options.graph_wanted() &&
           !within_limits(budget, [&] { graph_written = write_graph(options, model, budget); }))
    fail(fmt::format("the graph is not written: {}", budget.reason()));
  budget.end_phase();
  status.erase();
  guard.reset();  // rendering needs memory whatever the limits are
  const ExitCode exit_code = answer.outcome.complete && graph_written ? exit_holds : exit_unknown;
  add_model_warnings(model.system, answer.outcome);
  answer.exit_code = exit_code;
  if (text_on_stdout) print(explore_text(answer, {.quiet = options.limits.quiet}));
  if (!options.layers_file.empty()) write_output(options.layers_file, layers_csv(layers));
  if (!options.json_file.empty())
    write_output(options.json_file, answer_json(answer, model.system, &model.source));
  report.write(answer, model, options.model.semantics(), budget, options.limits.quiet);
  return exit_code;
}

}  // namespace

void add_explore(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("explore");
  set_help(*command, explore_help);
  const auto options = std::make_shared<ExploreOptions>();
  options->model.add_to(*command);
  options->model.add_execution_to(*command);
  options->limits.add_to(*command);
  options->ranks.add_to(*command);
  command->add_flag("--levels", options->levels);
  auto* dot = command->add_option("--dot", options->dot_file)->check(not_empty());
  auto* aut = command->add_option("--aut", options->aut_file)->check(not_empty());
  add_count(*command, "--max-states", options->max_states);
  add_engine_option(*command, options->settings, [](const Engine& engine) { return engine.counts; });
  add_order_option(*command, options->settings);
  add_store_option(*command, options->settings);
  add_device_options(*command, options->settings);
  add_cache_options(*command, options->settings);
  add_reduction_option(*command, options->settings);
  options->measure.add_to(*command);
  add_sweep_options(*command, options->settings);
  options->product.add_to(*command)->excludes(dot)->excludes(aut);
  command->add_option("--layers", options->layers_file);
  command->add_option("--json", options->json_file)->check(not_empty());
  options->report.add_to(*command);
  command->callback([options, command, &exit_code] {
    options->given = given_options(*command);
    options->arguments = arguments_of(*command);
    options->arguments.insert(options->arguments.end(), {"--", options->model.path});
    // Levels are of breadth-first search, and a graph that is written has to be visited anyhow.
    if (!options->given.contains("--engine") &&
        (options->levels || options->product.wanted || options->graph_wanted()))
      options->settings.engine = &first_engine(options->settings);
    complete_settings(options->model, options->limits, options->settings);
    if (!options->ranks.starts_job()) {
      exit_code = run_explore(*options);
      return;
    }
    options->model.refuse_standard_input("every rank reads it");
    exit_code = run_job(options->ranks.ranks, "explore", options->arguments);
  });
}

}  // namespace tideline::app
