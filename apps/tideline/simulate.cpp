// tideline simulate: one run through the model, chosen by hand or at random.
//
// Steps are taken with the reference semantics, so what is shown is what the words of the manual mean.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <random>

#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "signals.hpp"
#include "trace/itf.hpp"
#include "trace/show.hpp"

namespace tideline::app {
namespace {

constexpr const char* help_page = R"(Usage: tideline simulate MODEL [options]
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

constexpr const char* commands_page =
    "NUMBER take that action, r random step, b back, s show the state, l list the actions, q quit\n";

struct SimulateOptions {
  ModelOptions model;
  bool random = false, full = false;
  std::uint64_t seed = 1;
  std::uint64_t steps = 100;
  std::string trace_file;
};

class Simulation {
 public:
  Simulation(const Model& model, const SimulateOptions& options)
      : system_(model.system),
        source_(model.source),
        options_(options),
        reference_(model.system, options.model.semantics()),
        generator_(options.seed) {
    run_.states.push_back(system_.initial);
    enabled_ = reference_.enabled(system_.initial);
  }

  void run_random() {
    show_initial();
    for (std::uint64_t i = 0; i < options_.steps && !interrupted() && !stdout_closed(); ++i)
      if (!take_random()) break;
  }

  void run_by_hand() {
    show_initial();
    list_actions();
    std::string line;
    while (!interrupted() && !stdout_closed()) {
      print("> ");
      if (!std::getline(std::cin, line)) {
        print("\n");
        break;
      }
      if (!obey(line)) break;
    }
  }

  const Trace& run() const { return run_; }

 private:
  const Values& state() const { return run_.states.back(); }

  void show_initial() const { print("  0  initial state\n" + show_state(system_, state(), 7)); }

  void list_actions() const {
    if (enabled_.empty()) return print("no action is enabled: this is a deadlock\n");
    std::string text;
    for (std::size_t i = 0; i < enabled_.size(); ++i) {
      std::string moves;
      if (!system_.labels_say_moves)
        moves = show_changes(system_, enabled_[i], state(), reference_.fire(enabled_[i], state()).state);
      text += fmt::format("{:>5})  {}{}{}\n", i + 1, system_.actions[enabled_[i]].label,
                          moves.empty() ? "" : "    ", moves);
    }
    print(text);
  }

  /// False: the user wants to end.
  bool obey(const std::string& line) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) return true;
    const std::string word = line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    if (word == "q") return false;
    if (word == "s")
      print(show_state(system_, state(), 7));
    else if (word == "l")
      list_actions();
    else if (word == "h")
      print(commands_page);
    else if (word == "b")
      back();
    else if (word == "r")
      take_by_hand(random_action());
    else
      take_by_hand(chosen(word));
    return true;
  }

  ActionId chosen(const std::string& word) const {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc{} && end == word.data() + word.size() && number >= 1 && number <= enabled_.size())
      return enabled_[number - 1];
    print(fmt::format("'{}' is none of these: {}", word, commands_page));
    return no_action;
  }

  void take_by_hand(ActionId action) {
    if (action == no_action) return;
    if (take(action)) list_actions();
  }

  void back() {
    if (run_.actions.empty()) return print("this is the initial state\n");
    run_.actions.pop_back();
    run_.states.pop_back();
    --steps_;
    enabled_ = reference_.enabled(state());
    print(fmt::format("back in state {}\n", steps_));
    list_actions();
  }

  // Not std::uniform_int_distribution: a seed should give the same run with every standard library. The
  // bias of the remainder is far below anything a person could see.
  ActionId random_action() {
    if (enabled_.empty()) {
      print("no action is enabled: this is a deadlock\n");
      return no_action;
    }
    return enabled_[generator_() % enabled_.size()];
  }

  bool take_random() {
    const ActionId action = random_action();
    if (action == no_action) return false;
    if (take(action)) return true;
    run_.failing_action = action;
    run_.error = reference_.fire(action, state()).error;
    return false;
  }

  /// False: the action ends in a model error, and the state stays.
  bool take(ActionId action) {
    const std::string& label = system_.actions[action].label;
    Reference::Firing firing = reference_.fire(action, state());
    const std::size_t number = ++steps_;
    if (firing.error.kind != ModelErrorKind::none) {
      print(fmt::format("{:>3}  {}\n{}\n", number, label, show_model_error(firing.error, &source_)));
      if (options_.model.semantics() == ErrorSemantics::stop) {
        --steps_;
        return false;
      }
    }
    const std::string changes = show_changes(system_, action, state(), firing.state);
    print(options_.full
              ? fmt::format("{:>3}  {}\n{}", number, label, show_state(system_, firing.state, 7))
              : fmt::format("{:>3}  {}{}{}\n", number, label, changes.empty() ? "" : "    ", changes));
    // A long random run that nobody wants to keep needs no memory.
    if (options_.random && options_.trace_file.empty())
      run_ = {};
    else
      run_.actions.push_back(action);
    run_.states.push_back(std::move(firing.state));
    enabled_ = reference_.enabled(state());
    return true;
  }

  const System& system_;
  const SourceText& source_;
  const SimulateOptions& options_;
  Reference reference_;
  std::mt19937_64 generator_;
  Trace run_;
  std::size_t steps_ = 0;
  std::vector<ActionId> enabled_;  // in the last state
};

ExitCode run_simulate(const SimulateOptions& options) {
  require_outputs({options.trace_file}, {options.model.path, options.model.property_file});
  const Model model = options.model.load(false);
  Simulation simulation(model, options);
  if (options.random)
    simulation.run_random();
  else
    simulation.run_by_hand();
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
  set_help(*command, help_page);
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
