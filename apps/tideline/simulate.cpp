// tideline simulate: one run through the model, chosen by hand, by a script or at random.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>

#include "colours.hpp"
#include "commands.hpp"
#include "line_editor.hpp"
#include "options.hpp"
#include "output.hpp"
#include "signals.hpp"
#include "simulate/session.hpp"
#include "trace/spin_trail.hpp"

namespace tideline::app {
namespace {

constexpr const char* simulate_help = R"(Usage: tideline simulate MODEL [options]
Steps through the model: lists the enabled actions, takes the one you choose
and shows what it changed. At the prompt, 'help' lists what else you can do.

  --from FILE         begin with a saved run (of check or simulate), at its end
  --at N              of that run: after step N instead
  --script FILE       obey the lines of a file, like those of a pipe; the first
                      that cannot be obeyed ends it, with exit code 2
  --echo              show these lines, too
  --random            take random steps instead of asking
  --steps N           how many (default 100)
  --seed N            of random steps (default 1): same seed, same run
  --trace FILE        save the run at the end, as ITF JSON, or as a trail of
                      SPIN if FILE ends in .trail
  --full              show whole states instead of differences
  --define N=4        a constant of the model;  --processes N: most of Promela
  --model-errors MODE report: an action that fails is explained, not taken;
                      divine: it leads to an error state
  --properties FILE   where the named properties are (read, not checked)

Examples
  tideline simulate models/peterson.dve
  tideline simulate models/peterson.dve --random --steps 20 --trace t.json
)";

struct SimulateOptions {
  ModelOptions model;
  bool random = false, full = false, echo = false;
  std::uint64_t seed = 1;
  std::uint64_t steps = 100;
  std::string trace_file, from, script;
  std::uint64_t at = 0;
  CLI::Option *at_option = nullptr, *steps_option = nullptr;

  void require_consistent() const {
    if (*at_option && from.empty()) throw Error(ErrorKind::usage, "--at needs --from");
    if (random && !script.empty()) throw Error(ErrorKind::usage, "--random and --script exclude each other");
    if (*steps_option && !random) throw Error(ErrorKind::usage, "--steps needs --random");
  }
};

/// How many lines of a list leave the rest of a conversation on the screen.
std::size_t lines_of_screen() {
  constexpr std::size_t usual = 20, least = 5;
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row == 0) return usual;
  return std::max<std::size_t>(least, window.ws_row * 2U / 3U);
}

std::string prompt_of(const Session& session) {
  return fmt::format("{}> ", session.simulation().position());
}

/// The lines of a script. The first that cannot be obeyed ends it.
ExitCode run_script(Session& session, std::istream& lines, const std::string& name, bool echo) {
  session.show_start();
  std::string line;
  Session::Reply reply;
  for (std::size_t number = 1; reply.goes_on && !interrupted() && !stdout_closed(); ++number) {
    if (!std::getline(lines, line)) break;
    if (echo) print(fmt::format("{}{}\n", prompt_of(session), line));
    reply = session.obey(line);
    if (reply.error.empty()) continue;
    print_to_stderr(fmt::format("{}:{}: error: {}", name, number, reply.error));
    return exit_bad_input;
  }
  return exit_holds;
}

ExitCode run_dialogue(Session& session) {
  LineEditor editor([&](std::string_view line) {
    const Session::Completion found = session.complete(line);
    return LineEditor::Completion{found.begin, found.words};
  });
  session.show_start();
  print(fmt::format("Type a number, or a part of a label; help lists the commands.{}\n",
                    LineEditor::edits_lines() ? "" : " (This build has no line editing.)"));
  Session::Reply reply;
  while (reply.goes_on && !stdout_closed()) {
    const auto line = editor.read(prompt_of(session));
    if (!line) {
      print("\n");
      break;
    }
    reply = session.obey(*line);
    if (!reply.error.empty()) print(reply.error + "\n");
    if (interrupted() && !forgive_interrupt()) break;
  }
  return exit_holds;
}

ExitCode run_lines(Session& session, const SimulateOptions& options) {
  if (!options.script.empty()) {
    std::istringstream lines(read_source(options.script).text);
    return run_script(session, lines, options.script, options.echo);
  }
  if (::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1) return run_dialogue(session);
  return run_script(session, std::cin, "stdin", options.echo);
}

ExitCode run_simulate(const SimulateOptions& options) {
  options.require_consistent();
  const std::vector<std::string> inputs{options.model.path, options.model.property_file, options.from,
                                        options.script};
  require_outputs({options.trace_file}, inputs);
  if (!options.random && options.script.empty())
    options.model.refuse_standard_input("commands are read from there; --script FILE has them in a file");
  const Model model = options.model.load(false);
  require_trace_format(options.trace_file, model.system);
  const TraceHeader header{.model = options.model.path,
                           .defines = options.model.defines,
                           .kind = "simulation",
                           .errors = options.model.semantics(),
                           .tool_version = TIDELINE_VERSION};
  Session session(
      model,
      {.simulation = {.errors = options.model.semantics(),
                      .seed = options.seed,
                      .keep_run = !options.random || !options.trace_file.empty() || !options.from.empty()},
       .full = options.full,
       .lines = lines_of_screen(),
       .interrupted = &interrupted(),
       .header = header,
       .palette = stdout_palette(),
       .read_files = inputs},
      [](std::string_view text) {
        print(text);
        return !stdout_closed();
      });
  if (!options.from.empty())
    session.load_run(options.from, *options.at_option ? std::optional(options.at) : std::nullopt);
  ExitCode exit_code = exit_holds;
  if (options.random)
    session.walk(options.steps);
  else
    exit_code = run_lines(session, options);
  if (!options.trace_file.empty())
    write_output(options.trace_file,
                 to_trace_file(options.trace_file, model.system, session.simulation().run(), header));
  return interrupted() && options.random ? exit_unknown : exit_code;
}

}  // namespace

void add_simulate(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("simulate");
  set_help(*command, simulate_help);
  const auto options = std::make_shared<SimulateOptions>();
  options->model.add_to(*command);
  command->add_flag("--random", options->random);
  command->add_flag("--full", options->full);
  command->add_flag("--echo", options->echo);
  add_count(*command, "--seed", options->seed);
  options->steps_option = add_count(*command, "--steps", options->steps);
  command->add_option("--from", options->from);
  options->at_option = add_count(*command, "--at", options->at);
  command->add_option("--script", options->script);
  command->add_option("--trace", options->trace_file);
  command->callback([options, &exit_code] { exit_code = run_simulate(*options); });
}

}  // namespace tideline::app
