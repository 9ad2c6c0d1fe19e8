// The command line: reads the options, runs a subcommand, and turns whatever happens into an exit code and,
// where something went wrong, one clear message on stderr.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "colours.hpp"
#include "commands.hpp"
#include "complete.hpp"
#include "job.hpp"
#include "lang/diagnostics.hpp"
#include "model/error.hpp"
#include "output.hpp"
#include "signals.hpp"

namespace tideline::app {
namespace {

ExitCode exit_code_of(ErrorKind kind) {
  return kind == ErrorKind::internal ? exit_internal : exit_bad_input;
}

using Arguments = std::vector<std::string>;

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// The subcommand that was given, or the program itself.
const CLI::App& given_command(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : *given.front();
}

[[noreturn]] void refuse(const CLI::App& command, std::string_view message) {
  const std::string name = command.get_parent() == nullptr ? "" : " " + command.get_name();
  throw Error(ErrorKind::usage, fmt::format("{} (see tideline{} --help)", message, name));
}

/// CLI11 would only say that a command is missing.
void require_known_command(const CLI::App& app, const Arguments& arguments) {
  Arguments names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  const std::string list = fmt::format("{} and help", fmt::join(names, ", "));
  if (arguments.empty()) refuse(app, fmt::format("a command is missing; the commands are {}", list));
  const std::string& word = arguments[0];
  if (word.starts_with('-') || std::ranges::find(names, word) != names.end()) return;
  Suggestion suggestion(word);
  for (const std::string& name : names) suggestion.offer(name);
  for (const char* other : {"help", "--version"}) suggestion.offer(other);
  std::string hint = suggestion.text();
  if (std::error_code ignored; hint.empty() && std::filesystem::exists(word, ignored))
    hint = fmt::format("; to check a model write 'tideline check {}'.", word);
  refuse(app, fmt::format("unknown command '{}'{} The commands are {}", abbreviate(word),
                          hint.empty() ? "." : hint, list));
}

/// Those that have --ranks; help and the version are for everybody.
void require_command_for_ranks(const CLI::App& app, const std::string& name) {
  if (name.starts_with('-') || app.get_subcommand(name)->get_option_no_throw("--ranks") != nullptr) return;
  refuse(app, fmt::format("{} runs in one process; leave out mpirun", name));
}

/// `help COMMAND` is another way to write `COMMAND --help`.
Arguments without_help_command(const CLI::App& app, Arguments arguments) {
  if (arguments.empty() || arguments[0] != "help") return arguments;
  if (arguments.size() > 2) refuse(app, "help takes one command");
  arguments.erase(arguments.begin());
  if (arguments == Arguments{"help"}) arguments.clear();
  arguments.emplace_back("--help");
  return arguments;
}

/// An argument that no option took, which CLI11 only calls unexpected.
[[noreturn]] void refuse_argument(const CLI::App& app, const CLI::App& command, const std::string& argument) {
  if (!argument.starts_with('-'))
    refuse(command, fmt::format("unexpected argument '{}'", abbreviate(argument)));
  const std::string word = argument.substr(0, argument.find('='));
  // The name of another command's option is no slip, however much it looks like one of this command's.
  Arguments others;
  for (const CLI::App* other : commands_of(app))
    if (other->get_option_no_throw(word) != nullptr) others.push_back(other->get_name());
  std::string hint;
  if (!others.empty()) {
    hint = fmt::format("; it is an option of {}", fmt::join(others, ", "));
  } else {
    Suggestion suggestion(word);
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) suggestion.offer("--" + name);
    hint = suggestion.text();
  }
  refuse(command, fmt::format("unknown option '{}'{}", abbreviate(word), hint));
}

[[noreturn]] void refuse_arguments(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = given_command(app);
  for (const CLI::App* place : {&command, &app})
    if (const Arguments rest = place->remaining(); !rest.empty()) refuse_argument(app, *place, rest.front());
  const std::string message = error.what();
  if (const std::size_t at = message.find(": 1 required "); at != std::string::npos)
    refuse(command, message.substr(0, at) + " needs a value");
  if (const std::size_t at = message.find(": At Most 1 required "); at != std::string::npos)
    refuse(command, message.substr(0, at) + ": give it once");
  refuse(command, message);
}

ExitCode run(int argc, char** argv) {
  require_mpi_for_job();
  CLI::App app;
  ExitCode exit_code = exit_holds;
  add_commands(app, exit_code);
  Arguments arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments[0] == "complete") {
    for (const std::string& word : completions(app, {arguments.begin() + 1, arguments.end()}))
      print(word + "\n");
    return exit_code;
  }
  arguments = without_help_command(app, std::move(arguments));
  find_colour_option(arguments);
  require_known_command(app, arguments);
  if (job().ranks()) require_command_for_ranks(app, arguments.front());
  try {
    app.parse(Arguments(arguments.rbegin(), arguments.rend()));  // CLI11 wants the last first
  } catch (const CLI::CallForHelp&) {
    print(given_command(app).help());
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    refuse_arguments(app, error);
  }
  return exit_code;
}

ExitCode run_to_the_end(int argc, char** argv) {
  const auto end_with = [](ExitCode exit_code, const std::string& message) {
    print_to_stderr(message);
    job().fail(message);
    return exit_code;
  };
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    return end_with(exit_code_of(error.kind()),
                    (error.kind() == ErrorKind::internal ? "internal " : "") + std::string(error.what()));
  } catch (const std::bad_alloc&) {
    return end_with(exit_unknown, "error: out of memory");
  } catch (const std::exception& error) {
    return end_with(exit_internal, std::string("internal error: ") + error.what());
  }
}

}  // namespace
}  // namespace tideline::app

int main(int argc, char** argv) {
  using namespace tideline::app;
  install_signal_handlers();
  return job().end(run_to_the_end(argc, argv));
}
