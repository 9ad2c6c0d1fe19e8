// tideline progress: which progress measure suits a model? Proposes some, and says what each would cost.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "allocation/allocation_guard.hpp"
#include "checking/proposals.hpp"
#include "commands.hpp"
#include "engine_options.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress/local_dot.hpp"

namespace tideline::app {
namespace {

constexpr const char* progress_help = R"(Usage: tideline progress MODEL [options]
Looks for progress measures, which the engine sweep of check needs to be able
to forget states. Each is tried on a part of the state space: how many states
would be stored at most, how often states would be visited, in how many sweeps.

  --progress TUPLE    try this measure instead: 'P_0.seq, R {idle < busy}'
  --progress-file F   or the one in this file
  --measure N         sweep the whole state space with the best N
  --save FILE         write the best measure, for --progress-file
  --dot FILE          draw what single variables and processes can do, in DOT
  --group 'P, P.x'    say and draw what these can do together
  --limit N           states to try measures on (200000);  --por: reduced ones
  --origin WORD       only learnt from states, composed of parts, or linear sums
  --product           for the product with the model's property process,
                      or with --ltl F, --automaton FILE: of runs that violate it
  --define N=4        a constant of the model;  --processes N: most of Promela
  --model-errors MODE report: such actions lead nowhere;  divine: as BEEM's tool
  --memory SIZE, --time DURATION   stop there;  --threads N: of --measure
  --json FILE         for programs;  --status json: how far it is;  --quiet
  --properties FILE   where the named properties are (and maybe a measure)

Examples
  tideline progress models/stop_and_wait.dve --save measure.txt
  tideline progress models/stop_and_wait.dve --progress 'r, s' --measure 1
)";

struct ProgressOptions {
  ModelOptions model;
  LimitOptions limits;
  MeasureOptions given;
  Settings settings;  ///< what --por says
  std::string save_file, dot_file, json_file, origin = "any";
  std::vector<std::string> groups;
  std::uint64_t limit = SampleOptions{}.limit, measured = 0;
  ProductOptions product;
  std::set<std::string> given_names;  ///< the options that were given
};

/// Fills in what is found.
void find_measures(const ProgressOptions& options, const Model& model, const Budget::Limits& limits,
                   Budget& budget, MeasureAnswer& answer) {
  const auto property = options.product.property(model);
  Settings settings = options.settings;
  settings.errors = options.model.semantics();
  settings.threads = static_cast<unsigned>(options.limits.threads);
  settings.measure = options.given.source();
  const auto wanted = [&](std::string_view origin) {
    return options.origin == "any" || options.origin == origin;
  };
  std::vector<SourceText> groups;
  for (const std::string& group : options.groups) groups.push_back({"--group", group});
  answer.locals = measure_groups(model.system, settings.errors, groups);
  answer.proposals = propose_measures(model, property.get(), settings,
                                      {.sample_states = options.limit,
                                       .learnt = wanted("learnt"),
                                       .composed = wanted("composed"),
                                       .linear = wanted("linear"),
                                       .measured = options.measured},
                                      limits, budget);
}

ExitCode run_progress(const ProgressOptions& options) {
  if (options.limit == 0)
    throw Error(ErrorKind::usage, "--limit 0: measures are tried on at least one state");
  const bool text_on_stdout =
      require_outputs({options.save_file, options.dot_file, options.json_file},
                      {options.model.path, options.model.property_file, options.given.progress_file});
  StatusDisplay status(options.limits.status_form());
  const Budget::Limits limits = options.limits.limits(status);
  std::optional<AllocationGuard> guard(limits);
  Budget budget(limits);
  if (!options.limits.quiet)
    if (options.given_names.contains("--threads") && options.measured == 0)
      note_idle_options({"--threads"}, "without --measure");
  Model model;
  MeasureAnswer answer{
      .version = TIDELINE_VERSION, .model = options.model.path, .product = options.product.wanted};
  const bool found = within_limits(budget, [&] {
    budget.begin(Phase::reading);
    model = options.model.load(options.limits.quiet);
    budget.begin(Phase::measuring);
    find_measures(options, model, limits, budget, answer);
  });
  budget.end_phase();
  if (!found) answer.proposals.limit_reached = budget.reason();
  status.erase();
  guard.reset();  // rendering needs memory whatever the limits are

  ExitCode exit_code = answer.proposals.limit_reached.empty() ? exit_holds : exit_unknown;
  if (!options.limits.quiet) {
    if (!answer.proposals.limit_reached.empty()) note(answer.proposals.limit_reached);
    if (!answer.proposals.helps())
      note(
          "the sweep-line would save little on this model; bfs, or for infinite runs another engine, is the "
          "better choice");
  }
  if (!options.save_file.empty()) {
    if (answer.proposals.candidates.empty()) {
      fail("there is no measure to be saved");
      exit_code = exit_unknown;
    } else {
      write_output(options.save_file, measure_file(answer));
    }
  }
  if (!options.dot_file.empty()) write_output(options.dot_file, local_dot(model.system, answer.locals));
  if (text_on_stdout) print(measures_text(answer, model.system));
  answer.exit_code = exit_code;
  if (!options.json_file.empty()) write_output(options.json_file, measures_json(answer, model.system));
  return exit_code;
}

}  // namespace

void add_progress(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("progress");
  set_help(*command, progress_help);
  const auto options = std::make_shared<ProgressOptions>();
  options->model.add_to(*command);
  options->model.add_execution_to(*command);
  options->limits.add_to(*command);
  options->given.add_to(*command);
  add_reduction_option(*command, options->settings);
  command->add_option("--save", options->save_file);
  command->add_option("--dot", options->dot_file)->check(not_empty());
  command->add_option("--group", options->groups)->allow_extra_args(false);
  command->add_option("--origin", options->origin)->check(one_of({"any", "learnt", "composed", "linear"}));
  add_count(*command, "--limit", options->limit);
  add_count(*command, "--measure", options->measured);
  options->product.add_to(*command);
  command->add_option("--json", options->json_file)->check(not_empty());
  command->callback([options, command, &exit_code] {
    options->given_names = given_options(*command);
    exit_code = run_progress(*options);
  });
}

}  // namespace tideline::app
