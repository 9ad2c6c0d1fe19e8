// tideline explain-por: what in a model keeps partial order reduction from leaving out steps?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "allocation/allocation_guard.hpp"
#include "bind/bind.hpp"
#include "checking/reduction.hpp"
#include "commands.hpp"
#include "lang/diagnostics.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report/explanation.hpp"
#include "search/states/preserved.hpp"

namespace tideline::app {
namespace {

constexpr const char* explain_help = R"(Usage: tideline explain-por MODEL [options]
Shows what keeps partial order reduction from leaving out steps: which processes
get in each other's way and over which variables, and which actions are visible
to the property, lead back, or may end in a model error (docs/por.md).

  --deadlock          for this property; the default, unless the model has a
                      property process
  --invariant E, --reach E, --assertions    for properties of states
  --ltl F, --automaton FILE                 for one property of infinite runs
  --property NAME     for a named property;  --properties FILE: where it is
  --process NAME      only conflicts and actions of this process
  --actions           list the conflicts of each action, too
  --json FILE         the answer for programs (- is stdout)
  --define N=4        a constant of the model;  --language dve: of MODEL -
  --processes N       of Promela: at most so many at a time (255)
  --model-errors MODE report: are violations;  divine: lead to an error state
  --memory SIZE, --time DURATION   stop there
  --quiet             no status line, no warnings;  --status json: for programs

Examples
  tideline explain-por models/peterson.dve --invariant '!P_0.critical'
  tideline explain-por models/peterson.dve --process P_0 --actions
)";

struct ExplainOptions {
  ModelOptions model;
  LimitOptions limits;
  PropertySelection selection;
  std::vector<std::string> processes;
  bool actions = false;
  std::string json_file;
};

/// The properties that are asked for. Throws Error(usage) for those that are not reduced together.
std::vector<Property> properties_of(const ExplainOptions& options, const Model& model) {
  PropertySelection selection = options.selection;
  if (selection.empty()) {
    if (auto own = own_property(model.system)) return {std::move(*own)};
    selection.texts.push_back({PropertyKind::deadlock});
  }
  std::vector<Property> properties = select_properties(selection, model);
  for (Property& property : properties) {
    if (is_liveness(property.kind) && properties.size() > 1)
      throw Error(
          ErrorKind::usage,
          fmt::format("property {} is about infinite runs: give no other one beside it", property.name));
    property = bind(model.system, property);
    if (const std::string why = why_not_reduced(property, model.system); !why.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("property {} is searched without reduction: {}", property.name, why));
  }
  return properties;
}

std::vector<ComponentId> processes_of(const std::vector<std::string>& names, const System& system) {
  std::vector<ComponentId> processes;
  for (const std::string& name : names) {
    if (const auto process = system.find_component(name)) {
      processes.push_back(*process);
      continue;
    }
    if (std::ranges::all_of(system.actions, &std::vector<Participant>::empty, &Action::participants))
      throw Error(ErrorKind::usage, "--process: the model has no processes");
    std::vector<std::string> known;
    Suggestion suggestion(name);
    for (const Component& component : system.components) {
      known.push_back(component.name);
      suggestion.offer(component.name);
    }
    throw Error(ErrorKind::usage, fmt::format("--process: the model has no process '{}' (it has {}){}",
                                              abbreviate(name), fmt::join(known, ", "), suggestion.text()));
  }
  return processes;
}

/// Fills in what is found.
void find_explanation(const ExplainOptions& options, Model& model, ExplanationAnswer& answer,
                      Budget& budget) {
  budget.begin(Phase::reading);
  model = options.model.load(options.limits.quiet);
  budget.begin(Phase::comparing);
  const System& system = model.system;
  const por::ExplanationOptions wanted{.processes = processes_of(options.processes, system),
                                       .details = options.actions};
  const std::vector<Property> properties = properties_of(options, model);
  for (const Property& property : properties) answer.properties.push_back(property.name);
  const auto sets = por::StubbornSets::make(system, options.model.semantics(),
                                            is_liveness(properties.front().kind)
                                                ? preserved_for(*properties.front().process)
                                                : preserved_for(system, properties),
                                            por::Method::stubborn, &budget);
  answer.explanation = por::explain(*sets, wanted);
}

ExitCode run_explain(const ExplainOptions& options) {
  const bool text_on_stdout =
      require_outputs({options.json_file}, {options.model.path, options.model.property_file});
  StatusDisplay status(options.limits.status_form());
  const Budget::Limits limits = options.limits.limits(status);
  std::optional<AllocationGuard> guard(limits);
  Budget budget(limits);
  Model model;
  ExplanationAnswer answer{.version = TIDELINE_VERSION, .model = options.model.path};
  const bool found = within_limits(budget, [&] { find_explanation(options, model, answer, budget); });
  budget.end_phase();
  status.erase();
  guard.reset();  // rendering needs memory whatever the limits are
  const ExitCode exit_code = found ? exit_holds : exit_unknown;
  answer.complete = found;
  answer.exit_code = exit_code;
  if (!found && !options.limits.quiet) note(budget.reason());
  if (found && text_on_stdout) print(explanation_text(answer, model.system));
  if (!options.json_file.empty()) write_output(options.json_file, explanation_json(answer, model.system));
  return exit_code;
}

}  // namespace

void add_explain_por(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("explain-por");
  set_help(*command, explain_help);
  const auto options = std::make_shared<ExplainOptions>();
  options->model.add_to(*command);
  options->limits.add_to(*command, false);
  PropertySelection& selection = options->selection;
  command->add_flag_callback("--deadlock",
                             [&selection] { selection.texts.push_back({PropertyKind::deadlock}); });
  command->add_flag("--assertions", selection.assertions);
  for (const PropertyKind kind :
       {PropertyKind::invariant, PropertyKind::reach, PropertyKind::ltl, PropertyKind::automaton})
    add_property_option(*command, kind, selection.texts);
  add_repeatable(*command, "--property", selection.names);
  add_repeatable(*command, "--process", options->processes);
  command->add_flag("--actions", options->actions);
  command->add_option("--json", options->json_file)->check(not_empty());
  command->callback([options, &exit_code] { exit_code = run_explain(*options); });
}

}  // namespace tideline::app
