// tideline progress: which progress measure suits a model? Proposes some, and says what each would cost.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "allocation/allocation_guard.hpp"
#include "checking/measures.hpp"
#include "checking/proposals.hpp"
#include "commands.hpp"
#include "engine_options.hpp"
#include "options.hpp"
#include "output.hpp"
#include "product_property.hpp"
#include "progress/local_dot.hpp"
#include "progress_answer.hpp"

namespace tideline::app {
namespace {

constexpr const char* help_page = R"(Usage: tideline progress MODEL [options]
Looks for progress measures, which the engine sweep of check needs to be able
to forget states. Each is tried on a part of the state space: how many states
would be stored at most, how often states would be visited, in how many sweeps.

  --progress TUPLE    try this measure instead: 'P_0.seq, R {idle < busy}'
  --progress-file F   or the one in this file
  --measure N         sweep the whole state space with the best N
  --save FILE         write the best measure, for --progress-file
  --dot FILE          draw what single variables and processes can do, in DOT
  --group 'P, P.x'    say and draw what these can do together
  --limit N           states to try measures on (default 200000)
  --origin WORD       only learnt from states, composed of parts, or linear sums
  --product           for the product with the model's property process,
                      or with --ltl F, --automaton FILE: of runs that violate it
  --internal NAME     how LTSs (.aut) call the internal action, default tau
  --model-errors MODE report: such actions lead nowhere;  divine: as BEEM's tool
  --memory SIZE, --time DURATION   stop there;  --json FILE: for programs
  --quiet             no status, no warnings;  --threads N: of --measure
  --properties FILE   where the named properties are (and maybe a measure)

Examples
  tideline progress models/stop_and_wait.dve --save measure.txt
  tideline progress models/stop_and_wait.dve --progress 'r, s' --measure 1
)";

struct ProgressOptions {
  ModelOptions model;
  LimitOptions limits;
  MeasureOptions given;
  std::string save_file, dot_file, json_file, origin = "any";
  std::vector<std::string> groups;
  std::uint64_t limit = SampleOptions{}.limit, measured = 0;
  bool product = false;
  std::optional<std::string> formula, automaton_file;
  std::set<std::string> given_names;  ///< the options that were given
};

/// The groups that were asked for, or every slot on its own.
std::vector<LocalMeasure> locals_for(const ProgressOptions& options, const System& system) {
  Locals locals = local_measures(system, options.model.semantics());
  if (options.groups.empty()) return std::move(locals.measures);
  std::vector<LocalMeasure> groups;
  for (const std::string& text : options.groups) {
    std::vector<SlotId> slots;
    const Measure listed = read_measure(system, {"--group", text});
    for (const MeasureTerm& term : listed.terms())
      for (const Summand& summand : term.summands) {
        if (!summand.slot() || !summand.order.empty())
          throw Error(ErrorKind::usage,
                      fmt::format("--group {}: '{}' is not a variable or process", text, term.text));
        slots.push_back(*summand.slot());
      }
    auto group = local_measure(system, std::move(slots), locals.options);
    if (!group) throw Error(ErrorKind::usage, fmt::format("--group {}: together they can do too much", text));
    groups.push_back(std::move(*group));
  }
  return groups;
}

ProgressAnswer answer_for(const ProgressOptions& options, const Model& model, const Budget::Limits& limits,
                          Budget& budget) {
  std::shared_ptr<const PropertyProcess> property;
  if (options.product)
    property = product_property(model.system, options.model.path, options.formula, options.automaton_file);
  Settings settings;
  settings.errors = options.model.semantics();
  settings.threads = static_cast<unsigned>(options.limits.threads);
  settings.measure = options.given.source();
  const auto wanted = [&](std::string_view origin) {
    return options.origin == "any" || options.origin == origin;
  };
  ProgressAnswer answer;
  answer.model = options.model.path;
  answer.product = options.product;
  answer.locals = locals_for(options, model.system);
  answer.proposals = propose_measures(model, property.get(), settings,
                                      {.sample_states = options.limit,
                                       .learnt = wanted("learnt"),
                                       .composed = wanted("composed"),
                                       .linear = wanted("linear"),
                                       .measured = options.measured},
                                      limits, budget);
  return answer;
}

/// Where forgetting saves too little to be worth the visits, another engine is the better choice.
void say_whether_it_helps(const ProgressAnswer& answer) {
  constexpr double helps = 0.5;
  if (answer.proposals.candidates.empty() || answer.proposals.candidates.front().trial.score > helps)
    complain(
        "note: the sweep-line would save little on this model; bfs, or for infinite runs another engine, is "
        "the "
        "better choice");
}

ExitCode run_progress(const ProgressOptions& options) {
  if (options.limit == 0)
    throw Error(ErrorKind::usage, "--limit 0: measures are tried on at least one state");
  const bool text_on_stdout =
      require_outputs({options.save_file, options.dot_file, options.json_file},
                      {options.model.path, options.model.property_file, options.given.progress_file});
  StatusLine status(!options.limits.quiet);
  const Budget::Limits limits = options.limits.limits(status);
  std::optional<AllocationGuard> guard(limits);
  Budget budget(limits);
  if (!options.limits.quiet)
    if (options.given_names.contains("--threads") && options.measured == 0)
      say_idle_options({"--threads"}, "without --measure");
  Model model;
  ProgressAnswer answer{.model = options.model.path, .product = options.product};
  const bool found = within_limits(budget, [&] {
    model = options.model.load(options.limits.quiet);
    answer = answer_for(options, model, limits, budget);
  });
  if (!found) answer.proposals.limit_reached = budget.reason();
  status.erase();
  guard.reset();  // what renders answers cannot do without memory

  ExitCode exit_code = answer.proposals.limit_reached.empty() ? exit_holds : exit_unknown;
  if (!options.limits.quiet) {
    if (!answer.proposals.limit_reached.empty()) complain("note: " + answer.proposals.limit_reached);
    say_whether_it_helps(answer);
  }
  if (!options.save_file.empty()) {
    if (answer.proposals.candidates.empty()) {
      complain("error: there is no measure to be saved");
      exit_code = exit_unknown;
    } else {
      write_output(options.save_file, measure_file(answer));
    }
  }
  if (!options.dot_file.empty()) write_output(options.dot_file, local_dot(model.system, answer.locals));
  if (text_on_stdout) print(answer_text(answer, model.system));
  if (!options.json_file.empty())
    write_output(options.json_file, answer_json(answer, model.system, static_cast<int>(exit_code)));
  return exit_code;
}

}  // namespace

void add_progress(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("progress");
  set_help(*command, help_page);
  const auto options = std::make_shared<ProgressOptions>();
  options->model.add_to(*command);
  options->limits.add_to(*command);
  options->given.add_to(*command);
  command->add_option("--save", options->save_file);
  command->add_option("--dot", options->dot_file);
  command->add_option("--group", options->groups)->allow_extra_args(false);
  command->add_option("--origin", options->origin)->check(one_of({"any", "learnt", "composed", "linear"}));
  add_count(*command, "--limit", options->limit);
  add_count(*command, "--measure", options->measured);
  auto* product = command->add_flag("--product", options->product);
  auto* formula = command->add_option("--ltl", options->formula)->needs(product);
  command->add_option("--automaton", options->automaton_file)->needs(product)->excludes(formula);
  command->add_option("--json", options->json_file);
  command->callback([options, command, &exit_code] {
    options->given_names = given_options(*command);
    exit_code = run_progress(*options);
  });
}

}  // namespace tideline::app
