// tideline progress: which progress measure suits a model? Proposes some, and says what each would cost.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "liveness.hpp"
#include "measure.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress/measured.hpp"
#include "progress/projection.hpp"
#include "report/numbers.hpp"
#include "search/sweep.hpp"

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
  --limit N           states to try measures on (default 200000)
  --product           for the product with the model's property process,
                      or with --ltl F, --automaton FILE: of runs that violate it
  --model-errors MODE report: such actions lead nowhere;  divine: as BEEM's tool
  --memory SIZE, --time DURATION   stop there
  --json FILE         the answer for programs (- is stdout)
  --quiet             no progress, no warnings;  --threads N: of --measure
  --properties FILE   where the named properties are (and maybe a measure)

Examples
  tideline progress lift.dve --save lift.measure
  tideline progress lift.dve --progress 'Lift.floor, Door' --measure 1
)";

using Json = nlohmann::ordered_json;

struct ProgressOptions {
  ModelOptions model;
  LimitOptions limits;
  SweepOptionsGiven given;
  std::string save_file, json_file;
  std::uint64_t limit = SampleOptions{}.limit, measured = 0;
  bool product = false;
  std::optional<std::string> formula, automaton_file;
  std::set<std::string> given_names;  ///< the options that were given
};

/// A measure, what was predicted for it, and what came of it.
struct Candidate {
  MeasureTrial trial;
  std::optional<SweepFigures> measured = {};
  double seconds = 0;
};

struct ProgressAnswer {
  std::vector<Candidate> candidates;
  std::uint64_t sample_states = 0, sample_edges = 0;
  bool whole = false;         ///< the sample is the whole graph
  std::string limit_reached;  ///< which limit ended it early; empty: none
};

/// Sweeps the whole graph; the candidate keeps its prediction when a limit ends that.
template <Graph G>
void measure_candidate(const G& graph, unsigned threads, Candidate& candidate, Budget& budget) {
  const double start = budget.seconds();
  SweepSearch search(Measured(graph, candidate.trial.measure), SweepOptions{.threads = threads});
  Bystander bystander;
  search.run(bystander, budget);
  if (!budget.reason().empty()) return;
  candidate.measured = search.figures();
  candidate.seconds = budget.seconds() - start;
}

template <Graph G>
ProgressAnswer answer_for(G graph, const ProgressOptions& options, const Model& model,
                          SampleBudget& sample_budget, Budget& budget) {
  ProgressAnswer answer;
  const std::optional<Measure> given = options.given.measure(model);
  const ProjectionOptions projection{.sample = sample_budget.options(options.limit)};
  const Sample sample = draw_sample(graph, model.system, projection.sample, sample_budget.budget);
  answer.sample_states = sample.states();
  answer.sample_edges = sample.edges();
  answer.whole = sample.complete();
  if (given) answer.candidates.push_back({try_measure(sample, *given)});
  if (!options.given.progress && options.given.progress_file.empty())
    for (MeasureTrial& trial : project_measure(sample, model.system, projection, sample_budget.budget).trials)
      answer.candidates.push_back({std::move(trial)});
  std::stable_sort(answer.candidates.begin(), answer.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.trial.score < b.trial.score; });
  answer.limit_reached = sample_budget.budget.reason();
  for (std::size_t i = 0;
       i < answer.candidates.size() && i < options.measured && answer.limit_reached.empty(); ++i) {
    measure_candidate(graph, static_cast<unsigned>(options.limits.threads), answer.candidates[i], budget);
    answer.limit_reached = budget.reason();
  }
  return answer;
}

// --- For people -----------------------------------------------------------------------------------------

std::string label_of(const System& system, ActionId action) {
  return action == no_action ? "(the property moves alone)" : system.actions[action].label;
}

std::string regress_text(const System& system, const std::vector<RegressingAction>& regressing) {
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t i = 0; i < regressing.size() && i < shown; ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "" : "; ", label_of(system, regressing[i].action),
                        show_count(regressing[i].edges));
  if (regressing.size() > shown)
    text += fmt::format("; and {} more", show_plural(regressing.size() - shown, "action"));
  return text;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return fmt::format(
      "{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1)));
}

std::string answer_text(const ProgressAnswer& answer, const System& system, bool product) {
  std::string text = fmt::format(
      "tried on {}, {}: {}\n", show_plural(answer.sample_states, product ? "product state" : "state"),
      show_plural(answer.sample_edges, "transition"), answer.whole ? "all there are" : "a part of them");
  if (answer.candidates.empty()) return text + "no measure was found that helps\n";
  text += fmt::format("{:>10}{:>10}{:>12}{:>8}{:>10}{:>10}\n", "stored", "visited", "persistent", "sweeps",
                      "layers", "regress");
  std::size_t number = 0;
  for (const Candidate& candidate : answer.candidates) {
    const MeasureTrial& trial = candidate.trial;
    text += fmt::format("{:<3}{:>7}{:>10}{:>12}{:>8}{:>10}{:>10}   predicted\n", ++number,
                        percent(trial.sweep.peak, answer.sample_states),
                        percent(trial.sweep.visits, answer.sample_states),
                        percent(trial.sweep.persistent, answer.sample_states), trial.sweep.sweeps,
                        show_count(trial.layers), percent(trial.regress_edges, answer.sample_edges));
    if (candidate.measured)
      text +=
          fmt::format("{:>10}{:>10}{:>12}{:>8}{:>10}{:>10}   measured in {}\n",
                      show_count(candidate.measured->stored_peak), show_count(candidate.measured->expansions),
                      show_count(candidate.measured->persistent), candidate.measured->sweeps,
                      show_count(candidate.measured->layers), show_count(candidate.measured->regress_edges),
                      show_seconds(candidate.seconds));
    text += fmt::format("   {}\n", trial.measure.text());
    if (!trial.regressing.empty())
      text += fmt::format("   regress: {}\n", regress_text(system, trial.regressing));
  }
  return text;
}

// --- For programs ---------------------------------------------------------------------------------------

Json candidate_json(const Candidate& candidate, const System& system) {
  const MeasureTrial& trial = candidate.trial;
  Json json = {{"measure", trial.measure.text()}, {"bits", trial.measure.bits()}, {"score", trial.score}};
  json["predicted"] = {{"stored_peak", trial.sweep.peak},
                       {"visited", trial.sweep.visits},
                       {"persistent", trial.sweep.persistent},
                       {"sweeps", trial.sweep.sweeps},
                       {"layers", trial.layers},
                       {"regress_edges", trial.regress_edges}};
  if (candidate.measured)
    json["measured"] = {{"stored_peak", candidate.measured->stored_peak},
                        {"visited", candidate.measured->expansions},
                        {"persistent", candidate.measured->persistent},
                        {"sweeps", candidate.measured->sweeps},
                        {"layers", candidate.measured->layers},
                        {"regress_edges", candidate.measured->regress_edges},
                        {"time_s", candidate.seconds}};
  Json& regressing = json["regressing"] = Json::array();
  for (const auto& [action, edges] : trial.regressing)
    regressing.push_back({{"action", label_of(system, action)}, {"edges", edges}});
  return json;
}

std::string answer_json(const ProgressAnswer& answer, const ProgressOptions& options, const Model& model,
                        ExitCode exit_code) {
  Json json = {{"tool", "tideline"},         {"version", TIDELINE_VERSION},
               {"command", "progress"},      {"model", options.model.path},
               {"product", options.product}, {"complete", answer.limit_reached.empty()}};
  json["sample"] = {
      {"states", answer.sample_states}, {"transitions", answer.sample_edges}, {"whole", answer.whole}};
  Json& candidates = json["candidates"] = Json::array();
  for (const Candidate& candidate : answer.candidates)
    candidates.push_back(candidate_json(candidate, model.system));
  json["exit_code"] = static_cast<int>(exit_code);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// What --progress-file reads: the measure, one term a line.
std::string measure_file(const ProgressAnswer& answer, const std::string& model) {
  const MeasureTrial& best = answer.candidates.front().trial;
  std::string text = fmt::format("# Progress measure for {}, found by tideline progress.\n", model);
  text +=
      fmt::format("# Predicted on {}: {} stored at most, {} visited, {}.\n",
                  show_plural(answer.sample_states, "state"), percent(best.sweep.peak, answer.sample_states),
                  percent(best.sweep.visits, answer.sample_states), show_plural(best.sweep.sweeps, "sweep"));
  const auto& terms = best.measure.terms();
  for (std::size_t i = 0; i < terms.size(); ++i)
    text += fmt::format("{}{}{}\n", terms[i].monotone ? "monotone " : "", terms[i].text,
                        i + 1 < terms.size() ? "," : "");
  return text;
}

/// Where forgetting saves too little to be worth the visits, another engine is the better choice.
void say_whether_it_helps(const ProgressAnswer& answer) {
  constexpr double helps = 0.5;
  if (answer.candidates.empty() || answer.candidates.front().trial.score > helps)
    complain(
        "note: the sweep-line would save little on this model; bfs, or for infinite runs another engine, is "
        "the "
        "better choice");
}

ExitCode run_progress(const ProgressOptions& options) {
  if (options.limit == 0)
    throw Error(ErrorKind::usage, "--limit 0: measures are tried on at least one state");
  const bool text_on_stdout =
      require_outputs({options.save_file, options.json_file},
                      {options.model.path, options.model.property_file, options.given.progress_file});
  ProgressDisplay display(!options.limits.quiet);
  const Budget::Limits limits = options.limits.limits(display);
  const Model model = options.model.load(options.limits.quiet);
  const auto property = options.product ? watched_property(model.system, options.model.path, options.formula,
                                                           options.automaton_file)
                                        : nullptr;

  if (!options.limits.quiet)
    say_idle_options(options.given_names, {{"--threads", options.measured != 0}}, "without --measure");
  Budget budget(limits);
  SampleBudget sample_budget(limits, budget.seconds());
  const Interpreter graph(Program::compile(model.system, options.model.semantics()));
  const ProgressAnswer answer =
      property ? answer_for(PropertyProduct(graph, *property), options, model, sample_budget, budget)
               : answer_for(graph, options, model, sample_budget, budget);
  display.erase();

  ExitCode exit_code = answer.limit_reached.empty() ? exit_holds : exit_unknown;
  if (!options.limits.quiet) {
    if (!answer.limit_reached.empty()) complain("note: " + answer.limit_reached);
    say_whether_it_helps(answer);
  }
  if (!options.save_file.empty()) {
    if (answer.candidates.empty()) {
      complain("error: there is no measure to be saved");
      exit_code = exit_unknown;
    } else {
      write_output(options.save_file, measure_file(answer, options.model.path));
    }
  }
  if (text_on_stdout) print(answer_text(answer, model.system, options.product));
  if (!options.json_file.empty())
    write_output(options.json_file, answer_json(answer, options, model, exit_code));
  return exit_code;
}

}  // namespace

void add_progress(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("progress");
  set_help(*command, help_page);
  const auto options = std::make_shared<ProgressOptions>();
  options->model.add_to(*command);
  options->limits.add_to(*command);
  options->given.add_measure_to(*command);
  command->add_option("--save", options->save_file);
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
