// tideline report: a page to look at, from an answer and runs that were saved earlier.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>

#include "checking/trace_review.hpp"
#include "commands.hpp"
#include "lang/lang.hpp"
#include "options.hpp"
#include "output.hpp"
#include "page_file.hpp"
#include "report/page.hpp"
#include "report/page_model.hpp"
#include "report/saved_answer.hpp"
#include "run_report.hpp"
#include "signals.hpp"
#include "trace/itf_system.hpp"

namespace tideline::app {
namespace {

constexpr const char* report_help = R"(Usage: tideline report FILE... [options]
Makes a page to look at (HTML) from what was saved, in any order: an answer (the
JSON of check or explore) and runs (ITF JSON of check or simulate). Runs are
replayed against their model first.

  -o, --output FILE   the page (default: the first file's name with .html)
  --model MODEL       the model (default: the one the files name, looked for
                      from here and then beside them; without it the page has
                      no source, and runs as their files tell them)
  --properties FILE   where the named properties and definitions are
  --report-states N   count up to N states of the model for the page (default:
                      200000, for at most two seconds; 0: none)
  --licences          print the licences of the libraries in the page
  --quiet             no notes

Exit code: 0 the page is written, 1 it is, but a run does not replay or does not
prove what it claims, 2 a file cannot be read or is not what it should be.

Examples
  tideline check models/peterson.dve --all --json answer.json
  tideline report answer.json --output answer.html
)";

struct SavedReportOptions {
  std::vector<std::string> files;
  std::string output, model, property_file;
  std::optional<std::uint64_t> states;
  bool licences = false, quiet = false;
};

/// A run that was saved, and what it is called.
struct NamedTrace {
  ItfTrace trace;
  std::string title;
  std::optional<std::size_t> property = {};  ///< of the answer
  Verdict verdict = Verdict::violated;
  bool of_answer = false;
};

class SavedReport {
 public:
  explicit SavedReport(const SavedReportOptions& options) : options_(options) {}

  ExitCode write() {
    for (const std::string& file : options_.files) read(file);
    bind_properties();
    data_.created = iso_time();
    if (load())
      replay();
    else
      show_unchecked();
    data_.answer = answer_ ? page_answer(*answer_, run_of_answer_)
                           : empty_page_answer("report", TIDELINE_VERSION, model_path_);
    if (answer_) {
      const auto notes = page_notes(*answer_);
      data_.notes.insert(data_.notes.begin(), notes.begin(), notes.end());
    }
    write_output(output_file(), page_html(page_file(), page_json(data_)));
    if (!options_.quiet) note("the report is in " + output_file());
    return all_pass_ ? exit_holds : exit_violated;
  }

  std::string output_file() const {
    if (!options_.output.empty()) return options_.output;
    return std::filesystem::path(options_.files.front()).replace_extension(".html").string();
  }

 private:
  void read(const std::string& file) {
    const std::string text = read_source(file).text;
    if (!looks_like_answer(text)) {
      ItfTrace trace = read_itf(text, file);
      const std::string title = !trace.header.property.empty()
                                    ? trace.header.property
                                    : std::filesystem::path(file).filename().string();
      const auto verdict = verdict_from(trace.header.verdict);
      traces_.push_back(
          {.trace = std::move(trace), .title = title, .verdict = verdict.value_or(Verdict::violated)});
      return;
    }
    if (answer_)
      throw Error(ErrorKind::usage,
                  fmt::format("{} and {} are both answers; a page shows one", answer_->file, file));
    answer_ = read_answer(text, file);
    for (AnswerRun& run : answer_->runs)
      traces_.push_back({.trace = std::move(run.trace),
                         .title = run.name,
                         .property = run.property,
                         .verdict = run.verdict,
                         .of_answer = true});
  }

  /// A run in a file of its own may be about a property of the answer.
  void bind_properties() {
    if (!answer_) return;
    for (NamedTrace& named : traces_)
      for (std::size_t i = 0; i < answer_->properties.size() && !named.property; ++i)
        if (answer_->properties[i] == named.trace.header.property) named.property = i;
    run_of_answer_.resize(answer_->runs.size());
  }

  /// Where the model should be: as given, or as a file says.
  std::optional<std::string> find_model() const {
    if (!options_.model.empty()) return options_.model;
    if (answer_) {
      ItfTrace as_trace;
      as_trace.name = answer_->file;
      as_trace.header.model = answer_->model;
      return find_model_of(as_trace);
    }
    for (const NamedTrace& named : traces_)
      if (const auto model = find_model_of(named.trace)) return model;
    return std::nullopt;
  }

  /// The values of constants with which the files were made.
  std::vector<std::string> given_defines() const {
    if (answer_) return answer_->defines;
    return traces_.empty() ? std::vector<std::string>{} : traces_.front().trace.header.defines;
  }

  /// False: there is no model.
  bool load() {
    const auto path = find_model();
    model_path_ = path.value_or("");
    if (!path) {
      say("no file names the model; --model MODEL says which it is");
      return false;
    }
    const bool divine = std::ranges::any_of(traces_, [](const NamedTrace& named) {
      return named.trace.header.errors == ErrorSemantics::error_state;
    });
    try {
      model_ = load_model(*path, {.property_file = options_.property_file,
                                  .defines = parse_defines(given_defines()),
                                  .wrap_messages = divine});
    } catch (const Error& error) {
      // A model that was named on the command line has to be there; one that a file names may be gone.
      if (!options_.model.empty() || error.kind() != ErrorKind::io) throw;
      say(fmt::format(
          "the model '{}' cannot be read; the page is made without it (--model MODEL says where it is)",
          *path));
      return false;
    }
    return true;
  }

  void say(const std::string& text) const {
    if (!options_.quiet) note(text);
  }

  void add_run(std::size_t index, Trace run) {
    const NamedTrace& named = traces_[index];
    if (named.of_answer) run_of_answer_[index_in_answer(index)] = data_.runs.size();
    data_.runs.push_back({.title = named.title,
                          .property = named.property,
                          .kind = named.trace.header.kind == "simulation" ? PageRunKind::simulation
                                                                          : page_run_kind(named.verdict, run),
                          .run = std::move(run)});
  }

  std::size_t index_in_answer(std::size_t index) const {
    return static_cast<std::size_t>(std::count_if(traces_.begin(),
                                                  traces_.begin() + static_cast<std::ptrdiff_t>(index),
                                                  [](const NamedTrace& named) { return named.of_answer; }));
  }

  void replay() {
    ErrorSemantics errors = ErrorSemantics::stop;
    for (std::size_t i = 0; i < traces_.size(); ++i) {
      NamedTrace& named = traces_[i];
      ItfCheck check = named.of_answer ? replay_of_answer(named.trace) : replay_file(named);
      if (check.failure) {
        all_pass_ = false;
        const std::string why = fmt::format("the run of '{}' does not replay: step {}: {}", named.title,
                                            check.failed_step, *check.failure);
        warn(why);
        data_.notes.push_back(fmt::format("Only a part of a run is shown: {}.", why));
      }
      if (named.trace.header.errors == ErrorSemantics::error_state) errors = ErrorSemantics::error_state;
      add_run(i, std::move(check.run));
    }
    data_.system = &model_.system;
    if (page_parts(model_.system) > PageModelLimits{}.parts) return leave_out_runs();
    data_.model = page_model(model_, model_path_);
    count(errors);
  }

  void leave_out_runs() {
    data_.system = nullptr;
    data_.runs.clear();
    run_of_answer_.assign(run_of_answer_.size(), std::nullopt);
    data_.notes.push_back("The model is too large for this page: its structure and its runs are left out.");
  }

  ItfCheck replay_file(const NamedTrace& named) {
    TraceReview review = review_trace(model_, named.trace);
    if (review.missing) {
      all_pass_ = false;
      warn(fmt::format("{}: {}", named.trace.name, review_text(review)));
      data_.notes.push_back(fmt::format("{}: {}.", named.title, review_text(review)));
    }
    return std::move(review.check);
  }

  /// An answer says neither how model errors were treated nor by which step a cycle is closed: whatever
  /// replays is right.
  ItfCheck replay_of_answer(ItfTrace& trace) const {
    std::optional<ItfCheck> first;
    for (const ErrorSemantics errors : {ErrorSemantics::stop, ErrorSemantics::error_state}) {
      if (errors == ErrorSemantics::error_state && !model_.system.error_state) continue;
      for (const bool stutters : {false, true}) {
        if (stutters && !trace.loop) continue;
        trace.header.errors = errors;
        trace.closes_loop.action.reset();
        if (stutters) trace.closes_loop.action = std::string(stutter_label);
        ItfCheck check = check_against(model_.system, trace);
        if (!check.failure) return check;
        if (!first) first = std::move(check);
      }
    }
    trace.header.errors = ErrorSemantics::stop;
    return std::move(*first);
  }

  void count(ErrorSemantics errors) {
    if (options_.states == std::uint64_t{0}) return;
    Budget::Limits limits;
    limits.interrupted = &interrupted();
    Budget budget(limits);
    data_.exploration.survey = survey(model_.system, errors, survey_limits(options_.states), budget);
  }

  void show_unchecked() {
    std::vector<ItfTrace> all;
    for (const NamedTrace& named : traces_) all.push_back(named.trace);
    if (all.empty()) return;
    model_.system = system_from(all);
    for (std::size_t i = 0; i < all.size(); ++i) add_run(i, unchecked_run(model_.system, all[i]));
    data_.system = &model_.system;
    data_.model = page_model(model_, model_path_);
    data_.notes.push_back(
        "The model could not be read: runs are shown as their files tell them, and were not replayed.");
  }

  const SavedReportOptions& options_;
  std::vector<NamedTrace> traces_;
  std::optional<SavedAnswer> answer_;
  std::vector<std::optional<std::size_t>> run_of_answer_;
  std::string model_path_;
  Model model_;
  PageData data_;
  bool all_pass_ = true;
};

ExitCode run_report(const SavedReportOptions& options) {
  if (options.licences) {
    require_page("--licences");
    print(page_licences());
    return exit_holds;
  }
  if (options.files.empty()) throw Error(ErrorKind::usage, "FILE is required (see tideline report --help)");
  require_page("tideline report");
  SavedReport report(options);
  std::vector<std::string> inputs = options.files;
  inputs.insert(inputs.end(), {options.model, options.property_file});
  require_outputs({report.output_file()}, inputs);
  return report.write();
}

}  // namespace

void add_report(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("report");
  set_help(*command, report_help);
  const auto options = std::make_shared<SavedReportOptions>();
  command->add_option("FILE", options->files);
  command->add_option("-o,--output", options->output);
  command->add_option("--model", options->model);
  command->add_option("--properties", options->property_file);
  add_survey_option(*command, options->states);
  command->add_flag("--licences", options->licences);
  command->add_flag("--quiet", options->quiet);
  command->callback([options, &exit_code] { exit_code = run_report(*options); });
}

}  // namespace tideline::app
