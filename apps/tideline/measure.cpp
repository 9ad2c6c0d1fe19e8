#include "measure.hpp"

#include "progress/parse_measure.hpp"

namespace tideline::app {

namespace {

Measure read_measure(const System& system, const SourceText& source) {
  return parse_measure(
      system, source, [&](std::string_view text, SourcePoint start, const SourceText& whole) {
        try {
          return parse_expression(system, text, whole.name);
        } catch (const Error& error) {
          throw Error(ErrorKind::input, {error_at(whole, start, error.diagnostics()[0].message)});
        }
      });
}

struct Variant {
  const char* word;
  void (*apply)(LivenessOptions&);
};

constexpr Variant variant_words[] = {
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

}  // namespace

void SweepOptionsGiven::add_to(CLI::App& command) {
  auto* text = command.add_option("--progress", progress);
  command.add_option("--progress-file", progress_file)->excludes(text);
  auto* folder = command.add_option("--trace-dir", trace_folder);
  command.add_flag("--keep-trace-log", keep_log)->needs(folder);
}

void SweepOptionsGiven::add_variants_to(CLI::App& command) {
  std::vector<std::string> words;
  for (const Variant& variant : variant_words) words.emplace_back(variant.word);
  command.add_option("--sweep", variants)
      ->delimiter(',')
      ->check(CLI::IsMember(words))
      ->allow_extra_args(false);
}

void SweepOptionsGiven::apply_variants(LivenessOptions& options) const {
  for (const std::string& word : variants)
    for (const Variant& variant : variant_words)
      if (word == variant.word) variant.apply(options);
}

std::optional<Measure> SweepOptionsGiven::measure(const Model& model) const {
  if (!progress.empty()) return read_measure(model.system, {"--progress", progress});
  if (!progress_file.empty()) return read_measure(model.system, read_source(progress_file));
  return std::nullopt;
}

}  // namespace tideline::app
