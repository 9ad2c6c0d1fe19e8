#include "checking/check.hpp"

#include <fmt/format.h>

#include <tideline/check.hpp>
#include <utility>

#include "bind/bind.hpp"
#include "bind/selection.hpp"
#include "checking/shorten_runs.hpp"
#include "checking/watched_actions.hpp"
#include "lang/lang.hpp"
#include "report/answer.hpp"
#include "trace/show.hpp"

namespace tideline {

namespace {

/// In the order of the questions.
std::vector<Property> properties_of(const std::vector<Question>& questions, const Model& model) {
  std::vector<PropertyText> texts;
  for (const Question& question : questions)
    if (!question.is_named) texts.push_back({question.kind, question.text, question.name});
  std::vector<Property> of_texts = bind_texts(model.system, texts);
  std::vector<Property> properties;
  auto next = of_texts.begin();
  for (const Question& question : questions)
    properties.push_back(question.is_named ? named_property(model, question.name) : std::move(*next++));
  return properties;
}

Settings settings_of(const CheckSettings& given) {
  Settings settings;
  settings.engine = find_engine(given.engine);
  if (!settings.engine)
    throw Error(ErrorKind::usage, fmt::format("unknown engine '{}'; the engines are {}", given.engine,
                                              engine_names([](const Engine&) { return true; })));
  settings.threads = given.threads;
  if (given.reduce) settings.reduction = *given.reduce ? por::Method::stubborn : por::Method::none;
  settings.traces = given.runs;
  if (!given.measure.empty()) settings.measure = SourceText{"the measure", given.measure};
  settings.fairness = given.fairness;
  settings.lassos.shortest = given.shortest;
  settings.deadlock_paths = given.deadlock_paths;
  settings.notes = given.on_note;
  return settings;
}

/// The numbers of the results in the order of the questions, then of those that were not asked for.
std::vector<std::size_t> order_of(const std::vector<PropertyResult>& results,
                                  const std::vector<Property>& properties) {
  std::vector<std::size_t> order;
  std::vector<bool> taken(results.size());
  const auto take = [&](std::size_t i) {
    if (!taken[i]) order.push_back(i);
    taken[i] = true;
  };
  for (const Property& property : properties)
    for (std::size_t i = 0; i < results.size(); ++i)
      if (!taken[i] && results[i].property.name == property.name &&
          results[i].property.kind == property.kind) {
        take(i);
        break;
      }
  for (std::size_t i = 0; i < results.size(); ++i) take(i);
  return order;
}

Run run_of(const System& system, const Trace& trace, Budget& budget) {
  Run run{.variables = {}, .states = trace.states, .actions = {}, .loop = trace.loop, .text = {}};
  for (const Slot& slot : system.slots) run.variables.push_back(slot.name);
  for (const ActionId action : trace.actions) run.actions.emplace_back(step_label(system, action));
  run.text = show_run(system, trace, {.budget = &budget});
  return run;
}

}  // namespace

ModelFile ModelFile::load(const std::string& path) {
  return ModelFile(std::make_shared<const Model>(load_model(path)));
}

ModelFile ModelFile::read(std::string name, std::string text) {
  return ModelFile(std::make_shared<const Model>(read_model({std::move(name), std::move(text)})));
}

std::vector<std::string> ModelFile::warnings() const {
  std::vector<std::string> lines;
  for (const Diagnostic& warning : model_->system.warnings) lines.push_back(warning.message);
  return lines;
}

std::vector<std::string> ModelFile::property_names() const {
  std::vector<std::string> names;
  for (const Property& property : model_->properties) names.push_back(property.name);
  return names;
}

CheckAnswer check(const ModelFile& file, const std::vector<Question>& questions, const CheckSettings& given) {
  const Settings settings = settings_of(given);
  std::vector<Property> properties = properties_of(questions, file.model());
  const std::optional<Model> watched = watch_actions(file.model(), settings.errors, properties);
  const Model& model = watched ? *watched : file.model();
  Budget budget(given.limits);
  Check check(model, properties, settings);
  const bool ended = within_limits(budget, [&] { check.run(given.limits, budget); });
  CheckResult result = check.result();
  if (!ended && result.outcome.results.empty())
    result.outcome = give_up(properties, settings, model.system, check.result().unbounded, budget);

  Budget wrap_up = budget.wrap_up();
  auto& results = result.outcome.results;
  auto traces = replay_all(model.system, settings.errors, results, wrap_up);
  if (given.shorten && !given.shortest)
    shorten_runs(model.system, settings.errors, result, given.limits, budget, wrap_up, traces);
  CheckAnswer answer{.properties = {},
                     .engine = result.outcome.engine,
                     .complete = result.outcome.complete,
                     .statistics = {},
                     .warnings = result.outcome.warnings};
  for (const std::size_t i : order_of(results, properties)) {
    PropertyAnswer property{.name = results[i].property.name,
                            .formula = results[i].property.formula,
                            .verdict = results[i].verdict,
                            .reason = results[i].reason,
                            .run = {}};
    const System& shown = file.model().system;
    if (traces[i] && watched) forget_monitors(shown, *traces[i]);
    if (traces[i]) within_limits(wrap_up, [&] { property.run = run_of(shown, *traces[i], wrap_up); });
    answer.properties.push_back(std::move(property));
  }
  for (const auto& [stat, value] : result.outcome.statistics.entries())
    answer.statistics.emplace(stat->name, value);
  return answer;
}

}  // namespace tideline
