// tideline check: its options, and the way from them to the answer.
#include "check.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "allocation/allocation_guard.hpp"
#include "check_answer.hpp"
#include "check_options.hpp"
#include "checking/check.hpp"
#include "checkpoints.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report/text.hpp"
#include "select_properties.hpp"

namespace tideline::app {
namespace {

constexpr const char* help_page =
    R"(Usage: tideline check MODEL [options]      (tideline(1) has the rest of them)
What to check, several at once in one pass; none: what comes with the model
  --deadlock          no state without a successor;  --assertions: the model's
  --invariant E       E is true in every reachable state;  --reach E: in some
  --ltl F             every run satisfies F: G(p -> F q);  --ctl F: AG EF p
  --automaton FILE    no run is accepted by it, in HOA;  --formulas FILE: XML
  --property NAME     a named property;  --all: all of them;  --properties FILE
                      is where they are. Exit code 0: all are as expected
  --engine NAME       auto; bfs, dfs, cache, bitstate, walk for states; scc,
                      ndfs, cndfs, map, owcty, owcty-map for infinite runs;
                      ctl for CTL; sweep, and symbolic (--order NAME,
                      --hybrid WORDS) for all;  --reduce-net: smaller nets
  --progress TERMS    the measure of sweep;  --progress-file FILE, --sweep WORDS
  --checkpoint DIR    sweep: save the run for tideline resume;  --trace-dir DIR
  --depth N, --bits N, --walks N, --seed N, --map-values N bounds of engines
  --fair weak|strong  only fair runs count;  --shortest: the shortest lasso
  --model-errors MODE report: as violations;  divine: as BEEM's reference tool
  --memory SIZE       stop there, e.g. 4G;  --time DURATION: 1h30m;  --threads N
  --trace FILE        runs as ITF JSON;  --no-trace: keep no runs
  --json FILE, --junit FILE      the answer for programs (- is stdout)
  --full              whole states, not differences;  --quiet: only verdicts
Examples
  tideline check models/peterson.dve --invariant '!P_0.critical' --trace t.json
  tideline check models/peterson.dve --all --junit results.xml --time 10m
)";

/// Where the searches are saved, if they are to be.
std::shared_ptr<Checkpointer> open_checkpoints(const CheckOptions& options, const Model& model,
                                               const Plan& plan, StatusLine& status) {
  if (options.checkpoint.folder.empty()) return {};
  if (!options.settings.engine->takes_measure)
    throw Error(ErrorKind::usage,
                fmt::format("--checkpoint: only searches with --engine {} can be saved",
                            engine_names([](const Engine& engine) { return engine.takes_measure; }, "or")));
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
  if (!options.measure.progress_file.empty()) run.inputs.push_back(input_of(options.measure.progress_file));
  for (const std::string& file : options.formula_files) run.inputs.push_back(input_of(file));
  for (const PlannedSearch& lasso : plan.lassos)
    if (const Property& property = lasso.properties.front();
        property.kind == PropertyKind::automaton && !property.formula.empty())
      run.inputs.push_back(input_of(property.formula));
  auto checkpoints = options.resumed
                         ? options.resumed
                         : std::make_shared<Checkpointer>(options.checkpoint.folder, std::move(run));
  checkpoints->configure(every, [&status](const std::string& warning) {
    status.erase();
    complain("warning: " + warning);
  });
  if (options.resumed && !options.limits.quiet) say_standing(*checkpoints);
  return checkpoints;
}

/// What is known of a check, also when a limit ends it before its time.
struct CheckRun {
  Model model;
  std::vector<Property> properties;
  std::shared_ptr<Checkpointer> checkpoints;
  std::optional<Check> check;

  const char* phase() const {
    return check ? check->phase() : model.source.name.empty() ? "reading the model" : "preparing the search";
  }
};

/// Reads, plans and searches. Throws LimitReached or std::bad_alloc when a limit ends it outside of searches.
void find_answer(const CheckOptions& options, const Budget::Limits& limits, StatusLine& status, CheckRun& run,
                 Budget& budget) {
  run.model = options.model.load(options.limits.quiet);
  run.properties = select_properties(options, run.model);
  Settings settings = options.settings;
  settings.measure = options.measure.source();
  complete_settings(options.model, options.limits, settings);
  run.check.emplace(run.model, run.properties, settings);
  const Plan& plan = run.check->plan();
  if (!options.limits.quiet)
    say_idle_options(idle_options(options.given, plan, settings), "on these properties with these engines");
  run.checkpoints = open_checkpoints(options, run.model, plan, status);
  if (run.checkpoints) run.check->save_in(run.checkpoints, options.resumed && options.resumed->has_saved());
  run.check->run(limits, budget);
}

/// What was found, or how far it got.
CheckResult result_of(const CheckOptions& options, const CheckRun& run, bool found, const Budget& budget) {
  CheckResult result = run.check ? run.check->result() : CheckResult{};
  if (found) return result;
  return {.outcome = give_up(run.properties.empty() ? asked_properties(options) : run.properties,
                             options.settings, run.model.system, result.unbounded, run.phase(), budget),
          .searches = {},
          .unbounded = result.unbounded};
}

ExitCode run_check(const CheckOptions& options) {
  if (options.no_trace && !options.trace_file.empty())
    throw Error(ErrorKind::usage, "--trace and --no-trace exclude each other");
  const bool text_on_stdout = require_outputs({options.trace_file, options.json_file, options.junit_file},
                                              {options.model.path, options.model.property_file});
  StatusLine status(!options.limits.quiet);
  const Budget::Limits limits = options.limits.limits(status);
  std::optional<AllocationGuard> guard(limits);
  Budget budget(limits);
  CheckRun run;
  const bool found = within_limits(budget, [&] { find_answer(options, limits, status, run, budget); });
  status.erase();
  guard->wrap_up();
  Budget wrap_up = budget.wrap_up();
  CheckResult result = result_of(options, run, found, budget);
  Answer answer{.command = "check",
                .version = TIDELINE_VERSION,
                .model = options.model.path,
                .outcome = std::move(result.outcome),
                .searches = std::move(result.searches),
                .traces = {},
                .unbounded = std::move(result.unbounded)};
  answer.traces = replay_all(run.model.system, options.model.semantics(), answer.outcome.results, wrap_up);
  guard.reset();  // what renders answers looks at the limits itself, and parts of it cannot do without memory
  answer.exit_code = exit_code_for(answer.outcome);
  if (!options.limits.quiet) say_warnings(run.model.system, answer.outcome);
  merge_warnings(run.model.system, answer.outcome);
  write_answer(options, run.model, answer, text_on_stdout, wrap_up);
  if (run.checkpoints) end_checkpoints(*run.checkpoints, budget, options.limits.quiet);
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
  add_repeatable(*command, "--formulas", options->formula_files);
  Settings& settings = options->settings;
  add_word(*command, "--translator", {"own", "spot"},
           [&settings](const std::string& word) { settings.spot = word == "spot"; });
  add_engine_option(*command, settings, [](const Engine&) { return true; });
  add_order_option(*command, settings);
  add_hybrid_option(*command, settings);
  command->add_option("--map-values", settings.lassos.values)->check(number_between(0, 3));
  add_word(*command, "--map-choice", {"mixed", "largest", "masks"}, [&settings](const std::string& word) {
    settings.lassos.choice = word == "largest" ? ValueChoice::largest
                             : word == "masks" ? ValueChoice::masks
                                               : ValueChoice::mixed;
  });
  add_word(*command, "--worker-order", {"bfs", "dfs"}, [&settings](const std::string& word) {
    settings.lassos.order = word == "dfs" ? WorkOrder::dfs : WorkOrder::bfs;
  });
  options->measure.add_to(*command);
  add_log_options(*command, settings);
  add_sweep_option(*command, settings);
  options->checkpoint.add_to(*command);
  add_word(*command, "--fair", {"weak", "strong", "none"},
           [&settings](const std::string& word) { settings.fairness = *fairness_from(word); });
  add_word(*command, "--deadlock-paths", {"stutter", "maximal"},
           [&settings](const std::string& word) { settings.deadlock_paths = *deadlock_paths_from(word); });
  command->add_flag("--shortest", settings.lassos.shortest);
  add_count(*command, "--depth", settings.states.depth);
  command->add_option("--bits", settings.states.bits)->check(number_between(10, 44));
  add_cache_options(*command, settings);
  add_count(*command, "--walks", settings.states.walks);
  add_count(*command, "--seed", settings.states.seed);
  command->add_option("--trace", options->trace_file);
  command->add_option("--json", options->json_file);
  command->add_option("--junit", options->junit_file);
  command->add_flag("--reduce-net", settings.reduce_net);
  command->add_flag("--no-trace", options->no_trace);
  command->add_flag("--full", options->full);
}

/// Once they are read: which ones were given.
void note_given(const CLI::App& command, CheckOptions& options) {
  options.given = given_options(command);
  options.settings.bounded = options.given.contains("--depth");
  options.settings.traces = !options.no_trace;
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
