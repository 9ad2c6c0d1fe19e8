// The front page of the command line, and all commands in the order in which it lists them.
#include "commands.hpp"

#include "colours.hpp"

namespace tideline::app {
namespace {

constexpr const char* commands_help =
    R"(Tideline checks models of concurrent systems: does a property hold in every
reachable state? If not, here is the run.

Usage: tideline COMMAND [options]       tideline help COMMAND: more

Commands
  check MODEL       check properties: deadlock, invariants, reachability, ...
  explore MODEL     count states, transitions, levels, deadlocks; write graphs
  mcc DIR EXAM      answer an examination of the Model Checking Contest
  progress MODEL    propose progress measures for the sweep-line, and try them
  explain-por MODEL what keeps partial order reduction from leaving out steps
  resume DIR        go on with a check from its last checkpoint
  simulate MODEL    step through the model, by hand or at random
  trace FILE        show a saved run and replay it against its model
  report FILE...    make a page to look at from saved answers and runs
  automaton FORMULA translate LTL to a Büchi automaton: HOA, DOT, never claim
  engines           list the engines and what each can do
  -v, --version     print the version;  -h, --help: this page

Exit code: 0 holds, 1 violated, 2 bad usage or input, 3 unknown (a limit was
reached or the run interrupted), 4 internal error.
Examples
  tideline check models/peterson.dve --property mutex --deadlock
  tideline explore models/peterson.dve --levels
)";

}  // namespace

void add_commands(CLI::App& app, ExitCode& exit_code) {
  app.name("tideline");
  set_help(app, commands_help);
  app.set_version_flag("-v,-V,--version", "tideline " TIDELINE_VERSION);
  app.require_subcommand(1);
  add_check(app, exit_code);
  add_explore(app, exit_code);
  add_mcc(app, exit_code);
  add_progress(app, exit_code);
  add_explain_por(app, exit_code);
  add_resume(app, exit_code);
  add_simulate(app, exit_code);
  add_trace(app, exit_code);
  add_report(app, exit_code);
  add_automaton(app, exit_code);
  add_engines(app, exit_code);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    add_colour_option(*command);
}

}  // namespace tideline::app
