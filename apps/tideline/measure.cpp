#include "measure.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "exec/interpreter.hpp"
#include "graph/property_product.hpp"
#include "lang/expression.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress/parse_measure.hpp"
#include "progress/projection.hpp"
#include "report/numbers.hpp"

namespace tideline::app {

namespace {

/// States on which a given measure is tried.
constexpr std::uint64_t quick_sample = 30'000;
/// Stored times visited states, both as fractions: the score of paper and simulation.
constexpr double hardly_helps = 0.75;
/// Part of the memory limit that a sample may take: most of it is for the sweep.
constexpr std::uint64_t sample_share = 4;

ExpressionReader reader_of(const System& system) {
  return [&system](std::string_view text, SourcePoint start, const SourceText& source) {
    Diagnostics diagnostics(source);
    return read_expression(system, text, start, diagnostics);
  };
}

/// Of a file's name: an empty one would be taken for none.
CLI::Validator not_empty() {
  return {[](std::string& text) { return std::string(text.empty() ? "the name is empty" : ""); }, ""};
}

struct Variant {
  const char* word;
  void (*apply)(LivenessOptions&);
};

constexpr Variant variant_words[] = {
    {"nested", [](LivenessOptions& o) { o.ltl_sweep.nested = true; }},
    {"paper",
     [](LivenessOptions& o) {
       o.ltl_sweep = {
           .nested = true,
           .online = false,
           .suspects = false,
           .owners = false,
           .prune = false,
           .across = {.method = AcrossMethod::mpp, .line_moves_back = true, .order_by_progress = false}};
       o.automaton_order = AutomatonOrder::none;
     }},
    {"online", [](LivenessOptions& o) { o.ltl_sweep.online = true; }},
    {"offline", [](LivenessOptions& o) { o.ltl_sweep.online = false; }},
    {"levels", [](LivenessOptions& o) { o.ltl_sweep.across.method = AcrossMethod::levels; }},
    {"trimming", [](LivenessOptions& o) { o.ltl_sweep.across.method = AcrossMethod::trimming; }},
    {"mpp", [](LivenessOptions& o) { o.ltl_sweep.across.method = AcrossMethod::mpp; }},
    {"line-back", [](LivenessOptions& o) { o.ltl_sweep.across.line_moves_back = true; }},
    {"order-found", [](LivenessOptions& o) { o.ltl_sweep.across.order_by_progress = false; }},
    {"all-candidates", [](LivenessOptions& o) { o.ltl_sweep.suspects = false; }},
    {"no-owners", [](LivenessOptions& o) { o.ltl_sweep.owners = false; }},
    {"no-prune", [](LivenessOptions& o) { o.ltl_sweep.prune = false; }},
    {"automaton-none", [](LivenessOptions& o) { o.automaton_order = AutomatonOrder::none; }},
    {"automaton-first", [](LivenessOptions& o) { o.automaton_order = AutomatonOrder::first; }},
    {"automaton-middle", [](LivenessOptions& o) { o.automaton_order = AutomatonOrder::middle; }},
    {"automaton-last", [](LivenessOptions& o) { o.automaton_order = AutomatonOrder::last; }},
};

/// The given measure tried on a sample, or the best that can be found there.
template <Graph G>
Projection look_for_measure(G graph, const System& system, const std::optional<Measure>& given,
                            ErrorSemantics errors, SampleBudget& budget) {
  if (!given)
    return project_measure(graph, system, {.sample = budget.options(SampleOptions{}.limit), .errors = errors},
                           budget.budget);
  const Sample sample = draw_sample(graph, system, budget.options(quick_sample), budget.budget);
  return {.trials = {try_measure(sample, *given)},
          .sample_states = sample.states(),
          .sample_edges = sample.edges(),
          .complete = sample.complete()};
}

/// Where the best measure comes from, and how much worse the best one of another origin is.
std::string origin(const Projection& projection) {
  const MeasureTrial& best = projection.trials.front();
  const auto other = std::ranges::find_if(
      projection.trials, [&](const MeasureTrial& trial) { return trial.origin != best.origin; });
  const auto name = [](const MeasureTrial& trial) {
    switch (trial.origin) {
      case MeasureOrigin::learnt:
        return "learnt from the sample";
      case MeasureOrigin::composed:
        return "composed of what single parts can do";
      case MeasureOrigin::linear:
        break;
    }
    return "linear, from how actions change slots";
  };
  if (other == projection.trials.end()) return name(best);
  const double ratio = other->score / std::max(best.score, 1e-9);
  const std::string comparison =
      ratio < 1.05 ? "about as good as" : fmt::format("{:.1f} times better than", ratio);
  return fmt::format("{} ({} the best one {})", name(best), comparison, name(*other));
}

void say_prospects(const Projection& projection, bool given, const char* other_engine) {
  if (projection.trials.empty()) {
    complain(fmt::format("note: no progress measure was found that helps; engine {} is the better choice",
                         other_engine));
    return;
  }
  const MeasureTrial& trial = projection.trials.front();
  const auto states = static_cast<double>(std::max<std::uint64_t>(projection.sample_states, 1));
  const double stored = static_cast<double>(trial.sweep.peak) / states;
  const double visited = static_cast<double>(trial.sweep.visits) / states;
  if (!given)
    complain(fmt::format("note: progress measure, {}: {}", origin(projection), trial.measure.text()));
  complain(fmt::format("note: on {} {} it stores {:.1f} % and visits each {:.2f} times",
                       projection.complete ? "all" : "a sample of",
                       show_plural(projection.sample_states, "state"), 100 * stored, visited));
  if (stored * visited > hardly_helps)
    complain(fmt::format("note: such a measure hardly helps; engine {} is likely to be faster and not larger",
                         other_engine));
}

}  // namespace

SampleBudget::SampleBudget(Budget::Limits limits, double gone) {
  if (limits.memory_bytes) bytes = *limits.memory_bytes / sample_share;
  limits.memory_bytes.reset();
  limits.gone = gone;
  budget = Budget(std::move(limits));
}

SampleOptions SampleBudget::options(std::uint64_t most_states) const {
  return {.limit = most_states, .bytes = bytes};
}

void SweepOptionsGiven::add_measure_to(CLI::App& command) {
  auto* text = command.add_option("--progress", progress);
  command.add_option("--progress-file", progress_file)->excludes(text)->check(not_empty());
}

void SweepOptionsGiven::add_log_to(CLI::App& command) {
  auto* folder = command.add_option("--trace-dir", trace_folder)->check(not_empty());
  command.add_flag("--keep-trace-log", keep_log)->needs(folder);
}

void SweepOptionsGiven::add_variants_to(CLI::App& command) {
  std::vector<std::string> words;
  for (const Variant& variant : variant_words) words.emplace_back(variant.word);
  command.add_option("--sweep", variants)->delimiter(',')->check(one_of(words))->allow_extra_args(false);
}

void SweepOptionsGiven::apply_variants(LivenessOptions& options) const {
  for (const std::string& word : variants)
    for (const Variant& variant : variant_words)
      if (word == variant.word) variant.apply(options);
}

Measure read_measure(const System& system, const SourceText& source) {
  return parse_measure(system, source, reader_of(system));
}

std::optional<Measure> SweepOptionsGiven::measure(const Model& model) const {
  if (progress) return read_measure(model.system, {"--progress", *progress});
  if (!progress_file.empty()) return read_measure(model.system, read_source(progress_file));
  if (model.progress)
    return parse_measure(model.system, model.progress->source, model.progress->text, model.progress->where,
                         reader_of(model.system));
  return std::nullopt;
}

SweepSettings SweepOptionsGiven::settings(const Model& model, const PropertyProcess* property,
                                          ErrorSemantics errors, SampleBudget& budget, bool quiet) const {
  const std::optional<Measure> given = measure(model);
  SweepSettings settings{given.value_or(Measure{}), trace_folder, keep_log};
  if (given && quiet) return settings;
  if (!given && !quiet)
    complain("note: no progress measure is given: looking for one on a part of the states");
  const Interpreter interpreter(Program::compile(model.system, errors));
  const Projection projection = property ? look_for_measure(PropertyProduct(interpreter, *property),
                                                            model.system, given, errors, budget)
                                         : look_for_measure(interpreter, model.system, given, errors, budget);
  if (!given && !projection.trials.empty()) settings.measure = projection.trials.front().measure;
  if (!quiet) say_prospects(projection, given.has_value(), property ? "scc" : "bfs");
  return settings;
}

SweepSettings SweepOptionsGiven::saved_settings(const Model& model, const std::string& measure_text) const {
  Measure measure;
  if (!measure_text.empty()) measure = read_measure(model.system, {"the saved measure", measure_text});
  return {std::move(measure), trace_folder, keep_log};
}

void SweepOptionsGiven::require_log() const {
  const std::filesystem::path folder =
      trace_folder.empty() ? default_trace_folder() : std::filesystem::path(trace_folder);
  const TraceLog attempt(folder, false);
}

void SweepOptionsGiven::require_measure(const Model& model, const PropertyProcess* property,
                                        AutomatonOrder order) const {
  const std::optional<Measure> given = measure(model);
  if (given && property) require_bits(*given, *property, order);
}

}  // namespace tideline::app
