// The command line: reads the options, runs a subcommand, and turns whatever happens into an exit code and,
// where something went wrong, one clear message on stderr.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>

#include "commands.hpp"
#include "model/error.hpp"
#include "output.hpp"
#include "signals.hpp"

namespace tideline::app {
namespace {

ExitCode exit_code_of(ErrorKind kind) {
  return kind == ErrorKind::internal ? exit_internal : exit_bad_input;
}

/// The subcommand whose help to point at, with a space before it.
std::string subcommand_of(const CLI::App& app) {
  const auto used = app.get_subcommands();
  return used.empty() ? "" : " " + used.front()->get_name();
}

/// CLI11 would only say that a command is missing.
void require_known_command(const CLI::App& app, int argc, char** argv) {
  std::string commands;
  for (const CLI::App* command : app.get_subcommands({}))
    commands += (commands.empty() ? "" : ", ") + command->get_name();
  if (argc < 2)
    throw Error(ErrorKind::usage,
                fmt::format("a command is missing: one of {} (see tideline --help)", commands));
  const std::string word = argv[1];
  const auto is_word = [&](const CLI::App* command) { return command->get_name() == word; };
  if (word.starts_with('-') || !app.get_subcommands(is_word).empty()) return;
  throw Error(ErrorKind::usage,
              fmt::format("unknown command '{}': there are {} (see tideline --help)", word, commands));
}

ExitCode run(int argc, char** argv) {
  CLI::App app;
  ExitCode exit_code = exit_holds;
  add_commands(app, exit_code);
  require_known_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto used = app.get_subcommands();
    print((used.empty() ? &app : used.front())->help());
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    complain(fmt::format("error: {} (see tideline{} --help)", error.what(), subcommand_of(app)));
    return exit_bad_input;
  }
  return exit_code;
}

}  // namespace
}  // namespace tideline::app

int main(int argc, char** argv) {
  using namespace tideline;
  using namespace tideline::app;
  install_signal_handlers();
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    complain(error.kind() == ErrorKind::internal ? std::string("internal ") + error.what() : error.what());
    return exit_code_of(error.kind());
  } catch (const std::bad_alloc&) {
    complain("error: out of memory");
    return exit_unknown;
  } catch (const std::exception& error) {
    complain(std::string("internal error: ") + error.what());
    return exit_internal;
  }
}
