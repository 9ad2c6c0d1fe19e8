#include "engine_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "bind/bind.hpp"
#include "job.hpp"
#include "lang/lang.hpp"
#include "output.hpp"
#include "store/hashed_states.hpp"

namespace tideline::app {

namespace {

/// A word and what it changes.
struct Variant {
  const char* word;
  void (*apply)(Settings&);
};

constexpr Variant sweep_words[] = {
    {"nested", [](Settings& s) { s.lassos.ltl_sweep.nested = true; }},
    {"paper",
     [](Settings& s) {
       s.lassos.ltl_sweep = as_published(true);
       s.lassos.automaton_order = AutomatonOrder::none;
       s.sweep.columns = s.lassos.sweep_regions = false;
       s.every_scc = true;
     }},
    {"online", [](Settings& s) { s.lassos.ltl_sweep.online = true; }},
    {"offline", [](Settings& s) { s.lassos.ltl_sweep.online = false; }},
    {"levels", [](Settings& s) { s.lassos.ltl_sweep.across.method = AcrossMethod::levels; }},
    {"trimming", [](Settings& s) { s.lassos.ltl_sweep.across.method = AcrossMethod::trimming; }},
    {"mpp", [](Settings& s) { s.lassos.ltl_sweep.across.method = AcrossMethod::mpp; }},
    {"line-back", [](Settings& s) { s.lassos.ltl_sweep.across.line_moves_back = true; }},
    {"order-progress", [](Settings& s) { s.lassos.ltl_sweep.across.order = CandidateOrder::progress; }},
    {"order-found", [](Settings& s) { s.lassos.ltl_sweep.across.order = CandidateOrder::found; }},
    {"order-bits", [](Settings& s) { s.lassos.ltl_sweep.across.order = CandidateOrder::bits; }},
    {"all-candidates", [](Settings& s) { s.lassos.ltl_sweep.suspects = false; }},
    {"no-owners", [](Settings& s) { s.lassos.ltl_sweep.owners = false; }},
    {"prune", [](Settings& s) { s.lassos.ltl_sweep.prune = true; }},
    {"no-prune", [](Settings& s) { s.lassos.ltl_sweep.prune = false; }},
    {"no-regions", [](Settings& s) { s.lassos.sweep_regions = false; }},
    {"every-scc", [](Settings& s) { s.every_scc = true; }},
    {"automaton-none", [](Settings& s) { s.lassos.automaton_order = AutomatonOrder::none; }},
    {"automaton-first", [](Settings& s) { s.lassos.automaton_order = AutomatonOrder::first; }},
    {"automaton-middle", [](Settings& s) { s.lassos.automaton_order = AutomatonOrder::middle; }},
    {"automaton-last", [](Settings& s) { s.lassos.automaton_order = AutomatonOrder::last; }},
};

constexpr Variant hybrid_words[] = {
    {"no-recurring", [](Settings& s) { s.diagrams_lassos.hybrid.recurring = false; }},
    {"no-abstraction", [](Settings& s) { s.diagrams_lassos.hybrid.abstraction = false; }},
    {"no-increments", [](Settings& s) { s.diagrams_lassos.hybrid.incremental = false; }},
    {"exact", [](Settings& s) { s.diagrams_lassos.exact = true; }},
};

/// An option with a list of these words.
template <std::size_t n>
void add_variants(CLI::App& command, const char* name, const Variant (&variants)[n], Settings& settings) {
  std::vector<std::string> known;
  for (const Variant& variant : variants) known.emplace_back(variant.word);
  command
      .add_option_function<std::vector<std::string>>(
          name,
          [&variants, &settings](const std::vector<std::string>& words) {
            for (const std::string& word : words)
              for (const Variant& variant : variants)
                if (word == variant.word) variant.apply(settings);
          })
      ->delimiter(',')
      ->check(one_of(known))
      ->allow_extra_args(false);
}

}  // namespace

void add_engine_option(CLI::App& command, Settings& settings,
                       const std::function<bool(const Engine&)>& is_meant) {
  std::vector<std::string> names;
  for (const Engine& engine : engines())
    if (is_meant(engine)) names.emplace_back(engine.name);
  settings.engine = &default_engine();
  command
      .add_option_function<std::string>(
          "--engine", [&settings](const std::string& name) { settings.engine = find_engine(name); })
      ->check(one_of(names));
}

void add_order_option(CLI::App& command, Settings& settings) {
  command
      .add_option_function<std::string>(
          "--order",
          [&settings](const std::string& word) { settings.diagrams.order = *symbolic::order_from(word); })
      ->check(one_of({"best", "declared", "force", "sloan"}));
}

void add_hybrid_option(CLI::App& command, Settings& settings) {
  add_variants(command, "--hybrid", hybrid_words, settings);
}

void add_sweep_options(CLI::App& command, Settings& settings) {
  add_variants(command, "--sweep", sweep_words, settings);
  command.add_flag_callback("--no-columns", [&settings] { settings.sweep.columns = false; });
}

void add_sweep_start_option(CLI::App& command, Settings& settings) {
  command.add_option_function<std::string>("--sweep-from", [&settings](const std::string& size) {
    const auto bytes = parse_bytes(size);
    if (!bytes)
      throw Error(ErrorKind::usage, fmt::format("--sweep-from: '{}' is not a size; write 0, 4M or 1G", size));
    settings.sweep.from_bytes = *bytes;
  });
}

void add_reduction_option(CLI::App& command, Settings& settings) {
  // A flag, so that the word is given as --por=ample: without one, the model's file may come next.
  command.add_flag("--por{stubborn}")
      ->check(one_of({"stubborn", "ample", "auto", "off"}))
      ->each([&settings](const std::string& word) {
        settings.reduction.reset();
        if (word != "auto")
          settings.reduction = word == "off"     ? por::Method::none
                               : word == "ample" ? por::Method::ample
                                                 : por::Method::stubborn;
      });
}

void add_store_option(CLI::App& command, Settings& settings) {
  command
      .add_option_function<std::string>(
          "--store", [&settings](const std::string& word) { settings.states.store = *store_from(word); })
      ->check(one_of(all_store_words()));
  command.add_option("--hash-bits", settings.states.hash_bits)
      ->check(number_between(HashedStates::least_bits, HashedStates::most_bits));
}

void add_device_options(CLI::App& command, Settings& settings) {
  command
      .add_option_function<std::string>("--device",
                                        [&settings](const std::string& word) {
                                          settings.states.device.is_wanted = true;
                                          settings.states.device.is_cpu = word == "cpu";
                                        })
      ->check(one_of({"gpu", "cpu"}));
  command.add_option_function<std::string>("--gpu-memory", [&settings](const std::string& size) {
    settings.states.device.memory_bytes = parse_bytes(size);
    if (!settings.states.device.memory_bytes)
      throw Error(ErrorKind::usage, fmt::format("--gpu-memory: '{}' is not a size; write 512M or 80G", size));
  });
  command.add_option("--cards", settings.states.device.cards)->check(number_between(1, most_cards));
}

void add_cache_options(CLI::App& command, Settings& settings) {
  command.add_option("--cache", settings.states.cache_states)->check(number_between(1, no_state));
  command
      .add_option_function<std::string>(
          "--replace",
          [&settings](const std::string& word) { settings.states.replacement = *replacement_from(word); })
      ->check(one_of({"random", "oldest", "unmet", "rare"}));
}

void add_log_options(CLI::App& command, Settings& settings) {
  auto* folder =
      command
          .add_option_function<std::string>(
              "--trace-dir", [&settings](const std::string& name) { settings.sweep.trace_folder = name; })
          ->check(not_empty());
  command.add_flag("--keep-trace-log", settings.sweep.keep_log)->needs(folder);
}

void MeasureOptions::add_to(CLI::App& command) {
  auto* text = command.add_option("--progress", progress);
  command.add_option("--progress-file", progress_file)->excludes(text)->check(not_empty());
}

std::optional<SourceText> MeasureOptions::source() const {
  if (progress) return SourceText{"--progress", *progress};
  if (!progress_file.empty()) return read_source(progress_file);
  return std::nullopt;
}

CLI::Option* ProductOptions::add_to(CLI::App& command) {
  auto* product = command.add_flag("--product", wanted);
  auto* formula = add_property_option(command, PropertyKind::ltl, texts)->expected(1)->needs(product);
  add_property_option(command, PropertyKind::automaton, texts)
      ->expected(1)
      ->needs(product)
      ->excludes(formula);
  return product;
}

std::shared_ptr<const PropertyProcess> ProductOptions::property(const Model& model) const {
  if (!wanted) return nullptr;
  if (!texts.empty()) return bind(model.system, unbound_properties(texts).back()).process;
  if (const auto own = own_property(model.system)) return own->process;
  throw Error(ErrorKind::usage, fmt::format("--product: {} has no property process; --ltl or --automaton "
                                            "give another property",
                                            model.source.name));
}

void complete_settings(const ModelOptions& model, const LimitOptions& limits, Settings& settings) {
  settings.errors = model.semantics();
  settings.threads = static_cast<unsigned>(limits.threads);
  settings.ranks = job().ranks();
  if (settings.states.device.is_wanted) settings.engine = &on_device(*settings.engine);
  if (!limits.quiet) settings.notes = [](const std::string& text) { note(text); };
  if (settings.states.store == Store::disk && settings.engine->is_race) {
    settings.engine = &first_engine(settings);
    settings.note(
        fmt::format("engine {}: with states on disk no other takes turns with it", settings.engine->name));
  }
}

}  // namespace tideline::app
