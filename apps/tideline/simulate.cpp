// tideline simulate: one run through the model, chosen by hand or at random.
#include <CLI/CLI.hpp>
#include <iostream>

#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "signals.hpp"
#include "trace/itf.hpp"
#include "trace/simulation.hpp"

namespace tideline::app {
namespace {

constexpr const char* simulate_help = R"(Usage: tideline simulate MODEL [options]
Steps through the model: lists the enabled actions, takes the one you choose
and shows what it changed.

  --random            take random steps instead of asking
  --seed N            of the random steps (default 1): same seed, same run
  --steps N           how many random steps (default 100)
  --trace FILE        save the run at the end, as ITF JSON
  --full              show whole states instead of differences
  --internal NAME     how LTSs (.aut) call the internal action, default tau
  --model-errors MODE report: an action that fails is explained, not taken;
                      divine: it leads to an error state
  --properties FILE   where the named properties are (read, not checked)

While it runs: a NUMBER takes that action, r a random one, b goes back a step,
s shows the whole state, l lists the actions, h helps, q quits.

Examples
  tideline simulate models/peterson.dve
  tideline simulate models/peterson.dve --random --steps 20 --trace t.json
)";

struct SimulateOptions {
  ModelOptions model;
  bool random = false, full = false;
  std::uint64_t seed = 1;
  std::uint64_t steps = 100;
  std::string trace_file;
};

void run_random(Simulation& simulation, std::uint64_t steps) {
  print(simulation.initial_text());
  Simulation::Reply reply;
  for (std::uint64_t i = 0; i < steps && reply.goes_on && !interrupted() && !stdout_closed(); ++i) {
    reply = simulation.step_at_random();
    print(reply.text);
  }
}

void run_by_hand(Simulation& simulation) {
  print(simulation.initial_text() + simulation.actions_text());
  std::string line;
  Simulation::Reply reply;
  while (reply.goes_on && !interrupted() && !stdout_closed()) {
    print("> ");
    if (!std::getline(std::cin, line)) return print("\n");
    reply = simulation.obey(line);
    print(reply.text);
  }
}

ExitCode run_simulate(const SimulateOptions& options) {
  require_outputs({options.trace_file}, {options.model.path, options.model.property_file});
  const Model model = options.model.load(false);
  Simulation simulation(model.system, model.source,
                        {.errors = options.model.semantics(),
                         .seed = options.seed,
                         .full = options.full,
                         .keep_run = !options.random || !options.trace_file.empty()});
  if (options.random)
    run_random(simulation, options.steps);
  else
    run_by_hand(simulation);
  if (!options.trace_file.empty())
    write_output(options.trace_file, to_itf(model.system, simulation.run(),
                                            {.model = options.model.path,
                                             .kind = "simulation",
                                             .errors = options.model.semantics(),
                                             .tool_version = TIDELINE_VERSION}));
  return interrupted() && options.random ? exit_unknown : exit_holds;
}

}  // namespace

void add_simulate(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("simulate");
  set_help(*command, simulate_help);
  const auto options = std::make_shared<SimulateOptions>();
  options->model.add_to(*command);
  command->add_flag("--random", options->random);
  command->add_flag("--full", options->full);
  add_count(*command, "--seed", options->seed);
  add_count(*command, "--steps", options->steps);
  command->add_option("--trace", options->trace_file);
  command->callback([options, &exit_code] { exit_code = run_simulate(*options); });
}

}  // namespace tideline::app
