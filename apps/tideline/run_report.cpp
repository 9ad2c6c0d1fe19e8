#include "run_report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ctime>

#include "job.hpp"
#include "options.hpp"
#include "output.hpp"
#include "page_file.hpp"
#include "report/page_model.hpp"
#include "report/page_notes.hpp"

namespace tideline::app {

namespace {

/// A limit has ended the run: the page is worth a moment, but not two seconds.
constexpr double short_survey_seconds = 0.1;

constexpr const char* too_large =
    "The model is too large for this page: its structure and its runs are left out.";

}  // namespace

void add_survey_option(CLI::App& command, std::optional<std::uint64_t>& states) {
  command
      .add_option_function<std::string>("--report-states",
                                        [&states](const std::string& text) { states = std::stoull(text); })
      ->check(number_between(0, 4'000'000'000));
}

SurveyLimits survey_limits(std::optional<std::uint64_t> states) {
  if (!states) return {};
  return {.states = *states, .seconds = {}, .bytes = ~std::uint64_t{0}, .values = ~std::uint64_t{0}};
}

void ReportOptions::add_to(CLI::App& command) {
  command.add_option("--report", file)->check(not_empty());
  add_survey_option(command, states);
  command
      .add_option_function<std::string>(
          "--progress-port",
          [this](const std::string& text) { port = static_cast<std::uint16_t>(std::stoul(text)); })
      ->check(number_between(0, 65'535));
}

std::vector<std::string> typed_command(const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"tideline", name};
  if (!arguments.empty()) words.push_back(arguments.back());
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    const std::size_t equals = argument.find('=');
    words.push_back(argument.substr(0, equals));
    if (equals != std::string::npos) words.push_back(argument.substr(equals + 1));
  }
  return words;
}

std::string iso_time() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

RunReport::RunReport(const ReportOptions& options, const std::string& command,
                     const std::vector<std::string>& arguments)
    : options_(options), command_name_(command), command_(typed_command(command, arguments)) {
  if (file_wanted()) require_page("--report");
  if (options_.port) require_page("--progress-port");
}

void RunReport::begin(const std::string& model) {
  model_path_ = model;
  if (!options_.port || job().is_silent()) return;
  server_.emplace(*options_.port,
                  LiveContent{.page = [this] { return page_html(page_file(), live_json(), "data.json"); },
                              .data = [this] { return live_json(); }});
  note("watch this run at " + server_->address());
}

void RunReport::watch(Budget::Limits& limits) {
  if (wanted() && !job().is_silent()) timeline_.watch(limits);
}

void RunReport::watch(Settings& settings) {
  if (!wanted()) return;
  settings.sweep.on_layer = [this, before = settings.sweep.on_layer](const LayerReport& layer) {
    timeline_.add(layer);
    if (before) before(layer);
  };
}

void RunReport::show(const Model& model) {
  if (!server_ || page_parts(model.system) > PageModelLimits{}.parts) return;
  std::string json = page_model(model, model_path_);
  const std::scoped_lock lock(mutex_);
  model_ = std::move(json);
}

std::string RunReport::live_json() const {
  PageData data{.created = iso_time(), .command = command_};
  {
    const std::scoped_lock lock(mutex_);
    if (!final_.empty()) return final_;
    data.model = model_;
  }
  data.answer = empty_page_answer(command_name_, TIDELINE_VERSION, model_path_);
  data.exploration = {.timeline = timeline_.points(), .layers = timeline_.layers()};
  data.live = {.status = timeline_.latest().value_or(RunStatus{.phase = Phase::reading})};
  return page_json(data);
}

std::optional<Survey> RunReport::count(const System& system, ErrorSemantics errors, bool limit_reached,
                                       Budget& budget) const {
  if (system.slots.empty()) return std::nullopt;  // a limit was reached before the model was read
  if (options_.states == std::uint64_t{0}) return std::nullopt;
  SurveyLimits limits = survey_limits(options_.states);
  if (limit_reached) limits.seconds = short_survey_seconds;
  Survey result = survey(system, errors, limits, budget);
  if (!result.complete && result.transitions == 0) return std::nullopt;  // there was no time for it
  return result;
}

std::string RunReport::final_json(const Answer& answer, const Model& model, ErrorSemantics errors,
                                  const Budget& budget) {
  PageData data{.created = iso_time(),
                .command = command_,
                .notes = page_notes(answer, model.system),
                .system = &model.system,
                .of = &answer};
  Budget counting = budget.wrap_up();
  data.exploration = {.survey = count(model.system, errors, !budget.reason().empty(), counting),
                      .timeline = timeline_.points(),
                      .layers = timeline_.layers()};
  if (page_parts(model.system) > PageModelLimits{}.parts) {
    data.notes.push_back(too_large);
    data.system = nullptr;  // figures of actions and slots that have no names
  } else if (!model.system.language.empty()) {
    data.model = page_model(model, answer.model);
  }
  if (server_) data.live = {.status = timeline_.latest().value_or(RunStatus{}), .ended = true};
  Budget rendering = counting.wrap_up();  // an interrupt while counting is no reason to leave out runs
  std::string json;
  if (within_limits(rendering, [&] {
        add_answer(data, answer, model.system);
        json = page_json(data, &rendering);
      }))
    return json;
  data.notes.push_back(fmt::format("Runs are left out: {}.", rendering.reason()));
  Answer without = answer;
  drop_runs(without, rendering.reason());
  data.runs.clear();
  add_answer(data, without, model.system);
  return page_json(data);
}

void RunReport::write(const Answer& answer, const Model& model, ErrorSemantics errors, const Budget& budget,
                      bool quiet) {
  if (job().is_silent() || !(file_wanted() || (server_ && server_->is_watched()))) return;
  std::string json = final_json(answer, model, errors, budget);
  if (file_wanted()) {
    write_output(options_.file, page_html(page_file(), json));
    if (!quiet) note("the report is in " + options_.file);
  }
  if (!server_) return;
  {
    const std::scoped_lock lock(mutex_);
    final_ = std::move(json);
  }
  server_->end_run();
}

}  // namespace tideline::app
