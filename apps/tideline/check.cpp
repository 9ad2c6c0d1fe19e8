// tideline check: its options, and the way from them to the answer.
#include "check.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "allocation/allocation_guard.hpp"
#include "certificate/writer/certificate.hpp"
#include "check_options.hpp"
#include "checking/check.hpp"
#include "checking/saved_check.hpp"
#include "checking/shorten_runs.hpp"
#include "checking/watched_actions.hpp"
#include "checkpoints.hpp"
#include "colours.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report/numbers.hpp"
#include "report/text.hpp"
#include "trace/spin_trail.hpp"

namespace tideline::app {
namespace {

constexpr const char* check_help =
    R"(Usage: tideline check MODEL [options]      (tideline(1) has the rest of them)
What to check, several at once in one pass; none: what comes with the model
  --deadlock          no state without a successor;  --assertions: the model's
  --invariant E       E is true in every reachable state;  --reach E: in some
  --ltl F             every run satisfies F: G(p -> F q);  --ctl F: AG EF p
  --pattern P         LTL by name: 'response(p, q) after r';  --formulas FILE
  --automaton FILE    no run is accepted by it, in HOA;  --non-progress: Promela
  --property NAME     a named property;  --all: all of them;  --properties FILE
                      is where they are. Exit code 0: all are as expected
  --engine NAME       auto; bfs, gpu, dfs, cache, bitstate, walk: states; scc,
                      ndfs, cndfs, map, owcty, owcty-map for infinite runs;
                      ctl for CTL; for all: sweep, symbolic (--order, --hybrid)
  --por, --reduce-net partial order, smaller nets;  --exec native: compiled
  --progress TERMS    the measure of sweep;  --progress-file FILE, --sweep WORDS
  --certificate FILE  a proof of what holds;  --checkpoint DIR: to resume sweep
  --fair weak|strong  only fair runs count;  --shortest, --no-shorten: lassos
  --define N=4        a constant of the model;  --language dve: of MODEL -
  --memory SIZE, --time DURATION  stop there: 4G, 1h30m;  --threads N, --ranks N
  --trace FILE        ITF JSON, or x.trail;  --no-trace;  --runs N, --explain
  --report FILE       an HTML page;  --json FILE, --junit FILE;  --color WHEN
  --status json       how far it is;  --full: whole states;  --quiet: verdicts
Examples
  tideline check models/peterson.dve --invariant '!P_0.critical' --trace t.json
  tideline check models/peterson.dve --all --junit results.xml --time 10m
)";

/// `weak` or `strong` to all processes, or `weak: deliver*` to actions, of which there may be several.
void read_fairness(const std::vector<std::string>& values, Settings& settings) {
  constexpr const char* option = "--fair";
  const auto blank = [](char c) { return c == ' '; };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& value = values[i];
    const std::size_t colon = value.find(':');
    const auto fairness = fairness_from(value.substr(0, colon));
    const bool of_actions = colon != std::string::npos;
    if (!fairness || (of_actions && (*fairness == Fairness::none ||
                                     std::all_of(value.begin() + static_cast<std::ptrdiff_t>(colon) + 1,
                                                 value.end(), blank))))
      throw CLI::ValidationError(option,
                                 fmt::format("'{}' is not one of weak, strong, none, 'weak: ACTIONS', "
                                             "'strong: ACTIONS'",
                                             value));
    if (i > 0 && (!of_actions || settings.fair_actions.empty() || *fairness != settings.fairness))
      throw CLI::ValidationError(
          option, "give it once, or several times with actions that are all treated weakly, or all strongly");
    settings.fairness = *fairness;
    if (of_actions) {
      std::string pattern = value.substr(colon + 1);
      pattern.erase(0, pattern.find_first_not_of(' '));
      settings.fair_actions.push_back(std::move(pattern));
    }
  }
}

/// Where the searches are saved, if they are to be.
std::shared_ptr<Checkpointer> open_checkpoints(const CheckOptions& options, const Model& model,
                                               const Settings& settings, const Plan& plan,
                                               StatusDisplay& status) {
  if (options.checkpoint.folder.empty()) return {};
  require_savable(*settings.engine);
  if (settings.ranks && settings.threads > 1)
    throw Error(ErrorKind::usage,
                "--checkpoint: ranks with several threads are not saved; leave out --threads, "
                "and start more ranks");
  const double every = options.checkpoint.seconds();
  std::vector<std::string> files = options.selection.formula_files;
  if (!options.measure.progress_file.empty()) files.insert(files.begin(), options.measure.progress_file);
  SavedRun run{.version = TIDELINE_VERSION,
               .folder = std::filesystem::current_path().string(),
               .arguments = options.arguments,
               .measures = {},
               .inputs = inputs_of(model, options.model.property_file, plan, files)};
  auto checkpoints = options.resumed ? options.resumed
                                     : std::make_shared<Checkpointer>(options.checkpoint.folder,
                                                                      std::move(run), saved_together());
  checkpoints->configure(every, [&status](const std::string& warning) {
    status.erase();
    warn(warning);
  });
  if (options.resumed && !options.limits.quiet) {
    note(command_text(checkpoints->saved_run(), options.arguments));
    note(resumption_text(*checkpoints));
  }
  return checkpoints;
}

/// Nothing: none is wanted.
std::shared_ptr<Certificate> open_certificate(const CheckOptions& options, const Budget::Limits& limits,
                                              bool actions_are_watched) {
  if (options.certificate.empty()) return {};
  if (actions_are_watched)
    throw Error(ErrorKind::usage,
                "no certificate can be written: properties with act(...) cannot be certified yet");
  return std::make_shared<Certificate>(CertificateRequest{.file = options.certificate,
                                                          .version = TIDELINE_VERSION,
                                                          .folder = options.settings.sweep.log_folder(),
                                                          .memory = limits.memory_bytes,
                                                          .threads = options.settings.threads});
}

/// Nothing: none was written.
std::optional<CertificateReport> report_of(const Certificate* certificate) {
  if (certificate == nullptr || !certificate->written()) return std::nullopt;
  const CertificateFigures& figures = certificate->figures();
  return CertificateReport{.file = certificate->request().file.string(),
                           .states = figures.states,
                           .bytes = figures.bytes,
                           .seconds = figures.seconds};
}

void note_certificate(const Certificate& certificate) {
  const CertificateFigures& figures = certificate.figures();
  if (certificate.written())
    note(fmt::format("the certificate is in {}: {}, {}", certificate.request().file.string(),
                     show_plural(figures.states, "state"), show_bytes(figures.bytes)));
  else
    warn("there is no certificate: " + certificate.failure());
}

/// What is known of a check, even when a limit ends it early.
struct CheckRun {
  Model model;
  std::optional<Model> watched;  ///< with monitors for actions, if properties are about such
  std::vector<Property> properties;
  std::shared_ptr<Checkpointer> checkpoints;
  std::shared_ptr<Certificate> certificate;
  std::optional<Check> check;

  const Model& searched() const { return watched ? *watched : model; }
};

/// Reads, plans and searches. Throws LimitReached or std::bad_alloc when a limit ends it outside of searches.
void find_answer(const CheckOptions& options, const Budget::Limits& limits, StatusDisplay& status,
                 RunReport& report, CheckRun& run, Budget& budget) {
  budget.begin(Phase::reading);
  run.model = options.model.load(options.limits.quiet);
  require_trace_format(options.outputs.trace_file, run.model.system);
  budget.begin(Phase::preparing);
  job().require_same(run.model, options.arguments, budget);
  Settings settings = options.settings;
  complete_settings(options.model, options.limits, settings);
  report.watch(settings);
  report.show(run.model);
  run.properties = select_properties(options.selection, run.model, settings.notes);
  run.watched = watch_actions(run.model, settings.errors, run.properties);
  settings.measure = options.measure.source();
  run.certificate = settings.certificate = open_certificate(options, limits, run.watched.has_value());
  run.check.emplace(run.searched(), run.properties, settings);
  const Plan& plan = run.check->plan();
  if (!options.limits.quiet)
    note_idle_options(options.model.idle_options(options.given, run.model), "on this language");
  if (!options.limits.quiet)
    note_idle_options(idle_options(options.given, plan, settings), "on these properties with these engines");
  run.checkpoints = open_checkpoints(options, run.model, settings, plan, status);
  if (run.checkpoints) run.check->save_in(run.checkpoints, options.resumed && options.resumed->has_saved());
  run.check->run(limits, budget);
}

/// What was found, even where a limit ended the check after that; or how far it got.
CheckResult result_of(const CheckOptions& options, const CheckRun& run, bool found, const Budget& budget) {
  CheckResult result = run.check ? run.check->result() : CheckResult{};
  if (found || !result.outcome.results.empty()) return result;
  return {.outcome =
              give_up(run.properties.empty() ? unbound_properties(options.selection.texts) : run.properties,
                      options.settings, run.searched().system, result.unbounded, budget),
          .searches = {},
          .unbounded = result.unbounded};
}

/// The worst verdict decides; with --all, whether verdicts are as expected.
ExitCode exit_code_for(const Outcome& outcome) {
  const Judgement judgement = judge(outcome.results);
  return judgement == Judgement::good  ? exit_holds
         : judgement == Judgement::bad ? exit_violated
                                       : exit_unknown;
}

void note_trace_files(const std::string& file, const Answer& answer) {
  const auto files = trace_files(file, answer);
  bool written = false;
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t r = 0; r < files[i].size(); ++r) {
      written = true;
      note(fmt::format("{} of '{}' is in {}", r == 0 ? "the run" : fmt::format("run {}", r + 1),
                       answer.outcome.results[i].property.name, files[i][r]));
    }
  if (!written) note("there is no run to write to " + file);
}

/// Whether anybody will see runs: with --quiet the text has none.
bool shows_runs(const CheckOptions& options) {
  const OutputRequest& outputs = options.outputs;
  return !options.limits.quiet || !outputs.trace_file.empty() || !outputs.json_file.empty() ||
         !outputs.junit_file.empty() || !options.report.file.empty() || options.report.port;
}

/// Replayed, and made shorter unless that is not wanted.
std::vector<std::optional<Trace>> build_runs(const CheckOptions& options, const CheckRun& run,
                                             const Budget::Limits& limits, const Budget& budget,
                                             CheckResult& result, Budget& wrap_up) {
  const auto has_run = [](const PropertyResult& r) { return static_cast<bool>(r.path); };
  if (std::ranges::any_of(result.outcome.results, has_run)) wrap_up.begin(Phase::rebuilding);
  const System& system = run.searched().system;
  const ErrorSemantics errors = options.model.semantics();
  auto traces = replay_all(system, errors, result.outcome.results, wrap_up);
  wrap_up.end_phase();
  if (shows_runs(options) && !options.no_shorten && !options.settings.lassos.shortest)
    shorten_runs(system, errors, result, limits, budget, wrap_up, traces);
  return traces;
}

ExitCode run_check(const CheckOptions& options) {
  const OutputRequest& outputs = options.outputs;
  if (options.no_trace && !outputs.trace_file.empty())
    throw Error(ErrorKind::usage, "--trace and --no-trace exclude each other");
  for (const char* option : {"--explain", "--runs"})
    if (options.no_trace && options.given.contains(option))
      throw Error(ErrorKind::usage, fmt::format("{} needs runs; leave out --no-trace", option));
  if (!options.checkpoint.folder.empty())
    options.model.refuse_standard_input("a run that goes on later reads it again");
  if (options.certificate == "-")
    throw Error(ErrorKind::usage, "--certificate: write the name of a file, a certificate is not a text");
  if (!options.certificate.empty() && !options.checkpoint.folder.empty())
    throw Error(ErrorKind::usage,
                "--certificate and --checkpoint exclude each other: what a saved run had passed is not kept");
  const bool text_on_stdout = require_outputs(
      {outputs.trace_file, outputs.json_file, outputs.junit_file, options.report.file, options.certificate},
      {options.model.path, options.model.property_file});
  RunReport report(options.report, "check", options.arguments);
  StatusDisplay status(options.limits.status_form());
  Budget::Limits limits = options.limits.limits(status);
  report.watch(limits);
  report.begin(options.model.path);
  std::optional<AllocationGuard> guard(limits);
  Budget budget(limits);
  CheckRun run;
  const bool found =
      within_limits(budget, [&] { find_answer(options, limits, status, report, run, budget); });
  if (!found) job().fail(budget.reason());
  budget.end_phase();
  guard->wrap_up();
  Budget wrap_up = budget.wrap_up();
  CheckResult result = result_of(options, run, found, budget);
  std::vector<std::optional<Trace>> traces = build_runs(options, run, limits, budget, result, wrap_up);
  Answer answer{.command = "check",
                .version = TIDELINE_VERSION,
                .model = options.model.path,
                .defines = options.model.defines,
                .outcome = std::move(result.outcome),
                .searches = std::move(result.searches),
                .traces = std::move(traces),
                .unbounded = std::move(result.unbounded),
                .certificate = report_of(run.certificate.get())};
  const ErrorSemantics errors = options.model.semantics();
  if (options.settings.states.runs > 1)
    answer.more_traces = replay_more(run.searched().system, errors, answer.outcome.results, wrap_up);
  if (options.explain) {
    Budget explaining = budget;  // as long as the limits allow; the wrap-up has a moment more
    explain_runs(run.searched().system, errors, answer, explaining);
  }
  if (run.watched) {
    for (std::optional<Trace>& trace : answer.traces)
      if (trace) forget_monitors(run.model.system, *trace);
    for (std::vector<Trace>& more : answer.more_traces)
      for (Trace& trace : more) forget_monitors(run.model.system, trace);
  }
  guard.reset();  // rendering checks the limits itself, and parts of it need memory whatever they are
  answer.exit_code = exit_code_for(answer.outcome);
  if (!options.limits.quiet) print_warnings(run.model, answer.outcome);
  add_model_warnings(run.model.system, answer.outcome);
  const RenderOptions render{.text = text_on_stdout,
                             .quiet = options.limits.quiet,
                             .full = options.full,
                             .errors = errors,
                             .palette = stdout_palette()};
  wrap_up.begin(Phase::answering);
  for (const Output& output : render_outputs(outputs, render, run.model, answer, wrap_up))
    write_output(output.file, output.text);
  wrap_up.end_phase();
  status.erase();
  if (!outputs.trace_file.empty() && !options.limits.quiet) note_trace_files(outputs.trace_file, answer);
  if (run.certificate && (!run.certificate->written() || !options.limits.quiet))
    note_certificate(*run.certificate);
  if (run.checkpoints) end_checkpoints(*run.checkpoints, budget, !found, options.limits.quiet);
  report.write(answer, run.model, options.model.semantics(), budget, options.limits.quiet);
  return static_cast<ExitCode>(answer.exit_code);
}

void add_options(CLI::App* command, const std::shared_ptr<CheckOptions>& options) {
  options->model.add_to(*command);
  options->model.add_execution_to(*command);
  options->limits.add_to(*command);
  options->ranks.add_to(*command);
  PropertySelection& selection = options->selection;
  command->add_flag_callback("--deadlock",
                             [&selection] { selection.texts.push_back({PropertyKind::deadlock}); });
  command->add_flag_callback("--non-progress", [&selection] {
    selection.texts.push_back({PropertyKind::ltl, "[]<> (!np_ || ended_)", "non-progress", "--non-progress"});
  });
  command->add_flag("--assertions", selection.assertions);
  command->add_flag("--all", selection.all_named);
  for (const PropertyKind kind : {PropertyKind::invariant, PropertyKind::reach, PropertyKind::ltl,
                                  PropertyKind::ctl, PropertyKind::automaton})
    add_property_option(*command, kind, selection.texts);
  add_pattern_option(*command, selection.texts);
  add_repeatable(*command, "--property", selection.names);
  add_repeatable(*command, "--formulas", selection.formula_files);
  Settings& settings = options->settings;
  add_word(*command, "--translator", {"own", "spot"},
           [&settings](const std::string& word) { settings.spot = word == "spot"; });
  add_engine_option(*command, settings, [](const Engine&) { return true; });
  add_order_option(*command, settings);
  add_hybrid_option(*command, settings);
  add_word(*command, "--regions", {"on", "off"},
           [&settings](const std::string& word) { settings.lassos.regions = word == "on"; });
  add_word(*command, "--ndfs", {"improved", "classic"}, [&settings](const std::string& word) {
    settings.lassos.nested = word == "classic" ? NestedVariant::classic : NestedVariant::improved;
  });
  command->add_option("--map-values", settings.lassos.values)->check(number_between(0, 3));
  add_word(*command, "--map-choice", {"mixed", "largest", "masks", "paper"},
           [&settings](const std::string& word) {
             settings.lassos.choice = word == "largest" ? ValueChoice::largest
                                      : word == "masks" ? ValueChoice::masks
                                      : word == "paper" ? ValueChoice::paper
                                                        : ValueChoice::mixed;
           });
  add_word(*command, "--worker-order", {"bfs", "dfs"}, [&settings](const std::string& word) {
    settings.lassos.order = word == "dfs" ? WorkOrder::dfs : WorkOrder::bfs;
  });
  options->measure.add_to(*command);
  add_log_options(*command, settings);
  add_sweep_options(*command, settings);
  add_sweep_start_option(*command, settings);
  options->checkpoint.add_to(*command);
  command
      ->add_option_function<std::vector<std::string>>(
          "--fair", [&settings](const std::vector<std::string>& values) { read_fairness(values, settings); })
      ->allow_extra_args(false);
  add_word(*command, "--deadlock-paths", {"stutter", "maximal"},
           [&settings](const std::string& word) { settings.deadlock_paths = *deadlock_paths_from(word); });
  auto* shortest = command->add_flag("--shortest", settings.lassos.shortest);
  command->add_flag("--no-shorten", options->no_shorten)->excludes(shortest);
  add_count(*command, "--depth", settings.states.depth);
  command->add_option("--bits", settings.bits)->check(number_between(10, 44));
  add_store_option(*command, settings);
  add_device_options(*command, settings);
  add_cache_options(*command, settings);
  add_reduction_option(*command, settings);
  add_count(*command, "--walks", settings.states.walks);
  add_count(*command, "--seed", settings.states.seed);
  command->add_option("--trace", options->outputs.trace_file)->check(not_empty());
  command->add_option("--json", options->outputs.json_file)->check(not_empty());
  command->add_option("--certificate", options->certificate)->check(not_empty());
  command->add_option("--junit", options->outputs.junit_file)->check(not_empty());
  options->report.add_to(*command);
  command->add_flag("--reduce-net", settings.reduce_net);
  command->add_flag("--no-trace", options->no_trace);
  command->add_flag("--explain", options->explain);
  command->add_option("--runs", settings.states.runs)->check(number_between(1, 1000));
  command->add_flag("--full", options->full);
}

/// Called when the options are read: notes which ones were given.
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
  set_help(*command, check_help);
  const auto options = std::make_shared<CheckOptions>();
  add_options(command, options);
  command->callback([options, command, &exit_code] {
    note_given(*command, *options);
    if (options->ranks.starts_job()) options->model.refuse_standard_input("every rank reads it");
    exit_code = options->ranks.starts_job() ? run_job(options->ranks.ranks, "check", options->arguments)
                                            : run_check(*options);
  });
}

std::shared_ptr<CheckOptions> parse_check(const std::vector<std::string>& arguments) {
  CLI::App command;
  auto options = std::make_shared<CheckOptions>();
  add_options(&command, options);
  command.parse(
      std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 wants the last first
  note_given(command, *options);
  return options;
}

ExitCode resume_check(const std::vector<std::string>& arguments, std::shared_ptr<Checkpointer> checkpoints) {
  std::shared_ptr<CheckOptions> options;
  try {
    options = parse_check(arguments);
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::usage, fmt::format("the options of the saved run: {}", error.what()));
  }
  options->resumed = std::move(checkpoints);
  return run_check(*options);
}

}  // namespace tideline::app
