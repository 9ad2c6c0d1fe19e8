#include "options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "model/error.hpp"
#include "run/budget.hpp"

namespace tideline::certify {

namespace {

constexpr const char* help_page =
    R"(Usage: tideline-certify MODEL [properties] CERTIFICATE
Checks that a certificate, which 'tideline check --certificate' wrote, proves
the properties of the model: by the reference semantics, state after state.
  --deadlock, --assertions, --invariant E, --reach E, --ltl F, --ctl F,
  --pattern P, --automaton FILE, --non-progress, --formulas FILE,
  --property NAME, --all, --properties FILE
                      as for tideline check; none: what comes with the model
  --define N=4, --language dve, --strict, --model-errors divine, --internal i,
  --processes N, --translator spot, --deadlock-paths maximal
                      as they were when the certificate was written
  --threads N         check with N threads (as many as there are processors)
  --memory SIZE       for states that are looked up together (1G)
  --quiet             nothing but the verdict
Exit code 0: accepted; 1: refused, and why; 2: wrong usage or input
Examples
  tideline check models/peterson.dve --deadlock --certificate proof
  tideline-certify models/peterson.dve --deadlock proof
)";

constexpr unsigned most_threads = 256;
constexpr std::uint64_t least_memory = std::uint64_t{1} << 20;

void add_text(CLI::App& app, const std::string& name, PropertyKind kind, bool is_pattern,
              std::vector<PropertyText>& texts) {
  app.add_option_function<std::vector<std::string>>(
         name,
         [=, &texts](const std::vector<std::string>& values) {
           for (const std::string& text : values)
             texts.push_back(
                 {.kind = kind, .text = text, .name = {}, .origin = name, .is_pattern = is_pattern});
         })
      ->allow_extra_args(false);
}

}  // namespace

void Options::add_to(CLI::App& app) {
  app.name("tideline-certify");
  app.set_help_flag("--help");
  app.set_version_flag("--version", TIDELINE_VERSION);
  app.get_formatter();
  app.formatter_fn([](const CLI::App*, std::string, CLI::AppFormatMode) { return std::string(help_page); });
  app.add_option("MODEL", model)->required();
  app.add_option("CERTIFICATE", certificate)->required();
  auto& texts = selection.texts;
  app.add_flag_callback("--deadlock", [&texts] { texts.push_back({PropertyKind::deadlock}); });
  app.add_flag_callback("--non-progress", [&texts] {
    texts.push_back({PropertyKind::ltl, "[]<> (!np_ || ended_)", "non-progress", "--non-progress"});
  });
  for (const PropertyKind kind : {PropertyKind::invariant, PropertyKind::reach, PropertyKind::ltl,
                                  PropertyKind::ctl, PropertyKind::automaton})
    add_text(app, fmt::format("--{}", to_string(kind)), kind, false, texts);
  add_text(app, "--pattern", PropertyKind::ltl, true, texts);
  app.add_flag("--assertions", selection.assertions);
  app.add_flag("--all", selection.all_named);
  app.add_option("--property", selection.names)->allow_extra_args(false);
  app.add_option("--formulas", selection.formula_files)->allow_extra_args(false);
  app.add_option("--properties", load.property_file);
  app.add_option("--define", defines)->allow_extra_args(false);
  app.add_option("--language", load.language);
  app.add_flag("--strict", load.strict);
  app.add_option("--model-errors", errors)->check(CLI::IsMember({"report", "divine"}));
  app.add_option("--internal", load.internal_action);
  app.add_option("--deadlock-paths", deadlock_paths)->check(CLI::IsMember({"stutter", "maximal"}));
  app.add_option("--processes", load.most_processes)->check(CLI::Range(1, 255));
  app.add_option_function<std::string>("--translator",
                                       [this](const std::string& word) { spot = word == "spot"; })
      ->check(CLI::IsMember({"own", "spot"}));
  app.add_option("--threads", closure.threads)->check(CLI::Range(1U, most_threads));
  app.add_option("--memory", memory);
  app.add_flag("--quiet", quiet);
}

void Options::complete() {
  load.defines = parse_defines(defines);
  load.wrap_messages = semantics() == ErrorSemantics::error_state;
  const auto bytes = parse_bytes(memory);
  if (!bytes || *bytes < least_memory)
    throw Error(ErrorKind::usage,
                fmt::format("--memory: '{}' is not a size from 1M on; write 512M or 4G", memory));
  closure.memory_bytes = *bytes;
}

ErrorSemantics Options::semantics() const {
  return errors == "divine" ? ErrorSemantics::error_state : ErrorSemantics::stop;
}

}  // namespace tideline::certify
