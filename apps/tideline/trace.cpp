// tideline trace: shows a saved run, after taking every step of it again and checking what it claims.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "checking/trace_review.hpp"
#include "colours.hpp"
#include "commands.hpp"
#include "lang/lang.hpp"
#include "options.hpp"
#include "output.hpp"
#include "trace/explain.hpp"
#include "trace/show.hpp"
#include "trace/show_explained.hpp"
#include "trace/spin_trail.hpp"

namespace tideline::app {
namespace {

constexpr const char* trace_help = R"(Usage: tideline trace FILE [options]
Reads a run in ITF JSON or a trail of SPIN, replays it against its model,
shows it, and says whether it proves what it claims; if it does not replay,
where it fails.

  --model MODEL       the model (default: the one the file names, looked for
                      from here and then beside the file; m.pml.trail: m.pml)
  --processes N       most processes of Promela that run at a time
  --properties FILE   where the named properties and definitions are
  --full              whole states instead of differences
  --explain           a shorter run if there is one, and what matters in it
  --quiet             only the last line

Exit code: 0 it replays and proves its claim, 1 it does not, 2 it cannot be
read or is not a run of this model.

Examples
  tideline check models/peterson.dve --reach P_0.critical --trace run.itf.json
  tideline trace run.itf.json --model models/peterson.dve --full
)";

struct TraceOptions {
  std::string file, model, property_file;
  std::uint32_t most_processes = LoadOptions{}.most_processes;
  bool full = false, quiet = false, explain = false;
};

/// The one that was given, else the one that the trace names.
std::string find_model(const TraceOptions& options, const std::optional<std::string>& named) {
  if (!options.model.empty()) return options.model;
  if (named) return *named;
  throw Error(ErrorKind::usage,
              fmt::format("{} does not name a model; --model MODEL says which", options.file));
}

std::string run_text(const TraceOptions& options, const Model& model, ErrorSemantics errors,
                     const TraceReview& review) {
  const Trace& run = review.check.run;
  const ShowOptions how{.full = options.full, .source = &model.source, .palette = stdout_palette()};
  std::string why = !review.property  ? "it claims nothing, or does not replay"
                    : review.passes() ? why_not_explained(*review.property)
                                      : "it does not prove what it claims";
  if (options.explain && !why.empty()) note("the run is not explained: " + why);
  if (!options.explain || !why.empty()) return show_run(model.system, run, how);
  const ExplainedRun explained = explain_run(model.system, errors, *review.property, review.verdict, run);
  return show_explained(model.system, explained.run, explained.explanation, how);
}

ExitCode run_trace(const TraceOptions& options) {
  const std::string text = read_source(options.file).text;
  const bool is_trail = is_spin_trail(options.file, text);
  ItfTrace trace;
  if (!is_trail) trace = read_itf(text, options.file);
  const std::string path =
      find_model(options, is_trail ? model_of_trail(options.file) : find_model_of(trace));
  const bool divine = trace.header.errors == ErrorSemantics::error_state;
  const Model model = load_model(path, {.property_file = options.property_file,
                                        .defines = parse_defines(trace.header.defines),
                                        .wrap_messages = divine,
                                        .most_processes = options.most_processes});
  if (is_trail) trace = to_itf_trace(model.system, read_spin_trail(text, options.file), path);
  const TraceReview review = review_trace(model, trace);
  if (!options.quiet) print(run_text(options, model, trace.header.errors, review));
  print(review_text(review) + "\n");
  return review.passes() ? exit_holds : exit_violated;
}

}  // namespace

void add_trace(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("trace");
  set_help(*command, trace_help);
  const auto options = std::make_shared<TraceOptions>();
  command->add_option("FILE", options->file)->required();
  command->add_option("--model", options->model);
  command->add_option("--properties", options->property_file);
  command->add_option("--processes", options->most_processes)->check(number_between(1, 255));
  command->add_flag("--full", options->full);
  command->add_flag("--explain", options->explain);
  command->add_flag("--quiet", options->quiet);
  command->callback([options, &exit_code] { exit_code = run_trace(*options); });
}

}  // namespace tideline::app
