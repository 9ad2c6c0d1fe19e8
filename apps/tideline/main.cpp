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

constexpr const char* help_page =
    R"(Tideline checks models of concurrent systems: does a property hold in every
reachable state? If not, here is the run.

Usage: tideline COMMAND [options]       tideline COMMAND --help tells more

Commands
  check MODEL       check properties: deadlock, invariants, reachability, ...
  explore MODEL     count states, transitions, levels, deadlocks; write graphs
  mcc DIR EXAM      answer an examination of the Model Checking Contest
  progress MODEL    propose progress measures for the sweep-line, and try them
  resume DIR        go on with a check from its last checkpoint
  simulate MODEL    step through the model, by hand or at random
  trace FILE        show a saved run and replay it against its model
  automaton FORMULA translate LTL to a Büchi automaton: HOA, DOT, never claim

  --version         print the version
  --help            print this page

Exit code: 0 holds, 1 violated, 2 bad usage or input, 3 unknown (a limit was
reached or the run interrupted), 4 internal error.

Examples
  tideline check peterson.dve --invariant '!(P_0.CS && P_1.CS)'
  tideline explore peterson.dve --levels
)";

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
  constexpr const char* commands = "check, explore, progress, resume, simulate, trace or automaton";
  if (argc < 2)
    throw Error(ErrorKind::usage, fmt::format("a command is missing: {} (see tideline --help)", commands));
  const std::string word = argv[1];
  const auto is_word = [&](const CLI::App* command) { return command->get_name() == word; };
  if (word.starts_with('-') || !app.get_subcommands(is_word).empty()) return;
  throw Error(ErrorKind::usage, fmt::format("'{}' is no command: {} (see tideline --help)", word, commands));
}

ExitCode run(int argc, char** argv) {
  CLI::App app;
  app.name("tideline");
  set_help(app, help_page);
  app.set_version_flag("--version", "tideline " TIDELINE_VERSION);
  app.require_subcommand(1);
  ExitCode exit_code = exit_holds;
  add_check(app, exit_code);
  add_explore(app, exit_code);
  add_mcc(app, exit_code);
  add_progress(app, exit_code);
  add_resume(app, exit_code);
  add_simulate(app, exit_code);
  add_trace(app, exit_code);
  add_automaton(app, exit_code);
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
