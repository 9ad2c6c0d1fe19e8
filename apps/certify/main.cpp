// tideline-certify: checks a certificate of tideline. See docs/certificates.md for what it trusts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <string>

#include "bind/selection.hpp"
#include "certify.hpp"
#include "model/error.hpp"
#include "options.hpp"

namespace tideline::certify {
namespace {

enum ExitCode { exit_accepted = 0, exit_refused = 1, exit_bad_input = 2, exit_internal = 4 };

std::string verdict_of(const Property& property) {
  return property.kind == PropertyKind::reach ? "no state can be reached where it is true" : "holds";
}

void run(const Options& options) {
  const Model model = load_model(options.model, options.load);
  if (options.semantics() == ErrorSemantics::error_state && !model.system.error_state)
    throw Error(ErrorKind::usage, "--model-errors divine: the language of this model has no error state");
  auto properties = select_properties(options.selection, model, [&](const std::string& note) {
    if (!options.quiet) fmt::print(stderr, "note: {}\n", note);
  });
  for (Property& property : properties)
    property.deadlock_paths = deadlock_paths_from(options.deadlock_paths).value_or(property.deadlock_paths);
  const CertificateReader reader(open_bytes(options.certificate));
  const auto proven = certify(reader, model, properties, options.semantics(), options.spot, options.closure);
  for (const auto& [property, figures] : proven)
    if (options.quiet)
      fmt::print("{}: {}\n", property.name, verdict_of(property));
    else
      fmt::print("{}: {}  ({} states, {} steps checked)\n", property.name, verdict_of(property),
                 figures.states, figures.steps);
  fmt::print("accepted\n");
}

int run_to_the_end(int argc, char** argv) {
  Options options;
  CLI::App app;
  try {
    options.add_to(app);
    app.parse(argc, argv);
    options.complete();
    run(options);
    return exit_accepted;
  } catch (const CLI::Success& asked) {  // for help, or the version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "error: {} (see tideline-certify --help)\n", error.what());
    return exit_bad_input;
  } catch (const Refused& refused) {
    fmt::print("refused: {}\n", refused.what());
    return exit_refused;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.kind() == ErrorKind::internal ? exit_internal : exit_bad_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "error: out of memory\n");
    return exit_internal;
  } catch (const std::exception& error) {
    fmt::print(stderr, "internal error: {}\n", error.what());
    return exit_internal;
  }
}

}  // namespace
}  // namespace tideline::certify

int main(int argc, char** argv) {
  return tideline::certify::run_to_the_end(argc, argv);
}
