// tideline trace: shows a saved run, after taking every step of it again and checking what it claims.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "bind/bind.hpp"
#include "commands.hpp"
#include "lang/lang.hpp"
#include "output.hpp"
#include "report/numbers.hpp"
#include "trace/itf.hpp"
#include "trace/show.hpp"

namespace tideline::app {
namespace {

constexpr const char* help_page = R"(Usage: tideline trace FILE [options]
Reads a run in ITF JSON, replays it against its model, shows it, and says
whether it proves what it claims; if it does not replay, where it fails.

  --model MODEL       the model (default: the one the file names, looked for
                      from here and then beside the file)
  --properties FILE   where the named properties and definitions are
  --full              whole states instead of differences
  --quiet             only the last line

Exit code: 0 it replays and proves its claim, 1 it does not, 2 it cannot be
read or is no run of this model.

Examples
  tideline check models/peterson.dve --reach P_0.critical --trace run.itf.json
  tideline trace run.itf.json --model models/peterson.dve --full
)";

struct TraceOptions {
  std::string file, model, property_file;
  bool full = false, quiet = false;
};

/// Where the model is: as the file says, seen from here or from the file's folder.
std::string find_model(const TraceOptions& options, const ItfTrace& trace) {
  namespace fs = std::filesystem;
  if (!options.model.empty()) return options.model;
  if (trace.header.model.empty())
    throw Error(ErrorKind::usage, fmt::format("{} names no model; --model MODEL says which", options.file));
  const fs::path named = trace.header.model;
  const fs::path folder = fs::path(options.file).parent_path();
  std::error_code ignored;
  for (const fs::path& candidate : {named, folder / named, folder / named.filename()})
    if (fs::exists(candidate, ignored)) return candidate.string();
  return named.string();
}

constexpr PropertyKind all_kinds[] = {
    PropertyKind::deadlock,    PropertyKind::invariant, PropertyKind::reach, PropertyKind::assertion,
    PropertyKind::model_error, PropertyKind::automaton, PropertyKind::ltl,   PropertyKind::ctl};

/// The model's own property of that name, if it has one: a formula in the file may be an old one.
const Property* named_in_model(const Model& model, const Property& property) {
  for (const Property& named : model.properties)
    if (named.name == property.name && named.kind == property.kind) return &named;
  return nullptr;
}

void bind_assertion(const System& system, Property& property) {
  for (const Assertion& assertion : system.assertions)
    if (assertion.name == property.name) {
      property.formula = assertion.text;
      property.expr = assertion.condition;
      return;
    }
  throw Error(ErrorKind::input, fmt::format("the model has no assertion '{}'", property.name));
}

/// The property that the file says its run is about; nothing when it makes no claim (a simulation, or a file
/// of another tool).
std::optional<Property> claimed_property(const Model& model, const TraceHeader& header) {
  if (header.kind.empty() || header.kind == "simulation") return std::nullopt;
  const auto* const kind = std::find_if(std::begin(all_kinds), std::end(all_kinds),
                                        [&](PropertyKind k) { return to_string(k) == header.kind; });
  if (kind == std::end(all_kinds))
    throw Error(ErrorKind::input,
                fmt::format("the trace is about a property of unknown kind '{}'", header.kind));
  Property property{
      .name = header.property, .kind = *kind, .formula = header.formula, .fairness = header.fairness};
  const bool either = *kind == PropertyKind::ctl || *kind == PropertyKind::reach;
  if (!header.verdict.empty() && header.verdict != to_string(Verdict::violated) &&
      !(either && header.verdict == to_string(Verdict::holds)))
    throw Error(ErrorKind::input,
                fmt::format("no run proves what the trace claims: {} {}", header.kind, header.verdict));
  if (const Property* named = named_in_model(model, property)) property.formula = named->formula;
  property.origin = "formula of the trace";
  property.deadlock_paths = header.deadlock_paths;
  if (*kind == PropertyKind::invariant || *kind == PropertyKind::reach)
    return bind_expression(model.system, std::move(property));
  if (*kind == PropertyKind::assertion) bind_assertion(model.system, property);
  if (*kind == PropertyKind::automaton && header.formula.empty()) {
    const auto own = own_property(model.system);
    if (!own) throw Error(ErrorKind::input, "the model has no property process");
    property.process = own->process;
  }
  return bind(model.system, property);
}

/// What the run is to show; a file that does not say is taken to show what runs of its kind do.
Verdict claimed_verdict(const TraceHeader& header) {
  const bool reach = header.kind == to_string(PropertyKind::reach);
  const std::string_view usual = to_string(reach ? Verdict::holds : Verdict::violated);
  return (header.verdict.empty() ? usual : header.verdict) == to_string(Verdict::holds) ? Verdict::holds
                                                                                        : Verdict::violated;
}

/// "violates mutex (invariant, ...)"
std::string claim(const Property& property, bool holds) {
  std::string text = holds ? "is a witness of" : "violates";
  text += fmt::format(" {} ({}", property.name, to_string(property.kind));
  if (!property.formula.empty()) text += ", " + property.formula;
  if (property.fairness != Fairness::none)
    text += fmt::format(", {}ly fair runs", to_string(property.fairness));
  return text + ")";
}

ExitCode run_trace(const TraceOptions& options) {
  const ItfTrace trace = read_itf(read_source(options.file).text, options.file);
  const bool divine = trace.header.errors == ErrorSemantics::error_state;
  const Model model = load_model(find_model(options, trace),
                                 {.property_file = options.property_file, .wrap_messages = divine});
  ItfCheck check = check_against(model.system, trace);
  // Of a run that does not replay it is shown how far it does; the model may not even know what its formula
  // names.
  const auto property = check.failure ? std::nullopt : claimed_property(model, trace.header);
  const Verdict claimed = claimed_verdict(trace.header);
  if (property && claimed == Verdict::violated && !check.run.loop)
    check.run.no_value = missing_value(model.system, *property, check.run);
  if (!options.quiet)
    print(show_run(model.system, check.run, {.full = options.full, .source = &model.source}));
  if (check.failure) {
    print(fmt::format("does not replay: step {}: {}\n", check.failed_step, *check.failure));
    return exit_violated;
  }
  const std::string replays = "replays: " + show_plural(check.run.length(), "step");
  if (!property) {
    print(replays + "\n");
    return exit_holds;
  }
  const auto missing = missing_proof(model.system, trace.header.errors, *property, check.run, claimed);
  const std::string text = claim(*property, claimed == Verdict::holds);
  print(missing ? fmt::format("{}, but not a run that {}: {}\n", replays, text, *missing)
                : fmt::format("{}, a run that {}\n", replays, text));
  return missing ? exit_violated : exit_holds;
}

}  // namespace

void add_trace(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("trace");
  set_help(*command, help_page);
  const auto options = std::make_shared<TraceOptions>();
  command->add_option("FILE", options->file)->required();
  command->add_option("--model", options->model);
  command->add_option("--properties", options->property_file);
  command->add_flag("--full", options->full);
  command->add_flag("--quiet", options->quiet);
  command->callback([options, &exit_code] { exit_code = run_trace(*options); });
}

}  // namespace tideline::app
